/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sweeps once over the time of a process, from one change to the next of all threads: see account.h.
 *
 * A thread that waits in a synchronisation waits for what the others do. So at any time the threads that wait are shared
 * out among the nodes that run, and what such a node holds up (blockers.c) is blamed. If the end of some of these nodes lets
 * another node begin (blocker.is_last), the threads are shared out among these alone. The sum over time of
 * (threads that wait) / (nodes that run) is one number for all such nodes: a node gets what was added to it while the node
 * ran. So a change takes the same time for any number of threads.
 */
#include "builder/analysis/thread_sweep.h"
#include "builder/support/memory.h"
#include "builder/support/tournament.h"

#include <stdlib.h>

#define WHAT "what limits the run"

const char *spent_name(enum spent spent)
{
	static const char *const names[SPENTS] = {"work",     "serial",    "waiting", "exclusion", "runtime",
						  "recorder", "preempted", "blocked", "data",      "unknown"};
	return names[spent];
}

/* The thread's role in waits (awaited.h). The thread has been counted. */
static uint32_t role_of(const struct sweep_over_time *s, const struct thread_sweep *thread)
{
	if (thread->counted & THREAD_SEEKS || net_unit(s->net, thread->node) != 0) /* the units wait, not their threads */
		return AWAITED_NEITHER;
	if (thread->counted & (THREAD_LIVES | THREAD_LIVES_LAST))
		return awaited_runs(&s->awaited, thread->blocker);
	return thread->counted & THREAD_WAITS ? awaited_waits(sweep_awaited(thread)) : AWAITED_NEITHER;
}

/* The counters that the thread is part of now: THREAD_* bits. */
static unsigned counted_as(const struct sweep_over_time *s, const struct thread_sweep *thread)
{
	unsigned as = is_wanting(thread) ? THREAD_WANTS : 0u;
	if (is_seeking(s, thread))
		as |= THREAD_WAITS | THREAD_SEEKS;
	else if (is_waiting(thread->state))
		as |= THREAD_WAITS;
	if (is_live(thread))
		as |= blocker_of(s, thread)->is_last ? THREAD_LIVES_LAST : THREAD_LIVES;
	else if (thread->state == STATE_PREEMPTED)
		as |= THREAD_IS_OFF;
	return as;
}

/* Updates the counters of the threads that wait, and of those that they may wait for. */
static void count(struct sweep_over_time *s, struct thread_sweep *thread)
{
	unsigned now = counted_as(s, thread), changed = thread->counted ^ now;
	thread->counted = now;
	if (changed & THREAD_WAITS)
		s->n_waiting += now & THREAD_WAITS ? 1 : UINT32_MAX;
	if (changed & THREAD_WANTS)
		s->n_wanting += now & THREAD_WANTS ? 1 : UINT32_MAX;
	if (changed & THREAD_LIVES)
		s->n_live[false] += now & THREAD_LIVES ? 1 : UINT32_MAX;
	if (changed & THREAD_LIVES_LAST)
		s->n_live[true] += now & THREAD_LIVES_LAST ? 1 : UINT32_MAX;
	if (changed & THREAD_IS_OFF)
		s->n_off += now & THREAD_IS_OFF ? 1 : UINT32_MAX;
	if (changed & THREAD_SEEKS)
		ready_units_seek(s, now & THREAD_SEEKS);
}

/* ---- New nodes and ended waits of a thread ---- */

static void take_node(struct sweep_over_time *s, struct thread_sweep *thread, uint32_t node)
{
	thread->node = node;
	thread->blocker = s->blockers->row_of[node];
	thread->accounted = s->waited_for[blocker_of(s, thread)->is_last];
	for (unsigned late = 0; late < LATES; late++)
		thread->late[late].ticks = 0;
	if (net_unit(s->net, node) != 0) {
		thread->next_unit++;
		sweep_hooks(s)->take(s, node);
	} else if (node < s->net->n_tasks) {
		thread->next_started++;
		sweep_find_task(s, thread);
		account_begin_task(s, thread);
	} else {
		thread->next_fragment++;
		sweep_find_fragment(s, thread);
	}
	sweep_find_next(s, thread);
}

