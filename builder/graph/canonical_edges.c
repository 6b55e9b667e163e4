/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph of the canonical list. Finds which nodes are one: those that all threads of a team reach at the same place.
 * Makes the edges between the nodes that stand for all, each once, and the sets of tasks that exclude each other. Runs
 * on one thread; reads nodes on all threads of OpenMP, and edges on two.
 */
#include "builder/graph/canonical.h"
#include "builder/graph/shared.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the canonical graph";

/* ---- Which nodes are one ---- */

/* Nodes with one key are one. 0: the node is one with no other. */
static uint64_t place_key(const struct canon *c, uint32_t id)
{
	const struct node *node = graph_inner_node(c->graph, id);
	if (node->is_of_unit || !node->is_placed)
		return 0;
	if (node->kind == NODE_BARRIER || node->kind == NODE_JOIN) {
		uint32_t whose = c->of_region[node->region];
		return whose == 0 ? 0 : hash_mix(hash_mix(canonical_hash(12, node->kind), whose), node->phase) | 1;
	}
	if (!canonical_is_inner(node) || node->is_in_work || !canonical_is_merged(c, node->task))
		return 0;
	uint64_t key = hash_mix(canonical_hash(11, c->family[node->task]), node->phase);
	key = hash_mix(hash_mix(key, node->kind), canonical_label_hash(c, node->construct, node->task));
	return hash_mix(key, c->node_ordinal[id - c->m->n_tasks]) | 1;
}

/*
 * What take_edge() needs to know of the ends of edges, gathered once: a node has several edges, and reading its row is a cache
 * miss.
 */
enum {
	IS_SPLIT = 1,      /* a task of the runtime's own, by which it splits a taskloop: the list leaves these out */
	IS_LEFT_OUT = 2,   /* by canonical_leaves_out() */
	IS_OF_UNIT = 4,    /* of Argobots */
	IS_IN_MERGED = 8,  /* a merged task, or a node inside of one */
	IS_OF_TEAM = 16,   /* the same, and barriers of teams */
	IS_TASKWAIT = 32,  /* edges from ends of tasks to it are of EDGE_TASKWAIT */
	IS_TASKGROUP = 64, /* edges from ends of tasks to it are of EDGE_TASKGROUP */
};

static uint8_t traits_of_task(const struct canon *c, uint32_t task)
{
	bool is_merged = task != 0 && canonical_is_merged(c, task);
	return (uint8_t)((task_is_split(&c->m->tasks[task]) ? IS_SPLIT : 0) | (is_merged ? IS_IN_MERGED | IS_OF_TEAM : 0));
}

static uint8_t traits_of_inner(const struct canon *c, const struct node *node)
{
	bool is_of_team = c->traits[node->task] & IS_IN_MERGED;
	unsigned traits = (is_of_team ? IS_IN_MERGED : 0) | (node->is_of_unit ? IS_OF_UNIT : 0);
	if (node->kind == NODE_BARRIER && node->is_placed) {
		uint32_t region = node->region != 0 ? node->region : c->m->tasks[node->task].region;
		is_of_team = !(c->m->regions[region].state & REGION_INITIAL);
	}
	traits |= (is_of_team ? IS_OF_TEAM : 0) | (canonical_leaves_out(node->kind) ? IS_LEFT_OUT : 0);
	enum edge_kind joins = edge_of_joiner(node->kind);
	traits |= joins == EDGE_TASKWAIT ? IS_TASKWAIT : joins == EDGE_TASKGROUP ? IS_TASKGROUP : 0;
	return (uint8_t)traits;
}

static void find_same(struct canon *c)
{
	uint32_t n_tasks = c->m->n_tasks;
	struct map places = {0};
#pragma omp parallel for if (n_tasks > FEW_ROWS)
	for (uint32_t task = 0; task < n_tasks; task++) {
		c->traits[task] = traits_of_task(c, task);
		c->same[task] = c->traits[task] & IS_SPLIT ? 0 : c->family[task];
	}
#pragma omp parallel for if (c->graph->n_nodes > FEW_ROWS)
	for (uint32_t i = 0; i < c->graph->n_nodes; i++)
		c->traits[n_tasks + i] = traits_of_inner(c, &c->graph->nodes[i]);
	for (uint32_t id = n_tasks; id < c->n_ids; id++) {
		uint64_t key = c->traits[id] & IS_LEFT_OUT ? 0 : place_key(c, id);
		uint32_t *found = key != 0 ? map_put(&places, key) : NULL;
		if (found != NULL && *found == 0)
			*found = id;
		c->same[id] = c->traits[id] & IS_LEFT_OUT ? 0 : found != NULL ? *found : id;
	}
	map_free(&places);
}

