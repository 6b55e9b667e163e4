/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the flows between slices once the graph is there: see slices.h. On one thread.
 */
#include "builder/slices/slices.h"
#include "builder/support/memory.h"
#include "builder/support/lower_bound.h"
#include "builder/support/sort.h"

#include <stdlib.h>

#define WHAT "flows"

/* ---- Creation ---- */

/* A slice that encounters a region starts the implicit tasks of the other threads. */
static void link_members(struct slices *slices)
{
	const struct model *m = slices->m;
	slices->first_member = memory_zeroed(m->n_regions + (size_t)1, sizeof *slices->first_member, WHAT);
	slices->members = memory_get(m->n_implicit + 1, sizeof *slices->members, WHAT);
	for (size_t i = 0; i < m->n_implicit; i++)
		slices->first_member[m->tasks[m->implicit[i]].region + 1]++;
	for (uint32_t region = 0; region < m->n_regions; region++)
		slices->first_member[region + 1] += slices->first_member[region];
	for (size_t i = m->n_implicit; i-- > 0;) {
		uint32_t row = m->implicit[i], region = m->tasks[row].region;
		slices->members[--slices->first_member[region + 1]] = row;
		if (slices->forks[region] && m->tasks[row].thread != 0)
			slices->flags[row] |= SLICE_HAS_CREATOR;
	}
	/* Now first_member[region + 1] is where the region's begin, and those of region 0 end where those of region 1 begin. */
	for (uint32_t region = 0; region < m->n_regions; region++)
		slices->first_member[region] = slices->first_member[region + 1];
	slices->first_member[m->n_regions] = (uint32_t)m->n_implicit;
}

/* ---- Dependences ---- */

/* The edges that leave each task, or arrive at it. */
static void link_side(const struct slices *slices, struct slice_links *links, bool leave)
{
	const struct graph *graph = slices->graph;
	uint32_t n_tasks = slices->m->n_tasks;
	links->first = memory_zeroed(n_tasks + (size_t)2, sizeof *links->first, WHAT);
	for (size_t i = 0; i < graph->n_edges; i++)
		if (slices_has_edge(slices, (uint32_t)i))
			links->first[(leave ? graph->edges[i].source : graph->edges[i].target) + 2]++;
	for (uint32_t task = 0; task < n_tasks; task++)
		links->first[task + 2] += links->first[task + 1];
	links->edges = memory_get(links->first[n_tasks + 1] + (size_t)1, sizeof *links->edges, WHAT);
	for (size_t i = 0; i < graph->n_edges; i++)
		if (slices_has_edge(slices, (uint32_t)i))
			links->edges[links->first[(leave ? graph->edges[i].source : graph->edges[i].target) + 1]++] = (uint32_t)i;
}

/* ---- Waits ---- */

/* All waits after which slices begin, by task, and in the order of time. */
struct wakes {
	uint64_t *first; /* by task: its first one; one more ends the last */
	struct slice_wait **waits;
};

static int by_end(const void *left, const void *right)
{
	const struct slice_wait *l = *(struct slice_wait *const *)left, *r = *(struct slice_wait *const *)right;
	return cmp(l->node_ticks, r->node_ticks);
}

static void sort_waits(struct slices *slices, struct wakes *wakes)
{
	uint32_t n_tasks = slices->m->n_tasks;
	size_t n_streams = slices->trace->dump.n_streams;
	wakes->first = memory_zeroed(n_tasks + (size_t)2, sizeof *wakes->first, WHAT);
	for (size_t i = 0; i < n_streams; i++)
		for (size_t j = 0; j < slices->streams[i].n_waits; j++)
			wakes->first[slices->streams[i].waits[j].task + 2]++;
	for (uint32_t task = 0; task < n_tasks; task++)
		wakes->first[task + 2] += wakes->first[task + 1];
	wakes->waits = memory_get(wakes->first[n_tasks + 1] + 1, sizeof(struct slice_wait *), WHAT);
	for (size_t i = 0; i < n_streams; i++)
		for (size_t j = 0; j < slices->streams[i].n_waits; j++) {
			struct slice_wait *wait = &slices->streams[i].waits[j];
			wakes->waits[wakes->first[wait->task + 1]++] = wait;
		}
	for (uint32_t task = 1; task < n_tasks; task++) {
		uint64_t first = wakes->first[task], n = wakes->first[task + 1] - first;
		if (n > 1 && slices->m->tasks[task].state & TASK_MIGRATED) /* those of other tasks are in order */
			sort_array(&wakes->waits[first], n, by_end);
	}
}

static struct slice_wait *find_wait(const struct wakes *wakes, uint32_t task, uint64_t node_ticks)
{
	size_t low = lower_bound(i, wakes->first[task], wakes->first[task + 1], wakes->waits[i]->node_ticks < node_ticks);
	return low < wakes->first[task + 1] && wakes->waits[low]->node_ticks == node_ticks ? wakes->waits[low] : NULL;
}

/* Makes this task the waker of the wait for it, if it is the last one that ended during that wait. */
static void wake(struct slices *slices, const struct wakes *wakes, uint32_t task)
{
	const struct model *m = slices->m;
	struct edge_view edge;
	if (!(m->tasks[task].state & TASK_COMPLETED) || slices->n_slices[task] == 0 ||
	    !graph_edge_at(slices->graph, 2 * (size_t)task + 1, &edge))
		return;
	if (edge.kind != EDGE_TASKWAIT && edge.kind != EDGE_TASKGROUP)
		return;
	struct node_view node = graph_node(slices->graph, edge.target);
	struct slice_wait *wait = node.task < m->n_tasks ? find_wait(wakes, node.task, node.end_ticks) : NULL;
	uint64_t end_ticks = m->tasks[task].end_ticks;
	if (wait == NULL || end_ticks < wait->begin_ticks || end_ticks > wait->end_ticks)
		return;
	if (wait->waker == 0 || end_ticks > m->tasks[wait->waker].end_ticks)
		wait->waker = task;
}

static void link_waits(struct slices *slices)
{
	struct wakes wakes;
	sort_waits(slices, &wakes);
	for (uint32_t task = 1; task < slices->m->n_tasks; task++)
		wake(slices, &wakes, task);
	for (uint64_t i = 0; i < wakes.first[slices->m->n_tasks]; i++)
		slices->flags[wakes.waits[i]->waker] |= SLICE_IS_WAKER;
	free(wakes.first);
	free(wakes.waits);
}

void slices_link(struct slices *slices, const struct graph *graph)
{
	bool has_dependences = false, has_waits = false;
	slices->graph = graph;
	if (ready_delays_are_known(slices->m))
		slices->delays = ready_delays_find(slices->m);
	for (size_t i = 0; i < graph->n_edges && !has_dependences; i++)
		has_dependences = graph->edges[i].kind == EDGE_DEPEND;
	for (size_t i = 0; i < slices->trace->dump.n_streams; i++)
		has_waits |= slices->streams[i].n_waits != 0;
	link_members(slices);
	slices_link_barriers(slices);
	slices_nest_waits(slices);
	slices_sort_processors(slices);
	if (slices->m->tasking != NULL)
		slices->m->tasking->slices->link(slices);
	if (has_waits)
		link_waits(slices);
	if (has_dependences) {
		link_side(slices, &slices->leaving, true);
		link_side(slices, &slices->arriving, false);
	}
}
