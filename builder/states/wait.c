/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Waiting and overhead. While a thread is in a taskwait, at the end of a taskgroup, or in a barrier, and runs no task, it
 * waits only as long as something that it waits for is not finished elsewhere, and no task is ready that it might run; at
 * all other times the runtime is at work (docs/states.md, "Waiting or overhead"). What a task waits for is known before
 * its wait begins: the children that it has created (states->awaited), or the last arrival at a barrier. Runs on the thread
 * of each stream.
 */
#include "builder/states/thread.h"
#include "builder/current/barrier.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define MANY_TASKS (1 << 14) /* examining fewer takes less time than waking up threads */

static bool is_barrier(enum state state)
{
	return state >= STATE_WAIT_BARRIER && state <= STATE_WAIT_BARRIER_TEAMS;
}

/* ---- What a task waits for ---- */

/*
 * When another thread has finished the task. In a team of one no other thread runs it, but the runtime's own threads may
 * run a target task, and any thread may complete a detached one.
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

/*
 * Until when a taskgroup waits for each member: for all of its descendants. A task passes its time on to its parent when
 * all of its children have done so.
 */
static void make_group_ends(struct states *states)
{
	const struct model *m = states->model;
	uint64_t *ends = states->group_ends = memory_get(m->n_tasks, sizeof *ends, "the thread states");
	uint32_t *n_left = memory_zeroed(m->n_tasks, sizeof *n_left, "the thread states"); /* children */
	for (uint32_t row = 0; row < m->n_tasks; row++) {
		ends[row] = task_is_explicit(&m->tasks[row]) ? end_elsewhere(states, row) : 0;
		if (row != 0 && task_is_explicit(&m->tasks[row]))
			n_left[m->tasks[row].parent]++;
	}
	for (uint32_t row = 1; row < m->n_tasks; row++)
		for (uint32_t at = row; n_left[at] == 0 && at != 0 && task_is_explicit(&m->tasks[at]);) {
			uint32_t parent = m->tasks[at].parent;
			n_left[at] = UINT32_MAX; /* done */
			if (task_is_explicit(&m->tasks[parent]) && ends[parent] < ends[at])
				ends[parent] = ends[at];
			n_left[parent]--;
			at = parent;
		}
	free(n_left);
}

/* Does the program have taskgroups? */
static bool has_groups(const struct model *m)
{
	for (uint32_t i = 0; i < m->n_constructs; i++)
		if (m->constructs[i].kind == CONSTRUCT_TASKGROUP)
			return true;
	return false;
}

void states_wait_begin(struct states *states)
{
	const struct model *m = states->model;
	ready_begin(&states->ready, m);
	states->has_losses = m->dump->n_lost != 0 || tally_total(&m->dump->damage) != 0;
	states->awaited = memory_zeroed(m->n_tasks, sizeof *states->awaited, "the thread states");
	if (has_groups(m))
		make_group_ends(states);
		/* Children that were created on another stream than their parent's: the replay may reach these at another time. */
#pragma omp parallel for schedule(dynamic, 1) if (m->n_tasks > MANY_TASKS)
	for (size_t stream = 0; stream < states->n_streams; stream++)
		for (uint32_t row = m->task_rows.base[stream] + 1; row <= m->task_rows.base[stream + 1]; row++) {
			const struct task *task = &m->tasks[row];
			if (task_is_explicit(task) && task->state & TASK_CREATED && m->tasks[task->parent].run_stream != stream) {
				uint64_t *awaited = &states->awaited[task->parent], end = end_elsewhere(states, row);
#pragma omp atomic compare /* relaxed: the maximum is the same in any order */
				*awaited = *awaited < end ? end : *awaited;
			}
		}
}

void states_wait_free(struct states *states)
{
	ready_free(&states->ready);
	free(states->awaited);
	free(states->group_ends);
	states->awaited = states->group_ends = NULL;
}

/* The innermost taskgroup that the task has open on this thread, or NULL. It is current, or suspended by its own helper (Q44). */
static struct awaited_group *group_of(const struct thread_state *t, uint32_t task)
{
	if (task == t->task)
		return t->group;
	for (size_t i = t->tasks.n; i > 0; i--)
		if (t->tasks.kept[i - 1].task == task)
			return t->tasks.kept[i - 1].group;
	return NULL;
}