/* ---- Edges ---- */

/* The part of the graph's edges that one thread takes: half of them, if there are two threads. */
struct half {
	const struct canon *c;
	size_t place, end; /* of the graph's edges */
	struct taken {
		uint32_t source, target;
		uint8_t kind, dependence;
	} * edges;
	size_t n, capacity;
	uint32_t *counts; /* by source: how many edges it has here; later the index of the next one from its first one */
};

static void add_edge(struct half *half, uint32_t source, uint32_t target, enum edge_kind kind, unsigned dependence)
{
	const uint32_t *same = half->c->same;
	if (source == 0 || target == 0)
		return;
	array_push(half->edges, half->n, half->capacity,
		   (struct taken){same[source], same[target], (uint8_t)kind, (uint8_t)dependence});
	half->counts[same[source]]++;
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

/* The node itself; if it is left out, the node before it in its task. */
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

/* Takes an edge of the graph; add_phases() adds those inside a merged task. */
static void take_edge(struct half *half, uint32_t source, uint32_t target, enum edge_kind kind, unsigned dependence)
{
	const struct canon *c = half->c;
	unsigned from = c->traits[source], to = c->traits[target];
	if (kind == EDGE_OF_JOINER)
		kind = to & IS_TASKWAIT ? EDGE_TASKWAIT : to & IS_TASKGROUP ? EDGE_TASKGROUP : EDGE_BARRIER;
	if (to & IS_SPLIT || (from & IS_SPLIT && kind != EDGE_CREATE))
		return;
	if (from & (IS_SPLIT | IS_LEFT_OUT)) {
		source = from & IS_SPLIT ? graph_origin(c->graph, target) : kept_node(c, source);
		from = c->traits[source];
	}
	if (to & IS_OF_UNIT) {
		/* Which external thread's row came before on its OS thread is not the program's order. */
		if (!(to & IS_LEFT_OUT) && graph_inner_node(c->graph, target)->kind != NODE_EXTERNAL)
			add_edge(half, source, target, kind, 0);
		return;
	}
	if ((to & IS_LEFT_OUT && graph_inner_node(c->graph, target)->is_placed) || canonical_leaves_out_edge(kind))
		return;
	if (kind == EDGE_CREATE && from & IS_OF_TEAM && target < c->m->n_tasks && task_is_explicit(&c->m->tasks[target]) &&
	    canonical_is_merged(c, c->m->tasks[target].parent))
		source = phase_begin(c, c->m->tasks[target].parent, canonical_phase(c, target));
	bool is_between_phases = kind == EDGE_BARRIER && from & IS_OF_TEAM;
	bool is_in_phase = kind == EDGE_SEQUENCE && to & IS_IN_MERGED;
	bool is_implied = kind == EDGE_DEPEND && has_barrier_between(c, source, target);
	if (!is_between_phases && !is_in_phase && !is_implied)
		add_edge(half, source, target, kind, dependence);
}

static void take_edges(struct half *half)
{
	struct edge_ends edges[EDGES_AT_ONCE];
	for (size_t place = half->place, next; place < half->end; place = next) {
		next = half->end - place > EDGES_AT_ONCE ? place + EDGES_AT_ONCE : half->end;
		size_t n = graph_edges_in(half->c->graph, place, next, edges);
		for (size_t i = 0; i < n; i++)
			take_edge(half, edges[i].source, edges[i].target, edges[i].kind, edges[i].dependence);
	}
}

/*
 * Adds what is inside merged tasks: each of their nodes between the two ends of its phase, and each phase from end to
 * end.
 */
static void add_phases(struct canon *c, struct half *half)
{
	enum edge_kind kind;
	for (uint32_t i = 0; i < c->graph->n_nodes; i++) {
		const struct node *node = &c->graph->nodes[i];
		if (!canonical_is_inner(node) || !canonical_is_merged(c, node->task))
			continue;
		uint32_t id = c->m->n_tasks + i, end = phase_end(c, node->task, node->phase, &kind);
		uint32_t last = node->kind == NODE_REGION ? c->graph->join_node[node->region] : id;
		add_edge(half, phase_begin(c, node->task, node->phase), id, EDGE_SEQUENCE, 0);
		add_edge(half, last, end, kind, 0);
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
			add_edge(half, phase_begin(c, task, phase), end, kind, 0);
		}
	}
}

