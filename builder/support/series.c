/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers over time: see series.h. A step is a byte, which is how far it goes, and the ticks since the step before it,
 * seven bits a byte, of which the highest bit says that there are more.
 */
#include "builder/support/series.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define CHUNK_BYTES 4096 /* a power of two, as the buffer grows by doubling: it has no room for a step when a chunk is full */
#define STEP_BYTES  11

static void begin_chunk(struct series *series)
{
	array_reserve((void **)&series->chunks, series->n_chunks + 1, &series->capacity, sizeof *series->chunks);
	series->chunks[series->n_chunks++] = (struct series_chunk){series->ticks, series->value, 0, 0};
}

/* The steps of the chunk have their place in the file, and the next one begins. 0, or -1 with the error printed. */
static int end_chunk(struct series *series, struct aside *aside)
{
	struct buffer *steps = &series->steps;
	struct series_chunk *chunk = &series->chunks[series->n_chunks - 1];
	chunk->n_bytes = steps->n;
	chunk->place = aside_put(aside, steps->bytes, steps->n);
	steps->n = 0;
	if (chunk->place < 0)
		return -1;
	begin_chunk(series);
	return 0;
}

/* As series_step(), where there is no room for a step. */
__attribute__((noinline)) static int step_without_room(struct series *series, struct aside *aside, uint64_t ticks, int64_t value)
{
	if (series->n_chunks == 0)
		begin_chunk(series);
	if (series->steps.n > CHUNK_BYTES - STEP_BYTES && end_chunk(series, aside) != 0)
		return -1;
	(void)buffer_room(&series->steps, STEP_BYTES);
	return series_step(series, aside, ticks, value);
}

int series_step(struct series *series, struct aside *aside, uint64_t ticks, int64_t value)
{
	struct buffer *steps = &series->steps;
	if (steps->capacity - steps->n < STEP_BYTES)
		return step_without_room(series, aside, ticks, value);
	unsigned char *at = (unsigned char *)steps->bytes + steps->n;
	uint64_t since = ticks - series->ticks;
	*at++ = (unsigned char)(value - series->value);
	for (; since >= 0x80; since >>= 7)
		*at++ = (unsigned char)(since | 0x80);
	*at++ = (unsigned char)since;
	buffer_end_at(steps, (char *)at);
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

/* Begins a chunk: those that are in no file are at hand. */
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
		if (aside_get(reader->aside, chunk->place, reader->bytes, n) != 0)
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

int series_open(struct series_reader *reader, const struct series *series, const struct aside *aside, uint64_t ticks)
{
	*reader = (struct series_reader){.series = series, .aside = aside, .next_ticks = UINT64_MAX};
	size_t low = 0, high = series->n_chunks;
	while (low < high) { /* the last chunk before whose first step nothing is later than that */
		size_t middle = (low + high) / 2;
		if (series->chunks[middle].ticks <= ticks)
			low = middle + 1;
		else
			high = middle;
	}
	reader->chunk = low > 0 ? low - 1 : 0;
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
