/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list scheduler: see simulate.h. A thread is idle, or executes a stretch of a node; then it comes to the next
 * stretch, or the node is over, and what only waited for it can go on.
 */
#include "builder/answer/play.h"
#include "builder/support/array.h"

#define WHAT        "what limits the run"
#define GENERATIONS 64 /* of the tasks that a task descends from: so many are told that it is ready */

/* ---- Idle workers ---- */

/* The suspended task that the worker can go on with: its place on the stack from 1, 0 none. */
static size_t resumable(const struct play *p, const struct worker *w)
{
	for (size_t i = w->n_suspended; i > 0; i--) {
		if (p->resumed[w->suspended[i - 1]] != 0)
			return i;
		if (!p->is_relaxed)
			return 0;
	}
	return 0;
}

/* The tied task that waits there, of which the worker may take descendants alone; 0: it may take any task. */
static uint32_t held_by(const struct play *p, const struct worker *w)
{
	uint32_t top = w->n_suspended > 0 ? w->suspended[w->n_suspended - 1] : 0;
	return p->plan->tasks[top].is_tied && !p->is_relaxed ? top : 0;
}

/* Is the worker beyond the run's threads? Such workers are in all teams that had all threads, and in no other. */
static bool is_extra(const struct play *p, uint32_t i)
{
	return i >= p->plan->n_threads;
}

/* The worker has become idle, or is not idle any more, or something has come up for it. */
static void look(struct play *p, uint32_t i)
{
	const struct worker *w = &p->workers[i];
	bool is_idle = w->node == 0, is_free = is_idle && held_by(p, w) == 0;
	bool is_wakeable = is_idle && (w->next_own < w->n_own || w->is_curious || resumable(p, w) != 0);
	soonest_set(is_extra(p, i) ? &p->extra : &p->free, i, is_free ? i : UINT64_MAX);
	soonest_set(&p->wakeable, i, is_wakeable ? i : UINT64_MAX);
}

/* A task is ready. Those whose suspended task it descends from may take it. */
static void call_ancestors(struct play *p, uint32_t task)
{
	for (unsigned i = 0; i < GENERATIONS && (task = p->plan->tasks[task].parent) != 0; i++)
		if (p->is_stacked[task] && p->workers[p->owner[task]].node == 0) {
			p->workers[p->owner[task]].is_curious = true;
			look(p, p->owner[task]);
		}
}

/* ---- Nodes ---- */

static void begin_node(struct play *p, uint32_t i, uint32_t node)
{
	struct worker *w = &p->workers[i];
	uint32_t task = p->plan->nodes[node].task;
	bool was_idle = w->node == 0;
	if (p->owner[task] == NOBODY || p->plan->tasks[task].is_free)
		p->owner[task] = i;
	w->node = node;
	w->stretch = p->plan->first_stretch[node];
	w->end = p->plan->first_stretch[node + 1];
	if (p->plan->tasks[task].is_bound) {
		w->team = p->plan->tasks[task].team;
		p->full_team = p->plan->teams[w->team].is_full ? w->team : p->full_team;
	}
	w->is_starting = p->plan->nodes[node].role == PLAN_TASK || p->how->start_ticks != NULL;
	if (was_idle) {
		p->n_idle--;
		look(p, i);
	}
	play_begin_node(p, i);
}

/* The worker of an implicit or initial task. */
static uint32_t worker_of(const struct play *p, uint32_t node)
{
	const struct plan *plan = p->plan;
	uint32_t thread = plan->tasks[plan->nodes[node].task].thread;
	return plan->n_threads <= p->n_workers ? thread : (uint32_t)((uint64_t)thread * p->n_workers / plan->n_threads);
}

static void push_own(struct play *p, uint32_t i, uint32_t node)
{
	struct worker *w = &p->workers[i];
	array_reserve((void **)&w->own, w->n_own + 1, &w->own_capacity, sizeof *w->own);
	w->own[w->n_own++] = node;
	look(p, i);
}

static void resume(struct play *p, uint32_t task, uint32_t node)
{
	p->resumed[task] = node;
	if (p->owner[task] != NOBODY)
		look(p, p->owner[task]);
}

