/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Units of Argobots that do not run: those that could, as they are created, and that an execution stream with nothing to do
 * cannot, or does not, take from their pools; and those that wait for a mutex. Used by account.c, on one thread.
 */
#include "builder/answer/backlog.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "what limits the run"

/* Stretches of time that may overlap, each of a construct. */
struct stretches_of {
	struct stretch_of {
		uint64_t begin_ticks, end_ticks;
		uint32_t construct;
	} * rows;         /* in the order of their ends */
	uint64_t *begins; /* in order */
	size_t n, capacity, n_begun, n_over;
};

struct backlog {
	struct stretches_of of[BACKLOGS];
};

static int by_end(const void *left, const void *right)
{
	const struct stretch_of *l = left, *r = right;
	if (l->end_ticks != r->end_ticks)
		return l->end_ticks < r->end_ticks ? -1 : 1;
	if (l->begin_ticks != r->begin_ticks)
		return l->begin_ticks < r->begin_ticks ? -1 : 1;
	return l->construct < r->construct ? -1 : l->construct > r->construct;
}

static int by_time(const void *left, const void *right)
{
	const uint64_t *l = left, *r = right;
	return *l < *r ? -1 : *l > *r;
}

static void add(struct stretches_of *to, uint64_t begin_ticks, uint64_t end_ticks, uint32_t construct)
{
	if (end_ticks <= begin_ticks)
		return;
	array_reserve((void **)&to->rows, to->n + 1, &to->capacity, sizeof *to->rows);
	to->rows[to->n++] = (struct stretch_of){begin_ticks, end_ticks, construct};
}

static void put_in_order(struct stretches_of *all)
{
	all->begins = memory_get(all->n + 1, sizeof *all->begins, WHAT);
	for (size_t i = 0; i < all->n; i++)
		all->begins[i] = all->rows[i].begin_ticks;
	if (all->n == 0)
		return;
	qsort(all->rows, all->n, sizeof *all->rows, by_end);
	qsort(all->begins, all->n, sizeof *all->begins, by_time);
}

struct backlog *backlog_make(const struct net *net)
{
	const struct model *m = net->graph->model;
	struct backlog *backlog = memory_zeroed(1, sizeof *backlog, WHAT);
	for (uint32_t row = 1; row < m->n_units; row++) {
		const struct work_unit *unit = &m->units[row];
		bool is_created = unit->state & UNIT_CREATED && (unit->kind == UNIT_ULT || unit->kind == UNIT_TASKLET);
		if (is_created && unit->state & UNIT_STARTED)
			add(&backlog->of[BACKLOG_QUEUED], unit->create_ticks, unit->start_ticks, net->same[unit->construct]);
	}
	for (uint32_t id = m->n_tasks; id < net->n; id++)
		if (net_waits_for_mutex(net, id))
			add(&backlog->of[BACKLOG_EXCLUDED], net_begin(net, id), net_end(net, id), net_construct(net, id));
	for (unsigned i = BACKLOG_NONE + 1; i < BACKLOGS; i++)
		put_in_order(&backlog->of[i]);
	return backlog;
}

void backlog_free(struct backlog *backlog)
{
	for (unsigned i = 0; backlog != NULL && i < BACKLOGS; i++) {
		free(backlog->of[i].rows);
		free(backlog->of[i].begins);
	}
	free(backlog);
}

uint64_t backlog_next_ticks(const struct backlog *backlog)
{
	uint64_t next = UINT64_MAX;
	for (unsigned i = BACKLOG_NONE + 1; i < BACKLOGS; i++) {
		const struct stretches_of *of = &backlog->of[i];
		uint64_t begin = of->n_begun < of->n ? of->begins[of->n_begun] : UINT64_MAX;
		uint64_t end = of->n_over < of->n ? of->rows[of->n_over].end_ticks : UINT64_MAX;
		next = begin < next ? begin : next;
		next = end < next ? end : next;
	}
	return next;
}

void backlog_pass(struct backlog *backlog, uint64_t ticks)
{
	for (unsigned i = BACKLOG_NONE + 1; i < BACKLOGS; i++) {
		struct stretches_of *of = &backlog->of[i];
		while (of->n_begun < of->n && of->begins[of->n_begun] <= ticks)
			of->n_begun++;
		while (of->n_over < of->n && of->rows[of->n_over].end_ticks <= ticks)
			of->n_over++;
	}
}

enum backlog_sort backlog_now(const struct backlog *backlog, uint32_t *construct)
{
	for (unsigned i = BACKLOGS; backlog != NULL && --i > BACKLOG_NONE;)
		if (backlog->of[i].n_begun > backlog->of[i].n_over) {
			*construct = backlog->of[i].rows[backlog->of[i].n_over].construct;
			return (enum backlog_sort)i;
		}
	return BACKLOG_NONE;
}
