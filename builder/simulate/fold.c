/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a net smaller that is too large to be simulated: several of its nodes become one, which executes them one
 * after the other, for up to some length. What is small compared with the run is folded, in this order:
 *   - a task with all of its descendants, where these open no region;
 *   - tasks without dependences that a task creates one after the other; what it executes in between becomes one, too;
 *   - tasks that each depend only on the one before; with levels, also those with equally long chains before them;
 *   - what the threads of a team execute between barriers, and in regions, one after the other: the longest shares of all of
 *     these become one, the second longest become one, and so on, so that the last thread arrives at the same time as before.
 * Each of these keeps the net without cycles: docs/analyses.md says what it changes. Called by scenario.c, on one thread.
 */
#include "builder/simulate/fold_parts.h"
#include "builder/support/memory.h"

#define WHAT       "what limits the run"
#define UNFOLDABLE UINT64_MAX /* in place of a weight */
#define PLAIN      3          /* how many lengths are tried before tasks of one level may become one */

enum {
	TASK_HAS_UP = 1,     /* its parent comes before it */
	TASK_IS_FOLDABLE = 2 /* explicit, and no region is opened in it */
};

/* ---- What does not depend on lengths ---- */

/* The task's parent; 0: the parent does not come before it. */
static uint32_t up_of(const struct folding *f, uint32_t task)
{
	return f->states[task] & TASK_HAS_UP ? f->net->tasks[task].parent : 0;
}

/*
 * Is the task folded in the present try, with all of its descendants? If it is, they are, too: they weigh no more, and a task
 * with a descendant that cannot be folded cannot be folded itself.
 */
static bool is_folded(const struct folding *f, uint32_t task)
{
	return f->weights[task] <= f->most_ticks;
}

/* Is it folded, but not into another one? All of its nodes, and those of its descendants, are one with its first node. */
static inline bool is_root(const struct folding *f, uint32_t task)
{
	return is_folded(f, task) && !is_folded(f, up_of(f, task));
}

/* Returns what all tasks execute and cost. */
static uint64_t weigh_tasks(struct folding *f, const struct prices *prices)
{
	const struct net *net = f->net;
	const struct busy *busy = net->graph->busy;
	uint64_t all_ticks = 0;
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t task = net->order[i];
		if (task >= f->n_tasks)
			continue;
		bool has_up = f->weights[net->tasks[task].parent] != 0;
		f->states[task] = (uint8_t)((net_is_explicit(net, task) ? TASK_IS_FOLDABLE : 0) | (has_up ? TASK_HAS_UP : 0));
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
	for (uint32_t task = 0; task < f->n_tasks; task++) {
		all_ticks += f->states[task] & TASK_HAS_UP ? 0 : f->weights[task];
		f->weights[task] = f->states[task] & TASK_IS_FOLDABLE ? f->weights[task] : UNFOLDABLE;
	}
	return all_ticks;
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
	size_t n_links = net->first[net->n];
	for (size_t link = 0; link < n_links; link++) {
		uint32_t target = net->targets[link];
		uint16_t *n_before = &f->n_before[target];
		if (!net_is_explicit(net, target) || !net_executes(net, target)) /* else it is in no phase of a team */
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

/* Makes the task one with the first of several, if that does not get too long. `one_ticks`: how long that one is. */
static bool fold_into(struct folding *f, uint32_t task, uint32_t first, uint64_t *one_ticks)
{
	if (first == 0 || *one_ticks + f->weights[task] > f->most_ticks)
		return false;
	fold_node(f, task, first);
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
	    !is_undeferred(f, before) && fold_into(f, task, f->rep[before], &f->depends[f->rep[before]].one_ticks))
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
		fold_node(f, id, run);
		if (f->depends != NULL)
			f->depends[task].run_of = run;
		if (is_apart)
			return;
		if (is_inline)
			fold_node(f, task, run);
		else if (depends->n_in + depends->n_out != 0)
			fold_dependent(f, task, run);
		else if (!fold_into(f, task, first, &one_ticks)) {
			first = task;
			one_ticks = f->weights[task];
		}
	}
}

/* ---- All of it ---- */

/* Is the node in the folded net? Nodes of folded tasks are not, except the roots' first ones. */
static inline bool is_there(const struct folding *f, uint32_t id)
{
	const struct net *net = f->net;
	if (id < f->n_tasks && is_folded(f, id))
		return is_root(f, id);
	return (id < f->n_tasks || !is_folded(f, net_task(net, id))) && net_kind(net, id) != NODE_NONE;
}

/* At first each node that is there is one by itself. `bits`: by node, is it there? */
static void see_all(struct folding *f, uint64_t *bits)
{
	for (uint32_t id = 0; id < f->net->n; id++) {
		bool is = is_there(f, id);
		f->rep[id] = is ? id : 0;
		f->n_left += is;
		bits[id / 64] |= (uint64_t)is << id % 64;
	}
}

static void see_those_there(struct folding *f)
{
	uint32_t n_before = f->n_there;
	f->n_there = 0;
	for (uint32_t i = 0; i < n_before; i++) {
		uint32_t id = f->there[i];
		bool is = is_there(f, id);
		f->rep[id] = is ? id : 0;
		f->there[f->n_there] = id;
		f->n_there += is;
	}
	f->n_left = f->n_there;
}

