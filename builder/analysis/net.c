/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the net of a graph: see net.h.
 */
#include "builder/analysis/net.h"
#include "builder/support/memory.h"
#include "builder/support/memory_limit.h"
#include "builder/support/sort.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define WHAT            "what limits the run"
#define NODES_AT_ONCE   (1 << 16)         /* nodes of one task */
#define CLEARED_AT_ONCE ((size_t)4 << 20) /* numbers */

/* ---- What nodes are ---- */

static inline uint8_t traits_of_task(const struct net *net, const struct task *row, uint32_t task)
{
	unsigned is_explicit = task_is_explicit(row) ? NET_EXPLICIT : 0;
	if (!graph_task_is_node(net->graph, task))
		return (uint8_t)(NODE_NONE | is_explicit);
	return (uint8_t)(graph_task_kind(row) | NET_EXECUTES | (is_explicit != 0 ? NET_TASK : 0) | is_explicit);
}

static uint8_t traits_of_unit(const struct net *net, const struct node *node)
{
	enum unit_kind kind = net->graph->model->units[node->unit].kind;
	bool is_created = node->kind == NODE_UNIT || node->kind == NODE_TASKLET;
	bool executes = net_begins_unit(node) || (node->kind == NODE_FRAGMENT && kind != UNIT_EXTERNAL);
	unsigned traits = node->unit != 0 && kind < UNIT_SCHEDULER ? NET_EXPLICIT : 0;
	if (node->is_placed)
		traits |= node->kind | (executes ? NET_EXECUTES : 0u) | (is_created ? NET_TASK : 0u);
	return (uint8_t)traits;
}

static uint8_t traits_of(const struct net *net, const struct node *node)
{
	if (node->is_of_unit)
		return traits_of_unit(net, node);
	unsigned traits = net->traits[node->task] & NET_EXPLICIT;
	if (node->is_placed)
		traits |= node->kind | (node->kind == NODE_FRAGMENT ? NET_EXECUTES : 0u);
	return (uint8_t)traits;
}

static void see_tasks(struct net *net, uint32_t task, uint32_t end)
{
	for (const struct task *row = &net->tasks[task]; task < end; task++, row++) {
		net->traits[task] = traits_of_task(net, row, task);
		net->constructs[task] = net->same[row->construct];
	}
}

static void see_inner(struct net *net, uint32_t id, uint32_t end)
{
	for (const struct node *node = &net->inner[id - net->n_tasks]; id < end; id++, node++) {
		net->traits[id] = traits_of(net, node);
		net->constructs[id] = net->same[node->construct];
	}
}

/* Calls the function for all nodes from `begin` on, in tasks of NODES_AT_ONCE. */
static void see_all(struct net *net, uint32_t begin, uint32_t end, void (*see)(struct net *net, uint32_t begin, uint32_t end))
{
#pragma omp taskgroup
	for (uint32_t next; begin < end; begin = next) {
		next = end - begin > NODES_AT_ONCE ? begin + NODES_AT_ONCE : end;
#pragma omp task
		see(net, begin, next);
	}
}

static void see_nodes(struct net *net)
{
	uint32_t n_tasks = net->n_tasks;
	net->traits = memory_get(net->n, sizeof *net->traits, WHAT);
	net->constructs = memory_get(net->n, sizeof *net->constructs, WHAT);
	see_all(net, 0, n_tasks, see_tasks);
	see_all(net, n_tasks, net->n, see_inner); /* these read the traits of tasks */
}

/* ---- Links ---- */

/* Counts the links that leave each node, of the edges in these places. Returns whether there are dependences. */
static bool count_links(const struct net *net, size_t place, size_t end, uint32_t *counts)
{
	struct edge_ends edges[EDGES_AT_ONCE];
	bool has_depends = false;
	for (size_t next; place < end; place = next) {
		next = end - place > EDGES_AT_ONCE ? place + EDGES_AT_ONCE : end;
		size_t n = graph_edges_in(net->graph, place, next, edges);
		for (size_t i = 0; i < n; i++) {
			__builtin_prefetch(&counts[edges[i + NET_SOON < n ? i + NET_SOON : i].source], 1);
			counts[edges[i].source]++;
			has_depends |= edges[i].kind == EDGE_DEPEND;
		}
	}
	return has_depends;
}

/* The kind of the link: an edge that revives a unit counts as one that creates it. */
static inline uint8_t kind_of(const struct net *net, const struct edge_ends *edge)
{
	enum edge_kind kind = edge->kind == EDGE_OF_JOINER ? edge_of_joiner(net_kind(net, edge->target)) : edge->kind;
	return (uint8_t)(kind == EDGE_REVIVE ? EDGE_CREATE : kind);
}

