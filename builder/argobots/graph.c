/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Argobots' work units in the graph. Each run of a unit is a node; a unit that acts without having been created (the
 * primary unit, schedulers, external threads) is one as soon as it does something to others. Like a task a unit has a
 * position, its latest node, from which edges lead to what it creates or revives. A join is a node of the unit that joins, a
 * suspension a node of the unit that waits; an edge leads there from the position of the unit that resumes it.
 *
 * A unit that polls checks repeatedly whether it still has to wait: that is one wait as long as the unit does nothing
 * else. So after a wait or a stop a unit gets a new fragment only when it does something. Runs on one thread.
 */
#include "builder/argobots/argobots.h"
#include "builder/graph/shared.h"
#include "builder/support/array.h"

#include <stdlib.h>

struct graph_units {
	struct unit_place {
		uint32_t node;     /* the unit's own node, 0 none yet */
		uint32_t last;     /* the unit's position */
		uint32_t fragment; /* node to which its time is added */
		uint32_t wait;     /* node of its latest wait or join; 0: none, or it has done something else since */
		uint64_t resumed_ticks;
		uint32_t resumed_stream;
		bool is_lazy;    /* since resumed_ticks it runs again, and has done nothing yet */
		bool is_resumed; /* another unit ended the wait */
	} * places;              /* by row of model.units */
	struct unit_given {
		uint64_t ticks, busy_ticks, blocked_ticks;
	} * given;               /* by stream: up to when its current unit's times were added, and these times so far */
	struct unit_wait *waits; /* of join and wait nodes; node.wait is the index here */
	size_t n_waits, waits_capacity;
	struct unit_fragment *fragments; /* GRAPH_FRAGMENT: all except the first one of each unit */
	size_t n_fragments, fragments_capacity;
};

static void begin(struct graph *graph)
{
	const struct model *m = graph->model;
	struct graph_units *g = graph->units = memory_zeroed(1, sizeof *g, "the graph");
	g->places = memory_zeroed(m->n_units, sizeof *g->places, "the graph");
	g->given = memory_zeroed(m->dump->n_streams, sizeof *g->given, "the graph");
}

static void free_units(struct graph *graph)
{
	struct graph_units *g = graph->units;
	free(g->places);
	free(g->given);
	free(g->waits);
	free(g->fragments);
	free(g);
	graph->units = NULL;
}

static uint32_t number_of(const struct graph *graph, const uint32_t *numbers, uint32_t id)
{
	return id < graph->model->n_tasks ? id : numbers[id - graph->model->n_tasks];
}

static void renumber(struct graph *graph, const uint32_t *numbers)
{
	for (uint32_t row = 0; row < graph->model->n_units; row++) {
		struct unit_place *place = &graph->units->places[row];
		place->node = number_of(graph, numbers, place->node);
		place->last = number_of(graph, numbers, place->last);
	}
	for (size_t i = 0; i < graph->units->n_fragments; i++)
		graph->units->fragments[i].node = number_of(graph, numbers, graph->units->fragments[i].node);
}

static const struct unit_fragment *fragments(const struct graph *graph, size_t *n)
{
	*n = graph->units->n_fragments;
	return graph->units->fragments;
}

static uint32_t node_of(const struct graph *graph, uint32_t row)
{
	return graph->units->places[row].node;
}

static struct unit_wait wait_of(const struct graph *graph, const struct node *node)
{
	bool has_wait = node->kind == NODE_UNIT_JOIN || node->kind == NODE_UNIT_WAIT;
	return has_wait ? graph->units->waits[node->wait] : (struct unit_wait){0, 0};
}

/* ---- Positions ---- */

static enum node_kind node_kind(const struct work_unit *unit)
{
	switch ((enum unit_kind)unit->kind) {
	case UNIT_TASKLET: return NODE_TASKLET;
	case UNIT_SCHEDULER: return NODE_SCHEDULER;
	case UNIT_PRIMARY: return NODE_PRIMARY_UNIT;
	case UNIT_EXTERNAL: return NODE_EXTERNAL;
	default: return NODE_UNIT;
	}
}

static uint32_t add_node(struct graph *graph, enum node_kind kind, uint32_t row, uint64_t ticks)
{
	const struct point at = {.ticks = ticks};
	uint32_t id = graph_add_node(graph, &at, kind, 0, graph->model->units[row].construct);
	struct node *node = graph_inner_node(graph, id);
	node->unit = row;
	node->is_of_unit = true;
	node->is_placed = true;
	return id;
}

