/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each node holds up while it runs: what can go on only when it has ended, as a cause. Threads that wait are waiting
 * for the nodes that run, so their time is blamed on that (account.c). Called by answer.c, on one thread.
 */
#include "builder/answer/candidates.h"
#include "builder/support/memory.h"

#include <stdlib.h>

/* What a node of an implicit task is late for at a barrier: the worksharing that the barrier ends, or the barrier's own construct. */
uint32_t blockers_before_barrier(const struct net *net, const struct track *track, uint32_t id, uint32_t barrier)
{
	uint32_t construct = net_construct(net, barrier);
	if (net_is_explicit(net, id))
		return net_task_construct(net, id);
	return track->loop_of[construct] != 0 ? track->loop_of[construct] : construct;
}

/*
 * By node: the longest way from there to the end, with the node itself; NULL: there are no dependences, for which it is
 * needed. To be freed.
 */
static uint64_t *measure_ways(const struct net *net)
{
	size_t n_depend = 0;
	for (size_t link = 0; link < net->first[net->n]; link++)
		n_depend += net->kinds[link] == EDGE_DEPEND;
	if (n_depend == 0)
		return NULL;
	uint64_t *ways = memory_zeroed(net->n, sizeof *ways, "what limits the run");
	for (uint32_t i = net->n_ordered; i-- > 0;) {
		uint32_t id = net->order[i];
		uint64_t longest = 0;
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			uint64_t way = ways[net->targets[link]];
			longest = way > longest ? way : longest;
		}
		ways[id] = net_work(net, id) + longest;
	}
	return ways;
}

/*
 * The dependence whose target this node makes ready, and after which the longest way lies ahead; 0: none. A target that was
 * ready later does not wait for this node.
 */
static uint32_t dependent(const struct net *net, const uint64_t *ways, uint32_t id)
{
	uint32_t best = 0;
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
		uint32_t target = net->targets[link];
		if (net->kinds[link] != EDGE_DEPEND || net->ready_ticks[target] > net_end(net, id))
			continue;
		if (best == 0 || ways[target] > ways[best])
			best = target;
	}
	return best;
}

/* Does one thread of a team execute the construct? */
static bool is_of_one(const struct net *net, uint32_t construct)
{
	enum construct_kind kind = net->graph->model->constructs[construct].kind;
	return kind == CONSTRUCT_SINGLE || kind == CONSTRUCT_MASKED;
}

/* Can something go on when the node ends, as nothing else that it waits for is unfinished then? */
static bool is_last(const struct net *net, const struct blocker *found, uint32_t id)
{
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
		uint32_t target = net->targets[link];
		bool goes_on = net->ready_ticks[target] <= net_end(net, id);
		if (goes_on && (net->kinds[link] != EDGE_SEQUENCE || found[target].is_last))
			return true;
	}
	return false;
}

/* The node after this one in its task, 0: none. */
static uint32_t next_of(const struct net *net, uint32_t id)
{
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++)
		if (net->kinds[link] == EDGE_SEQUENCE)
			return net->targets[link];
	return 0;
}

/* The construct that the node executes: of an implicit task the worksharing before its next barrier, if there is one. */
static uint32_t place_of(const struct net *net, const struct track *track, const struct blocker *found, uint32_t id)
{
	uint32_t own = net_task_construct(net, id), next = next_of(net, id);
	if (net_is_explicit(net, id))
		return own;
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++)
		if (net->kinds[link] == EDGE_BARRIER || net->kinds[link] == EDGE_JOIN) {
			uint32_t loop = track->loop_of[net_construct(net, net->targets[link])];
			return loop != 0 ? loop : own;
		}
	return next != 0 && net_owner(net, next) == net_owner(net, id) ? found[next].place : own;
}

/* A wait of another unit that this node ends, or 0; and as what. */
static uint32_t ended_wait(const struct net *net, uint32_t id, enum unit_wait_sort *sort)
{
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
		bool is_end = net->kinds[link] == EDGE_JOIN || net->kinds[link] == EDGE_RESUME;
		*sort = is_end ? net_unit_wait(net, net->targets[link]) : UNIT_WAITS_NOT;
		if (*sort != UNIT_WAITS_NOT)
			return net->targets[link];
	}
	return 0;
}

/* What a unit holds up by which another one's wait ends. */
static uint32_t cause_of_wait(struct causes *causes, const struct net *net, uint32_t id, uint32_t wait, enum unit_wait_sort sort)
{
	uint32_t own = net_task_construct(net, id), waiter = net_task_construct(net, wait);
	switch (sort) {
	case UNIT_WAITS_MUTEX: return causes_row(causes, LIMIT_EXCLUSION, CAUSE_PLAIN, waiter, 0);
	case UNIT_WAITS_ALL: return causes_row(causes, LIMIT_IMBALANCE, CAUSE_PLAIN, own, 0);
	case UNIT_WAITS_SIGNAL: return causes_row(causes, LIMIT_CHAIN, CAUSE_PLAIN, own, waiter);
	case UNIT_WAITS_JOIN:
	case UNIT_WAITS_NOT: break;
	}
	return causes_row(causes, LIMIT_WAIT, CAUSE_PLAIN, waiter, 0);
}

/* ---- Tasks that exclude each other ---- */

