/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the nodes of a net hold mutexes: see scenario.h.
 */
#include "builder/simulate/scenario.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#define WHAT "what limits the run"

/* A mutex that a node holds: the acquisitions of each node in order, before they become stretches. */
struct node_hold {
	uint32_t node, mutex, construct;
	uint64_t acquire_ticks, acquired_ticks, released_ticks;
};

struct collection {
	struct node_hold *rows;
	size_t n, capacity;
	struct map mutexes; /* wait id -> number from 1 */
	uint32_t n_mutexes;
};

/* A pass over the nodes of a stream in the order in which they began. */
struct stretch_cursor {
	const struct net *net;
	const struct track_stream *stream;
	size_t next_started;
	uint32_t next_fragment, end_fragment, node;
};

/* The last node that began at or before `ticks`. */
static uint32_t node_at(struct stretch_cursor *along, uint64_t ticks)
{
	const struct net *net = along->net;
	const struct model *m = net->graph->model;
	for (;;) {
		while (along->next_fragment < along->end_fragment && net_kind(net, along->next_fragment) != NODE_FRAGMENT)
			along->next_fragment++;
		uint64_t fragment = along->next_fragment < along->end_fragment ? net_begin(net, along->next_fragment) : UINT64_MAX;
		bool has_task = along->next_started < along->stream->n_started;
		uint64_t task = has_task ? m->tasks[along->stream->started[along->next_started]].start_ticks : UINT64_MAX;
		if (task > ticks && fragment > ticks)
			return along->node;
		uint32_t next = has_task ? along->stream->started[along->next_started] : 0;
		bool is_task = net_comes_first(net, next, task, along->next_fragment, fragment);
		along->node = is_task ? next : along->next_fragment++;
		along->next_started += is_task;
	}
}

static void collect_holds(struct collection *c, const struct net *net, const struct track *track, size_t i)
{
	const struct track_stream *s = &track->streams[i];
	uint32_t n_tasks = net->n_tasks;
	struct stretch_cursor along = {
		net, s, 0, n_tasks + net->graph->streams[i].first_node, n_tasks + net->graph->streams[i].end_node, 0};
	for (size_t j = 0; j < s->n_holds; j++) {
		const struct track_hold *hold = &s->holds[j];
		uint32_t node = node_at(&along, hold->acquired_ticks);
		uint32_t *mutex = map_put(&c->mutexes, hold->wait_id);
		if (*mutex == 0)
			*mutex = ++c->n_mutexes;
		if (node == 0)
			continue;
		array_push(c->rows, c->n, c->capacity,
			   (struct node_hold){node, *mutex, hold->construct, hold->acquire_ticks, hold->acquired_ticks,
					      hold->released_ticks});
	}
}

static int by_node(const void *left, const void *right)
{
	const struct node_hold *l = left, *r = right;
	return cmp(l->node, r->node) ?: cmp(l->acquired_ticks, r->acquired_ticks);
}

struct stretch_rows {
	struct workload_stretch *rows;
	size_t n, capacity;
};

static void add_stretch(struct stretch_rows *s, uint64_t ticks, uint32_t mutex, uint32_t construct)
{
	array_push(s->rows, s->n, s->capacity, (struct workload_stretch){ticks, mutex, construct});
}

/* Adds the stretches of one node: a mutex acquired while another one is held is left out. The rest of its work comes last. */
static void add_node(struct stretch_rows *s, const struct net *net, const struct node_hold *held, size_t n)
{
	uint64_t at = net_begin(net, held->node), left = net_work(net, held->node);
	for (size_t i = 0; i < n; i++) {
		uint64_t end = held[i].released_ticks != 0 && held[i].released_ticks < net_end(net, held->node)
				       ? held[i].released_ticks
				       : net_end(net, held->node);
		if (held[i].acquire_ticks < at || end < held[i].acquired_ticks)
			continue;
		uint64_t before = held[i].acquire_ticks - at, inside = end - held[i].acquired_ticks;
		before = before < left ? before : left;
		left -= before;
		inside = inside < left ? inside : left;
		left -= inside;
		add_stretch(s, before, 0, 0);
		add_stretch(s, inside, held[i].mutex, held[i].construct);
		at = end;
	}
	add_stretch(s, left, 0, 0);
}

static int add_set(void *self, const uint32_t *nodes, uint32_t n)
{
	struct collection *c = self;
	uint32_t mutex = ++c->n_mutexes;
	for (uint32_t i = 0; i < n; i++) {
		array_push(c->rows, c->n, c->capacity, (struct node_hold){.node = nodes[i], .mutex = mutex});
	}
	return 0;
}

void stretches_find(struct stretches *all, const struct net *net, const struct track *track)
{
	struct collection c = {0};
	struct stretch_rows s = {0};
	for (size_t i = 0; i < track->n_streams; i++)
		collect_holds(&c, net, track, i);
	graph_each_exclusive(net->graph, add_set, &c);
	for (size_t i = 0; i < c.n; i++)
		if (c.rows[i].acquired_ticks == 0) { /* of a set: held during the task's whole first node */
			c.rows[i].construct = net_construct(net, c.rows[i].node);
			c.rows[i].acquire_ticks = c.rows[i].acquired_ticks = net_begin(net, c.rows[i].node);
			c.rows[i].released_ticks = net_end(net, c.rows[i].node);
		}
	*all = (struct stretches){.n_mutexes = c.n_mutexes};
	map_free(&c.mutexes);
	if (c.n == 0)
		return;
	sort_array(c.rows, c.n, by_node);
	all->first = memory_zeroed((size_t)net->n + 1, sizeof *all->first, WHAT);
	size_t row = 0;
	for (uint32_t id = 0; id < net->n; id++) {
		size_t first = row;
		all->first[id] = (uint32_t)s.n;
		while (row < c.n && c.rows[row].node == id)
			row++;
		if (row > first)
			add_node(&s, net, &c.rows[first], row - first);
	}
	all->first[net->n] = (uint32_t)s.n;
	all->stretches = s.rows;
	free(c.rows);
}
