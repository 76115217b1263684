/* Fuzzing: lanes of a dead process: encoded with all codecs and decoded again, or read as a part of their trace.
 *
 * Input: a byte of flags; parts: data.0, the head of the control page; then for each lane parts: the head of its header, its words,
 * its stash. With the flag for reading the summary, lanes are encoded instead: the block of a lane must decode, and all codecs must
 * have the same records. */
#include "fuzz.h"

#include "base/program/process.h"
#include "codec/control.h"
#include "codec/inprocess/encode.h"
#include "codec/inprocess/peephole.h"
#include "trace/trace.h"

#include "unit/decoded.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPAIR = 1, KEEP_POSITION = 2, KEEP_TAGS = 4, LIVING = 8, KEEP_STASH = 16, CHECK = 32 };
enum { LANES_MOST = 3, LANE_ROOM = LANE_HEADER + 65536 };

struct made {
	struct lane *lane;
	size_t size;
	size_t stash;
};

static void must(bool fine)
{
	if (!fine)
		abort();
}

/* The lane's process: this one, or one of another boot: the result must not depend on running processes. */
static void repair_owner(struct lane *lane, uint8_t flags)
{
	memset(lane->boot_id, flags & LIVING ? 0 : 0xee, sizeof lane->boot_id);
	if (!(flags & LIVING))
		return;
	lane->pid = getpid();
	lane->process_start = 0;
	lane->pid_namespace = process_namespace();
}

static struct made lane_make(struct input *input, const uint8_t run_id[16], uint8_t flags)
{
	struct part head = input_part(input), words = input_part(input), stash = input_part(input);
	struct made made = {.size = LANE_HEADER + words.size / 8 * 8, .stash = stash.size};
	void *memory;
	must(!posix_memalign(&memory, 64, made.size + made.stash));
	memset(memory, 0, LANE_HEADER);
	memcpy(memory, head.bytes,
	       head.size < sizeof(struct lane) ? head.size : sizeof(struct lane));
	if (words.size / 8)
		memcpy((uint8_t *)memory + LANE_HEADER, words.bytes, words.size / 8 * 8);
	if (stash.size)
		memcpy((uint8_t *)memory + made.size, stash.bytes, stash.size);
	struct lane *lane = made.lane = memory;
	repair_owner(lane, flags);
	if (!(flags & REPAIR))
		return made;
	lane->magic = LANE_MAGIC;
	lane->version = LANE_VERSION;
	lane->size = made.size;
	memcpy(lane->run_id, run_id, sizeof lane->run_id);
	lane->stash_room = stash.size;
	lane->stash_used %= stash.size + 1;
	if (!(flags & KEEP_STASH))
		lane->stash_used = stash.size / 8 * 8;
	if (!(flags & KEEP_POSITION))
		lane->position = made.size;
	if (!(flags & KEEP_TAGS))
		repair_tags(lane, made.size);
	repair_blocks((uint8_t *)memory + made.size, stash.size, 0);
	return made;
}

/* The block of a lane; false: this codec cannot encode it. */
static bool encode(const struct made *made, struct codec_choice choice, uint8_t *output,
		   struct encoded *encoded)
{
	static void *workspace;
	if (!workspace) {
		must((workspace = malloc(encode_workspace_size(LANE_ROOM))) != NULL);
		encode_prepare(workspace, LANE_ROOM);
	}
	*encoded = (struct encoded){.open_count = 1, .open[0].position = LANE_HEADER};
	return encode_lane(made->lane, made->size, choice, made->lane->begin, call_rows,
			   call_rows_count, workspace, output, encoded) == VARVE_OK;
}

static void decode(const uint8_t *block, const struct encoded *encoded, struct decoded *decoded,
		   enum block_codec *codec)
{
	struct block_header header;
	must(block_open(block, encoded->length, &header, NULL) == VARVE_OK);
	must(header.length == encoded->length);
	must(decoded_make(block, &header, call_rows, call_rows_count, WANT_ALL, TAKE_MOST, decoded,
			  NULL) == VARVE_OK);
	must(decoded->count == encoded->records &&
	     decoded->definitions.count == encoded->definitions);
	*codec = (enum block_codec)header.codec;
}

static void compare(const struct decoded *rows, const struct decoded *other)
{
	must(other->count == rows->count);
	must(other->definitions.count == rows->definitions.count);
	for (size_t i = 0; i < rows->count; i++) {
		const struct record *a = &other->records[i], *b = &rows->records[i];
		must(a->function == b->function && a->depth == b->depth && a->marks == b->marks &&
		     a->error == b->error && a->ordinal == b->ordinal && a->entry == b->entry &&
		     a->exit == b->exit && a->result == b->result && a->words == b->words);
		must(!memcmp(a->word, b->word, a->words * sizeof *a->word));
	}
}

