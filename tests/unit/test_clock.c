/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock: which one it is, and the triples by which the builder converts its ticks.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "recorder/clock.h"
#include "recorder/system/sys.h"
#include "recorder/system/vdso.h"

START_TEST(name_says_which_clock)
{
	clock_choose();
	if (!clock_is_counter)
		ck_assert_str_eq(clock_name(), "monotonic");
#if defined(__x86_64__)
	else
		ck_assert_str_eq(clock_name(), "tsc");
#elif defined(__aarch64__)
	else
		ck_assert_str_eq(clock_name(), "cntvct");
#endif
}
END_TEST

START_TEST(ticks_never_go_back_on_a_thread)
{
	clock_choose();
	uint64_t last = 0;
	for (int i = 0; i < 100000; i++) {
		uint64_t now = clock_ticks();
		ck_assert_uint_ge(now, last);
		last = now;
	}
}
END_TEST

/* A reading lies between what is read before and after it, on all three clocks. */
START_TEST(triple_is_one_moment)
{
	clock_choose();
	for (int i = 0; i < 1000; i++) {
		uint64_t ticks = clock_ticks();
		uint64_t monotonic_ns = clock_ns(CLOCK_MONOTONIC);
		uint64_t realtime_ns = clock_ns(CLOCK_REALTIME);
		struct clock_triple t = clock_triple_now();
		ck_assert_uint_ge(t.ticks, ticks);
		ck_assert_uint_le(t.ticks, clock_ticks());
		ck_assert_uint_ge(t.monotonic_ns, monotonic_ns);
		ck_assert_uint_le(t.monotonic_ns, clock_ns(CLOCK_MONOTONIC));
		ck_assert_uint_ge(t.realtime_ns, realtime_ns);
	}
}
END_TEST

/* Two triples give the rate; a third, later moment converted by it agrees with the monotonic clock. */
START_TEST(triples_convert_ticks)
{
	clock_choose();
	struct clock_triple first = clock_triple_now();
	usleep(100000);
	struct clock_triple second = clock_triple_now();
	double ns_per_tick = (double)(second.monotonic_ns - first.monotonic_ns) / (double)(second.ticks - first.ticks);
	usleep(100000);
	struct clock_triple third = clock_triple_now();
	double converted = (double)(third.ticks - first.ticks) * ns_per_tick;
	double is = (double)(third.monotonic_ns - first.monotonic_ns);
	ck_assert_double_le(fabs(converted - is), 100000.0); /* 0.1 ms in 200 ms, on a busy machine */
}
END_TEST

/* Read by the kernel's code in user space, or by a system call, the clocks are libc's. */
START_TEST(clocks_are_the_kernels)
{
	static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_MONOTONIC_COARSE};
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < sizeof clocks / sizeof *clocks; i++) {
			uint64_t before = clock_ns(clocks[i]), ours = sys_clock_ns(clocks[i]), after = clock_ns(clocks[i]);
			ck_assert_uint_ge(ours, before);
			ck_assert_uint_le(ours, after);
		}
		sys_clock_begin();
	}
}
END_TEST

START_TEST(functions_of_the_vdso_are_found)
{
	if (!getauxval(AT_SYSINFO_EHDR))
		return; /* below valgrind */
	ck_assert_ptr_nonnull(vdso_find(VDSO_CLOCK_GETTIME));
	ck_assert_ptr_null(vdso_find("__vdso_clock_gettim"));
	ck_assert_ptr_null(vdso_find(""));
}
END_TEST

START_TEST(without_a_counter_ticks_are_monotonic_ns)
{
	clock_is_counter = false;
	if (clock_counter_is_ticks())
		return; /* an architecture that has no other kind */
	ck_assert_str_eq(clock_name(), "monotonic");
	uint64_t before = clock_ns(CLOCK_MONOTONIC);
	uint64_t ticks = clock_ticks();
	ck_assert_uint_ge(ticks, before);
	ck_assert_uint_le(ticks, clock_ns(CLOCK_MONOTONIC));
	before = clock_ns(CLOCK_MONOTONIC);
	struct clock_triple t = clock_triple_now();
	ck_assert_uint_ge(t.ticks, before);
	ck_assert_uint_le(t.ticks, clock_ns(CLOCK_MONOTONIC));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("clock");
	TCase *clock = tcase_create("clock");
	tcase_add_test(clock, name_says_which_clock);
	tcase_add_test(clock, ticks_never_go_back_on_a_thread);
	tcase_add_test(clock, triple_is_one_moment);
	tcase_add_test(clock, triples_convert_ticks);
	tcase_add_test(clock, clocks_are_the_kernels);
	tcase_add_test(clock, functions_of_the_vdso_are_found);
	tcase_add_test(clock, without_a_counter_ticks_are_monotonic_ns);
	suite_add_tcase(suite, clock);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
