/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Waiting and overhead. Of the time that a thread is in a taskwait, at the end of a taskgroup, or in a barrier, and runs
 * no task, it waits only while something that it waits for is not finished elsewhere, and no task is ready that it might
 * run; in all other time the runtime is at work (docs/states.md, "Waiting or overhead"). What a task waits for is known
 * before its wait begins: the children that it has created (states->awaited), or the last arrival at a barrier. Called by
 * states.c and through pass() (thread.h) during the replay; one thread.
 */
#include "builder/states/thread.h"
#include "builder/story/barrier.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <stdlib.h>

static bool is_barrier(enum state state)
{
	return state >= STATE_WAIT_BARRIER && state <= STATE_WAIT_BARRIER_TEAMS;
}

/* ---- What a task waits for ---- */

/*
 * When somebody else is finished with the task. In a team of one nobody else runs it, but the runtime's own threads may
 * run a target task, and anybody may complete a detached one.
 */
static uint64_t end_elsewhere(const struct states *states, uint32_t row)
{
	const struct model *m = states->model;
	const struct task *task = &m->tasks[row];
	const struct region *region = &m->regions[task->region];
	bool is_alone = region->n_members_seen <= 1 && region->actual <= 1;
	return is_alone && !(task->flags & task_flags_target) && !(task->state & TASK_DETACHED) ? 0 : ready_end(m, row);
}

static void await(uint64_t *awaited, uint64_t ticks)
{
	if (ticks > *awaited)
		*awaited = ticks;
}

/* Until when a taskgroup waits for this member: for all of its descendants. Made where the first taskgroup is. */
static void make_group_ends(struct states *states)
{
	const struct model *m = states->model;
	states->group_ends = memory_get(m->n_tasks, sizeof *states->group_ends, "the thread states");
	for (uint32_t row = 0; row < m->n_tasks; row++)
		states->group_ends[row] = task_is_explicit(&m->tasks[row]) ? end_elsewhere(states, row) : 0;
	for (uint32_t row = m->n_tasks - 1; row > 0; row--) {
		if (!task_is_explicit(&m->tasks[row]))
			continue;
		uint64_t end = end_elsewhere(states, row);
		for (uint32_t p = m->tasks[row].parent; p != 0 && task_is_explicit(&m->tasks[p]) && states->group_ends[p] < end;
		     p = m->tasks[p].parent)
			states->group_ends[p] = end;
	}
}

void states_wait_begin(struct states *states)
{
	const struct model *m = states->model;
	ready_begin(&states->ready, m);
	states->has_losses = m->dump->n_lost != 0 || tally_total(&m->dump->damage) != 0;
	states->awaited = memory_zeroed(m->n_tasks, sizeof *states->awaited, "the thread states");
	/* Children that somebody else created, on another stream: those come at another time of the replay. */
	for (uint32_t stream = 0; stream < states->n_streams; stream++)
		for (uint32_t row = m->task_rows.base[stream] + 1; row <= m->task_rows.base[stream + 1]; row++) {
			const struct task *task = &m->tasks[row];
			if (task_is_explicit(task) && task->state & TASK_CREATED && m->tasks[task->parent].run_stream != stream)
				await(&states->awaited[task->parent], end_elsewhere(states, row));
		}
}

void states_wait_free(struct states *states)
{
	ready_free(&states->ready);
	free(states->awaited);
	free(states->group_ends);
	free(states->groups);
	map_free(&states->innermost_group);
}

void states_await_child(struct states *states, uint32_t task)
{
	uint32_t parent = states->model->tasks[task].parent;
	if (states->model->tasks[task].flags & task_flags_taskwait) { /* it waits for the task's predecessors instead */
		states->awaited[task] = states->awaited[parent];
		states->awaited[parent] = ready_since(&states->ready, task);
		return;
	}
	await(&states->awaited[parent], end_elsewhere(states, task));
	const uint32_t *group = states->innermost_group.n_used != 0 ? map_get(&states->innermost_group, parent) : NULL;
	if (group != NULL)
		await(&states->groups[*group].until, states->group_ends[task]);
}

void states_await_no_predecessor(struct states *states, uint32_t task, uint32_t dummy)
{
	states->awaited[task] = states->awaited[dummy];
}

void states_enter_wait(struct states *states, uint32_t task, const struct scope *scope)
{
	const struct model *m = states->model;
	if (scope->type != SCOPE_SYNC && scope->type != SCOPE_SYNC_WAIT)
		return;
	array_reserve((void **)&states->groups, scope->number + (size_t)1, &states->groups_capacity, sizeof *states->groups);
	struct awaited_group *group = &states->groups[scope->number];
	if (scope->type == SCOPE_SYNC_WAIT && scope->kind == sync_kind_taskgroup) {
		const uint32_t *innermost = map_get(&states->innermost_group, task);
		group->outer = states->awaited[task];
		if (innermost != NULL)
			states->awaited[task] = states->groups[*innermost].until;
	} else if (scope->type == SCOPE_SYNC && scope->kind == sync_kind_taskgroup) {
		if (states->group_ends == NULL)
			make_group_ends(states);
		const uint32_t *around = map_get(&states->innermost_group, task);
		*group = (struct awaited_group){.around = around != NULL ? *around + 1 : 0};
		*map_put(&states->innermost_group, task) = scope->number;
	} else if (scope->type == SCOPE_SYNC && sync_is_barrier(scope->kind) && !task_is_explicit(&m->tasks[task])) {
		uint32_t region = m->tasks[task].region, n = m->regions[region].n_members_seen;
		bool is_league = scope->arrival == ARRIVAL_OF_LEAGUE && barrier_closes(scope->kind);
		bool is_alone = scope->arrival == ARRIVAL_OF_LEAGUE && !is_league;
		states->awaited[task] = is_alone ? 0 : arrivals_last(&m->arrivals, region, scope->arrival, n);
	}
}

