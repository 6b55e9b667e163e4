/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a thread spent its time on, from one change to the next, and what is blamed for it: see account.h. Runs on one
 * thread.
 */
#include "builder/analysis/thread_sweep.h"
#include "builder/support/array.h"
#include "builder/support/lower_bound.h"

#define SOON 8 /* the rows of the task or node this many places ahead are prefetched */

void sweep_find_task(struct sweep_over_time *s, struct thread_sweep *thread)
{
	const struct track_stream *t = thread->stream;
	bool has_task = thread->next_started < t->n_started;
	if (t->n_started - thread->next_started > SOON)
		__builtin_prefetch(&s->net->tasks[t->started[thread->next_started + SOON]].start_ticks);
	thread->next_task = has_task ? t->started[thread->next_started] : 0;
	thread->task_ticks = has_task ? s->net->tasks[thread->next_task].start_ticks : UINT64_MAX;
}

void sweep_find_fragment(struct sweep_over_time *s, struct thread_sweep *thread)
{
	while (thread->next_fragment < thread->end_fragment && !net_is_fragment(s->net, thread->next_fragment))
		thread->next_fragment++;
	bool has_fragment = thread->next_fragment < thread->end_fragment;
	if (thread->end_fragment - thread->next_fragment > SOON)
		__builtin_prefetch(&s->net->inner[thread->next_fragment + SOON - s->net->n_tasks].begin_ticks);
	thread->fragment_ticks = has_fragment ? net_begin(s->net, thread->next_fragment) : UINT64_MAX;
}

void sweep_find_next(struct sweep_over_time *s, struct thread_sweep *thread)
{
	bool is_task =
		net_comes_first(s->net, thread->next_task, thread->task_ticks, thread->next_fragment, thread->fragment_ticks);
	uint32_t fragment = thread->next_fragment < thread->end_fragment ? thread->next_fragment : 0;
	thread->next_node = is_task ? thread->next_task : fragment;
	thread->next_ticks = is_task ? thread->task_ticks : thread->fragment_ticks;
	if (thread->next_unit >= thread->end_unit)
		return;
	uint32_t of_unit = s->net->unit_nodes[thread->next_unit];
	if (thread->next_node != 0 && thread->next_ticks < net_begin(s->net, of_unit))
		return;
	thread->next_node = of_unit;
	thread->next_ticks = net_begin(s->net, of_unit);
}

/* ---- What a stretch of time is spent on ---- */

/* The region that begins next. */
static uint32_t coming_region(const struct sweep_over_time *s)
{
	return s->next_region < s->n_regions ? s->regions[s->next_region].construct : 0;
}

uint32_t sweep_cause(struct sweep_over_time *s, enum limit limit, enum cause_sort sort, uint32_t construct)
{
	return causes_row(s->causes, limit, sort, construct, 0);
}

/* The share of the time since since_ticks in which threads with nothing to do would have had no processor. */
static double crowded_since(const struct sweep_over_time *s, const struct thread_sweep *thread)
{
	uint64_t length = s->now - thread->since_ticks;
	return length != 0 ? (s->crowded - thread->crowded) / (double)length : 0;
}

/* The thread is in no team, or does not exist. */
static void account_idle(struct sweep_over_time *s, struct thread_sweep *thread, uint64_t ticks)
{
	const struct model *m = s->net->graph->model;
	uint32_t row;
	const struct task *next = &s->net->tasks[thread->next_task];
	uint64_t length = ticks - thread->since_ticks, fork = 0;
	if (!is_region_open(s))
		row = sweep_cause(s, LIMIT_SERIAL, CAUSE_PLAIN, coming_region(s));
	else {
		const struct region *region = thread->next_task != 0 ? &m->regions[next->region] : NULL;
		if (region != NULL && next->flags & task_flags_implicit && region->begin_ticks < ticks) {
			uint64_t begin = region->begin_ticks > thread->since_ticks ? region->begin_ticks : thread->since_ticks;
			fork = ticks - begin;
			causes_blame(s->causes,
				     sweep_cause(s, LIMIT_RUNTIME, CAUSE_FORK, net_region_construct(s->net, next->region)),
				     (double)fork);
		}
		row = sweep_cause(s, LIMIT_SERIAL, CAUSE_UNUSED, s->region);
	}
	thread->spent[SPENT_RUNTIME] += fork;
	thread->spent[SPENT_SERIAL] += length - fork;
	causes_blame_crowded(s->causes, row, (double)(length - fork), crowded_since(s, thread));
}

