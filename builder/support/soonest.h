/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of several things comes first, by the time of each. A tree of two that meet: a change takes as many steps as the
 * number of things has bits. Of things at the same time, the one with the lowest number comes first. One thread.
 */
#ifndef OTTER_BUILDER_SUPPORT_SOONEST_H
#define OTTER_BUILDER_SUPPORT_SOONEST_H

#include "builder/support/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct soonest {
	/* Of two that meet at 2 i and 2 i + 1 the one that comes first is at i; things are from n_leaves on, and none is at 0. */
	uint64_t *ticks;
	uint32_t *numbers;
	size_t n_leaves; /* a power of two */
};

struct soonest_item {
	uint64_t ticks;
	uint32_t number;
};

/* n things, none of which ever comes: their times are UINT64_MAX. To be freed. */
static inline void soonest_begin(struct soonest *s, size_t n, const char *what)
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

static inline void soonest_free(struct soonest *s)
{
	free(s->ticks);
	free(s->numbers);
	*s = (struct soonest){0};
}

static inline struct soonest_item soonest_at(const struct soonest *s, size_t i)
{
	return (struct soonest_item){s->ticks[i], s->numbers[i]};
}

/* The thing comes at this time. No branch where two meet: nothing foretells which of them it is. */
static inline void soonest_set(struct soonest *s, uint32_t number, uint64_t ticks)
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

static inline struct soonest_item soonest_first(const struct soonest *s)
{
	return soonest_at(s, 1);
}

/* Of the things from this number to before `end` the one that comes first; at UINT64_MAX: none of them does. */
static inline struct soonest_item soonest_first_in(const struct soonest *s, size_t from, size_t end)
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
	return soonest_at(s, s->ticks[last] < s->ticks[first] ? last : first);
}

#endif
