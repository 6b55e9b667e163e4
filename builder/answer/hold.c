/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stretches of a node in a simulation, and the mutexes that they need. Called by simulate.c.
 */
#include "builder/answer/play.h"

/* How long the present stretch takes; one of a node that executes for another time than in the run is stretched. */
static uint64_t stretch_ticks(const struct play *p, const struct worker *w)
{
	const struct plan_node *node = &p->plan->nodes[w->node];
	uint64_t work = plan_work(p->plan, p->how, w->node), start = 0;
	if (w->is_starting)
		start = p->how->start_ticks != NULL ? p->how->start_ticks[w->node] : node->start_ticks;
	if (w->stretch == w->end)
		return start + work;
	uint64_t ticks = p->plan->stretches[w->stretch].ticks, real = w->stretches_ticks;
	return start + (work == real || real == 0 ? ticks : (uint64_t)((double)ticks * (double)work / (double)real));
}

/* The mutex that the present stretch needs, 0 none. */
static uint32_t mutex_of(const struct play *p, const struct worker *w)
{
	if (w->stretch == w->end)
		return 0;
	const struct plan_stretch *stretch = &p->plan->stretches[w->stretch];
	bool is_free = p->how->has_free_mutex && stretch->construct == p->how->free_mutex;
	return is_free ? 0 : stretch->mutex;
}

static void execute(struct play *p, uint32_t i)
{
	soonest_set(&p->soonest, i, p->now + stretch_ticks(p, &p->workers[i]));
	p->workers[i].is_starting = false;
}

void play_begin_node(struct play *p, uint32_t i)
{
	struct worker *w = &p->workers[i];
	w->stretches_ticks = 0;
	for (uint32_t stretch = w->stretch; stretch < w->end; stretch++)
		w->stretches_ticks += p->plan->stretches[stretch].ticks;
	play_begin_stretch(p, i);
}

void play_begin_stretch(struct play *p, uint32_t i)
{
	struct worker *w = &p->workers[i];
	uint32_t mutex = mutex_of(p, w);
	if (mutex == 0 || p->holder[mutex] == NOBODY) {
		p->holder[mutex] = i;
		execute(p, i);
		return;
	}
	w->next_waiting = NOBODY;
	if (p->first_waiting[mutex] == NOBODY)
		p->first_waiting[mutex] = i;
	else
		p->workers[p->last_waiting[mutex]].next_waiting = i;
	p->last_waiting[mutex] = i;
	soonest_set(&p->soonest, i, UINT64_MAX);
}

static void release(struct play *p, uint32_t mutex)
{
	uint32_t next = p->first_waiting[mutex];
	p->holder[mutex] = next;
	if (next == NOBODY)
		return;
	p->first_waiting[mutex] = p->workers[next].next_waiting;
	execute(p, next);
}

void play_end_stretch(struct play *p, uint32_t i)
{
	uint32_t mutex = mutex_of(p, &p->workers[i]);
	if (mutex != 0)
		release(p, mutex);
}