/* A node that executes something can begin, on the worker or elsewhere. Returns it where the worker's task just goes on. */
static uint32_t let_begin(struct play *p, uint32_t i, uint32_t ended, uint32_t node)
{
	const struct plan_node *nodes = p->plan->nodes;
	uint32_t task = nodes[node].task, owner = p->owner[task];
	if (nodes[node].role == PLAN_TASK) {
		choice_push(&p->ready, i, task, node);
		p->n_of_full += p->plan->teams[p->plan->tasks[task].team].is_full;
		call_ancestors(p, task);
	} else if (nodes[node].role == PLAN_BOUND)
		push_own(p, worker_of(p, node), node);
	else if (ended != 0 && task == nodes[ended].task && owner == i)
		return node;
	else if (p->plan->tasks[task].is_free)
		choice_push(&p->ready, i, task, node);
	else if (p->plan->tasks[task].is_bound && !p->is_stacked[task])
		push_own(p, owner != NOBODY ? owner : worker_of(p, node), node);
	else
		resume(p, task, node);
	return 0;
}

/* What this node was the last to be waited for by, whatever executes nothing included. The result is as that of let_begin(). */
static uint32_t pass_on(struct play *p, uint32_t i, uint32_t ended)
{
	uint32_t goes_on = 0;
	array_reserve((void **)&p->stack, 1, &p->stack_capacity, sizeof *p->stack);
	p->n_stack = 0;
	p->stack[p->n_stack++] = ended;
	while (p->n_stack > 0) {
		uint32_t id = p->stack[--p->n_stack];
		for (size_t link = p->links->first[id]; link < p->links->first[id + 1]; link++) {
			uint32_t target = p->links->targets[link], next;
			if (target == 0 || --p->n_before[target] != 0)
				continue;
			if (p->plan->nodes[target].role == PLAN_POINT) {
				array_reserve((void **)&p->stack, p->n_stack + 1, &p->stack_capacity, sizeof *p->stack);
				p->stack[p->n_stack++] = target;
			} else if ((next = let_begin(p, i, ended, target)) != 0) {
				if (goes_on == 0)
					goes_on = next;
				else
					p->resumed[p->plan->nodes[next].task] = next;
			}
		}
	}
	return goes_on;
}

/* What an idle worker does next, 0: nothing. */
static uint32_t find_work(struct play *p, uint32_t i)
{
	struct worker *w = &p->workers[i];
	if (w->next_own < w->n_own)
		return w->own[w->next_own++];
	size_t place = resumable(p, w);
	if (place != 0) {
		uint32_t task = w->suspended[place - 1], node = p->resumed[task];
		p->resumed[task] = 0;
		p->is_stacked[task] = false;
		for (size_t j = place; j < w->n_suspended; j++)
			w->suspended[j - 1] = w->suspended[j];
		w->n_suspended--;
		return node;
	}
	uint32_t task = held_by(p, w), team = is_extra(p, i) ? p->full_team : w->team;
	struct plan_team range = p->plan->teams[team];
	if (task != 0)
		range = (struct plan_team){.from = task + 1, .end = p->plan->tasks[task].end};
	else if (p->is_relaxed)
		range = (struct plan_team){.from = 1, .end = p->plan->n_tasks};
	uint32_t node = choice_take(&p->ready, i, range.from, range.end);
	if (node != 0)
		p->n_of_full -= p->plan->teams[p->plan->tasks[p->plan->nodes[node].task].team].is_full;
	return node;
}

/* ---- The play ---- */

static void set_up(struct play *p)
{
	const struct plan *plan = p->plan;
	uint32_t n_mutexes = plan->n_mutexes + 1;
	p->workers = memory_zeroed(p->n_workers, sizeof *p->workers, WHAT);
	p->n_before = memory_zeroed(plan->n, sizeof *p->n_before, WHAT);
	p->resumed = memory_zeroed(plan->n_tasks, sizeof *p->resumed, WHAT);
	p->owner = memory_get(plan->n_tasks, sizeof *p->owner, WHAT);
	p->is_stacked = memory_zeroed(plan->n_tasks, sizeof *p->is_stacked, WHAT);
	p->holder = memory_get(n_mutexes, sizeof *p->holder, WHAT);
	p->first_waiting = memory_get(n_mutexes, sizeof *p->first_waiting, WHAT);
	p->last_waiting = memory_get(n_mutexes, sizeof *p->last_waiting, WHAT);
	for (uint32_t i = 0; i < plan->n_tasks; i++)
		p->owner[i] = NOBODY;
	for (uint32_t i = 0; i < n_mutexes; i++)
		p->holder[i] = p->first_waiting[i] = p->last_waiting[i] = NOBODY;
	soonest_begin(&p->soonest, p->n_workers, WHAT);
	soonest_begin(&p->free, p->n_workers, WHAT);
	soonest_begin(&p->extra, p->n_workers, WHAT);
	soonest_begin(&p->wakeable, p->n_workers, WHAT);
	choice_begin(&p->ready, plan, p->how, p->n_workers);
	p->n_idle = p->n_workers;
	for (uint32_t i = 0; i < p->n_workers; i++)
		look(p, i);
	for (size_t link = 0; link < p->links->first[plan->n]; link++)
		p->n_before[p->links->targets[link]] += p->links->targets[link] != 0;
	/* What nothing comes before: marked first, as what follows from one of them comes to 0 meanwhile. */
	uint32_t n_first = 0, *first = memory_get(plan->n, sizeof *first, WHAT);
	for (uint32_t id = 1; id < plan->n; id++)
		if (p->n_before[id] == 0 && plan->nodes[id].role != PLAN_NOTHING)
			first[n_first++] = id;
	for (uint32_t i = 0; i < n_first; i++) {
		if (plan->nodes[first[i]].role != PLAN_POINT)
			(void)let_begin(p, 0, 0, first[i]);
		else
			(void)pass_on(p, 0, first[i]);
	}
	free(first);
}

