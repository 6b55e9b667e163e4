/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a thread comes back to: a stack of tasks, each with the state that it was in. Used by states.c.
 */
#ifndef OTTER_BUILDER_STATES_STACK_H
#define OTTER_BUILDER_STATES_STACK_H

#include "builder/support/array.h"
#include "builder/states/states.h"

/* A task that was suspended for another one; or, for regions, the task that goes on after the region. */
struct kept {
	uint32_t task;
	enum state state;
	struct awaited_group *group; /* the innermost taskgroup that the task has open, NULL none */
};

struct stack {
	struct kept *kept; /* the latest last */
	size_t n, capacity;
};

/* Room for one more. */
static inline struct kept *keep(struct stack *stack)
{
	if (stack->n == stack->capacity)
		array_reserve((void **)&stack->kept, stack->n + 1, &stack->capacity, sizeof *stack->kept);
	return &stack->kept[stack->n++];
}

/* Takes the latest one off the stack; task 0 where the stack is empty. */
static inline struct kept take(struct stack *stack)
{
	return stack->n > 0 ? stack->kept[--stack->n] : (struct kept){0, STATE_UNDEFINED, NULL};
}

/* Takes a task out of the stack, from wherever it is; false: it is not there. Usually it is the latest one. */
static inline bool take_task(struct stack *stack, uint32_t task, struct kept *taken)
{
	for (size_t i = stack->n; i > 0; i--) {
		if (stack->kept[i - 1].task != task)
			continue;
		*taken = stack->kept[i - 1];
		for (size_t j = i; j < stack->n; j++)
			stack->kept[j - 1] = stack->kept[j];
		stack->n--;
		return true;
	}
	return false;
}

#endif
