/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the flows between slices once the graph is there; and takes those away whose ends are in different files. Whether a
 * flow exists follows from tables that do not change any more while slices are read: so it has both of its ends, or none.
 * Called by outputs on one thread; the questions (slices_has_...) come from several.
 */
#include "builder/slices/slices.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "flows"

/* ---- Creation ---- */

bool slices_has_create(const struct slices *slices, uint32_t item)
{
	const struct model *m = slices->m;
	if (!(slices->flags[item] & SLICE_HAS_CREATOR) || slices->n_slices[item] == 0)
		return false;
	if (item >= m->n_tasks)
		return m->units[item - m->n_tasks].create_ticks <= m->units[item - m->n_tasks].start_ticks;
	const struct task *task = &m->tasks[item];
	return (task_is_explicit(task) ? task->create_ticks : m->regions[task->region].begin_ticks) <= task->start_ticks;
}

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

bool slices_has_edge(const struct slices *slices, uint32_t number)
{
	const struct model *m = slices->m;
	const struct edge *edge = &slices->graph->edges[number];
	if (edge->kind != EDGE_DEPEND || edge->source >= m->n_tasks || edge->target >= m->n_tasks)
		return false;
	const struct task *source = &m->tasks[edge->source], *target = &m->tasks[edge->target];
	if (slices->n_slices[edge->source] == 0 || slices->n_slices[edge->target] == 0)
		return false;
	if (slices->file_last != NULL && slices->file_last[edge->source] != slices->file_first[edge->target])
		return false;
	return source->state & TASK_COMPLETED && target->state & TASK_STARTED && source->end_ticks <= target->start_ticks;
}

/* Of each task the edges that leave it, or arrive at it. */
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

/* All waits after which slices begin: of each task in the order of time. */
struct wakes {
	uint64_t *first; /* by task: its first one; one more ends the last */
	struct slice_wait **waits;
};

static int by_end(const void *left, const void *right)
{
	const struct slice_wait *l = *(struct slice_wait *const *)left, *r = *(struct slice_wait *const *)right;
	return l->node_ticks < r->node_ticks ? -1 : l->node_ticks > r->node_ticks;
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
		if (n > 1 && slices->m->tasks[task].state & TASK_MIGRATED) /* of other tasks they are in order */
			qsort(&wakes->waits[first], n, sizeof(struct slice_wait *), by_end);
	}
}

static struct slice_wait *find_wait(const struct wakes *wakes, uint32_t task, uint64_t node_ticks)
{
	uint64_t low = wakes->first[task], high = wakes->first[task + 1], end = high;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (wakes->waits[middle]->node_ticks < node_ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && wakes->waits[low]->node_ticks == node_ticks ? wakes->waits[low] : NULL;
}

/* The last task that ended during the wait for it lets the wait end. */
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
	for (size_t i = 0; i < graph->n_edges && !has_dependences; i++)
		has_dependences = graph->edges[i].kind == EDGE_DEPEND;
	for (size_t i = 0; i < slices->trace->dump.n_streams; i++)
		has_waits |= slices->streams[i].n_waits != 0;
	link_members(slices);
	slices_link_barriers(slices);
	slices_link_units(slices);
	if (has_waits)
		link_waits(slices);
	if (has_dependences) {
		link_side(slices, &slices->leaving, true);
		link_side(slices, &slices->arriving, false);
	}
}

/* ---- Files ---- */

size_t slices_file(const struct slices *slices, uint64_t begin_ticks)
{
	size_t low = 0, high = slices->n_cuts;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (slices->cuts[middle] <= begin_ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct placing {
	struct slices *slices;
	uint16_t *created; /* by item: in which file the slice is that starts it, + 1; 0 none */
	bool is_placed;    /* the files of all slices are known */
};

/* Only the ends of flows are of interest here: those of create flows have the item's number. */
static void place_slice(void *self, const struct slice *slice)
{
	struct placing *p = self;
	struct slices *slices = p->slices;
	uint16_t file = (uint16_t)slices_file(slices, slice->begin_ticks);
	if (slice->item == ITEM_LOST || slice->piece == SLICE_END)
		return;
	for (size_t i = 0; i < slice->n_starts; i++)
		if ((slice->starts[i] & 3) == FLOW_CREATE)
			p->created[(uint32_t)(slice->starts[i] >> 2)] = (uint16_t)(file + 1);
	if (slice->piece == SLICE_MORE)
		return;
	for (size_t i = 0; i < slice->n_ends; i++)
		if (p->is_placed && (slice->ends[i] & 3) == FLOW_WAKE && slices->file_last[(uint32_t)(slice->ends[i] >> 2)] != file)
			slices->flags[(uint32_t)(slice->ends[i] >> 2)] &= (uint8_t)~SLICE_IS_WAKER;
	if (slice->is_of_first)
		slices->file_first[slice->item] = file;
	if (slice->is_of_last)
		slices->file_last[slice->item] = file;
}

static int place_all(struct placing *p)
{
	struct slices *slices = p->slices;
	for (size_t i = 0; i < slices->trace->dump.n_streams; i++)
		for (size_t chunk = 0; chunk < slices_n_chunks(slices, i); chunk++)
			if (slices_read(slices, i, chunk, place_slice, p) != 0)
				return -1;
	return 0;
}

int slices_divide(struct slices *slices, const uint64_t *cuts, size_t n)
{
	struct placing p = {slices, memory_zeroed(slices->n_items, sizeof *p.created, WHAT), false};
	uint16_t *file_first = memory_zeroed(slices->n_items, sizeof *file_first, WHAT);
	uint16_t *file_last = memory_zeroed(slices->n_items, sizeof *file_last, WHAT);
	slices->cuts = cuts;
	slices->n_cuts = n;
	slices->file_first = file_first;
	slices->file_last = file_last;
	/* The second time compares the ends of flows that wait with where the first time has found their begins. */
	int rc = place_all(&p);
	p.is_placed = true;
	if (rc == 0)
		rc = place_all(&p);
	for (uint32_t item = 0; item < slices->n_items; item++)
		if (p.created[item] != file_first[item] + 1)
			slices->flags[item] &= (uint8_t)~SLICE_HAS_CREATOR;
	free(p.created);
	return rc;
}