/*
 * The runtime is at work before the thread continues after a synchronisation, or after its region's end. Until the thread could
 * continue there, the runtime had tasks to begin instead.
 */
static void blame_resuming(struct sweep_over_time *s, const struct thread_sweep *thread, uint32_t node, uint64_t length)
{
	const struct net *net = s->net;
	const struct model *m = net->graph->model;
	bool is_resumed = node >= m->n_tasks && net_unit(net, node) == 0;
	uint32_t region = m->tasks[net_task(net, thread->node)].region;
	uint32_t before = is_resumed ? net->graph->nodes[node - m->n_tasks].previous : 0;
	uint32_t construct = is_resumed ? net_construct(net, before) : net_region_construct(net, region);
	uint64_t ready_ticks = net->ready_ticks[is_resumed ? node : net->graph->join_node[region]], early = 0;
	if (s->task_construct != 0 && ready_ticks > thread->since_ticks)
		early = ready_ticks - thread->since_ticks < length ? ready_ticks - thread->since_ticks : length;
	causes_blame(s->causes, sweep_cause(s, LIMIT_RUNTIME, CAUSE_SCHEDULING, s->task_construct), (double)early);
	causes_blame(s->causes, sweep_cause(s, LIMIT_RUNTIME, CAUSE_RESUMING, construct), (double)(length - early));
}

#define LONG_NS 100000 /* a processor that is taken away is back after at least a time slice, which is longer */

/* Is it known of all of this time whether the thread had a processor? */
static bool is_known(const struct switches_of *of, uint64_t begin_ticks, uint64_t end_ticks)
{
	size_t first = lower_bound(i, 0, of->n_offs, of->offs[i].end_ticks <= begin_ticks);
	for (size_t i = first; i < of->n_offs && of->offs[i].begin_ticks < end_ticks; i++)
		if (of->offs[i].why == off_why_unknown)
			return false;
	return begin_ticks < of->known_until_ticks;
}

/* Is it not known whether the thread had a processor in the `length` ticks up to s->now, which are too long to be the runtime's? */
static bool is_in_doubt(const struct sweep_over_time *s, const struct thread_sweep *thread, uint64_t length)
{
	const struct model *m = s->net->graph->model;
	if (dump_duration_ns(m->dump, length) < LONG_NS)
		return false;
	size_t row = (size_t)(thread->stream - s->track->streams);
	return !m->switches.are_recorded || !is_known(&m->switches.streams[row], thread->since_ticks, s->now);
}

bool account_is_resuming_in_doubt(const struct sweep_over_time *s)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		const struct thread_sweep *thread = &s->threads[i];
		if (thread->is_open && thread->state == STATE_OVERHEAD &&
		    is_in_doubt(s, thread, thread->reader.next_ticks - thread->since_ticks))
			return true;
	}
	return false;
}

/* The runtime is at work: the time is blamed on what the thread executes next. */
static void account_overhead(struct sweep_over_time *s, struct thread_sweep *thread, uint64_t length)
{
	const struct model *m = s->net->graph->model;
	uint32_t node = thread->next_node;
	bool is_task = node != 0 && node < m->n_tasks;
	const struct region *region = &m->regions[m->tasks[is_task ? node : 0].region];
	thread->spent[SPENT_RUNTIME] += length;
	if (is_task && task_is_explicit(&m->tasks[node]))
		causes_blame(s->causes, sweep_cause(s, LIMIT_RUNTIME, CAUSE_SCHEDULING, net_construct(s->net, node)),
			     (double)length);
	else if (is_task && region->begin_ticks <= thread->since_ticks)
		causes_blame(s->causes,
			     sweep_cause(s, LIMIT_RUNTIME, CAUSE_FORK, net_region_construct(s->net, m->tasks[node].region)),
			     (double)length);
	else
		blame_resuming(s, thread, node, length);
}