/* The place of the unit; makes its node if it has none. */
static struct unit_place *place_of(struct graph *graph, uint32_t row, uint64_t ticks)
{
	struct unit_place *place = &graph->units->places[row];
	if (place->node == 0)
		place->node = place->last = place->fragment = add_node(graph, node_kind(&graph->model->units[row]), row, ticks);
	return place;
}

/* A new node, next in the unit's sequence. */
static uint32_t add_next(struct graph *graph, struct unit_place *place, enum node_kind kind, uint32_t row, uint64_t ticks)
{
	uint32_t id = add_node(graph, kind, row, ticks);
	struct node *node = graph_inner_node(graph, id);
	node->previous = place->last;
	node->previous_kind = EDGE_SEQUENCE;
	place->last = id;
	return id;
}

/* ---- Fragments ---- */

/* How long the unit has executed, and was blocked, until now. */
static struct unit_given account(const struct graph *graph, const struct point *at, uint32_t unit)
{
	const struct unit_busy *b = graph->unit_busy;
	if (b == NULL || unit == 0)
		return (struct unit_given){.ticks = at->ticks};
	uint64_t blocked = b->blocked.ticks != NULL ? busy_until(&b->blocked, at->stream, unit, at->ticks) : 0;
	return (struct unit_given){at->ticks, busy_until(&b->busy, at->stream, unit, at->ticks), blocked};
}

/*
 * Adds the time that the current unit of the stream has run until now. Where it only checked whether it still has to wait,
 * that is all of the time, whether it had a processor or not: no output calls it work.
 */
static void add_time(struct graph *graph, const struct point *at, bool was_look)
{
	struct graph_units *g = graph->units;
	struct unit_given before = g->given[at->stream], now = account(graph, at, at->unit);
	g->given[at->stream] = now;
	uint32_t id = at->unit != 0 ? g->places[at->unit].fragment : 0;
	if (id == 0 || at->ticks < before.ticks)
		return;
	struct node *node = graph_inner_node(graph, id);
	node->busy_ticks += was_look ? now.ticks - before.ticks : busy_grown(&before.busy_ticks, now.busy_ticks);
	if (!was_look && graph->level == GRAPH_FRAGMENT)
		graph_add_blocked(graph, at, id, busy_grown(&before.blocked_ticks, now.blocked_ticks));
	if (at->ticks > node->end_ticks)
		node->end_ticks = at->ticks;
}

/* The unit does something: if it ran again after a stop, it gets a new fragment, which began then. */
static struct unit_place *go_on(struct graph *graph, uint32_t row, uint64_t ticks)
{
	struct unit_place *place = place_of(graph, row, ticks);
	if (place->is_lazy && graph->level == GRAPH_FRAGMENT) {
		struct graph_units *g = graph->units;
		place->fragment = add_next(graph, place, NODE_FRAGMENT, row, place->resumed_ticks);
		array_push(g->fragments, g->n_fragments, g->fragments_capacity,
			   (struct unit_fragment){place->fragment, place->resumed_stream});
	}
	place->is_lazy = false;
	place->wait = 0;
	return place;
}

/*
 * The unit runs again, and what it does next is in a new fragment. A scheduler has one fragment: otherwise there would be
 * one between any two units that it runs.
 */
static void be_lazy(const struct graph *graph, struct unit_place *place, uint32_t row, const struct point *at)
{
	place->is_lazy = graph->model->units[row].kind != UNIT_SCHEDULER;
	place->resumed_ticks = at->ticks;
	place->resumed_stream = at->stream;
}

/*
 * The unit does something to another one: its fragment ends. Returns its position, where the edge begins, or 0 if the
 * unit is not known.
 */
static uint32_t act(struct graph *graph, const struct point *at, uint32_t row)
{
	if (row == 0)
		return 0;
	struct unit_place *place = go_on(graph, row, at->ticks);
	if (row == at->unit) {
		add_time(graph, at, false);
		be_lazy(graph, place, row, at);
	}
	return place->last;
}

/* ---- Events of the replay ---- */

static void created(struct graph *graph, const struct point *at, uint32_t row, uint32_t creator, enum edge_kind kind)
{
	uint32_t source = act(graph, at, creator);
	const struct unit_place *place = place_of(graph, row, at->ticks);
	struct node *node = graph_inner_node(graph, place->node);
	node->previous = source != place->node ? source : 0;
	node->previous_kind = (uint8_t)kind;
}

static int unit_create(void *self, const struct point *at, uint32_t unit, uint32_t creator)
{
	created(self, at, unit, creator, EDGE_CREATE);
	return 0;
}