struct turns {
	const struct net *net;
	bool *excludes; /* by task: when it ends, one begins that it excludes and that was there before */
};

static int by_start(const void *left, const void *right, void *self)
{
	const struct task *tasks = self, *l = &tasks[*(const uint32_t *)left], *r = &tasks[*(const uint32_t *)right];
	return l->start_ticks != r->start_ticks ? (l->start_ticks < r->start_ticks ? -1 : 1) : l < r ? -1 : l > r;
}

static int add_turns(void *self, const uint32_t *nodes, uint32_t n)
{
	struct turns *turns = self;
	struct task *tasks = turns->net->graph->model->tasks;
	uint32_t *set = memory_get(n, sizeof *set, "what limits the run");
	for (uint32_t i = 0; i < n; i++)
		set[i] = net_task(turns->net, nodes[i]);
	qsort_r(set, n, sizeof *set, by_start, tasks);
	for (uint32_t i = 1; i < n; i++) {
		const struct task *before = &tasks[set[i - 1]], *next = &tasks[set[i]];
		if (next->create_ticks < before->end_ticks && before->end_ticks <= next->start_ticks)
			turns->excludes[set[i - 1]] = true;
	}
	free(set);
	return 0;
}

static bool *find_turns(const struct net *net)
{
	bool *excludes = memory_zeroed(net->graph->model->n_tasks, sizeof *excludes, "what limits the run");
	graph_each_exclusive(net->graph, add_turns, &(struct turns){net, excludes});
	return excludes;
}

/* ---- All of it ---- */

static struct blocker find(struct causes *causes, const struct net *net, const struct track *track, const struct blocker *found,
			   const bool *excludes, const uint64_t *ways, uint32_t id)
{
	uint32_t next = next_of(net, id), depends = dependent(net, ways, id), own = net_task_construct(net, id);
	struct blocker blocker = next != 0 ? found[next] : (struct blocker){0};
	size_t first = net->first[id], end = net->first[id + 1];
	blocker.place = place_of(net, track, found, id);
	bool lets_another = next == 0 && net_is_explicit(net, id) && excludes[net_task(net, id)];
	blocker.is_last = lets_another || is_last(net, found, id);
	for (size_t link = first; link < end; link++)
		if (net->kinds[link] == EDGE_CREATE && net_is_task(net, net->targets[link])) {
			uint32_t construct = net_construct(net, net->targets[link]);
			blocker.cause = causes_row(causes, LIMIT_CREATION, CAUSE_PLAIN, construct, 0);
			return blocker;
		}
	if (depends != 0) {
		blocker.cause = causes_row(causes, LIMIT_CHAIN, CAUSE_PLAIN, own, net_construct(net, depends));
		blocker.sync = found[depends].sync;
		return blocker;
	}
	for (size_t link = first; link < end; link++)
		if (net->kinds[link] == EDGE_UNDEFERRED) {
			blocker.cause = causes_row(causes, LIMIT_WAIT, CAUSE_UNDEFERRED, own, 0);
			blocker.sync = found[net->targets[link]].sync;
			return blocker;
		}
	enum unit_wait_sort sort;
	uint32_t wait = ended_wait(net, id, &sort);
	if (wait != 0) {
		blocker.cause = cause_of_wait(causes, net, id, wait, sort);
		blocker.sync = 0;
		return blocker;
	}
	for (size_t link = first; link < end; link++) {
		uint32_t target = net->targets[link], construct = net_construct(net, target);
		uint8_t kind = net->kinds[link];
		if (kind == EDGE_TASKWAIT || kind == EDGE_TASKGROUP)
			blocker.cause = causes_row(causes, LIMIT_WAIT, CAUSE_PLAIN, construct, 0);
		else if (kind == EDGE_BARRIER || kind == EDGE_JOIN) {
			uint32_t before = blockers_before_barrier(net, track, id, target);
			blocker.cause = is_of_one(net, before) ? causes_row(causes, LIMIT_SERIAL, CAUSE_SINGLE, before, 0)
							       : causes_row(causes, LIMIT_IMBALANCE, CAUSE_PLAIN, before, 0);
		} else
			continue;
		bool has_barrier = kind == EDGE_JOIN && track->end_of[construct] != 0;
		blocker.sync = has_barrier ? track->end_of[construct] : construct; /* where the threads wait */
		if (lets_another)
			blocker.cause = causes_row(causes, LIMIT_EXCLUSION, CAUSE_PLAIN, own, 0);
		return blocker;
	}
	if (lets_another)
		blocker.cause = causes_row(causes, LIMIT_EXCLUSION, CAUSE_PLAIN, own, 0);
	else if (next == 0)
		blocker.cause = causes_row(causes, LIMIT_IMBALANCE, CAUSE_PLAIN, own, 0);
	return blocker;
}

struct blocker *blockers_find(struct causes *causes, const struct net *net, const struct track *track)
{
	struct blocker *found = memory_zeroed(net->n, sizeof *found, "what limits the run");
	bool *excludes = find_turns(net);
	uint64_t *ways = measure_ways(net);
	for (uint32_t i = net->n_ordered; i-- > 0;)
		found[net->order[i]] = find(causes, net, track, found, excludes, ways, net->order[i]);
	free(ways);
	free(excludes);
	return found;
}