void account_begin_task(struct sweep_over_time *s, struct thread_sweep *thread)
{
	const struct model *m = s->net->graph->model;
	const struct task *task = &m->tasks[thread->node];
	const struct region *region = &m->regions[task->region];
	if (task_is_explicit(task))
		s->task_construct = net_construct(s->net, thread->node);
	/* In a part of the time neither the region nor the task began before it. */
	uint64_t begin = window_clip(&s->net->window, region->begin_ticks);
	if (!(task->flags & task_flags_implicit) || begin >= s->now)
		return;
	thread->late[LATE_FORK].ticks = (double)(s->now - begin);
	thread->late[LATE_FORK].cause = sweep_cause(s, LIMIT_RUNTIME, CAUSE_FORK, net_region_construct(s->net, task->region));
}

/*
 * Blames the time that others have waited for the thread's node since since_ticks. For as long as the node is late, all of them
 * wait for what made it late.
 */
static void blame_node(struct sweep_over_time *s, struct thread_sweep *thread)
{
	const struct blocker *blocker = blocker_of(s, thread);
	const struct waited_for *now = &s->waited_for[blocker->is_last];
	double all = now->shared - thread->accounted.shared, left = all, waited = now->ticks - thread->accounted.ticks;
	double crowded = all > 0 ? (now->crowded_shared - thread->accounted.crowded_shared) / all : 0;
	for (unsigned i = 0; i < LATES && waited > 0; i++) {
		struct late *late = &thread->late[i];
		double part = late->ticks < waited ? late->ticks : waited, blame = left * (part / waited);
		if (part <= 0)
			continue;
		causes_blame_crowded(s->causes, late->cause, blame, crowded);
		late->ticks -= part;
		left -= blame;
		waited -= part;
	}
	causes_blame_crowded(s->causes, blocker->cause, left, crowded);
}

uint32_t sweep_awaited(const struct thread_sweep *thread)
{
	const struct track_stream *t = thread->stream;
	return thread->run < t->n_runs ? t->runs[thread->run].construct : 0;
}

/* The thread is in a target construct. Outside of regions the others wait for that, not for serial work. */
static void blame_data(struct sweep_over_time *s, struct thread_sweep *thread, double ticks)
{
	uint32_t cause = sweep_cause(s, LIMIT_DATA, CAUSE_PLAIN, sweep_awaited(thread));
	causes_blame(s->causes, cause, ticks);
	for (size_t j = 0; j < s->n_threads && !is_region_open(s); j++)
		if (&s->threads[j] != thread && s->threads[j].is_open && !is_live(&s->threads[j])) {
			causes_blame(s->causes, cause, ticks);
			causes_blame(s->causes, sweep_cause(s, LIMIT_SERIAL, CAUSE_PLAIN, coming_region(s)), -ticks);
		}
}

/* Where a thread is preempted or blocked, that is blamed on what its node executes. */
static uint32_t executed_place(const struct sweep_over_time *s, const struct thread_sweep *thread)
{
	return thread->node != 0 ? blocker_of(s, thread)->place : 0;
}

static struct late *late_by(struct sweep_over_time *s, struct thread_sweep *thread, enum late_by by)
{
	static const enum limit limits[LATES] = {
		[LATE_PREEMPTION] = LIMIT_PREEMPTION, [LATE_BLOCKED] = LIMIT_BLOCKED, [LATE_EXCLUSION] = LIMIT_EXCLUSION};
	struct late *late = &thread->late[by];
	uint32_t place = by == LATE_EXCLUSION ? sweep_awaited(thread) : executed_place(s, thread);
	late->cause = sweep_cause(s, limits[by], CAUSE_PLAIN, place);
	return late;
}

