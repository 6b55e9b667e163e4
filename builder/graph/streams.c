/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Brings together what the streams have added to the graph during the replay, in the order of streams, independent of the order
 * of their replay: nodes and edges get their numbers. Each member of a team has added a part of its barriers and joins;
 * the first part stays, and the others become the same node.
 */
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>

#define WHAT       "the graph"
#define FEW_BLOCKS 2 /* up to this many blocks are not worth a second thread */

struct joining {
	struct graph *graph;
	uint32_t *blocks; /* of node_rows, in the order of streams */
	uint32_t n_blocks;
	uint32_t *numbers;   /* by row of node_rows: the node's number */
	uint32_t n;          /* nodes so far */
	struct map has_edge; /* (barrier, node) with an edge between them other than the node's `previous` */
	/* Edges to joins and barriers that only merging has found, each with its place among the edges of its stream. */
	struct late_edge {
		struct edge edge;
		uint32_t stream, place;
	} * late;
	size_t n_late, late_capacity;
	uint32_t *parts; /* rows of nodes that become part of another one */
	size_t n_parts, parts_capacity;
};

static uint32_t number_of(const struct joining *j, uint32_t id)
{
	uint32_t n_tasks = j->graph->model->n_tasks;
	return id < n_tasks ? id : j->numbers[id - n_tasks];
}

/* The blocks of a table by their streams. */
static uint32_t *sort_blocks(const struct stream_rows *rows, size_t n_streams)
{
	uint32_t *sorted = memory_get(rows->n_blocks, sizeof *sorted, WHAT);
	size_t *first = memory_zeroed(n_streams + 1, sizeof *first, WHAT);
	for (uint32_t i = 0; i < rows->n_blocks; i++)
		first[rows->owners[i] + 1]++;
	for (size_t i = 1; i <= n_streams; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < rows->n_blocks; i++)
		sorted[first[rows->owners[i]]++] = i;
	free(first);
	return sorted;
}

/* The rows of a block, except those of stand-ins. */
static uint32_t first_of_block(uint32_t block)
{
	return (block << ROWS_SHIFT) + (block == 0 ? NODE_KINDS : 0);
}

static uint32_t end_of_block(const struct joining *j, uint32_t block)
{
	const struct stream_rows *rows = &j->graph->node_rows;
	return (block << ROWS_SHIFT) + rows_used(block, &j->graph->streams[rows->owners[block]].node_end);
}

/* ---- Barriers and joins ---- */

/* Where records are missing, a member may begin to count anew. */
static void count_barrier(struct joining *j, const struct node *node)
{
	struct graph_task *task = &j->graph->tasks[node->task];
	if (node->kind == NODE_BARRIER && node->phase >= task->n_barriers)
		task->n_barriers = node->phase + 1;
}

/* Each initial task of a league is a team of its own. */
static bool is_alone(const struct task *task)
{
	return task->flags & task_flags_initial;
}

size_t graph_lay_out_barriers(struct graph *graph)
{
	const struct model *m = graph->model;
	uint32_t *places = memory_zeroed(m->n_regions, sizeof *places, WHAT);
	size_t n = 1, capacity = 0;
	for (size_t i = 0; i < m->n_implicit; i++) {
		uint32_t row = m->implicit[i];
		const struct task *task = &m->tasks[row];
		if (!is_alone(task) && graph->tasks[row].n_barriers > places[task->region])
			places[task->region] = graph->tasks[row].n_barriers;
	}
	array_reserve(graph->barriers, n, capacity);
	graph->barriers[0] = 0;
	for (uint32_t region = 0; region < m->n_regions; region++)
		if (places[region] != 0) {
			array_reserve(graph->barriers, n + 1 + places[region], capacity);
			graph->barriers[n] = places[region];
			places[region] = (uint32_t)n;
			n += 1 + graph->barriers[n];
		}
	for (size_t i = 0; i < m->n_implicit; i++) {
		const struct task *task = &m->tasks[m->implicit[i]];
		struct graph_task *t = &graph->tasks[m->implicit[i]];
		t->first_barrier = is_alone(task) ? 0 : places[task->region];
		if (!is_alone(task) || t->n_barriers == 0)
			continue;
		array_reserve(graph->barriers, n + 1 + t->n_barriers, capacity);
		graph->barriers[n] = t->n_barriers;
		t->first_barrier = (uint32_t)n;
		n += 1 + t->n_barriers;
	}
	for (size_t i = 1; i < n;) {
		uint32_t n_team = graph->barriers[i++];
		for (uint32_t k = 0; k < n_team; k++)
			graph->barriers[i++] = 0;
	}
	free(places);
	return n;
}

