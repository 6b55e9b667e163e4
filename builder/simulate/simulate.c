/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list scheduler: see simulate.h. A thread is idle, or executes a stretch of a node; then it begins the next
 * stretch, or the node is over, and nodes that waited only for it can begin.
 */
#include "builder/simulate/simulation.h"
#include "builder/support/array.h"
#include "builder/simulate/simulate.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT        "what limits the run"
#define MANY_NODES  200000 /* simulations of more nodes need much memory: only FEW run at the same time */
#define FEW         4
#define GENERATIONS 64 /* how many ancestors of a task are notified when it is ready */

/* ---- Idle workers ---- */

/* The suspended task that the worker can resume: its place on the stack from 1, 0 none. */
static size_t resumable(const struct simulation *p, const struct worker *w)
{
	for (size_t i = w->n_suspended; i > 0; i--) {
		if (p->resumed[w->suspended[i - 1]] != 0)
			return i;
		if (!p->is_relaxed)
			return 0;
	}
	return 0;
}

/* The tied task that waits on the worker, which may take only descendants of that task; 0: it may take any task. */
static uint32_t held_by(const struct simulation *p, const struct worker *w)
{
	uint32_t top = w->n_suspended > 0 ? w->suspended[w->n_suspended - 1] : 0;
	return p->workload->tasks[top].is_tied && !p->is_relaxed ? top : 0;
}

/* Does the worker have no thread in the run? Such workers are in all teams that had all threads, and in no other. */
static bool is_extra(const struct simulation *p, uint32_t i)
{
	return i >= p->workload->n_threads;
}

/* Updates the tournaments of idle workers: the worker became idle or busy, or there is something new for it to do. */
static void look(struct simulation *p, uint32_t i)
{
	const struct worker *w = &p->workers[i];
	bool is_idle = w->node == 0, is_free = is_idle && held_by(p, w) == 0;
	bool is_wakeable = is_idle && (w->next_own < w->n_own || w->is_curious || resumable(p, w) != 0);
	tournament_set(is_extra(p, i) ? &p->extra : &p->free, i, is_free ? i : UINT64_MAX);
	tournament_set(&p->wakeable, i, is_wakeable ? i : UINT64_MAX);
}

/* A task is ready. Workers whose suspended task is one of its ancestors may take it. */
static void call_ancestors(struct simulation *p, uint32_t task)
{
	for (unsigned i = 0; i < GENERATIONS && (task = p->workload->tasks[task].parent) != 0; i++)
		if (p->is_stacked[task] && p->workers[p->owner[task]].node == 0) {
			p->workers[p->owner[task]].is_curious = true;
			look(p, p->owner[task]);
		}
}

/* ---- Nodes ---- */

static void begin_node(struct simulation *p, uint32_t i, uint32_t node)
{
	struct worker *w = &p->workers[i];
	uint32_t task = p->workload->nodes[node].task;
	bool was_idle = w->node == 0;
	if (p->owner[task] == NOBODY || p->workload->tasks[task].is_free)
		p->owner[task] = i;
	w->node = node;
	w->stretch = p->workload->first_stretch[node];
	w->end = p->workload->first_stretch[node + 1];
	if (p->workload->tasks[task].is_bound) {
		w->team = p->workload->tasks[task].team;
		p->full_team = p->workload->teams[w->team].is_full ? w->team : p->full_team;
	}
	w->is_starting = p->workload->nodes[node].role == WORKLOAD_TASK || p->setup->start_ticks != NULL;
	if (was_idle) {
		p->n_idle--;
		look(p, i);
	}
	simulation_begin_node(p, i);
}

/* The worker of an implicit or initial task. */
static uint32_t worker_of(const struct simulation *p, uint32_t node)
{
	const struct simulated_workload *workload = p->workload;
	uint32_t thread = workload->tasks[workload->nodes[node].task].thread;
	return workload->n_threads <= p->n_workers ? thread : (uint32_t)((uint64_t)thread * p->n_workers / workload->n_threads);
}

static void push_own(struct simulation *p, uint32_t i, uint32_t node)
{
	struct worker *w = &p->workers[i];
	array_push(w->own, w->n_own, w->own_capacity, node);
	look(p, i);
}

static void resume(struct simulation *p, uint32_t task, uint32_t node)
{
	p->resumed[task] = node;
	if (p->owner[task] != NOBODY)
		look(p, p->owner[task]);
}