/* A wait of the thread is over. */
static void end_wait(struct thread_sweep *thread)
{
	const struct track_stream *t = thread->stream;
	if (thread->run < t->n_runs && ++thread->n_of_run == t->runs[thread->run].n) {
		thread->run++;
		thread->n_of_run = 0;
	}
}

/* ---- The sweep ---- */

/* The share of the threads with nothing to do for which there is no processor. */
static double crowded_share(const struct sweep_over_time *s)
{
	uint64_t n_threads = s->account->n_threads;
	if (s->n_processors == UINT64_MAX || s->n_wanting >= n_threads)
		return 0;
	uint64_t n_free = s->n_processors > s->n_wanting ? s->n_processors - s->n_wanting : 0, n_idle = n_threads - s->n_wanting;
	return n_free < n_idle ? 1 - (double)n_free / (double)n_idle : 0;
}

/*
 * All that is waited for is over, and a thread has not gone on: the runtime is slow, or there is no processor. Nothing is blamed
 * where it is not known which.
 */
static void blame_not_resumed(struct sweep_over_time *s, double ticks)
{
	if (s->n_off != 0)
		causes_blame(s->causes, sweep_cause(s, LIMIT_PREEMPTION, CAUSE_PLAIN, s->region), ticks);
	else if (!account_is_resuming_in_doubt(s))
		causes_blame(s->causes, sweep_cause(s, LIMIT_RUNTIME, CAUSE_RESUMING, s->region), ticks);
}

/* Time passes up to `ticks`; nothing changes before then. */
static void pass_time(struct sweep_over_time *s, uint64_t ticks)
{
	if (ticks <= s->now) /* of a part of the time: what began before that part */
		return;
	double length = (double)(ticks - s->now);
	if (!is_region_open(s))
		s->account->serial_wall_ticks += ticks - s->now;
	awaited_pass(&s->awaited, length);
	double crowded = crowded_share(s);
	s->crowded += length * crowded;
	s->now = ticks;
	if (s->n_waiting == 0) /* then no thread looks for units, either */
		return;
	bool is_last = s->n_live[true] != 0;
	double n_waiting = s->n_waiting - ready_units_pass(s, length);
	if (s->n_live[is_last] != 0) {
		double shared = length * n_waiting / s->n_live[is_last];
		s->waited_for[is_last].shared += shared;
		s->waited_for[is_last].crowded_shared += shared * crowded;
		s->waited_for[is_last].ticks += n_waiting > 0 ? length : 0;
	} else if (n_waiting > 0) {
		blame_not_resumed(s, length * n_waiting);
	}
}

/* The time of the thread's next state or node. */
static uint64_t next_stretch(const struct thread_sweep *thread)
{
	return thread->next_ticks < thread->reader.next_ticks ? thread->next_ticks : thread->reader.next_ticks;
}

static uint64_t next_of_thread(const struct thread_sweep *thread)
{
	uint64_t stretch = thread->is_open ? next_stretch(thread) : UINT64_MAX;
	return stretch < thread->mutexes.next_ticks ? stretch : thread->mutexes.next_ticks;
}

/* Takes the thread to the states and nodes that begin now. 0, or -1 with the error printed. */
static int step_thread(struct sweep_over_time *s, struct thread_sweep *thread)
{
	thread->ends_with_record = true;
	account_interval(s, thread);
	thread->ends_with_record = false;
	while (thread->reader.next_ticks <= s->now) {
		if (state_is_mutex(thread->state))
			turns_end_wait(s, thread);
		if (track_has_run(thread->state))
			end_wait(thread);
		if (series_next(&thread->reader) != 0)
			return -1;
		thread->state = (enum state)(thread->reader.value + STATE_NONE);
	}
	while (thread->next_node != 0 && thread->next_ticks <= s->now)
		take_node(s, thread, thread->next_node);
	if (thread->state == STATE_PREEMPTED)
		thread->is_node_over = thread->node != 0 && net_end(s->net, thread->node) <= s->now;
	count(s, thread);
	awaited_change(&s->awaited, &thread->role, role_of(s, thread));
	return 0;
}

