/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Callbacks for what happens inside a task: synchronisation, worksharing, mutual exclusion, cancellation. None of them
 * makes an id. They run on the thread where it happens.
 */
#include "recorder/omp/callbacks.h"

#include "recorder/ring/record.h"

/* IMPL shares its value with the hint: it has 12 bits. */
#define IMPL_MAX 4095u

/* Records an event that takes one record. */
static inline void put(uint64_t time, enum event_kind kind, uint64_t flags, uint64_t value, uint64_t a, const void *codeptr)
{
	record_one(time, record_head(kind, flags, value), a, record_address(codeptr));
}

/* For the endpoint that means begin and end at once. Any other value is taken for an end. */
static NOINLINE void put_both(uint64_t time, ompt_scope_endpoint_t endpoint, uint64_t begin_head, uint64_t end_head, uint64_t a,
			      uint64_t b)
{
	if (endpoint == ompt_scope_beginend)
		record_one(time, begin_head, a, b);
	record_one(time, end_head, a, b);
}

/* Records an event whose begin and end have a kind each. */
static inline void put_ends(uint64_t time, ompt_scope_endpoint_t endpoint, enum event_kind begin, enum event_kind end,
			    uint64_t flags, uint64_t value, uint64_t a, const void *codeptr)
{
	unsigned is_end = (unsigned)endpoint - ompt_scope_begin;
	if (unlikely(is_end > 1))
		put_both(time, endpoint, record_head(begin, flags, value), record_head(end, flags, value), a,
			 record_address(codeptr));
	else
		record_one(time, record_head(begin, flags, value) + (uint64_t)is_end * (end - begin), a, record_address(codeptr));
}

/* ---- Synchronisation ---- */

/* Is it a worker's barrier at the end of its parallel region (quirks Q3, Q9)? LLVM 18 and older have one kind for all
 * implicit barriers. */
static inline bool is_workers_last(ompt_sync_region_t kind, const void *codeptr)
{
	return !codeptr && (kind == ompt_sync_region_barrier_implicit_parallel || kind == ompt_sync_region_barrier_teams ||
			    kind == ompt_sync_region_barrier_implicit);
}

/* In this barrier libomp begins to keep a copy of a worker's implicit task, for the ends that it reports late. It keeps
 * the dummy task of a taskwait with dependences in the same place, and aborts if such a wait finds anything there, in a
 * task that runs in this barrier or in any later region. So the copy has to be 0, and the id is taken from the stream
 * until task_schedule has given it back (quirk Q34). */
static NOINLINE void put_workers_last(uint64_t time, ompt_scope_endpoint_t endpoint, enum event_kind begin, enum event_kind end,
				      uint64_t flags, ompt_data_t *task)
{
	bool is_begin = endpoint == ompt_scope_begin;
	struct stream *stream = record_enter_again(&time);
	if (stream) {
		uint64_t id = id_of(task) ? id_of(task) : stream->now.task;
		record_put(stream, time, record_head(is_begin ? begin : end, flags, 0), id, 0);
		record_leave(stream);
	}
	if (is_begin && task)
		task->value = 0;
}

HOT void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
			const void *codeptr)
{
	uint64_t time = record_time();
	(void)region;
	if (unlikely(is_workers_last(kind, codeptr)))
		put_workers_last(time, endpoint, EVENT_sync_region_begin, EVENT_sync_region_end, (unsigned)kind, task);
	else
		put_ends(time, endpoint, EVENT_sync_region_begin, EVENT_sync_region_end, (unsigned)kind, 0, id_of(task), codeptr);
}

/* The same, where the user does not want synchronisation recorded: the program must not abort in that case either. */
void on_sync_region_unrecorded(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
			       const void *codeptr)
{
	(void)region;
	if (endpoint == ompt_scope_begin && task && is_workers_last(kind, codeptr))
		task->value = 0;
}

HOT void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
			     const void *codeptr)
{
	uint64_t time = record_time();
	(void)region;
	if (unlikely(is_workers_last(kind, codeptr)))
		put_workers_last(time, endpoint, EVENT_sync_region_wait_begin, EVENT_sync_region_wait_end, (unsigned)kind, task);
	else
		put_ends(time, endpoint, EVENT_sync_region_wait_begin, EVENT_sync_region_wait_end, (unsigned)kind, 0, id_of(task),
			 codeptr);
}

/* The default: waits of taskgroups only. The begin and end of a taskgroup (sync_region) enclose its body, and do not
 * show when the task begins to wait for the group's members. Everywhere else waiting begins with the synchronisation
 * itself. */
