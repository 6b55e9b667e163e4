/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Waits without a task to wait for; tasks that are not deferred, or that only one thread creates; nested regions with more
 * threads than there are processors.
 */
#include "builder/findings/findings.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>

#define WHAT       "the findings"
#define TASKS_EACH 16 /* with fewer tasks for each thread it does not matter which threads create them */

void findings_waits(struct findings *findings, const struct net *net)
{
	bool *is_waited_for = memory_zeroed(net->n, sizeof *is_waited_for, WHAT);
	uint64_t *n = memory_zeroed(net->graph->model->n_constructs, sizeof *n, WHAT);
	for (size_t link = 0, end = net->first[net->n]; link < end; link++)
		if (net->kinds[link] != EDGE_SEQUENCE)
			is_waited_for[net->targets[link]] = true;
	for (uint32_t id = 1; id < net->n; id++) {
		enum node_kind kind = net_kind(net, id);
		if (kind != NODE_TASKWAIT && kind != NODE_TASKGROUP)
			continue;
		n[net_construct(net, id)]++;
		if (!is_waited_for[id])
			findings_add(findings, FINDING_WAITS_FOR_NONE, net_construct(net, id), 0, 1, 0);
	}
	for (size_t i = 0; i < findings->n; i++)
		if (findings->rows[i].kind == FINDING_WAITS_FOR_NONE)
			findings->rows[i].of = n[findings->rows[i].construct];
	free(is_waited_for);
	free(n);
}

/* The fragment that directly follows this node in its task; 0: the task synchronises first, or ends. */
static uint32_t next_fragment(const struct net *net, uint32_t id)
{
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++)
		if (net->kinds[link] == EDGE_SEQUENCE && net_task(net, net->targets[link]) == net_task(net, id))
			return net_executes(net, net->targets[link]) ? net->targets[link] : 0;
	return 0;
}

/* Was the task, which `creator` ended by creating, executed within the creator's next fragment? */
static bool is_inline(const struct net *net, uint32_t creator, uint32_t task)
{
	const struct task *tasks = net->tasks;
	bool is_on_stream = tasks[task].state & TASK_STARTED && tasks[task].run_stream == tasks[net_task(net, creator)].run_stream;
	uint32_t next = is_on_stream ? next_fragment(net, creator) : 0;
	if (next == 0)
		return false;
	uint64_t begin = net_begin(net, task), next_end = net_end(net, next);
	return net_begin(net, next) <= begin && net_end(net, task) <= next_end && begin < next_end;
}

struct creations {
	uint64_t n, n_undeferred, n_inline;
};

static void see_creation(struct creations *by_construct, const struct net *net, uint32_t creator, uint32_t task)
{
	const struct model *m = net->graph->model;
	struct creations *c = &by_construct[net_construct(net, task)];
	c->n++;
	if (m->regions[m->tasks[task].region].actual < 2) /* a team of one defers nothing */
		return;
	if (m->tasks[task].flags & task_flags_undeferred)
		c->n_undeferred++;
	else
		c->n_inline += is_inline(net, creator, task);
}

/* Did the stream, UINT32_MAX none, create the task? Its tasks have their rows one after the other. */
static bool is_of_stream(const struct model *m, uint32_t task, uint32_t stream)
{
	const uint32_t *base = m->task_rows.base;
	return stream != UINT32_MAX && task > base[stream] && task <= base[stream + 1];
}

