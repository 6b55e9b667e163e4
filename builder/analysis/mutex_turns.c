/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The holder of each mutex and the threads that request it, while the sweep passes over the time of a process (account.c), on
 * one thread. A thread that requests a mutex waits for other threads only while another one holds it, or where another one
 * requested it earlier: a runtime may hand the mutex over to that thread even while it has no processor. Otherwise the time is
 * the runtime's. In an ordered loop a thread waits for its turn, also while no other thread is in the ordered part, unless it
 * was the last one there itself.
 *
 * The record of a release may follow that of the next acquisition: until it does, the earlier holder is `late`.
 */
#include "builder/analysis/thread_sweep.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "what limits the run"

/* Each mutex has one row, however many threads use it. 0, or -1 with the error printed. */
int turns_begin(struct sweep_over_time *s)
{
	struct mutex_turns *turns = s->turns = memory_zeroed(1, sizeof *turns, WHAT);
	struct map row_of = {NULL, 0, 0};
	uint32_t n = 0;
	turns->rows_of = memory_zeroed(s->n_threads + 1, sizeof *turns->rows_of, WHAT);
	for (size_t i = 0; i < s->n_threads; i++) {
		const struct mutex_log *log = &s->threads[i].stream->mutexes;
		turns->rows_of[i] = memory_get(log->n_mutexes + (size_t)1, sizeof **turns->rows_of, WHAT);
		for (uint32_t j = 0; j < log->n_mutexes; j++) {
			uint32_t *row = map_put(&row_of, log->wait_ids[j]);
			*row = *row != 0 ? *row : ++n;
			turns->rows_of[i][j] = *row;
		}
	}
	map_free(&row_of);
	turns->rows = memory_zeroed(n + (size_t)1, sizeof *turns->rows, WHAT);
	for (size_t i = 0; i < s->n_threads; i++)
		if (mutex_reader_open(&s->threads[i].mutexes, &s->threads[i].stream->mutexes, &s->track->spill) != 0)
			return -1;
	return 0;
}

void turns_free(struct sweep_over_time *s)
{
	for (size_t i = 0; s->turns != NULL && i < s->n_threads; i++) {
		free(s->turns->rows_of[i]);
		mutex_reader_close(&s->threads[i].mutexes);
	}
	if (s->turns != NULL) {
		free(s->turns->rows_of);
		free(s->turns->rows);
	}
	free(s->turns);
	s->turns = NULL;
}

static void end_request(struct sweep_over_time *s, struct thread_sweep *thread)
{
	uint32_t *next = &s->turns->rows[thread->requested].first_requester, number = thread_number(s, thread);
	if (thread->requested == 0)
		return;
	while (*next != number)
		next = &s->threads[*next - 1].next_requester;
	*next = thread->next_requester;
	thread->requested = 0;
	thread->is_mutex_free = thread->is_off = false;
}

static bool is_of_loop(const struct sweep_over_time *s, uint32_t construct)
{
	return s->net->graph->model->constructs[construct].kind == CONSTRUCT_ORDERED;
}

static void request(struct sweep_over_time *s, struct thread_sweep *thread, uint32_t row, uint32_t construct)
{
	struct mutex_turn *turn = &s->turns->rows[row];
	uint32_t number = thread_number(s, thread);
	end_request(s, thread);
	bool is_taken = (turn->holder != 0 && turn->holder != number) || turn->first_requester != 0;
	thread->requested = row;
	thread->requested_at = construct;
	thread->requested_since = s->now;
	thread->next_requester = turn->first_requester;
	turn->first_requester = number;
	bool has_other = is_of_loop(s, construct) && turn->last != number && s->account->n_threads > 1;
	thread->is_mutex_free = !is_taken && !has_other;
}

/* Another thread acquired the mutex first, so this one has waited for it since its request. */
static void wait_since_request(struct sweep_over_time *s, struct thread_sweep *thread)
{
	thread->is_mutex_free = false;
	if (!thread->is_open)
		return;
	account_interval(s, thread);
	account_take_back(s, thread);
	account_mutex_wait(s, thread, thread->free_ticks + thread->off_ticks);
	thread->free_ticks = thread->off_ticks = 0;
}

