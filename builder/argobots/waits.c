/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How waits of units and of their threads enter the answer.
 */
#include "builder/argobots/argobots.h"
#include "builder/analysis/figures.h"
#include "builder/analysis/net.h"
#include "builder/analysis/thread_sweep.h"
#include "builder/analysis/track.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>

/* ---- Where units waited ----
 *
 * Where units of Argobots waited, and for which units: their joins and waits in the graph. A unit that waits leaves its thread
 * to others, so these are times of units, and not of threads. It waits until the last of the events that end its wait; the
 * time after that until it runs, while others run there, is not waiting. On one thread.
 */

/* By node that is no task's first one: the node of the other unit that ends this wait last, 0 none; to be freed. */
static uint32_t *find_enders(const struct net *net)
{
	uint32_t n_tasks = net->n_tasks;
	uint32_t *enders = memory_zeroed(net->n - n_tasks + 1, sizeof *enders, "where units waited");
	uint64_t *ended = memory_zeroed(net->n - n_tasks + 1, sizeof *ended, "where units waited");
	for (uint32_t id = n_tasks; id < net->n; id++)
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			uint32_t target = net->targets[link];
			bool is_end = net->kinds[link] == EDGE_JOIN || net->kinds[link] == EDGE_RESUME;
			if (!is_end || net_unit_wait(net, target) == UNIT_WAITS_NOT)
				continue;
			uint64_t ticks = net_executes(net, id) ? net_end(net, id) : net->ready_ticks[id];
			if (enders[target - n_tasks] == 0 || ticks > ended[target - n_tasks]) {
				enders[target - n_tasks] = id;
				ended[target - n_tasks] = ticks;
			}
		}
	free(ended);
	return enders;
}

static enum state state_of(enum unit_wait_sort sort)
{
	return sort == UNIT_WAITS_MUTEX ? STATE_WAIT_MUTEX
	       : sort == UNIT_WAITS_ALL ? STATE_WAIT_BARRIER_EXPLICIT
					: STATE_WAIT_TASKWAIT;
}

void argobots_find_waits(struct causes *waits, struct track *track, const struct net *net)
{
	static const enum limit limits[] = {[UNIT_WAITS_NOT] = LIMIT_NONE,
					    [UNIT_WAITS_JOIN] = LIMIT_WAIT,
					    [UNIT_WAITS_MUTEX] = LIMIT_EXCLUSION,
					    [UNIT_WAITS_ALL] = LIMIT_IMBALANCE,
					    [UNIT_WAITS_SIGNAL] = LIMIT_CHAIN};
	uint32_t n_tasks = net->n_tasks;
	if (net->unit_nodes == NULL)
		return;
	uint32_t *enders = find_enders(net);
	for (uint32_t id = n_tasks; id < net->n; id++) {
		enum unit_wait_sort sort = net_unit_wait(net, id);
		const struct node *node = net_inner(net, id);
		if (sort == UNIT_WAITS_NOT || !node->is_placed)
			continue;
		uint32_t ender = enders[id - n_tasks], construct = net_task_construct(net, id);
		uint64_t begin = net_begin(net, id), end = ender != 0 ? net->ready_ticks[id] : net_end(net, id);
		if (end <= begin) /* it did not have to wait */
			continue;
		track_add_wait(track, construct, state_of(sort), end - begin);
		if (ender != 0)
			causes_blame(waits, causes_row(waits, limits[sort], CAUSE_PLAIN, construct, net_task_construct(net, ender)),
				     (double)(end - begin));
	}
	free(enders);
}

/* ---- Units that are ready while threads look for units ----
 *
 * Units of Argobots that are ready while threads look for units. The library does not say why a thread finds none: the
 * unit may be in a pool in which the thread does not look, or the scheduler is slow. So as long as units are ready and threads
 * look for some, as many threads as there are ready units do not wait for work of others, and each of these units is blamed
 * for its part of that time.
 *
 * Units that wait for a mutex, until they run again, come before these: others would have to wait as well, and the release of
 * a mutex wakes all that wait for it, each of which except the first waits again. On one thread.
 */

#define WHAT "what limits the run"

enum { UNIT_IS_COMING, UNIT_IS_READY, UNIT_IS_TAKEN };

struct ready_units {
	struct ready_unit {
		uint64_t ticks;
		uint32_t node;
	} * units; /* in the order in which they become ready */
	size_t n, next;
	uint32_t n_seeking;
	uint32_t n_ready[UNIT_WISHES];
	double wanted[UNIT_WISHES]; /* integral over time of the share of these units that idle threads could execute */
	double *since;              /* by index in net.unit_nodes: `wanted` when it became ready */
	uint8_t *state;             /* by index in net.unit_nodes: UNIT_IS_ */
	uint32_t *place;            /* by node of the graph that is no task's first one: index in net.unit_nodes */
};

