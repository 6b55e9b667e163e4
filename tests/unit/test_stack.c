/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much of the stack of whoever reports something the recorder takes: that may be a user-level thread's, of 16 KiB, which has its own use for it.
 * The ways that a record may go are gone on a stack that was painted before; what is not paint any more was used, by libc too.
 */
#include <check.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "recorder/record.h"
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

/* What `function` uses of a stack, in bytes. */
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

/* A thread's first event, then segments that are filled, written, used for the first time and again. */
static void check_ways(const char *drain, const char *keep, const char *pack)
{
	/* The first thread that a process makes has the loader look up a function of libc's, on the stack of who makes it: 2.4 KiB more. */
	pthread_t first;
	ck_assert_int_eq(pthread_create(&first, NULL, nothing, NULL), 0);
	pthread_join(first, NULL);
	struct session *session = dump_begin("OTTER_EVENTS", "default", "OTTER_RING", "32K", "OTTER_DRAIN", drain, "OTTER_KEEP",
					     keep, "OTTER_PACK", pack, NULL);
	ck_assert_ptr_nonnull(session);
	size_t n_bytes = used_by(record_much);
	ck_assert_uint_gt(n_bytes, 100);
#ifndef IS_SANITIZED
	ck_assert_uint_le(n_bytes, ALLOWED_BYTES);
#endif
	session_end("finalize");
	dump_remove();
}

START_TEST(who_writes_himself)
{
	check_ways("self", "all", "off");
}
END_TEST

START_TEST(who_hands_over)
{
	check_ways("auto", "all", "auto");
}
END_TEST

START_TEST(who_packs)
{
	check_ways(_i ? "self" : "auto", "all", "on");
}
END_TEST

START_TEST(flight_recorder)
{
	check_ways("self", "newest", "auto");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack");
	TCase *ways = tcase_create("ways");
	tcase_add_test(ways, who_writes_himself);
	tcase_add_test(ways, who_hands_over);
	tcase_add_loop_test(ways, who_packs, 0, 2);
	tcase_add_test(ways, flight_recorder);
	suite_add_tcase(suite, ways);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
