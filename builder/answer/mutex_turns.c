/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whose turn it is at each mutex while the sweep goes over the time of a process (account.c), on one thread: which thread has
 * it, and which ones ask for it. A thread that asks for a mutex waits for others only where another one has it meanwhile, or
 * had asked for it before: a runtime may hand the mutex over to that one, even while it has no processor. Otherwise the
 * runtime is at work. In an ordered loop a thread waits for its turn, also while no other one is in the ordered part: unless
 * it was there last itself, and comes next.
 *
 * The record of a release may come after that of the next acquisition: who had the mutex until then is not yet through.
 */
#include "builder/answer/lane.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "what limits the run"

/* A mutex. Lanes are told by their numbers from 1; 0: none. */
struct turn {
	uint32_t holder, late; /* who has it; who had it before, and whose release is not recorded yet */
	uint32_t last;         /* who had it last, or has it ... */
	uint32_t construct;    /* ... and where that one acquired it */
	uint32_t first_asking; /* by lane.next_asking */
};

struct turns {
	struct turn *rows;  /* row 0: none */
	uint32_t **rows_of; /* by lane and its own number of a mutex */
};

/* Each mutex has one row, however many threads use it. 0, or -1 with the error printed. */
int turns_begin(struct sweep_over_time *s)
{
	struct turns *turns = s->turns = memory_zeroed(1, sizeof *turns, WHAT);
	struct map row_of = {NULL, 0, 0};
	uint32_t n = 0;
	turns->rows_of = memory_zeroed(s->n_lanes + 1, sizeof *turns->rows_of, WHAT);
	for (size_t i = 0; i < s->n_lanes; i++) {
		const struct mutex_log *log = &s->lanes[i].stream->mutexes;
		turns->rows_of[i] = memory_get(log->n_mutexes + (size_t)1, sizeof **turns->rows_of, WHAT);
		for (uint32_t j = 0; j < log->n_mutexes; j++) {
			uint32_t *row = map_put(&row_of, log->wait_ids[j]);
			*row = *row != 0 ? *row : ++n;
			turns->rows_of[i][j] = *row;
		}
	}
	map_free(&row_of);
	turns->rows = memory_zeroed(n + (size_t)1, sizeof *turns->rows, WHAT);
	for (size_t i = 0; i < s->n_lanes; i++)
		if (mutex_reader_open(&s->lanes[i].mutexes, &s->lanes[i].stream->mutexes, &s->track->aside) != 0)
			return -1;
	return 0;
}

void turns_free(struct sweep_over_time *s)
{
	for (size_t i = 0; s->turns != NULL && i < s->n_lanes; i++) {
		free(s->turns->rows_of[i]);
		mutex_reader_close(&s->lanes[i].mutexes);
	}
	if (s->turns != NULL) {
		free(s->turns->rows_of);
		free(s->turns->rows);
	}
	free(s->turns);
	s->turns = NULL;
}

static uint32_t number_of(const struct sweep_over_time *s, const struct lane *lane)
{
	return (uint32_t)(lane - s->lanes) + 1;
}

static void stop_asking(struct sweep_over_time *s, struct lane *lane)
{
	uint32_t *next = &s->turns->rows[lane->asks].first_asking, number = number_of(s, lane);
	if (lane->asks == 0)
		return;
	while (*next != number)
		next = &s->lanes[*next - 1].next_asking;
	*next = lane->next_asking;
	lane->asks = 0;
	lane->is_mutex_free = lane->is_off = false;
}

static bool is_of_loop(const struct sweep_over_time *s, uint32_t construct)
{
	return s->net->graph->model->constructs[construct].kind == CONSTRUCT_ORDERED;
}

static void ask(struct sweep_over_time *s, struct lane *lane, uint32_t row, uint32_t construct)
{
	struct turn *turn = &s->turns->rows[row];
	uint32_t number = number_of(s, lane);
	stop_asking(s, lane);
	bool is_taken = (turn->holder != 0 && turn->holder != number) || turn->first_asking != 0;
	lane->asks = row;
	lane->asks_at = construct;
	lane->asks_since = s->now;
	lane->next_asking = turn->first_asking;
	turn->first_asking = number;
	bool has_other = is_of_loop(s, construct) && turn->last != number && s->account->n_threads > 1;
	lane->is_mutex_free = !is_taken && !has_other;
}

/* Another one came before the lane, which therefore has waited for it since it asked. */
static void wait_since_asking(struct sweep_over_time *s, struct lane *lane)
{
	lane->is_mutex_free = false;
	if (!lane->is_open)
		return;
	lane_tell(s, lane);
	lane_take_back(s, lane);
	turns_blame(s, lane, lane->free_ticks + lane->off_ticks);
	lane->free_ticks = lane->off_ticks = 0;
}

