/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The times in which idle threads could have something to do: regions, and, for Argobots, times in which there are units.
 * Runs on one thread.
 */
#include "builder/analysis/thread_sweep.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>

#define WHAT "what limits the run"

static int by_number(const void *left, const void *right)
{
	const uint64_t *l = left, *r = right;
	return cmp(*l, *r);
}

/* A time in which there was a unit, or in which a unit created others one after the other. */
struct unit_span {
	uint64_t begin_ticks, end_ticks;
	uint32_t construct;
};

static int by_begin(const void *left, const void *right)
{
	const struct unit_span *l = left, *r = right;
	return cmp(l->begin_ticks, r->begin_ticks) ?: cmp(l->end_ticks, r->end_ticks) ?: cmp(l->construct, r->construct);
}

/* The construct of the unit whose creation ends the node, 0: none. */
static uint32_t created(const struct net *net, uint32_t id)
{
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++)
		if (net->kinds[link] == EDGE_CREATE && net_unit(net, net->targets[link]) != 0 &&
		    net_is_task(net, net->targets[link]))
			return net_task_construct(net, net->targets[link]);
	return 0;
}

/*
 * Units of Argobots are in no region: while some units have not ended, and while a unit creates others one after the other,
 * idle threads could have something to do. Such times are regions here; those that overlap are one.
 */
static uint32_t find_times_of_units(const struct sweep_over_time *s, struct unit_span **found)
{
	const struct net *net = s->net;
	const struct model *m = net->graph->model;
	uint32_t n = 0, n_joined = 0, n_inner = net->n - m->n_tasks;
	struct unit_span *spans = *found =
		memory_get((size_t)m->n_units + (net->unit_nodes != NULL ? n_inner : 0) + 1, sizeof *spans, WHAT);
	for (uint32_t row = 1; row < m->n_units; row++) {
		const struct work_unit *unit = &m->units[row];
		uint32_t id = graph_unit_node(net->graph, row);
		uint64_t end = unit->state & UNIT_ENDED ? unit->end_ticks : m->last_ticks;
		if (id != 0 && net_is_task(net, id) && unit->create_ticks != 0)
			spans[n++] = (struct unit_span){unit->create_ticks, end, net_construct(net, id)};
	}
	for (uint32_t id = m->n_tasks; id < net->n && net->unit_nodes != NULL; id++) {
		const struct node *node = net_inner(net, id);
		if (net_unit(net, id) != 0 && node->kind == NODE_FRAGMENT && node->previous != 0 &&
		    created(net, node->previous) != 0 && created(net, id) != 0)
			spans[n++] = (struct unit_span){node->begin_ticks, node->end_ticks, created(net, id)};
	}
	sort_rows(spans, n, by_begin);
	for (uint32_t i = 0; i < n; i++) {
		struct unit_span *last = n_joined > 0 ? &spans[n_joined - 1] : NULL;
		if (last == NULL || spans[i].begin_ticks > last->end_ticks)
			spans[n_joined++] = spans[i];
		else if (spans[i].end_ticks > last->end_ticks)
			last->end_ticks = spans[i].end_ticks;
	}
	return n_joined;
}

static int by_phase(const void *left, const void *right)
{
	const struct phase *l = left, *r = right;
	return cmp(l->begin_ticks, r->begin_ticks);
}

/* The regions in order, without the runtime's own and those around initial tasks. */
void phases_find(struct sweep_over_time *s)
{
	const struct model *m = s->net->graph->model;
	struct unit_span *spans;
	uint32_t n_spans = find_times_of_units(s, &spans);
	s->regions = memory_get((size_t)m->n_regions + n_spans, sizeof *s->regions, WHAT);
	s->joins = memory_get((size_t)m->n_regions + n_spans, sizeof *s->joins, WHAT);
	for (uint32_t i = 0; i < n_spans; i++) {
		s->joins[s->n_regions] = spans[i].end_ticks;
		s->regions[s->n_regions++] = (struct phase){spans[i].begin_ticks, spans[i].construct};
	}
	free(spans);
	for (uint32_t row = 1; row < m->n_regions; row++) {
		const struct region *r = &m->regions[row];
		if (!region_is_programs(r))
			continue;
		uint64_t join = region_end_ticks(r);
		s->joins[s->n_regions] = join > r->begin_ticks ? join : r->begin_ticks;
		s->regions[s->n_regions++] = (struct phase){r->begin_ticks, net_region_construct(s->net, row)};
	}
	sort_rows(s->regions, s->n_regions, by_phase);
	sort_rows(s->joins, s->n_regions, by_number);
}
