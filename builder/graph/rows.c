/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Takes blocks of rows for streams. The only thing that streams share is the number of blocks.
 */
#include "builder/graph/rows.h"

#include <stdatomic.h>
#include <string.h>

#define WHAT "the graph"

void rows_begin(struct stream_rows *rows, size_t row_bytes, uint64_t n_rows, size_t n_streams, struct rows_end *end, uint32_t first)
{
	/* The last block of each stream may be as good as empty, and so may block 0. */
	uint64_t n_blocks = (first + n_rows) / ROWS_BLOCK + n_streams + 2;
	rows->row_bytes = row_bytes;
	rows->limit = n_blocks < ROWS_LIMIT ? (uint32_t)n_blocks : ROWS_LIMIT;
	rows->blocks = memory_zeroed(rows->limit, sizeof *rows->blocks, WHAT);
	rows->owners = memory_zeroed(rows->limit, sizeof *rows->owners, WHAT);
	rows->marks = memory_zeroed(rows->limit, sizeof *rows->marks, WHAT);
	rows->blocks[0] = memory_get(ROWS_BLOCK, row_bytes, WHAT);
	memset(rows->blocks[0], 0, first * row_bytes);
	atomic_init(&rows->n_blocks, 1);
	end->next = first;
}

void rows_take_block(struct stream_rows *rows, struct rows_end *end, uint32_t stream)
{
	/* Relaxed: only the number has to differ. Who gets a row from another stream has it from the replay's hand-over. */
	uint32_t block = atomic_fetch_add_explicit(&rows->n_blocks, 1, memory_order_relaxed);
	if (block >= rows->limit)
		memory_fail((size_t)ROWS_BLOCK * rows->row_bytes, WHAT);
	rows->blocks[block] = memory_get(ROWS_BLOCK, rows->row_bytes, WHAT);
	rows->owners[block] = stream;
	end->next = block << ROWS_SHIFT;
}

void rows_free_block(struct stream_rows *rows, uint32_t block)
{
	memory_give_back(rows->blocks[block], ROWS_BLOCK * rows->row_bytes);
	rows->blocks[block] = NULL;
}

void rows_free(struct stream_rows *rows)
{
	if (rows->blocks == NULL)
		return;
	for (uint32_t i = 0; i < rows->n_blocks; i++)
		rows_free_block(rows, i);
	free(rows->blocks);
	free(rows->owners);
	free(rows->marks);
	*rows = (struct stream_rows){0};
}
