/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of a thread's suspended tasks: see suspended.h.
 */
#include "builder/current/suspended.h"
#include "builder/support/array.h"

void suspended_push_any(struct suspended_tasks *list, uint32_t task)
{
	array_push(list->firm, list->n_firm, list->firm_capacity, list->n);
	array_push(list->tasks, list->n, list->capacity, (struct suspended_task){.task = task});
}

/* Puts the entries below `low` that are not in the map into it. */
static void sink(struct suspended_tasks *list, size_t low)
{
	for (; list->n_sunk < low; list->n_sunk++) {
		struct suspended_task *entry = &list->tasks[list->n_sunk];
		if (entry->is_in_map || entry->task == SUSPENDED_GONE)
			continue;
		*map_put(&list->deep, entry->task) = (uint32_t)list->n_sunk;
		entry->is_in_map = true;
	}
}

size_t suspended_find(struct suspended_tasks *list, uint32_t task)
{
	size_t low = list->n > SUSPENDED_SEARCHED ? list->n - SUSPENDED_SEARCHED : 0;
	for (size_t i = list->n; i > low; i--)
		if (list->tasks[i - 1].task == task)
			return i - 1;
	sink(list, low);
	const uint32_t *index = low > 0 ? map_get(&list->deep, task) : NULL;
	return index != NULL && *index < list->n && list->tasks[*index].task == task ? *index : SIZE_MAX;
}

/* Removes the last entry from the list; its task is gone already. */
static void shorten(struct suspended_tasks *list)
{
	list->n--;
	if (list->n_sunk > list->n)
		list->n_sunk = list->n;
	while (list->n_firm > 0 && list->firm[list->n_firm - 1] >= list->n)
		list->n_firm--;
}

void suspended_remove_at(struct suspended_tasks *list, size_t index)
{
	struct suspended_task *entry = &list->tasks[index];
	if (entry->is_in_map)
		map_remove(&list->deep, entry->task);
	*entry = (struct suspended_task){.task = SUSPENDED_GONE, .is_loose = true};
	if (index + 1 == list->n)
		shorten(list);
}

bool suspended_above(struct suspended_tasks *list, size_t bottom)
{
	while (list->n > bottom && list->tasks[list->n - 1].task == SUSPENDED_GONE)
		shorten(list);
	return list->n > bottom;
}

uint32_t suspended_pop(struct suspended_tasks *list)
{
	uint32_t task = list->tasks[list->n - 1].task;
	suspended_remove_at(list, list->n - 1);
	return task;
}

void suspended_pass(struct suspended_tasks *list, size_t bottom, void (*pass)(void *self, uint32_t task), void *self)
{
	while (list->n_firm > 0 && list->firm[list->n_firm - 1] >= bottom) {
		struct suspended_task *entry = &list->tasks[list->firm[--list->n_firm]];
		if (entry->is_loose)
			continue;
		entry->is_loose = true;
		pass(self, entry->task);
	}
}

bool suspended_take(struct suspended_tasks *list, size_t index, void (*pass)(void *self, uint32_t task), void *self)
{
	bool is_firm = !list->tasks[index].is_loose;
	if (is_firm)
		suspended_pass(list, index + 1, pass, self);
	suspended_remove_at(list, index);
	return is_firm;
}

void suspended_remove(struct suspended_tasks *list, uint32_t task)
{
	size_t index = suspended_find(list, task);
	if (index != SIZE_MAX)
		suspended_remove_at(list, index);
}

void suspended_free(struct suspended_tasks *list)
{
	free(list->tasks);
	free(list->firm);
	map_free(&list->deep);
	*list = (struct suspended_tasks){0};
}
