/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When the threads of a team reached its barriers. gather/ notes each arrival in a list of its stream, several streams
 * at the same time, and then merges the lists, on one thread; builder/states/ queries when the last thread arrived.
 */
#ifndef OTTER_BUILDER_MODEL_ARRIVALS_H
#define OTTER_BUILDER_MODEL_ARRIVALS_H

#include "builder/support/array.h"

#include <stdbool.h>
#include <stdint.h>

/* The only barrier of initial tasks that is noted: the one that closes their league. */
#define ARRIVAL_OF_LEAGUE UINT32_MAX

/* The arrivals of one stream. */
struct arrival_list {
	struct arrival {
		uint32_t region;
		uint32_t number; /* of the barrier, counted in each member, from 1 */
		uint64_t ticks;
	} * items;
	size_t n, capacity;
};

/* Arrays by barrier: those of region r are first[r] to first[r + 1] - 1. */
struct arrivals {
	size_t *first;
	uint64_t *last_ticks;
	uint32_t *n_members; /* number of members that have arrived */
};

/* A member of the region's team reaches its barrier with this number. */
static inline void arrivals_note(struct arrival_list *list, uint32_t region, uint32_t number, uint64_t ticks)
{
	array_push(list->items, list->n, list->capacity, (struct arrival){region, number == ARRIVAL_OF_LEAGUE ? 1 : number, ticks});
}

/* Merges the lists of all streams, and frees them. */
static inline void arrivals_join(struct arrivals *a, struct arrival_list *lists, size_t n_lists, uint32_t n_regions)
{
	a->first = memory_zeroed((size_t)n_regions + 1, sizeof *a->first, "the barriers");
	for (size_t i = 0; i < n_lists; i++)
		for (size_t j = 0; j < lists[i].n; j++) {
			const struct arrival *item = &lists[i].items[j];
			size_t *most = &a->first[item->region + 1];
			*most = item->number > *most ? item->number : *most;
		}
	for (uint32_t r = 0; r < n_regions; r++)
		a->first[r + 1] += a->first[r];
	a->last_ticks = memory_zeroed(a->first[n_regions], sizeof *a->last_ticks, "the barriers");
	a->n_members = memory_zeroed(a->first[n_regions], sizeof *a->n_members, "the barriers");
	for (size_t i = 0; i < n_lists; i++) {
		for (size_t j = 0; j < lists[i].n; j++) {
			const struct arrival *item = &lists[i].items[j];
			size_t barrier = a->first[item->region] + item->number - 1;
			a->n_members[barrier]++;
			if (item->ticks > a->last_ticks[barrier])
				a->last_ticks[barrier] = item->ticks;
		}
		free(lists[i].items);
		lists[i] = (struct arrival_list){0};
	}
}

/* When the last of n_members arrived; UINT64_MAX: not all are known to have arrived. */
static inline uint64_t arrivals_last(const struct arrivals *a, uint32_t region, uint32_t number, uint32_t n_members)
{
	size_t barrier = a->first[region] + (number == ARRIVAL_OF_LEAGUE ? 1 : number) - 1;
	bool is_known = number != 0 && barrier < a->first[region + 1] && a->n_members[barrier] >= n_members;
	return is_known ? a->last_ticks[barrier] : UINT64_MAX;
}

static inline void arrivals_free(struct arrivals *a)
{
	free(a->first);
	free(a->last_ticks);
	free(a->n_members);
	*a = (struct arrivals){0};
}

#endif
