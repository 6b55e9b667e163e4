/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stretches of a node in a simulation, and the mutexes that they need.
 */
#include "builder/simulate/simulation.h"

/* The mutex that the present stretch needs, 0 none. */
static uint32_t mutex_of(const struct simulation *p, const struct worker *w)
{
	if (w->stretch == w->end)
		return 0;
	const struct workload_stretch *stretch = &p->workload->stretches[w->stretch];
	bool is_free = p->setup->has_free_mutex && stretch->construct == p->setup->free_mutex;
	return is_free ? 0 : stretch->mutex;
}

/* How long the present stretch takes: scaled if the node executes for `work` and not for as long as in the run. */
static uint64_t stretch_ticks(const struct simulation *p, const struct worker *w, uint64_t work)
{
	const struct workload_node *node = &p->workload->nodes[w->node];
	uint64_t start = 0;
	if (w->is_starting)
		start = p->setup->start_ticks != NULL ? p->setup->start_ticks[w->node] : node->start_ticks;
	if (w->stretch == w->end)
		return start + work;
	uint64_t ticks = p->workload->stretches[w->stretch].ticks, real = w->stretches_ticks;
	return start + (work == real || real == 0 ? ticks : (uint64_t)((double)ticks * (double)work / (double)real));
}

static void execute(struct simulation *p, uint32_t i)
{
	struct worker *w = &p->workers[i];
	uint32_t mutex = mutex_of(p, w);
	uint64_t begin = p->now, ticks = stretch_ticks(p, w, workload_work(p->workload, p->setup, w->node));
	if (mutex != 0) {
		/*
		 * Where a loop is divided among more threads, only those of the run are simulated, each with a smaller share. But all
		 * iterations hold the mutex, as long in total as before: the next thread gets it when a whole share would return it.
		 */
		uint64_t whole = stretch_ticks(p, w, workload_undivided(p->workload, p->setup, w->node));
		/* Where threads stand in line, this one returns it as the last of those that share its part. */
		if (p->free_ticks[mutex] > begin) {
			begin = p->free_ticks[mutex];
			ticks = whole > ticks ? whole : ticks;
		}
		p->free_ticks[mutex] = begin + (whole > ticks ? whole : ticks);
	}
	tournament_set(&p->tournament, i, begin + ticks);
	w->is_starting = false;
}

void simulation_begin_node(struct simulation *p, uint32_t i)
{
	struct worker *w = &p->workers[i];
	w->stretches_ticks = 0;
	for (uint32_t stretch = w->stretch; stretch < w->end; stretch++)
		w->stretches_ticks += p->workload->stretches[stretch].ticks;
	simulation_begin_stretch(p, i);
}

void simulation_begin_stretch(struct simulation *p, uint32_t i)
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
	tournament_set(&p->tournament, i, UINT64_MAX);
}

static void release(struct simulation *p, uint32_t mutex)
{
	uint32_t next = p->first_waiting[mutex];
	p->holder[mutex] = next;
	if (next == NOBODY)
		return;
	p->first_waiting[mutex] = p->workers[next].next_waiting;
	execute(p, next);
}

void simulation_end_stretch(struct simulation *p, uint32_t i)
{
	uint32_t mutex = mutex_of(p, &p->workers[i]);
	if (mutex != 0)
		release(p, mutex);
}