static int unit_revive(void *self, const struct point *at, uint32_t unit, uint32_t creator)
{
	struct graph *graph = self;
	uint32_t before = graph->model->units[unit].before;
	created(graph, at, unit, creator, EDGE_REVIVE);
	struct edge edge = {.source = place_of(graph, before, at->ticks)->last,
			    .target = graph->units->places[unit].node,
			    .kind = EDGE_SEQUENCE};
	graph_add_edge(graph, at, &edge);
	return 0;
}

static uint32_t add_wait(struct graph *graph, struct unit_place *place, uint32_t row, uint64_t ticks, const struct unit_wait *wait)
{
	struct graph_units *g = graph->units;
	uint32_t id = add_next(graph, place, unit_sync_joins(wait->sync) ? NODE_UNIT_JOIN : NODE_UNIT_WAIT, row, ticks);
	graph_inner_node(graph, id)->wait = (uint32_t)g->n_waits;
	array_push(g->waits, g->n_waits, g->waits_capacity, *wait);
	return id;
}

/* The time that the current unit, which has this place, has run since it last resumed becomes part of its wait. */
static void add_look(struct graph *graph, const struct point *at, struct unit_place *place, uint32_t wait)
{
	if (graph->level == GRAPH_FRAGMENT)
		place->fragment = wait;
	add_time(graph, at, true);
}

/* The unit stops to wait: if for the same as before, with nothing done since, that wait continues; otherwise a new one begins. */
static void wait_for(struct graph *graph, const struct point *at, uint32_t row, const struct unit_wait *wait)
{
	struct unit_place *place = &graph->units->places[row];
	if (place->wait != 0 && place->is_lazy && !place->is_resumed) {
		struct unit_wait same = wait_of(graph, graph_inner_node(graph, place->wait));
		if (same.sync == wait->sync && same.object == wait->object) {
			add_look(graph, at, place, place->wait);
			return;
		}
	}
	go_on(graph, row, at->ticks);
	add_time(graph, at, false);
	place->wait = add_wait(graph, place, row, at->ticks, wait);
	place->is_resumed = false;
}

static void stop(struct graph *graph, const struct point *at, const struct unit_switch *change)
{
	uint32_t row = change->prior;
	if (row == 0)
		return;
	if (change->reason == UNIT_SUSPEND || (change->reason == UNIT_YIELD && unit_sync_polls(change->wait.sync)))
		wait_for(graph, at, row, &change->wait);
	else if (row != at->unit) /* cancelled where it did not run */
		place_of(graph, row, at->ticks);
	else {
		go_on(graph, row, at->ticks);
		add_time(graph, at, false);
	}
}

/*
 * Primary units and external threads that one OS thread was, one after the other, are in the order of that thread: lives
 * of the library follow each other.
 */
static void follow(struct graph *graph, uint32_t row)
{
	const struct graph_units *g = graph->units;
	uint32_t after = graph->model->units[row].after, id = g->places[row].node;
	struct node *node = graph_inner_node(graph, id);
	if (after == 0 || g->places[after].node == 0 || node->previous != 0)
		return;
	node->previous = g->places[after].last;
	node->previous_kind = EDGE_SEQUENCE;
}

static int unit_switch(void *self, const struct point *at, const struct unit_switch *change)
{
	struct graph *graph = self;
	if (change->reason > UNIT_RUN) {
		stop(graph, at, change);
		if (change->prior == at->unit)
			graph->units->given[at->stream] = account(graph, at, change->next);
		return 0;
	}
	if (at->unit != 0)
		go_on(graph, at->unit, at->ticks);
	add_time(graph, at, false);
	graph->units->given[at->stream] = account(graph, at, change->next);
	struct unit_place *place = place_of(graph, change->next, at->ticks);
	if (change->reason == UNIT_BEGIN)
		follow(graph, change->next);
	struct node *node = graph_inner_node(graph, place->last);
	bool is_first = graph->model->units[change->next].start_ticks == at->ticks && place->last == place->node;
	if (is_first)
		node->begin_ticks = node->end_ticks = at->ticks;
	else
		be_lazy(graph, place, change->next, at);
	if (place->wait != 0)
		graph_inner_node(graph, place->wait)->end_ticks = at->ticks;
	return 0;
}

static int unit_poll(void *self, const struct point *at, uint32_t unit, const struct unit_wait *wait, uint64_t count, bool was_look)
{
	struct graph *graph = self;
	struct unit_place *place = &graph->units->places[unit];
	(void)wait;
	(void)count;
	if (!was_look || unit != at->unit || place->wait == 0)
		return 0;
	add_look(graph, at, place, place->wait);
	graph_inner_node(graph, place->wait)->end_ticks = at->ticks;
	be_lazy(graph, place, unit, at);
	return 0;
}