/* If the thread is preempted, blocked, or waits for a mutex, its node is late by `length`. */
static void make_late(struct sweep_over_time *s, struct thread_sweep *thread, uint64_t length)
{
	bool is_preempted = thread->state == STATE_PREEMPTED || turns_is_off(thread);
	bool is_blocked = thread->state == STATE_BLOCKED && is_region_open(s) && thread->node != 0;
	bool waits = state_is_mutex(thread->state) && !thread->is_mutex_free;
	if (length == 0 || !(is_preempted || is_blocked || waits))
		return;
	bool is_over = thread->state == STATE_PREEMPTED && thread->is_node_over;
	struct late *late = late_by(s, thread, is_preempted ? LATE_PREEMPTION : is_blocked ? LATE_BLOCKED : LATE_EXCLUSION);
	late->ticks += is_over ? 0 : (double)length;
	causes_blame_crowded(s->causes, late->cause, (double)length, is_preempted || is_blocked ? 0 : crowded_since(s, thread));
}

/* The nodes that run are blamed for the thread's wait, except for the part in which it could have run ready units. */
static void account_waiting(struct sweep_over_time *s, struct thread_sweep *thread, uint64_t length)
{
	uint64_t taken[UNIT_WISHES] = {0}, left = length; /* sweep_unit_hooks.take blames these */
	for (unsigned wish = 0; is_seeking(s, thread) && wish < UNIT_WISHES; wish++) {
		uint64_t part = (uint64_t)(s->taken[wish] - thread->taken[wish]);
		taken[wish] = part < left ? part : left;
		left -= taken[wish];
	}
	thread->spent[SPENT_EXCLUSION] += taken[UNIT_WANTS_MUTEX];
	thread->spent[SPENT_RUNTIME] += taken[UNIT_WANTS_THREAD];
	thread->spent[SPENT_WAITING] += left;
}

/* The construct at which another thread acquired, or requested, the mutex for which the thread waits; 0: unknown. */
static uint32_t turn_construct(const struct sweep_over_time *s, const struct thread_sweep *thread)
{
	const struct mutex_turn *turn = &s->turns->rows[thread->requested];
	uint32_t number = thread_number(s, thread), other = 0;
	if (turn->last != 0 && turn->last != number)
		return turn->construct;
	for (uint32_t i = turn->first_requester; i != 0; i = s->threads[i - 1].next_requester)
		other = i != number ? i : other; /* the last one of the list requested it first */
	return other != 0 ? s->threads[other - 1].requested_at : 0;
}

void account_mutex_wait(struct sweep_over_time *s, struct thread_sweep *thread, uint64_t length)
{
	uint32_t other = turn_construct(s, thread);
	thread->taken_ticks += length;
	if (other != 0)
		causes_blame(s->awaited.waits,
			     causes_row(s->awaited.waits, LIMIT_EXCLUSION, CAUSE_PLAIN, sweep_awaited(thread), other),
			     (double)length);
}

/* The thread requests a mutex, and waits if another one holds it. */
static void account_mutex(struct sweep_over_time *s, struct thread_sweep *thread, uint64_t length, uint64_t recorded)
{
	if (turns_is_off(thread)) {
		thread->off_ticks += length;
		thread->spent[SPENT_PREEMPTED] += length;
	} else if (thread->is_mutex_free) {
		uint32_t cause = sweep_cause(s, LIMIT_RUNTIME, CAUSE_ACQUIRING, sweep_awaited(thread));
		thread->free_ticks += length;
		thread->spent[SPENT_RUNTIME] += length - recorded;
		causes_blame(s->causes, cause, (double)(length - recorded));
	} else {
		thread->spent[SPENT_EXCLUSION] += length;
		account_mutex_wait(s, thread, length);
	}
}

