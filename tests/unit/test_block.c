/* Tests: a block with changed bytes is detected, at any place, and its content is never used. */
#include "base/hash.h"
#include "codec/host/decode.h"
#include "codec/index.h"
#include "unit/decoded.h"
#include "unit/harness.h"
#include "unit/lane_writer.h"

/* A small block with everything in it. */
static uint8_t *some_block(uint64_t seed, enum block_codec codec, size_t *length)
{
	static const struct flavour flavour = {.functions = 12, .records = 60};
	struct written written = {0};
	for (; written.count < 5 || !written.definition_count; seed += 1000) {
		written_clear(&written);
		written = written_start(LANE_HEADER + 4096, seed, 100);
		written_fill(&written, &flavour);
	}
	struct encoded encoded;
	uint8_t *block = written_encode(&written, codec, &encoded);
	*length = encoded.length;
	written_clear(&written);
	return block;
}

/* Opens, checks and decodes in memory that ends where the block ends. */
static enum varve_status read_block(const uint8_t *block, size_t length)
{
	uint8_t *copy = malloc(length ? length : 1);
	memcpy(copy, block, length);
	struct block_header header;
	struct varve_causes causes = {0};
	struct decoded decoded;
	enum varve_status status = block_open(copy, length, &header, &causes);
	if (status == VARVE_OK)
		status = decoded_make(copy, &header, call_rows, call_rows_count, WANT_ALL,
				      TAKE_MOST, &decoded, &causes);
	if (status == VARVE_OK)
		decoded_clear(&decoded);
	else
		CHECK(causes.count > 0);
	free(copy);
	return status;
}

CASE(every_bit_counts)
{
	for (int codec = CODEC_COLUMNS; codec <= CODEC_PEEPHOLE; codec++)
		for (uint64_t seed = 1; seed <= 3; seed++) {
			size_t length;
			uint8_t *block = some_block(seed, (enum block_codec)codec, &length);
			CHECK_EQ(read_block(block, length), VARVE_OK);
			for (size_t bit = 0; bit < length * 8; bit++) {
				block[bit / 8] ^= (uint8_t)(1u << bit % 8);
				enum varve_status status = read_block(block, length);
				block[bit / 8] ^= (uint8_t)(1u << bit % 8);
				if (!CHECK(status == VARVE_DAMAGED || status == VARVE_TRUNCATED)) {
					printf("# bit %zu of byte %zu of %zu, codec %d: %s\n",
					       bit % 8, bit / 8, length, codec,
					       status_text(status));
					break;
				}
			}
			free(block);
		}
}

CASE(every_cut_is_seen)
{
	for (int codec = CODEC_COLUMNS; codec <= CODEC_PEEPHOLE; codec++) {
		size_t length;
		uint8_t *block = some_block(4, (enum block_codec)codec, &length);
		for (size_t cut = 0; cut < length; cut++)
			if (!CHECK_EQ(read_block(block, cut), VARVE_TRUNCATED))
				break;
		free(block);
	}
}

/* With corrected checks a changed block reaches the decoder, which must survive anything. */
CASE(sealed_nonsense)
{
	struct chance chance = chance_start(7);
	size_t tried = 0, refused = 0;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		size_t length;
		uint8_t *block =
			some_block(seed, (enum block_codec)(CODEC_COLUMNS + seed % 3), &length);
		for (int i = 0; i < 1500; i++) {
			uint8_t *copy = malloc(length);
			memcpy(copy, block, length);
			struct block_header header;
			memcpy(&header, copy, sizeof header);
			size_t rows = header.header_length - sizeof header;
			for (uint64_t k = 1 + chance_below(&chance, 4); k-- > 0;) {
				size_t at =
					chance_once(&chance, 2)
						? sizeof header + chance_below(&chance, rows)
						: header.header_length +
							  chance_below(
								  &chance,
								  length - header.header_length);
				uint64_t flipped = copy[at] ^ 1u << chance_below(&chance, 8);
				uint64_t any = chance_word(&chance);
				copy[at] = (uint8_t)(chance_once(&chance, 2) ? any : flipped);
			}
			if (chance_once(&chance, 4))
				header.records = chance_below(&chance, 200);
			if (chance_once(&chance, 8))
				header.definitions = (uint32_t)chance_wide(&chance);
			if (chance_once(&chance, 16))
				header.codec = (uint8_t)chance_below(&chance, 5);
			block_seal(copy, &header);
			/* The lengths of planes are in the block: this test does not cover a declared length of gigabytes. */
			bool huge = false;
			for (uint32_t k = 0; k < header.columns; k++)
				huge |= block_column_at(copy, &header, k).count > 1 << 24;
			if (!huge) {
				tried++;
				refused += read_block(copy, length) != VARVE_OK;
			}
			free(copy);
		}
		free(block);
	}
	CHECK(tried > 30000);
	CHECK(refused > tried / 4);
	CHECK(refused < tried);
}

CASE(a_newer_version_is_told_from_damage)
{
	size_t length;
	uint8_t *block = some_block(5, CODEC_COLUMNS, &length);
	struct block_header header;
	struct varve_causes causes = {0};
	uint16_t version = BLOCK_VERSION + 1;
	memcpy(block + offsetof(struct block_header, version), &version, sizeof version);
	CHECK_EQ(block_open(block, length, &header, &causes), VARVE_DAMAGED);
	memcpy(&header, block, sizeof header);
	uint64_t check = block_header_check(block, header.header_length);
	memcpy(block + offsetof(struct block_header, header_check), &check, sizeof check);
	CHECK_EQ(block_open(block, length, &header, &causes), VARVE_NEWER);
	free(block);
}

