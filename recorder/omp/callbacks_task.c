/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Callbacks for threads, parallel regions and tasks: those that make ids and change a stream's current task. They run
 * on the thread where it happens.
 */
#include "recorder/omp/callbacks.h"

#include "recorder/ring/record.h"

/* task_flags of events.def: five bits for the type, then the properties that OpenMP has at bits 27 to 31. */
static inline uint64_t pack_task_flags(int flags)
{
	return ((unsigned)flags & 0x1f) | ((unsigned)flags >> 27 & 0x1f) << 5;
}

/* What pack_task_flags leaves out. No version of OpenMP before 6.0 sets any of it. */
#define MORE_TASK_FLAGS 0x07ffffe0u

/* Returns bits 12 and up of task_flags, where RECORD_ADDRESS_BITS bits of an address are below them, and sets `others`
 * in `packed` if a bit has no room there. */
static uint64_t pack_more_task_flags(unsigned flags, uint64_t *packed)
{
	uint64_t more = flags >> 25 & 3; /* importing, exporting */
	for (unsigned bit = 24; bit >= 19; bit--)
		more |= (uint64_t)(flags >> bit & 1) << (26 - bit);
	if (flags & 0x0007ffe0)
		*packed |= task_flags_others;
	return more << RECORD_ADDRESS_BITS;
}

/* parallel_flags of events.def: two bits for the invoker, then league and team, which OpenMP has at bits 30 and 31. */
static inline uint64_t pack_parallel_flags(int flags)
{
	return ((unsigned)flags & 3) | ((unsigned)flags >> 30 & 3) << 2;
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
	stream_release(stream, time); /* leaves the stream, too */
}

/* ---- Parallel regions ---- */

static NOINLINE void begin_region_slow(uint64_t time, uint64_t head, ompt_data_t *region, uint64_t requested, const void *codeptr)
{
	struct stream *stream = record_enter_again(&time);
	if (!stream)
		return;
	uint64_t id = record_new_region(stream);
	if (region)
		region->value = id;
	record_put(stream, time, head + stream->last_region, requested, record_address(codeptr));
	record_leave(stream);
}

HOT void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned requested, int flags,
			   const void *codeptr)
{
	uint64_t time = record_time();
	uint64_t head = record_head(EVENT_parallel_begin, pack_parallel_flags(flags), 0);
	struct stream *stream = tls_stream;
	uint64_t position;
	(void)task;
	(void)frame;
	if (likely(region && record_begin(stream, 1, &position))) {
		region->value = record_new_region(stream);
		record_end(stream, position, time, head + stream->last_region, requested, record_address(codeptr));
	} else {
		begin_region_slow(time, head, region, requested, codeptr);
	}
}

static NOINLINE void end_region_slow(uint64_t time, uint64_t head, uint64_t task, const void *codeptr)
{
	struct stream *stream = record_enter_again(&time);
	if (!stream)
		return;
	record_put(stream, time, head, task, record_address(codeptr));
	stream->now.task = task;
	record_leave(stream);
}

HOT void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *codeptr)
{
	uint64_t time = record_time();
	uint64_t head = record_head(EVENT_parallel_end, pack_parallel_flags(flags), id_counter(id_of(region)));
	struct stream *stream = tls_stream;
	uint64_t position;
	if (likely(record_begin(stream, 1, &position))) {
		stream->now.task = id_of(task);
		record_end(stream, position, time, head, id_of(task), record_address(codeptr));
	} else {
		end_region_slow(time, head, id_of(task), codeptr);
	}
}

/* ---- Implicit tasks ---- */

static inline void enter_implicit(struct stream *stream, struct stream_context inner)
{
	if (likely(stream->team_depth < STREAM_TEAM_DEPTH))
		stream->team[stream->team_depth] = stream->now;
	stream->team_depth++;
	stream->now = inner;
}

static inline void leave_implicit(struct stream *stream)
{
	struct stream_context outer = {0, 0};
	if (likely(stream->team_depth)) {
		stream->team_depth--;
		if (likely(stream->team_depth < STREAM_TEAM_DEPTH))
			outer = stream->team[stream->team_depth];
	}
	stream->now = outer;
}

/* A worker's end (quirk Q4): this variable has to be 0 at the next taskwait with dependences (quirk Q34). */
static inline void forget_workers_task(ompt_data_t *task, unsigned actual, int flags)
{
	if (actual == 0 && !(flags & ompt_task_initial))
		task->value = 0;
}

