/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list scheduler: see simulate.h. A thread is idle, or executes a stretch of a node; then it comes to the next
 * stretch, or the node is over, and what only waited for it can go on.
 */
#include "builder/answer/simulate.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/soonest.h"

#define WHAT "what limits the run"

struct worker {
	uint32_t node;         /* that it executes, 0: it is idle */
	uint32_t stretch, end; /* of the node; both 0: it has none */
	bool is_starting;      /* the node is a task that it has just taken */
	uint32_t *suspended;   /* tasks, the latest last */
	size_t n_suspended, suspended_capacity;
	uint32_t *own; /* implicit tasks that can begin here */
	size_t n_own, own_capacity, next_own;
	uint32_t next_waiting; /* who waits for the same mutex after it */
};

#define NOBODY UINT32_MAX

struct play {
	const struct scene *scene;
	const struct net *net;
	const struct variant *variant;
	const uint32_t *targets;
	struct worker *workers;
	struct soonest soonest;
	uint64_t now;
	uint32_t *n_before;                     /* by node: what it still waits for */
	struct soonest ready;                   /* by task: when it began in the run */
	uint32_t *resumed;                      /* by task: the fragment with which it can go on, 0 none */
	uint32_t *owner;                        /* by task: the worker that executes it, NOBODY */
	uint32_t *holder;                       /* by mutex: the worker that has it, NOBODY */
	uint32_t *first_waiting, *last_waiting; /* by mutex */
	uint32_t *stack;                        /* of nodes that are over */
	size_t n_stack, stack_capacity;
	size_t n_tasks_ready, n_idle;
};

static uint64_t work_of(const struct play *p, uint32_t node)
{
	return p->variant->work_ticks != NULL ? p->variant->work_ticks[node] : net_work(p->net, node);
}

/* ---- Tasks that can begin ---- */

static void push_task(struct play *p, uint32_t task)
{
	soonest_set(&p->ready, task, net_begin(p->net, task));
	p->n_tasks_ready++;
}

static uint32_t take_task(struct play *p)
{
	uint32_t task = soonest_first(&p->ready).number;
	soonest_set(&p->ready, task, UINT64_MAX);
	p->n_tasks_ready--;
	return task;
}

/* ---- Stretches and mutexes ---- */

/* How long the present stretch takes; one of a node that executes for another time than in the run is stretched. */
static uint64_t stretch_ticks(const struct play *p, const struct worker *w)
{
	uint64_t work = work_of(p, w->node), real = net_work(p->net, w->node);
	uint64_t start = 0;
	if (w->is_starting)
		start = p->scene->prices->rows[net_construct(p->net, w->node)].start_ticks;
	if (w->stretch == w->end)
		return start + work;
	uint64_t ticks = p->scene->stretches[w->stretch].ticks;
	return start + (work == real || real == 0 ? ticks : (uint64_t)((double)ticks * (double)work / (double)real));
}

/* The mutex that the present stretch needs, 0 none. */
static uint32_t mutex_of(const struct play *p, const struct worker *w)
{
	if (w->stretch == w->end)
		return 0;
	const struct stretch *stretch = &p->scene->stretches[w->stretch];
	bool is_free = p->variant->has_free_mutex && stretch->construct == p->variant->free_mutex;
	return is_free ? 0 : stretch->mutex;
}

static void execute(struct play *p, uint32_t i)
{
	soonest_set(&p->soonest, i, p->now + stretch_ticks(p, &p->workers[i]));
	p->workers[i].is_starting = false;
}

/* Begins the present stretch, or waits for its mutex. */
static void begin_stretch(struct play *p, uint32_t i)
{
	struct worker *w = &p->workers[i];
	uint32_t mutex = mutex_of(p, w);
	if (mutex == 0 || p->holder[mutex] == NOBODY) {
		p->holder[mutex] = i;
		execute(p, i);
		return;
	}
	w->next_waiting = NOBODY;
	if (p->first_waiting[mutex] == NOBODY)
		p->first_waiting[mutex] = i;
	else
		p->workers[p->last_waiting[mutex]].next_waiting = i;
	p->last_waiting[mutex] = i;
	soonest_set(&p->soonest, i, UINT64_MAX);
}