/* Finds where the edges of each source begin, and among these those of each half. */
static void lay_out(struct canon *c, struct half *halves)
{
	size_t end = 0;
	for (uint32_t id = 0; id < c->n_ids; id++) {
		uint32_t n_first = halves[0].counts[id], n_second = halves[1].counts != NULL ? halves[1].counts[id] : 0;
		c->first_edge[id] = end;
		end += (size_t)n_first + n_second;
		halves[0].counts[id] = 0;
		if (n_second != 0)
			halves[1].counts[id] = n_first;
	}
	c->first_edge[c->n_ids] = end;
}

static void put_edges(struct canon *c, struct half *half)
{
	for (size_t i = 0; i < half->n; i++) {
		const struct taken *edge = &half->edges[i];
		c->edges[c->first_edge[edge->source] + half->counts[edge->source]++] =
			canonical_edge(edge->target, edge->kind, edge->dependence);
	}
	free(half->edges);
	free(half->counts);
}

/* Threads of a team, and teams at one place, give the same edges: each is kept once, sorted. Nodes with an edge get a name. */
static void drop_repeated(struct canon *c)
{
	size_t n_kept = 0, first = 0;
	for (uint32_t id = 0; id < c->n_ids; id++) {
		size_t end = c->first_edge[id + 1], first_kept = n_kept;
		if (first < end)
			c->is_named[id] = true;
		canonical_sort_edges(c->edges + first, end - first);
		for (; first < end; first++) {
			uint64_t edge = c->edges[first];
			if (n_kept > first_kept && edge == c->edges[n_kept - 1])
				continue;
			c->edges[n_kept++] = edge;
			c->is_named[canonical_target(edge)] = true;
		}
		c->first_edge[id] = first_kept;
	}
	c->first_edge[c->n_ids] = n_kept;
}

static void find_edges(struct canon *c)
{
	size_t n = graph_n_edge_places(c->graph), middle = omp_get_max_threads() > 1 && n > FEW_ROWS ? n / 2 : n;
	struct half halves[2] = {{.c = c, .place = 0, .end = middle}, {.c = c, .place = middle, .end = n}};
	for (int i = 0; i < (middle < n ? 2 : 1); i++) {
		halves[i].capacity = halves[i].end - halves[i].place; /* and what add_phases() adds */
		halves[i].edges = memory_get(halves[i].capacity, sizeof *halves[i].edges, what);
		halves[i].counts = memory_zeroed(c->n_ids, sizeof *halves[i].counts, what);
	}
#pragma omp parallel for num_threads(2) if (middle < n)
	for (int i = 0; i < 2; i++)
		take_edges(&halves[i]);
	add_phases(c, &halves[0]);
	lay_out(c, halves);
	c->edges = memory_get(c->first_edge[c->n_ids], sizeof *c->edges, what);
#pragma omp parallel for num_threads(2) if (middle < n)
	for (int i = 0; i < 2; i++)
		put_edges(c, &halves[i]);
	drop_repeated(c);
}

/* ---- Sets ---- */

static void add_set(struct canon *c, const uint32_t *nodes, uint32_t n)
{
	if (n < 2)
		return;
	array_push(c->sets, c->n_sets, c->sets_capacity, (struct canonical_set){c->n_members, n});
	array_reserve(c->members, c->n_members + n, c->members_capacity);
	for (uint32_t i = 0; i < n; i++) {
		c->members[c->n_members++] = c->same[nodes[i]];
		c->is_named[c->same[nodes[i]]] = true;
	}
}

static int by_phase(const void *left, const void *right, void *canon)
{
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right, parent;
	uint32_t phase_l = phase_of(canon, l, &parent), phase_r = phase_of(canon, r, &parent);
	return cmp(phase_l, phase_r) ?: cmp(l, r);
}

/* Takes a set of the graph, separately for each phase of a team: barriers already keep members of different phases apart. */
static int take_set(void *self, const uint32_t *nodes, uint32_t n)
{
	uint32_t *sorted = memory_get(n, sizeof *sorted, what);
	memcpy(sorted, nodes, n * sizeof *sorted);
	sort_array_r(sorted, n, by_phase, self);
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
			return cmp(all[l->first + i], all[r->first + i]);
	return cmp(l->n, r->n);
}

/* The same tasks may share several addresses after a barrier, and others before it. */
static void drop_repeated_sets(struct canon *c)
{
	size_t n_kept = 0;
	sort_array_r(c->sets, c->n_sets, compare_sets, c->members);
	for (size_t i = 0; i < c->n_sets; i++)
		if (i == 0 || compare_sets(&c->sets[i], &c->sets[n_kept - 1], c->members) != 0)
			c->sets[n_kept++] = c->sets[i];
	c->n_sets = n_kept;
}

void canonical_edges(struct canon *c)
{
	find_same(c);
	find_edges(c);
	graph_each_exclusive(c->graph, take_set, c);
	drop_repeated_sets(c);
}