/* A node that executes something can begin, on the worker or elsewhere. Returns it if it continues the worker's own task. */
static uint32_t let_begin(struct simulation *p, uint32_t i, uint32_t ended, uint32_t node)
{
	const struct workload_node *nodes = p->workload->nodes;
	uint32_t task = nodes[node].task, owner = p->owner[task];
	if (nodes[node].role == WORKLOAD_TASK) {
		ready_queue_push(&p->ready, i, task, node);
		p->n_of_full += p->workload->teams[p->workload->tasks[task].team].is_full;
		call_ancestors(p, task);
	} else if (nodes[node].role == WORKLOAD_BOUND)
		push_own(p, worker_of(p, node), node);
	else if (ended != 0 && task == nodes[ended].task && owner == i)
		return node;
	else if (p->workload->tasks[task].is_free)
		ready_queue_push(&p->ready, i, task, node);
	else if (p->workload->tasks[task].is_bound && !p->is_stacked[task])
		push_own(p, owner != NOBODY ? owner : worker_of(p, node), node);
	else
		resume(p, task, node);
	return 0;
}

/* Lets the nodes begin that waited only for this one, also through nodes that execute nothing. Returns as let_begin() does. */
static uint32_t pass_on(struct simulation *p, uint32_t i, uint32_t ended)
{
	uint32_t goes_on = 0;
	p->n_stack = 0;
	array_push(p->stack, p->n_stack, p->stack_capacity, ended);
	while (p->n_stack > 0) {
		uint32_t id = p->stack[--p->n_stack];
		for (size_t link = p->links->first[id]; link < p->links->first[id + 1]; link++) {
			uint32_t target = p->links->targets[link], next;
			if (target == 0 || --p->n_before[target] != 0)
				continue;
			if (p->workload->nodes[target].role == WORKLOAD_POINT) {
				array_push(p->stack, p->n_stack, p->stack_capacity, target);
			} else if ((next = let_begin(p, i, ended, target)) != 0) {
				if (goes_on == 0)
					goes_on = next;
				else
					p->resumed[p->workload->nodes[next].task] = next;
			}
		}
	}
	return goes_on;
}

/* What an idle worker does next, 0: nothing. */
static uint32_t find_work(struct simulation *p, uint32_t i)
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
	struct workload_team range = p->workload->teams[team];
	if (task != 0)
		range = (struct workload_team){.from = task + 1, .end = p->workload->tasks[task].end};
	else if (p->is_relaxed)
		range = (struct workload_team){.from = 1, .end = p->workload->n_tasks};
	uint32_t node = ready_queue_take(&p->ready, i, range.from, range.end);
	if (node != 0)
		p->n_of_full -= p->workload->teams[p->workload->tasks[p->workload->nodes[node].task].team].is_full;
	return node;
}

/* ---- The simulation ---- */

static void set_up(struct simulation *p)
{
	const struct simulated_workload *workload = p->workload;
	uint32_t n_mutexes = workload->n_mutexes + 1;
	p->workers = memory_zeroed(p->n_workers, sizeof *p->workers, WHAT);
	p->n_before = memory_zeroed(workload->n, sizeof *p->n_before, WHAT);
	p->resumed = memory_zeroed(workload->n_tasks, sizeof *p->resumed, WHAT);
	p->owner = memory_get(workload->n_tasks, sizeof *p->owner, WHAT);
	p->is_stacked = memory_zeroed(workload->n_tasks, sizeof *p->is_stacked, WHAT);
	p->holder = memory_get(n_mutexes, sizeof *p->holder, WHAT);
	p->free_ticks = memory_zeroed(n_mutexes, sizeof *p->free_ticks, WHAT);
	p->first_waiting = memory_get(n_mutexes, sizeof *p->first_waiting, WHAT);
	p->last_waiting = memory_get(n_mutexes, sizeof *p->last_waiting, WHAT);
	for (uint32_t i = 0; i < workload->n_tasks; i++)
		p->owner[i] = NOBODY;
	for (uint32_t i = 0; i < n_mutexes; i++)
		p->holder[i] = p->first_waiting[i] = p->last_waiting[i] = NOBODY;
	tournament_begin(&p->tournament, p->n_workers, WHAT);
	tournament_begin(&p->free, p->n_workers, WHAT);
	tournament_begin(&p->extra, p->n_workers, WHAT);
	tournament_begin(&p->wakeable, p->n_workers, WHAT);
	ready_queue_begin(&p->ready, workload, p->setup, p->n_workers);
	p->n_idle = p->n_workers;
	for (uint32_t i = 0; i < p->n_workers; i++)
		look(p, i);
	for (size_t link = 0; link < p->links->first[workload->n]; link++)
		p->n_before[p->links->targets[link]] += p->links->targets[link] != 0;
	/* Nodes that wait for nothing: collected first, as the counts of later nodes become 0 meanwhile. */
	uint32_t n_first = 0, *first = memory_get(workload->n, sizeof *first, WHAT);
	for (uint32_t id = 1; id < workload->n; id++)
		if (p->n_before[id] == 0 && workload->nodes[id].role != WORKLOAD_NOTHING)
			first[n_first++] = id;
	for (uint32_t i = 0; i < n_first; i++) {
		if (workload->nodes[first[i]].role != WORKLOAD_POINT)
			(void)let_begin(p, 0, 0, first[i]);
		else
			(void)pass_on(p, 0, first[i]);
	}
	free(first);
}