/* Folds nodes from this one on, if it is not one with another one already. */
static void fold_from(struct folding *f, uint32_t id)
{
	const struct net *net = f->net;
	if (f->rep[id] != id || (id < f->n_tasks && is_folded(f, id)))
		return;
	enum node_kind kind = net_kind(net, id);
	if (kind == NODE_BARRIER || kind == NODE_REGION)
		fold_phases(f, id);
	else if (net_executes(net, id))
		fold_siblings(f, id);
}

/* Few nodes are there, and the bits of all nodes fit into a cache. */
static void try_all(struct folding *f)
{
	const struct net *net = f->net;
	uint64_t *bits = memory_zeroed(net->n / 64 + (size_t)1, sizeof *bits, WHAT);
	uint32_t n = 0;
	see_all(f, bits);
	uint32_t n_there = f->n_left, *there = memory_get(n_there + (size_t)1, sizeof *there, WHAT);
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t id = net->order[i];
		if (bits[id / 64] >> id % 64 & 1) {
			there[n++] = id;
			fold_from(f, id);
		}
	}
	free(bits);
	if (n == n_there) {
		f->there = there;
		f->n_there = n;
	} else
		free(there);
}

/* Folds with the present length, and sets f->n_left. */
static void try(struct folding *f)
{
	for (uint32_t task = 0; f->depends != NULL && task < f->n_tasks; task++)
		f->depends[task].run_of = 0;
	f->n_left = 0;
	if (f->there == NULL)
		try_all(f);
	else {
		see_those_there(f);
		for (uint32_t i = 0; i < f->n_there; i++)
			fold_from(f, f->there[i]);
	}
	map_free(&f->levels);
}

/*
 * Replaces in f->rep the first of nodes that are one by the number of their node in the workload, for nodes that are not folded
 * into a root. Returns how many numbers there are, with 0.
 */
static uint32_t number_units(struct folding *f)
{
	uint32_t *rep = f->rep, n = 1, *firsts = memory_get(f->n_left + (size_t)2, sizeof *firsts, WHAT);
	firsts[0] = 0;
	for (uint32_t id = 1; id < f->net->n; id++)
		if (rep[id] == id)
			firsts[n++] = id;
	firsts[n] = f->net->n;
	for (uint32_t unit = 1; unit < n; unit++)
		rep[firsts[unit]] = unit;
	for (uint32_t unit = 0; unit < n; unit++)
		for (uint32_t id = firsts[unit] + 1; id < firsts[unit + 1]; id++) {
			uint32_t first = rep[id], number = rep[first];
			rep[id] = number < n && firsts[number] == first ? number : 0; /* else `first` is one with an earlier node */
		}
	free(firsts);
	return n;
}

/* Nodes that are folded into a root get its number. */
static void number_folded(struct folding *f)
{
	const struct net *net = f->net;
	uint32_t *rep = f->rep;
	for (uint32_t i = 0; i < net->n_ordered; i++) {
		uint32_t task = net->order[i];
		if (task < f->n_tasks && rep[task] == 0 && is_folded(f, task))
			rep[task] = rep[up_of(f, task)];
	}
	for (uint32_t id = f->n_tasks; id < net->n; id++) {
		uint32_t task = net_task(net, id);
		if (rep[id] == 0 && is_folded(f, task) && net_kind(net, id) != NODE_NONE)
			rep[id] = rep[task];
	}
}

uint32_t *fold(const struct net *net, const struct prices *prices, uint32_t most, uint32_t *spare, uint32_t *n_units)
{
	struct folding f = {.net = net, .n_tasks = net->n_tasks, .n_left = UINT32_MAX};
	f.weights = memory_zeroed(f.n_tasks, sizeof *f.weights, WHAT);
	f.states = memory_zeroed(f.n_tasks, sizeof *f.states, WHAT);
	f.n_before = memory_zeroed(net->n, sizeof *f.n_before, WHAT);
	f.depends = net->has_depends ? memory_zeroed(f.n_tasks, sizeof *f.depends, WHAT) : NULL;
	f.rep = spare != NULL ? spare : memory_get(net->n, sizeof *f.rep, WHAT);
	uint64_t all_ticks = prices->work_ticks + 1 + weigh_tasks(&f, prices);
	see_links(&f);
	uint64_t next_ticks = 2 * all_ticks / most + 1; /* 2: creators, and the nodes where they wait, count as well */
	for (unsigned i = 0; f.n_left > most && next_ticks / 3 < all_ticks; i++) {
		f.most_ticks = next_ticks;
		f.has_levels = i >= PLAIN;
		try(&f);
		next_ticks *= i == PLAIN - 1 ? 1 : 3;
	}
	free(f.n_before);
	free(f.depends);
	free(f.shares);
	free(f.there);
	if (f.n_left <= most) {
		*n_units = number_units(&f);
		number_folded(&f);
	} else {
		free(f.rep);
		f.rep = NULL;
	}
	free(f.weights);
	free(f.states);
	return f.rep;
}