/* Where the number of the shared node is kept; NULL: members of a team do not share this node. */
static uint32_t *shared_place(const struct graph *graph, const struct node *node)
{
	if (node->kind == NODE_BARRIER)
		return &graph->barriers[graph->tasks[node->task].first_barrier + 1 + node->phase];
	return node->kind == NODE_JOIN ? &graph->join_node[node->region] : NULL;
}

/* Members that come from the same barrier would give the same edge each: there is one. Where records end, or are missing,
 * others may come from a later barrier. */
static void merge_edge(struct joining *j, uint32_t first_id, struct node *first, uint32_t row, const struct node *node)
{
	struct graph *graph = j->graph;
	if (node->previous == 0 || (first->previous != 0 && number_of(j, first->previous) == number_of(j, node->previous)))
		return;
	if (first->previous == 0) {
		first->previous = node->previous;
		first->previous_kind = node->previous_kind;
		return;
	}
	uint32_t *is_again = map_put(&j->has_edge, (uint64_t)number_of(j, node->previous) << 32 | number_of(j, first_id));
	if (*is_again != 0)
		return;
	*is_again = 1;
	uint32_t stream = graph->node_rows.owners[row >> ROWS_SHIFT];
	const struct late_edge *latest = j->n_late > 0 ? &j->late[j->n_late - 1] : NULL;
	uint32_t least = latest != NULL && latest->stream == stream ? latest->place : 0;
	uint32_t place = node->kind == NODE_JOIN ? node->wait : least;
	array_push(j->late, j->n_late, j->late_capacity,
		   (struct late_edge){{node->previous, first_id, node->previous_kind, false, 0, 0, 0}, stream, place});
}

static void merge(struct joining *j, uint32_t first_id, uint32_t row, const struct node *node)
{
	const struct graph *graph = j->graph;
	struct node *first = graph_inner_node(graph, first_id);
	first->is_placed |= node->is_placed;
	merge_edge(j, first_id, first, row, node);
	if (node->kind == NODE_JOIN) {
		if (node->is_region_end)
			first->end_ticks = node->end_ticks;
		return;
	}
	if (node->begin_ticks < first->begin_ticks)
		first->begin_ticks = node->begin_ticks;
	if (node->end_ticks > first->end_ticks)
		first->end_ticks = node->end_ticks;
	if (graph->model->constructs[first->construct].codeptr == 0)
		first->construct = node->construct;
}

static void give_number(struct joining *j, uint32_t row, struct node *node)
{
	uint32_t id = j->graph->model->n_tasks + row, *place = shared_place(j->graph, node);
	if (place == NULL || *place == 0) {
		j->numbers[row] = j->graph->model->n_tasks + j->n++;
		if (place != NULL)
			*place = id;
		return;
	}
	j->numbers[row] = number_of(j, *place);
	array_push(j->parts, j->n_parts, j->parts_capacity, row);
}

/* Edges are compared by the numbers of where they come from. All nodes have theirs by now: where records are missing, a
 * part may come after a node of a later block. */
static void merge_parts(struct joining *j)
{
	for (size_t i = 0; i < j->n_parts; i++) {
		const struct node *node = rows_get(&j->graph->node_rows, j->parts[i]);
		merge(j, *shared_place(j->graph, node), j->parts[i], node);
	}
}