static int by_ticks(const void *left, const void *right)
{
	const struct ready_unit *l = left, *r = right;
	return cmp(l->ticks, r->ticks) ?: cmp(l->node, r->node);
}

static enum unit_wish wish_of(const struct net *net, uint32_t node)
{
	bool wants_mutex = net_unit_wait(net, net_inner(net, node)->previous) == UNIT_WAITS_MUTEX;
	return wants_mutex ? UNIT_WANTS_MUTEX : UNIT_WANTS_THREAD;
}

static void begin(struct sweep_over_time *s)
{
	const struct net *net = s->net;
	if (net->unit_nodes == NULL)
		return;
	size_t n_streams = s->track->n_streams, n = net->first_unit_node[n_streams];
	struct ready_units *r = s->ready = memory_zeroed(1, sizeof *r, WHAT);
	r->units = memory_get(n + 1, sizeof *r->units, WHAT);
	r->since = memory_zeroed(n + 1, sizeof *r->since, WHAT);
	r->state = memory_zeroed(n + 1, sizeof *r->state, WHAT);
	r->place = memory_zeroed(net->n - net->n_tasks + 1, sizeof *r->place, WHAT);
	for (size_t i = 0; i < n; i++) {
		uint32_t node = net->unit_nodes[i];
		r->place[node - net->n_tasks] = (uint32_t)i;
		uint64_t since = wish_of(net, node) == UNIT_WANTS_MUTEX ? net_begin(net, net_inner(net, node)->previous)
									: net->ready_ticks[node];
		if (since != 0 && since < net_begin(net, node))
			r->units[r->n++] = (struct ready_unit){since, node};
	}
	sort_array(r->units, r->n, by_ticks);
}

static void free_ready(struct sweep_over_time *s)
{
	free(s->ready->units);
	free(s->ready->since);
	free(s->ready->state);
	free(s->ready->place);
	free(s->ready);
	s->ready = NULL;
}

static void seek(struct sweep_over_time *s, bool begins)
{
	s->ready->n_seeking += begins ? 1 : UINT32_MAX;
}

static uint64_t next_ready(const struct sweep_over_time *s)
{
	const struct ready_units *r = s->ready;
	return r->next < r->n ? r->units[r->next].ticks : UINT64_MAX;
}

static void step(struct sweep_over_time *s)
{
	struct ready_units *r = s->ready;
	for (; next_ready(s) <= s->now; r->next++) {
		uint32_t node = r->units[r->next].node, place = r->place[node - s->net->n_tasks];
		enum unit_wish wish = wish_of(s->net, node);
		if (r->state[place] != UNIT_IS_COMING)
			continue;
		r->state[place] = UNIT_IS_READY;
		r->since[place] = r->wanted[wish];
		r->n_ready[wish]++;
	}
}

static void take(struct sweep_over_time *s, uint32_t node)
{
	struct ready_units *r = s->ready;
	uint32_t place = r->place[node - s->net->n_tasks];
	if (r->state[place] == UNIT_IS_READY) {
		bool is_new = net_is_task(s->net, node);
		uint32_t construct = net_task_construct(s->net, node);
		enum unit_wish wish = wish_of(s->net, node);
		double blame = r->wanted[wish] - r->since[place];
		enum limit limit = wish == UNIT_WANTS_MUTEX ? LIMIT_EXCLUSION : LIMIT_RUNTIME;
		enum cause_sort sort = wish == UNIT_WANTS_MUTEX ? CAUSE_PLAIN : is_new ? CAUSE_SCHEDULING : CAUSE_RESUMING;
		r->n_ready[wish]--;
		causes_blame(s->causes, sweep_cause(s, limit, sort, construct), blame);
	}
	r->state[place] = UNIT_IS_TAKEN;
}

static double pass(struct sweep_over_time *s, double length)
{
	struct ready_units *r = s->ready;
	double idle = r->n_seeking, passed = 0;
	for (unsigned wish = 0; wish < UNIT_WISHES && passed < idle; wish++) {
		double n = r->n_ready[wish] < idle - passed ? r->n_ready[wish] : idle - passed;
		if (n <= 0)
			continue;
		r->wanted[wish] += length * n / r->n_ready[wish];
		s->taken[wish] += length * n / idle;
		passed += n;
	}
	return passed;
}

const struct sweep_unit_hooks argobots_sweep = {
	.begin = begin,
	.free = free_ready,
	.seek = seek,
	.next = next_ready,
	.step = step,
	.take = take,
	.pass = pass,
};
