/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a net that is too large to be simulated smaller: several of its nodes are taken for one, which executes them one
 * after the other, for up to some length. What is small beside the run is folded, in this order:
 *   - a task with all of its descendants, where these open no region;
 *   - tasks without dependences that a task creates one after the other; and what it executes in between is one, too;
 *   - tasks that each depend on the one before alone; with levels, also those that have equally many before them;
 *   - what the threads of a team execute between barriers, and in regions, one after the other: the longest shares of all of
 *     these are one, the second ones are one, and so on, so that the time until the last thread comes stays what it was.
 * Each of these keeps the net without circles: docs/analyses.md says what it changes. Called by scene.c, on one thread.
 */
#include "builder/answer/scene.h"
#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT        "what limits the run"
#define MANY_BEFORE UINT16_MAX /* no phase of so many threads is folded, so counts of links end there */
#define PLAIN       3          /* so many lengths are tried before tasks of one level are taken for one */

enum {
	TASK_HAS_UP = 1,      /* its parent comes before it */
	TASK_IS_FOLDABLE = 2, /* explicit, and no region is opened in it */
	TASK_IS_ROOT = 4      /* of the present try: its descendants are folded into it */
};

struct folding {
	const struct net *net;
	uint32_t n_tasks;
	uint64_t *weights;  /* by task: what it and its descendants execute and cost */
	uint8_t *states;    /* by task: TASK_HAS_UP and so on */
	uint16_t *n_before; /* by node: how many links lead to it; MANY_BEFORE: so many, or more */
	struct depends {
		uint32_t n_in, n_out, before; /* before: one that it depends on */
		uint32_t level;               /* of those that it depends on, the longest chain */
		/* Of the present try: */
		uint32_t run_of;    /* the first of what its creator executes */
		uint64_t one_ticks; /* if it is the first of those that are one: what all of them execute and cost */
	} * depends;                /* by task; NULL: there are no dependences */
	/* Of the present try: */
	uint64_t most_ticks; /* a node executes for no longer than that */
	bool has_levels;
	uint32_t *rep;     /* by node: the first of those that it is one with; 0: it is left out */
	uint32_t *with;    /* by task: of a root the node that it is one with, else the root that it is folded into, 0 none */
	struct map levels; /* (run, level) -> the first task */
	struct share {
		uint64_t ticks;
		uint32_t id;
	} * shares;
	size_t shares_capacity;
};

/* ---- What does not depend on lengths ---- */

/* The task's parent; 0: that does not come before it. */
static uint32_t up_of(const struct folding *f, uint32_t task)
{
	return f->states[task] & TASK_HAS_UP ? f->net->tasks[task].parent : 0;
}

static bool is_root(const struct folding *f, uint32_t task)
{
	return f->states[task] & TASK_IS_ROOT;
}

static void weigh_tasks(struct folding *f, const struct prices *prices)
{
	const struct net *net = f->net;
	const struct model *m = net->graph->model;
	const struct busy *busy = net->graph->busy;
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t task = net->order[i];
		if (task >= f->n_tasks)
			continue;
		f->states[task] |= net_is_explicit(net, task) ? TASK_IS_FOLDABLE : 0;
		f->states[task] |= f->weights[m->tasks[task].parent] != 0 ? TASK_HAS_UP : 0;
		f->weights[task] = 1 + (busy != NULL ? busy->ticks[task] : 0);
		if (net_is_task(net, task))
			f->weights[task] += prices->rows[net_construct(net, task)].start_ticks;
	}
	for (uint32_t i = net->n_ordered; i-- > 0;) {
		uint32_t task = net->order[i], up = task < f->n_tasks ? up_of(f, task) : 0;
		if (up == 0)
			continue;
		f->weights[up] += f->weights[task];
		if (!(f->states[task] & TASK_IS_FOLDABLE))
			f->states[up] &= (uint8_t)~TASK_IS_FOLDABLE;
	}
}

static void see_depend(struct folding *f, uint32_t source, uint32_t target)
{
	f->depends[source].n_out++;
	if (target >= f->n_tasks)
		return;
	struct depends *to = &f->depends[target];
	to->n_in++;
	to->before = source;
	to->level = f->depends[source].level >= to->level ? f->depends[source].level + 1 : to->level;
}