static void tear_down(struct simulation *p)
{
	for (uint32_t i = 0; i < p->n_workers; i++) {
		free(p->workers[i].suspended);
		free(p->workers[i].own);
	}
	free(p->workers);
	free(p->n_before);
	ready_queue_free(&p->ready);
	free(p->resumed);
	free(p->owner);
	free(p->is_stacked);
	free(p->holder);
	free(p->free_ticks);
	free(p->first_waiting);
	free(p->last_waiting);
	free(p->stack);
	tournament_free(&p->tournament);
	tournament_free(&p->free);
	tournament_free(&p->extra);
	tournament_free(&p->wakeable);
}

/* The worker's present stretch is over. */
static void step(struct simulation *p, uint32_t i)
{
	struct worker *w = &p->workers[i];
	uint32_t node = w->node;
	const struct workload_node *ended = &p->workload->nodes[node];
	simulation_end_stretch(p, i);
	if (w->stretch < w->end && ++w->stretch < w->end) {
		simulation_begin_stretch(p, i);
		return;
	}
	uint32_t goes_on = pass_on(p, i, node);
	if (goes_on != 0) {
		begin_node(p, i, goes_on);
		return;
	}
	if (ended->is_left && !ended->is_at_barrier && !p->workload->tasks[ended->task].is_free) {
		array_push(w->suspended, w->n_suspended, w->suspended_capacity, ended->task);
		p->is_stacked[ended->task] = true;
	}
	w->node = 0;
	w->is_curious = true;
	p->n_idle++;
	tournament_set(&p->tournament, i, UINT64_MAX);
	look(p, i);
}

/* Idle workers look for something to do, in their order. Those that have nothing of their own look only while tasks are ready. */
static void wake_up(struct simulation *p)
{
	uint32_t from = 0;
	while (p->n_idle > 0) {
		struct tournament_item first = tournament_first_in(&p->wakeable, from, p->n_workers);
		struct tournament_item any = {UINT64_MAX, 0}, extra = {UINT64_MAX, 0};
		if (p->ready.n != 0)
			any = tournament_first_in(&p->free, from, p->n_workers);
		if (p->n_of_full != 0 || (p->is_relaxed && p->ready.n != 0))
			extra = tournament_first_in(&p->extra, from, p->n_workers);
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

uint64_t simulate(const struct simulated_workload *workload, const struct simulation_setup *setup)
{
	struct simulation p = {
		.workload = workload, .setup = setup, .links = setup->links != NULL ? setup->links : &workload->links};
	p.n_workers = setup->n_threads != 0 ? setup->n_threads : workload->n_threads;
	set_up(&p);
	for (;;) {
		wake_up(&p);
		struct tournament_item first = tournament_first(&p.tournament);
		if (first.ticks == UINT64_MAX) {
			if (p.is_relaxed)
				break;
			p.is_relaxed = true; /* until something begins or resumes */
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

void simulate_all(const struct simulated_workload *workload, const struct simulation_setup *setups, uint64_t *ticks, size_t n)
{
	size_t n_tasks = workload->n > MANY_NODES && n > FEW ? FEW : n;
#pragma omp taskgroup
	for (size_t task = 0; task < n_tasks; task++) {
#pragma omp task
		for (size_t i = task * n / n_tasks; i < (task + 1) * n / n_tasks; i++)
			ticks[i] = simulate(workload, &setups[i]);
	}
}