/* ---- In the order of streams ---- */

static void count_barriers(struct joining *j)
{
	const struct stream_rows *rows = &j->graph->node_rows;
	for (uint32_t i = 0; i < j->n_blocks; i++)
		for (uint32_t block = j->blocks[i], row = first_of_block(block), end = end_of_block(j, block);
		     rows->marks[block] && row < end; row++)
			count_barrier(j, rows_get(rows, row));
}

/* Gives the nodes of a block their numbers, from j->n on. */
static void number_block(struct joining *j, uint32_t block)
{
	const struct stream_rows *rows = &j->graph->node_rows;
	uint32_t row = first_of_block(block), end = end_of_block(j, block);
	for (; rows->marks[block] && row < end; row++)
		give_number(j, row, rows_get(rows, row));
	for (uint32_t number = j->graph->model->n_tasks + j->n; row < end; row++, j->n++)
		j->numbers[row] = number++;
}

/* Puts the nodes of a block into the graph, from `place` on. */
static void put_block(struct joining *j, uint32_t block, uint32_t place)
{
	struct graph *graph = j->graph;
	uint32_t id = graph->model->n_tasks + place;
	for (uint32_t row = first_of_block(block), end = end_of_block(j, block); row < end; row++) {
		const struct node *node = rows_get(&graph->node_rows, row);
		if (j->numbers[row] != id) /* a part of a node that was put already */
			continue;
		uint32_t *shared = shared_place(graph, node);
		if (shared != NULL)
			*shared = id;
		struct node *put = &graph->nodes[id++ - graph->model->n_tasks];
		*put = *node;
		put->previous = number_of(j, node->previous);
		if (node->kind == NODE_BARRIER)
			put->task = 0;
		if (node->kind == NODE_JOIN)
			put->wait = 0;
	}
	rows_free_block(&graph->node_rows, block);
}

/* Blocks with barriers and joins are put one after the other, all other blocks by several threads. */
static void put_nodes(struct joining *j)
{
	struct graph *graph = j->graph;
	uint32_t first = graph->is_counted ? NODE_KINDS : 0;
	uint32_t *places = memory_get(j->n_blocks, sizeof *places, WHAT);
	j->n = first;
	for (uint32_t i = 0; i < j->n_blocks; i++) {
		struct graph_stream *s = &graph->streams[graph->node_rows.owners[j->blocks[i]]];
		places[i] = j->n;
		number_block(j, j->blocks[i]);
		s->first_node = s->end_node == 0 ? places[i] : s->first_node;
		s->end_node = j->n;
	}
	merge_parts(j);
	graph->nodes_capacity = j->n + (size_t)1;
	graph->nodes = memory_get(graph->nodes_capacity, sizeof *graph->nodes, WHAT);
	for (uint32_t i = 0; i < first; i++)
		graph->nodes[i] = (struct node){.kind = (uint8_t)i};
#pragma omp parallel for schedule(dynamic, 1) if (j->n_blocks > FEW_BLOCKS)
	for (uint32_t i = 0; i < j->n_blocks; i++)
		put_block(j, j->blocks[i], places[i]);
	graph->n_nodes = j->n;
	free(places);
}

static void put_edge(struct joining *j, struct edge edge)
{
	edge.source = number_of(j, edge.source);
	edge.target = number_of(j, edge.target);
	j->graph->edges[j->graph->n_edges++] = edge;
}

static void put_edges(struct joining *j)
{
	struct graph *graph = j->graph;
	size_t n = j->n_late, late = 0;
	for (size_t i = 0; i < graph->n_streams; i++)
		n += graph->streams[i].n_edges;
	graph->edges = n != 0 ? memory_get(n, sizeof *graph->edges, WHAT) : NULL;
	graph->edges_capacity = n;
	for (size_t i = 0; i < graph->n_streams; i++) {
		struct graph_stream *s = &graph->streams[i];
		for (size_t k = 0; k <= s->n_edges; k++) {
			for (const struct late_edge *next; late < j->n_late; late++) {
				next = &j->late[late];
				if (next->stream != i || (next->place > k && k < s->n_edges))
					break;
				put_edge(j, next->edge);
			}
			if (k < s->n_edges)
				put_edge(j, s->edges[k]);
		}
		free(s->edges);
		s->edges = NULL;
		s->n_edges = s->edges_capacity = 0;
	}
}

