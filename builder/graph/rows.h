/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table to which several streams add rows at the same time, each at an end of its own: a stream takes blocks of numbers,
 * and rows never move. So any stream that gets the number of a row finds it by the number alone.
 */
#ifndef OTTER_BUILDER_GRAPH_ROWS_H
#define OTTER_BUILDER_GRAPH_ROWS_H

#include "builder/support/memory.h"

#include <stdbool.h>
#include <stdint.h>

#define ROWS_SHIFT  12
#define ROWS_BLOCK  (1u << ROWS_SHIFT)
#define ROWS_SPARES 2
#define ROWS_LIMIT  (1u << 20) /* blocks: all numbers of 32 bits */

struct stream_rows {
	size_t row_bytes;
	char **blocks;    /* each of ROWS_BLOCK rows */
	uint32_t *owners; /* by block: the stream that took it */
	bool *marks;      /* by block, for the user of the rows; set by the stream that took it */
	uint32_t *firsts; /* by block: the first one of the blocks that share its memory */
	uint32_t *n_left; /* by such a first block: how many of these blocks are not freed yet */
	uint32_t n_blocks;
	uint32_t limit;            /* the most blocks */
	char *spares[ROWS_SPARES]; /* memory for blocks that are taken together, all of it touched; NULL: none */
};

/* Where a stream adds its next row; all 0 before its first one. */
struct rows_end {
	uint32_t next;
	uint32_t n_single; /* number of blocks that it has taken one by one */
	uint32_t n_taken;  /* number of blocks that it has taken together with that of `next`, after it */
};

/*
 * rows.c. At most n_rows are added by n_streams. Block 0 belongs to stream 0, which adds from row `first` on: rows before that
 * are 0 and belong to no stream.
 */
void rows_begin(struct stream_rows *rows, size_t row_bytes, uint64_t n_rows, size_t n_streams, struct rows_end *end,
		uint32_t first);
void rows_free(struct stream_rows *rows);
void rows_take_block(struct stream_rows *rows, struct rows_end *end, uint32_t stream);

/*
 * Makes a spare for the next blocks, on a thread that has nothing else to do: the first use of their memory takes half of the
 * time in which rows are added. False: there are enough, or the table is small. May run at the same time as rows_take_block(),
 * but not as itself.
 */
bool rows_prepare(struct stream_rows *rows);

/* Frees the block's memory as soon as all blocks that were taken together with it are freed. On any thread. */
void rows_free_block(struct stream_rows *rows, uint32_t block);

static inline void *rows_get(const struct stream_rows *rows, uint32_t row)
{
	return rows->blocks[row >> ROWS_SHIFT] + (row & (ROWS_BLOCK - 1)) * rows->row_bytes;
}

/* The number of a new row, not initialised. */
static inline uint32_t rows_add(struct stream_rows *rows, struct rows_end *end, uint32_t stream)
{
	if ((end->next & (ROWS_BLOCK - 1)) == 0)
		rows_take_block(rows, end, stream);
	return end->next++;
}

/* How many rows of a block are in use, where `end` is the end of the block's stream. */
static inline uint32_t rows_used(uint32_t block, const struct rows_end *end)
{
	uint32_t last = (end->next - 1) >> ROWS_SHIFT;
	return block < last ? ROWS_BLOCK : block == last ? end->next - (block << ROWS_SHIFT) : 0;
}

#endif
