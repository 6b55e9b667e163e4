/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads, parallel regions, tasks: the callbacks that make ids and move a stream's context.
 */
#include "recorder/callbacks.h"

#include "recorder/record.h"

/* task_flags of events.def: the type's five bits, then the properties that OpenMP has at bits 27 to 31. */
static inline uint64_t pack_task_flags(int flags)
{
	return ((unsigned)flags & 0x1f) | ((unsigned)flags >> 27 & 0x1f) << 5;
}

/* parallel_flags: the invoker's two bits, then league and team at bits 30 and 31. */
static inline uint64_t pack_parallel_flags(int flags)
{
	return ((unsigned)flags & 3) | ((unsigned)flags >> 30 & 3) << 2;
}

static inline uint64_t address(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/* ---- Threads ---- */

void on_thread_begin(ompt_thread_t type, ompt_data_t *thread_data)
{
	uint64_t time = clock_ticks();
	(void)thread_data;
	if (unlikely(record_may_defer()) && session_defer_thread(time, (unsigned)type))
		return;
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	record_put(stream, time, record_head(EVENT_thread_begin, (unsigned)type, 0), 0, 0);
	record_leave(stream);
}

void on_thread_end(ompt_data_t *thread_data)
{
	uint64_t time = clock_ticks();
	(void)thread_data;
	if (unlikely(record_may_defer()) && session_defer_end())
		return;
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	record_put(stream, time, record_head(EVENT_thread_end, 0, 0), 0, 0);
	stream_release(stream, time); /* leaves as well */
}

/* ---- Parallel regions ---- */

void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned requested, int flags,
		       const void *codeptr)
{
	uint64_t time = clock_ticks();
	(void)task;
	(void)frame;
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	uint64_t id = record_new_region(stream);
	if (region)
		region->value = id;
	record_put(stream, time, record_head(EVENT_parallel_begin, pack_parallel_flags(flags), id_counter(id)), requested,
		   address(codeptr));
	record_leave(stream);
}

void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *codeptr)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	uint64_t head = record_head(EVENT_parallel_end, pack_parallel_flags(flags), id_counter(id_of(region)));
	record_put(stream, time, head, id_of(task), address(codeptr));
	stream->now.task = id_of(task);
	record_leave(stream);
}

/* ---- Implicit tasks ---- */

static void enter_implicit(struct stream *stream, struct stream_context inner)
{
	if (stream->team_depth < STREAM_TEAM_DEPTH)
		stream->team[stream->team_depth] = stream->now;
	stream->team_depth++;
	stream->now = inner;
}

static void leave_implicit(struct stream *stream)
{
	struct stream_context outer = {0, 0};
	if (stream->team_depth) {
		stream->team_depth--;
		if (stream->team_depth < STREAM_TEAM_DEPTH)
			outer = stream->team[stream->team_depth];
	}
	stream->now = outer;
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned actual, unsigned index,
		      int flags)
{
	uint64_t time = clock_ticks();
	uint64_t packed = pack_task_flags(flags);
	uint64_t numbers = actual | (uint64_t)index << 32;
	bool is_begin = endpoint != ompt_scope_end;
	if (unlikely(record_may_defer()) && flags & ompt_task_initial) {
		if (!is_begin && session_defer_end())
			return;
		if (is_begin && session_defer_task(time, packed, numbers)) {
			if (task)
				task->value = DEFERRED_ID;
			if (region)
				region->value = DEFERRED_ID;
			return;
		}
	}
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	if (is_begin) {
		uint64_t id = record_new_task(stream);
		if (task)
			task->value = id;
		/* Nobody announces the region of an initial task (quirks Q5, Q7). */
		if (region && region->value == 0)
			region->value = record_new_region(stream);
		record_put(stream, time, record_head(EVENT_implicit_task_begin, packed, id_counter(id)), id_of(region), numbers);
		enter_implicit(stream, (struct stream_context){id, id_of(region)});
	} else {
		uint64_t id = id_of(task) ? id_of(task) : stream->now.task;
		record_put(stream, time, record_head(EVENT_implicit_task_end, packed, 0), id, numbers);
		leave_implicit(stream);
		/* Of workers (quirk Q4) this is the place that has to be 0 at the next taskwait with dependences (Q34). */
		if (task && actual == 0 && !(flags & ompt_task_initial))
			task->value = 0;
	}
	record_leave(stream);
}

/* ---- Explicit tasks ---- */

