/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers over time: see series.h. A step is a byte, which is how far it goes, and the ticks since the step before it
 * (varint.h).
 */
#include "builder/support/series.h"
#include "builder/support/array.h"
#include "builder/support/lower_bound.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define CHUNK_BYTES 4096 /* a power of two, as the buffer grows by doubling: it has no room for a step when a chunk is full */
#define STEP_BYTES  (1 + VARINT_MAX)

static void begin_chunk(struct series *series)
{
	array_push(series->chunks, series->n_chunks, series->capacity, (struct series_chunk){series->ticks, series->value, 0, 0});
}

/* Writes the steps of the chunk to the file, and begins the next chunk. Returns 0, or -1 with the error printed. */
static int end_chunk(struct series *series, struct spill *spill)
{
	struct buffer *steps = &series->steps;
	struct series_chunk *chunk = &series->chunks[series->n_chunks - 1];
	chunk->n_bytes = steps->n;
	chunk->place = spill_put(spill, steps->bytes, steps->n);
	steps->n = 0;
	if (chunk->place < 0)
		return -1;
	begin_chunk(series);
	return 0;
}

/* As series_step(), where there is no room for a step. */
__attribute__((noinline)) static int step_without_room(struct series *series, struct spill *spill, uint64_t ticks, int64_t value)
{
	if (series->n_chunks == 0)
		begin_chunk(series);
	if (series->steps.n > CHUNK_BYTES - STEP_BYTES && end_chunk(series, spill) != 0)
		return -1;
	(void)buffer_room(&series->steps, STEP_BYTES);
	return series_step(series, spill, ticks, value);
}

int series_step(struct series *series, struct spill *spill, uint64_t ticks, int64_t value)
{
	struct buffer *steps = &series->steps;
	if (steps->capacity - steps->n < STEP_BYTES)
		return step_without_room(series, spill, ticks, value);
	char *at = steps->bytes + steps->n;
	*at++ = (char)(value - series->value);
	buffer_end_at(steps, varint_put(at, ticks - series->ticks));
	if (series->n_steps++ == 0)
		series->first_ticks = ticks;
	series->ticks = ticks;
	series->value = value;
	return 0;
}

void series_free(struct series *series)
{
	buffer_free(&series->steps);
	free(series->chunks);
	*series = (struct series){0};
}

/* Begins to read a chunk: from the file, or from memory if it is not in the file. */
static int read_chunk(struct series_reader *reader)
{
	const struct series *series = reader->series;
	const struct series_chunk *chunk = &series->chunks[reader->chunk++];
	const unsigned char *bytes = (const unsigned char *)series->steps.bytes;
	size_t n = series->steps.n;
	if (chunk->n_bytes != 0) {
		if (reader->bytes == NULL)
			reader->bytes = memory_get(CHUNK_BYTES, 1, "what happens at once");
		bytes = reader->bytes;
		n = chunk->n_bytes;
		if (spill_get(reader->spill, chunk->place, reader->bytes, n) != 0)
			return -1;
	}
	reader->at = bytes;
	reader->end = bytes + n;
	return 0;
}

int series_look_further(struct series_reader *reader, uint64_t ticks)
{
	if (reader->chunk == reader->series->n_chunks) {
		reader->next_ticks = UINT64_MAX;
		return 0;
	}
	return read_chunk(reader) == 0 ? series_look_ahead(reader, ticks) : -1;
}

int series_open(struct series_reader *reader, const struct series *series, const struct spill *spill, uint64_t ticks)
{
	*reader = (struct series_reader){.series = series, .spill = spill, .next_ticks = UINT64_MAX};
	size_t after = lower_bound(i, 0, series->n_chunks, series->chunks[i].ticks <= ticks);
	reader->chunk = after > 0 ? after - 1 : 0; /* the last chunk in which no step before its first one is later than `ticks` */
	if (series->n_chunks == 0)
		return 0;
	reader->value = series->chunks[reader->chunk].value;
	if (series_look_ahead(reader, series->chunks[reader->chunk].ticks) != 0)
		return -1;
	while (reader->next_ticks <= ticks && reader->next_ticks != UINT64_MAX)
		if (series_next(reader) != 0)
			return -1;
	return 0;
}

void series_close(struct series_reader *reader)
{
	free(reader->bytes);
}
