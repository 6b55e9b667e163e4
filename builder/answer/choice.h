/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tasks of a simulation that are ready, and which of them a thread takes, by policy (simulate.h). A task that a thread may
 * not take, as it does not descend from the one that waits there, is passed over: which is the first of those that it may take
 * is found in as many steps as the number of tasks has bits. Used by simulate.c; each simulation has one of its own.
 */
#ifndef OTTER_BUILDER_ANSWER_CHOICE_H
#define OTTER_BUILDER_ANSWER_CHOICE_H

#include "builder/answer/simulate.h"
#include "builder/support/soonest.h"

struct choice {
	const struct plan *plan;
	enum policy policy;
	struct soonest tasks; /* by task: the one with the least key is taken first */
	uint32_t *nodes;      /* by task: that it begins with */
	uint64_t *ways;       /* POLICY_LONGEST */
	uint32_t n;
	uint64_t n_pushed;
	struct choice_list {
		uint32_t newer, older, worker;
	} * lists;        /* POLICY_NEWEST, by task: its neighbours among those that its worker made ready, 0 none */
	uint32_t *newest; /* the same, by worker */
};

void choice_begin(struct choice *choice, const struct plan *plan, const struct how *how, uint32_t n_workers);
void choice_free(struct choice *choice);

/* The worker made the task ready, which begins with this node. */
void choice_push(struct choice *choice, uint32_t worker, uint32_t task, uint32_t node);
/* The node with which the task begins that the worker takes, of those from a number to before another one; 0: there is none. */
uint32_t choice_take(struct choice *choice, uint32_t worker, uint32_t from, uint32_t end);

#endif
