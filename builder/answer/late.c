/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How late each node of a net began: see late.h.
 */
#include "builder/answer/late.h"

/* A way along a stream, in the order in which its nodes began. */
struct along {
	struct net *net;
	struct prices *prices;
	uint64_t over_ticks; /* when what began before was over */
};

static inline void pass(struct along *along, uint32_t id, uint64_t begin_ticks)
{
	struct net *net = along->net;
	uint64_t ready = net->ready_ticks[id] > along->over_ticks ? net->ready_ticks[id] : along->over_ticks;
	uint64_t late = begin_ticks > ready && ready != 0 ? begin_ticks - ready : 0, end = net_end(net, id);
	net->late_ticks[id] = late < UINT32_MAX ? (uint32_t)late : UINT32_MAX;
	along->over_ticks = end > along->over_ticks ? end : along->over_ticks;
	if (net_is_task(net, id) && (id >= net->n_tasks || !(net->tasks[id].flags & task_flags_undeferred)))
		prices_see_start(along->prices, net, id, late);
}

void late_measure(struct net *net, const struct track *track, struct prices *prices)
{
	uint32_t n_tasks = net->n_tasks;
	net->late_ticks = net_take_cleared(net, NET_LATE);
	for (size_t i = 0; i < track->n_streams; i++) {
		const struct track_stream *s = &track->streams[i];
		uint32_t fragment = n_tasks + net->graph->streams[i].first_node, end = n_tasks + net->graph->streams[i].end_node;
		struct along along = {net, prices, 0}, of_units = {net, prices, 0};
		for (size_t j = 0; j <= s->n_started; j++) {
			uint64_t until = j < s->n_started ? net_begin(net, s->started[j]) : UINT64_MAX;
			for (; fragment < end; fragment++) {
				if (!net_is_fragment(net, fragment))
					continue;
				uint64_t begin = net_begin(net, fragment);
				if (j < s->n_started && net_comes_first(net, s->started[j], until, fragment, begin))
					break;
				pass(&along, fragment, begin);
			}
			if (j < s->n_started && net_executes(net, s->started[j]))
				pass(&along, s->started[j], until);
		}
		for (size_t j = net->unit_nodes != NULL ? net->first_unit_node[i] : 0;
		     net->unit_nodes != NULL && j < net->first_unit_node[i + 1]; j++)
			pass(&of_units, net->unit_nodes[j], net_begin(net, net->unit_nodes[j]));
	}
}
