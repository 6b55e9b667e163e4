/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is different in a run that is simulated: how long nodes execute, and which edges there are. See candidates.h.
 */
#include "builder/answer/candidates.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#define WHAT "what limits the run"

/* By node of the workload: how long it executes. */
static uint64_t *copy_work(const struct simulated_workload *workload)
{
	uint64_t *work = memory_get(workload->n, sizeof *work, WHAT);
	for (uint32_t unit = 0; unit < workload->n; unit++)
		work[unit] = workload->nodes[unit].work_ticks;
	return work;
}

uint64_t *variant_without_creation(const struct scenario *scenario, uint32_t construct)
{
	const struct net *net = scenario->net;
	uint64_t *work = copy_work(&scenario->workload), price = scenario->prices->rows[construct].create_ticks;
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t id = net->order[i], task;
		if (net_work(net, id) <= price || (task = net_created(net, id, construct)) == 0)
			continue;
		work[scenario_unit(scenario, id)] -= net_work(net, id) - price;
		work[scenario_unit(scenario, task)] += net_work(net, id) - price;
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

/* What the members of teams execute before such barriers, by barrier. */
struct shares {
	struct work_share {
		uint32_t barrier, id;
	} * rows;
	size_t n, capacity;
};

static int by_barrier(const void *left, const void *right)
{
	const struct work_share *l = left, *r = right;
	return cmp(l->barrier, r->barrier) ?: cmp(l->id, r->id);
}

static void find_shares(struct shares *shares, const struct scenario *scenario, uint32_t construct)
{
	const struct net *net = scenario->net;
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t id = net->order[i];
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			if (!leads_to_barrier(net, scenario->track, id, link, construct))
				continue;
			array_push(shares->rows, shares->n, shares->capacity, (struct work_share){net->targets[link], id});
		}
	}
	sort_rows(shares->rows, shares->n, by_barrier);
}

uint64_t *variant_balanced(const struct scenario *scenario, uint32_t construct)
{
	struct shares shares = {0};
	uint64_t *work = copy_work(&scenario->workload);
	bool has_some = false;
	find_shares(&shares, scenario, construct);
	for (size_t first = 0, end; first < shares.n; first = end) {
		uint64_t sum = 0;
		for (end = first; end < shares.n && shares.rows[end].barrier == shares.rows[first].barrier; end++)
			sum += net_work(scenario->net, shares.rows[end].id);
		if (end - first < 2)
			continue;
		for (size_t i = first; i < end; i++)
			work[scenario_unit(scenario, shares.rows[i].id)] +=
				sum / (end - first) - net_work(scenario->net, shares.rows[i].id);
		has_some = true;
	}
	free(shares.rows);
	if (has_some)
		return work;
	free(work);
	return NULL;
}

static bool is_dropped(const struct net *net, const struct track *track, uint32_t id, size_t link, enum drop drop,
		       uint32_t construct, uint32_t other)
{
	uint8_t kind = net->kinds[link];
	if (kind == EDGE_SEQUENCE || kind == EDGE_CREATE) /* as most links */
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
	case DROP_WAIT: return (kind == EDGE_TASKWAIT || kind == EDGE_TASKGROUP || kind == EDGE_DEPEND) && target == construct;
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
 * By node of a wait of this construct: the node that waits instead: a later taskwait of the same task, its next barrier, or the
 * last join of the same unit; 0: nothing waits before the region's end.
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
			/* A join is the last one of its unit. */
			if (kind == EDGE_BARRIER || (kind == EDGE_SEQUENCE && (waits || joins)))
				later[id] = target;
			else if (kind == EDGE_SEQUENCE && net_owner(net, target) == net_owner(net, id))
				later[id] = later[target];
		}
	}
	return later;
}

static uint32_t leads_to(const struct variant *variant, const struct net *net, uint32_t id, size_t link)
{
	const struct dropped *dropped = (const struct dropped *)variant;
	if (!is_dropped(net, dropped->track, id, link, dropped->drop, dropped->construct, dropped->other))
		return net->targets[link];
	if (dropped->drop == DROP_BARRIER && net_unit(net, id) == 0)
		return after_barrier(net, id, net->targets[link]);
	if (dropped->later != NULL && dropped->later[net->targets[link]] != 0)
		return dropped->later[net->targets[link]];
	return net->graph->join_node[net->tasks[net_task(net, id)].region];
}

struct dropped variant_without_edges(const struct scenario *scenario, enum drop drop, uint32_t construct, uint32_t other)
{
	return (struct dropped){.variant = {.leads_to = leads_to},
				.track = scenario->track,
				.drop = drop,
				.construct = construct,
				.other = other,
				.later = drop == DROP_WAIT ? find_later_waits(scenario->net, construct) : NULL};
}
