/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tasks that are suspended on one thread, the latest last. Tied tasks go on in the order of a stack, untied ones in
 * any order. Removing a task takes about the same time at any place in the list. Used by story/thread*.c and
 * replay/; one thread at a time uses a list.
 *
 * An entry is firm until a task below it goes on; from then on it is loose. A loose task goes on out of order, or may
 * do so. When it goes on, it does not make the tasks above it loose.
 */
#ifndef OTTER_BUILDER_STORY_SUSPENDED_H
#define OTTER_BUILDER_STORY_SUSPENDED_H

#include "builder/support/map.h"

#include <stdbool.h>

struct suspended_task {
	uint32_t task; /* SUSPENDED_GONE: it was removed */
	bool is_loose;
	bool is_in_map;
};

struct suspended_tasks {
	struct suspended_task *tasks;
	size_t n, capacity;
	size_t *firm; /* indices of the firm ones, increasing; some may be of tasks that are gone */
	size_t n_firm, firm_capacity;
	struct map deep; /* task -> index, for entries that were further from the end than is searched one by one */
	size_t n_sunk;   /* the entries below this one are in the map, or gone */
};

#define SUSPENDED_GONE UINT32_MAX

/* The number of entries from the end that are searched one by one. Those below come into the map when a search gets there. */
#define SUSPENDED_SEARCHED 32

/* Adds a task as the latest one. */
void suspended_push_any(struct suspended_tasks *list, uint32_t task);
static inline void suspended_push(struct suspended_tasks *list, uint32_t task)
{
	if (list->n >= list->capacity || list->n_firm >= list->firm_capacity) {
		suspended_push_any(list, task);
		return;
	}
	list->firm[list->n_firm++] = list->n;
	list->tasks[list->n++] = (struct suspended_task){.task = task};
}

/* Is there a task at index `bottom` or above? Then the last entry is such a task. */
bool suspended_above(struct suspended_tasks *list, size_t bottom);

/* Removes the last task, which must be there (suspended_above), and returns it. */
uint32_t suspended_pop(struct suspended_tasks *list);

/* The index of the latest entry of a task, or SIZE_MAX. */
size_t suspended_find(struct suspended_tasks *list, uint32_t task);

/*
 * The task at an index goes on, and is removed. If it was firm, the entries above it become loose: `pass` is called for
 * each of them that was firm. Returns whether the task itself was firm.
 */
bool suspended_take(struct suspended_tasks *list, size_t index, void (*pass)(void *self, uint32_t task), void *self);

/* Makes all entries at index `bottom` and above loose; `pass` as in suspended_take(). */
void suspended_pass(struct suspended_tasks *list, size_t bottom, void (*pass)(void *self, uint32_t task), void *self);

/*
 * A short way for the most frequent case of suspended_take(): if the last entry is this task, firm and not in the map,
 * removes it and returns true. Nothing lies above it, so there is nothing to make loose.
 */
static inline bool suspended_take_last(struct suspended_tasks *list, uint32_t task)
{
	const struct suspended_task *last = list->n > 0 ? &list->tasks[list->n - 1] : NULL;
	if (last == NULL || last->task != task || last->is_loose || last->is_in_map)
		return false;
	list->n--;
	list->n_firm--; /* a firm last entry is the last of the firm ones */
	return true;
}

/* Removes a task that will not go on: that of the entry at an index; and one that need not be there. */
void suspended_remove_at(struct suspended_tasks *list, size_t index);
void suspended_remove(struct suspended_tasks *list, uint32_t task);

void suspended_free(struct suspended_tasks *list);

#endif
