/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Helpers of the tests of Argobots' work units; units_fixture.h describes them.
 */
#include "tests/unit/units_fixture.h"
#include "builder/argobots/events.h"

#include <stdio.h>
#include <string.h>

static char told[8192];

static void say(const char *format, uint32_t a, uint32_t b)
{
	size_t n = strlen(told);
	snprintf(told + n, sizeof told - n, n > 0 ? " " : "");
	n = strlen(told);
	snprintf(told + n, sizeof told - n, format, a, b);
}

static int on_life(void *self, const struct point *at, uint32_t life, bool is_begin)
{
	(void)self;
	(void)at;
	say(is_begin ? "life%u" : "over%u", life, 0);
	return 0;
}

static int on_create(void *self, const struct point *at, uint32_t unit, uint32_t creator)
{
	(void)self;
	(void)at;
	say("create%u<%u", unit, creator);
	return 0;
}

static int on_revive(void *self, const struct point *at, uint32_t unit, uint32_t creator)
{
	(void)self;
	(void)at;
	say("revive%u<%u", unit, creator);
	return 0;
}

static int on_switch(void *self, const struct point *at, const struct unit_switch *change)
{
	static const char *const names[] = {"begin%u>%u",  "run%u>%u",    "yield%u>%u", "suspend%u>%u",
					    "finish%u>%u", "cancel%u>%u", "end%u>%u",   "cut%u>%u"};
	(void)self;
	ck_assert(at->unit == change->prior || change->reason == UNIT_CANCEL);
	say(names[change->reason], change->prior, change->next);
	return 0;
}

static int on_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count, bool was_look)
{
	(void)was_look;
	(void)self;
	(void)wait;
	ck_assert_uint_eq(at->unit, unit);
	say("poll%u*%u", unit, (uint32_t)count);
	return 0;
}

static int on_resume(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait)
{
	(void)self;
	(void)at;
	(void)wait;
	say("resume%u<%u", unit, waker);
	return 0;
}

static int on_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look)
{
	(void)was_look;
	(void)self;
	(void)at;
	say(is_first ? "join%u<%u" : "again%u<%u", unit, joiner);
	return 0;
}

static int on_free(void *self, const struct point *at, uint32_t unit, uint32_t by)
{
	(void)self;
	(void)at;
	say("free%u<%u", unit, by);
	return 0;
}

static const struct unit_ops unit_teller = {.unit_life = on_life,
					    .unit_create = on_create,
					    .unit_revive = on_revive,
					    .unit_switch = on_switch,
					    .unit_poll = on_poll,
					    .unit_resume = on_resume,
					    .unit_join = on_join,
					    .unit_free = on_free};

static const void *const own[N_PARADIGMS] = {[PARADIGM_argobots] = &unit_teller};
static const struct replay_ops teller = {.own = own};

const char *units_told(void)
{
	static struct progress progress;
	const struct visitor visitor = {&teller, NULL};
	told[0] = '\0';
	replay_build(GRAPH_TASK);
	ck_assert_int_eq(replay_run(&replay_trace.model, &visitor, 1, &progress), 0);
	return told;
}

/* ---- The graph ---- */

static int count_loose(void *self, const struct edge_view *edge)
{
	struct node_view source = graph_node(&replay_graph, edge->source), target = graph_node(&replay_graph, edge->target);
	*(unsigned *)self += source.kind == NODE_NONE || target.kind == NODE_NONE;
	return 0;
}

struct arrows {
	unsigned n_in[4096];
	struct {
		uint32_t source, target;
	} all[8192];
	unsigned n;
};

static int keep_arrow(void *self, const struct edge_view *edge)
{
	struct arrows *arrows = self;
	ck_assert_uint_lt(arrows->n, 8192);
	ck_assert_uint_lt(edge->target, 4096);
	arrows->all[arrows->n].source = edge->source;
	arrows->all[arrows->n++].target = edge->target;
	arrows->n_in[edge->target]++;
	return 0;
}

/* Removes nodes without incoming edges until none is left: a cycle would remain. */
static bool has_cycle(void)
{
	static struct arrows arrows;
	memset(&arrows, 0, sizeof arrows);
	graph_each_edge(&replay_graph, keep_arrow, &arrows);
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (unsigned i = 0; i < arrows.n; i++)
			if (arrows.all[i].target != 0 && arrows.n_in[arrows.all[i].source] == 0) {
				arrows.n_in[arrows.all[i].target]--;
				arrows.all[i].target = 0;
				is_changed = true;
			}
	}
	for (unsigned i = 0; i < arrows.n; i++)
		if (arrows.all[i].target != 0)
			return true;
	return false;
}

void units_check_graph(void)
{
	unsigned n_loose = 0;
	graph_each_edge(&replay_graph, count_loose, &n_loose);
	ck_assert_uint_eq(n_loose, 0);
	ck_assert(!has_cycle());
}
