/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ring of a pipe: everything that is put in comes out in order, whether another thread empties it, from the beginning
 * or later, or nobody does; and a failure comes back to the thread that fills it.
 */
#include "builder/replay/pipe_ring.h"

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define N (3 * RING_BLOCKS * RING_SLOTS + 7) /* several times round, and a part of a block */

struct taken {
	uint64_t n, fails_at; /* fails_at: of the events; UINT64_MAX: none */
	unsigned n_disorders, n_after_failure;
	pthread_t by; /* the thread that took the last event */
};

static struct ring *ring;
static struct taken taken;

static int take(void *self, const struct slot *slots, size_t n, bool has_failed)
{
	struct taken *t = self;
	for (size_t i = 0; i < n; i++, t->n++) {
		t->n_disorders += slots[i].a != t->n;
		t->n_after_failure += has_failed;
		has_failed |= slots[i].a == t->fails_at;
	}
	t->by = pthread_self();
	return has_failed ? -1 : 0;
}

static void *help(void *self)
{
	(void)self;
	ring_help(ring);
	return NULL;
}

static void setup(void)
{
	ring = calloc(1, sizeof *ring);
	ck_assert_ptr_nonnull(ring);
	taken = (struct taken){.fails_at = UINT64_MAX};
	ring_begin(ring, take, &taken);
}

static void teardown(void)
{
	ring_free(ring);
	free(ring);
}

static void await_helper(void)
{
	for (bool is_there = false; !is_there; sched_yield()) {
		pthread_mutex_lock(&ring->lock);
		is_there = ring->has_helper;
		pthread_mutex_unlock(&ring->lock);
	}
}

/* Fills the ring with N events; a helper comes before the event `helper_at`. How many found a place. */
static uint64_t fill(uint64_t helper_at)
{
	pthread_t helper;
	uint64_t i = 0;
	for (; i < N; i++) {
		if (i == helper_at) {
			ck_assert_int_eq(pthread_create(&helper, NULL, help, NULL), 0);
			await_helper();
		}
		struct slot *place = ring_place(ring, 0);
		if (place == NULL)
			break;
		place->a = i;
	}
	int rc = ring_fill_next(ring, true);
	if (helper_at <= i)
		pthread_join(helper, NULL);
	ck_assert_int_eq(rc, taken.fails_at == UINT64_MAX ? 0 : -1);
	return i;
}

START_TEST(all_comes_out_in_order)
{
	const uint64_t helper_at[] = {UINT64_MAX, 0, RING_SLOTS + 1, (RING_BLOCKS + 3) * RING_SLOTS};
	ck_assert_uint_eq(fill(helper_at[_i]), N);
	ck_assert_uint_eq(taken.n, N);
	ck_assert_uint_eq(taken.n_disorders, 0);
	ck_assert_int_eq(pthread_equal(taken.by, pthread_self()) != 0, _i == 0);
	ck_assert_int_eq(ring_help(ring), 0); /* it is over */
}
END_TEST

START_TEST(a_failure_comes_back)
{
	taken.fails_at = 5;
	uint64_t n = fill(_i == 0 ? UINT64_MAX : 0);
	ck_assert_uint_lt(n, N);
	ck_assert_uint_eq(taken.n, n); /* what had been put in is taken, so that it can be freed */
	ck_assert_uint_ge(taken.n_after_failure, n - RING_SLOTS);
}
END_TEST

START_TEST(what_is_about_an_event_stays_beside_it)
{
	for (uint64_t i = 0; i < RING_SLOTS; i += 3) {
		struct slot *place = ring_place(ring, sizeof *place + 1);
		ck_assert_uint_eq((size_t)(place - ring->blocks[0].slots) % RING_SLOTS % 3, 0);
		ck_assert_int_eq(place + 3 <= ring->end, 1);
	}
	ck_assert_uint_eq(ring->n_full, 1); /* the last two slots of the first block are free */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pipe_ring");
	TCase *tests = tcase_create("pipe_ring");
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, all_comes_out_in_order, 0, 4);
	tcase_add_loop_test(tests, a_failure_comes_back, 0, 2);
	tcase_add_test(tests, what_is_about_an_event_stays_beside_it);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
