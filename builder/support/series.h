/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A number that changes in small steps over time: recorded step by step in the order of time by one thread, in two or
 * three bytes a step, most of them in a spill file (spill_file.h); then read from any time on, by several threads at once.
 */
#ifndef OTTER_BUILDER_SUPPORT_SERIES_H
#define OTTER_BUILDER_SUPPORT_SERIES_H

#include "builder/support/spill_file.h"
#include "builder/support/varint.h"

struct series {
	uint64_t ticks; /* of the latest step; 0 before the first step */
	int64_t value;  /* since then */
	uint64_t first_ticks;
	size_t n_steps;
	struct buffer steps; /* the latest ones */
	struct series_chunk {
		uint64_t ticks; /* and value: before the first step in it */
		int64_t value;
		off_t place; /* of those in the spill file */
		size_t n_bytes;
	} * chunks; /* those in the spill file, then, once there is a step, the one in `steps` */
	size_t n_chunks, capacity;
};

#define SERIES_STEP_MAX 127 /* up or down */

/*
 * The number is `value` from then on, until the next step. Not before the last step, and no more than SERIES_STEP_MAX
 * from it. 0, or -1 with the error printed.
 */
int series_step(struct series *series, struct spill *spill, uint64_t ticks, int64_t value);

void series_free(struct series *series);

struct series_reader {
	const struct series *series;
	const struct spill *spill;
	int64_t value, next_value;
	uint64_t next_ticks; /* when value becomes next_value; UINT64_MAX: never */
	size_t chunk;        /* the next one to read */
	const unsigned char *at, *end;
	unsigned char *bytes; /* of a chunk that is in the spill file */
};

/* Reads from this time on: `value` is that after all steps up to then. 0, or -1 with the error printed. */
int series_open(struct series_reader *reader, const struct series *series, const struct spill *spill, uint64_t ticks);
void series_close(struct series_reader *reader);

/* Reads the step after the one at `ticks`, in the next chunk or none. 0, or -1 with the error printed. */
int series_look_further(struct series_reader *reader, uint64_t ticks);

/* Reads the step after the one at `ticks`. */
static inline int series_look_ahead(struct series_reader *reader, uint64_t ticks)
{
	const unsigned char *at = reader->at;
	if (at == reader->end)
		return series_look_further(reader, ticks);
	reader->next_value = reader->value + (signed char)*at++;
	reader->next_ticks = ticks + varint_take(&at);
	reader->at = at;
	return 0;
}

/* Makes the next step. 0, or -1 with the error printed. */
static inline int series_next(struct series_reader *reader)
{
	reader->value = reader->next_value;
	return series_look_ahead(reader, reader->next_ticks);
}

#endif
