/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the longest chain through the graph, where each node counts as long as what it executed itself. It takes one
 * walk over the nodes, each after all of its predecessors, and so time linear in nodes and edges. Of several chains
 * that are equally long, the one over the lower-numbered nodes is taken, from the end. Called by path.c after the
 * replay, at the fragment level.
 *
 * Several threads walk at the same time, each over the nodes of one stream in their order, which is nearly always an
 * order in which predecessors come first. Only the thread of a stream walks to that stream's own nodes. Tasks and what
 * several streams lead to, such as barriers, are walked to by whoever comes there, perhaps by two threads, which find
 * the same. Where a stream has to go on after a node of another one to which that has not come, it stops. What the
 * streams leave, one thread does in the end.
 */
#include "builder/graph/path.h"
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>

#define WHAT "the critical path"

#define MANY_NODES 32768 /* fewer are not worth a second thread */
#define DEEP       65536 /* so many nodes may wait for each other while streams are walked: there may be a cycle */
#define FEW_STOPS  64    /* with more, and one in less than 64 nodes, streams wait for each other more than they walk */
#define PATIENCE   4096  /* so often a stream looks whether another one has come to a node, before it stops */

/* By node. */
enum { MARK_OPEN = 1, MARK_DONE = 2, MARK_HAS_NEXT = 4, MARK_IS_NODE = 8, MARK_BLOCKED = 16 };

/*
 * The chain to a node is known when those to all nodes before it are. Nearly every edge is one of two that the tables
 * imply: from what came before the node by itself (graph_own_source), and from the last node of a task to what waits for
 * the task. The rest is `edges`.
 */
struct walk {
	const struct graph *graph;
	size_t n;                     /* node numbers, 0 included */
	_Atomic unsigned char *marks; /* by node: bits. Release with MARK_DONE, when `ns` is there; acquire in is_done() */
	_Atomic uint64_t *ns;         /* by node: how long the longest chain to it is, with the node itself */
	_Atomic uint32_t *joined;     /* by node that is no task: a task that it waits for, 0 none ... */
	uint32_t *next;               /* ... and by task: the next one of these */
	struct walk_edge {
		uint32_t source;
		uint32_t next; /* of the same target: place + 1, 0 none */
	} * edges;
	size_t n_edges, edges_capacity;
	uint32_t *first_edge; /* by node: place + 1 of an edge to it, 0 none; NULL: there are none */
	uint64_t longest_ns;
	bool is_plain; /* no edge is left out, and no device and no unit has times of its own */
	bool has_cycle;
};

/* One thread's way through a part of the nodes. */
struct way {
	uint32_t first, end; /* the nodes that it alone walks to */
	uint32_t at;         /* the next one */
	uint32_t waits_for;  /* where it has stopped before that: a node of another thread */
	bool is_alone;       /* no other thread walks: all nodes are its own */
	uint64_t work_ns, longest_ns;
	uint32_t n_stops; /* for how many nodes it had to wait */
	/* Nodes whose chain is not known yet, each because that of the next one is not. */
	struct open_node {
		uint32_t id, task, edge; /* task, edge: of what it has to take up, the next ones; 0 none */
		bool is_begun, is_again; /* it was taken from here before */
		uint64_t ns;             /* of the longest chain so far */
	} * open;
	size_t n_open, open_capacity;
};

static void add_edge(struct walk *w, uint32_t source, uint32_t target)
{
	if (source == 0)
		return;
	array_reserve((void **)&w->edges, w->n_edges + 1, &w->edges_capacity, sizeof *w->edges);
	if (w->first_edge == NULL)
		w->first_edge = memory_zeroed(w->n, sizeof *w->first_edge, WHAT);
	w->edges[w->n_edges++] = (struct walk_edge){source, w->first_edge[target]};
	w->first_edge[target] = (uint32_t)w->n_edges;
}

static int keep_edge(void *self, const struct edge_view *edge)
{
	add_edge(self, edge->source, edge->target);
	return 0;
}

static void make_walk(struct walk *w)
{
	const struct graph *graph = w->graph;
	uint32_t n_tasks = graph->model->n_tasks;
	w->marks = memory_zeroed(w->n, sizeof *w->marks, WHAT);
	w->ns = memory_zeroed(w->n, sizeof *w->ns, WHAT);
	w->joined = memory_zeroed(graph->n_nodes, sizeof *w->joined, WHAT);
	w->next = memory_zeroed(n_tasks, sizeof *w->next, WHAT);
	for (size_t i = 0; i < graph->blocked_rows.n_slots; i++)
		if (graph->blocked_rows.slots[i].is_used)
			w->marks[graph->blocked_rows.slots[i].key] = MARK_BLOCKED;
	if (graph->left_out != NULL) { /* which edges there are only graph_each_edge knows */
		graph_each_edge(graph, keep_edge, w);
		return;
	}
#pragma omp parallel for if (n_tasks > MANY_NODES)
	for (uint32_t task = 1; task < n_tasks; task++) {
		uint32_t joiner = graph->joiners[task];
		if (joiner != 0 && graph_task_is_node(graph, task)) /* relaxed: the lists are read after the loop, in any order */
			w->next[task] = atomic_exchange_explicit(&w->joined[joiner - n_tasks], task, memory_order_relaxed);
	}
	for (size_t i = 0; i < graph->n_edges; i++)
		add_edge(w, graph_edge_source(graph, &graph->edges[i]), graph->edges[i].target);
}

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
		weight.work_ns = weight.is_node ? path_work_ns(m->dump, &view) : 0;
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

/* ---- Sources ---- */

static void begin_sources(struct open_node *open, uint32_t id)
{
	*open = (struct open_node){.id = id};
}