void account_take_back(struct sweep_over_time *s, struct thread_sweep *thread)
{
	uint64_t *runtime = &thread->spent[SPENT_RUNTIME];
	uint64_t free_ticks =
		thread->free_ticks < *runtime ? thread->free_ticks : *runtime; /* less where records ended nodes meanwhile */
	double off = (double)thread->off_ticks, all = off + (double)free_ticks;
	if (all <= 0)
		return;
	*runtime -= free_ticks;
	thread->spent[SPENT_PREEMPTED] -= thread->off_ticks;
	thread->spent[SPENT_EXCLUSION] += thread->off_ticks + free_ticks;
	causes_blame(s->causes, sweep_cause(s, LIMIT_RUNTIME, CAUSE_ACQUIRING, sweep_awaited(thread)), -(double)free_ticks);
	struct late *late = late_by(s, thread, LATE_PREEMPTION);
	late->ticks -= off < late->ticks ? off : late->ticks; /* other threads' waits may have been blamed on that */
	causes_blame(s->causes, late->cause, -off);
	late = late_by(s, thread, LATE_EXCLUSION);
	late->ticks += all;
	causes_blame(s->causes, late->cause, all);
}

static void note_blocked(struct account *account, uint32_t node, uint64_t length)
{
	struct blocked_node *last = account->n_blocked != 0 ? &account->blocked[account->n_blocked - 1] : NULL;
	if (last != NULL && last->node == node)
		last->ticks += length;
	else if (node != 0)
		array_push(account->blocked, account->n_blocked, account->blocked_capacity, (struct blocked_node){node, length});
}

void account_interval(struct sweep_over_time *s, struct thread_sweep *thread)
{
	uint64_t length = s->now - thread->since_ticks;
	uint64_t *spent = thread->spent, recorded = 0;
	enum state state = thread->state;
	const struct waited_for *now = &s->waited_for[blocker_of(s, thread)->is_last];
	make_late(s, thread, length);
	if (now->ticks != thread->accounted.ticks) { /* else no thread has waited meanwhile */
		if (thread->counted & (THREAD_LIVES | THREAD_LIVES_LAST))
			blame_node(s, thread);
		thread->accounted = *now;
	}
	if (length == 0)
		return;
	bool is_free = state_is_mutex(state) && thread->is_mutex_free && !thread->is_off;
	if (thread->ends_with_record && (state_is_work(state) || state == STATE_OVERHEAD || is_free)) {
		recorded = net_recorded(s->net, length);
		spent[SPENT_RECORDER] += recorded;
	}
	if (state_is_work(state))
		spent[SPENT_WORK] += length - recorded;
	else if (thread->counted & THREAD_WAITS)
		account_waiting(s, thread, length);
	else if (state_is_mutex(state))
		account_mutex(s, thread, length, recorded);
	else if (state == STATE_OVERHEAD && !is_in_doubt(s, thread, length - recorded))
		account_overhead(s, thread, length - recorded);
	else if (state == STATE_OVERHEAD)
		spent[SPENT_UNKNOWN] += length - recorded;
	else if (state == STATE_PREEMPTED)
		spent[SPENT_PREEMPTED] += length;
	else if (state == STATE_BLOCKED) {
		spent[SPENT_BLOCKED] += length;
		note_blocked(s->account, thread->node, length);
		if (!is_region_open(s)) {
			uint32_t cause = sweep_cause(s, LIMIT_SERIAL, CAUSE_PLAIN, coming_region(s)); /* may move the rows */
			s->causes->rows[cause].blocked_ticks += (double)length;
		}
	} else if (state_is_target(state)) {
		spent[SPENT_DATA] += length;
		blame_data(s, thread, (double)length);
	} else if (state == STATE_UNDEFINED && is_region_open(s) && thread->node != 0)
		spent[SPENT_UNKNOWN] += length;
	else
		account_idle(s, thread, s->now);
	thread->since_ticks = s->now;
	thread->crowded = s->crowded;
	for (unsigned wish = 0; thread->has_units && wish < UNIT_WISHES; wish++)
		thread->taken[wish] = s->taken[wish];
}