void states_leave_wait(struct states *states, uint32_t task, const struct scope *scope)
{
	if (scope->type == SCOPE_SYNC_WAIT && scope->kind == sync_kind_taskgroup) {
		states->awaited[task] = states->groups[scope->number].outer;
	} else if (scope->type == SCOPE_SYNC && scope->kind == sync_kind_taskgroup) {
		uint32_t around = states->groups[scope->number].around;
		if (around != 0)
			*map_put(&states->innermost_group, task) = around - 1;
		else
			map_remove(&states->innermost_group, task);
	}
}

/* ---- Waiting or not ---- */

/*
 * Whose descendants alone the thread may begin while the task waits: the innermost task that is tied to the thread and
 * not suspended in a barrier (OpenMP 5.1 section 2.12.6). 0: it may begin any.
 */
static uint32_t constraint(const struct states *states, const struct thread_state *t, const struct gap *gap)
{
	const struct task *tasks = states->model->tasks;
	if (!is_barrier(gap->state) && !(tasks[gap->task].flags & task_flags_untied))
		return gap->task;
	for (size_t i = is_barrier(gap->state) ? 0 : t->tasks.n; i > 0; i--) {
		const struct kept *kept = &t->tasks.kept[i - 1];
		if (!is_barrier(kept->state) && !(tasks[kept->task].flags & task_flags_untied))
			return kept->task;
	}
	return 0;
}

/* Decides whether the thread waits at this time, and until when that holds. */
static void decide(struct states *states, uint32_t stream, uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	struct gap *gap = &t->gap;
	uint64_t until = states->has_losses ? UINT64_MAX : states->awaited[gap->task]; /* the lost ones may have told of more */
	gap->is_waiting = false;
	gap->change_ticks = UINT64_MAX;
	if (ticks >= until && !is_barrier(gap->state)) /* what it waited for has come */
		return;
	uint32_t region = states->model->tasks[gap->task].region;
	struct sweep_answer answer = sweep_to(&t->sweep, &states->ready, stream, region, constraint(states, t, gap), ticks);
	if (ticks >= until && ticks >= (until = answer.unfinished_ticks))
		return;
	gap->is_waiting = answer.ready_ticks <= ticks;
	gap->change_ticks = !gap->is_waiting ? answer.ready_ticks : answer.next_ticks < until ? answer.next_ticks : until;
}

int states_advance_gap(struct states *states, uint32_t stream, uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	while (t->gap.is_open && t->gap.change_ticks < ticks) {
		uint64_t change_ticks = t->gap.change_ticks;
		decide(states, stream, change_ticks);
		enum state now = t->gap.is_waiting ? t->gap.state : STATE_OVERHEAD;
		if (now != t->shown && states_pass(states, stream, now, change_ticks) != 0)
			return -1;
	}
	return 0;
}

enum state states_gap(struct states *states, uint32_t stream, enum state state, uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	if (state < STATE_WAIT_BARRIER || state > STATE_WAIT_TASKGROUP) {
		t->gap.is_open = false;
		return state;
	}
	if (!t->gap.is_open || t->gap.task != t->task || t->gap.state != state) {
		t->gap = (struct gap){.is_open = true, .task = t->task, .state = state};
		decide(states, stream, ticks);
	} else if (t->gap.change_ticks <= ticks)
		decide(states, stream, ticks);
	return t->gap.is_waiting ? state : STATE_OVERHEAD;
}

/* ---- What changes no state: but other visitors must have seen whatever changed before it ---- */

int states_cancel(void *self, const struct point *at, uint32_t task, unsigned flags)
{
	(void)task;
	(void)flags;
	return states_advance_gap(self, at->stream, at->ticks);
}

int states_flush(void *self, const struct point *at, uint32_t construct)
{
	(void)construct;
	return states_advance_gap(self, at->stream, at->ticks);
}

int states_control_tool(void *self, const struct point *at, uint64_t command, uint64_t modifier)
{
	(void)command;
	(void)modifier;
	return states_advance_gap(self, at->stream, at->ticks);
}

int states_dispatch(void *self, const struct point *at, unsigned kind, uint64_t start, uint64_t iterations)
{
	(void)kind;
	(void)start;
	(void)iterations;
	return states_advance_gap(self, at->stream, at->ticks);
}

int states_buffer_flush(void *self, const struct point *at, uint64_t end_ticks)
{
	(void)end_ticks;
	return states_advance_gap(self, at->stream, at->ticks);
}