/* The source of the node's next edge, 0: that was all. */
static uint32_t next_source(const struct walk *w, struct open_node *open)
{
	const struct graph *graph = w->graph;
	if (!open->is_begun) {
		uint32_t own = graph->left_out == NULL ? graph_own_source(graph, open->id) : 0, n_tasks = graph->model->n_tasks;
		open->is_begun = true;
		open->task = open->id >= n_tasks ? atomic_load_explicit(&w->joined[open->id - n_tasks], memory_order_relaxed) : 0;
		open->edge = w->first_edge != NULL ? w->first_edge[open->id] : 0;
		if (own != 0)
			return own;
	}
	uint32_t task = open->task, edge = open->edge;
	if (task != 0) {
		open->task = w->next[task];
		return graph->tasks[task].last;
	}
	if (edge == 0)
		return 0;
	open->edge = w->edges[edge - 1].next;
	return w->edges[edge - 1].source;
}

static bool is_done(const struct walk *w, uint32_t id)
{
	return atomic_load_explicit(&w->marks[id], memory_order_acquire) & MARK_DONE;
}

static uint64_t ns_to(const struct walk *w, uint32_t id)
{
	return atomic_load_explicit(&w->ns[id], memory_order_relaxed);
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
	if (weight.work_ns == 0 || is_own(way, open->id))
		atomic_store_explicit(&w->marks[open->id], marks, memory_order_release);
	else
		is_first = !(atomic_exchange_explicit(&w->marks[open->id], marks, memory_order_acq_rel) & MARK_DONE);
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
	} while (n_walked > MANY_NODES);
	for (size_t i = 0; i < n; i++)
		end_way(w, path, &ways[i]);
	free(ways);
}

static void walk_all(struct walk *w, struct path *path)
{
	uint32_t n_tasks = w->graph->model->n_tasks;
	if (omp_get_max_threads() > 1 && w->graph->n_streams > 1 && w->n > MANY_NODES)
		walk_streams(w, path);
	struct way way = {.first = n_tasks, .end = (uint32_t)w->n, .at = n_tasks, .is_alone = true};
	walk_on(w, &way);
	for (uint32_t id = 1; id < w->n && !w->has_cycle; id++)
		if (!is_done(w, id))
			(void)walk_to(w, &way, id);
	end_way(w, path, &way);
}

/* ---- The longest chain ---- */

/* Marks what comes before nodes to which a chain is so long. */
static void mark_nexts(struct walk *w, uint64_t least_ns)
{
	for (uint32_t id = 1; id < w->n; id++) {
		struct open_node open;
		if (ns_to(w, id) < least_ns)
			continue;
		begin_sources(&open, id);
		for (uint32_t source; (source = next_source(w, &open)) != 0;)
			w->marks[source] |= MARK_HAS_NEXT;
	}
}

/* The node that ends the longest chain, nothing follows, and has the lowest number; 0: no such chain is so long. Sets the span. */
static uint32_t find_end(struct walk *w, struct path *path, uint64_t least_ns)
{
	uint32_t last = 0;
	mark_nexts(w, least_ns);
	for (uint32_t id = 1; id < w->n; id++) {
		uint64_t ns = ns_to(w, id);
		if (ns < least_ns || (w->marks[id] & (MARK_IS_NODE | MARK_HAS_NEXT)) != MARK_IS_NODE)
			continue;
		if (last == 0 || ns > path->span_ns) {
			path->span_ns = ns;
			last = id;
		}
	}
	return last;
}

/* What follows a node has no shorter chain: nearly always the end is among the longest ones. */
static uint32_t take_end(struct walk *w, struct path *path)
{
	uint32_t last = find_end(w, path, w->longest_ns);
	return last != 0 ? last : find_end(w, path, 0);
}

/* The node before it on the longest chain, 0 none. */
static uint32_t find_before(const struct walk *w, uint32_t id)
{
	struct open_node open;
	uint32_t before = 0;
	begin_sources(&open, id);
	for (uint32_t source; (source = next_source(w, &open)) != 0;)
		if (before == 0 || ns_to(w, source) > ns_to(w, before) || (ns_to(w, source) == ns_to(w, before) && source < before))
			before = source;
	return before;
}

static void trace_back(const struct walk *w, struct path *path, uint32_t last)
{
	size_t capacity = 0;
	for (uint32_t id = last; id != 0; id = find_before(w, id)) {
		array_reserve((void **)&path->nodes, path->n_nodes + (size_t)1, &capacity, sizeof *path->nodes);
		path->nodes[path->n_nodes++] = id;
	}
	path->places = memory_zeroed(w->n, sizeof *path->places, WHAT);
	for (uint32_t i = 0, k = path->n_nodes - 1; i < k; i++, k--) {
		uint32_t id = path->nodes[i];
		path->nodes[i] = path->nodes[k];
		path->nodes[k] = id;
	}
	for (uint32_t i = 0; i < path->n_nodes; i++)
		path->places[path->nodes[i]] = i + 1;
}

bool walk_graph(const struct graph *graph, struct path *path)
{
	struct walk w = {.graph = graph, .n = (size_t)graph->model->n_tasks + graph->n_nodes};
	make_walk(&w);
	w.is_plain = graph->left_out == NULL && graph->model->n_activities == 0 && graph->model->n_units == 0;
	walk_all(&w, path);
	path->reasons |= w.has_cycle ? PATH_CONTRADICTORY : 0;
	uint32_t last = w.has_cycle ? 0 : take_end(&w, path);
	if (last != 0)
		trace_back(&w, path, last);
	free(w.marks);
	free(w.ns);
	free(w.joined);
	free(w.next);
	free(w.edges);
	free(w.first_edge);
	return last != 0;
}
