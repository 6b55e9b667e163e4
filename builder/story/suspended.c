/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See suspended.h.
 */
#include "builder/story/suspended.h"
#include "builder/support/array.h"

bool suspended_push(struct suspended_tasks *list, uint32_t task)
{
	uint32_t last = list->n > 0 ? list->tasks[list->n - 1] : SUSPENDED_GONE;
	uint32_t *index = last != SUSPENDED_GONE ? map_put(&list->below, last) : NULL;
	if ((last != SUSPENDED_GONE && index == NULL) ||
	    !array_reserve((void **)&list->tasks, list->n + 1, &list->capacity, sizeof *list->tasks))
		return false;
	if (index != NULL)
		*index = (uint32_t)(list->n - 1);
	list->tasks[list->n++] = task;
	return true;
}

/* The place of a task among those below, or NULL: of one that damaged records have there twice the last one. */
static uint32_t *find_below(const struct suspended_tasks *list, uint32_t task)
{
	const uint32_t *index = list->below.n_used > 0 ? map_get(&list->below, task) : NULL;
	return index != NULL && *index < list->n && list->tasks[*index] == task ? &list->tasks[*index] : NULL;
}

bool suspended_above(struct suspended_tasks *list, size_t bottom)
{
	while (list->n > bottom && list->tasks[list->n - 1] == SUSPENDED_GONE)
		list->n--;
	return list->n > bottom;
}

uint32_t suspended_pop(struct suspended_tasks *list)
{
	uint32_t task = list->tasks[list->n - 1];
	if (find_below(list, task) == &list->tasks[list->n - 1])
		map_remove(&list->below, task);
	list->n--;
	return task;
}

void suspended_remove(struct suspended_tasks *list, uint32_t task)
{
	if (list->n > 0 && list->tasks[list->n - 1] == task) {
		suspended_pop(list);
		return;
	}
	uint32_t *place = find_below(list, task);
	if (place == NULL)
		return;
	*place = SUSPENDED_GONE;
	map_remove(&list->below, task);
}

void suspended_free(struct suspended_tasks *list)
{
	free(list->tasks);
	map_free(&list->below);
	*list = (struct suspended_tasks){0};
}
