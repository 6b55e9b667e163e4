/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds how long the longest chain to each node is: it walks over the nodes, each after all of its predecessors.
 *
 * Several threads walk at the same time, each over the nodes of one stream in their order, which is nearly always an
 * order in which predecessors come first. Only the thread of a stream walks to that stream's own nodes. Tasks and what
 * several streams lead to, such as barriers, are walked to by every thread that reaches them before they are known,
 * perhaps by two threads, which find the same. If a stream needs a node of another stream that is not walked to yet, it stops.
 * One thread walks to the rest in the end.
 */
#include "builder/graph/chain.h"
#include "builder/support/array.h"

#include <omp.h>
#include <stdlib.h>

#define WHAT "the critical path"

#define DEEP      65536 /* the most nodes that may wait for each other while streams are walked: else there may be a cycle */
#define FEW_STOPS 64    /* with more, and one in less than 64 nodes, streams wait for each other more than they walk */
#define PATIENCE  4096  /* how often a stream checks whether another one has walked to a node, before it stops */

/* One thread's walk through a part of the nodes. */
struct walker {
	uint32_t first, end; /* the nodes that it alone walks to */
	uint32_t at;         /* the next one */
	uint32_t waits_for;  /* the node of another thread at which it has stopped */
	bool is_alone;       /* no other thread walks: all nodes are its own */
	uint64_t work_ns, longest_ns;
	uint32_t n_stops;       /* for how many nodes it had to wait */
	struct open_node *open; /* nodes whose chain is not known yet; each needs that of the next one */
	size_t n_open, open_capacity;
};

/* ---- Nodes ---- */

struct chain_weight {
	uint64_t work_ns, blocked_ns;
	bool is_node;
};

