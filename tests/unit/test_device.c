/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What devices tell of themselves, on synthetic dumps: when it was by the host's clock, which queue it is in, what it is about, and where it
 * is in the graph. Ticks are ns here. The way from a device's buffer into a dump is tests/device.py's.
 */
#include "builder/graph_path.h"
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define LATER   100000                        /* ticks at the program's end: nothing below is later */
#define WTIME   UINT64_C(7000000000)          /* omp_get_wtime of the played runtime, in ns, at its beginning */
#define REAL_NS UINT64_C(1700000000000000000) /* the writer's real time at tick 0 */

static const struct model *model(void)
{
	return &replay_trace.model;
}

static uint64_t repair(const char *name)
{
	return replay_count_of(&model()->repairs, name);
}

static uint64_t n_blamed(void)
{
	return tally_total(&model()->repairs) + tally_total(&model()->quirks);
}

/* ---- Records, as the recorder writes them: all on a thread of the device's runtime ---- */

#define HERALD 1 /* stream */

static void put(unsigned kind, unsigned flags, uint64_t value, uint64_t a, uint64_t b)
{
	replay_put(HERALD, kind, flags, value, a, b);
}

/* Continuation records have no time of their own. */
static void put_more(unsigned kind, unsigned flags, uint64_t value, uint64_t time, uint64_t a, uint64_t b)
{
	dump_writer_record(&replay_writer, HERALD, time, kind, flags, value, a, b);
}

static void begin(void)
{
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	put(EVENT_thread_attach, 0, 0, 4243, 0);
}

static void finish(enum graph_level level)
{
	replay_now = LATER;
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	replay_put(0, EVENT_thread_detach, 0, 0, 4242, 0);
	put(EVENT_thread_detach, 0, 0, 4243, 0);
	replay_build(level);
}

static void announce(uint32_t device)
{
	replay_put(0, EVENT_device_initialize, 0, device, 0, 0);
}

/* The device's clock was `device_time`, translated to `host_ns`, at `ticks`, give or take. */
static void reading(uint32_t device, uint64_t ticks, uint64_t width, uint64_t device_time, uint64_t host_ns)
{
	put(EVENT_device_clock, 0, device, device_time, host_ns);
	put_more(EVENT_device_clock_more, 0, 0, 0, ticks - width / 2, ticks + width / 2);
}

static void times(uint32_t device, uint64_t from, uint64_t to, uint64_t from_ns, uint64_t to_ns)
{
	put_more(EVENT_device_times, 0, device, from, to, 0);
	put_more(EVENT_device_host_times, 0, 0, 0, from_ns, to_ns);
}

static void kernel(uint32_t device, uint64_t id, uint64_t from, uint64_t to, uint64_t from_ns, uint64_t to_ns)
{
	put(EVENT_device_kernel, 0, device, id, UINT64_C(3) << 32 | 8);
	times(device, from, to, from_ns, to_ns);
}

/* By a clock that counts the host's ticks. */
static void plain_kernel(uint32_t device, uint64_t id, uint64_t from, uint64_t to)
{
	kernel(device, id, from, to, 0, 0);
}

static void native(uint32_t device, uint64_t id, uint64_t hwid, uint64_t from, uint64_t to, const char *name)
{
	uint64_t words[3] = {0};
	memcpy(words, name, strlen(name));
	put(EVENT_device_native, device_native_class_event, device | (uint64_t)strlen(name) << 32, id, hwid);
	times(device, from, to, 0, 0);
	put_more(EVENT_text, (unsigned)strlen(name), 0, words[0], words[1], words[2]);
}

static void plain_clock(uint32_t device)
{
	reading(device, 2000, 4, 2000, 0);
	reading(device, 90000, 4, 90000, 0);
}

static const struct activity *activity(uint64_t id)
{
	for (uint32_t i = 1; i < model()->n_activities; i++)
		if (model()->activities[i].id == id)
			return &model()->activities[i];
	ck_abort_msg("no activity %lu", (unsigned long)id);
	return NULL;
}

static void ck_assert_times(uint64_t id, uint64_t from, uint64_t to)
{
	ck_assert_uint_eq(activity(id)->begin_ticks, from);
	ck_assert_uint_eq(activity(id)->end_ticks, to);
}

/* ---- Time ---- */

