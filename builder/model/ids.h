/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which ids have rows. Commonly all that a stream gave: row = base + counter. Where a dump has far fewer records than its streams gave ids (a
 * flight recorder keeps the end of a long run; a damaged header may say anything) only those that a record names have one, so that the
 * tables are never larger than the dump makes them.
 */
#ifndef OTTER_BUILDER_MODEL_IDS_H
#define OTTER_BUILDER_MODEL_IDS_H

#include "builder/dump/reader.h"

/* Ids of one kind, tasks' or regions'. */
struct id_rows {
	uint32_t *base;    /* by row of dump.streams, and one more: rows base[s] + 1 to base[s + 1] are the stream's */
	uint64_t *n_dense; /* by row of dump.streams: counters from 1 to this one have the row base + counter; 0: see below */
	uint64_t *named;   /* stream number << 44 | counter, ascending: of all streams that are not dense */
	size_t *first;     /* by row of dump.streams, and one more: where its part of `named` begins; NULL: all are dense */
};

/* 0, or -1 with the error said; id_rows_free in any case. */
int id_rows_find(struct id_rows *tasks, struct id_rows *regions, const struct dump *dump);
void id_rows_free(struct id_rows *rows);

/* The row of a counter of a stream that is not dense, 0 if no record names it. */
uint32_t id_rows_named(const struct id_rows *rows, size_t stream, uint64_t counter);

/* The other way: the row of its stream, and its number among those of the stream that have rows, from 1. 0 and 0 for row 0. */
void id_rows_origin(const struct id_rows *rows, size_t n_streams, uint32_t row, uint32_t *stream_row_out, uint32_t *number);

/* The row of what the stream with row `stream` gave the counter to; 0: it did not. */
static inline uint32_t id_rows_row(const struct id_rows *rows, size_t stream, uint64_t counter)
{
	if (__builtin_expect(counter - 1 < rows->n_dense[stream], 1))
		return rows->base[stream] + (uint32_t)counter;
	return rows->first != NULL ? id_rows_named(rows, stream, counter) : 0;
}

#endif
