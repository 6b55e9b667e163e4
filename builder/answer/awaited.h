/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who waits for whom: at any time the threads that wait at a synchronisation wait for the nodes that run before it; where
 * none of these does, for all that run, as what they wait for begins when such a node ends. So all time that threads wait
 * at a construct is that of constructs that ran meanwhile, but for time in which nothing ran. account.c tells what each
 * thread does; on one thread.
 */
#ifndef OTTER_BUILDER_ANSWER_AWAITED_H
#define OTTER_BUILDER_ANSWER_AWAITED_H

#include "builder/answer/causes.h"

#include <stdbool.h>
#include <stddef.h>

/* What a thread does. */
struct awaited_role {
	enum { AWAITED_NEITHER, AWAITED_WAITS, AWAITED_RUNS } what;
	uint32_t sync;  /* the construct at which it waits, or that its node comes before; 0 unknown */
	uint32_t place; /* that its node is in */
	bool is_last;   /* something can go on when its node ends */
};

/* So many threads have the same role. */
struct awaited_count {
	struct awaited_role role;
	uint32_t n;
};

struct awaited {
	struct causes *waits;         /* causes of LIMIT_WAIT: the synchronisation, and what was waited for */
	struct awaited_count *counts; /* of roles that some thread has */
	size_t n, capacity;
	uint32_t n_waiting;
	double ticks; /* since a role changed last, and not in `waits` yet */
};

void awaited_begin(struct awaited *awaited, struct causes *waits);
void awaited_free(struct awaited *awaited);

/* A thread has another role from now on. */
void awaited_change(struct awaited *awaited, struct awaited_role *role, struct awaited_role next);

/* So much time has passed, in which no role changed. */
static inline void awaited_pass(struct awaited *awaited, double ticks)
{
	awaited->ticks += ticks;
}

#endif