/* All others that request the mutex wait for this thread from now on. */
static void take(struct sweep_over_time *s, struct thread_sweep *thread, uint32_t row, uint32_t construct)
{
	struct mutex_turn *turn = &s->turns->rows[row];
	uint32_t number = thread_number(s, thread);
	/* The thread that the others waited for until now may be this one, which had requested the mutex earlier. */
	for (uint32_t i = turn->first_requester; i != 0; i = s->threads[i - 1].next_requester)
		if (i != number && s->threads[i - 1].is_open && !s->threads[i - 1].is_mutex_free)
			account_interval(s, &s->threads[i - 1]);
	end_request(s, thread);
	if (turn->holder != 0 && turn->holder != number)
		turn->late = turn->holder;
	else if (turn->late == number)
		turn->late = 0;
	turn->holder = turn->last = number;
	turn->construct = construct;
	for (uint32_t i = turn->first_requester; i != 0; i = s->threads[i - 1].next_requester)
		if (s->threads[i - 1].is_mutex_free)
			wait_since_request(s, &s->threads[i - 1]);
}

static void release(struct sweep_over_time *s, struct thread_sweep *thread, uint32_t row)
{
	struct mutex_turn *turn = &s->turns->rows[row];
	if (turn->late == thread_number(s, thread) && turn->holder != turn->late) {
		turn->late = 0;
		return;
	}
	turn->holder = 0;
	struct thread_sweep *first = turn->first_requester != 0 ? &s->threads[turn->first_requester - 1] : NULL;
	if (first != NULL && first->next_requester == 0 && first->requested_since == s->now) /* it does not have to wait */
		first->is_mutex_free = true;
}

static void change_processor(struct sweep_over_time *s, struct thread_sweep *thread, bool is_off)
{
	if (thread->is_open)
		account_interval(s, thread);
	thread->is_off = is_off;
}

/* All that happens at the time of the thread's next event. 0, or -1 with the error printed. */
int turns_step(struct sweep_over_time *s, struct thread_sweep *thread)
{
	struct mutex_reader *next = &thread->mutexes;
	for (uint64_t ticks = next->next_ticks; next->next_ticks == ticks && ticks != UINT64_MAX;) {
		uint32_t row = s->turns->rows_of[thread_number(s, thread) - 1][next->value / TURN_EVENTS];
		uint32_t construct = s->track->same[next->construct];
		switch ((enum turn_event)(next->value % TURN_EVENTS)) {
		case TURN_REQUESTS: request(s, thread, row, construct); break;
		case TURN_TAKES: take(s, thread, row, construct); break;
		case TURN_KEEPS: end_request(s, thread); break;
		case TURN_RELEASES: release(s, thread, row); break;
		case TURN_IS_OFF: change_processor(s, thread, true); break;
		case TURN_IS_ON: change_processor(s, thread, false); break;
		case TURN_EVENTS: break;
		}
		if (mutex_reader_next(next) != 0)
			return -1;
	}
	return 0;
}

static void add_part(struct wait_places *places, uint32_t construct, enum state state, uint64_t ticks, bool counts)
{
	if (ticks != 0 || counts)
		places_add(places, construct, state, &(struct wait_place){.ticks = ticks, .count = counts, .longest_ticks = ticks});
}

/* Where it had to wait for a part of the time, that counts as a wait. By a coarse clock a free mutex may take no time at all. */
void turns_end_wait(struct sweep_over_time *s, struct thread_sweep *thread)
{
	struct wait_places *parts = &s->account->mutex_parts;
	uint32_t construct = sweep_awaited(thread);
	bool is_free = thread->taken_ticks == 0;
	add_part(&s->account->no_waits, construct, thread->state, thread->free_ticks + thread->off_ticks, is_free);
	add_part(parts, construct, thread->state, thread->taken_ticks, !is_free);
	add_part(parts, construct, STATE_OVERHEAD, thread->free_ticks, is_free);
	add_part(parts, construct, STATE_PREEMPTED, thread->off_ticks, thread->off_ticks != 0);
	thread->taken_ticks = thread->free_ticks = thread->off_ticks = 0;
}
