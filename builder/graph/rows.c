/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Takes blocks of rows for streams. The only things that streams share are the number of blocks, and spare memory for them.
 */
#include "builder/graph/rows.h"
#include "builder/support/memory_limit.h"

#include <string.h>

#define WHAT "the graph"

/* A stream's first blocks are taken one by one, as most streams have few; then as many as a huge page holds. */
#define FEW_BLOCKS  4
#define MANY_BYTES  ((size_t)2 << 20)
#define LARGE_BYTES ((size_t)32 << 20) /* tables below need no spare memory */

static uint32_t n_together(size_t row_bytes)
{
	return (uint32_t)(MANY_BYTES / (ROWS_BLOCK * row_bytes)) + 1;
}

void rows_begin(struct stream_rows *rows, size_t row_bytes, uint64_t n_rows, size_t n_streams, struct rows_end *end, uint32_t first)
{
	/* The last blocks of each stream may be as good as empty, and so may block 0. */
	uint64_t n_blocks = (first + n_rows) / ROWS_BLOCK + 2 + n_streams * (1 + n_together(row_bytes));
	rows->row_bytes = row_bytes;
	rows->limit = n_blocks < ROWS_LIMIT ? (uint32_t)n_blocks : ROWS_LIMIT;
	rows->blocks = memory_zeroed(rows->limit, sizeof *rows->blocks, WHAT);
	rows->owners = memory_zeroed(rows->limit, sizeof *rows->owners, WHAT);
	rows->marks = memory_zeroed(rows->limit, sizeof *rows->marks, WHAT);
	rows->firsts = memory_zeroed(rows->limit, sizeof *rows->firsts, WHAT);
	rows->n_left = memory_zeroed(rows->limit, sizeof *rows->n_left, WHAT);
	rows->blocks[0] = memory_get(ROWS_BLOCK, row_bytes, WHAT);
	memset(rows->blocks[0], 0, first * row_bytes);
	rows->n_left[0] = 1;
	rows->n_blocks = 1;
	end->next = first;
}

static size_t bytes_of(const struct stream_rows *rows, uint32_t n_blocks)
{
	return (size_t)n_blocks * ROWS_BLOCK * rows->row_bytes;
}

/* Spare memory for n_together() blocks. NULL: none is ready. */
static char *take_spare(struct stream_rows *rows)
{
	for (unsigned i = 0; i < ROWS_SPARES; i++) {
		/* P8: rows_prepare() has got and touched it. */
		char *spare = __atomic_load_n(&rows->spares[i], __ATOMIC_RELAXED) == NULL
				      ? NULL
				      : __atomic_exchange_n(&rows->spares[i], NULL, __ATOMIC_ACQUIRE);
		if (spare != NULL)
			return spare;
	}
	return NULL;
}

bool rows_prepare(struct stream_rows *rows)
{
	uint32_t n = n_together(rows->row_bytes), n_blocks = __atomic_load_n(&rows->n_blocks, __ATOMIC_RELAXED);
	if (bytes_of(rows, n_blocks) < LARGE_BYTES || memory_is_limited())
		return false;
	for (unsigned i = 0; i < ROWS_SPARES; i++) {
		if (__atomic_load_n(&rows->spares[i], __ATOMIC_RELAXED) != NULL)
			continue;
		char *spare = memory_get(bytes_of(rows, n), 1, WHAT);
		memory_touch(spare, bytes_of(rows, n));
		/* P8, for take_spare(). */
		__atomic_store_n(&rows->spares[i], spare, __ATOMIC_RELEASE);
		return true;
	}
	return false;
}

void rows_take_block(struct stream_rows *rows, struct rows_end *end, uint32_t stream)
{
	if (end->n_taken > 0) {
		end->n_taken--; /* they follow each other, so `next` is right */
		return;
	}
	uint32_t n = end->n_single < FEW_BLOCKS ? 1 : n_together(rows->row_bytes);
	/* Relaxed: only the number has to differ. A stream gets another one's row through the replay's hand-over. */
	uint32_t first = __atomic_fetch_add(&rows->n_blocks, n, __ATOMIC_RELAXED);
	if (first >= rows->limit || n > rows->limit - first)
		memory_fail(bytes_of(rows, n), WHAT);
	char *memory = n > 1 ? take_spare(rows) : NULL;
	if (memory == NULL)
		memory = memory_get(bytes_of(rows, n), 1, WHAT);
	for (uint32_t block = first; block < first + n; block++) {
		rows->blocks[block] = memory + (size_t)(block - first) * ROWS_BLOCK * rows->row_bytes;
		rows->owners[block] = stream;
		rows->firsts[block] = first;
	}
	rows->n_left[first] = n;
	end->n_single += n == 1;
	end->n_taken = n - 1;
	end->next = first << ROWS_SHIFT;
}

void rows_free_block(struct stream_rows *rows, uint32_t block)
{
	uint32_t first = rows->firsts[block], n = first;
	/* P5, and its own partner: what the threads have read of these blocks comes before their end. */
	if (__atomic_fetch_sub(&rows->n_left[first], 1, __ATOMIC_ACQ_REL) != 1)
		return;
	while (n < __atomic_load_n(&rows->n_blocks, __ATOMIC_RELAXED) && rows->firsts[n] == first)
		n++;
	memory_give_back(rows->blocks[first], bytes_of(rows, n - first));
}

void rows_free(struct stream_rows *rows)
{
	if (rows->blocks == NULL)
		return;
	for (uint32_t i = 0; i < rows->n_blocks; i++)
		for (uint32_t n = rows->firsts[i] == i ? rows->n_left[i] : 0; n > 0; n--)
			rows_free_block(rows, i);
	for (unsigned i = 0; i < ROWS_SPARES; i++)
		memory_give_back(rows->spares[i], bytes_of(rows, n_together(rows->row_bytes)));
	free(rows->blocks);
	free(rows->owners);
	free(rows->marks);
	free(rows->firsts);
	free(rows->n_left);
	*rows = (struct stream_rows){0};
}