void states_await_child(struct states *states, const struct point *at, uint32_t task)
{
	const struct task *tasks = states->model->tasks;
	uint32_t parent = tasks[task].parent;
	if (tasks[task].flags & task_flags_taskwait) { /* it waits for the task's predecessors instead */
		states->awaited[task] = states->awaited[parent];
		states->awaited[parent] = ready_since(&states->ready.delays, task);
		return;
	}
	/* Otherwise states_wait_begin() has counted it. */
	if (parent == at->task || (tasks[parent].run_stream == at->stream && !(tasks[parent].state & TASK_MIGRATED)))
		await(&states->awaited[parent], end_elsewhere(states, task));
	struct awaited_group *group = states->group_ends != NULL ? group_of(&states->threads[at->stream], parent) : NULL;
	if (group != NULL)
		await(&group->until, states->group_ends[task]);
}

void states_await_no_predecessor(struct states *states, uint32_t task, uint32_t dummy)
{
	states->awaited[task] = states->awaited[dummy];
}

static struct awaited_group *new_group(struct thread_state *t)
{
	if (t->free_groups == NULL) {
		struct group_block *block = memory_get(1, sizeof *block, "the thread states");
		block->next = t->group_blocks;
		t->group_blocks = block;
		for (size_t i = 0; i < sizeof block->groups / sizeof *block->groups; i++) {
			block->groups[i].around = t->free_groups;
			t->free_groups = &block->groups[i];
		}
	}
	struct awaited_group *group = t->free_groups;
	t->free_groups = group->around;
	*group = (struct awaited_group){.around = t->group};
	return t->group = group;
}

void states_enter_wait(struct states *states, const struct point *at, const struct scope *scope)
{
	const struct model *m = states->model;
	uint32_t task = at->task;
	struct thread_state *t = &states->threads[at->stream];
	if (scope->kind == sync_kind_taskgroup && scope->type == SCOPE_SYNC) {
		new_group(t);
	} else if (scope->kind == sync_kind_taskgroup && t->group != NULL) {
		t->group->outer = states->awaited[task];
		states->awaited[task] = t->group->until;
	} else if (scope->type == SCOPE_SYNC && sync_is_barrier(scope->kind) && !task_is_explicit(&m->tasks[task])) {
		uint32_t region = m->tasks[task].region, n = m->regions[region].n_members_seen;
		bool is_league = scope->arrival == ARRIVAL_OF_LEAGUE && barrier_closes(scope->kind);
		bool is_alone = scope->arrival == ARRIVAL_OF_LEAGUE && !is_league;
		states->awaited[task] = is_alone ? 0 : arrivals_last(&m->arrivals, region, scope->arrival, n);
	}
}

void states_leave_wait(struct states *states, const struct point *at, const struct scope *scope)
{
	struct thread_state *t = &states->threads[at->stream];
	if (scope->kind != sync_kind_taskgroup || t->task != at->task || t->group == NULL)
		return;
	if (scope->type == SCOPE_SYNC_WAIT) {
		states->awaited[at->task] = t->group->outer;
		return;
	}
	struct awaited_group *group = t->group;
	t->group = group->around;
	group->around = t->free_groups;
	t->free_groups = group;
}

/* ---- Waiting or not ---- */

/*
 * The task to whose descendants the thread is limited while the task waits: the innermost task that is tied to the thread
 * and not suspended in a barrier (OpenMP 5.1 section 2.12.6). 0: it may begin any task.
 */
static uint32_t constraint(const struct states *states, const struct thread_state *t, const struct gap *gap)
{
	const struct task *tasks = states->model->tasks;
	if (!is_barrier(gap->state) && !(tasks[gap->task].flags & task_flags_untied))
		return gap->task;
	for (size_t i = is_barrier(gap->state) ? 0 : t->tasks.n; i > 0; i--) {
		const struct suspended_state *kept = &t->tasks.kept[i - 1];
		if (!is_barrier(kept->state) && !(tasks[kept->task].flags & task_flags_untied))
			return kept->task;
	}
	return 0;
}

/* As decide(), where the tie of the waiting task does not decide. `until`: when all that it waits for is finished. */
__attribute__((noinline)) static void decide_any(struct states *states, uint32_t stream, uint64_t ticks, uint64_t until)
{
	struct thread_state *t = &states->threads[stream];
	struct gap *gap = &t->gap;
	uint32_t region = states->model->tasks[gap->task].region, ancestor = gap->ancestor;
	uint64_t known_ticks = ticks < until ? sweep_known(&t->sweep, &states->ready, region, ancestor) : 0;
	if (known_ticks > ticks) { /* what the sweep has found before is enough */
		gap->change_ticks = known_ticks;
		return;
	}
	struct sweep_answer answer = sweep_to(&t->sweep, &states->ready, stream, region, ancestor, ticks);
	if (ticks >= until && ticks >= (until = answer.unfinished_ticks))
		return;
	gap->is_waiting = answer.ready_ticks <= ticks;
	gap->change_ticks = !gap->is_waiting ? answer.ready_ticks : answer.next_ticks < until ? answer.next_ticks : until;
}