/* Regions begin, or end, now: threads without a task wait for something else from now on. */
static void step_regions(struct sweep_over_time *s)
{
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].is_open)
			account_interval(s, &s->threads[i]);
	while (s->next_join < s->n_regions && s->joins[s->next_join] <= s->now && s->next_join < s->next_region)
		s->next_join++;
	for (; s->next_region < s->n_regions && s->regions[s->next_region].begin_ticks <= s->now; s->next_region++)
		s->region = s->regions[s->next_region].construct;
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].is_open)
			count(s, &s->threads[i]);
}

static uint64_t next_of_regions(const struct sweep_over_time *s)
{
	uint64_t begin = s->next_region < s->n_regions ? s->regions[s->next_region].begin_ticks : UINT64_MAX;
	uint64_t join = s->next_join < s->next_region ? s->joins[s->next_join] : UINT64_MAX;
	return begin < join ? begin : join;
}

/* Is the stream a thread of the account? */
static bool is_counted(const struct net *net, const struct track *track, size_t stream)
{
	return track_executes(track, net, stream) && track->streams[stream].states.n_steps != 0;
}

uint32_t account_n_threads(const struct net *net, const struct track *track)
{
	uint32_t n = 0;
	for (size_t i = 0; i < track->n_streams; i++)
		n += is_counted(net, track, i);
	return n;
}

uint64_t account_wall_ticks(const struct net *net)
{
	const struct model *m = net->graph->model;
	return window_clip(&net->window, m->last_ticks) - window_clip(&net->window, m->first_ticks);
}

/* The threads are those of streams that executed something. 0, or -1. */
static int open_threads(struct sweep_over_time *s)
{
	const struct graph *graph = s->net->graph;
	s->n_threads = s->track->n_streams;
	s->threads = memory_zeroed(s->n_threads + 1, sizeof *s->threads, WHAT);
	s->account->threads = memory_zeroed(s->n_threads + 1, sizeof *s->account->threads, WHAT);
	for (size_t i = 0; i < s->n_threads; i++) {
		struct thread_sweep *thread = &s->threads[i];
		const struct track_stream *t = &s->track->streams[i];
		uint32_t n_tasks = graph->model->n_tasks;
		thread->stream = t;
		thread->state = STATE_NONE;
		thread->since_ticks = s->now;
		thread->next_fragment = n_tasks + graph->streams[i].first_node;
		thread->end_fragment = n_tasks + graph->streams[i].end_node;
		thread->reader.next_ticks = UINT64_MAX;
		if (s->net->unit_nodes != NULL) {
			thread->next_unit = s->net->first_unit_node[i];
			thread->end_unit = s->net->first_unit_node[i + 1];
			thread->has_units = s->net->units_on[i];
		}
		sweep_find_task(s, thread);
		sweep_find_fragment(s, thread);
		sweep_find_next(s, thread);
		thread->is_open = is_counted(s->net, s->track, i);
		if (!thread->is_open)
			continue;
		struct account_thread *row = &s->account->threads[s->account->n_threads++];
		row->stream = (uint32_t)i;
		thread->spent = row->ticks;
		if (series_open(&thread->reader, &t->states, &s->track->spill, s->now) != 0)
			return -1;
		thread->state = (enum state)(thread->reader.value + STATE_NONE);
		count(s, thread);
		awaited_change(&s->awaited, &thread->role, role_of(s, thread));
	}
	uint64_t n_processors = graph->model->dump->meta.n_processors;
	s->n_processors = n_processors != 0 && n_processors < s->account->n_threads ? n_processors : UINT64_MAX;
	return 0;
}

/* Notes what the threads do when the time is over. */
static void note_last(struct sweep_over_time *s)
{
	uint32_t row = 0;
	for (size_t i = 0; i < s->n_threads; i++) {
		const struct thread_sweep *thread = &s->threads[i];
		if (!thread->is_open)
			continue;
		struct account_thread *last = &s->account->threads[row++];
		const struct mutex_turn *turn = &s->turns->rows[thread->requested];
		bool is_waiting_for_other = track_has_run(thread->state);
		last->last_state = thread->state;
		bool is_explicit = thread->node != 0 && net_is_explicit(s->net, thread->node);
		last->last_construct = thread->requested != 0                        ? thread->requested_at
				       : is_waiting_for_other                        ? sweep_awaited(thread)
				       : thread->stream->within != 0 && !is_explicit ? thread->stream->within
				       : thread->node != 0                           ? blocker_of(s, thread)->place
										     : 0;
		last->holder = UINT32_MAX;
		if (thread->requested != 0 && turn->holder != 0) {
			last->holder = turn->holder - 1;
			last->holder_construct = turn->construct;
		}
	}
}

