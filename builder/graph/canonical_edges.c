/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph that the canonical list is about. Finds which nodes are one: what all threads of a team come to at the same
 * place. Makes the edges between those that stand for all, each once, and the sets of tasks that exclude each other.
 * Called by canonical_number.c.
 */
#include "builder/graph/canonical.h"
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- Which nodes are one ---- */

/* Nodes with one key are one. 0: the node is one with no other. */
static uint64_t place_key(const struct canon *c, uint32_t id)
{
	const struct node *node = graph_inner_node(c->graph, id);
	if (node->is_of_unit || !node->is_placed)
		return 0;
	if (node->kind == NODE_BARRIER || node->kind == NODE_JOIN) {
		uint32_t whose = c->of_region[node->region];
		return whose == 0 ? 0 : canonical_mix(canonical_mix(canonical_hash(12, node->kind), whose), node->phase) | 1;
	}
	if (!canonical_is_inner(node) || node->is_in_work || !canonical_is_merged(c, node->task))
		return 0;
	uint64_t key = canonical_mix(canonical_hash(11, c->family[node->task]), node->phase);
	key = canonical_mix(canonical_mix(key, node->kind), canonical_label_hash(c, node->construct, node->task));
	return canonical_mix(key, c->node_ordinal[id - c->m->n_tasks]) | 1;
}

/* Is the node a task of the runtime's own, by which it splits a taskloop? The list leaves these out. */
static bool is_split(const struct canon *c, uint32_t id)
{
	return id < c->m->n_tasks && task_is_split(&c->m->tasks[id]);
}

static bool is_left_out(const struct canon *c, uint32_t id)
{
	const struct node *node = graph_inner_node(c->graph, id);
	return is_split(c, id) || (node != NULL && canonical_leaves_out(node->kind));
}

static void find_same(struct canon *c)
{
	struct map places = {0};
	for (uint32_t id = 0; id < c->n_ids; id++) {
		if (is_left_out(c, id)) {
			c->same[id] = 0;
			continue;
		}
		uint64_t key = id < c->m->n_tasks ? 0 : place_key(c, id);
		uint32_t *found = key != 0 ? map_put(&places, key) : NULL;
		if (found != NULL && *found == 0)
			*found = id;
		c->same[id] = found != NULL ? *found : id < c->m->n_tasks ? c->family[id] : id;
	}
	map_free(&places);
}

/* ---- Edges ---- */

static void add_edge(struct canon *c, uint32_t source, uint32_t target, enum edge_kind kind, unsigned dependence)
{
	if (source == 0 || target == 0)
		return;
	array_reserve((void **)&c->edges, c->n_edges + 1, &c->edges_capacity, sizeof *c->edges);
	c->edges[c->n_edges++] = (struct canonical_edge){c->same[source], c->same[target], (uint8_t)kind, (uint8_t)dependence};
}

/* Where a phase of an implicit task's team begins: at the barrier before it, else at the task. */
static uint32_t phase_begin(const struct canon *c, uint32_t implicit, uint32_t phase)
{
	uint32_t barrier = phase > 0 ? graph_barrier(c->graph, implicit, phase - 1) : 0;
	return barrier != 0 ? barrier : implicit;
}

/* Where the phase ends: the barrier after it, else the join. */
static uint32_t phase_end(const struct canon *c, uint32_t implicit, uint32_t phase, enum edge_kind *kind)
{
	uint32_t barrier = graph_barrier(c->graph, implicit, phase);
	*kind = barrier != 0 ? EDGE_BARRIER : EDGE_JOIN;
	return barrier != 0 ? barrier : c->graph->join_node[c->m->tasks[implicit].region];
}

/* The node itself; where it is left out, the node before it in its task. */
static uint32_t kept_node(const struct canon *c, uint32_t id)
{
	const struct node *node;
	while ((node = graph_inner_node(c->graph, id)) != NULL && canonical_leaves_out(node->kind))
		id = node->previous;
	return id;
}

/*
 * The phase of its team in which a task was created by an implicit task, or in which that waits with dependences;
 * *parent is the implicit task, 0 where it is no such task or wait.
 */
static uint32_t phase_of(const struct canon *c, uint32_t id, uint32_t *parent)
{
	const struct node *node = graph_inner_node(c->graph, id);
	uint32_t task = node != NULL ? node->task : id;
	bool is_child = task_is_explicit(&c->m->tasks[task]);
	*parent = is_child ? c->m->tasks[task].parent : task;
	if (*parent == 0 || !canonical_is_merged(c, *parent) || (!is_child && node == NULL))
		*parent = 0;
	return !is_child ? node != NULL ? node->phase : 0 : canonical_phase(c, task);
}

