/* Sink: facts about a run that are only known while it is in progress. See learned.h. */
#include "sink/run/learned.h"

#include "base/key_values.h"
#include "codec/block.h"
#include "sink/data.h"

enum { TEXT_ROOM = 256 };

static enum varve_status facts_store(struct control *control, const struct key_values *facts)
{
	_Alignas(8) uint8_t block[sizeof(struct block_header) + TEXT_ROOM + BLOCK_ALIGN];
	struct data_file data;
	size_t length =
		block_plain(block, BLOCK_RUN, control->run_id, 0, facts->bytes, facts->length);
	TRY(data_open(control->trace, control, &data));
	enum varve_status status = data_append(&data, control, NULL, block, length);
	data_close(&data);
	return status;
}

enum varve_status clock_store(struct control *control, uint32_t reference, int64_t offset,
			      uint64_t error)
{
	char text[TEXT_ROOM];
	struct key_values facts = {.bytes = text, .room = sizeof text};
	key_values_add_number(&facts, "clock.reference", reference);
	key_values_add_signed(&facts, "clock.offset", offset);
	key_values_add_number(&facts, "clock.error", error);
	return facts_store(control, &facts);
}

enum varve_status world_store(struct control *control, uint32_t size)
{
	char text[TEXT_ROOM];
	struct key_values facts = {.bytes = text, .room = sizeof text};
	key_values_add_number(&facts, "world", size);
	return facts_store(control, &facts);
}
