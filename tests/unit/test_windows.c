/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What threads do at once: numbers over time that are read from any time on, and parallelism.csv of a synthetic dump
 * whose every figure is known.
 */
#include "builder/states/files.h"
#include "builder/support/series.h"
#include "tests/unit/states_fixture.h"

#include <check.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[64];
static const struct table_place place = {.dir = dir};

static void setup(void)
{
	replay_setup();
	strcpy(dir, "/tmp/otter-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void teardown(void)
{
	ck_assert_int_eq(rmdir(dir), 0);
	replay_teardown();
}

/* ---- Numbers over time ---- */

#define N_STEPS 20000

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* The number goes up and down by as much as it may, at once, soon or much later; the file has most of its steps. */
START_TEST(a_series_is_read_from_any_time_on)
{
	static uint64_t ticks[N_STEPS];
	static int64_t values[N_STEPS];
	uint64_t now = (uint64_t)1 << 60, random = 7;
	int64_t value = 0;
	struct series series = {0};
	struct spill spill;
	struct series_reader reader;
	ck_assert_int_eq(spill_open(&spill, dir, "series"), 0);
	ck_assert_int_eq(series_open(&reader, &series, &spill, 5), 0);
	ck_assert(reader.value == 0 && reader.next_ticks == UINT64_MAX);
	for (size_t i = 0; i < N_STEPS; i++) {
		now += random_next(&random) % (i % 100 == 0 ? 1 << 30 : i % 3 == 0 ? 1 : 300);
		value += (int64_t)(random_next(&random) % (2 * SERIES_STEP_MAX + 1)) - SERIES_STEP_MAX;
		ticks[i] = now;
		values[i] = value;
		ck_assert_int_eq(series_step(&series, &spill, now, value), 0);
	}
	ck_assert_uint_eq(series.first_ticks, ticks[0]);
	ck_assert_uint_eq(series.n_steps, N_STEPS);
	ck_assert_uint_gt((size_t)spill.n_used, 2 * N_STEPS);
	for (size_t start = 0; start < N_STEPS; start += 371)
		for (uint64_t early = 0; early < 2; early++) {
			uint64_t from = ticks[start] - early;
			size_t next = start;
			while (next > 0 && ticks[next - 1] > from)
				next--;
			while (next < N_STEPS && ticks[next] <= from)
				next++;
			ck_assert_int_eq(series_open(&reader, &series, &spill, from), 0);
			ck_assert_int_eq(reader.value, next > 0 ? values[next - 1] : 0);
			for (size_t i = next; i < N_STEPS && i < next + 3000; i++) {
				ck_assert_uint_eq(reader.next_ticks, ticks[i]);
				ck_assert_int_eq(series_next(&reader), 0);
				ck_assert_int_eq(reader.value, values[i]);
			}
			series_close(&reader);
		}
	series_free(&series);
	ck_assert_int_eq(spill_empty(&spill), 0);
	spill_close(&spill);
}
END_TEST

/* ---- parallelism.csv ---- */

static void run_elsewhere(uint64_t worker, uint64_t task)
{
	switch_task(1, task_status_switch, worker, task);
}

struct row {
	uint64_t begin, end, ns[STATES], ready, untaken, most_working, most_ready;
};

static uint64_t take_number(char **at)
{
	uint64_t number = strtoull(*at, at, 10);
	*at += **at == ',';
	return number;
}

/* Replays the dump into the table; what its rows contain. */
static size_t read_rows(struct row *rows, size_t n_max, size_t n_bins)
{
	static struct progress progress;
	struct sink sink;
	struct states states = {0};
	ck_assert_int_eq(sink_parallelism_open(&sink, &place, n_bins, &replay_trace, &states), 0);
	ck_assert_int_eq(sink.begin(sink.self, &replay_trace), 0);
	const struct state_listener listener = {sink.pass_state, sink.self};
	states_begin(&states, &replay_trace.model, &listener, 1);
	const struct visitor visitors[] = {{&states_ops, &states}, {sink.ops, sink.self}};
	ck_assert_int_eq(replay_run(&replay_trace.model, visitors, 2, &progress), 0);
	states_finish(&states);
	ck_assert_int_eq(sink.end(sink.self, &replay_trace), 0);
	ck_assert_int_eq(sink.close(sink.self), 0);
	states_free(&states);
	char path[96], line[2048];
	snprintf(path, sizeof path, "%s/parallelism.csv", dir);
	FILE *in = fopen(path, "r");
	ck_assert_ptr_nonnull(in);
	ck_assert_ptr_nonnull(fgets(line, sizeof line, in));
	size_t n = 0;
	for (; fgets(line, sizeof line, in) != NULL; n++) {
		ck_assert_uint_lt(n, n_max);
		char *at = line;
		ck_assert_uint_eq(take_number(&at), 0); /* process */
		rows[n].begin = take_number(&at);
		rows[n].end = take_number(&at);
		for (unsigned i = 0; i < STATES; i++)
			rows[n].ns[i] = take_number(&at);
		rows[n].ready = take_number(&at);
		rows[n].untaken = take_number(&at);
		rows[n].most_working = take_number(&at);
		rows[n].most_ready = take_number(&at);
		ck_assert_str_eq(at, "\n");
	}
	fclose(in);
	unlink(path);
	return n;
}

/* The length of a row is what the times of each row's threads are made of; so are the sums over all rows. */
static void check_sums(const struct row *rows, size_t n)
{
	uint64_t sums[STATES] = {0};
	for (size_t i = 0; i < n; i++) {
		ck_assert(i == 0 || rows[i].begin == rows[i - 1].end);
		for (unsigned j = 0; j < STATES; j++)
			sums[j] += rows[i].ns[j];
	}
	for (unsigned j = 0; j < STATES; j++) {
		uint64_t ticks = 0;
		for (size_t i = 0; i < replay_states.n_streams; i++)
			ticks += replay_states.times[i].ticks[j];
		ck_assert_uint_eq(sums[j], dump_duration_ns(&replay_trace.dump, ticks));
	}
}

/*
 * Two tasks of thread 0, which goes on working: one is ready for 100 while the worker is in the barrier, the other one for
 * 400, in which it runs the first one. Whatever the bins are, their sums are the same.
 */
START_TEST(what_threads_do_at_once_is_counted)
{
	static struct row one[1], rows[64];
	uint64_t worker, me = begin_team(&worker);
	replay_now += 990;
	replay_sync_begin(1, sync_kind_barrier_implicit_parallel, worker);
	uint64_t first = replay_create(3, me), second = replay_create(4, me); /* at 10 from each other */
	replay_now += 80;
	run_elsewhere(worker, first);
	replay_now += 290;
	switch_task(1, task_status_complete, first, worker);
	run_elsewhere(worker, second);
	replay_now += 490;
	switch_task(1, task_status_complete, second, worker);
	replay_end_program();
	replay_sync_end(1, sync_kind_barrier_implicit_parallel, worker);
	replay_end_implicit(1, 1, 1);
	replay_build(GRAPH_TASK);
	size_t n = read_rows(one, 1, 1);
	ck_assert_uint_eq(n, 1);
	check_sums(one, 1);
	ck_assert_uint_eq(one[0].ready, 100 + 400);
	ck_assert_uint_eq(one[0].untaken, 100 + 10); /* the worker is there, or between two tasks */
	ck_assert_uint_eq(one[0].most_ready, 2);
	ck_assert_uint_eq(one[0].most_working, 2);
	for (size_t n_bins = 2; n_bins <= 64; n_bins *= 2)
		for (int n_threads = 1; n_threads <= 4; n_threads *= 4) {
			omp_set_num_threads(n_threads);
			n = read_rows(rows, n_bins, n_bins);
			ck_assert_uint_gt(n, 1);
			check_sums(rows, n);
			struct row sum = {0};
			for (size_t i = 0; i < n; i++) {
				sum.ready += rows[i].ready;
				sum.untaken += rows[i].untaken;
				sum.most_ready = rows[i].most_ready > sum.most_ready ? rows[i].most_ready : sum.most_ready;
			}
			ck_assert_uint_eq(rows[0].begin, one[0].begin);
			ck_assert_uint_eq(rows[n - 1].end, one[0].end);
			ck_assert_uint_eq(sum.ready, one[0].ready);
			ck_assert_uint_eq(sum.untaken, one[0].untaken);
			ck_assert_uint_eq(sum.most_ready, 2);
		}
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("windows");
	TCase *tests = tcase_create("what threads do at once");
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_series_is_read_from_any_time_on);
	tcase_add_test(tests, what_threads_do_at_once_is_counted);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