void findings_creation(struct findings *findings, const struct net *net)
{
	const struct model *m = net->graph->model;
	struct creations *by_construct = memory_zeroed(m->n_constructs, sizeof *by_construct, WHAT);
	uint32_t creator_stream = UINT32_MAX, most = 0, n_threads = 0, number;
	uint64_t n_tasks = 0, n_streams = 0;
	bool *is_thread = memory_zeroed(m->dump->n_streams + 1, sizeof *is_thread, WHAT);
	for (uint32_t i = 0; i < net->n_ordered; i++) { /* in this order a task's row is in the cache together with its creator's */
		uint32_t id = net->order[i];
		for (size_t link = net->first[id], end = net->first[id + 1]; link < end; link++) {
			uint32_t task = net->targets[link];
			if (net->kinds[link] != EDGE_CREATE || !net_is_task(net, task) || task >= m->n_tasks)
				continue;
			see_creation(by_construct, net, id, task);
			n_tasks++;
			if (is_of_stream(m, task, creator_stream))
				continue;
			model_task_origin(m, task, &creator_stream, &number);
			n_streams++;
		}
	}
	for (uint32_t task = 1; task < m->n_tasks; task++)
		if (graph_task_is_node(net->graph, task) && m->tasks[task].state & TASK_STARTED &&
		    m->tasks[task].run_stream < m->dump->n_streams) {
			n_threads += !is_thread[m->tasks[task].run_stream];
			is_thread[m->tasks[task].run_stream] = true;
		}
	for (uint32_t c = 1; c < m->n_constructs; c++) {
		const struct creations *at = &by_construct[c];
		most = at->n > by_construct[most].n ? c : most;
		if (at->n_undeferred != 0)
			findings_add(findings, FINDING_UNDEFERRED, c, 0, at->n_undeferred, at->n);
		if (at->n_inline != 0)
			findings_add(findings, FINDING_INLINE, c, 0, at->n_inline, at->n);
	}
	if (n_streams == 1 && n_threads > 1 && n_tasks >= (uint64_t)TASKS_EACH * n_threads)
		findings_add(findings, FINDING_ONE_CREATOR, most, 0, n_tasks, n_tasks);
	free(by_construct);
	free(is_thread);
}

/* ---- Nested regions ---- */

struct change {
	uint64_t ticks;
	int64_t n_threads; /* the change of their number */
	uint32_t region;
};

static int by_time(const void *left, const void *right)
{
	const struct change *l = left, *r = right;
	return cmp(l->ticks, r->ticks) ?: cmp(l->n_threads, r->n_threads) ?: cmp(l->region, r->region);
}

/* Regions in which several threads run, and that end. */
static bool has_threads(const struct region *r)
{
	return r->state & REGION_ANNOUNCED && r->actual > 1 && region_end_ticks(r) != UINT64_MAX;
}

static bool is_nested(const struct model *m, const struct region *r)
{
	return m->regions[m->tasks[r->task].region].actual > 1;
}

void findings_regions(struct findings *findings, const struct net *net)
{
	const struct model *m = net->graph->model;
	uint64_t n_processors = m->dump->meta.n_processors, n_nested = 0;
	size_t n = 0;
	for (uint32_t row = 1; row < m->n_regions; row++)
		n_nested += has_threads(&m->regions[row]) && is_nested(m, &m->regions[row]);
	if (n_nested != 0 && n_processors == 0)
		findings->not_searched[FINDING_OVERSUBSCRIBED] = n_nested;
	if (n_nested == 0 || n_processors == 0)
		return;
	struct change *changes = memory_get(2 * (size_t)m->n_regions + 1, sizeof *changes, WHAT);
	for (uint32_t row = 1; row < m->n_regions; row++) {
		const struct region *r = &m->regions[row];
		if (!has_threads(r))
			continue;
		changes[n++] = (struct change){r->begin_ticks, r->actual - (int64_t)1, row};
		changes[n++] = (struct change){region_end_ticks(r), 1 - (int64_t)r->actual, row};
	}
	sort_rows(changes, n, by_time);
	int64_t n_threads = 1;
	for (size_t i = 0; i < n; i++) {
		const struct region *r = &m->regions[changes[i].region];
		n_threads += changes[i].n_threads;
		if (is_nested(m, r) && changes[i].n_threads > 0 && (uint64_t)n_threads > n_processors)
			findings_add(findings, FINDING_OVERSUBSCRIBED, net_region_construct(net, changes[i].region), 0, 1, 1);
	}
	free(changes);
}
