/* Tests: a spool, a coder and the values that were put with them, for the tests of values, tracks and classes. Parts are read from
 * a copy of the spool in memory, as from a packed file. */
#ifndef TESTS_UNIT_PACKED_TRACK_H
#define TESTS_UNIT_PACKED_TRACK_H

#include "loop/track_read.h"
#include "unit/chance.h"
#include "unit/harness.h"

#include <stdlib.h>

struct bench {
	struct spool spool;
	struct values_coder coder;
	struct column_decoder decoder;
	struct varve_causes causes;
	uint8_t *file;
	size_t size;
};

static inline bool bench_start(struct bench *bench)
{
	*bench = (struct bench){.spool = {.fd = -1}};
	return CHECK_EQ(spool_open(&bench->spool, "/tmp", "new", &bench->causes), VARVE_OK) &&
	       CHECK_EQ(values_coder_start(&bench->coder, &bench->spool, &bench->causes), VARVE_OK);
}

/* All values put so far can be read. */
static inline void bench_read(struct bench *bench)
{
	free(bench->file);
	bench->size = (size_t)(bench->spool.written + bench->spool.held);
	bench->file = malloc(bench->size + 1);
	CHECK_EQ(spool_get(&bench->spool, 0, bench->file, bench->size, &bench->causes), VARVE_OK);
}

static inline void bench_stop(struct bench *bench)
{
	values_coder_stop(&bench->coder);
	spool_close(&bench->spool);
	column_decoder_clear(&bench->decoder);
	free(bench->file);
}

/* Values of one kind each: constant, a line, rows of a matrix, few blocks, small ones, any. */
enum { NATURES = 6 };

static inline uint64_t value_by_nature(struct chance *chance, unsigned nature, uint64_t at)
{
	switch (nature % NATURES) {
	case 0:
		return 42;
	case 1:
		return at * 4096 - 7;
	case 2:
		return at % 5 * 8 + at / 5 * 1000;
	case 3:
		return at / 50 * 1000 + at % 3;
	case 4:
		return chance_below(chance, 3);
	default:
		return chance_wide(chance);
	}
}

#endif
