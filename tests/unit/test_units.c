/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Argobots' work units on synthetic dumps: who is meant by a handle that is used again, who runs and who acts, and what becomes of records that do
 * not fit together. What the library really delivers is tests/argobots.py's.
 */
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRIMARY  0x9000
#define SCHED    0x9100
#define XSTREAM  0x100
#define U        0x1000
#define V        0x2000
#define FUNCTION 0x5000
#define STACK    16384
#define POOL     0x800

/* ---- Writing ---- */

static void put(uint32_t stream, unsigned kind, unsigned flags, uint64_t a, uint64_t b)
{
	replay_put(stream, kind, flags, 0, a, b);
}

static void attach(uint32_t stream)
{
	put(stream, EVENT_thread_attach, 0, 100 + stream, UINT64_MAX);
}

static void detach(uint32_t stream)
{
	put(stream, EVENT_thread_detach, 0, 100 + stream, 0);
}

static void begin(void)
{
	attach(0);
	put(0, EVENT_unit_begin, 0, PRIMARY, XSTREAM);
}

static void end(void)
{
	put(0, EVENT_unit_end, 0, 0, 0);
	detach(0);
}

static void creation(unsigned kind, uint32_t stream, uint64_t unit, uint64_t caller, uint64_t stack_bytes)
{
	replay_put(stream, kind, 0, stack_bytes != 0 ? POOL / 8 : 0, unit, caller);
	dump_writer_record(&replay_writer, stream, 0, EVENT_unit_more, 0, stack_bytes, FUNCTION, 0);
}

static void create(uint32_t stream, uint64_t unit, uint64_t caller)
{
	creation(EVENT_unit_create, stream, unit, caller, STACK);
}

static void run_unit(uint32_t stream, uint64_t unit, uint64_t previous, unsigned depth)
{
	put(stream, EVENT_unit_run, depth << 4, unit, previous);
}

static void finish(uint32_t stream, uint64_t unit, unsigned depth)
{
	put(stream, EVENT_unit_finish, depth << 4, unit, 0);
}

static void yield(uint32_t stream, uint64_t unit, unsigned sync, uint64_t object)
{
	put(stream, EVENT_unit_yield, 1 << 4 | sync, unit, object);
}

static void suspend(uint32_t stream, uint64_t unit, unsigned sync, uint64_t object)
{
	put(stream, EVENT_unit_suspend, 1 << 4 | sync, unit, object);
}

static void resume(uint32_t stream, uint64_t unit, uint64_t waker)
{
	put(stream, EVENT_unit_resume, 0, unit, waker);
}

/* The caller creates, joins and frees a unit, which runs on the same stream. */
static void whole_unit(uint32_t stream, uint64_t unit, uint64_t caller)
{
	create(stream, unit, caller);
	suspend(stream, caller, unit_sync_unit_join, unit);
	run_unit(stream, unit, SCHED, 1);
	finish(stream, unit, 1);
	resume(stream, caller, unit);
	run_unit(stream, caller, unit, 1);
	put(stream, EVENT_unit_join, 0, unit, caller);
	put(stream, EVENT_unit_free, 0, unit, caller);
}

/* ---- Reading: what a visitor is told, a word an event ---- */

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