/*
 * Are the two tasks, or waits, one implicit task's, with a barrier between them? Their dependence then adds nothing to
 * the barrier; and it is there only if one thread has created both.
 */
static bool has_barrier_between(const struct canon *c, uint32_t source, uint32_t target)
{
	uint32_t of_source, of_target;
	uint32_t before = phase_of(c, source, &of_source), after = phase_of(c, target, &of_target);
	return of_source != 0 && of_source == of_target && before != after;
}

static bool is_from_merged(const struct canon *c, const struct node_view *source)
{
	if (source->kind == NODE_BARRIER)
		return !(c->m->regions[source->region].state & REGION_INITIAL);
	return source->task != 0 && canonical_is_merged(c, source->task);
}

/* Takes an edge of the graph; add_phases() adds those inside a merged task. */
static int take_edge(void *self, const struct edge_view *edge)
{
	struct canon *c = self;
	if (is_split(c, edge->target) || (is_split(c, edge->source) && edge->kind != EDGE_CREATE))
		return 0;
	uint32_t from = is_split(c, edge->source) ? graph_origin(c->graph, edge->target) : kept_node(c, edge->source);
	const struct node *inner = graph_inner_node(c->graph, edge->target);
	if (inner != NULL && inner->is_of_unit) {
		/* Which external thread's row came before on its OS thread is not the program's order. */
		if (!canonical_leaves_out(inner->kind) && inner->kind != NODE_EXTERNAL)
			add_edge(c, from, edge->target, edge->kind, 0);
		return 0;
	}
	struct node_view source = graph_node(c->graph, from), target = graph_node(c->graph, edge->target);
	if (canonical_leaves_out(target.kind) || canonical_leaves_out_edge(edge->kind))
		return 0;
	bool is_of_team = is_from_merged(c, &source);
	if (edge->kind == EDGE_CREATE && task_is_explicit(&c->m->tasks[edge->target]) && is_of_team &&
	    canonical_is_merged(c, c->m->tasks[edge->target].parent)) {
		uint32_t phase = canonical_phase(c, edge->target);
		from = phase_begin(c, c->m->tasks[edge->target].parent, phase);
	}
	bool is_between_phases = edge->kind == EDGE_BARRIER && is_of_team;
	bool is_in_phase = edge->kind == EDGE_SEQUENCE && target.task != 0 && canonical_is_merged(c, target.task);
	bool is_implied = edge->kind == EDGE_DEPEND && has_barrier_between(c, from, edge->target);
	if (!is_between_phases && !is_in_phase && !is_implied)
		add_edge(c, from, edge->target, edge->kind, edge->dependence);
	return 0;
}

/*
 * Adds what is inside merged tasks: each of their nodes between the two ends of its phase, and each phase from end to
 * end.
 */
static void add_phases(struct canon *c)
{
	enum edge_kind kind;
	for (uint32_t i = 0; i < c->graph->n_nodes; i++) {
		const struct node *node = &c->graph->nodes[i];
		if (!canonical_is_inner(node) || !canonical_is_merged(c, node->task))
			continue;
		uint32_t id = c->m->n_tasks + i, end = phase_end(c, node->task, node->phase, &kind);
		uint32_t last = node->kind == NODE_REGION ? c->graph->join_node[node->region] : id;
		add_edge(c, phase_begin(c, node->task, node->phase), id, EDGE_SEQUENCE, 0);
		add_edge(c, last, end, kind, 0);
	}
	memset(c->is_settled, 0, c->m->n_regions * sizeof *c->is_settled); /* used again, for phases */
	for (uint32_t task = 1; task < c->m->n_tasks; task++) {
		bool is_alone = c->m->tasks[task].flags & task_flags_initial; /* one of a league, whose barriers are its own */
		bool *is_settled = &c->is_settled[c->m->tasks[task].region];
		if (!graph_task_is_node(c->graph, task) || !canonical_is_merged(c, task) || (*is_settled && !is_alone))
			continue;
		*is_settled = *is_settled || !is_alone;
		for (uint32_t phase = 0, is_last = false; !is_last; phase++) {
			uint32_t end = phase_end(c, task, phase, &kind);
			is_last = kind == EDGE_JOIN;
			add_edge(c, phase_begin(c, task, phase), end, kind, 0);
		}
	}
}

/* Of edges with one source. */
static int compare_edges(const void *left, const void *right)
{
	const struct canonical_edge *l = left, *r = right;
	if (l->target != r->target)
		return l->target < r->target ? -1 : 1;
	int by_kind = l->kind - r->kind;
	return by_kind != 0 ? by_kind : l->dependence - r->dependence;
}

