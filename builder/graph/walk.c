/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds how long the longest chain to each node is: it walks over the nodes, each after all of its predecessors. Called by
 * chain.c.
 *
 * Several threads walk at the same time, each over the nodes of one stream in their order, which is nearly always an
 * order in which predecessors come first. Only the thread of a stream walks to that stream's own nodes. Tasks and what
 * several streams lead to, such as barriers, are walked to by every thread that comes there before they are known,
 * perhaps by two threads, which find the same. Where a stream has to go on after a node of another one to which that has
 * not come, it stops. What the streams leave, one thread does in the end.
 */
#include "builder/graph/chain.h"
#include "builder/support/array.h"

#include <omp.h>
#include <stdlib.h>

#define WHAT "the critical path"

#define DEEP      65536 /* so many nodes may wait for each other while streams are walked: there may be a cycle */
#define FEW_STOPS 64    /* with more, and one in less than 64 nodes, streams wait for each other more than they walk */
#define PATIENCE  4096  /* so often a stream looks whether another one has come to a node, before it stops */

/* One thread's way through a part of the nodes. */
struct way {
	uint32_t first, end; /* the nodes that it alone walks to */
	uint32_t at;         /* the next one */
	uint32_t waits_for;  /* where it has stopped before that: a node of another thread */
	bool is_alone;       /* no other thread walks: all nodes are its own */
	uint64_t work_ns, longest_ns;
	uint32_t n_stops;       /* for how many nodes it had to wait */
	struct open_node *open; /* nodes whose chain is not known yet, each because that of the next one is not */
	size_t n_open, open_capacity;
};

/* ---- Nodes ---- */

struct weight {
	uint64_t work_ns, blocked_ns;
	bool is_node;
};

/* What path_node_ns() says of the node. Only devices and Argobots' units make that more than its own time. */
static struct weight weigh(const struct graph *graph, uint32_t id, bool is_blocked)
{
	const struct model *m = graph->model;
	struct weight weight = {0};
	if (m->n_activities != 0 || m->n_units != 0) {
		struct node_view view = graph_node(graph, id);
		weight.is_node = view.kind != NODE_NONE;
		weight.work_ns = weight.is_node ? graph_node_work_ns(m->dump, &view) : 0;
	} else {
		const struct node *node = graph_inner_node(graph, id);
		weight.is_node = node != NULL ? node->is_placed : graph_task_is_node(graph, id);
		uint64_t busy_ticks = node != NULL ? node->busy_ticks : graph->first_fragments[id].busy_ticks;
		weight.work_ns = weight.is_node ? dump_duration_ns(m->dump, busy_ticks) : 0;
	}
	if (is_blocked && weight.is_node)
		weight.blocked_ns = dump_duration_ns(m->dump, graph_blocked_ticks(graph, id));
	return weight;
}

/* ---- The walk ---- */

/* Is it a node that follows from several tasks, as a rule? Its own place among the nodes is where it begins to wait. */
static bool is_meeting(const struct node *node)
{
	return node->kind == NODE_TASKWAIT || node->kind == NODE_TASKGROUP || node->kind == NODE_BARRIER || node->kind == NODE_JOIN;
}

static bool is_own(const struct way *way, uint32_t id)
{
	return way->is_alone || (id >= way->first && id < way->end);
}

/* Does only another thread walk to the node? */
static bool is_others(const struct walk *w, const struct way *way, uint32_t id)
{
	const struct node *node = is_own(way, id) ? NULL : graph_inner_node(w->graph, id);
	return node != NULL && !is_meeting(node);
}

static void open_node(struct walk *w, struct way *way, const struct open_node *open)
{
	if (way->is_alone) {
		unsigned char marks = atomic_load_explicit(&w->marks[open->id], memory_order_relaxed);
		w->has_cycle |= (marks & MARK_OPEN) && !open->is_again;
		atomic_store_explicit(&w->marks[open->id], marks | MARK_OPEN, memory_order_relaxed);
	}
	array_reserve((void **)&way->open, way->n_open + 1, &way->open_capacity, sizeof *way->open);
	way->open[way->n_open] = *open;
	way->open[way->n_open++].is_again = true;
}

static void take_up(const struct walk *w, struct open_node *open, uint32_t source)
{
	uint64_t ns = ns_to(w, source);
	open->ns = ns > open->ns ? ns : open->ns;
}

/* The chains to all nodes before it are known. Two threads may come here with the same node, of which one counts its work. */
static void close_node(struct walk *w, struct way *way, const struct open_node *open)
{
	unsigned char marks = atomic_load_explicit(&w->marks[open->id], memory_order_relaxed);
	struct weight weight = weigh(w->graph, open->id, marks & MARK_BLOCKED);
	uint64_t ns = open->ns + weight.work_ns + weight.blocked_ns;
	bool is_first = true;
	marks = (marks & MARK_BLOCKED) | MARK_DONE | (weight.is_node ? MARK_IS_NODE : 0);
	way->longest_ns = ns > way->longest_ns ? ns : way->longest_ns;
	atomic_store_explicit(&w->ns[open->id], ns, memory_order_relaxed);
	/* P3, so that the length of the chain comes before the mark. */
	if (weight.work_ns == 0 || is_own(way, open->id))
		atomic_store_explicit(&w->marks[open->id], marks, memory_order_release);
	else
		is_first = !(atomic_exchange_explicit(&w->marks[open->id], marks, memory_order_release) & MARK_DONE);
	way->work_ns += is_first ? weight.work_ns : 0;
}

