/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorts the activities of devices into queues. A device may report the place of an activity (hwid), and may do several things
 * at once in one place; its buffers come in any order. A queue has activities that do not overlap, in the order of time:
 * each activity goes to the first lane of its place that is free. One thread.
 */
#include "builder/devices/gather.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <stdlib.h>

/* By device, place and time; activities without a time come last. */
static int by_place_and_time(const void *left, const void *right)
{
	const struct activity *l = left, *r = right;
	int order = cmp(l->begin_ticks == 0, r->begin_ticks == 0) ?: cmp(l->device, r->device) ?: cmp(l->hwid, r->hwid);
	order = order ?: cmp(l->begin_ticks, r->begin_ticks) ?: cmp(l->end_ticks, r->end_ticks) ?: cmp(l->id, r->id);
	return order ?: cmp(l->type, r->type) ?: cmp(l->begin_device, r->begin_device);
}

static int by_queue_and_time(const void *left, const void *right)
{
	const struct activity *l = left, *r = right;
	return cmp(l->queue, r->queue) ?: by_place_and_time(left, right);
}

/*
 * Puts the activity into a queue of its place (those from `first` on) that is free when it begins, or into a new one.
 * free_from has for each queue the time from which it is free.
 */
static void enqueue(struct model *m, struct activity *a, uint32_t first, uint64_t **free_from, size_t *capacity)
{
	uint32_t i = first;
	while (i < m->n_queues && (*free_from)[i] > a->begin_ticks)
		i++;
	if (i == m->n_queues) {
		size_t n = (size_t)m->n_queues + 1, same = *capacity;
		array_reserve(m->queues, n, same);
		array_reserve(*free_from, n, *capacity);
		m->queues[m->n_queues++] = (struct queue){.device = a->device, .lane = i - first, .hwid = a->hwid};
	}
	(*free_from)[i] = a->end_ticks;
	a->queue = i;
}

/* Gives every activity its queue; they are ordered by place and time. */
static void fill_queues(struct model *m)
{
	uint64_t *free_from = NULL;
	size_t capacity = 0;
	uint32_t first = 0;
	for (uint32_t i = 1; i < m->n_activities; i++) {
		struct activity *a = &m->activities[i], *before = a - 1;
		a->queue = QUEUE_NONE;
		if (a->begin_ticks == 0)
			continue;
		if (i == 1 || a->device != before->device || a->hwid != before->hwid)
			first = m->n_queues;
		enqueue(m, a, first, &free_from, &capacity);
	}
	free(free_from);
}

void device_queues_settle(struct model *m)
{
	if (m->n_activities < 2)
		return;
	sort_array(m->activities + 1, m->n_activities - 1, by_place_and_time);
	fill_queues(m);
	sort_array(m->activities + 1, m->n_activities - 1, by_queue_and_time);
	for (uint32_t i = 1; i < m->n_activities; i++) {
		uint32_t row = m->activities[i].queue;
		if (row == QUEUE_NONE)
			break;
		if (m->queues[row].n++ == 0)
			m->queues[row].first = i;
	}
}