static void sort_targets(struct canonical_edge *edges, size_t n)
{
	if (n > 16) {
		qsort(edges, n, sizeof *edges, compare_edges);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct canonical_edge edge = edges[i];
		size_t j = i;
		for (; j > 0 && compare_edges(&edge, &edges[j - 1]) < 0; j--)
			edges[j] = edges[j - 1];
		edges[j] = edge;
	}
}

/* Threads of a team, and teams at one place, give the same edges: each is kept once, sorted. */
static void drop_repeated(struct canon *c)
{
	size_t *end = memory_zeroed((size_t)c->n_ids + 1, sizeof *end, "the canonical graph"); /* by source */
	struct canonical_edge *sorted = memory_get(c->n_edges, sizeof *sorted, "the canonical graph");
	for (size_t i = 0; i < c->n_edges; i++)
		end[c->edges[i].source + 1]++;
	for (uint32_t id = 0; id < c->n_ids; id++)
		end[id + 1] += end[id];
	for (size_t i = 0; i < c->n_edges; i++)
		sorted[end[c->edges[i].source]++] = c->edges[i];
	size_t n_kept = 0;
	for (size_t id = 0, first = 0; id < c->n_ids; first = end[id++]) {
		sort_targets(sorted + first, end[id] - first);
		for (size_t i = first; i < end[id]; i++)
			if (i == first || compare_edges(&sorted[i], &sorted[n_kept - 1]) != 0)
				sorted[n_kept++] = sorted[i];
	}
	free(end);
	free(c->edges);
	c->edges = sorted;
	c->n_edges = c->edges_capacity = n_kept;
}

/* ---- Sets ---- */

static void add_set(struct canon *c, const uint32_t *nodes, uint32_t n)
{
	if (n < 2)
		return;
	array_reserve((void **)&c->sets, c->n_sets + 1, &c->sets_capacity, sizeof *c->sets);
	array_reserve((void **)&c->members, c->n_members + n, &c->members_capacity, sizeof *c->members);
	c->sets[c->n_sets++] = (struct canonical_set){c->n_members, n};
	for (uint32_t i = 0; i < n; i++)
		c->members[c->n_members++] = c->same[nodes[i]];
}

static int by_phase(const void *left, const void *right, void *canon)
{
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right, parent;
	uint32_t phase_l = phase_of(canon, l, &parent), phase_r = phase_of(canon, r, &parent);
	if (phase_l != phase_r)
		return phase_l < phase_r ? -1 : 1;
	return l < r ? -1 : l > r;
}

/* Takes a set of the graph, without what barriers keep apart anyway: its members in each phase of a team. */
static int take_set(void *self, const uint32_t *nodes, uint32_t n)
{
	uint32_t *sorted = memory_get(n, sizeof *sorted, "the canonical graph");
	memcpy(sorted, nodes, n * sizeof *sorted);
	if (n > 1)
		qsort_r(sorted, n, sizeof *sorted, by_phase, self);
	for (uint32_t i = 1, begin = 0; i <= n; i++)
		if (i == n || has_barrier_between(self, sorted[begin], sorted[i])) {
			add_set(self, sorted + begin, i - begin);
			begin = i;
		}
	free(sorted);
	return 0;
}

static int compare_sets(const void *left, const void *right, void *members)
{
	const struct canonical_set *l = left, *r = right;
	const uint32_t *all = members;
	for (uint32_t i = 0; i < l->n && i < r->n; i++)
		if (all[l->first + i] != all[r->first + i])
			return all[l->first + i] < all[r->first + i] ? -1 : 1;
	return l->n < r->n ? -1 : l->n > r->n;
}

/* The same tasks may share several addresses after a barrier, and others before it. */
static void drop_repeated_sets(struct canon *c)
{
	size_t n_kept = 0;
	if (c->n_sets > 1)
		qsort_r(c->sets, c->n_sets, sizeof *c->sets, compare_sets, c->members);
	for (size_t i = 0; i < c->n_sets; i++)
		if (i == 0 || compare_sets(&c->sets[i], &c->sets[n_kept - 1], c->members) != 0)
			c->sets[n_kept++] = c->sets[i];
	c->n_sets = n_kept;
}

void canonical_edges(struct canon *c)
{
	find_same(c);
	graph_each_edge(c->graph, take_edge, c);
	add_phases(c);
	drop_repeated(c);
	graph_each_exclusive(c->graph, take_set, c);
	drop_repeated_sets(c);
}