static void release(struct play *p, uint32_t mutex)
{
	uint32_t next = p->first_waiting[mutex];
	p->holder[mutex] = next;
	if (next == NOBODY)
		return;
	p->first_waiting[mutex] = p->workers[next].next_waiting;
	execute(p, next);
}

/* ---- Nodes ---- */

static void begin_node(struct play *p, uint32_t i, uint32_t node)
{
	struct worker *w = &p->workers[i];
	uint32_t task = net_task(p->net, node);
	p->n_idle -= w->node == 0;
	if (p->owner[task] == NOBODY)
		p->owner[task] = i;
	w->node = node;
	w->stretch = p->scene->first_stretch[node];
	w->end = p->scene->first_stretch[node + 1];
	w->is_starting = net_is_task(p->net, node);
	begin_stretch(p, i);
}

static uint32_t thread_of(const struct play *p, uint32_t node)
{
	uint32_t stream = p->net->graph->model->tasks[net_task(p->net, node)].run_stream;
	uint32_t thread = stream < p->net->graph->n_streams ? p->scene->thread_of[stream] : NOBODY;
	return thread == NOBODY ? 0 : thread;
}

/* A node that executes something can begin, on the worker or elsewhere. Returns it where the worker's task just goes on. */
static uint32_t let_begin(struct play *p, uint32_t i, uint32_t ended, uint32_t node)
{
	if (net_is_task(p->net, node))
		push_task(p, node);
	else if (net_kind(p->net, node) == NODE_IMPLICIT || net_kind(p->net, node) == NODE_INITIAL) {
		struct worker *w = &p->workers[thread_of(p, node)];
		array_reserve((void **)&w->own, w->n_own + 1, &w->own_capacity, sizeof *w->own);
		w->own[w->n_own++] = node;
	} else if (net_task(p->net, node) == net_task(p->net, ended) && p->owner[net_task(p->net, node)] == i)
		return node;
	else
		p->resumed[net_task(p->net, node)] = node;
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
		for (size_t link = p->net->first[id]; link < p->net->first[id + 1]; link++) {
			uint32_t target = p->targets[link], next;
			if (target == 0 || --p->n_before[target] != 0)
				continue;
			if (!net_executes(p->net, target)) {
				array_reserve((void **)&p->stack, p->n_stack + 1, &p->stack_capacity, sizeof *p->stack);
				p->stack[p->n_stack++] = target;
			} else if ((next = let_begin(p, i, ended, target)) != 0) {
				if (goes_on == 0)
					goes_on = next;
				else
					p->resumed[net_task(p->net, next)] = next;
			}
		}
	}
	return goes_on;
}

/* Does more of the task come after this node? */
static bool is_suspended(const struct play *p, uint32_t node)
{
	for (size_t link = p->net->first[node]; link < p->net->first[node + 1]; link++)
		if (p->net->kinds[link] == EDGE_SEQUENCE || (p->net->kinds[link] == EDGE_BARRIER && !net_is_explicit(p->net, node)))
			return true;
	return false;
}

/* What an idle worker does next, 0: nothing. */
static uint32_t find_work(struct play *p, uint32_t i)
{
	struct worker *w = &p->workers[i];
	if (w->next_own < w->n_own)
		return w->own[w->next_own++];
	uint32_t top = w->n_suspended > 0 ? w->suspended[w->n_suspended - 1] : 0;
	if (top != 0 && p->resumed[top] != 0) {
		uint32_t node = p->resumed[top];
		p->resumed[top] = 0;
		w->n_suspended--;
		return node;
	}
	return p->n_tasks_ready != 0 ? take_task(p) : 0;
}

/* ---- The play ---- */