/* Blocks get the lowest possible version, so that an older Varve can read them. */
CASE(a_block_has_the_oldest_version_that_can_hold_it)
{
	static const uint16_t versions[] = {
		[CODEC_COLUMNS] = 1, [CODEC_ROWS] = 1, [CODEC_PEEPHOLE] = 2};
	for (int codec = CODEC_COLUMNS; codec <= CODEC_PEEPHOLE; codec++) {
		size_t length;
		uint8_t *block = some_block(5, (enum block_codec)codec, &length);
		struct block_header header;
		memcpy(&header, block, sizeof header);
		CHECK_EQ(header.version, versions[codec]);
		/* Version 1 does not have codec peephole, version 2 has all codecs. */
		for (uint16_t version = 0; version <= 2; version++) {
			memcpy(block + offsetof(struct block_header, version), &version,
			       sizeof version);
			uint64_t check = block_header_check(block, header.header_length);
			memcpy(block + offsetof(struct block_header, header_check), &check,
			       sizeof check);
			CHECK_EQ(read_block(block, length),
				 version >= versions[codec] ? VARVE_OK : VARVE_DAMAGED);
		}
		free(block);
	}
}

CASE(plain_blocks_and_finding_them)
{
	static const uint8_t run_id[16] = {9, 8, 7};
	uint8_t *bytes = calloc(1, 4096);
	char text[100];
	size_t starts[4], used = 24;
	for (size_t i = 0; i < 4; i++) {
		size_t payload = i * 13;
		memset(text, 'a' + (int)i, sizeof text);
		starts[i] = used;
		size_t length = block_plain(bytes + used, BLOCK_RUN, run_id, i, text, payload);
		CHECK_EQ(length, block_plain_size(payload));
		CHECK_EQ(length % BLOCK_ALIGN, 0);
		struct block_header header;
		CHECK_EQ(block_open(bytes + used, length, &header, NULL), VARVE_OK);
		CHECK_EQ(block_check(bytes + used, &header, NULL), VARVE_OK);
		CHECK_EQ(header.length, length);
		CHECK_EQ(header.sequence, i);
		CHECK(memcmp(bytes + used + header.header_length, text, payload) == 0);
		used += length + i * 8;
	}
	uint64_t at = 0;
	for (size_t i = 0; i < 4; i++) {
		at = block_search(bytes, used, at);
		CHECK_EQ(at, starts[i]);
		at++;
	}
	CHECK_EQ(block_search(bytes, used, at), used);
	CHECK_EQ(block_search(bytes, 0, 0), 0);
	CHECK_EQ(block_search(bytes, starts[0] + 7, 0), starts[0] + 7);
	free(bytes);
}

CASE(an_index_must_add_up)
{
	struct {
		struct index_head head;
		struct index_entry entry[3];
	} index = {.head = {.data_length = 1000, .entries = 3, .end = RUN_EXITED},
		   .entry = {{.offset = 0, .length = 200},
			     {.offset = 200, .length = 300},
			     {.offset = 500, .length = 500}}};
	struct index_head head;
	const struct index_entry *entries;
	const uint8_t *bytes = (const uint8_t *)&index;
	CHECK_EQ(index_parse(bytes, sizeof index, &head, &entries, NULL), VARVE_OK);
	CHECK_EQ(head.entries, 3);
	CHECK(entries && entries[2].offset == 500);
	for (size_t cut = 0; cut < sizeof index; cut++)
		CHECK_EQ(index_parse(bytes, cut, &head, &entries, NULL), VARVE_DAMAGED);
	index.entry[1].length = 301; /* overlaps the third */
	CHECK_EQ(index_parse(bytes, sizeof index, &head, &entries, NULL), VARVE_DAMAGED);
	index.entry[1].length = 300;
	index.entry[1].length = 0; /* shorter than any block */
	CHECK_EQ(index_parse(bytes, sizeof index, &head, &entries, NULL), VARVE_DAMAGED);
	index.entry[1].length = 300;
	index.entry[2].length = 501; /* beyond what is covered */
	CHECK_EQ(index_parse(bytes, sizeof index, &head, &entries, NULL), VARVE_DAMAGED);
	index.entry[2].length = UINT64_MAX;
	CHECK_EQ(index_parse(bytes, sizeof index, &head, &entries, NULL), VARVE_DAMAGED);
	index.entry[2].length = 500;
	index.head.entries = UINT64_MAX / sizeof(struct index_entry);
	CHECK_EQ(index_parse(bytes, sizeof index, &head, &entries, NULL), VARVE_DAMAGED);
	index.head.entries = 3;
	index.head.end = RUN_RECOVERED + 1;
	CHECK_EQ(index_parse(bytes, sizeof index, &head, &entries, NULL), VARVE_DAMAGED);
}

RUN(ENTRY(every_bit_counts), ENTRY(every_cut_is_seen), ENTRY(sealed_nonsense),
    ENTRY(a_newer_version_is_told_from_damage),
    ENTRY(a_block_has_the_oldest_version_that_can_hold_it), ENTRY(plain_blocks_and_finding_them),
    ENTRY(an_index_must_add_up))