static void number_intervals(struct joining *j)
{
	const struct stream_rows *rows = &j->graph->interval_rows;
#pragma omp parallel for if (rows->n_blocks > FEW_BLOCKS)
	for (uint32_t block = 0; block < rows->n_blocks; block++) {
		struct interval *intervals = (struct interval *)rows->blocks[block];
		uint32_t n = rows_used(block, &j->graph->streams[rows->owners[block]].interval_end);
		for (uint32_t i = 0; i < n; i++) {
			intervals[i].node = number_of(j, intervals[i].node);
			intervals[i].group = number_of(j, intervals[i].group);
		}
	}
}

static void number_tables(struct joining *j)
{
	struct graph *graph = j->graph;
	const struct model *m = graph->model;
	uint32_t n_tasks = graph->is_counted && graph->n_nodes == NODE_KINDS ? 0 : m->n_tasks; /* stand-ins stay what they are */
#pragma omp parallel for if (n_tasks > FEW_ROWS)
	for (uint32_t row = 1; row < n_tasks; row++) {
		struct graph_task *task = &graph->tasks[row];
		task->last = number_of(j, task->last);
		if (!graph->is_counted && task_is_explicit(&m->tasks[row]))
			task->origin = number_of(j, task->origin);
	}
	for (uint32_t region = 0; region < m->n_regions; region++)
		graph->region_node[region] = number_of(j, graph->region_node[region]);
	for (uint32_t i = 0; i < m->n_operations; i++)
		graph->operation_node[i] = number_of(j, graph->operation_node[i]);
	number_intervals(j);
	if (graph->unit_hooks != NULL)
		graph->unit_hooks->renumber(graph, j->numbers);
}

static void add_up_streams(struct joining *j)
{
	struct graph *graph = j->graph;
	uint64_t n_transparent = 0;
	for (size_t i = 0; i < graph->n_streams; i++) {
		struct graph_stream *s = &graph->streams[i];
		for (size_t k = 0; k < s->n_fulfilments; k++) {
			s->fulfilments[k].source = number_of(j, s->fulfilments[k].source);
			s->fulfilments[k].resumption = number_of(j, s->fulfilments[k].resumption);
		}
		graph->has_unknown_waits |= s->has_unknown_waits;
		graph->order.has_unknown_orders |= s->has_unknown_orders;
		graph->order.has_unknown_fulfills |= s->has_unknown_fulfills;
		graph->is_irregular |= s->is_irregular;
		n_transparent += s->n_transparent;
	}
	if (n_transparent > 0)
		tally_add(&graph->repairs, "transparent_task", n_transparent);
	graph_join_blocked(graph, j->numbers);
	doacross_renumber(graph, j->numbers);
}

void graph_join_streams(struct graph *graph)
{
	struct joining j = {.graph = graph, .n_blocks = graph->node_rows.n_blocks};
	j.blocks = sort_blocks(&graph->node_rows, graph->n_streams);
	j.numbers = memory_get((size_t)j.n_blocks << ROWS_SHIFT, sizeof *j.numbers, WHAT);
	for (uint32_t i = 0; i < NODE_KINDS; i++) /* stand-ins */
		j.numbers[i] = graph->model->n_tasks + i;
	count_barriers(&j);
	if (!graph->is_counted)
		(void)graph_lay_out_barriers(graph);
	put_nodes(&j);
	put_edges(&j);
	number_tables(&j);
	add_up_streams(&j);
	map_free(&j.has_edge);
	free(j.late);
	free(j.parts);
	free(j.blocks);
	free(j.numbers);
}
