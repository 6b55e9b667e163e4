/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What slices are of: constructs, names, nodes of the graph. See slices.h. Any thread.
 */
#include "builder/slices/slices.h"

uint32_t slices_construct(const struct slices *slices, uint32_t item)
{
	const struct model *m = slices->m;
	if (item == ITEM_LOST)
		return 0;
	return item < m->n_tasks ? m->tasks[item].construct : m->units[item - m->n_tasks].construct;
}

enum node_kind slices_kind(const struct slices *slices, uint32_t item)
{
	static const enum node_kind kinds[UNIT_KINDS] = {[UNIT_UNKNOWN] = NODE_UNIT,         [UNIT_ULT] = NODE_UNIT,
							 [UNIT_TASKLET] = NODE_TASKLET,      [UNIT_SCHEDULER] = NODE_SCHEDULER,
							 [UNIT_PRIMARY] = NODE_PRIMARY_UNIT, [UNIT_EXTERNAL] = NODE_EXTERNAL,
							 [UNIT_ROOT] = NODE_SCHEDULER};
	const struct model *m = slices->m;
	if (item == ITEM_LOST)
		return NODE_NONE;
	return item < m->n_tasks ? graph_task_kind(&m->tasks[item]) : kinds[m->units[item - m->n_tasks].kind];
}

const char *slices_name(const struct slices *slices, uint32_t item)
{
	const char *label = slices->m->constructs[slices_construct(slices, item)].label;
	if (item == ITEM_LOST)
		return "records missing";
	return label != NULL && label[0] != '\0' ? label : node_kind_name(slices_kind(slices, item));
}

uint64_t slices_node(const struct slices *slices, uint32_t item)
{
	const struct graph *graph = slices->graph;
	if (item >= slices->m->n_tasks || !graph_task_is_node(graph, item))
		return 0;
	return graph->before.n_nodes + item;
}

bool slices_ready_ns(const struct slices *slices, const struct slice *slice, uint64_t *ns)
{
	const struct model *m = slices->m;
	if (!slice->is_of_first || slice->item >= m->n_tasks || !ready_delays_are_known(m))
		return false;
	uint64_t ticks = ready_before(m, &slices->delays, slice->item);
	*ns = dump_duration_ns(m->dump, ticks);
	return ticks != UINT64_MAX;
}

const char *slices_activity_name(const struct model *m, const struct activity *activity)
{
	if (activity->type == ACTIVITY_NATIVE)
		return activity->name;
	if (activity->type == ACTIVITY_KERNEL)
		return activity->construct != 0 ? m->constructs[activity->construct].label : "kernel";
	const char *name = event_enum_name("target_data_op", activity->kind);
	return name != NULL ? name : "data";
}
