/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a thread comes back to: tasks that wait, each with its state.
 */
#ifndef OTTER_BUILDER_STATES_STACK_H
#define OTTER_BUILDER_STATES_STACK_H

#include "builder/support/array.h"
#include "builder/states/states.h"

/* A task that another one has taken the thread from, or (regions) what goes on when the region is over. */
struct kept {
	uint32_t task;
	enum state state;
};

struct stack {
	struct kept *kept; /* the latest last */
	size_t n, capacity;
};

/* 0, or -1 with the error said. */
static inline int keep(struct stack *stack, uint32_t task, enum state state)
{
	if (!array_reserve((void **)&stack->kept, stack->n + 1, &stack->capacity, sizeof *stack->kept))
		return error("out of memory for the thread states");
	stack->kept[stack->n++] = (struct kept){task, state};
	return 0;
}

/* The latest one; of an empty stack none. */
static inline struct kept take(struct stack *stack)
{
	return stack->n > 0 ? stack->kept[--stack->n] : (struct kept){0, STATE_UNDEFINED};
}

/* Takes a suspended task out of the list; false: it is not there. Most often it is the last one. */
static inline bool take_task(struct stack *stack, uint32_t task, enum state *state)
{
	for (size_t i = stack->n; i > 0; i--) {
		if (stack->kept[i - 1].task != task)
			continue;
		*state = stack->kept[i - 1].state;
		for (size_t j = i; j < stack->n; j++)
			stack->kept[j - 1] = stack->kept[j];
		stack->n--;
		return true;
	}
	return false;
}

#endif