/* All others that ask for it wait for this lane from now on. */
static void take(struct sweep_over_time *s, struct lane *lane, uint32_t row, uint32_t construct)
{
	struct turn *turn = &s->turns->rows[row];
	uint32_t number = number_of(s, lane);
	/* For whom the others waited until now: it may have been this one, which had asked before. */
	for (uint32_t i = turn->first_asking; i != 0; i = s->lanes[i - 1].next_asking)
		if (i != number && s->lanes[i - 1].is_open && !s->lanes[i - 1].is_mutex_free)
			lane_tell(s, &s->lanes[i - 1]);
	stop_asking(s, lane);
	if (turn->holder != 0 && turn->holder != number)
		turn->late = turn->holder;
	else if (turn->late == number)
		turn->late = 0;
	turn->holder = turn->last = number;
	turn->construct = construct;
	for (uint32_t i = turn->first_asking; i != 0; i = s->lanes[i - 1].next_asking)
		if (s->lanes[i - 1].is_mutex_free)
			wait_since_asking(s, &s->lanes[i - 1]);
}

static void release(struct sweep_over_time *s, struct lane *lane, uint32_t row)
{
	struct turn *turn = &s->turns->rows[row];
	if (turn->late == number_of(s, lane) && turn->holder != turn->late) {
		turn->late = 0;
		return;
	}
	turn->holder = 0;
	struct lane *first = turn->first_asking != 0 ? &s->lanes[turn->first_asking - 1] : NULL;
	if (first != NULL && first->next_asking == 0 && first->asks_since == s->now) /* it does not have to wait */
		first->is_mutex_free = true;
}

static void change_processor(struct sweep_over_time *s, struct lane *lane, bool is_off)
{
	if (lane->is_open)
		lane_tell(s, lane);
	lane->is_off = is_off;
}

/* All that happens at the time of the lane's next event. 0, or -1 with the error printed. */
int turns_step(struct sweep_over_time *s, struct lane *lane)
{
	struct mutex_reader *next = &lane->mutexes;
	for (uint64_t ticks = next->next_ticks; next->next_ticks == ticks && ticks != UINT64_MAX;) {
		uint32_t row = s->turns->rows_of[number_of(s, lane) - 1][next->value / TURN_EVENTS];
		uint32_t construct = s->track->same[next->construct];
		switch ((enum turn_event)(next->value % TURN_EVENTS)) {
		case TURN_ASKS: ask(s, lane, row, construct); break;
		case TURN_TAKES: take(s, lane, row, construct); break;
		case TURN_KEEPS: stop_asking(s, lane); break;
		case TURN_RELEASES: release(s, lane, row); break;
		case TURN_IS_OFF: change_processor(s, lane, true); break;
		case TURN_IS_ON: change_processor(s, lane, false); break;
		case TURN_EVENTS: break;
		}
		if (mutex_reader_next(next) != 0)
			return -1;
	}
	return 0;
}

/* By which construct that one has, had, or will have the mutex for which the lane waits; 0: unknown. */
static uint32_t turn_construct(const struct sweep_over_time *s, const struct lane *lane)
{
	const struct turn *turn = &s->turns->rows[lane->asks];
	uint32_t number = number_of(s, lane), other = 0;
	if (turn->last != 0 && turn->last != number)
		return turn->construct;
	for (uint32_t i = turn->first_asking; i != 0; i = s->lanes[i - 1].next_asking)
		other = i != number ? i : other; /* the last one asked first */
	return other != 0 ? s->lanes[other - 1].asks_at : 0;
}

void turns_blame(struct sweep_over_time *s, struct lane *lane, uint64_t length)
{
	uint32_t other = turn_construct(s, lane);
	lane->taken_ticks += length;
	if (other != 0)
		causes_blame(s->awaited.waits,
			     causes_row(s->awaited.waits, LIMIT_EXCLUSION, CAUSE_PLAIN, lane_awaited(lane), other), (double)length);
}

static void add_part(struct wait_places *places, uint32_t construct, enum state state, uint64_t ticks, bool counts)
{
	if (ticks != 0 || counts)
		places_add(places, construct, state, &(struct wait_place){.ticks = ticks, .count = counts, .longest_ticks = ticks});
}

/* Where it had to wait for a part of the time, that counts as a wait. By a coarse clock a free mutex may take no time at all. */
void turns_end_wait(struct sweep_over_time *s, struct lane *lane)
{
	struct wait_places *parts = &s->account->mutex_parts;
	uint32_t construct = lane_awaited(lane);
	bool is_free = lane->taken_ticks == 0;
	add_part(&s->account->no_waits, construct, lane->state, lane->free_ticks + lane->off_ticks, is_free);
	add_part(parts, construct, lane->state, lane->taken_ticks, !is_free);
	add_part(parts, construct, STATE_OVERHEAD, lane->free_ticks, is_free);
	add_part(parts, construct, STATE_PREEMPTED, lane->off_ticks, lane->off_ticks != 0);
	lane->taken_ticks = lane->free_ticks = lane->off_ticks = 0;
}