/* Closes the node, where all that comes before is known. Else the result is a node that comes first. */
static inline uint32_t try_close(struct walk *w, struct way *way, struct open_node *open)
{
	uint32_t source;
	while ((source = next_source(w, open)) != 0 && is_done(w, source))
		take_up(w, open, source);
	if (source == 0)
		close_node(w, way, open);
	return source;
}

/*
 * Walks to a node, or goes on where it stopped. False: it stops, as another thread has to come to way.waits_for first; or
 * there may be a cycle, and it gives up.
 */
static bool walk_to(struct walk *w, struct way *way, uint32_t root)
{
	struct open_node open;
	uint32_t source;
	if (way->n_open == 0)
		begin_sources(&open, root);
	else if (is_done(w, way->waits_for)) {
		open = way->open[--way->n_open];
		take_up(w, &open, way->waits_for);
	} else
		return false;
	for (;;) {
		if ((source = try_close(w, way, &open)) != 0) {
			open_node(w, way, &open);
			if (w->has_cycle || (!way->is_alone && way->n_open == DEEP)) {
				way->n_open = 0;
				way->waits_for = root;
				return false;
			}
			way->waits_for = source;
			if (is_others(w, way, source))
				return false;
			begin_sources(&open, source);
		} else if (way->n_open > 0) {
			source = open.id;
			open = way->open[--way->n_open];
			take_up(w, &open, source);
		} else
			return true;
	}
}

/* What walk_to() does, for nearly all nodes: where only one is before the node, and that is done. */
static inline bool pass(struct walk *w, struct way *way, uint32_t id, const struct node *node)
{
	uint32_t own = node->previous, row = id - w->graph->model->n_tasks;
	bool has_more = atomic_load_explicit(&w->joined[row], memory_order_relaxed) != 0 ||
			atomic_load_explicit(&w->marks[id], memory_order_relaxed) != 0 ||
			(w->first_edge != NULL && w->first_edge[id] != 0);
	if (!w->is_plain || !node->is_placed || has_more || own == 0 || !is_done(w, own))
		return false;
	uint64_t work_ns = dump_duration_ns(w->graph->model->dump, node->busy_ticks), ns = ns_to(w, own) + work_ns;
	atomic_store_explicit(&w->ns[id], ns, memory_order_relaxed);
	/* P3, as in close_node(). */
	atomic_store_explicit(&w->marks[id], MARK_DONE | MARK_IS_NODE, memory_order_release);
	way->longest_ns = ns > way->longest_ns ? ns : way->longest_ns;
	way->work_ns += work_ns;
	return true;
}

static bool comes_soon(const struct walk *w, uint32_t id)
{
	for (unsigned i = 0; i < PATIENCE; i++) {
		if (is_done(w, id))
			return true;
#if defined __x86_64__
		__builtin_ia32_pause();
#endif
	}
	return false;
}

/* Goes on in the order of the nodes, as far as it can. What others lead to waits for what follows it. */
static void walk_on(struct walk *w, struct way *way)
{
	uint32_t n_tasks = w->graph->model->n_tasks;
	for (; way->at < way->end && !w->has_cycle; way->at++) {
		const struct node *node = &w->graph->nodes[way->at - n_tasks];
		if (way->n_open == 0 && (is_meeting(node) || is_done(w, way->at) || pass(w, way, way->at, node)))
			continue;
		while (!walk_to(w, way, way->at))
			if (w->has_cycle || (++way->n_stops > FEW_STOPS && way->n_stops > (way->at - way->first) / 64) ||
			    !comes_soon(w, way->waits_for))
				return;
	}
}

static void end_way(struct walk *w, struct path *path, struct way *way)
{
	path->work_ns += way->work_ns;
	w->longest_ns = way->longest_ns > w->longest_ns ? way->longest_ns : w->longest_ns;
	free(way->open);
}

/* As long as that gets on. */
static void walk_streams(struct walk *w, struct path *path)
{
	const struct graph *graph = w->graph;
	uint32_t n_tasks = graph->model->n_tasks;
	size_t n = graph->n_streams;
	struct way *ways = memory_zeroed(n, sizeof *ways, WHAT);
	uint64_t n_walked, n_before = 0;
	for (size_t i = 0; i < n; i++)
		ways[i] = (struct way){.first = n_tasks + graph->streams[i].first_node,
				       .end = n_tasks + graph->streams[i].end_node,
				       .at = n_tasks + graph->streams[i].first_node};
	do {
#pragma omp parallel for schedule(dynamic, 1)
		for (size_t i = 0; i < n; i++) {
			struct way way = ways[i]; /* no cache line has those of two threads */
			walk_on(w, &way);
			ways[i] = way;
		}
		n_walked = 0;
		for (size_t i = 0; i < n; i++)
			n_walked += ways[i].at - ways[i].first;
		n_walked -= n_before;
		n_before += n_walked;
	} while (n_walked > FEW_ROWS);
	for (size_t i = 0; i < n; i++)
		end_way(w, path, &ways[i]);
	free(ways);
}

void walk_all(struct walk *w, struct path *path)
{
	uint32_t n_tasks = w->graph->model->n_tasks;
	if (omp_get_max_threads() > 1 && !omp_in_parallel() && w->graph->n_streams > 1 && w->n > FEW_ROWS)
		walk_streams(w, path);
	struct way way = {.first = n_tasks, .end = (uint32_t)w->n, .at = n_tasks, .is_alone = true};
	walk_on(w, &way);
	for (uint32_t id = 1; id < w->n && !w->has_cycle; id++)
		if (!is_done(w, id))
			(void)walk_to(w, &way, id);
	end_way(w, path, &way);
}
