/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random records of Argobots' work units in random order: the promises to visitors (builder/replay/replay.h) hold, and
 * the graph has no cycle.
 */
#include "builder/argobots/events.h"
#include "tests/unit/units_fixture.h"

#include <stdlib.h>
#include <string.h>

static uint32_t is_on[1024], now_on[3];

static int noise_switch(void *self, const struct point *at, const struct unit_switch *change)
{
	(void)self;
	ck_assert_uint_eq(at->unit, now_on[at->stream]);
	ck_assert_uint_lt(change->prior, replay_trace.model.n_units);
	ck_assert_uint_lt(change->next, replay_trace.model.n_units);
	if (change->reason <= UNIT_RUN) {
		ck_assert_uint_eq(change->prior, at->unit);
		ck_assert_uint_eq(is_on[change->next], 0);
		is_on[change->next] = 1;
		now_on[at->stream] = change->next;
	} else if (change->reason != UNIT_CANCEL || is_on[change->prior] != 0) {
		ck_assert_uint_eq(change->prior, at->unit);
		ck_assert_uint_eq(is_on[change->prior], 1);
		is_on[change->prior] = 0;
		now_on[at->stream] = change->next;
	} else {
		ck_assert_uint_eq(change->next, at->unit);
	}
	return 0;
}

static int noise_create(void *self, const struct point *at, uint32_t row, uint32_t creator)
{
	(void)self;
	ck_assert_uint_eq(at->unit, now_on[at->stream]);
	ck_assert_uint_lt(row, replay_trace.model.n_units);
	ck_assert_uint_eq(unit(row)->creator, creator);
	return 0;
}

static const struct unit_ops noise_unit_ops = {
	.unit_create = noise_create, .unit_revive = noise_create, .unit_switch = noise_switch};
static const void *const noise_own[N_PARADIGMS] = {[PARADIGM_argobots] = &noise_unit_ops};
static const struct replay_ops noise_ops = {.own = noise_own};

static void put_noise(unsigned *seed)
{
	const uint64_t handles[] = {PRIMARY, SCHED, U, V, U + 8, V + 8};
	uint32_t stream = (uint32_t)rand_r(seed) % 3;
	unsigned kind = EVENT_unit_create + (unsigned)rand_r(seed) % 14, depth = (unsigned)rand_r(seed) % 4;
	uint64_t a = handles[rand_r(seed) % 6], b = rand_r(seed) % 3 != 0 ? handles[rand_r(seed) % 6] : 0;
	switch (rand_r(seed) % 40) {
	case 0: put(stream, EVENT_unit_begin, 0, PRIMARY, XSTREAM); return;
	case 1: put(stream, EVENT_unit_end, 0, 0, 0); return;
	case 2: put(stream, EVENT_thread_attach, 0, (uint64_t)rand_r(seed) % 5, 0); return;
	case 3: put(stream, EVENT_records_lost, 1, 5, 0); return;
	case 4: run_unit(stream, a, b, 255); return;
	default: break;
	}
	if (kind == EVENT_unit_create || kind == EVENT_unit_revive)
		creation(kind, stream, a, b, rand_r(seed) % 2 ? STACK : 0);
	else
		put(stream, kind, depth << 4 | (unsigned)rand_r(seed) % 12, a, b);
}

static void try_noise(int number)
{
	static struct progress progress;
	const struct visitor visitor = {&noise_ops, NULL};
	unsigned seed = (unsigned)number + 1;
	for (uint32_t stream = 0; stream < 3; stream++)
		attach(stream);
	if (number % 2 == 0)
		put(0, EVENT_unit_begin, 0, PRIMARY, XSTREAM);
	for (int i = 0; i < 150; i++)
		put_noise(&seed);
	diag_quiet();
	replay_build((enum graph_level)(number % 3));
	ck_assert_uint_lt(replay_trace.model.n_units, 1024);
	memset(is_on, 0, sizeof is_on);
	memset(now_on, 0, sizeof now_on);
	ck_assert_int_eq(replay_run(&replay_trace.model, &visitor, 1, &progress), 0);
	for (uint32_t row = 0; row < replay_trace.model.n_units; row++)
		ck_assert_uint_eq(is_on[row], 0);
	units_check_graph();
	replay_done();
}

/* Many dumps in one process, one after the other. */
START_TEST(noise)
{
	for (int i = 0; i < 25; i++) {
		try_noise(_i * 25 + i);
		replay_teardown();
		replay_setup();
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("units noise");
	TCase *tcase = tcase_create("units noise");
	tcase_add_checked_fixture(tcase, replay_setup, replay_teardown);
	tcase_add_loop_test(tcase, noise, 0, 12);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
