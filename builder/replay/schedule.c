/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules the streams on the threads. A stream runs until its end, or until it reaches a stop (handover.c) whose task
 * another stream has to hand over first: then the stream is put into a waiting list, and the thread takes another stream. If
 * all visitors can work on several streams at once, all OpenMP threads do this.
 *
 * The lock protects the lists of streams. What one stream has done to a task before a stop was over is visible to the
 * stream that passes the task's next stop, through the number of stops that are over (end_stop(), is_next()). Most often no
 * stream waits for the task, and no thread takes the lock.
 */
#include "builder/replay/state.h"

#include <omp.h>
#include <pthread.h>
#include <time.h>

#define PREPARE_EVERY_NS 1000000 /* a thread without a stream looks for something to do at least this often */

enum outcome { STREAM_OVER, STREAM_WAITS, STREAM_FAILED };

struct schedule {
	struct replay *r;
	bool is_shared; /* several threads work on it */
	pthread_mutex_t lock;
	pthread_cond_t changed;            /* a stream is ready, or none will be ready any more */
	struct stream_state *first, *last; /* the ready streams, as a FIFO queue */
	size_t n_running;                  /* streams that are replayed now */
	bool is_preparing;                 /* a thread without a stream calls the visitors' prepare() */
	bool has_failed;
};

static void lock(struct schedule *schedule)
{
	if (schedule->is_shared)
		pthread_mutex_lock(&schedule->lock);
}

static void unlock(struct schedule *schedule)
{
	if (schedule->is_shared)
		pthread_mutex_unlock(&schedule->lock);
}

static void add_ready(struct schedule *schedule, struct stream_state *s)
{
	s->next = NULL;
	if (schedule->first == NULL)
		schedule->first = s;
	else
		schedule->last->next = s;
	schedule->last = s;
	if (schedule->is_shared)
		pthread_cond_signal(&schedule->changed);
}

static struct task_handover *handover_of(const struct schedule *schedule, const struct stop *stop)
{
	return &schedule->r->handovers.all[stop->handover];
}

/* Removes the stream, which follows `before`, from the list of those that wait for the task. */
static void unlink_waiting(struct task_handover *handover, struct stream_state *before, struct stream_state *s)
{
	if (before != NULL)
		before->next = s->next;
	else /* relaxed: a thread that still sees the stream takes the lock for nothing */
		__atomic_store_n(&handover->waiting, s->next, __ATOMIC_RELAXED);
	s->awaited = NULL;
}

/* Makes those streams ready that waited for stops of the task that are over now. */
static void wake(struct schedule *schedule, struct task_handover *handover)
{
	lock(schedule);
	uint32_t n_over = __atomic_load_n(&handover->n_over, __ATOMIC_RELAXED); /* a stream that passes a stop reads it again */
	struct stream_state *before = NULL, *next;
	for (struct stream_state *s = handover->waiting; s != NULL; s = next) {
		next = s->next;
		if (s->awaited->nth > n_over) {
			before = s;
			continue;
		}
		unlink_waiting(handover, before, s);
		add_ready(schedule, s);
	}
	unlock(schedule);
}

/* The stop, or the part that began with it, is over. */
static void end_stop(struct schedule *schedule, const struct stop *stop)
{
	struct task_handover *handover = handover_of(schedule, stop);
	/* P1: after what the stream has done with the task.
	 * P6: before it looks for streams that wait. */
	__atomic_add_fetch(&handover->n_over, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&handover->waiting, __ATOMIC_SEQ_CST) != NULL)
		wake(schedule, handover);
}

static void end_open(struct schedule *schedule, struct stream_state *s)
{
	if (s->open != NULL)
		end_stop(schedule, s->open);
	s->open = NULL;
}

/*
 * The current task has an open stop, after which another thread reports that the task completed. If the task's last part
 * ended without a record (Q33), it ended at that report at the latest. If the report is earlier than the stream's next
 * record, ends the part. 0, or -1.
 */
