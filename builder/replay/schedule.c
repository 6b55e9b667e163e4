/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which stream is replayed next, on which thread. Each goes on until its end, or until it comes to a stop (hand.h) whose
 * task another stream has to hand over first: then it is put aside, and the thread takes another stream. If all visitors
 * can work on several streams at once, all threads of OpenMP do this. Called by run.c.
 *
 * The lock guards the lists, and what hand.h says. What one stream has done to a task before a stop was over is seen by
 * the stream that passes the task's next stop, by the number of those that are over (end_stop(), may_pass()).
 */
#include "builder/replay/state.h"

#include <omp.h>
#include <pthread.h>

enum outcome { STREAM_OVER, STREAM_WAITS, STREAM_FAILED };

struct schedule {
	struct replay *r;
	pthread_mutex_t lock;
	pthread_cond_t changed;            /* a stream can go on, or none ever will */
	struct stream_state *first, *last; /* streams that can go on, first come, first served */
	size_t n_running;                  /* streams that go on now */
	bool has_failed;
};

static void add_ready(struct schedule *schedule, struct stream_state *s)
{
	s->next = NULL;
	if (schedule->first == NULL)
		schedule->first = s;
	else
		schedule->last->next = s;
	schedule->last = s;
	pthread_cond_signal(&schedule->changed);
}

static struct hand *hand_of(const struct schedule *schedule, const struct stop *stop)
{
	return &schedule->r->hands.all[stop->hand];
}

/* The stop, or the part that began with it, is over: streams that waited for that can go on. */
static void end_stop(struct schedule *schedule, const struct stop *stop)
{
	struct hand *hand = hand_of(schedule, stop);
	pthread_mutex_lock(&schedule->lock);
	/* P1, for what the stream has done with the task. */
	__atomic_store_n(&hand->n_over, hand->n_over + 1, __ATOMIC_RELEASE);
	for (struct stream_state **waiting = &hand->waiting; *waiting != NULL;) {
		struct stream_state *s = *waiting;
		if (s->awaited->nth > hand->n_over) {
			waiting = &s->next;
			continue;
		}
		*waiting = s->next;
		s->awaited = NULL;
		add_ready(schedule, s);
	}
	pthread_mutex_unlock(&schedule->lock);
}

static void end_open(struct schedule *schedule, struct stream_state *s)
{
	if (s->open != NULL)
		end_stop(schedule, s->open);
	s->open = NULL;
}

/*
 * The current task has an open stop. If its last part ended without a record (Q33), it has ended at the latest when
 * another thread reports that the task completed: has that come before the stream's next record? 0, or -1.
 */
static int end_reported(struct schedule *schedule, struct stream_state *s, uint64_t next_ticks)
{
	const struct hands *hands = &schedule->r->hands;
	const struct hand *hand = hand_of(schedule, s->open);
	if (s->open->nth + 1 == hand->n_stops)
		return 0;
	const struct stop *report = &hands->stops[hands->order[hand->first + s->open->nth + 1]];
	bool is_before = report->ticks != next_ticks ? report->ticks < next_ticks : report->stream < s->row;
	if (!report->is_report || report->stream == s->row || !is_before)
		return 0;
	if (thread_end_part(&s->thread, report->ticks) != 0)
		return -1;
	end_open(schedule, s);
	return 0;
}

/* Where the stream's next record is. */
static uint64_t place_of(const struct stream_state *s)
{
	return (uint64_t)s->timeline.cursor.segment << 32 | s->timeline.cursor.index;
}

static bool is_at_stop(const struct stream_state *s, const struct stop *stop, uint64_t place)
{
	return stop != s->stop_end && stop->place == place;
}

/* For the stop that the stream has to wait for: puts it aside, in the order of streams. */
static void wait_for(struct schedule *schedule, struct stream_state *s, const struct stop *stop)
{
	struct stream_state **place = &hand_of(schedule, stop)->waiting;
	while (*place != NULL && (*place)->row < s->row)
		place = &(*place)->next;
	s->awaited = stop;
	s->next = *place;
	*place = s;
}

/* Is the task current in the stream, since an earlier stop? */
static bool is_own(const struct stream_state *s, const struct stop *stop)
{
	return s->open != NULL && s->open->hand == stop->hand;
}

/* May the stream pass the stops at its next record? If not, it waits, and another thread may go on with it at once. */
static bool may_pass(struct schedule *schedule, struct stream_state *s, uint64_t place)
{
	bool may = true;
	const struct stop *stop = s->stop;
	/* P2, for what was done before. Most often all of that is over. */
	while (is_at_stop(s, stop, place) &&
	       __atomic_load_n(&hand_of(schedule, stop)->n_over, __ATOMIC_ACQUIRE) + is_own(s, stop) >= stop->nth)
		stop++;
	if (!is_at_stop(s, stop, place))
		return true;
	pthread_mutex_lock(&schedule->lock);
	for (; is_at_stop(s, stop, place) && may; stop++) {
		if (hand_of(schedule, stop)->n_over + is_own(s, stop) >= stop->nth)
			continue;
		may = s->is_cut;
		s->is_cut = false;
		if (!may)
			wait_for(schedule, s, stop);
	}
	pthread_mutex_unlock(&schedule->lock);
	return may;
}