static int unit_resume(void *self, const struct point *at, uint32_t unit, uint32_t waker, const struct unit_wait *wait)
{
	struct graph *graph = self;
	uint32_t target = graph->units->places[unit].wait;
	(void)wait;
	/* A unit's end is reported by its join. */
	if (target == 0 || graph_inner_node(graph, target)->kind == NODE_UNIT_JOIN)
		return 0;
	graph->units->places[unit].is_resumed = true;
	struct edge edge = {.source = act(graph, at, waker), .target = target, .kind = EDGE_RESUME};
	if (edge.source != 0 && waker != unit)
		graph_add_edge(graph, at, &edge);
	return 0;
}

static int unit_join(void *self, const struct point *at, uint32_t unit, uint32_t joiner, bool is_first, bool was_look)
{
	struct graph *graph = self;
	const struct unit_wait own = {unit_sync_unit_join, graph->model->units[unit].handle};
	if (!is_first || joiner == 0 || joiner == unit)
		return 0;
	struct unit_place *joined = place_of(graph, unit, at->ticks), *place = place_of(graph, joiner, at->ticks);
	uint32_t id = place->wait;
	struct unit_wait pending = id != 0 ? wait_of(graph, graph_inner_node(graph, id)) : (struct unit_wait){0, 0};
	bool is_pending = unit_sync_joins(pending.sync) && pending.object == own.object;
	if (!is_pending) { /* it had ended already, or the joiner has waited without stopping */
		if (!was_look) {
			go_on(graph, joiner, at->ticks);
			if (joiner == at->unit)
				add_time(graph, at, false);
		}
		id = add_wait(graph, place, joiner, at->ticks, &own);
		if (was_look && joiner == at->unit)
			add_look(graph, at, place, id);
		be_lazy(graph, place, joiner, at);
	} else if (joiner == at->unit && place->is_lazy) { /* what it ran since its last stop was a poll */
		add_look(graph, at, place, id);
		be_lazy(graph, place, joiner, at);
	}
	graph_inner_node(graph, id)->end_ticks = at->ticks;
	place->wait = 0;
	struct edge edge = {.source = joined->last, .target = id, .kind = EDGE_JOIN};
	graph_add_edge(graph, at, &edge);
	return 0;
}

const struct unit_ops argobots_graph_ops = {
	.unit_create = unit_create,
	.unit_revive = unit_revive,
	.unit_switch = unit_switch,
	.unit_poll = unit_poll,
	.unit_resume = unit_resume,
	.unit_join = unit_join,
};

/* ---- What exports see ---- */

static void view_unit(const struct graph *graph, const struct node *node, struct node_view *view)
{
	const struct work_unit *unit = &graph->model->units[node->unit];
	struct unit_wait wait = wait_of(graph, node);
	bool is_own = graph->units->places[node->unit].node == view->id;
	view->unit = unit;
	view->unit_node = graph->units->places[node->unit].node;
	view->stream = unit->state & UNIT_STARTED    ? unit->run_stream
		       : unit->kind == UNIT_EXTERNAL ? unit->create_stream
						     : UINT32_MAX;
	view->sync = wait.sync;
	view->object = wait.object;
	view->create_ticks = is_own ? unit->create_ticks : 0;
	if (!is_own)
		return;
	view->begin_ticks = unit->start_ticks;
	if (graph->level == GRAPH_FRAGMENT)
		return;
	view->end_ticks = unit->end_ticks;
	if (graph->unit_busy == NULL)
		return;
	view->busy_ticks = graph->unit_busy->busy.ticks[node->unit];
	view->blocked_ticks = graph->unit_busy->blocked.ticks != NULL ? graph->unit_busy->blocked.ticks[node->unit] : 0;
}

/* What is not known of Argobots' units. */
static unsigned path_reasons(const struct model *m)
{
	unsigned found = m->n_events[EVENT_unit_begin] > 1 ? PATH_OUTSIDE : 0;
	for (uint32_t row = 1; row < m->n_units; row++) {
		const struct work_unit *unit = &m->units[row];
		found |= unit->kind == UNIT_EXTERNAL ? PATH_OUTSIDE : 0;
		found |= unit->state & UNIT_MUTED ? PATH_MUTED : 0;
		found |= unit->state & UNIT_MAY_WAIT ? PATH_POLLS : 0;
	}
	return found;
}

const struct graph_hooks argobots_graph = {
	.begin = begin,
	.free = free_units,
	.renumber = renumber,
	.view = view_unit,
	.node = node_of,
	.wait = wait_of,
	.fragments = fragments,
	.path_reasons = path_reasons,
};