/* omp_get_wtime goes half as fast as the host's clock here, then at its pace: each time is between the readings around it. */
START_TEST(a_translated_time_is_placed_between_the_readings_around_it)
{
	begin();
	reading(0, 10000, 4, 1, WTIME);
	reading(0, 20000, 4, 2, WTIME + 5000);
	reading(0, 30000, 4, 3, WTIME + 15000);
	kernel(0, 1, 77, 78, WTIME, WTIME + 5000);
	kernel(0, 2, 77, 78, WTIME + 1000, WTIME + 6000);
	kernel(0, 3, 77, 78, WTIME + 15000, WTIME + 15000);
	finish(GRAPH_TASK);
	ck_assert_times(1, 10000, 20000);
	ck_assert_times(2, 12000, 21000);
	ck_assert_times(3, 30000, 30000);
	ck_assert_uint_eq(repair("kernel_without_submit"), 3);
	ck_assert_uint_eq(n_blamed(), 3);
	replay_done();
}
END_TEST

/* Before the first reading and behind the last one: at the pace of them all. */
START_TEST(a_time_outside_of_all_readings_goes_on_at_their_pace)
{
	begin();
	reading(0, 10000, 4, 1, WTIME + 10000);
	reading(0, 30000, 4, 3, WTIME + 20000);
	kernel(0, 1, 77, 78, WTIME + 8000, WTIME + 21000);
	finish(GRAPH_TASK);
	ck_assert_times(1, 6000, 32000);
	replay_done();
}
END_TEST

START_TEST(an_interrupted_reading_counts_for_nothing)
{
	begin();
	reading(0, 10000, 4, 1, WTIME);
	reading(0, 30000, 20000, 2, WTIME + 1000); /* the clock was read at 21000, and then something else had the processor */
	reading(0, 40000, 4, 3, WTIME + 30000);
	kernel(0, 1, 77, 78, WTIME + 1000, WTIME + 2000);
	finish(GRAPH_TASK);
	ck_assert_times(1, 11000, 12000);
	replay_done();
}
END_TEST

START_TEST(without_a_translation_the_devices_own_clock_tells)
{
	begin();
	reading(0, 10000, 4, 500, 0);
	reading(0, 20000, 4, 1500, 0);
	reading(1, 10000, 4, 90000, 0); /* another device's */
	plain_kernel(0, 1, 600, 1700);
	plain_kernel(1, 2, 90100, 90200);
	finish(GRAPH_TASK);
	ck_assert_times(1, 11000, 22000);
	ck_assert_times(2, 10100, 10200); /* a single reading: its units are taken for ns */
	replay_done();
}
END_TEST

/* omp_get_wtime is real time with LLVM's runtime, monotonic time with others. */
START_TEST(without_a_reading_a_translation_is_a_clock_that_the_process_ran_in)
{
	begin();
	kernel(0, 1, 77, 78, REAL_NS + 5000, REAL_NS + 6000);
	kernel(0, 2, 77, 78, 7000, 8000);
	kernel(0, 3, 77, 78, 5 * REAL_NS, 5 * REAL_NS + 1000);
	finish(GRAPH_TASK);
	ck_assert_times(1, 5000, 6000);
	ck_assert_times(2, 7000, 8000);
	ck_assert_times(3, 0, 0);
	ck_assert_uint_eq(repair("device_clock_unknown"), 1);
	replay_done();
}
END_TEST

START_TEST(what_has_no_time_gets_none)
{
	begin();
	plain_clock(0);
	plain_kernel(0, 1, 5000, 0);
	plain_kernel(0, 2, 0, 5000);
	plain_kernel(0, 3, 5000, 4999);
	plain_kernel(0, 4, 500000, 600000); /* long after the process */
	plain_kernel(1, 5, 5000, 6000);     /* of this device there is no reading */
	plain_kernel(0, 6, 5000, 6000);
	finish(GRAPH_TASK);
	for (uint64_t id = 1; id <= 5; id++) {
		ck_assert_times(id, 0, 0);
		ck_assert_uint_eq(activity(id)->queue, QUEUE_NONE);
	}
	ck_assert_times(6, 5000, 6000);
	ck_assert_uint_eq(repair("device_record_without_time"), 2);
	ck_assert_uint_eq(repair("device_end_before_begin"), 1);
	ck_assert_uint_eq(repair("device_clock_unknown"), 2);
	ck_assert_uint_eq(model()->n_queues, 1);
	replay_done();
}
END_TEST

