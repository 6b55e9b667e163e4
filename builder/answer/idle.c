/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Units of Argobots that are ready while threads look for units. The library does not say why a thread finds none: the
 * unit may be in a pool that it does not look into, or the scheduler is slow. So as long as units are ready and threads
 * look for some, as many threads as there are units do not wait for work of others, and each of these units is blamed for
 * its part of that.
 *
 * Before these come units that wait for a mutex, until they run again: others would have to wait as well, and who releases
 * one wakes all that wait, of which each but the first waits again. Called by account.c and spend.c, on one thread.
 */
#include "builder/answer/lane.h"
#include "builder/support/memory.h"

#include <stdlib.h>

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
	double wanted[UNIT_WISHES]; /* sum over time of what share of these units an idle thread could execute */
	double *since;              /* by place in net.unit_nodes: what `wanted` was when it became ready */
	uint8_t *state;             /* the same: UNIT_IS_ */
	uint32_t *place;            /* by node of the graph that is no task's first one: in net.unit_nodes */
};

static int by_ticks(const void *left, const void *right)
{
	const struct ready_unit *l = left, *r = right;
	if (l->ticks != r->ticks)
		return l->ticks < r->ticks ? -1 : 1;
	return l->node < r->node ? -1 : l->node > r->node;
}

static enum unit_wish wish_of(const struct net *net, uint32_t node)
{
	bool wants_mutex = net_unit_wait(net, net_inner(net, node)->previous) == UNIT_WAITS_MUTEX;
	return wants_mutex ? UNIT_WANTS_MUTEX : UNIT_WANTS_THREAD;
}

void ready_units_begin(struct sweep_over_time *s)
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
	qsort(r->units, r->n, sizeof *r->units, by_ticks);
}

void ready_units_free(struct sweep_over_time *s)
{
	if (s->ready == NULL)
		return;
	free(s->ready->units);
	free(s->ready->since);
	free(s->ready->state);
	free(s->ready->place);
	free(s->ready);
	s->ready = NULL;
}

void ready_units_seek(struct sweep_over_time *s, bool begins)
{
	if (s->ready != NULL)
		s->ready->n_seeking += begins ? 1 : UINT32_MAX;
}

uint64_t ready_units_next(const struct sweep_over_time *s)
{
	const struct ready_units *r = s->ready;
	return r != NULL && r->next < r->n ? r->units[r->next].ticks : UINT64_MAX;
}

void ready_units_step(struct sweep_over_time *s)
{
	struct ready_units *r = s->ready;
	for (; ready_units_next(s) <= s->now; r->next++) {
		uint32_t node = r->units[r->next].node, place = r->place[node - s->net->n_tasks];
		enum unit_wish wish = wish_of(s->net, node);
		if (r->state[place] != UNIT_IS_COMING)
			continue;
		r->state[place] = UNIT_IS_READY;
		r->since[place] = r->wanted[wish];
		r->n_ready[wish]++;
	}
}

void ready_units_take(struct sweep_over_time *s, uint32_t node)
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
		causes_blame(s->causes, lane_cause(s, limit, sort, construct), blame);
	}
	r->state[place] = UNIT_IS_TAKEN;
}

double ready_units_pass(struct sweep_over_time *s, double length)
{
	struct ready_units *r = s->ready;
	double idle = r != NULL ? r->n_seeking : 0, passed = 0;
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
