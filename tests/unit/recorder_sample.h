/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of samples share: a session whose timers are too slow to matter, signals as the timer would send them, and what is in the
 * dump afterwards.
 */
#ifndef OTTER_TESTS_RECORDER_SAMPLE_H
#define OTTER_TESTS_RECORDER_SAMPLE_H

#include <check.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "recorder/kernel/sample.h"
#include "recorder/ring/record.h"
#include "tests/recorder_dump.h"

#define SMALL_RING    "32K"
#define SMALL_SEGMENT UINT64_C(4096)
#define SMALL_RECORDS ((SMALL_SEGMENT - sizeof(struct segment_header)) / sizeof(struct record))
#define HEAD          record_head(EVENT_task_schedule, task_status_switch, 0)
#define OWN_ERRNO     1234

enum from { FROM_PROGRAM, FROM_HANDLER }; /* word a: who has put it */

static inline void put(enum from from, uint64_t number)
{
	record_one(record_time(), HEAD, from, number);
}

/* A session whose timers are too slow to matter. */
static inline struct session *begin(void)
{
	return dump_begin("OTTER_RING", SMALL_RING, "OTTER_SAMPLE", "1", NULL);
}

static inline struct stream *samples_of_thread(void)
{
	return session_stream(session_get(), tls_stream->number | ID_STREAM_SAMPLES);
}

/* Signals come from the test alone. */
static inline void stop_timers(void)
{
	struct stream *samples = samples_of_thread();
	ck_assert(samples && samples->n_timers == SAMPLE_TIMERS);
	for (; samples->n_timers > 0; samples->n_timers--)
		ck_assert_int_eq((int)syscall(SYS_timer_delete, samples->timers[samples->n_timers - 1]), 0);
}

/* As the timer would send it. `missed` tells one from the other. */
static inline siginfo_t expiration(uint64_t missed)
{
	siginfo_t info;
	memset(&info, 0, sizeof info);
	info.si_signo = session_get()->samples.signal;
	info.si_code = SI_TIMER;
	info.si_value.sival_int = (int)tls_stream->number;
	info.si_overrun = (int)missed;
	return info;
}

static inline void send(uint64_t missed)
{
	siginfo_t info = expiration(missed);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), info.si_signo, &info);
}

static inline uint64_t n_samples_of(struct stream *samples)
{
	uint64_t position = __atomic_load_n(&stream_control(samples)->position, __ATOMIC_RELAXED);
	uint32_t offset = stream_offset(samples, position);
	return __atomic_load_n(&samples->n_records, __ATOMIC_RELAXED) +
	       (offset ? (offset - sizeof(struct segment_header)) / sizeof(struct record) : 0);
}

/* ---- What is in the dump ---- */

/* Are the program's records those with the numbers `next`, next + 1 ... up to n? The handler's come in order: how many of these. */
static inline uint64_t check_records(const struct dump *dump, uint64_t n)
{
	size_t n_records;
	uint64_t next = 0, n_handler = 0;
	struct record *records = dump_records(dump, 0, &n_records);
	for (size_t i = 0; i < n_records; i++) {
		const struct record *r = &records[i];
		if (record_kind(r) != EVENT_task_schedule)
			continue;
		ck_assert_uint_eq(r->head, HEAD);
		ck_assert_uint_ne(r->time, 0);
		ck_assert_uint_eq(r->b, r->a == FROM_PROGRAM ? next : n_handler);
		next += r->a == FROM_PROGRAM;
		n_handler += r->a == FROM_HANDLER;
	}
	ck_assert_uint_eq(next, n);
	free(records);
	return n_handler;
}

/* How many samples of the stream there are: whole, in the order of time and of `missed`, which starts at 1. UINT64_MAX where they are not. */
static inline uint64_t count_samples(const struct dump *dump, uint32_t stream)
{
	size_t n_records;
	uint64_t n = 0, last = 0, time = 0;
	struct record *records = dump_records(dump, stream | ID_STREAM_SAMPLES, &n_records);
	for (size_t i = 0; i < n_records; i++) {
		const struct record *r = &records[i];
		if (r->time < time)
			return UINT64_MAX;
		time = r->time;
		if (record_kind(r) == EVENT_thread_attach || record_kind(r) == EVENT_thread_detach ||
		    record_kind(r) == EVENT_records_lost)
			continue;
		bool is_whole =
			record_kind(r) == EVENT_sample && record_value(r) == thread_state_undefined && r->a == 0 && r->b == 0;
		/* Numbered by what was missed, as far as that counts. */
		if (!is_whole || (record_flags(r) <= last && last < RECORD_FLAGS_MASK))
			return UINT64_MAX;
		last = record_flags(r);
		n++;
	}
	free(records);
	return n;
}

#endif