/* The records with this codec must be equal to those with codec rows. */
static void encode_also(const struct made *made, struct codec_choice choice, uint8_t *output,
			const struct decoded *rows)
{
	struct encoded encoded;
	struct decoded decoded = {0};
	enum block_codec codec;
	must(encode(made, choice, output, &encoded));
	decode(output, &encoded, &decoded, &codec);
	must(codec == choice.codec || (choice.codec == CODEC_COLUMNS && codec == CODEC_ROWS));
	compare(rows, &decoded);
	decoded_clear(&decoded);
}

static void encode_all(const struct made *made)
{
	uint8_t *output = malloc(encode_output_size(made->size));
	struct encoded encoded;
	struct decoded rows = {0};
	enum block_codec codec;
	must(output != NULL);
	must(encode(made, (struct codec_choice){CODEC_ROWS, 0}, output, &encoded));
	decode(output, &encoded, &rows, &codec);
	encode_also(made, (struct codec_choice){CODEC_COLUMNS, 0}, output, &rows);
	static const uint32_t windows[] = {0, 1, PEEPHOLE_WINDOW, PEEPHOLE_WINDOW_MOST};
	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
		encode_also(made, (struct codec_choice){CODEC_PEEPHOLE, windows[i]}, output, &rows);
	decoded_clear(&rows);
	free(output);
}

static void write_control(struct part part, const uint8_t run_id[16], uint8_t flags)
{
	static struct control control;
	enum { FACTS = 512, OTHERS = 3584 };
	size_t facts = part.size < FACTS ? part.size : FACTS, others = part.size - facts;
	memset(&control, 0, sizeof control);
	memcpy(&control, part.bytes, facts);
	memcpy((uint8_t *)&control + CONTROL_FACTS, part.bytes + facts,
	       others < OTHERS ? others : OTHERS);
	if (flags & REPAIR) {
		control.magic = CONTROL_MAGIC;
		control.version = CONTROL_VERSION;
		control.size = CONTROL_SIZE;
		memcpy(control.run_id, run_id, sizeof control.run_id);
	}
	folder_write("facts", &control, CONTROL_FACTS);
	folder_write("control", &control, sizeof control);
}

/* The lanes of the input, with the encoder only. */
static void encode_lanes(struct input *input, const uint8_t run_id[16], uint8_t flags)
{
	for (size_t i = 0; i < LANES_MOST && input->left; i++) {
		bound_begin(input->left, 2);
		struct made made = lane_make(input, run_id, flags);
		encode_all(&made);
		free(made.lane);
		bound_end();
	}
}

/* The lanes of the input as files of a trace; returns the highest number of blocks that they can become. */
static size_t write_lanes(struct input *input, const uint8_t run_id[16], uint8_t flags)
{
	static const char *const names[LANES_MOST] = {"lane.1", "lane.2", "lane.3"};
	size_t blocks = 0;
	folder_write("lanes", folder_path(), strlen(folder_path()));
	for (size_t i = 0; i < LANES_MOST; i++) {
		folder_write(names[i], NULL, 0);
		if (!input->left)
			continue;
		struct made made = lane_make(input, run_id, flags);
		blocks += 1 + count_blocks((uint8_t *)made.lane + made.size, made.stash);
		folder_write(names[i], made.lane, made.size + made.stash);
		free(made.lane);
	}
	return blocks;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, size};
	uint8_t flags = input_byte(&input), run_id[16] = {0};
	struct part data_part = input_part(&input), control = input_part(&input);
	uint8_t *data = part_copy(data_part);
	size_t blocks = 1 + repair_blocks(data, data_part.size, 0);
	if (data_part.size >= sizeof(struct block_header))
		memcpy(run_id, data + offsetof(struct block_header, run_id), sizeof run_id);
	enum read_what what = READ_WHAT(flags);
	if (what == READ_SUMS) {
		encode_lanes(&input, run_id, flags);
	} else {
		folder_write("data.0", data, data_part.size);
		write_control(control, run_id, flags);
		blocks += write_lanes(&input, run_id, flags);
		bound_begin(size, blocks);
		read_trace(folder_path(), flags & CHECK ? TRACE_CHECK : 0, what);
		bound_end();
	}
	free(data);
	return 0;
}
