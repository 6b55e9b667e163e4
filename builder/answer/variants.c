/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is different in a run that is simulated: how long nodes execute, and which edges there are. See candidates.h.
 */
#include "builder/answer/candidates.h"
#include "builder/support/memory.h"

#include <string.h>

#define WHAT "what limits the run"

static uint64_t *copy_work(const struct net *net)
{
	uint64_t *work = memory_get(net->n, sizeof *work, WHAT);
	for (uint32_t id = 0; id < net->n; id++)
		work[id] = net_work(net, id);
	return work;
}

uint64_t *variant_without_creation(const struct net *net, const struct prices *prices, uint32_t construct)
{
	uint64_t *work = copy_work(net), price = prices->rows[construct].create_ticks;
	for (uint32_t id = 1; id < net->n; id++)
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			uint32_t task = net->targets[link];
			if (net->kinds[link] != EDGE_CREATE || !net_is_task(net, task) || net_construct(net, task) != construct ||
			    work[id] <= price)
				continue;
			work[task] += work[id] - price;
			work[id] = price;
		}
	return work;
}

/* Is it the edge of an implicit task to a barrier, or the region's end, after this construct? */
static bool leads_to_barrier(const struct net *net, const struct track *track, uint32_t id, size_t link, uint32_t construct)
{
	bool is_barrier = net->kinds[link] == EDGE_BARRIER || net->kinds[link] == EDGE_JOIN;
	return is_barrier && net_executes(net, id) && net_unit(net, id) == 0 && !net_is_explicit(net, id) &&
	       blockers_before_barrier(net, track, id, net->targets[link]) == construct;
}

uint64_t *variant_balanced(const struct net *net, const struct track *track, uint32_t construct)
{
	struct team {
		uint64_t ticks, n;
	} *teams = memory_zeroed(net->n, sizeof *teams, WHAT); /* by node of the barrier */
	uint64_t *work = copy_work(net);
	bool has_some = false;
	for (uint32_t id = 1; id < net->n; id++)
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++)
			if (leads_to_barrier(net, track, id, link, construct)) {
				teams[net->targets[link]].ticks += work[id];
				teams[net->targets[link]].n++;
			}
	for (uint32_t id = 1; id < net->n; id++)
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			if (!leads_to_barrier(net, track, id, link, construct))
				continue;
			const struct team *team = &teams[net->targets[link]];
			if (team->n < 2)
				continue;
			work[id] = team->ticks / team->n;
			has_some = true;
		}
	free(teams);
	if (has_some)
		return work;
	free(work);
	return NULL;
}

static bool is_dropped(const struct net *net, const struct track *track, uint32_t id, size_t link, enum drop drop,
		       uint32_t construct, uint32_t other)
{
	uint8_t kind = net->kinds[link];
	if (kind == EDGE_SEQUENCE || kind == EDGE_CREATE) /* most are */
		return false;
	uint32_t target = net_construct(net, net->targets[link]);
	enum unit_wait_sort sort = UNIT_WAITS_NOT;
	if (kind == EDGE_JOIN || kind == EDGE_RESUME)
		sort = net_unit_wait(net, net->targets[link]);
	if (sort != UNIT_WAITS_NOT) {
		bool is_pair = net_task_construct(net, id) == construct && target == other;
		return sort == UNIT_WAITS_JOIN    ? drop == DROP_WAIT && target == construct
		       : sort == UNIT_WAITS_MUTEX ? false
		       : sort == UNIT_WAITS_ALL   ? drop == DROP_BARRIER && net_task_construct(net, id) == construct
						  : drop == DROP_ALL_CHAINS || (drop == DROP_CHAIN && is_pair);
	}
	switch (drop) {
	case DROP_CHAIN: return kind == EDGE_DEPEND && net_task_construct(net, id) == construct && target == other;
	case DROP_ALL_CHAINS: return kind == EDGE_DEPEND;
	case DROP_WAIT: return (kind == EDGE_TASKWAIT || kind == EDGE_TASKGROUP) && target == construct;
	case DROP_UNDEFERRED: return kind == EDGE_UNDEFERRED && net_task_construct(net, id) == construct;
	case DROP_BARRIER: return kind == EDGE_BARRIER && leads_to_barrier(net, track, id, link, construct);
	}
	return false;
}

/* The fragment of the same task after a barrier, 0 none. */
static uint32_t after_barrier(const struct net *net, uint32_t id, uint32_t barrier)
{
	for (size_t link = net->first[barrier]; link < net->first[barrier + 1]; link++)
		if (net->kinds[link] == EDGE_SEQUENCE && net_owner(net, net->targets[link]) == net_owner(net, id))
			return net->targets[link];
	return 0;
}

/*
 * By node: where what is not waited for at waits of this construct is waited for instead, at a later taskwait of the same
 * task or at its next barrier, at the last join of the same unit; 0: nowhere before the region's end.
 */
static uint32_t *find_later_waits(const struct net *net, uint32_t construct)
{
	uint32_t *later = memory_zeroed(net->n, sizeof *later, WHAT);
	for (uint32_t i = net->n_ordered; i-- > 0;) {
		uint32_t id = net->order[i];
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			uint32_t target = net->targets[link];
			uint8_t kind = net->kinds[link];
			bool waits = net_kind(net, target) == NODE_TASKWAIT && net_construct(net, target) != construct;
			bool joins = net_kind(net, target) == NODE_UNIT_JOIN && later[target] == 0;
			if (joins && kind == EDGE_SEQUENCE) /* the last one of the unit */
				later[id] = target;
			else if (kind == EDGE_BARRIER || (kind == EDGE_SEQUENCE && waits))
				later[id] = target;
			else if (kind == EDGE_SEQUENCE && net_owner(net, target) == net_owner(net, id))
				later[id] = later[target];
		}
	}
	return later;
}

uint32_t *variant_without_edges(const struct net *net, const struct track *track, enum drop drop, uint32_t construct,
				uint32_t other)
{
	size_t n_links = net->first[net->n];
	uint32_t *later = drop == DROP_WAIT ? find_later_waits(net, construct) : NULL;
	uint32_t *targets = memory_get(n_links + 1, sizeof *targets, WHAT);
	memcpy(targets, net->targets, n_links * sizeof *targets);
	for (uint32_t id = 1; id < net->n; id++)
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			if (!is_dropped(net, track, id, link, drop, construct, other))
				continue;
			uint32_t end = net->graph->join_node[net->graph->model->tasks[net_task(net, id)].region];
			if (later != NULL && later[net->targets[link]] != 0)
				end = later[net->targets[link]];
			if (drop == DROP_BARRIER && net_unit(net, id) == 0)
				end = after_barrier(net, id, net->targets[link]);
			targets[link] = end;
		}
	free(later);
	return targets;
}
