/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing a small program's records, and building the graph of them.
 */
#include "tests/unit/replay_fixture.h"
#include "builder/graph/files.h"
#include "builder/symbols/symbols.h"
#include "builder/gather/gather.h"
#include "tests/unit/said.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dump_writer replay_writer;
struct trace replay_trace;
struct graph replay_graph;
struct states replay_states;
uint64_t replay_now;

static char root[64], dir[128], said_text[16384];

void replay_setup(void)
{
	strcpy(root, "/tmp/otter-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(dir, sizeof dir, "%s/p-host-1.otter", root);
	dump_writer_init(&replay_writer, dir);
	replay_now = 2000;
}

void replay_teardown(void)
{
	dump_writer_remove(dir);
	dump_writer_remove(root);
}

/* ---- Writing ---- */

void replay_put(uint32_t stream, unsigned kind, unsigned flags, uint64_t value, uint64_t a, uint64_t b)
{
	dump_writer_record(&replay_writer, stream, replay_now += 10, kind, flags, value, a, b);
}

void replay_begin_region(uint64_t region, unsigned threads)
{
	replay_put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, region, threads, 0x1000);
}

void replay_begin_implicit(uint32_t stream, uint64_t task, uint64_t region, uint64_t threads, uint64_t index)
{
	replay_put(stream, EVENT_implicit_task_begin, task_flags_implicit, task, id_make(0, region), threads | index << 32);
}

void replay_end_implicit(uint32_t stream, uint64_t task, uint64_t index)
{
	replay_put(stream, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(stream, task), index << 32);
}

void replay_sync_begin(uint32_t stream, unsigned kind, uint64_t task)
{
	replay_put(stream, EVENT_sync_region_begin, kind, 0, task, 0x2000);
}

void replay_sync_end(uint32_t stream, unsigned kind, uint64_t task)
{
	replay_put(stream, EVENT_sync_region_end, kind, 0, task, 0x2000);
}

/* Creates an explicit task in stream 0; returns its id. */
uint64_t replay_create(uint64_t counter, uint64_t parent)
{
	replay_put(0, EVENT_task_create, task_flags_explicit, counter, parent, 0x3000);
	return id_make(0, counter);
}

void replay_run_task(uint64_t task, uint64_t in)
{
	replay_put(0, EVENT_task_schedule, task_status_switch, 0, in, task);
	replay_put(0, EVENT_task_schedule, task_status_complete, 0, task, in);
}

/* The usual frame: a root, one region, its implicit task 2 on stream 0. */
uint64_t replay_begin_program(unsigned threads)
{
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	replay_begin_region(2, threads);
	replay_begin_implicit(0, 2, 2, threads, 0);
	return id_make(0, 2);
}

void replay_end_program(void)
{
	replay_end_implicit(0, 2, 0);
	replay_put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	replay_put(0, EVENT_thread_detach, 0, 0, 4242, 0);
}

/* ---- Reading ---- */

/* What a listener was told of each stream. */
static struct seen {
	char text[4096];
	enum state state;
	uint64_t since_ticks, sum_ticks;
} seen[WRITER_STREAMS];

static int see(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	struct seen *s = &seen[stream];
	(void)self;
	ck_assert_int_ne(from, to);
	ck_assert_int_eq(from, s->state);
	ck_assert_uint_eq(since_ticks, s->since_ticks);
	ck_assert_uint_le(since_ticks, ticks);
	if (from != STATE_NONE)
		s->sum_ticks += ticks - since_ticks;
	size_t n = strlen(s->text);
	if (state_is_nothing(from, since_ticks, ticks))
		s->text[n -= n > 9 ? 10 : 9] = '\0'; /* "undefined", and the space before it */
	if (to != STATE_NONE) {
		snprintf(s->text + n, sizeof s->text - n, "%s%s", n > 0 ? " " : "", state_name(to));
	}
	s->state = to;
	s->since_ticks = ticks;
	return 0;
}

const char *replay_states_seen(uint32_t stream)
{
	return seen[model_stream_row(&replay_trace.dump, stream)].text;
}