/* What path_node_ns() says of the node. Only devices and Argobots' units make that more than its own time. */
static struct chain_weight weigh(const struct graph *graph, uint32_t id, bool is_blocked)
{
	const struct model *m = graph->model;
	struct chain_weight weight = {0};
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

/* Is it a node that several tasks usually lead to? Its own place among the nodes is where its wait begins. */
static bool is_meeting(const struct node *node)
{
	return node->kind == NODE_TASKWAIT || node->kind == NODE_TASKGROUP || node->kind == NODE_BARRIER || node->kind == NODE_JOIN;
}

static bool is_own(const struct walker *walker, uint32_t id)
{
	return walker->is_alone || (id >= walker->first && id < walker->end);
}

/* Does only another thread walk to the node? */
static bool is_others(const struct chain_walk *w, const struct walker *walker, uint32_t id)
{
	const struct node *node = is_own(walker, id) ? NULL : graph_inner_node(w->graph, id);
	return node != NULL && !is_meeting(node);
}

static void open_node(struct chain_walk *w, struct walker *walker, const struct open_node *open)
{
	if (walker->is_alone) {
		unsigned char marks = __atomic_load_n(&w->marks[open->id], __ATOMIC_RELAXED);
		w->has_cycle |= (marks & MARK_OPEN) && !open->is_again;
		__atomic_store_n(&w->marks[open->id], marks | MARK_OPEN, __ATOMIC_RELAXED);
	}
	array_push(walker->open, walker->n_open, walker->open_capacity, *open);
	walker->open[walker->n_open - 1].is_again = true;
}

static void take_up(const struct chain_walk *w, struct open_node *open, uint32_t source)
{
	uint64_t ns = ns_to(w, source);
	open->ns = ns > open->ns ? ns : open->ns;
}

/* The chains to all nodes before it are known. Two threads may close the same node: only one of them counts its work. */
static void close_node(struct chain_walk *w, struct walker *walker, const struct open_node *open)
{
	unsigned char marks = __atomic_load_n(&w->marks[open->id], __ATOMIC_RELAXED);
	struct chain_weight weight = weigh(w->graph, open->id, marks & MARK_BLOCKED);
	uint64_t ns = open->ns + weight.work_ns + weight.blocked_ns;
	bool is_first = true;
	marks = (marks & MARK_BLOCKED) | MARK_DONE | (weight.is_node ? MARK_IS_NODE : 0);
	walker->longest_ns = ns > walker->longest_ns ? ns : walker->longest_ns;
	__atomic_store_n(&w->ns[open->id], ns, __ATOMIC_RELAXED);
	/* P3, so that the length of the chain comes before the mark. */
	if (weight.work_ns == 0 || is_own(walker, open->id))
		__atomic_store_n(&w->marks[open->id], marks, __ATOMIC_RELEASE);
	else
		is_first = !(__atomic_exchange_n(&w->marks[open->id], marks, __ATOMIC_RELEASE) & MARK_DONE);
	walker->work_ns += is_first ? weight.work_ns : 0;
}

/* Closes the node if the chains to all nodes before it are known: 0. Else returns a node that has to be closed first. */
static inline uint32_t try_close(struct chain_walk *w, struct walker *walker, struct open_node *open)
{
	uint32_t source;
	while ((source = next_source(w, open)) != 0 && is_done(w, source))
		take_up(w, open, source);
	if (source == 0)
		close_node(w, walker, open);
	return source;
}

/*
 * Walks to a node, or continues where it stopped. False: it stops, as another thread has to walk to way.waits_for first; or
 * there may be a cycle, and it gives up.
 */
static bool walk_to(struct chain_walk *w, struct walker *walker, uint32_t root)
{
	struct open_node open;
	uint32_t source;
	if (walker->n_open == 0)
		begin_sources(&open, root);
	else if (is_done(w, walker->waits_for)) {
		open = walker->open[--walker->n_open];
		take_up(w, &open, walker->waits_for);
	} else
		return false;
	for (;;) {
		if ((source = try_close(w, walker, &open)) != 0) {
			open_node(w, walker, &open);
			if (w->has_cycle || (!walker->is_alone && walker->n_open == DEEP)) {
				walker->n_open = 0;
				walker->waits_for = root;
				return false;
			}
			walker->waits_for = source;
			if (is_others(w, walker, source))
				return false;
			begin_sources(&open, source);
		} else if (walker->n_open > 0) {
			source = open.id;
			open = walker->open[--walker->n_open];
			take_up(w, &open, source);
		} else
			return true;
	}
}

/* A fast path of walk_to() for nearly all nodes: only one node is before this one, and it is done. */
static inline bool pass(struct chain_walk *w, struct walker *walker, uint32_t id, const struct node *node)
{
	uint32_t own = node->previous, row = id - w->graph->model->n_tasks;
	bool has_more = __atomic_load_n(&w->joined[row], __ATOMIC_RELAXED) != 0 ||
			__atomic_load_n(&w->marks[id], __ATOMIC_RELAXED) != 0 || (w->first_edge != NULL && w->first_edge[id] != 0);
	if (!w->is_plain || !node->is_placed || has_more || own == 0 || !is_done(w, own))
		return false;
	uint64_t work_ns = dump_duration_ns(w->graph->model->dump, node->busy_ticks), ns = ns_to(w, own) + work_ns;
	__atomic_store_n(&w->ns[id], ns, __ATOMIC_RELAXED);
	/* P3, as in close_node(). */
	__atomic_store_n(&w->marks[id], MARK_DONE | MARK_IS_NODE, __ATOMIC_RELEASE);
	walker->longest_ns = ns > walker->longest_ns ? ns : walker->longest_ns;
	walker->work_ns += work_ns;
	return true;
}

static bool comes_soon(const struct chain_walk *w, uint32_t id)
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

/* Walks on in the order of the nodes, as far as possible. Nodes where several tasks meet wait for what follows them. */
static void walk_on(struct chain_walk *w, struct walker *walker)
{
	uint32_t n_tasks = w->graph->model->n_tasks;
	for (; walker->at < walker->end && !w->has_cycle; walker->at++) {
		const struct node *node = &w->graph->nodes[walker->at - n_tasks];
		if (walker->n_open == 0 && (is_meeting(node) || is_done(w, walker->at) || pass(w, walker, walker->at, node)))
			continue;
		while (!walk_to(w, walker, walker->at))
			if (w->has_cycle ||
			    (++walker->n_stops > FEW_STOPS && walker->n_stops > (walker->at - walker->first) / 64) ||
			    !comes_soon(w, walker->waits_for))
				return;
	}
}

static void end_walker(struct chain_walk *w, struct path *path, struct walker *walker)
{
	path->work_ns += walker->work_ns;
	w->longest_ns = walker->longest_ns > w->longest_ns ? walker->longest_ns : w->longest_ns;
	free(walker->open);
}

/* Walks the streams, as long as that makes progress. */
static void walk_streams(struct chain_walk *w, struct path *path)
{
	const struct graph *graph = w->graph;
	uint32_t n_tasks = graph->model->n_tasks;
	size_t n = graph->n_streams;
	struct walker *walkers = memory_zeroed(n, sizeof *walkers, WHAT);
	uint64_t n_walked, n_before = 0;
	for (size_t i = 0; i < n; i++)
		walkers[i] = (struct walker){.first = n_tasks + graph->streams[i].first_node,
					     .end = n_tasks + graph->streams[i].end_node,
					     .at = n_tasks + graph->streams[i].first_node};
	do {
#pragma omp parallel for schedule(dynamic, 1)
		for (size_t i = 0; i < n; i++) {
			struct walker walker = walkers[i]; /* a copy, so that no two threads share a cache line */
			walk_on(w, &walker);
			walkers[i] = walker;
		}
		n_walked = 0;
		for (size_t i = 0; i < n; i++)
			n_walked += walkers[i].at - walkers[i].first;
		n_walked -= n_before;
		n_before += n_walked;
	} while (n_walked > FEW_ROWS);
	for (size_t i = 0; i < n; i++)
		end_walker(w, path, &walkers[i]);
	free(walkers);
}

void walk_all(struct chain_walk *w, struct path *path)
{
	uint32_t n_tasks = w->graph->model->n_tasks;
	if (omp_get_max_threads() > 1 && !omp_in_parallel() && w->graph->n_streams > 1 && w->n > FEW_ROWS)
		walk_streams(w, path);
	struct walker walker = {.first = n_tasks, .end = (uint32_t)w->n, .at = n_tasks, .is_alone = true};
	walk_on(w, &walker);
	for (uint32_t id = 1; id < w->n && !w->has_cycle; id++)
		if (!is_done(w, id))
			(void)walk_to(w, &walker, id);
	end_walker(w, path, &walker);
}
