/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Partition refinement (Hopcroft, "An n log n algorithm for minimizing states in a finite automaton", 1971; for graphs
 * Paige and Tarjan, 1987). The nodes lie in a row, in which the nodes of a class, a cell, are neighbours. Each cell is
 * once a splitter: every other cell is split by how many edges of each label lead between its nodes and the splitter.
 * All parts of a cell except a largest become splitters themselves: what that one would split follows from the cell
 * and the other parts.
 *
 * Nothing depends on the numbers of nodes: a cell is identified by its first place in the row, splitters are taken in the
 * order in which they were found, and the parts of a cell are in the order of the sums that split them.
 */
#include "builder/graph/canonical.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the canonical graph";

struct neighbour {
	uint32_t node;
	uint64_t weight; /* of the edge's label and direction; weights of several edges are added up */
};

struct refinement {
	uint32_t n;
	uint32_t *row;   /* nodes, cell by cell */
	uint32_t *place; /* by node: its place in the row */
	uint32_t *cell;  /* by node: the first place of its cell */
	uint32_t *n_in;  /* by first place of a cell: how many nodes it has */
	size_t *first;   /* by node: index into neighbours; n + 1 entries */
	struct neighbour *neighbours;
	uint64_t *sum;      /* by node: weights of edges to the splitter */
	bool *is_touched;   /* by node: it has an edge to the splitter */
	uint32_t *touched;  /* those nodes */
	uint32_t *splitter; /* its nodes, which may change their places meanwhile */
	uint32_t *queue;    /* of cells, by first place; a ring of n entries */
	uint32_t queue_begin, n_queued;
	bool *is_queued; /* by first place */
};

struct coloured {
	uint64_t colour;
	uint32_t node;
};

static int by_colour(const void *left, const void *right)
{
	const struct coloured *l = left, *r = right;
	return cmp(l->colour, r->colour);
}

static void enqueue(struct refinement *r, uint32_t cell)
{
	if (r->is_queued[cell])
		return;
	r->is_queued[cell] = true;
	r->queue[(r->queue_begin + r->n_queued++) % r->n] = cell;
}

static uint32_t dequeue(struct refinement *r)
{
	uint32_t cell = r->queue[r->queue_begin];
	r->queue_begin = (r->queue_begin + 1) % r->n;
	r->n_queued--;
	r->is_queued[cell] = false;
	return cell;
}

/* The first cells: nodes of one colour. */
static void make_cells(struct refinement *r, const uint64_t *colours)
{
	struct coloured *sorted = memory_get(r->n, sizeof *sorted, what);
	for (uint32_t i = 0; i < r->n; i++)
		sorted[i] = (struct coloured){colours[i], i};
	sort_array(sorted, r->n, by_colour);
	for (uint32_t i = 0, begin = 0; i < r->n; i++) {
		if (i > 0 && sorted[i].colour != sorted[i - 1].colour)
			begin = i;
		r->row[i] = sorted[i].node;
		r->place[sorted[i].node] = i;
		r->cell[sorted[i].node] = begin;
		r->n_in[begin]++;
		enqueue(r, begin);
	}
	free(sorted);
}

static uint64_t weight_of(uint32_t label, bool is_incoming)
{
	uint64_t x = (((uint64_t)label << 1 | is_incoming) + 1) * UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9); /* splitmix64 */
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static void make_neighbours(struct refinement *r, const struct refine_edge *edges, size_t n_edges)
{
	for (size_t i = 0; i < n_edges; i++) {
		r->first[edges[i].source + 1]++;
		r->first[edges[i].target + 1]++;
	}
	for (uint32_t i = 0; i < r->n; i++)
		r->first[i + 1] += r->first[i];
	size_t *end = memory_get(r->n, sizeof *end, what);
	memcpy(end, r->first, r->n * sizeof *end);
	for (size_t i = 0; i < n_edges; i++) {
		const struct refine_edge *edge = &edges[i];
		r->neighbours[end[edge->source]++] = (struct neighbour){edge->target, weight_of(edge->label, false)};
		r->neighbours[end[edge->target]++] = (struct neighbour){edge->source, weight_of(edge->label, true)};
	}
	free(end);
}

static int by_cell_and_sum(const void *left, const void *right, void *refinement)
{
	const struct refinement *r = refinement;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return cmp(r->cell[a], r->cell[b]) ?: cmp(r->sum[a], r->sum[b]);
}