static int on_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count)
{
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

static int on_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first)
{
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

static const struct replay_ops teller = {.unit_life = on_life,
					 .unit_create = on_create,
					 .unit_revive = on_revive,
					 .unit_switch = on_switch,
					 .unit_poll = on_poll,
					 .unit_resume = on_resume,
					 .unit_join = on_join,
					 .unit_free = on_free};

static const char *build(void)
{
	static struct progress progress;
	const struct visitor visitor = {&teller, NULL};
	told[0] = '\0';
	replay_build(GRAPH_TASK);
	ck_assert_int_eq(replay_run(&replay_trace.model, &visitor, 1, &progress), 0);
	return told;
}

static const struct work_unit *unit(uint32_t row)
{
	ck_assert_uint_lt(row, replay_trace.model.n_units);
	return &replay_trace.model.units[row];
}

static uint64_t repairs(const char *name)
{
	return replay_count_of(&replay_trace.model.repairs, name);
}

static uint64_t quirks(const char *name)
{
	return replay_count_of(&replay_trace.model.quirks, name);
}

/* ---- Cases ---- */

START_TEST(created_and_joined)
{
	begin();
	whole_unit(0, U, PRIMARY);
	end();
	/* 1: the primary unit, 2: the one created, 3: the scheduler, whom the first run names. */
	ck_assert_str_eq(build(), "life1 begin0>1 create2<1 suspend1>0 begin0>3 run3>2 finish2>3 resume1<2 run3>1 join2<1 free2<1 "
				  "end1>3 end3>0 over1");
	ck_assert_uint_eq(unit(1)->kind, UNIT_PRIMARY);
	ck_assert_uint_eq(unit(2)->kind, UNIT_ULT);
	ck_assert_uint_eq(unit(3)->kind, UNIT_SCHEDULER);
	ck_assert_uint_eq(unit(2)->creator, 1);
	ck_assert_uint_eq(unit(2)->number, 1);
	ck_assert_uint_eq(unit(2)->stack_bytes, STACK);
	ck_assert_uint_eq(unit(2)->busy_ticks, 10);
	ck_assert_uint_eq(unit(2)->state,
			  UNIT_SEEN | UNIT_ACTED | UNIT_CREATED | UNIT_STARTED | UNIT_ENDED | UNIT_JOINED | UNIT_FREED);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(handle_used_again)
{
	begin();
	whole_unit(0, U, PRIMARY);
	whole_unit(0, U, PRIMARY);
	end();
	build();
	ck_assert_uint_eq(replay_trace.model.n_units, 5);
	ck_assert_uint_eq(unit(2)->generation, 1);
	ck_assert_uint_eq(unit(4)->generation, 2);
	ck_assert_uint_eq(unit(4)->handle, U);
	ck_assert_uint_eq(unit(4)->number, 2);
	ck_assert_uint_eq(unit(4)->n_runs, 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(lives)
{
	begin();
	whole_unit(0, U, PRIMARY);
	put(0, EVENT_unit_end, 0, 0, 0);
	put(0, EVENT_unit_begin, 0, PRIMARY, XSTREAM);
	whole_unit(0, U, PRIMARY);
	end();
	ck_assert_ptr_nonnull(strstr(build(), "over1 life2 begin0>4 create5<4"));
	ck_assert_uint_eq(unit(4)->kind, UNIT_PRIMARY);
	ck_assert_uint_eq(unit(4)->life, 2);
	ck_assert_uint_eq(unit(5)->generation, 2);
	ck_assert_uint_eq(unit(6)->kind, UNIT_SCHEDULER);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(revived)
{
	begin();
	create(0, U, PRIMARY);
	suspend(0, PRIMARY, unit_sync_unit_join, U);
	run_unit(0, U, SCHED, 1);
	finish(0, U, 1);
	resume(0, PRIMARY, U);
	run_unit(0, PRIMARY, U, 1);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	creation(EVENT_unit_revive, 0, U, PRIMARY, STACK);
	suspend(0, PRIMARY, unit_sync_unit_join, U);
	run_unit(0, U, SCHED, 1);
	finish(0, U, 1);
	resume(0, PRIMARY, U);
	run_unit(0, PRIMARY, U, 1);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_free, 0, U, PRIMARY);
	end();
	ck_assert_ptr_nonnull(
		strstr(build(), "join2<1 revive4<1 suspend1>3 run3>4 finish4>3 resume1<4 run3>1 join4<1 again4<1 free4<1"));
	ck_assert_uint_eq(unit(4)->before, 2);
	ck_assert_uint_eq(unit(4)->first, 2);
	ck_assert_uint_eq(unit(4)->generation, 1);
	ck_assert_uint_eq(quirks("joined_again"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* A handle is freed on one stream, and another unit's on another: only time tells. A unit that moves; an external thread. */
START_TEST(streams)
{
	begin();
	attach(1);
	attach(2);
	create(0, U, PRIMARY);
	creation(EVENT_unit_create, 0, SCHED + 1, 0, 4 << 20);
	run_unit(1, SCHED + 1, 0x77, 0);
	run_unit(1, U, SCHED + 1, 1);
	yield(1, U, unit_sync_user, 0);
	yield(0, PRIMARY, unit_sync_user, 0);
	run_unit(0, U, SCHED, 1);
	finish(0, U, 1);
	run_unit(0, PRIMARY, SCHED, 1);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_free, 0, U, PRIMARY);
	create(2, U, 0);
	run_unit(1, U, SCHED + 1, 1);
	finish(1, U, 1);
	put(2, EVENT_unit_join, 0, U, 0);
	put(2, EVENT_unit_free, 0, U, 0);
	detach(2);
	finish(1, SCHED + 1, 0);
	detach(1);
	end();
	/* 2: U, 3: a main scheduler, 4: the primary's, 5: the external thread, 6: another unit with U's handle. */
	ck_assert_str_eq(
		build(),
		"life1 begin0>1 create2<1 create3<1 run0>3 run3>2 yield2>3 yield1>0 begin0>4 run4>2 finish2>4 run4>1 "
		"join2<1 free2<1 begin0>5 create6<5 run3>6 finish6>3 join6<5 free6<5 end5>0 finish3>0 end1>4 end4>0 over1");
	ck_assert(unit(2)->state & UNIT_MIGRATED);
	ck_assert_uint_eq(unit(5)->kind, UNIT_EXTERNAL);
	ck_assert_uint_eq(unit(5)->create_stream, 2);
	ck_assert_uint_eq(quirks("creator_not_named"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* A scheduler that is a unit of another one's: what it runs is above it, and it goes on when that stops. */
START_TEST(stacked)
{
	begin();
	create(0, V, PRIMARY);
	create(0, U, PRIMARY);
	yield(0, PRIMARY, unit_sync_user, 0);
	run_unit(0, V, SCHED, 1);
	run_unit(0, U, V, 2);
	put(0, EVENT_unit_yield, 2 << 4 | unit_sync_user, U, 0);
	yield(0, V, unit_sync_user, 0);
	run_unit(0, V, SCHED, 1);
	run_unit(0, U, V, 2);
	finish(0, U, 2);
	finish(0, V, 1);
	run_unit(0, PRIMARY, SCHED, 1);
	end();
	ck_assert_str_eq(
		build(),
		"life1 begin0>1 create2<1 create3<1 yield1>0 begin0>4 run4>2 run2>3 yield3>2 yield2>4 run4>2 run2>3 finish3>2 "
		"finish2>4 run4>1 end1>4 end4>0 over1");
	ck_assert_uint_eq(unit(2)->busy_ticks, 40);
	ck_assert_uint_eq(unit(3)->busy_ticks, 20);
	ck_assert_uint_eq(unit(3)->depth, 2);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

START_TEST(polls_and_cancels)
{
	begin();
	create(0, U, PRIMARY);
	create(0, V, PRIMARY);
	yield(0, PRIMARY, unit_sync_unit_join, V);
	run_unit(0, PRIMARY, SCHED, 1);
	replay_put(0, EVENT_unit_polls, 1 << 4 | unit_sync_unit_join, 1000, PRIMARY, V);
	yield(0, PRIMARY, unit_sync_unit_join, V);
	put(0, EVENT_unit_cancel, 0, U, 0);
	run_unit(0, V, SCHED, 1);
	put(0, EVENT_unit_cancel, 0, V, 0);
	run_unit(0, PRIMARY, SCHED, 1);
	end();
	ck_assert_str_eq(
		build(),
		"life1 begin0>1 create2<1 create3<1 yield1>0 begin0>4 run4>1 poll1*1000 yield1>4 cancel2>4 run4>3 cancel3>4 "
		"run4>1 end1>4 end4>0 over1");
	ck_assert_uint_eq(unit(2)->state & (UNIT_STARTED | UNIT_CANCELLED | UNIT_ENDED), UNIT_CANCELLED | UNIT_ENDED);
	ck_assert_uint_eq(unit(1)->n_polls, 1000);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* 1.1: the joiner is resumed before the end; the root of an execution stream is created and freed, and never runs. */
START_TEST(version_1_1)
{
	replay_writer.more_meta = "argobots recorded\nargobots_code 20480\nmaps_at 1\nmap 5000 6000 0 - /usr/lib/libabt.so.1\n";
	begin();
	creation(EVENT_unit_create, 0, 0x7000, 0, 0);
	create(0, U, PRIMARY);
	suspend(0, PRIMARY, unit_sync_unit_join, U);
	run_unit(0, U, SCHED, 1);
	resume(0, PRIMARY, U);
	finish(0, U, 1);
	run_unit(0, PRIMARY, U, 1);
	put(0, EVENT_unit_free, 0, 0x7000, PRIMARY);
	end();
	build();
	ck_assert_ptr_null(strstr(told, "create2"));
	ck_assert_uint_eq(quirks("resume_before_finish"), 1);
	ck_assert_uint_eq(quirks("root_unit"), 1);
	ck_assert_uint_eq(unit(2)->kind, UNIT_ROOT);
	ck_assert_uint_eq(unit(3)->number, 1);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

/* ---- What does not fit together ---- */

START_TEST(stop_is_missing)
{
	begin();
	attach(1);
	create(0, U, PRIMARY);
	run_unit(1, U, SCHED, 1);
	run_unit(1, U, SCHED, 1);
	put(1, EVENT_unit_yield, 1 << 4, V, 0);
	detach(1);
	end();
	build();
	ck_assert_uint_eq(repairs("unit_without_stop"), 1);
	ck_assert_uint_eq(repairs("unit_without_create"), 1);
	ck_assert_uint_eq(repairs("stop_of_another_unit"), 1);
	replay_done();
}
END_TEST

START_TEST(killed)
{
	replay_writer.is_killed = true;
	begin();
	create(0, U, PRIMARY);
	yield(0, PRIMARY, unit_sync_user, 0);
	run_unit(0, U, SCHED, 1);
	ck_assert_str_eq(build(), "life1 begin0>1 create2<1 yield1>0 begin0>3 run3>2 cut2>3 cut3>0");
	ck_assert_uint_eq(repairs("unit_without_end"), 2);
	replay_done();
}
END_TEST

START_TEST(ends_twice)
{
	begin();
	whole_unit(0, U, PRIMARY);
	create(0, V, PRIMARY);
	resume(0, V, PRIMARY);
	put(0, EVENT_unit_join, 0, V, PRIMARY);
	put(0, EVENT_unit_cancel, 0, V, 0);
	put(0, EVENT_unit_cancel, 0, V, 0);
	create(0, V, PRIMARY);
	put(0, EVENT_unit_free, 0, V, PRIMARY);
	end();
	build();
	ck_assert_uint_eq(repairs("resume_without_suspend"), 1);
	ck_assert_uint_eq(repairs("join_before_end"), 1);
	ck_assert_uint_eq(repairs("unit_ended_twice"), 1);
	ck_assert_uint_eq(repairs("unit_without_free"), 1);
	ck_assert_uint_eq(repairs("freed_before_end"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 5);
	replay_done();
}
END_TEST

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

/* Takes nodes without incoming edges away until none is left. */
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

static void check_graph(void)
{
	unsigned n_loose = 0;
	graph_each_edge(&replay_graph, count_loose, &n_loose);
	ck_assert_uint_eq(n_loose, 0);
	ck_assert(!has_cycle());
}

static int find_resume(void *self, const struct edge_view *edge)
{
	if (edge->kind == EDGE_RESUME)
		*(struct edge_view *)self = *edge;
	return 0;
}

/* A unit that waits for an eventual, resumed by another one, and is joined: the same at each level. */
START_TEST(edges)
{
	begin();
	create(0, U, PRIMARY);
	create(0, V, PRIMARY);
	suspend(0, PRIMARY, unit_sync_unit_join, U);
	run_unit(0, U, SCHED, 1);
	suspend(0, U, unit_sync_eventual, 0x77);
	run_unit(0, V, SCHED, 1);
	resume(0, U, V);
	finish(0, V, 1);
	run_unit(0, U, SCHED, 1);
	finish(0, U, 1);
	resume(0, PRIMARY, U);
	run_unit(0, PRIMARY, U, 1);
	put(0, EVENT_unit_join, 0, U, PRIMARY);
	put(0, EVENT_unit_join, 0, V, PRIMARY);
	put(0, EVENT_unit_join, 0, V, PRIMARY);
	end();
	replay_build((enum graph_level)_i);
	ck_assert_uint_eq(replay_n_nodes(NODE_UNIT), 2);
	ck_assert_uint_eq(replay_n_nodes(NODE_UNIT_WAIT), 1);
	ck_assert_uint_eq(replay_n_nodes(NODE_UNIT_JOIN), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_CREATE), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_JOIN), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_RESUME), 1);
	struct edge_view found = {0};
	graph_each_edge(&replay_graph, find_resume, &found);
	ck_assert_uint_eq(found.sync, unit_sync_eventual);
	ck_assert_uint_eq(found.object, 0x77);
	ck_assert_uint_eq(unit(2)->wait_ticks, 20);
	ck_assert_uint_eq(graph_node(&replay_graph, found.source).unit_node, graph_unit_node(&replay_graph, 3));
	ck_assert_uint_eq(graph_node(&replay_graph, found.target).unit_node, graph_unit_node(&replay_graph, 2));
	ck_assert_uint_eq(graph_node(&replay_graph, found.target).kind, NODE_UNIT_WAIT);
	check_graph();
	replay_done();
}
END_TEST

/* One wait however often it is looked at; two where something was done in between. */
START_TEST(polling_is_one_wait)
{
	begin();
	create(0, U, PRIMARY);
	run_unit(1, U, SCHED, 1);
	for (int i = 0; i < 5; i++) {
		yield(0, PRIMARY, unit_sync_mutex, 0x77);
		run_unit(0, PRIMARY, SCHED, 1);
		if (i == 2)
			create(0, V, PRIMARY);
	}
	finish(1, U, 1);
	end();
	replay_build((enum graph_level)_i);
	ck_assert_uint_eq(replay_n_nodes(NODE_UNIT_WAIT), 2);
	/* At the fragment level: behind each wait, and behind the first creation nothing came but the wait. */
	check_graph();
	replay_done();
}
END_TEST

/* Whoever was resumed and waits for the same once more waits twice: somebody may have come from the first wait to the second. */
START_TEST(resumed_twice)
{
	begin();
	create(0, U, PRIMARY);
	yield(0, PRIMARY, unit_sync_user, 0);
	for (int i = 0; i < 2; i++) {
		run_unit(0, U, SCHED, 1);
		suspend(0, U, unit_sync_cond, 0x77);
		run_unit(0, PRIMARY, SCHED, 1);
		resume(0, U, PRIMARY);
		yield(0, PRIMARY, unit_sync_user, 0);
	}
	run_unit(0, U, SCHED, 1);
	finish(0, U, 1);
	run_unit(0, PRIMARY, SCHED, 1);
	end();
	replay_build((enum graph_level)_i);
	ck_assert_uint_eq(replay_n_nodes(NODE_UNIT_WAIT), 2);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_RESUME), 2);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	check_graph();
	replay_done();
}
END_TEST

/* ---- Noise: whatever is there, what visitors are promised holds, and the graph has no cycle ---- */

static uint32_t is_on[1024], now_on[3];

static int noise_switch(void *self, const struct point *at, const struct unit_switch *change)
{
	(void)self;
	ck_assert_uint_eq(at->unit, now_on[at->stream]);
	ck_assert_uint_lt(change->prior, replay_trace.model.n_units);
	ck_assert_uint_lt(change->next, replay_trace.model.n_units);
	if (change->reason <= UNIT_RUN) {
		ck_assert_uint_eq(change->prior, at->unit);
		ck_assert_uint_eq(is_on[change->next], 0);
		is_on[change->next] = 1;
		now_on[at->stream] = change->next;
	} else if (change->reason != UNIT_CANCEL || is_on[change->prior] != 0) {
		ck_assert_uint_eq(change->prior, at->unit);
		ck_assert_uint_eq(is_on[change->prior], 1);
		is_on[change->prior] = 0;
		now_on[at->stream] = change->next;
	} else {
		ck_assert_uint_eq(change->next, at->unit);
	}
	return 0;
}

static int noise_create(void *self, const struct point *at, uint32_t row, uint32_t creator)
{
	(void)self;
	ck_assert_uint_eq(at->unit, now_on[at->stream]);
	ck_assert_uint_lt(row, replay_trace.model.n_units);
	ck_assert_uint_eq(unit(row)->creator, creator);
	return 0;
}

static const struct replay_ops noise_ops = {.unit_create = noise_create, .unit_revive = noise_create, .unit_switch = noise_switch};

static void put_noise(unsigned *seed)
{
	const uint64_t handles[] = {PRIMARY, SCHED, U, V, U + 8, V + 8};
	uint32_t stream = (uint32_t)rand_r(seed) % 3;
	unsigned kind = EVENT_unit_create + (unsigned)rand_r(seed) % 12, depth = (unsigned)rand_r(seed) % 4;
	uint64_t a = handles[rand_r(seed) % 6], b = rand_r(seed) % 3 != 0 ? handles[rand_r(seed) % 6] : 0;
	switch (rand_r(seed) % 40) {
	case 0: put(stream, EVENT_unit_begin, 0, PRIMARY, XSTREAM); return;
	case 1: put(stream, EVENT_unit_end, 0, 0, 0); return;
	case 2: put(stream, EVENT_thread_attach, 0, (uint64_t)rand_r(seed) % 5, 0); return;
	case 3: put(stream, EVENT_records_lost, 1, 5, 0); return;
	case 4: run_unit(stream, a, b, 255); return;
	default: break;
	}
	if (kind == EVENT_unit_create || kind == EVENT_unit_revive)
		creation(kind, stream, a, b, rand_r(seed) % 2 ? STACK : 0);
	else
		put(stream, kind, depth << 4 | (unsigned)rand_r(seed) % 12, a, b);
}

static void try_noise(int number)
{
	static struct progress progress;
	const struct visitor visitor = {&noise_ops, NULL};
	unsigned seed = (unsigned)number + 1;
	for (uint32_t stream = 0; stream < 3; stream++)
		attach(stream);
	if (number % 2 == 0)
		put(0, EVENT_unit_begin, 0, PRIMARY, XSTREAM);
	for (int i = 0; i < 150; i++)
		put_noise(&seed);
	diag_quiet();
	replay_build((enum graph_level)(number % 3));
	ck_assert_uint_lt(replay_trace.model.n_units, 1024);
	memset(is_on, 0, sizeof is_on);
	memset(now_on, 0, sizeof now_on);
	ck_assert_int_eq(replay_run(&replay_trace.model, &visitor, 1, &progress), 0);
	for (uint32_t row = 0; row < replay_trace.model.n_units; row++)
		ck_assert_uint_eq(is_on[row], 0);
	check_graph();
	replay_done();
}

/* Many in one process: a fixture's dump at a time. */
START_TEST(noise)
{
	for (int i = 0; i < 25; i++) {
		try_noise(_i * 25 + i);
		replay_teardown();
		replay_setup();
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("units");
	TCase *tcase = tcase_create("units");
	tcase_add_checked_fixture(tcase, replay_setup, replay_teardown);
	tcase_add_test(tcase, created_and_joined);
	tcase_add_test(tcase, handle_used_again);
	tcase_add_test(tcase, lives);
	tcase_add_test(tcase, revived);
	tcase_add_test(tcase, streams);
	tcase_add_test(tcase, stacked);
	tcase_add_test(tcase, polls_and_cancels);
	tcase_add_test(tcase, version_1_1);
	tcase_add_test(tcase, stop_is_missing);
	tcase_add_test(tcase, killed);
	tcase_add_test(tcase, ends_twice);
	tcase_add_loop_test(tcase, edges, GRAPH_SCOPE, GRAPH_FRAGMENT + 1);
	tcase_add_loop_test(tcase, polling_is_one_wait, GRAPH_SCOPE, GRAPH_FRAGMENT + 1);
	tcase_add_loop_test(tcase, resumed_twice, GRAPH_SCOPE, GRAPH_FRAGMENT + 1);
	tcase_add_loop_test(tcase, noise, 0, 12);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