static void set_up(struct play *p)
{
	const struct net *net = p->net;
	uint32_t n_tasks = net->graph->model->n_tasks, n_mutexes = p->scene->n_mutexes + 1;
	p->workers = memory_zeroed(p->scene->n_threads, sizeof *p->workers, WHAT);
	p->n_before = memory_zeroed(net->n, sizeof *p->n_before, WHAT);
	soonest_begin(&p->ready, n_tasks, WHAT);
	p->resumed = memory_zeroed(n_tasks, sizeof *p->resumed, WHAT);
	p->owner = memory_get(n_tasks, sizeof *p->owner, WHAT);
	p->holder = memory_get(n_mutexes, sizeof *p->holder, WHAT);
	p->first_waiting = memory_get(n_mutexes, sizeof *p->first_waiting, WHAT);
	p->last_waiting = memory_get(n_mutexes, sizeof *p->last_waiting, WHAT);
	for (uint32_t i = 0; i < n_tasks; i++)
		p->owner[i] = NOBODY;
	for (uint32_t i = 0; i < n_mutexes; i++)
		p->holder[i] = p->first_waiting[i] = p->last_waiting[i] = NOBODY;
	soonest_begin(&p->soonest, p->scene->n_threads, WHAT);
	p->n_idle = p->scene->n_threads;
	for (size_t link = 0; link < net->first[net->n]; link++)
		p->n_before[p->targets[link]] += p->targets[link] != 0;
	/* What nothing comes before: marked first, as what follows from one of them comes to 0 meanwhile. */
	uint32_t n_first = 0, *first = memory_get(net->n, sizeof *first, WHAT);
	for (uint32_t id = 1; id < net->n; id++)
		if (p->n_before[id] == 0 && net_kind(net, id) != NODE_NONE)
			first[n_first++] = id;
	for (uint32_t i = 0; i < n_first; i++) {
		if (net_executes(net, first[i]))
			(void)let_begin(p, thread_of(p, first[i]), 0, first[i]);
		else
			(void)pass_on(p, thread_of(p, first[i]), first[i]);
	}
	free(first);
}

static void tear_down(struct play *p)
{
	for (uint32_t i = 0; i < p->scene->n_threads; i++) {
		free(p->workers[i].suspended);
		free(p->workers[i].own);
	}
	free(p->workers);
	free(p->n_before);
	soonest_free(&p->ready);
	free(p->resumed);
	free(p->owner);
	free(p->holder);
	free(p->first_waiting);
	free(p->last_waiting);
	free(p->stack);
	soonest_free(&p->soonest);
}

/* The worker's present stretch is over. */
static void step(struct play *p, uint32_t i)
{
	struct worker *w = &p->workers[i];
	uint32_t mutex = mutex_of(p, w), node = w->node;
	if (mutex != 0)
		release(p, mutex);
	if (w->stretch < w->end && ++w->stretch < w->end) {
		begin_stretch(p, i);
		return;
	}
	uint32_t goes_on = pass_on(p, i, node);
	if (goes_on != 0) {
		begin_node(p, i, goes_on);
		return;
	}
	if (is_suspended(p, node)) {
		array_reserve((void **)&w->suspended, w->n_suspended + 1, &w->suspended_capacity, sizeof *w->suspended);
		w->suspended[w->n_suspended++] = net_task(p->net, node);
	}
	w->node = 0;
	p->n_idle++;
	soonest_set(&p->soonest, i, UINT64_MAX);
}

uint64_t simulate(const struct scene *scene, const struct variant *variant)
{
	struct play p = {.scene = scene, .net = scene->net, .variant = variant};
	p.targets = variant->targets != NULL ? variant->targets : scene->net->targets;
	set_up(&p);
	for (;;) {
		for (uint32_t i = 0; i < scene->n_threads && p.n_idle > 0; i++) {
			uint32_t node = p.workers[i].node == 0 ? find_work(&p, i) : 0;
			if (node != 0)
				begin_node(&p, i, node);
		}
		struct soonest_item first = soonest_first(&p.soonest);
		if (first.ticks == UINT64_MAX)
			break;
		p.now = first.ticks;
		step(&p, first.number);
	}
	tear_down(&p);
	return p.now;
}