/* For a forked child's first thread. True: the initial task is remembered, or its end forgets it, and no record is made. */
static bool defers_initial(uint64_t time, bool is_begin, ompt_data_t *region, ompt_data_t *task, uint64_t flags, uint64_t numbers)
{
	if (!is_begin)
		return session_defer_end();
	if (!session_defer_task(time, flags, numbers))
		return false;
	if (task)
		task->value = DEFERRED_ID;
	if (region)
		region->value = DEFERRED_ID;
	return true;
}

static NOINLINE void implicit_task_slow(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned actual,
					unsigned index, int flags)
{
	uint64_t time = clock_ticks();
	uint64_t packed = pack_task_flags(flags);
	uint64_t numbers = actual | (uint64_t)index << 32;
	bool is_begin = endpoint != ompt_scope_end;
	if (record_may_defer() && flags & ompt_task_initial && defers_initial(time, is_begin, region, task, packed, numbers))
		return;
	struct stream *stream = record_enter_again(&time);
	if (!stream)
		return;
	if (is_begin) {
		uint64_t id = record_new_task(stream);
		if (task)
			task->value = id;
		/* No callback announces the region of an initial task (quirks Q5, Q7). */
		if (region && region->value == 0)
			region->value = record_new_region(stream);
		record_put(stream, time, record_head(EVENT_implicit_task_begin, packed, id_counter(id)), id_of(region), numbers);
		enter_implicit(stream, (struct stream_context){id, id_of(region)});
	} else {
		uint64_t id = id_of(task) ? id_of(task) : stream->now.task;
		record_put(stream, time, record_head(EVENT_implicit_task_end, packed, 0), id, numbers);
		leave_implicit(stream);
		if (task)
			forget_workers_task(task, actual, flags);
	}
	record_leave(stream);
}

HOT void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned actual, unsigned index,
			  int flags)
{
	uint64_t time = record_time();
	uint64_t numbers = actual | (uint64_t)index << 32;
	struct stream *stream = tls_stream;
	uint64_t position;
	if (endpoint == ompt_scope_end) {
		if (likely(task && record_begin(stream, 1, &position))) {
			uint64_t id = task->value ? task->value : stream->now.task;
			leave_implicit(stream);
			forget_workers_task(task, actual, flags);
			record_end(stream, position, time, record_head(EVENT_implicit_task_end, pack_task_flags(flags), 0), id,
				   numbers);
			return;
		}
	} else if (likely(region && region->value && task && record_begin(stream, 1, &position))) {
		struct stream_context inner = {record_new_task(stream), region->value};
		uint64_t head = record_head(EVENT_implicit_task_begin, pack_task_flags(flags), 0) + stream->last_task;
		task->value = inner.task;
		enter_implicit(stream, inner);
		record_end(stream, position, time, head, inner.region, numbers);
		return;
	}
	implicit_task_slow(endpoint, region, task, actual, index, flags);
}

/* ---- Explicit tasks ---- */

static NOINLINE void create_slow(uint64_t time, uint64_t head, ompt_data_t *task, uint64_t parent, uint64_t codeptr)
{
	struct stream *stream = record_enter_again(&time);
	if (!stream)
		return;
	uint64_t id = record_new_task(stream);
	if (task)
		task->value = id;
	record_put(stream, time, head + stream->last_task, parent, codeptr);
	record_leave(stream);
}

/* The dummy task of a taskwait with dependences gets an id, which is not stored in the runtime's variable (quirk Q34):
 * libomp has one ompt_data_t in each thread for all such tasks, and aborts if a second wait finds it set. A task that
 * runs inside the first wait may well begin a second. Tasks with properties of OpenMP 6.0 or later are put here as
 * well. */
static NOINLINE void create_other(uint64_t time, uint64_t packed, ompt_data_t *task, uint64_t parent, unsigned flags,
				  const void *codeptr)
{
	uint64_t more = pack_more_task_flags(flags, &packed);
	uint64_t place = record_address(codeptr) & ((UINT64_C(1) << RECORD_ADDRESS_BITS) - 1);
	create_slow(time, record_head(EVENT_task_create, packed, 0), flags & ompt_task_taskwait ? NULL : task, parent,
		    more | place);
}