/* The record at the stops was replayed. */
static void pass(struct schedule *schedule, struct stream_state *s, uint64_t place)
{
	const struct stop *open = NULL;
	for (; is_at_stop(s, s->stop, place); s->stop++) {
		if (s->open != NULL && s->open->hand == s->stop->hand)
			end_open(schedule, s);
		if (s->stop->task == s->thread.task)
			open = s->stop;
		else
			end_stop(schedule, s->stop);
	}
	if (s->open != NULL && s->open->task != s->thread.task)
		end_open(schedule, s);
	if (open != NULL)
		s->open = open;
}

/* False: another stream has failed. */
static bool count_progress(struct schedule *schedule, struct stream_state *s)
{
	pthread_mutex_lock(&schedule->lock);
	progress_add(schedule->r->progress, s->n_since_progress);
	bool is_well = !schedule->has_failed;
	pthread_mutex_unlock(&schedule->lock);
	s->n_since_progress = 0;
	return is_well;
}

/* Replays the stream as far as it can go on. */
static enum outcome go_on(struct schedule *schedule, struct stream_state *s)
{
	struct replay *r = schedule->r;
	for (const struct record *record; (record = timeline_peek(&s->timeline)) != NULL;) {
		if (++s->n_since_progress >= PROGRESS_EVERY && !count_progress(schedule, s))
			return STREAM_FAILED;
		if (s->open == NULL && s->stop == s->stop_end) {
			if (replay_record(r, s, record) != 0 || replay_frequent(r, s) != 0)
				return STREAM_FAILED;
			continue;
		}
		uint64_t place = place_of(s);
		if (s->open != NULL && end_reported(schedule, s, record->time) != 0)
			return STREAM_FAILED;
		if (!may_pass(schedule, s, place))
			return STREAM_WAITS;
		if (replay_record(r, s, record) != 0)
			return STREAM_FAILED;
		pass(schedule, s, place);
	}
	if (s->open != NULL && end_reported(schedule, s, UINT64_MAX) != 0)
		return STREAM_FAILED;
	end_open(schedule, s);
	/* Where tasks move, ends without a record come last, as one stream may have suspended what runs in another one. */
	if (r->hands.n == 0 && (replay_close(r, s) != 0 || replay_leave_rest(r, s) != 0 || replay_end(r, s) != 0))
		return STREAM_FAILED;
	return STREAM_OVER;
}

/*
 * No stream can go on: records contradict each other, or clocks do. The first stream that waits goes on without the
 * task. False: none waits, so all are over.
 */
static bool cut(struct schedule *schedule)
{
	struct replay *r = schedule->r;
	for (size_t i = 0; i < r->model->dump->n_streams; i++) {
		struct stream_state *s = &r->streams[i];
		if (s->awaited == NULL)
			continue;
		replay_repair(s, "task_in_two_threads");
		struct stream_state **waiting = &hand_of(schedule, s->awaited)->waiting;
		while (*waiting != s)
			waiting = &(*waiting)->next;
		*waiting = s->next;
		s->awaited = NULL;
		s->is_cut = true;
		add_ready(schedule, s);
		return true;
	}
	return false;
}

/* One thread: goes on with one stream after the other, until none can go on any more. */
static void work(struct schedule *schedule)
{
	pthread_mutex_lock(&schedule->lock);
	for (;;) {
		while (schedule->first == NULL && schedule->n_running > 0 && !schedule->has_failed)
			pthread_cond_wait(&schedule->changed, &schedule->lock);
		struct stream_state *s = schedule->first;
		if (s == NULL || schedule->has_failed)
			break;
		schedule->first = s->next;
		schedule->n_running++;
		pthread_mutex_unlock(&schedule->lock);
		enum outcome outcome = go_on(schedule, s);
		pthread_mutex_lock(&schedule->lock);
		schedule->n_running--;
		schedule->has_failed |= outcome == STREAM_FAILED;
	}
	pthread_cond_broadcast(&schedule->changed);
	pthread_mutex_unlock(&schedule->lock);
}

int replay_schedule(struct replay *r)
{
	struct schedule schedule = {.r = r};
	size_t n = r->model->dump->n_streams, n_threads = (size_t)omp_get_max_threads();
	pthread_mutex_init(&schedule.lock, NULL);
	pthread_cond_init(&schedule.changed, NULL);
	for (size_t i = 0; i < n; i++)
		add_ready(&schedule, &r->streams[i]);
	if (r->are_by_stream && r->model->is_apart && n > 1) {
#pragma omp parallel num_threads((int)(n < n_threads ? n : n_threads))
		work(&schedule);
	}
	do {
		work(&schedule);
	} while (!schedule.has_failed && cut(&schedule));
	pthread_cond_destroy(&schedule.changed);
	pthread_mutex_destroy(&schedule.lock);
	if (schedule.has_failed)
		return -1;
	return r->hands.n != 0 ? replay_end_all(r) : 0;
}