static void see_links(struct folding *f)
{
	const struct net *net = f->net;
	for (uint32_t i = 0; i < net->n_ordered; i++)
		for (size_t link = net->first[net->order[i]]; link < net->first[net->order[i] + 1]; link++) {
			uint16_t *n_before = &f->n_before[net->targets[link]];
			*n_before = (uint16_t)(*n_before + (*n_before < MANY_BEFORE));
		}
	for (uint32_t i = 0; i < net->n_ordered && f->depends != NULL; i++) {
		uint32_t id = net->order[i];
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++)
			if (net->kinds[link] == EDGE_DEPEND)
				see_depend(f, net_task(net, id), net->targets[link]);
	}
}

/* ---- Tasks ---- */

/* The task that this one is folded into with its descendants, which may be itself; 0: none. */
static uint32_t root_of(const struct folding *f, uint32_t task)
{
	return is_root(f, task) ? task : f->with[task];
}

static void fold_subtrees(struct folding *f)
{
	for (uint32_t i = 0; i < f->net->n_ordered; i++) {
		uint32_t task = f->net->order[i];
		if (task >= f->n_tasks || !(f->states[task] & TASK_IS_FOLDABLE))
			continue;
		uint32_t outer = root_of(f, up_of(f, task));
		if (outer == 0 && f->weights[task] <= f->most_ticks)
			f->states[task] |= TASK_IS_ROOT;
		f->with[task] = is_root(f, task) ? task : outer;
	}
}

/* The task that is created at the node's end, if it is folded with its descendants alone; else 0. */
static uint32_t folded_at_end(const struct folding *f, uint32_t id)
{
	const struct net *net = f->net;
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
		uint32_t target = net->targets[link];
		if (net->kinds[link] == EDGE_CREATE && net_is_task(net, target) && is_root(f, target))
			return target;
	}
	return 0;
}

/* Its creator waits until its end. */
static bool is_undeferred(const struct folding *f, uint32_t task)
{
	return f->net->tasks[task].flags & task_flags_undeferred;
}

static uint32_t next_of(const struct folding *f, uint32_t id)
{
	const struct net *net = f->net;
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++)
		if (net->kinds[link] == EDGE_SEQUENCE && net_task(net, net->targets[link]) == net_task(net, id) &&
		    net_executes(net, net->targets[link]))
			return net->targets[link];
	return 0;
}

/* The task is one with the first of several, if that does not get too long. `one_ticks`: how long that is. */
static bool fold_into(struct folding *f, uint32_t task, uint32_t first, uint64_t *one_ticks)
{
	if (first == 0 || *one_ticks + f->weights[task] > f->most_ticks)
		return false;
	f->with[task] = first;
	*one_ticks += f->weights[task];
	return true;
}

/* A task with dependences. `run`: the first node of what its creator executes. */
static void fold_dependent(struct folding *f, uint32_t task, uint32_t run)
{
	struct depends *depends = &f->depends[task];
	uint32_t before = depends->n_in == 1 ? depends->before : 0;
	depends->one_ticks = f->weights[task];
	if (before != 0 && f->depends[before].n_out == 1 && f->depends[before].run_of == run && is_root(f, before) &&
	    !is_undeferred(f, before) && fold_into(f, task, f->with[before], &f->depends[f->with[before]].one_ticks))
		return;
	if (!f->has_levels)
		return;
	uint32_t *first = map_put(&f->levels, (uint64_t)run << 32 | depends->level);
	if (!fold_into(f, task, *first, &f->depends[*first].one_ticks))
		*first = task;
}