HOT void on_taskgroup_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
			   const void *codeptr)
{
	if (likely(kind != ompt_sync_region_taskgroup))
		return;
	uint64_t time = record_time();
	(void)region;
	put_ends(time, endpoint, EVENT_sync_region_wait_begin, EVENT_sync_region_wait_end, (unsigned)kind, 0, id_of(task), codeptr);
}

HOT void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
		      const void *codeptr)
{
	uint64_t time = record_time();
	(void)region;
	put_ends(time, endpoint, EVENT_reduction_begin, EVENT_reduction_end, (unsigned)kind, 0, id_of(task), codeptr);
}

/* ---- Worksharing ---- */

/* Returns the number of the stream's chunks, for the record of a worksharing construct. As the count is never set back,
 * it is right for loops inside of loops, and where records are missing. */
static inline uint64_t count_chunks(ompt_work_t kind, ompt_scope_endpoint_t endpoint)
{
	struct stream *stream = tls_stream;
	if (unlikely(stream == STREAM_NONE))
		return 0;
	stream->chunk_step = !(kind == ompt_work_loop_static && endpoint == ompt_scope_begin);
	return stream->n_chunks;
}

HOT void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, uint64_t count,
		 const void *codeptr)
{
	uint64_t time = record_time();
	(void)region;
	(void)task;
	put_ends(time, endpoint, EVENT_work_begin, EVENT_work_end, (unsigned)kind, count_chunks(kind, endpoint), count, codeptr);
}

static inline bool is_chunk_of_loop(ompt_dispatch_t kind)
{
	return kind == ompt_dispatch_ws_loop_chunk || kind == ompt_dispatch_distribute_chunk;
}

static inline void add_chunk(void)
{
	struct stream *stream = tls_stream;
	if (likely(stream != STREAM_NONE))
		stream->n_chunks += stream->chunk_step;
}

/* The default: chunks are counted, and the records of the loop have the count. */
HOT void on_chunk(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
	(void)region;
	(void)task;
	(void)instance;
	if (is_chunk_of_loop(kind))
		add_chunk();
}

HOT void on_dispatch(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
	uint64_t time = record_time();
	(void)region;
	(void)task;
	uint64_t start = instance.value;
	uint64_t iterations = 0;
	bool is_of_loop = is_chunk_of_loop(kind);
	if (is_of_loop)
		add_chunk();
	if ((is_of_loop || kind == ompt_dispatch_taskloop_chunk) && instance.ptr) {
		const ompt_dispatch_chunk_t *chunk = instance.ptr;
		start = chunk->start;
		iterations = chunk->iterations;
	}
	record_one(time, record_head(EVENT_dispatch, (unsigned)kind, 0), start, iterations);
}

HOT void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, const void *codeptr)
{
	uint64_t time = record_time();
	(void)region;
	put_ends(time, endpoint, EVENT_masked_begin, EVENT_masked_end, 0, 0, id_of(task), codeptr);
}

/* ---- Mutual exclusion ---- */

static inline uint64_t pack_hint(unsigned hint, unsigned impl)
{
	return hint | (uint64_t)(impl < IMPL_MAX ? impl : IMPL_MAX) << 32;
}

HOT void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id, const void *codeptr)
{
	uint64_t time = record_time();
	put(time, EVENT_mutex_acquire, (unsigned)kind, pack_hint(hint, impl), wait_id, codeptr);
}

HOT void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr)
{
	uint64_t time = record_time();
	put(time, EVENT_mutex_acquired, (unsigned)kind, 0, wait_id, codeptr);
}

HOT void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr)
{
	uint64_t time = record_time();
	put(time, EVENT_mutex_released, (unsigned)kind, 0, wait_id, codeptr);
}

HOT void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id, const void *codeptr)
{
	uint64_t time = record_time();
	put(time, EVENT_lock_init, (unsigned)kind, pack_hint(hint, impl), wait_id, codeptr);
}

HOT void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr)
{
	uint64_t time = record_time();
	put(time, EVENT_lock_destroy, (unsigned)kind, 0, wait_id, codeptr);
}

HOT void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr)
{
	uint64_t time = record_time();
	put_ends(time, endpoint, EVENT_nest_lock_begin, EVENT_nest_lock_end, 0, 0, wait_id, codeptr);
}

/* ---- Others ---- */

HOT void on_flush(ompt_data_t *thread_data, const void *codeptr)
{
	uint64_t time = record_time();
	(void)thread_data;
	put(time, EVENT_flush, 0, 0, 0, codeptr);
}

HOT void on_cancel(ompt_data_t *task, int flags, const void *codeptr)
{
	uint64_t time = record_time();
	put(time, EVENT_cancel, (unsigned)flags, 0, id_of(task), codeptr);
}