/* From the last edge to the first, so that links are in the order of places. `ends`: by node: how many links are not put yet. */
static void put_links(struct net *net, size_t first, size_t end, uint32_t *ends)
{
	struct edge_ends edges[EDGES_AT_ONCE];
	const size_t *first_links = net->first;
	uint32_t *targets = net->targets;
	uint8_t *kinds = net->kinds;
	for (size_t place; end > first; end = place) {
		place = end - first > EDGES_AT_ONCE ? end - EDGES_AT_ONCE : first;
		for (size_t i = graph_edges_in(net->graph, place, end, edges); i-- > 0;) {
			const struct edge_ends *edge = &edges[i], *soon = &edges[i >= NET_SOON ? i - NET_SOON : i];
			__builtin_prefetch(&ends[soon->source], 1);
			__builtin_prefetch(&first_links[soon->source]);
			size_t link = first_links[edge->source] + --ends[edge->source];
			targets[link] = edge->target;
			kinds[link] = kind_of(net, edge);
		}
	}
}

/* If the team has several threads, two of them process one half of the edges each. */
static void make_links(struct net *net)
{
	size_t n_places = graph_n_edge_places(net->graph), middle = n_places, end = 0;
	uint32_t *counts = memory_zeroed(net->n, sizeof *counts, WHAT), *others = NULL; /* others: counts of the second half */
	bool has_depends[2] = {false, false};
	if (omp_get_num_threads() > 1) {
		middle = n_places / 2;
		others = memory_zeroed(net->n, sizeof *others, WHAT);
	}
#pragma omp taskgroup
	{
#pragma omp task shared(has_depends) if (others != NULL)
		has_depends[1] = count_links(net, middle, n_places, others);
		has_depends[0] = count_links(net, 0, middle, counts);
	}
	net->has_depends = has_depends[0] || has_depends[1];
	net->first = memory_get((size_t)net->n + 1, sizeof *net->first, WHAT);
	for (uint32_t id = 0; id < net->n; id++) {
		net->first[id] = end;
		end += others != NULL ? others[id] += counts[id] : counts[id];
	}
	net->first[net->n] = end;
	net->targets = memory_get(end + 1, sizeof *net->targets, WHAT);
	net->kinds = memory_get(end + 1, sizeof *net->kinds, WHAT);
#pragma omp taskgroup
	{
#pragma omp task if (others != NULL)
		put_links(net, middle, n_places, others);
		put_links(net, 0, middle, counts);
	}
	net->spare[0] = counts;
	net->spare[1] = others;
}

static void push(uint32_t *below, uint32_t *top, uint32_t id)
{
	below[id] = *top;
	*top = id;
}

uint32_t *net_take_spare(struct net *net)
{
	unsigned i = net->spare[0] != NULL ? 0 : 1;
	uint32_t *spare = net->spare[i];
	net->spare[i] = NULL;
	return spare != NULL ? spare : memory_get(net->n, sizeof *spare, WHAT);
}

void net_clear_ahead(struct net *net)
{
	if (memory_is_limited() || omp_get_num_threads() == 1)
		return;
	for (unsigned which = 0; which < NET_CLEARED; which++) {
		uint32_t *cleared = net->cleared[which] = memory_zeroed(net->n, sizeof *cleared, WHAT);
		for (size_t first = 0, n; first < net->n; first += n) {
			n = net->n - first < CLEARED_AT_ONCE ? net->n - first : CLEARED_AT_ONCE;
#pragma omp task firstprivate(cleared, first, n)
			memory_touch(cleared + first, n * sizeof *cleared);
		}
	}
}

uint32_t *net_take_cleared(struct net *net, enum net_cleared which)
{
	uint32_t *cleared = net->cleared[which];
	net->cleared[which] = NULL;
	return cleared != NULL ? cleared : memory_zeroed(net->n, sizeof *cleared, WHAT);
}

/* How many links lead to each node. */
static uint32_t *count_before(struct net *net)
{
	uint32_t *n_before = net_take_spare(net);
	memset(n_before, 0, net->n * sizeof *n_before);
	const uint32_t *target = net->targets, *end = target + net->first[net->n];
	for (; target < end; target++) {
		__builtin_prefetch(&n_before[target[end - target > NET_SOON ? NET_SOON : 0]], 1);
		n_before[*target]++;
	}
	return n_before;
}

void net_make_order(struct net *net)
{
	uint32_t *n_before = count_before(net);
	net->order = net_take_spare(net);
	net->ready_ticks = memory_zeroed(net->n, sizeof *net->ready_ticks, WHAT);
	for (uint32_t row = 1; row < net->graph->model->n_units; row++) /* the creator of a unit may not be known */
		net->ready_ticks[graph_unit_node(net->graph, row)] = net->graph->model->units[row].create_ticks;
	net->ready_ticks[0] = 0;
	/*
	 * Nodes that wait for no other node any more are on a stack, whose links replace their counts: what follows a node
	 * comes soon after it, as it did in the run, so that passes over the nodes in this order find tables in the cache.
	 */
	uint32_t top = 0, *order = net->order;
	uint64_t *ready_ticks = net->ready_ticks;
	for (uint32_t id = net->n; id-- > 1;)
		if (n_before[id] == 0 && net_kind(net, id) != NODE_NONE)
			push(n_before, &top, id);
	while (top != 0) {
		uint32_t id = top;
		top = n_before[id];
		*order++ = id;
		uint64_t over_ticks = net_executes(net, id) ? net_end(net, id) : ready_ticks[id];
		const uint32_t *target = net->targets + net->first[id], *end = net->targets + net->first[id + 1];
		for (; target < end; target++) {
			if (over_ticks > ready_ticks[*target])
				ready_ticks[*target] = over_ticks;
			if (--n_before[*target] == 0)
				push(n_before, &top, *target);
		}
	}
	net->n_ordered = (uint32_t)(order - net->order);
	net->spare[0] = n_before;
}