/* ---- Queues ---- */

START_TEST(what_overlaps_is_in_several_queues)
{
	begin();
	plain_clock(0);
	plain_clock(1);
	plain_kernel(0, 3, 5200, 5300); /* buffers come in any order */
	plain_kernel(0, 1, 5000, 5200);
	plain_kernel(0, 2, 5100, 5250);
	plain_kernel(1, 4, 5000, 5300);
	native(0, 5, 9, 5000, 5300, "barrier");
	native(0, 6, 9, 5300, 5400, "barrier");
	finish(GRAPH_TASK);
	ck_assert_uint_eq(model()->n_queues, 4);
	ck_assert_uint_eq(activity(1)->queue, activity(3)->queue);
	ck_assert_uint_ne(activity(1)->queue, activity(2)->queue);
	ck_assert_uint_eq(activity(5)->queue, activity(6)->queue);
	const struct queue *first = &model()->queues[activity(1)->queue];
	ck_assert_uint_eq(first->n, 2);
	ck_assert_uint_eq(model()->activities[first->first].id, 1);
	ck_assert_uint_eq(model()->activities[first->first + 1].id, 3);
	ck_assert_uint_eq(model()->queues[activity(2)->queue].lane, 1);
	ck_assert_uint_eq(model()->queues[activity(5)->queue].hwid, 9);
	ck_assert_int_eq(model()->queues[activity(4)->queue].device, 1);
	replay_done();
}
END_TEST

/* ---- Two records of one thing ---- */

START_TEST(a_native_record_of_what_is_known_says_where_it_was)
{
	begin();
	plain_clock(0);
	plain_clock(1);
	native(0, 1, 4, 5001, 5199, "dispatch");
	plain_kernel(0, 1, 5000, 5200);
	native(1, 1, 5, 5000, 5200, "dispatch"); /* of another device: not the same */
	native(0, 0, 6, 6000, 6100, "dispatch"); /* nothing says what it is about */
	finish(GRAPH_TASK);
	ck_assert_uint_eq(model()->n_activities - 1, 3);
	ck_assert_int_eq(activity(1)->type, ACTIVITY_KERNEL);
	ck_assert_uint_eq(activity(1)->hwid, 4);
	ck_assert_times(1, 5000, 5200);
	ck_assert_int_eq(activity(0)->type, ACTIVITY_NATIVE);
	ck_assert_str_eq(activity(0)->name, "dispatch");
	replay_done();
}
END_TEST

/* ---- What the host asked for ---- */

static void target_begin(uint64_t id, uint32_t device)
{
	replay_put(0, EVENT_target_begin, target_kind_target, device, id, 0x4000);
	dump_writer_record(&replay_writer, 0, 0, EVENT_target_more, 0, 0, id_make(0, 1), 0);
}

static void submit(uint64_t id, uint64_t target)
{
	replay_put(0, EVENT_target_submit_begin, 0, 8, id, target);
	replay_put(0, EVENT_target_submit_end, 0, 8, id, target);
}

static void target_end(uint64_t id, uint32_t device)
{
	replay_put(0, EVENT_target_end, target_kind_target, device, id, 0x4000);
}

static void transfer(uint64_t id, uint64_t target, uint32_t from, uint32_t to)
{
	for (unsigned kind = EVENT_target_data_op_begin; kind <= EVENT_target_data_op_end; kind++) {
		replay_put(0, kind, target_data_op_transfer_from_device, from, id, 0x5000);
		dump_writer_record(&replay_writer, 0, 0x10, EVENT_target_data_op_more, 0, to, 0x20, 64);
		if (kind == EVENT_target_data_op_begin)
			dump_writer_record(&replay_writer, 0, 0, EVENT_target_data_op_ids, 0, 0, target, 0);
	}
}

static void device_transfer(uint32_t device, uint64_t id, uint32_t from, uint32_t to, uint64_t first, uint64_t last)
{
	put(EVENT_device_data_op, target_data_op_transfer_from_device_async, from, id, 0x5000);
	times(device, first, last, 0, 0);
	put_more(EVENT_target_data_op_more, 0, to, 0x10, 0x20, 64);
}