/* The life of a stream's threads, from its records and the process's start, at which the first stream's thread begins. */
static uint64_t life_ticks(size_t row)
{
	struct cursor c;
	uint64_t life = 0, since = 0, latest = 0; /* behind a flush the times of the callback that it happened in are earlier */
	bool is_alive = false;
	cursor_init(&c, &replay_trace.dump.streams[row]);
	for (const struct record *first = NULL, *r; (r = cursor_peek(&c)) != NULL; cursor_next(&c)) {
		if ((first == NULL || record_kind(r) == EVENT_thread_attach) && !is_alive) {
			uint64_t start = replay_trace.dump.start_ticks;
			since = row == 0 && first == NULL && start != 0 ? start : r->time;
			is_alive = true;
		}
		first = r;
		if (r->time > latest && !record_is_continuation(r))
			latest = r->time;
		if (record_kind(r) == EVENT_thread_detach && is_alive) {
			life += latest - since;
			is_alive = false;
		}
	}
	return is_alive ? life + replay_trace.model.last_ticks - since : life;
}

static void check_states(void)
{
	for (size_t i = 0; i < replay_states.n_streams; i++) {
		ck_assert_int_eq(seen[i].state, STATE_NONE);
		ck_assert_uint_eq(state_times_total(&replay_states.times[i]), seen[i].sum_ticks);
		if (replay_count_of(&replay_trace.model.notes->quirks, "clocks_differ") == 0) /* else times are not the records' */
			ck_assert_uint_eq(seen[i].sum_ticks, life_ticks(i));
	}
}

static int count_set(void *self, const uint32_t *nodes, uint32_t n)
{
	(void)nodes;
	*(uint64_t *)self += n;
	return 0;
}

/* A graph that is only counted has the counts of the one that is kept, and comes to the same repairs. */
static void check_counted(enum graph_level level)
{
	static char text[16384];
	static struct progress progress;
	struct model model = {0};
	struct graph counted;
	struct graph_counts kept_counts = {0}, counts = {0};
	uint64_t n_kept_members = 0, n_members = 0;
	const struct visitor visitor = {&graph_ops, &counted};
	struct said said = said_begin(); /* what is said was said already */
	ck_assert_int_eq(model_gather(&model, &replay_trace.dump, true), 0);
	graph_begin(&counted, &model, level, GRAPH_COUNTED);
	ck_assert_int_eq(replay_run(&model, &visitor, 1, &progress), 0);
	ck_assert_int_eq(graph_finish(&counted), 0);
	said_end(said, text, sizeof text);
	graph_count(&replay_graph, &kept_counts);
	graph_count(&counted, &counts);
	for (unsigned i = 0; i < NODE_KINDS; i++)
		ck_assert_msg(counts.nodes[i] == kept_counts.nodes[i], "%lu nodes %s, not %lu", counts.nodes[i], node_kind_name(i),
			      kept_counts.nodes[i]);
	for (unsigned i = 0; i < EDGE_KINDS; i++)
		ck_assert_msg(counts.edges[i] == kept_counts.edges[i], "%lu edges %s, not %lu", counts.edges[i], edge_kind_name(i),
			      kept_counts.edges[i]);
	graph_each_exclusive(&replay_graph, count_set, &n_kept_members);
	graph_each_exclusive(&counted, count_set, &n_members);
	ck_assert_uint_eq(n_members, n_kept_members);
	for (unsigned i = 0; i < replay_graph.repairs.n_rows; i++)
		ck_assert_uint_eq(replay_count_of(&counted.repairs, replay_graph.repairs.rows[i].name),
				  replay_graph.repairs.rows[i].count);
	ck_assert_uint_eq(tally_total(&counted.repairs), tally_total(&replay_graph.repairs));
	ck_assert_uint_eq(tally_total(&model.notes->repairs), tally_total(&replay_trace.model.notes->repairs));
	ck_assert_uint_eq(tally_total(&model.notes->quirks), tally_total(&replay_trace.model.notes->quirks));
	graph_free(&counted);
	model_free(&model);
}