/* Decides whether the thread waits at this time, and until when that holds. */
static inline void decide(struct states *states, uint32_t stream, uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	struct gap *gap = &t->gap;
	uint64_t until = states->has_losses ? UINT64_MAX : states->awaited[gap->task]; /* lost records may name more children */
	gap->is_waiting = false;
	gap->change_ticks = UINT64_MAX;
	if (ticks >= until && !is_barrier(gap->state)) /* what it waited for is finished */
		return;
	uint64_t known_ticks = ticks < until && gap->ancestor == gap->task ? sweep_latest_until(&t->sweep, gap->task) : 0;
	if (known_ticks > ticks)
		gap->change_ticks = known_ticks;
	else
		decide_any(states, stream, ticks, until);
}

/*
 * Is the runtime preempted while it works in a synchronisation where the thread does not wait? As anywhere, it needs a processor.
 * After its team has joined a worker is idle, which its records show later (Q3): its state does not change until then.
 */
static bool is_preempted_in_gap(const struct states *states, const struct thread_state *t, uint64_t ticks)
{
	const struct task *task = &states->model->tasks[t->gap.task];
	bool is_joined = !task_is_explicit(task) && task->thread != 0 && ticks >= states->model->regions[task->region].join_ticks;
	return is_joined ? t->shown == STATE_PREEMPTED : t->off_why == off_why_preempted;
}

static inline enum state state_of_gap(const struct states *states, const struct thread_state *t, uint64_t ticks)
{
	bool may_be_off = t->off_why == off_why_preempted || t->shown == STATE_PREEMPTED;
	return may_be_off && is_preempted_in_gap(states, t, ticks) ? STATE_PREEMPTED : STATE_OVERHEAD;
}

int states_advance_gap(struct states *states, uint32_t stream, uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	while (t->gap.is_open && t->gap.change_ticks < ticks) {
		uint64_t change_ticks = t->gap.change_ticks;
		decide(states, stream, change_ticks);
		enum state now = t->gap.is_waiting ? t->gap.state : state_of_gap(states, t, change_ticks);
		if (now != t->shown && states_pass(states, stream, now, change_ticks) != 0)
			return -1;
	}
	return 0;
}

/* The thread enters this state: returns the state to show, which is overhead where it would not wait. */
static inline __attribute__((always_inline)) enum state state_in_gap(struct states *states, uint32_t stream, enum state state,
								     uint64_t ticks)
{
	struct thread_state *t = &states->threads[stream];
	if (!state_has_gap(state)) {
		t->gap.is_open = false;
		return state;
	}
	if (!t->gap.is_open || t->gap.task != t->task || t->gap.state != state) {
		t->gap = (struct gap){.is_open = true, .task = t->task, .state = state};
		t->gap.ancestor = constraint(states, t, &t->gap);
		decide(states, stream, ticks);
	} else if (t->gap.change_ticks <= ticks)
		decide(states, stream, ticks);
	return t->gap.is_waiting ? state : state_of_gap(states, t, ticks);
}

/* As states_pass_gap(), for a thread that is not plain. */
__attribute__((noinline)) static int pass_any(struct states *states, const struct point *at)
{
	struct thread_state *t = &states->threads[at->stream];
	thread_note_plain(t);
	if (states_decide(states, at->stream, false) != 0)
		return -1;
	if (states_advance_gap(states, at->stream, at->ticks) != 0)
		return -1;
	enum state now = state_in_gap(states, at->stream, t->is_plain ? t->state : state_now(t), at->ticks);
	if (at->unit == 0)
		states_account_task(states, at->stream, now, at->ticks);
	else
		states->model->tasking->states->account(states, at->stream, at->unit, now, at->ticks);
	return now == t->shown ? 0 : states_pass(states, at->stream, now, at->ticks);
}

int states_pass_gap(struct states *states, const struct point *at)
{
	struct thread_state *t = &states->threads[at->stream];
	if (!t->is_plain || at->unit != 0)
		return pass_any(states, at);
	if (t->gap.is_open && t->gap.change_ticks < at->ticks && states_advance_gap(states, at->stream, at->ticks) != 0)
		return -1;
	enum state now = state_in_gap(states, at->stream, t->state, at->ticks);
	busy_change(&states->busy, at->stream, state_is_executing(now) ? t->task : 0, at->ticks);
	return now == t->shown ? 0 : states_pass(states, at->stream, now, at->ticks);
}

/* ---- Events that change no state: but other visitors must have seen all changes before them ---- */

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