static void put(struct refinement *r, uint32_t node, uint32_t place)
{
	uint32_t other = r->row[place], old = r->place[node];
	r->row[old] = other;
	r->place[other] = old;
	r->row[place] = node;
	r->place[node] = place;
}

/*
 * Splits a cell. Those of its nodes that have edges to the splitter are given, by their sums; they go to the end of the
 * cell.
 */
static void split(struct refinement *r, uint32_t cell, const uint32_t *nodes, uint32_t n)
{
	uint32_t n_in_cell = r->n_in[cell], place = cell + n_in_cell - n, first = place;
	uint32_t largest = cell, n_largest = place - cell; /* the nodes without such edges, perhaps none */
	bool was_queued = r->is_queued[cell];
	for (uint32_t i = 0; i < n; i++)
		put(r, nodes[i], place + i);
	r->n_in[cell] = place - cell;
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0 && r->sum[nodes[i]] != r->sum[nodes[i - 1]])
			place = first + i;
		r->cell[nodes[i]] = place;
		if (place == first + i)
			r->n_in[place] = 0;
		r->n_in[place]++;
		if (r->n_in[place] > n_largest) {
			largest = place;
			n_largest = r->n_in[place];
		}
	}
	for (uint32_t part = cell; r->n_in[cell] < n_in_cell && part < cell + n_in_cell; part += r->n_in[part])
		if (was_queued || part != largest)
			enqueue(r, part);
}

static void split_by(struct refinement *r, uint32_t cell)
{
	uint32_t n_splitter = r->n_in[cell], n_touched = 0;
	memcpy(r->splitter, r->row + cell, n_splitter * sizeof *r->splitter);
	for (uint32_t i = 0; i < n_splitter; i++) {
		for (size_t j = r->first[r->splitter[i]]; j < r->first[r->splitter[i] + 1]; j++) {
			uint32_t node = r->neighbours[j].node;
			if (r->n_in[r->cell[node]] == 1)
				continue;
			if (!r->is_touched[node])
				r->touched[n_touched++] = node;
			r->is_touched[node] = true;
			r->sum[node] += r->neighbours[j].weight;
		}
	}
	sort_array_r(r->touched, n_touched, by_cell_and_sum, r);
	for (uint32_t i = 0, begin = 0; i < n_touched; i++) {
		uint32_t of = r->cell[r->touched[begin]];
		if (i + 1 == n_touched || r->cell[r->touched[i + 1]] != of) {
			split(r, of, r->touched + begin, i + 1 - begin);
			begin = i + 1;
		}
	}
	for (uint32_t i = 0; i < n_touched; i++) {
		r->sum[r->touched[i]] = 0;
		r->is_touched[r->touched[i]] = false;
	}
}

void canonical_refine(uint32_t n, const uint64_t *colours, const struct refine_edge *edges, size_t n_edges, uint32_t *classes)
{
	if (n == 0)
		return;
	struct refinement r = {
		.n = n,
		.row = memory_get(n, sizeof *r.row, what),
		.place = memory_get(n, sizeof *r.place, what),
		.cell = memory_get(n, sizeof *r.cell, what),
		.n_in = memory_zeroed(n, sizeof *r.n_in, what),
		.first = memory_zeroed((size_t)n + 1, sizeof *r.first, what),
		.neighbours = memory_get(2 * n_edges, sizeof *r.neighbours, what),
		.sum = memory_zeroed(n, sizeof *r.sum, what),
		.is_touched = memory_zeroed(n, sizeof *r.is_touched, what),
		.touched = memory_get(n, sizeof *r.touched, what),
		.splitter = memory_get(n, sizeof *r.splitter, what),
		.queue = memory_get(n, sizeof *r.queue, what),
		.is_queued = memory_zeroed(n, sizeof *r.is_queued, what),
	};
	make_neighbours(&r, edges, n_edges);
	make_cells(&r, colours);
	while (r.n_queued > 0)
		split_by(&r, dequeue(&r));
	for (uint32_t i = 0; i < n; i++)
		classes[i] = r.cell[i] + 1;
	void *const all[] = {r.row, r.place,      r.cell,    r.n_in,     r.first, r.neighbours,
			     r.sum, r.is_touched, r.touched, r.splitter, r.queue, r.is_queued};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
}
