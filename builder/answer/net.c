/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the net of a graph: see net.h. Called by answer.c after the replay.
 */
#include "builder/answer/turns.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "what limits the run"

static void make_links(struct net *net)
{
	size_t n_places = graph_n_edge_places(net->graph), n_links = 0;
	struct edge_view edge;
	net->first = memory_zeroed((size_t)net->n + 1, sizeof *net->first, WHAT);
	for (size_t place = 0; place < n_places; place++)
		if (graph_edge_at(net->graph, place, &edge)) {
			net->first[edge.source]++;
			n_links++;
		}
	size_t end = 0;
	for (uint32_t id = 0; id < net->n; id++)
		net->first[id] = end += net->first[id];
	net->first[net->n] = end;
	net->targets = memory_get(n_links + 1, sizeof *net->targets, WHAT);
	net->kinds = memory_get(n_links + 1, sizeof *net->kinds, WHAT);
	for (size_t place = n_places; place-- > 0;) /* from the last one on, so that links are in the order of places */
		if (graph_edge_at(net->graph, place, &edge)) {
			size_t link = --net->first[edge.source];
			net->targets[link] = edge.target;
			net->kinds[link] = (uint8_t)edge.kind;
		}
}

static void make_order(struct net *net)
{
	uint32_t *n_before = memory_zeroed(net->n, sizeof *n_before, WHAT);
	net->order = memory_get(net->n, sizeof *net->order, WHAT);
	net->ready_ticks = memory_zeroed(net->n, sizeof *net->ready_ticks, WHAT);
	for (size_t link = 0; link < net->first[net->n]; link++)
		n_before[net->targets[link]]++;
	for (uint32_t id = 1; id < net->n; id++)
		if (n_before[id] == 0 && net_kind(net, id) != NODE_NONE)
			net->order[net->n_ordered++] = id;
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t id = net->order[i];
		uint64_t over_ticks = net_executes(net, id) ? net_end(net, id) : net->ready_ticks[id];
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			uint32_t target = net->targets[link];
			if (over_ticks > net->ready_ticks[target])
				net->ready_ticks[target] = over_ticks;
			if (--n_before[target] == 0)
				net->order[net->n_ordered++] = target;
		}
	}
	free(n_before);
}

static void measure_ways(struct net *net)
{
	net->low_ticks = memory_zeroed(net->n, sizeof *net->low_ticks, WHAT);
	for (uint32_t i = net->n_ordered; i-- > 0;) {
		uint32_t id = net->order[i];
		uint64_t longest = 0;
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			uint64_t low = net->low_ticks[net->targets[link]];
			longest = low > longest ? low : longest;
		}
		net->low_ticks[id] = net_work(net, id) + longest;
	}
}

uint64_t net_ticks_of(const struct net *net, uint64_t ns)
{
	uint64_t second_ns = dump_duration_ns(net->graph->model->dump, UINT64_C(1) << 40);
	return second_ns == 0 ? ns : (uint64_t)((unsigned __int128)ns * (UINT64_C(1) << 40) / second_ns);
}

bool net_waits_for_mutex(const struct net *net, uint32_t id)
{
	if (net_unit(net, id) == NULL || net_kind(net, id) != NODE_UNIT_WAIT)
		return false;
	unsigned sync = graph_node(net->graph, id).sync;
	return sync == unit_sync_mutex || sync == unit_sync_rwlock;
}

void net_make(struct net *net, const struct graph *graph, const uint32_t *same)
{
	*net = (struct net){.graph = graph, .same = same, .n = graph_n_ids(graph), .has_units = turns_are_all(graph)};
	net->record_ticks = net_ticks_of(net, graph->model->dump->meta.record_ns);
	make_links(net);
	make_order(net);
	measure_ways(net);
}

void net_forget_times(struct net *net)
{
	free(net->ready_ticks);
	free(net->low_ticks);
	net->ready_ticks = net->low_ticks = NULL;
}

void net_free(struct net *net)
{
	free(net->first);
	free(net->targets);
	free(net->kinds);
	free(net->order);
	free(net->ready_ticks);
	free(net->low_ticks);
	free(net->late_ticks);
	*net = (struct net){0};
}
