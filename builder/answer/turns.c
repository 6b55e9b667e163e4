/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which node of a unit of Argobots runs where, and when: units go from one execution stream to another, and a fragment goes
 * on where its unit has only yielded. And how long units waited, by what they are. Called by answer.c, on one thread.
 */
#include "builder/answer/turns.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#define WHAT "what limits the run"

bool turns_are_all(const struct graph *graph)
{
	const struct model *m = graph->model;
	if (graph->units == NULL)
		return false;
	for (uint32_t row = 1; row < m->n_regions; row++)
		if (m->regions[row].state & REGION_ANNOUNCED &&
		    !(m->regions[row].state & (REGION_INITIAL | REGION_HELPER | REGION_HIDDEN)))
			return false;
	return true;
}

/* By unit, in the order in which they began: the nodes that execute something, and waits for mutexes, as those may be polled for. */
struct unit_nodes {
	uint32_t *first, *nodes;
};

static uint32_t unit_of(const struct net *net, uint32_t id)
{
	return net_unit(net, id) != NULL ? net_inner(net, id)->unit : 0;
}

static bool is_listed(const struct net *net, uint32_t id)
{
	return net_executes(net, id) || net_waits_for_mutex(net, id);
}

static void list_nodes(struct unit_nodes *list, const struct net *net)
{
	uint32_t n_units = net->graph->model->n_units, end = 0;
	list->first = memory_zeroed((size_t)n_units + 1, sizeof *list->first, WHAT);
	list->nodes = memory_get(net->n, sizeof *list->nodes, WHAT);
	for (uint32_t id = 1; id < net->n; id++)
		if (is_listed(net, id))
			list->first[unit_of(net, id)]++;
	for (uint32_t unit = 0; unit < n_units; unit++)
		list->first[unit] = end += list->first[unit];
	list->first[n_units] = end;
	for (uint32_t id = net->n; --id > 0;)
		if (is_listed(net, id))
			list->nodes[--list->first[unit_of(net, id)]] = id;
}

/* The nodes of the unit that runs from `from` until `end`: each from when it begins, or goes on. */
static void add_turn(struct track_stream *to, const struct net *net, const struct unit_nodes *list, uint32_t unit, uint64_t from,
		     uint64_t end)
{
	uint32_t low = list->first[unit], high = list->first[unit + 1];
	for (uint32_t above = high; low < above;) { /* the first that was not over by then */
		uint32_t middle = low + (above - low) / 2;
		if (net_end(net, list->nodes[middle]) > from || net_begin(net, list->nodes[middle]) >= from)
			above = middle;
		else
			low = middle + 1;
	}
	bool has_some = false;
	for (; low < high; low++) {
		uint32_t id = list->nodes[low];
		uint64_t begin = net_begin(net, id);
		if (begin >= end && has_some)
			break;
		if (begin >= end)
			return;
		array_reserve((void **)&to->turns, to->n_turns + 1, &to->turns_capacity, sizeof *to->turns);
		to->turns[to->n_turns++] = (struct track_turn){begin > from ? begin : from, id};
		has_some = true;
	}
}

static void find_turns(struct track_stream *s, const struct net *net, const struct unit_nodes *list)
{
	struct track_stream to = {0};
	for (size_t i = 0; i < s->n_turns; i++) {
		uint64_t end = i + 1 < s->n_turns ? s->turns[i + 1].ticks : UINT64_MAX;
		array_reserve((void **)&to.turns, to.n_turns + 1, &to.turns_capacity, sizeof *to.turns);
		to.turns[to.n_turns++] = (struct track_turn){s->turns[i].ticks, 0};
		if (s->turns[i].id != 0)
			add_turn(&to, net, list, s->turns[i].id, s->turns[i].ticks, end);
	}
	free(s->turns);
	s->turns = to.turns;
	s->n_turns = to.n_turns;
	s->turns_capacity = to.turns_capacity;
}

void turns_find(struct track *track, const struct net *net)
{
	struct unit_nodes list;
	list_nodes(&list, net);
	for (size_t i = 0; i < track->n_streams; i++)
		find_turns(&track->streams[i], net, &list);
	free(list.first);
	free(list.nodes);
	for (uint32_t id = 1; id < net->n; id++) {
		enum node_kind kind = net_kind(net, id);
		const struct work_unit *unit = net_unit(net, id);
		if (unit != NULL && unit->kind != UNIT_SCHEDULER && (kind == NODE_UNIT_JOIN || kind == NODE_UNIT_WAIT))
			track_add_wait(track, net_construct(net, id), STATE_WAIT_TASKWAIT, net_end(net, id) - net_begin(net, id));
	}
}

/* ---- Batches ---- */

void turns_blame_waits(struct causes *waits, const struct net *net)
{
	for (uint32_t id = 1; id < net->n; id++)
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			uint32_t target = net->targets[link];
			bool ends = net->kinds[link] == EDGE_JOIN || net->kinds[link] == EDGE_RESUME;
			if (!ends || net_unit(net, id) == NULL || net_unit(net, target) == NULL)
				continue;
			uint32_t row =
				causes_row(waits, LIMIT_WAIT, CAUSE_PLAIN, net_construct(net, target), net_task_construct(net, id));
			causes_blame(waits, row, (double)(net_end(net, target) - net_begin(net, target)));
		}
}

/*
 * What a unit creates before it joins any of it, and joins then, is a batch. A batch of one is executed while its creator
 * waits. Before the first creation of a batch, and from the last join on, the creator has nothing beside it.
 */
uint32_t *turns_find_batches(const struct net *net)
{
	const struct model *m = net->graph->model;
	struct batch {
		uint32_t n;
		bool is_joining;
	} *batches = memory_zeroed(m->n_units, sizeof *batches, WHAT);
	uint32_t *sizes = memory_zeroed(net->n, sizeof *sizes, WHAT);
	for (uint32_t id = m->n_tasks; id < net->n; id++) {
		const struct node *node = net_inner(net, id);
		if (net_unit(net, id) == NULL)
			continue;
		if (net_is_task(net, id) && node->previous != 0) {
			struct batch *batch = &batches[unit_of(net, node->previous)];
			batch->n = batch->is_joining ? 1 : batch->n + 1;
			batch->is_joining = false;
		}
		const struct batch *own = &batches[node->unit];
		sizes[id] = own->is_joining && node->kind != NODE_UNIT_JOIN ? 0 : own->n;
		if (node->kind == NODE_UNIT_JOIN)
			batches[node->unit].is_joining = true;
	}
	free(batches);
	return sizes;
}
