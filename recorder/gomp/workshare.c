/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Worksharing with memory of the team: for `lastprivate(conditional:)` and `inscan` reductions, gcc's code names a size, and
 * every thread gets the address of the same cleared bytes. libomp ends the program instead. The bytes are handed to the other
 * threads as the value of a `copyprivate` is, by libomp.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "recorder/gomp/libomp.h"

typedef unsigned long long ull;

LLVM(int, omp_get_level, void);
LLVM(void *, GOMP_single_copy_start, void);
LLVM(void, GOMP_single_copy_end, void *data);

struct block {
	struct block *older;
	int level; /* of the parallel region */
	_Alignas(max_align_t) char bytes[];
};

/* What this thread has allocated and not freed yet. */
static __thread struct block *blocks;

/* Frees what no thread uses any more: all threads of the team have just met, and so have left the team's earlier constructs;
 * regions inside of those have ended. */
static void free_older(int level)
{
	while (blocks && blocks->level >= level) {
		struct block *block = blocks;
		blocks = block->older;
		free(block);
	}
}

static void *team_memory(size_t n_bytes)
{
	void *bytes = llvm_GOMP_single_copy_start();
	if (bytes)
		return bytes;
	struct block *block = calloc(1, sizeof *block + n_bytes);
	if (!block) {
		fprintf(stderr, "\nlibgomp: Out of memory allocating %zu bytes\n", n_bytes);
		exit(EXIT_FAILURE);
	}
	llvm_GOMP_single_copy_end(block->bytes);
	int level = llvm_omp_get_level();
	free_older(level);
	block->level = level;
	block->older = blocks;
	blocks = block;
	return block->bytes;
}

/* `memory` has the size before, and the address after. */
static inline void allocate(void **memory)
{
	if (memory)
		*memory = team_memory((size_t)*memory);
}

/* Each ends in a call of libomp, which so sees the program's return address. */
#define START(name, parameters, arguments)                                                                                         \
	LLVM_PLAIN(bool, name, parameters);                                                                                        \
	ENTRY bool name parameters;                                                                                                \
	ENTRY bool name parameters                                                                                                 \
	{                                                                                                                          \
		allocate(memory);                                                                                                  \
		return llvm_##name arguments;                                                                                      \
	}

#define LOOP(name)                                                                                                                 \
	START(name,                                                                                                                \
	      (long start, long end, long step, long schedule, long chunk, long *first, long *last, uintptr_t *reductions,         \
	       void **memory),                                                                                                     \
	      (start, end, step, schedule, chunk, first, last, reductions, NULL))
LOOP(GOMP_loop_start)
LOOP(GOMP_loop_ordered_start)

#define LOOP_ULL(name)                                                                                                             \
	START(name,                                                                                                                \
	      (bool is_up, ull start, ull end, ull step, long schedule, ull chunk, ull *first, ull *last, uintptr_t *reductions,   \
	       void **memory),                                                                                                     \
	      (is_up, start, end, step, schedule, chunk, first, last, reductions, NULL))
LOOP_ULL(GOMP_loop_ull_start)
LOOP_ULL(GOMP_loop_ull_ordered_start)

START(GOMP_loop_doacross_start,
      (unsigned n, long *counts, long schedule, long chunk, long *first, long *last, uintptr_t *reductions, void **memory),
      (n, counts, schedule, chunk, first, last, reductions, NULL))
START(GOMP_loop_ull_doacross_start,
      (unsigned n, ull *counts, long schedule, ull chunk, ull *first, ull *last, uintptr_t *reductions, void **memory),
      (n, counts, schedule, chunk, first, last, reductions, NULL))

LLVM(unsigned, GOMP_sections2_start, unsigned n, uintptr_t *reductions, void **memory);
ENTRY unsigned GOMP_sections2_start(unsigned n, uintptr_t *reductions, void **memory);
ENTRY unsigned GOMP_sections2_start(unsigned n, uintptr_t *reductions, void **memory)
{
	allocate(memory);
	return llvm_GOMP_sections2_start(n, reductions, NULL);
}