static int sweep(struct sweep_over_time *s, uint64_t end_ticks)
{
	struct tournament tournament;
	uint32_t of_units = (uint32_t)s->n_threads + 1; /* 0: regions, up to here the threads */
	int rc = 0;
	step_regions(s); /* what had begun before a part of the time */
	for (uint32_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].is_open && (rc = step_thread(s, &s->threads[i])) != 0)
			return rc;
	ready_units_step(s);
	tournament_begin(&tournament, of_units + 1, WHAT);
	tournament_set(&tournament, of_units, ready_units_next(s));
	tournament_set(&tournament, 0, next_of_regions(s)); /* before what threads do at the same time */
	for (uint32_t i = 0; i < s->n_threads; i++)
		tournament_set(&tournament, i + 1, next_of_thread(&s->threads[i]));
	for (;;) {
		struct tournament_item first = tournament_first(&tournament);
		pass_time(s, first.ticks < end_ticks ? first.ticks : end_ticks);
		if (first.ticks >= end_ticks)
			break;
		uint64_t next_ticks;
		if (first.number == 0) {
			step_regions(s);
			next_ticks = next_of_regions(s);
		} else if (first.number == of_units) {
			ready_units_step(s);
			next_ticks = ready_units_next(s);
		} else {
			struct thread_sweep *thread = &s->threads[first.number - 1];
			if (thread->is_open && next_stretch(thread) <= s->now && (rc = step_thread(s, thread)) != 0)
				break;
			if (thread->mutexes.next_ticks <= first.ticks && (rc = turns_step(s, thread)) != 0)
				break;
			next_ticks = next_of_thread(thread);
		}
		tournament_set(&tournament, first.number, next_ticks);
	}
	note_last(s);
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].is_open) {
			account_interval(s, &s->threads[i]);
			if (state_is_mutex(s->threads[i].state))
				turns_end_wait(s, &s->threads[i]);
			awaited_change(&s->awaited, &s->threads[i].role, AWAITED_NEITHER);
		}
	tournament_free(&tournament);
	return rc;
}

static void close_threads(struct sweep_over_time *s)
{
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].is_open)
			series_close(&s->threads[i].reader);
	turns_free(s);
	free(s->threads);
	free(s->regions);
	free(s->joins);
	if (s->ready != NULL)
		sweep_hooks(s)->free(s);
}

/*
 * Where records contradict each other, a target construct may take more blame from serial work (blame_data()) than that has.
 */
static void keep_blame_positive(struct causes *causes)
{
	for (uint32_t i = 0; i < causes->n; i++)
		if (causes->rows[i].ticks < 0)
			causes->rows[i].ticks = 0;
}

int account_make(struct account *account, struct causes *causes, struct causes *waits, const struct net *net,
		 const struct track *track, const struct blockers *blockers)
{
	const struct model *m = net->graph->model;
	struct sweep_over_time s = {.net = net, .track = track, .blockers = blockers, .account = account, .causes = causes};
	*account = (struct account){.wall_ticks = account_wall_ticks(net)};
	s.now = window_clip(&m->window, m->first_ticks);
	awaited_begin(&s.awaited, waits, blockers, m->n_constructs);
	phases_find(&s);
	if (s.net->graph->model->tasking != NULL)
		sweep_hooks(&s)->begin(&s);
	int rc = open_threads(&s);
	if (rc == 0)
		rc = turns_begin(&s);
	if (rc == 0)
		rc = sweep(&s, s.now + account->wall_ticks);
	keep_blame_positive(causes);
	for (uint32_t i = 0; i < account->n_threads; i++)
		for (unsigned j = 0; j < SPENTS; j++)
			account->ticks[j] += account->threads[i].ticks[j];
	close_threads(&s);
	awaited_free(&s.awaited);
	return rc;
}

void account_free(struct account *account)
{
	free(account->threads);
	places_free(&account->no_waits);
	places_free(&account->mutex_parts);
	free(account->blocked);
	*account = (struct account){0};
}