HOT void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags, int has_dependences,
			const void *codeptr)
{
	uint64_t time = record_time();
	uint64_t packed = pack_task_flags(flags) | (has_dependences ? task_flags_has_dependences : 0);
	uint64_t head = record_head(EVENT_task_create, packed, 0);
	struct stream *stream = tls_stream;
	uint64_t position;
	(void)frame;
	if (unlikely((unsigned)flags & (MORE_TASK_FLAGS | ompt_task_taskwait))) {
		create_other(time, packed, task, id_of(parent), (unsigned)flags, codeptr);
		return;
	}
	if (likely(task && record_begin(stream, 1, &position))) {
		task->value = record_new_task(stream);
		record_end(stream, position, time, head + stream->last_task, id_of(parent), record_address(codeptr));
	} else {
		create_slow(time, head, task, id_of(parent), record_address(codeptr));
	}
}

/* A worker's implicit task has no id in the barrier at the end of its region until it gets one here (see
 * put_workers_last). In that case no task has run in that barrier yet, and it is the stream's current task. The dummy
 * task of a taskwait has no id at all. */
static NOINLINE void schedule_slow(uint64_t time, uint64_t head, ompt_data_t *prior, ompt_data_t *next)
{
	struct stream *stream = record_enter_again(&time);
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

HOT void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
	uint64_t time = record_time();
	uint64_t head = record_head(EVENT_task_schedule, (unsigned)status, 0);
	struct stream *stream = tls_stream;
	uint64_t position;
	uint64_t prior_id = id_of(prior), next_id = id_of(next);
	if (likely(prior_id && next_id && record_begin(stream, 1, &position))) {
		stream->now.task = next_id;
		record_end(stream, position, time, head, prior_id, next_id);
	} else {
		schedule_slow(time, head, prior, next);
	}
}

/* ---- Dependences ---- */

#define DEPENDENCES_A_RECORD 3

/* Returns the words of a dependences_more record, from the dependence `k` on. */
static inline struct record dependences_more(const ompt_dependence_t *d, unsigned k)
{
	uint64_t types = d[0].dependence_type & 0xff;
	struct record r = {.time = d[0].variable.value};
	if (k > 1) {
		types |= (uint64_t)(d[1].dependence_type & 0xff) << 8;
		r.a = d[1].variable.value;
	}
	if (k > 2) {
		types |= (uint64_t)(d[2].dependence_type & 0xff) << 16;
		r.b = d[2].variable.value;
	}
	r.head = record_head(EVENT_dependences_more, k, types);
	return r;
}

static NOINLINE void dependences_slow(uint64_t time, ompt_data_t *task, const ompt_dependence_t *dependences, int n_dependences)
{
	struct stream *stream = record_enter_again(&time);
	if (!stream)
		return;
	unsigned n = n_dependences > 0 ? (unsigned)n_dependences : 0;
	uint64_t head = record_head(EVENT_dependences, n ? dependences[0].dependence_type : 0, n);
	if (record_is_on(stream, time)) {
		struct ring_group group = ring_group_begin(stream);
		ring_group_append(&group, time, head, id_of(task), n ? dependences[0].variable.value : 0);
		for (unsigned i = 1; i < n; i += DEPENDENCES_A_RECORD) {
			unsigned left = n - i;
			struct record r =
				dependences_more(dependences + i, left < DEPENDENCES_A_RECORD ? left : DEPENDENCES_A_RECORD);
			ring_group_append(&group, r.time, r.head, r.a, r.b);
		}
		ring_group_end(&group);
	}
	record_leave(stream);
}

HOT void on_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int n_dependences)
{
	uint64_t time = record_time();
	struct stream *stream = tls_stream;
	uint64_t position;
	/* The fast path is taken if even one record for each dependence would fit. */
	if (unlikely(n_dependences <= 0 || !record_begin(stream, (unsigned)n_dependences, &position))) {
		dependences_slow(time, task, dependences, n_dependences);
		return;
	}
	const ompt_dependence_t *d = dependences + 1;
	unsigned left = (unsigned)n_dependences - 1;
	ring_store(stream, position, time, record_head(EVENT_dependences, dependences[0].dependence_type, (unsigned)n_dependences),
		   id_of(task), dependences[0].variable.value);
	for (; left >= DEPENDENCES_A_RECORD; left -= DEPENDENCES_A_RECORD, d += DEPENDENCES_A_RECORD) {
		struct record r = dependences_more(d, DEPENDENCES_A_RECORD);
		position += sizeof r;
		ring_store(stream, position, r.time, r.head, r.a, r.b);
	}
	if (left) {
		struct record r = dependences_more(d, left);
		position += sizeof r;
		ring_store(stream, position, r.time, r.head, r.a, r.b);
	}
	ring_publish(stream, position + sizeof(struct record));
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
