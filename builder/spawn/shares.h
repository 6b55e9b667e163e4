/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a stream adds to the paths of creation: what its implicit tasks executed in worksharing constructs, and when they were
 * in which one. Filled during the replay by shares.c, on the stream's thread; read by the other files of this folder after
 * it.
 */
#ifndef OTTER_BUILDER_SPAWN_SHARES_H
#define OTTER_BUILDER_SPAWN_SHARES_H

#include "builder/spawn/tree.h"

struct spawn_stream {
	struct share {
		uint32_t node, construct; /* of the member */
		uint64_t count, ticks;
		uint64_t n_chunks; /* of loops; not of a part of the run */
	} * shares;
	size_t n_shares, capacity;
	struct map row_of; /* node << 32 | construct -> row + 1 */
	struct open_share {
		uint32_t task, construct, row;
		uint64_t busy_ticks;  /* of the task, when it began */
		uint64_t inner_ticks; /* executed in constructs inside of it */
	} * open;                     /* the innermost last */
	size_t n_open, open_capacity;
	struct series order; /* of the time: row of the share that is open, the innermost, + 1; 0 none */
	char apart[64];      /* so that no two streams share a cache line */
};

int spawn_begin_shares(struct spawn_tree *tree, const char *dir);
void spawn_add_shares(struct spawn_tree *tree);
void spawn_free_shares(struct spawn_tree *tree);

/* path.c: after the shares. 0, or -1 with the error printed. */
int spawn_add_path(struct spawn_tree *tree, const struct graph *graph);

#endif
