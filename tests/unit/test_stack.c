/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much stack the recorder takes of a thread that records: that may be a user-level thread's stack of 16 KiB, which
 * the program needs. Each test takes one path of a record on a stack that was painted before. Bytes that have another
 * value afterwards were used, by the recorder or by libc.
 */
#include <check.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "recorder/ring/record.h"
#include "tests/recorder_dump.h"

#define PAINTED_BYTES ((size_t)256 << 10)
#define ALLOWED_BYTES 2048u
#define PAINT         0xa5
#define SMALL_RECORDS ((4096 - sizeof(struct segment_header)) / sizeof(struct record))
#define N_SEGMENTS    40 /* more than a ring has */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

static ucontext_t outside, inside;

static void record_much(void)
{
	for (size_t i = 0; i < SMALL_RECORDS * N_SEGMENTS; i++)
		record_one(record_time(), record_head(EVENT_task_schedule, task_status_switch, 0), 0, i);
}

static void record_and_sleep(void)
{
	for (size_t i = 0; i < SMALL_RECORDS * N_SEGMENTS; i++) {
		record_one(record_time(), record_head(EVENT_task_schedule, task_status_switch, 0), 0, i);
		if (i % 5 == 0)
			usleep(1);
	}
}

/* Returns how much stack `function` uses, in bytes. */
static size_t used_by(void (*function)(void))
{
	unsigned char *stack = mmap(NULL, PAINTED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(stack, MAP_FAILED);
	memset(stack, PAINT, PAINTED_BYTES);
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = PAINTED_BYTES;
	inside.uc_link = &outside;
	makecontext(&inside, function, 0);
	swapcontext(&outside, &inside);
	size_t n_unused = 0;
	while (n_unused < PAINTED_BYTES && stack[n_unused] == PAINT)
		n_unused++;
	munmap(stack, PAINTED_BYTES);
	return PAINTED_BYTES - n_unused;
}

static void *nothing(void *argument)
{
	return argument;
}

/* Records a thread's first event, and fills segments, which are written, used for the first time and used again. `polls`:
 * the thread copies its context switches as well, into a stream whose segments it writes. */
static void check_path(const char *drain, const char *keep, const char *pack, bool polls)
{
	/* When a process creates its first thread, the loader looks up a function of libc's on the stack of the thread
	 * that creates it: 2.4 KiB more. */
	pthread_t first;
	ck_assert_int_eq(pthread_create(&first, NULL, nothing, NULL), 0);
	pthread_join(first, NULL);
	struct session *session = dump_begin("OTTER_EVENTS", "default", "OTTER_RING", "32K", "OTTER_DRAIN", drain, "OTTER_KEEP",
					     keep, "OTTER_PACK", pack, NULL);
	ck_assert_ptr_nonnull(session);
	if (!polls)
		session->switches.poll = NULL; /* the machine decides how often a thread is switched */
	size_t n_bytes = used_by(polls ? record_and_sleep : record_much);
	ck_assert_uint_gt(n_bytes, 100);
#ifndef IS_SANITIZED
	ck_assert_uint_le(n_bytes, ALLOWED_BYTES);
#endif
	session_end("finalize");
	dump_remove();
}

START_TEST(thread_writes_segments)
{
	check_path("self", "all", "off", false);
}
END_TEST

START_TEST(thread_hands_segments_over)
{
	check_path("auto", "all", "auto", false);
}
END_TEST

START_TEST(thread_packs_segments)
{
	check_path(_i ? "self" : "auto", "all", "on", false);
}
END_TEST

START_TEST(flight_recorder)
{
	check_path("self", "newest", "auto", false);
}
END_TEST

START_TEST(thread_copies_context_switches)
{
	check_path(_i ? "self" : "auto", "all", "auto", true);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack");
	TCase *paths = tcase_create("paths");
	tcase_add_test(paths, thread_writes_segments);
	tcase_add_test(paths, thread_hands_segments_over);
	tcase_add_loop_test(paths, thread_packs_segments, 0, 2);
	tcase_add_test(paths, flight_recorder);
	tcase_add_loop_test(paths, thread_copies_context_switches, 0, 2);
	suite_add_tcase(suite, paths);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