struct found {
	uint32_t submit, kernel, data;
	unsigned n_kernels, n_submitted, n_completed;
};

static int find_node(void *self, const struct node_view *node)
{
	struct found *f = self;
	f->n_kernels += node->kind == NODE_KERNEL;
	if (node->kind == NODE_KERNEL)
		f->kernel = node->id;
	if (node->kind == NODE_SUBMIT)
		f->submit = node->id;
	if (node->kind == NODE_DATA_OP)
		f->data = node->id;
	return 0;
}

static int find_edge(void *self, const struct edge_view *edge)
{
	struct found *f = self;
	f->n_submitted += edge->kind == EDGE_SUBMIT && edge->source == f->submit && edge->target == f->kernel;
	f->n_completed += edge->kind == EDGE_COMPLETE && edge->source == f->kernel && edge->target == f->data;
	return 0;
}

START_TEST(a_kernel_is_between_its_launch_and_what_comes_next)
{
	static const enum graph_level levels[] = {GRAPH_TASK, GRAPH_SCOPE, GRAPH_FRAGMENT};
	const uint64_t target = id_make(0, 50), launch = id_make(0, 51), copy = id_make(0, 52);
	begin();
	announce(0);
	target_begin(target, 0);
	submit(launch, target);
	transfer(copy, target, 0, 1);
	target_end(target, 0);
	plain_clock(0);
	plain_kernel(0, launch, 5000, 6000);
	device_transfer(0, copy, 0, 1, 6000, 7000);
	finish(levels[_i]);
	struct found f = {0};
	graph_each_node(&replay_graph, find_node, &f);
	graph_each_edge(&replay_graph, find_edge, &f);
	ck_assert_uint_eq(f.n_kernels, 1);
	ck_assert_uint_eq(f.n_submitted, 1);
	ck_assert_uint_eq(f.n_completed, 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_SUBMIT), 1);
	ck_assert_uint_eq(replay_edges(0, 0, EDGE_COMPLETE), 1);
	struct node_view node = graph_node(&replay_graph, f.data);
	ck_assert_ptr_nonnull(node.activity);
	ck_assert_uint_eq(node.activity->begin_ticks, 6000);
	ck_assert(node.activity->is_async);
	ck_assert_uint_eq(n_blamed(), 0);
	replay_done();
}
END_TEST

static uint64_t own_ns(uint32_t id)
{
	struct node_view node = graph_node(&replay_graph, id);
	return path_node_ns(&replay_trace.dump, &node);
}

/* _i: 0 the device told nothing, 1 of its kernel, 2 of the transfer, too. The host's launch and transfer take 10 each, one behind the other. */
START_TEST(the_critical_path_counts_by_the_devices_clock)
{
	const uint64_t target = id_make(0, 50), launch = id_make(0, 51), copy = id_make(0, 52);
	begin();
	announce(0);
	target_begin(target, 0);
	submit(launch, target);
	transfer(copy, target, 0, 1);
	target_end(target, 0);
	plain_clock(0);
	if (_i >= 1)
		plain_kernel(0, launch, 5000, 6000);
	if (_i == 2)
		device_transfer(0, copy, 0, 1, 6000, 8000);
	finish(GRAPH_FRAGMENT);
	struct found f = {0};
	graph_each_node(&replay_graph, find_node, &f);
	ck_assert_int_eq(replay_graph.path->bound, PATH_EXACT);
	ck_assert_uint_eq(own_ns(f.data), _i == 2 ? 2000 : 10);
	ck_assert_uint_ne(path_place(&replay_graph, f.submit), 0);
	ck_assert_uint_eq(path_place(&replay_graph, f.data), path_place(&replay_graph, f.submit) + 2);
	uint32_t between = replay_graph.path->nodes[path_place(&replay_graph, f.submit)]; /* places count from 1 */
	ck_assert_int_eq(graph_node(&replay_graph, between).kind, _i >= 1 ? NODE_KERNEL : NODE_FRAGMENT);
	ck_assert_uint_eq(own_ns(between), _i >= 1 ? 1000 : 20);
	ck_assert_uint_eq(replay_graph.path->work_ns - replay_graph.path->span_ns, _i >= 1 ? 20 : 0);
	replay_done();
}
END_TEST