/* Tasks that are created one after the other, from this node on. */
static void fold_siblings(struct folding *f, uint32_t run)
{
	static const struct depends none;
	const struct net *net = f->net;
	uint64_t created_ticks = 0, one_ticks = 0; /* by what the creator executes; of those that are one with the first */
	uint32_t first = 0;
	for (uint32_t id = run; id != 0 && f->rep[id] == id; id = next_of(f, id)) {
		uint32_t task = folded_at_end(f, id);
		const struct depends *depends = f->depends != NULL ? &f->depends[task] : &none;
		bool is_inline = task != 0 && is_undeferred(f, task);
		created_ticks += net_work(net, id) + (is_inline ? f->weights[task] : 0);
		bool is_apart = task == 0 || (is_inline && depends->n_in != 0);
		if (id != run && (is_apart || created_ticks > f->most_ticks))
			return;
		f->rep[id] = run;
		if (f->depends != NULL)
			f->depends[task].run_of = run;
		if (is_apart)
			return;
		if (is_inline)
			f->with[task] = run;
		else if (depends->n_in + depends->n_out != 0)
			fold_dependent(f, task, run);
		else if (!fold_into(f, task, first, &one_ticks)) {
			first = task;
			one_ticks = f->weights[task];
		}
	}
}

/* ---- Teams ---- */

static int by_length(const void *left, const void *right)
{
	const struct share *l = left, *r = right;
	if (l->ticks != r->ticks)
		return l->ticks > r->ticks ? -1 : 1;
	return l->id < r->id ? -1 : l->id > r->id;
}

/*
 * What all threads of a team execute after a barrier, or from a region's begin on, until the next barrier, or the region's end,
 * if they do nothing else: that; 0: they do. Their shares are in f->shares, the longest first.
 */
static uint32_t phase_after(struct folding *f, uint32_t id, uint32_t *n_shares, uint64_t *ticks)
{
	const struct net *net = f->net;
	uint32_t end = 0, n = 0, n_beside = 0;
	*ticks = 0;
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
		uint32_t member = net->targets[link];
		if (net_kind(net, member) == NODE_JOIN) {
			n_beside++;
			continue;
		}
		if (!net_executes(net, member) || net_is_explicit(net, member) || f->n_before[member] != 1 ||
		    net->first[member + 1] - net->first[member] != 1 || f->rep[member] != member)
			return 0;
		uint32_t next = net->targets[net->first[member]];
		if (end != 0 && next != end)
			return 0;
		end = next;
		array_reserve((void **)&f->shares, n + (size_t)1, &f->shares_capacity, sizeof *f->shares);
		f->shares[n++] = (struct share){net_work(net, member), member};
		*ticks += net_work(net, member);
	}
	bool is_end = end != 0 && (net_kind(net, end) == NODE_BARRIER || net_kind(net, end) == NODE_JOIN);
	if (n < 2 || !is_end || n + n_beside >= MANY_BEFORE || f->n_before[end] < n || f->n_before[end] > n + n_beside)
		return 0;
	qsort(f->shares, n, sizeof *f->shares, by_length);
	*n_shares = n;
	return end;
}

/* The region that begins after nothing but serial work after the end of one; 0: none. `between`: that work. */
static uint32_t region_after(const struct folding *f, uint32_t join, uint32_t *between)
{
	const struct net *net = f->net;
	if (net->first[join + 1] - net->first[join] != 1)
		return 0;
	*between = net->targets[net->first[join]];
	if (!net_executes(net, *between) || f->rep[*between] != *between || net->first[*between + 1] - net->first[*between] != 1)
		return 0;
	uint32_t region = net->targets[net->first[*between]];
	return net_kind(net, region) == NODE_REGION && f->n_before[region] == 1 ? region : 0;
}

/* Phases of a team, or of teams of regions, one after the other, from this barrier or region on. */
static void fold_phases(struct folding *f, uint32_t id)
{
	const struct net *net = f->net;
	uint32_t n, n_first, at = id, between;
	uint64_t ticks, all_ticks;
	uint32_t end = phase_after(f, id, &n_first, &all_ticks);
	if (end == 0)
		return;
	uint32_t *reps = memory_get(n_first, sizeof *reps, WHAT);
	uint32_t before = net_kind(net, id) == NODE_REGION ? net_inner(net, id)->previous : 0;
	for (uint32_t i = 0; i < n_first; i++)
		reps[i] = f->shares[i].id;
	for (;;) {
		uint32_t region = 0;
		at = end;
		if (net_kind(net, end) == NODE_JOIN) {
			region = before != 0 && net_executes(net, before) ? region_after(f, end, &between) : 0;
			at = region;
		}
		uint32_t next = at != 0 ? phase_after(f, at, &n, &ticks) : 0;
		if (next == 0 || n != n_first || all_ticks + ticks > f->most_ticks * n)
			break;
		all_ticks += ticks;
		f->rep[end] = f->rep[at] = 0;
		if (region != 0)
			f->rep[between] = f->rep[before];
		for (uint32_t i = 0; i < n; i++)
			f->rep[f->shares[i].id] = reps[i];
		end = next;
	}
	free(reps);
}

