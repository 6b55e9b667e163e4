/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds which of several items comes first, by the time of each: a tournament (winner) tree. A change takes as many steps
 * as the number of items has bits. Among items at the same time, the one with the lowest number is first. One thread.
 */
#ifndef OTTER_BUILDER_SUPPORT_TOURNAMENT_H
#define OTTER_BUILDER_SUPPORT_TOURNAMENT_H

#include "builder/support/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct tournament {
	/* The first of the two at 2 i and 2 i + 1 is at i too; the items are from n_leaves on, and none is at 0. */
	uint64_t *ticks;
	uint32_t *numbers;
	size_t n_leaves; /* a power of two */
};

struct tournament_item {
	uint64_t ticks;
	uint32_t number;
};

/* n items, all absent so far: their times are UINT64_MAX. To be freed. */
static inline void tournament_begin(struct tournament *s, size_t n, const char *what)
{
	for (s->n_leaves = 1; s->n_leaves < n;)
		s->n_leaves *= 2;
	s->ticks = memory_get(2 * s->n_leaves, sizeof *s->ticks, what);
	s->numbers = memory_get(2 * s->n_leaves, sizeof *s->numbers, what);
	for (size_t i = 0; i < 2 * s->n_leaves; i++)
		s->ticks[i] = UINT64_MAX;
	for (size_t i = 0; i < s->n_leaves; i++)
		s->numbers[s->n_leaves + i] = (uint32_t)i;
	for (size_t i = s->n_leaves; i-- > 0;)
		s->numbers[i] = s->numbers[2 * i];
}

static inline void tournament_free(struct tournament *s)
{
	free(s->ticks);
	free(s->numbers);
	*s = (struct tournament){0};
}

static inline struct tournament_item tournament_at(const struct tournament *s, size_t i)
{
	return (struct tournament_item){s->ticks[i], s->numbers[i]};
}

/* Sets an item's time. Comparisons are without branches, as their outcome cannot be predicted. */
static inline void tournament_set(struct tournament *s, uint32_t number, uint64_t ticks)
{
	uint64_t *all_ticks = s->ticks;
	uint32_t *numbers = s->numbers;
	size_t i = s->n_leaves + number;
	if (all_ticks[i] == ticks)
		return;
	all_ticks[i] = ticks;
	while (i > 1) {
		uint64_t other_ticks = all_ticks[i ^ 1];
		uint32_t other_number = numbers[i ^ 1];
		bool is_other = (other_ticks < ticks) | ((other_ticks == ticks) & i);
		ticks = is_other ? other_ticks : ticks;
		number = is_other ? other_number : number;
		i /= 2;
		all_ticks[i] = ticks;
		numbers[i] = number;
	}
}

static inline struct tournament_item tournament_first(const struct tournament *s)
{
	return tournament_at(s, 1);
}

/* The first of the items with numbers from this one to before `end`; at UINT64_MAX: all of them are absent. */
static inline struct tournament_item tournament_first_in(const struct tournament *s, size_t from, size_t end)
{
	size_t first = 0, last = 0; /* of what lies on the left, and on the right */
	for (from += s->n_leaves, end += s->n_leaves; from < end; from /= 2, end /= 2) {
		if (from % 2 == 1) {
			first = s->ticks[from] < s->ticks[first] ? from : first;
			from++;
		}
		if (end % 2 == 1) {
			end--;
			last = s->ticks[end] <= s->ticks[last] ? end : last;
		}
	}
	return tournament_at(s, s->ticks[last] < s->ticks[first] ? last : first);
}

#endif
