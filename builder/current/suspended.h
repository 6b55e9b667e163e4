/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tasks that are suspended on one thread, the latest last. Tied tasks resume in the order of a stack, untied ones in any
 * order. Removing a task takes about the same time at any place in the list. One thread at a time uses a list.
 *
 * An entry is firm until a task below it resumes; from then on it is loose. A loose task resumes out of order, or may do
 * so. When it resumes, it does not make the tasks above it loose.
 */
#ifndef OTTER_BUILDER_CURRENT_SUSPENDED_H
#define OTTER_BUILDER_CURRENT_SUSPENDED_H

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
	size_t *firm; /* indices of the firm entries, increasing; some may be of tasks that are gone */
	size_t n_firm, firm_capacity;
	struct map deep; /* task -> index, for entries too far from the end to be searched one by one */
	size_t n_sunk;   /* index: the entries below this one are in the map, or gone */
};

#define SUSPENDED_GONE UINT32_MAX

/* The number of entries from the end that are searched one by one. Those below are put into the map when a search gets there. */
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
 * The task at an index resumes, and is removed. If it was firm, the entries above it become loose: `pass` is called for
 * each of them that was firm. Returns whether the task itself was firm.
 */
bool suspended_take(struct suspended_tasks *list, size_t index, void (*pass)(void *self, uint32_t task), void *self);

/* Makes all entries at index `bottom` and above loose; `pass` as in suspended_take(). */
void suspended_pass(struct suspended_tasks *list, size_t bottom, void (*pass)(void *self, uint32_t task), void *self);

/*
 * A fast path for the most frequent case of suspended_take(): if the last entry is this task, firm and not in the map,
 * removes it and returns true. No entry is above it, so none becomes loose.
 */
static inline bool suspended_take_last(struct suspended_tasks *list, uint32_t task)
{
	const struct suspended_task *last = list->n > 0 ? &list->tasks[list->n - 1] : NULL;
	if (last == NULL || last->task != task || last->is_loose || last->is_in_map)
		return false;
	list->n--;
	list->n_firm--; /* if the last entry is firm, it is the last one in `firm` */
	return true;
}

/* Remove a task that will not resume: that of the entry at an index; and a task that need not be in the list. */
void suspended_remove_at(struct suspended_tasks *list, size_t index);
void suspended_remove(struct suspended_tasks *list, uint32_t task);

void suspended_free(struct suspended_tasks *list);

#endif
