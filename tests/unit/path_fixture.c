/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/path_fixture.h"

#include <check.h>
#include <stdio.h>

void path_pass(uint64_t n)
{
	replay_now += n - 10;
}

void path_switch_task(uint32_t stream, unsigned status, uint64_t prior, uint64_t next)
{
	replay_put(stream, EVENT_task_schedule, status, 0, prior, next);
}

void path_run_for(uint64_t task, uint64_t in, uint64_t n)
{
	path_switch_task(0, task_status_switch, in, task);
	path_pass(n);
	path_switch_task(0, task_status_complete, task, in);
}

uint64_t path_depend(uint64_t counter, uint64_t parent, unsigned type)
{
	const uint64_t variable = 0x10;
	uint64_t task = replay_create(counter, parent);
	dump_writer_dependences(&replay_writer, 0, replay_now, task, 1, &variable, &type);
	return task;
}

const char *path_text(void)
{
	static char text[4096];
	const struct path *path = replay_graph.path;
	size_t n = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < path->n_nodes; i++) {
		struct node_view node = graph_node(&replay_graph, path->nodes[i]);
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %lu", i > 0 ? ", " : "", node_kind_name(node.kind),
				      (unsigned long)path_node_ns(&replay_trace.dump, &node));
	}
	return text;
}

/* What holds of any path: it follows edges, its nodes add up to the span, and the work is not less. */
static int see_edge(void *self, const struct edge_view *edge)
{
	uint32_t *n = self;
	*n += path_has_edge(&replay_graph, edge->source, edge->target);
	return 0;
}

void path_build(void)
{
	uint64_t ns = 0;
	uint32_t n_edges = 0;
	replay_build(GRAPH_FRAGMENT);
	const struct path *path = replay_graph.path;
	ck_assert_ptr_nonnull(path);
	for (uint32_t i = 0; i < path->n_nodes; i++) {
		struct node_view node = graph_node(&replay_graph, path->nodes[i]);
		ck_assert_uint_eq(path_place(&replay_graph, node.id), i + 1);
		ns += path_node_ns(&replay_trace.dump, &node);
	}
	graph_each_edge(&replay_graph, see_edge, &n_edges);
	ck_assert_uint_eq(ns, path->span_ns);
	ck_assert_uint_le(path->span_ns, path->work_ns);
	ck_assert_uint_eq(n_edges, path->n_nodes > 0 ? path->n_nodes - 1 : 0);
}

void path_check(const char *wanted, uint64_t work_ns)
{
	ck_assert_int_eq(replay_graph.path->bound, PATH_EXACT);
	ck_assert_uint_eq(replay_graph.path->reasons, 0);
	ck_assert_str_eq(path_text(), wanted);
	ck_assert_uint_eq(replay_graph.path->work_ns, work_ns);
}
