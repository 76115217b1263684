/* Sink: what is learned about a run while it goes on. See learned.h. */
#include "sink/run/learned.h"

#include "base/process.h"
#include "codec/block.h"
#include "sink/data.h"

#include <string.h>

enum { TEXT_ROOM = 256 };

struct text {
	char bytes[TEXT_ROOM];
	size_t length;
};

static void key_put(struct text *text, const char *key, uint64_t number, bool negative)
{
	char *at = text->bytes + text->length;
	const char *end = text->bytes + sizeof text->bytes;
	at = text_add(text_add(at, end, key), end, negative ? "=-" : "=");
	at = text_add_number(at, end, number);
	text->length = (size_t)(at - text->bytes) + 1;
}

static enum varve_status link_store(struct control *control, const struct text *text)
{
	_Alignas(8) uint8_t block[sizeof(struct block_header) + TEXT_ROOM + BLOCK_ALIGN];
	struct data_file data;
	size_t length =
		block_plain(block, BLOCK_RUN, control->run_id, 0, text->bytes, text->length);
	TRY(data_open(control->trace, control, &data));
	enum varve_status status = data_append(&data, control, NULL, block, length);
	data_close(&data);
	return status;
}

enum varve_status clock_store(struct control *control, uint32_t reference, int64_t offset,
			      uint64_t error)
{
	struct text text = {.length = 0};
	key_put(&text, "clock.reference", reference, false);
	key_put(&text, "clock.offset", offset < 0 ? 0 - (uint64_t)offset : (uint64_t)offset,
		offset < 0);
	key_put(&text, "clock.error", error, false);
	return link_store(control, &text);
}

enum varve_status world_store(struct control *control, uint32_t size)
{
	struct text text = {.length = 0};
	key_put(&text, "world", size, false);
	return link_store(control, &text);
}