/* AMD's runtimes up to ROCm 5.4 call every buffer device 0's. */
START_TEST(the_host_knows_whose_a_buffer_is)
{
	const uint64_t target = id_make(0, 50), launch = id_make(0, 51), copy = id_make(0, 52);
	begin();
	announce(0);
	announce(1);
	target_begin(target, 1);
	submit(launch, target);
	transfer(copy, target, 1, 2);
	target_end(target, 1);
	plain_clock(0);
	reading(1, 3000, 4, 1000, 0);
	kernel(0, launch, 3000, 4000, WTIME, WTIME + 1);
	device_transfer(0, copy, 1, 2, 4000, 5000);
	finish(GRAPH_TASK);
	ck_assert_int_eq(activity(launch)->device, 1);
	ck_assert_int_eq(activity(copy)->device, 1);
	ck_assert_times(launch, 5000, 6000); /* by its own device's clock */
	ck_assert_uint_eq(replay_count_of(&model()->quirks, "device_of_buffer"), 2);
	ck_assert_uint_eq(tally_total(&model()->repairs), 0);
	replay_done();
}
END_TEST

START_TEST(trouble_with_tracing_is_told)
{
	begin();
	put(EVENT_device_buffer, 1, 0, 4096, UINT64_C(3) << 32 | 10);
	put(EVENT_device_trace, device_trace_step_no_buffer, 0, 0, 0);
	finish(GRAPH_TASK);
	ck_assert_uint_eq(repair("device_record_invalid"), 3);
	ck_assert_uint_eq(repair("device_without_buffer"), 1);
	replay_done();
}
END_TEST

/* Of a record whose continuation records are in a segment that is not there nothing is left. */
START_TEST(a_cut_record_is_left_out)
{
	static const int n_there[] = {1, 2, 2, 0}; /* all but one */
	begin();
	plain_clock(0);
	plain_kernel(0, 1, 5000, 6000);
	if (_i == 0)
		put(EVENT_device_kernel, 0, 0, 2, 0);
	else if (_i == 1)
		put(EVENT_device_data_op, target_data_op_alloc, 0, 2, 0);
	else if (_i == 2)
		put(EVENT_device_native, device_native_class_event, UINT64_C(24) << 32, 2, 0);
	else
		put(EVENT_device_clock, 0, 0, 7000, 0);
	for (int i = 0; i < n_there[_i]; i++)
		put_more(i == 0 ? EVENT_device_times : EVENT_device_host_times, 0, 0, 5000, 6000, 0);
	dump_writer_close_segment(&replay_writer, HERALD);
	replay_writer.streams[HERALD].missing = 2;
	put_more(EVENT_device_times, 0, 0, 5000, 6000, 0);
	dump_writer_close_segment(&replay_writer, HERALD);
	finish(GRAPH_TASK);
	ck_assert_uint_eq(model()->n_activities - 1, 1);
	ck_assert_uint_eq(replay_count_of(&replay_trace.dump.findings, "group_cut"), 1);
	ck_assert_times(1, 5000, 6000);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("device");
	TCase *tests = tcase_create("device");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, a_translated_time_is_placed_between_the_readings_around_it);
	tcase_add_test(tests, a_time_outside_of_all_readings_goes_on_at_their_pace);
	tcase_add_test(tests, an_interrupted_reading_counts_for_nothing);
	tcase_add_test(tests, without_a_translation_the_devices_own_clock_tells);
	tcase_add_test(tests, without_a_reading_a_translation_is_a_clock_that_the_process_ran_in);
	tcase_add_test(tests, what_has_no_time_gets_none);
	tcase_add_test(tests, what_overlaps_is_in_several_queues);
	tcase_add_test(tests, a_native_record_of_what_is_known_says_where_it_was);
	tcase_add_loop_test(tests, a_kernel_is_between_its_launch_and_what_comes_next, 0, 3);
	tcase_add_loop_test(tests, the_critical_path_counts_by_the_devices_clock, 0, 3);
	tcase_add_test(tests, the_host_knows_whose_a_buffer_is);
	tcase_add_test(tests, trouble_with_tracing_is_told);
	tcase_add_loop_test(tests, a_cut_record_is_left_out, 0, 4);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