/*
 * The dummy of a taskwait with dependences gets an id, but is not told (quirk Q34): libomp has one ompt_data_t a thread for all of them, and
 * aborts when a second such wait finds it written, which a task run inside the first one may well begin.
 */
static void NOINLINE create_slow(struct stream *stream, uint64_t time, ompt_data_t *task, uint64_t flags, uint64_t parent,
				 const void *codeptr)
{
	if (!stream)
		stream = record_enter(time);
	if (!stream)
		return;
	uint64_t id = record_new_task(stream);
	if (task && !(flags & task_flags_taskwait))
		task->value = id;
	record_put(stream, time, record_head(EVENT_task_create, flags, id_counter(id)), parent, address(codeptr));
	record_leave(stream);
}

void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags, int has_dependences,
		    const void *codeptr)
{
	uint64_t time = clock_ticks();
	(void)frame;
	uint64_t packed = pack_task_flags(flags) | (has_dependences ? task_flags_has_dependences : 0);
	struct stream *stream = tls_stream;
	if (unlikely((uintptr_t)stream <= (uintptr_t)STREAM_BUSY || !task || packed & task_flags_taskwait)) {
		create_slow(NULL, time, task, packed, id_of(parent), codeptr);
		return;
	}
	tls_stream = STREAM_BUSY;
	signal_fence();
	uint64_t counter = stream->n_tasks + 1;
	uint64_t head = record_head(EVENT_task_create, packed, counter);
	if (likely(record_try(stream, time, head, id_of(parent), address(codeptr)))) {
		stream->n_tasks = counter;
		task->value = id_make(stream->number, counter);
		record_leave(stream);
	} else {
		create_slow(stream, time, task, packed, id_of(parent), codeptr);
	}
}

/*
 * The implicit task of a worker in the closing barrier has no id until it is named here (put_workers_last): then nothing has run in that
 * barrier yet, and it is the stream's task. The dummy of a taskwait has none at all.
 */
static void NOINLINE schedule_slow(struct stream *stream, uint64_t time, uint64_t head, ompt_data_t *prior, ompt_data_t *next)
{
	if (!stream)
		stream = record_enter(time);
	if (!stream)
		return;
	if (next && prior && prior->value == 0)
		prior->value = stream->now.task;
	if (next && next->value == 0)
		next->value = stream->now.task;
	record_put(stream, time, head, id_of(prior), id_of(next));
	if (next)
		stream->now.task = next->value;
	record_leave(stream);
}

void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
	uint64_t time = clock_ticks();
	uint64_t head = record_head(EVENT_task_schedule, (unsigned)status, 0);
	struct stream *stream = tls_stream;
	if (unlikely((uintptr_t)stream <= (uintptr_t)STREAM_BUSY || id_of(prior) == 0 || id_of(next) == 0)) {
		schedule_slow(NULL, time, head, prior, next);
		return;
	}
	tls_stream = STREAM_BUSY;
	signal_fence();
	if (likely(record_try(stream, time, head, prior->value, next->value))) {
		stream->now.task = next->value;
		record_leave(stream);
	} else {
		schedule_slow(stream, time, head, prior, next);
	}
}

/* ---- Dependences ---- */

#define DEPENDENCES_A_RECORD 3

void on_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int n_dependences)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	unsigned n = n_dependences > 0 ? (unsigned)n_dependences : 0;
	uint64_t head = record_head(EVENT_dependences, n ? dependences[0].dependence_type : 0, n);
	uint64_t first = n ? dependences[0].variable.value : 0;
	if (record_is_on(stream, time)) {
		struct ring_group group = ring_group_begin(stream);
		ring_group_append(&group, time, head, id_of(task), first);
		for (unsigned i = 1; i < n; i += DEPENDENCES_A_RECORD) {
			uint64_t types = 0;
			uint64_t variables[DEPENDENCES_A_RECORD] = {0};
			unsigned k = 0;
			for (; k < DEPENDENCES_A_RECORD && i + k < n; k++) {
				types |= (uint64_t)(dependences[i + k].dependence_type & 0xff) << 8 * k;
				variables[k] = dependences[i + k].variable.value;
			}
			ring_group_append(&group, variables[0], record_head(EVENT_dependences_more, k, types), variables[1],
					  variables[2]);
		}
		ring_group_end(&group);
	}
	record_leave(stream);
}

void on_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	record_put(stream, time, record_head(EVENT_task_dependence, 0, 0), id_of(source), id_of(sink));
	record_leave(stream);
}