/* ---- All of it ---- */

/* Returns how many nodes are left. */
static uint32_t try(struct folding *f)
{
	const struct net *net = f->net;
	uint32_t n = 0;
	for (uint32_t id = 0; id < net->n; id++)
		f->rep[id] = net_kind(net, id) != NODE_NONE ? id : 0;
	for (uint32_t task = 0; task < f->n_tasks; task++) {
		f->with[task] = 0;
		f->states[task] &= (uint8_t)~TASK_IS_ROOT;
		if (f->depends != NULL)
			f->depends[task].run_of = 0;
	}
	fold_subtrees(f);
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t id = net->order[i];
		enum node_kind kind = net_kind(net, id);
		if (f->rep[id] != id)
			continue;
		if (kind == NODE_BARRIER || kind == NODE_REGION)
			fold_phases(f, id);
		else if (net_executes(net, id) && root_of(f, net_task(net, id)) == 0)
			fold_siblings(f, id);
	}
	for (uint32_t id = 1; id < net->n; id++) {
		uint32_t root = root_of(f, net_task(net, id));
		if (root != 0 && f->rep[id] != 0)
			f->rep[id] = f->with[root];
		n += f->rep[id] == id;
	}
	map_free(&f->levels);
	return n;
}

/* From the first of those that are one to the number of a node of the plan. */
static uint32_t *number_units(struct folding *f, uint32_t *n_units)
{
	uint32_t *units = memory_get(f->net->n, sizeof *units, WHAT), n = 1;
	units[0] = 0;
	for (uint32_t id = 1; id < f->net->n; id++)
		units[id] = f->rep[id] == id ? n++ : 0;
	for (uint32_t id = 1; id < f->net->n; id++)
		units[id] = units[f->rep[id]];
	*n_units = n;
	return units;
}

uint32_t *fold(const struct net *net, const struct prices *prices, uint32_t most, uint32_t *n_units)
{
	struct folding f = {.net = net, .n_tasks = net->n_tasks};
	uint32_t *units = NULL, n = UINT32_MAX;
	uint64_t all_ticks = prices->work_ticks + 1;
	f.weights = memory_zeroed(f.n_tasks, sizeof *f.weights, WHAT);
	f.states = memory_zeroed(f.n_tasks, sizeof *f.states, WHAT);
	f.n_before = memory_zeroed(net->n, sizeof *f.n_before, WHAT);
	f.depends = net->has_depends ? memory_zeroed(f.n_tasks, sizeof *f.depends, WHAT) : NULL;
	f.rep = memory_get(net->n, sizeof *f.rep, WHAT);
	f.with = memory_get(f.n_tasks, sizeof *f.with, WHAT);
	weigh_tasks(&f, prices);
	see_links(&f);
	for (uint32_t task = 1; task < f.n_tasks; task++)
		all_ticks += f.states[task] & TASK_HAS_UP ? 0 : f.weights[task];
	f.most_ticks = 2 * all_ticks / most + 1; /* the creators of what is one, and where they wait, are nodes, too */
	for (unsigned i = 0; n > most && f.most_ticks / 3 < all_ticks; i++) {
		f.has_levels = i >= PLAIN;
		n = try(&f);
		f.most_ticks *= i == PLAIN - 1 ? 1 : 3;
	}
	free(f.weights);
	free(f.n_before);
	free(f.depends);
	if (n <= most)
		units = number_units(&f, n_units);
	free(f.states);
	free(f.rep);
	free(f.with);
	free(f.shares);
	return units;
}