/* ---- Units of Argobots ---- */

struct begun {
	uint32_t stream, node;
	uint64_t ticks;
};

static int by_stream(const void *left, const void *right)
{
	const struct begun *l = left, *r = right;
	return cmp(l->stream, r->stream) ?: cmp(l->ticks, r->ticks) ?: cmp(l->node, r->node);
}

static void add_begun(const struct net *net, struct begun *begun, size_t *n, uint32_t node, uint32_t stream)
{
	if (node != 0 && stream < net->graph->model->dump->n_streams && net_executes(net, node))
		begun[(*n)++] = (struct begun){stream, node, net_begin(net, node)};
}

/* Nodes of units are all in one stream's part of the graph: sorts them by the streams that executed them. */
static void sort_units(struct net *net)
{
	const struct model *m = net->graph->model;
	size_t n_fragments, n = 0, n_streams = m->dump->n_streams;
	const struct unit_fragment *fragments = graph_unit_fragments(net->graph, &n_fragments);
	if (net->graph->units == NULL)
		return;
	net->units_on = memory_zeroed(n_streams + 1, sizeof *net->units_on, WHAT);
	struct begun *begun = memory_get(n_fragments + m->n_units + 1, sizeof *begun, WHAT);
	for (size_t i = 0; i < n_fragments; i++)
		add_begun(net, begun, &n, fragments[i].node, fragments[i].stream);
	for (uint32_t row = 1; row < m->n_units; row++)
		if (m->units[row].state & UNIT_STARTED && m->units[row].kind != UNIT_EXTERNAL &&
		    m->units[row].run_stream < n_streams) {
			net->units_on[m->units[row].run_stream] = true;
			add_begun(net, begun, &n, graph_unit_node(net->graph, row), m->units[row].run_stream);
		}
	sort_array(begun, n, by_stream);
	net->unit_nodes = memory_get(n + 1, sizeof *net->unit_nodes, WHAT);
	net->first_unit_node = memory_zeroed(n_streams + 1, sizeof *net->first_unit_node, WHAT);
	for (size_t i = 0; i < n; i++) {
		net->unit_nodes[i] = begun[i].node;
		net->first_unit_node[begun[i].stream + 1] = i + 1;
	}
	for (size_t i = 1; i <= n_streams; i++)
		if (net->first_unit_node[i] < net->first_unit_node[i - 1])
			net->first_unit_node[i] = net->first_unit_node[i - 1];
	free(begun);
}

enum unit_wait_sort net_unit_wait(const struct net *net, uint32_t id)
{
	const struct node *node = net_inner(net, id);
	if (node == NULL || !node->is_of_unit)
		return UNIT_WAITS_NOT;
	if (node->kind == NODE_UNIT_JOIN)
		return UNIT_WAITS_JOIN;
	if (node->kind != NODE_UNIT_WAIT)
		return UNIT_WAITS_NOT;
	unsigned sync = graph_unit_wait(net->graph, node).sync;
	return sync == unit_sync_mutex || sync == unit_sync_rwlock ? UNIT_WAITS_MUTEX
	       : sync == unit_sync_barrier                         ? UNIT_WAITS_ALL
								   : UNIT_WAITS_SIGNAL;
}

uint64_t net_ticks_of(const struct net *net, uint64_t ns)
{
	uint64_t second_ns = dump_duration_ns(net->graph->model->dump, UINT64_C(1) << 40);
	return second_ns == 0 ? ns : (uint64_t)((unsigned __int128)ns * (UINT64_C(1) << 40) / second_ns);
}

void net_make(struct net *net, const struct graph *graph, const uint32_t *same)
{
	const struct model *m = graph->model;
	*net = (struct net){.graph = graph,
			    .n_tasks = m->n_tasks,
			    .tasks = m->tasks,
			    .inner = graph->nodes,
			    .first_fragments = graph->first_fragments,
			    .window = m->window,
			    .same = same,
			    .n = graph_n_ids(graph)};
	net->record_ticks = net_ticks_of(net, m->dump->meta.record_ns);
	see_nodes(net);
	make_links(net);
	sort_units(net);
}

void net_forget_times(struct net *net)
{
	free(net->ready_ticks);
	net->ready_ticks = NULL;
}

void net_free(struct net *net)
{
	free(net->traits);
	free(net->constructs);
	free(net->first);
	free(net->targets);
	free(net->kinds);
	free(net->order);
	free(net->ready_ticks);
	free(net->late_ticks);
	free(net->spare[0]);
	free(net->spare[1]);
	for (unsigned which = 0; which < NET_CLEARED; which++)
		free(net->cleared[which]);
	free(net->unit_nodes);
	free(net->first_unit_node);
	free(net->units_on);
	*net = (struct net){0};
}
