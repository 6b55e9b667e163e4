/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which flows exist. That follows from tables that do not change while slices are read: so a flow has both of its ends, or
 * none. On any thread.
 */
#include "builder/slices/slices.h"
#include "builder/support/lower_bound.h"

size_t slices_file(const struct slices *slices, uint64_t begin_ticks)
{
	return lower_bound(i, 0, slices->n_cuts, slices->cuts[i] <= begin_ticks);
}

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