static void tear_down(struct play *p)
{
	for (uint32_t i = 0; i < p->n_workers; i++) {
		free(p->workers[i].suspended);
		free(p->workers[i].own);
	}
	free(p->workers);
	free(p->n_before);
	choice_free(&p->ready);
	free(p->resumed);
	free(p->owner);
	free(p->is_stacked);
	free(p->holder);
	free(p->first_waiting);
	free(p->last_waiting);
	free(p->stack);
	soonest_free(&p->soonest);
	soonest_free(&p->free);
	soonest_free(&p->extra);
	soonest_free(&p->wakeable);
}

/* The worker's present stretch is over. */
static void step(struct play *p, uint32_t i)
{
	struct worker *w = &p->workers[i];
	uint32_t node = w->node;
	const struct plan_node *ended = &p->plan->nodes[node];
	play_end_stretch(p, i);
	if (w->stretch < w->end && ++w->stretch < w->end) {
		play_begin_stretch(p, i);
		return;
	}
	uint32_t goes_on = pass_on(p, i, node);
	if (goes_on != 0) {
		begin_node(p, i, goes_on);
		return;
	}
	if (ended->is_left && !ended->is_at_barrier && !p->plan->tasks[ended->task].is_free) {
		array_reserve((void **)&w->suspended, w->n_suspended + 1, &w->suspended_capacity, sizeof *w->suspended);
		w->suspended[w->n_suspended++] = ended->task;
		p->is_stacked[ended->task] = true;
	}
	w->node = 0;
	w->is_curious = true;
	p->n_idle++;
	soonest_set(&p->soonest, i, UINT64_MAX);
	look(p, i);
}

/* Idle workers look for something to do, in their order. Those that have nothing of their own look only while tasks are ready. */
static void wake_up(struct play *p)
{
	uint32_t from = 0;
	while (p->n_idle > 0) {
		struct soonest_item first = soonest_first_in(&p->wakeable, from, p->n_workers);
		struct soonest_item any = {UINT64_MAX, 0}, extra = {UINT64_MAX, 0};
		if (p->ready.n != 0)
			any = soonest_first_in(&p->free, from, p->n_workers);
		if (p->n_of_full != 0 || (p->is_relaxed && p->ready.n != 0))
			extra = soonest_first_in(&p->extra, from, p->n_workers);
		first = any.ticks < first.ticks ? any : first;
		first = extra.ticks < first.ticks ? extra : first;
		if (first.ticks == UINT64_MAX)
			return;
		from = first.number + 1;
		uint32_t node = find_work(p, first.number);
		p->workers[first.number].is_curious = false;
		if (node != 0)
			begin_node(p, first.number, node);
		else
			look(p, first.number);
	}
}

uint64_t simulate(const struct plan *plan, const struct how *how)
{
	struct play p = {.plan = plan, .how = how, .links = how->links != NULL ? how->links : &plan->links};
	p.n_workers = how->n_threads != 0 ? how->n_threads : plan->n_threads;
	set_up(&p);
	for (;;) {
		wake_up(&p);
		struct soonest_item first = soonest_first(&p.soonest);
		if (first.ticks == UINT64_MAX) {
			if (p.is_relaxed)
				break;
			p.is_relaxed = true; /* until something goes on */
			for (uint32_t i = 0; i < p.n_workers; i++)
				look(&p, i);
			continue;
		}
		p.is_relaxed = false;
		p.now = first.ticks;
		step(&p, first.number);
	}
	tear_down(&p);
	return p.now;
}