void replay_build(enum graph_level level)
{
	static struct progress progress;
	const struct state_listener listener = {see, NULL};
	for (size_t i = 0; i < WRITER_STREAMS; i++)
		seen[i] = (struct seen){.state = STATE_NONE};
	dump_writer_finish(&replay_writer);
	memset(&replay_trace, 0, sizeof replay_trace);
	ck_assert_int_eq(dump_open(&replay_trace.dump, dir), 0);
	ck_assert_int_eq(model_gather(&replay_trace.model, &replay_trace.dump, true), 0);
	graph_begin(&replay_graph, &replay_trace.model, level, GRAPH_KEPT);
	states_begin(&replay_states, &replay_trace.model, &listener, 1);
	replay_graph.busy = &replay_states.busy;
	replay_graph.unit_busy = &replay_states.units;
	replay_graph.blocked = replay_trace.model.switches.are_recorded ? &replay_states.blocked : NULL;
	const struct visitor visitors[] = {
		{&states_ops, &replay_states}, {&exclusion_ops, &replay_states}, {&graph_ops, &replay_graph}};
	ck_assert_int_eq(replay_run(&replay_trace.model, visitors, 3, &progress), 0);
	states_finish(&replay_states);
	check_states();
	ck_assert_int_eq(graph_finish(&replay_graph), 0);
	check_counted(level);
	struct symbols *symbols = symbols_open();
	symbols_resolve(symbols, &replay_trace.model);
	symbols_close(symbols);
}

void replay_done(void)
{
	graph_free(&replay_graph);
	states_free(&replay_states);
	model_free(&replay_trace.model);
	dump_close(&replay_trace.dump);
}

uint64_t replay_n_repairs(void)
{
	return tally_total(&replay_trace.model.notes->repairs) + tally_total(&replay_graph.repairs);
}

static int count_kind(void *self, const struct node_view *node)
{
	((unsigned *)self)[node->kind]++;
	return 0;
}

unsigned replay_n_nodes(enum node_kind kind)
{
	unsigned counts[NODE_KINDS] = {0};
	graph_each_node(&replay_graph, count_kind, counts);
	return counts[kind];
}

uint64_t replay_count_of(const struct tally *tally, const char *name)
{
	for (unsigned i = 0; i < tally->n_rows; i++)
		if (strcmp(tally->rows[i].name, name) == 0)
			return tally->rows[i].count;
	return 0;
}

struct wanted {
	uint32_t source, target;
	enum edge_kind kind;
	unsigned n;
};

static int match(void *self, const struct edge_view *edge)
{
	struct wanted *wanted = self;
	bool is_source = wanted->source == 0 || wanted->source == edge->source;
	bool is_target = wanted->target == 0 || wanted->target == edge->target;
	wanted->n += is_source && is_target && wanted->kind == edge->kind;
	return 0;
}

/* Edges between two tasks (0: any node), by id. */
unsigned replay_edges(uint64_t source, uint64_t target, enum edge_kind kind)
{
	struct wanted wanted = {model_task(&replay_trace.model, source), model_task(&replay_trace.model, target), kind, 0};
	graph_each_edge(&replay_graph, match, &wanted);
	return wanted.n;
}

void replay_build_said(void)
{
	struct said said = said_begin();
	replay_build(GRAPH_TASK);
	said_end(said, said_text, sizeof said_text);
}

void replay_assert_said(const char *text)
{
	said_assert(said_text, text);
}

void replay_assert_repair(const char *name, const char *text)
{
	replay_build_said();
	uint64_t n = replay_count_of(&replay_trace.model.notes->repairs, name) + replay_count_of(&replay_graph.repairs, name);
	ck_assert_msg(n == 1, "%s: %llu times, of %llu repairs", name, (unsigned long long)n,
		      (unsigned long long)replay_n_repairs());
	char all[512];
	snprintf(all, sizeof all, "%s [%s]", text, name);
	replay_assert_said(all);
	replay_done();
}

void replay_print_canonical(FILE *out)
{
	struct canonical_list *list = NULL;
	canonical_collect(&list, &replay_trace, &replay_graph, false);
	ck_assert_int_eq(graph_canonical(list, out), 0);
	canonical_free_list(list);
}
