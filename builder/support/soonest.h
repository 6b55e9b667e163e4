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
	struct soonest_item {
		uint64_t ticks;
		uint32_t number;
	} * tree;        /* of two that meet at 2 i and 2 i + 1 the one that comes first is at i; things are from n_leaves on */
	size_t n_leaves; /* a power of two */
};

/* No branch: nothing foretells which of the two it is. */
static inline void soonest_meet(struct soonest *s, size_t i)
{
	s->tree[i] = s->tree[2 * i + (s->tree[2 * i + 1].ticks < s->tree[2 * i].ticks)];
}

/* n things, none of which ever comes: their times are UINT64_MAX. To be freed. */
static inline void soonest_begin(struct soonest *s, size_t n, const char *what)
{
	for (s->n_leaves = 1; s->n_leaves < n;)
		s->n_leaves *= 2;
	s->tree = memory_get(2 * s->n_leaves, sizeof *s->tree, what);
	for (size_t i = 0; i < s->n_leaves; i++)
		s->tree[s->n_leaves + i] = (struct soonest_item){UINT64_MAX, (uint32_t)i};
	for (size_t i = s->n_leaves - 1; i > 0; i--)
		soonest_meet(s, i);
}

static inline void soonest_free(struct soonest *s)
{
	free(s->tree);
	*s = (struct soonest){0};
}

/*
 * The thing comes at this time. What comes first so far is kept in registers: an item that was written in two parts would be
 * read late as a whole.
 */
static inline void soonest_set(struct soonest *s, uint32_t number, uint64_t ticks)
{
	size_t i = s->n_leaves + number;
	s->tree[i].ticks = ticks;
	for (; i > 1; i /= 2) {
		const struct soonest_item *other = &s->tree[i ^ 1];
		uint64_t other_ticks = other->ticks;
		uint32_t other_number = other->number;
		bool is_other = (other_ticks < ticks) | ((i & 1) & (other_ticks == ticks));
		ticks = is_other ? other_ticks : ticks;
		number = is_other ? other_number : number;
		s->tree[i / 2].ticks = ticks;
		s->tree[i / 2].number = number;
	}
}

static inline struct soonest_item soonest_first(const struct soonest *s)
{
	return s->tree[1];
}

/* Of the things from this number to before `end` the one that comes first; at UINT64_MAX: none of them does. */
static inline struct soonest_item soonest_first_in(const struct soonest *s, size_t from, size_t end)
{
	struct soonest_item first = {UINT64_MAX, 0}, last = first; /* of what lies on the left, and on the right */
	for (from += s->n_leaves, end += s->n_leaves; from < end; from /= 2, end /= 2) {
		if (from % 2 == 1) {
			first = s->tree[from].ticks < first.ticks ? s->tree[from] : first;
			from++;
		}
		if (end % 2 == 1) {
			end--;
			last = s->tree[end].ticks <= last.ticks ? s->tree[end] : last;
		}
	}
	return last.ticks < first.ticks ? last : first;
}

#endif
