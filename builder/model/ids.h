/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Maps ids of tasks and regions to rows of the model's tables. Usually all ids that a stream gave have rows: row = base
 * + counter (the stream is "dense"). If a stream gave far more ids than the dump has records of it, only the ids that a
 * record names have rows: a flight recorder keeps only the end of a long run, and a damaged header may have any count.
 * So tables never grow larger than the dump justifies. Made by tables.c when the tables are allocated, used by gather
 * and replay, on several threads.
 */
#ifndef OTTER_BUILDER_MODEL_IDS_H
#define OTTER_BUILDER_MODEL_IDS_H

#include "builder/dump/reader.h"

/* The row of dump.streams with this number; n_streams if there is none, because the stream left no segment. */
size_t model_stream_row(const struct dump *dump, uint32_t number);

/* The row of dump.streams that gave this id; n_streams if there is none. */
static inline size_t model_id_row(const struct dump *dump, uint64_t id)
{
	uint32_t number = id_stream(id);
	return number < dump->n_streams && dump->streams[number].number == number ? number : model_stream_row(dump, number);
}

/* The rows of one kind of ids: of tasks, or of regions. */
struct id_rows {
	uint32_t *base;    /* n_streams + 1 items, by row of dump.streams: the rows base[s] + 1 to base[s + 1] are the stream's */
	uint64_t *n_dense; /* by row of dump.streams: counters from 1 to this have the row base + counter; 0: it is not dense */
	uint64_t *named;   /* stream number << 44 | counter, ascending: the named ids of all streams that are not dense */
	size_t *first;     /* n_streams + 1 items, by row of dump.streams: where its part of `named` begins; NULL: all are dense */
};

/*
 * Determines which ids have rows. 0, or -1 after an error message (more than 2^32 - 2 rows); id_rows_free() in any
 * case.
 */
int id_rows_find(struct id_rows *tasks, struct id_rows *regions, const struct dump *dump);
void id_rows_free(struct id_rows *rows);

/* The row of an id of a stream that is not dense; 0 if no record names the id. */
uint32_t id_rows_named(const struct id_rows *rows, size_t stream, uint64_t counter);

/* From a row back to its stream's row, and to its number among the stream's rows, from 1. 0 and 0 for row 0. */
void id_rows_origin(const struct id_rows *rows, size_t n_streams, uint32_t row, uint32_t *stream_row_out, uint32_t *number);

/* The row of the id that the stream with row `stream` gave this counter; 0 if there is none. */
static inline uint32_t id_rows_row(const struct id_rows *rows, size_t stream, uint64_t counter)
{
	if (__builtin_expect(counter - 1 < rows->n_dense[stream], 1))
		return rows->base[stream] + (uint32_t)counter;
	return rows->first != NULL ? id_rows_named(rows, stream, counter) : 0;
}

#endif