static int end_reported(struct schedule *schedule, struct stream_state *s, uint64_t next_ticks)
{
	const struct handovers *handovers = &schedule->r->handovers;
	const struct task_handover *handover = handover_of(schedule, s->open);
	const struct stop *report = &handovers->stops[handovers->order[handover->first + s->open->nth + 1]];
	bool is_before = report->ticks != next_ticks ? report->ticks < next_ticks : report->stream < s->row;
	if (!is_before)
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

/* Is the task current in the stream, since an earlier stop? */
static bool is_own(const struct stream_state *s, const struct stop *stop)
{
	return s->open != NULL && s->open->handover == stop->handover;
}

/* Are all of the task's stops before this one over, except one whose part this stream still runs? */
static bool is_next(const struct schedule *schedule, const struct stream_state *s, const struct stop *stop)
{
	/* P2: before the stream reads what others have done with the task; and P7. */
	return __atomic_load_n(&handover_of(schedule, stop)->n_over, __ATOMIC_SEQ_CST) + is_own(s, stop) >= stop->nth;
}

/* Puts the stream into the list of those that wait for the stop's task, in the order of streams. False: it need not wait now. */
static bool wait_for(struct schedule *schedule, struct stream_state *s, const struct stop *stop)
{
	struct task_handover *handover = handover_of(schedule, stop);
	struct stream_state *before = NULL, *after = handover->waiting;
	for (; after != NULL && after->row < s->row; after = after->next)
		before = after;
	s->awaited = stop;
	s->next = after;
	if (before != NULL)
		before->next = s;
	else
		__atomic_store_n(&handover->waiting, s, __ATOMIC_SEQ_CST); /* P7: before it reads which stops are over */
	if (!is_next(schedule, s, stop))
		return true;
	unlink_waiting(handover, before, s);
	return false;
}

/* May the stream pass the stops at its next record? If not, it waits, and another thread may continue it at once. */
static bool may_pass(struct schedule *schedule, struct stream_state *s, uint64_t place)
{
	bool may = true;
	const struct stop *stop = s->stop;
	while (is_at_stop(s, stop, place) && is_next(schedule, s, stop)) /* most often it can pass all of them */
		stop++;
	if (!is_at_stop(s, stop, place))
		return true;
	lock(schedule);
	for (; is_at_stop(s, stop, place) && may; stop++) {
		if (is_next(schedule, s, stop))
			continue;
		bool is_cut = s->cut != NULL && stop <= s->cut; /* also those before it at the same record */
		may = is_cut || !wait_for(schedule, s, stop);
	}
	unlock(schedule);
	return may;
}

/* The record at the stops was replayed. */
static void pass(struct schedule *schedule, struct stream_state *s, uint64_t place)
{
	const struct stop *open = NULL;
	for (; is_at_stop(s, s->stop, place); s->stop++) {
		if (s->open != NULL && s->open->handover == s->stop->handover)
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
	lock(schedule);
	progress_add(schedule->r->progress, s->n_since_progress);
	bool is_well = !schedule->has_failed;
	unlock(schedule);
	s->n_since_progress = 0;
	return is_well;
}

/* Index in the segment of the stream's next record: the stream may take the records before it without a check for stops. */
static uint32_t free_until(const struct stream_state *s)
{
	const struct cursor *cursor = &s->timeline.cursor;
	if (s->open != NULL)
		return cursor->index + 1; /* its part may end with any record */
	if (s->stop == s->stop_end || s->stop->place >> 32 != cursor->segment)
		return UINT32_MAX;
	return (uint32_t)s->stop->place;
}

/* Replays the stream until its end or until it has to wait. */
static enum outcome go_on(struct schedule *schedule, struct stream_state *s)
{
	struct replay *r = schedule->r;
	for (const struct record *record; (record = timeline_peek(&s->timeline)) != NULL;) {
		if (s->n_since_progress >= PROGRESS_EVERY && !count_progress(schedule, s))
			return STREAM_FAILED;
		uint64_t place = place_of(s);
		if (s->open != NULL && s->open->is_reported && end_reported(schedule, s, record->time) != 0)
			return STREAM_FAILED;
		if (is_at_stop(s, s->stop, place) && !may_pass(schedule, s, place))
			return STREAM_WAITS;
		uint32_t end = is_at_stop(s, s->stop, place) ? s->timeline.cursor.index + 1 : free_until(s);
		if (replay_frequent(r, s, end) != 0)
			return STREAM_FAILED;
		s->n_since_progress += place_of(s) == place;
		if (place_of(s) == place && replay_record(r, s, record) != 0)
			return STREAM_FAILED;
		pass(schedule, s, place);
	}
	if (s->open != NULL && s->open->is_reported && end_reported(schedule, s, UINT64_MAX) != 0)
		return STREAM_FAILED;
	end_open(schedule, s);
	/* Where tasks move, ends without a record come after all streams: what one stream suspended may run in another one. */
	if (r->handovers.n == 0 && (replay_close(r, s) != 0 || replay_leave_rest(r, s) != 0 || replay_end(r, s) != 0))
		return STREAM_FAILED;
	return STREAM_OVER;
}

/*
 * No stream is ready: records contradict each other, or clocks do. The first stream that waits continues without the
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
		struct stream_state **waiting = &handover_of(schedule, s->awaited)->waiting;
		while (*waiting != s)
			waiting = &(*waiting)->next;
		*waiting = s->next;
		s->cut = s->awaited;
		s->awaited = NULL;
		add_ready(schedule, s);
		return true;
	}
	return false;
}

/*
 * A thread without a stream waits until one is ready; it may return earlier. One of these threads calls the visitors' prepare()
 * meanwhile, and repeats that a little later if there was nothing to do.
 */
static void wait_for_streams(struct schedule *schedule)
{
	bool has_made = false;
	if (schedule->is_preparing) {
		pthread_cond_wait(&schedule->changed, &schedule->lock);
		return;
	}
	schedule->is_preparing = true;
	unlock(schedule);
	int rc = VISIT(schedule->r, prepare, &has_made);
	lock(schedule);
	schedule->has_failed |= rc != 0;
	if (!has_made && schedule->first == NULL && schedule->n_running > 0 && !schedule->has_failed) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += PREPARE_EVERY_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		(void)pthread_cond_timedwait(&schedule->changed, &schedule->lock, &until);
	}
	schedule->is_preparing = false;
}

/* One thread: replays one stream after the other, until none is ready and none is running. */
static void work(struct schedule *schedule)
{
	lock(schedule);
	for (;;) {
		while (schedule->first == NULL && schedule->n_running > 0 && !schedule->has_failed)
			wait_for_streams(schedule);
		struct stream_state *s = schedule->first;
		if (s == NULL || schedule->has_failed)
			break;
		schedule->first = s->next;
		schedule->n_running++;
		unlock(schedule);
		enum outcome outcome = go_on(schedule, s);
		lock(schedule);
		schedule->n_running--;
		schedule->has_failed |= outcome == STREAM_FAILED;
	}
	pthread_cond_broadcast(&schedule->changed);
	unlock(schedule);
}

int replay_schedule(struct replay *r)
{
	struct schedule schedule = {.r = r};
	size_t n = r->model->dump->n_streams, n_threads = (size_t)omp_get_max_threads();
	pthread_mutex_init(&schedule.lock, NULL);
	pthread_cond_init(&schedule.changed, NULL);
	for (size_t i = 0; i < n; i++)
		add_ready(&schedule, &r->streams[i]);
	n_threads = n < n_threads ? n : n_threads;
	schedule.is_shared = r->are_by_stream && r->model->is_apart && n_threads > 1;
	if (schedule.is_shared) {
#pragma omp parallel num_threads((int)n_threads)
		work(&schedule);
		schedule.is_shared = false;
	}
	do {
		work(&schedule);
	} while (!schedule.has_failed && cut(&schedule));
	pthread_cond_destroy(&schedule.changed);
	pthread_mutex_destroy(&schedule.lock);
	if (schedule.has_failed)
		return -1;
	return r->handovers.n != 0 ? replay_end_all(r) : 0;
}
