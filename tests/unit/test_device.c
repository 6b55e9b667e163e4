/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The builder on synthetic dumps with records that devices made: the queue of an activity, the operation that it
 * belongs to, and its place in the graph. test_device_time.c tests the times of activities, tests/device.py the way
 * from a device's buffer into a dump.
 */
#include "builder/graph/path.h"
#include "tests/unit/device_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* ---- Queues ---- */

START_TEST(what_overlaps_is_in_several_queues)
{
	device_dump_begin();
	device_plain_clock(0);
	device_plain_clock(1);
	device_plain_kernel(0, 3, 5200, 5300); /* a device's buffers come in any order */
	device_plain_kernel(0, 1, 5000, 5200);
	device_plain_kernel(0, 2, 5100, 5250);
	device_plain_kernel(1, 4, 5000, 5300);
	device_native(0, 5, 9, 5000, 5300, "barrier");
	device_native(0, 6, 9, 5300, 5400, "barrier");
	device_finish(GRAPH_TASK);
	ck_assert_uint_eq(device_model()->n_queues, 4);
	ck_assert_uint_eq(device_activity(1)->queue, device_activity(3)->queue);
	ck_assert_uint_ne(device_activity(1)->queue, device_activity(2)->queue);
	ck_assert_uint_eq(device_activity(5)->queue, device_activity(6)->queue);
	const struct queue *first = &device_model()->queues[device_activity(1)->queue];
	ck_assert_uint_eq(first->n, 2);
	ck_assert_uint_eq(device_model()->activities[first->first].id, 1);
	ck_assert_uint_eq(device_model()->activities[first->first + 1].id, 3);
	ck_assert_uint_eq(device_model()->queues[device_activity(2)->queue].lane, 1);
	ck_assert_uint_eq(device_model()->queues[device_activity(5)->queue].hwid, 9);
	ck_assert_int_eq(device_model()->queues[device_activity(4)->queue].device, 1);
	replay_done();
}
END_TEST

/* ---- Two records of one activity ---- */

START_TEST(a_native_record_of_what_is_known_says_where_it_was)
{
	device_dump_begin();
	device_plain_clock(0);
	device_plain_clock(1);
	device_native(0, 1, 4, 5001, 5199, "dispatch");
	device_plain_kernel(0, 1, 5000, 5200);
	device_native(1, 1, 5, 5000, 5200, "dispatch"); /* of another device, so it is another activity */
	device_native(0, 0, 6, 6000, 6100, "dispatch"); /* no other record has its id */
	device_finish(GRAPH_TASK);
	ck_assert_uint_eq(device_model()->n_activities - 1, 3);
	ck_assert_int_eq(device_activity(1)->type, ACTIVITY_KERNEL);
	ck_assert_uint_eq(device_activity(1)->hwid, 4);
	device_check_times(1, 5000, 5200);
	ck_assert_int_eq(device_activity(0)->type, ACTIVITY_NATIVE);
	ck_assert_str_eq(device_activity(0)->name, "dispatch");
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

/* Device 0, and a target region on it with a launch and, after it, a transfer back. */
static void begin_offload(uint64_t target, uint64_t launch, uint64_t copy)
{
	device_dump_begin();
	device_announce(0);
	target_begin(target, 0);
	submit(launch, target);
	transfer(copy, target, 0, 1);
	target_end(target, 0);
	device_plain_clock(0);
}

static void device_transfer(uint32_t device, uint64_t id, uint32_t from, uint32_t to, uint64_t first, uint64_t last)
{
	device_put(EVENT_device_data_op, target_data_op_transfer_from_device_async, from, id, 0x5000);
	device_times(device, first, last, 0, 0);
	device_put_more(EVENT_target_data_op_more, 0, to, 0x10, 0x20, 64);
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
	begin_offload(target, launch, copy);
	device_plain_kernel(0, launch, 5000, 6000);
	device_transfer(0, copy, 0, 1, 6000, 7000);
	device_finish(levels[_i]);
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
	ck_assert_uint_eq(device_n_counted(), 0);
	replay_done();
}
END_TEST

static uint64_t own_ns(uint32_t id)
{
	struct node_view node = graph_node(&replay_graph, id);
	return path_node_ns(&replay_trace.dump, &node);
}

/*
 * _i is 0: the device recorded nothing; 1: its kernel; 2: its kernel and the transfer. The host's launch takes 10 ns,
 * and so does the transfer after it.
 */
START_TEST(the_critical_path_counts_by_the_devices_clock)
{
	const uint64_t target = id_make(0, 50), launch = id_make(0, 51), copy = id_make(0, 52);
	begin_offload(target, launch, copy);
	if (_i >= 1)
		device_plain_kernel(0, launch, 5000, 6000);
	if (_i == 2)
		device_transfer(0, copy, 0, 1, 6000, 8000);
	device_finish(GRAPH_FRAGMENT);
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

/*
 * A record may have the id of something else: AOMP 18 gives a transfer the id of a kernel. A record without an id
 * belongs to no operation of the host.
 */
START_TEST(an_id_is_of_what_the_record_is_about)
{
	const uint64_t target = id_make(0, 50), launch = id_make(0, 51), copy = id_make(0, 52), nobodys = id_make(0, 53);
	begin_offload(target, launch, copy);
	device_plain_kernel(0, copy, 5000, 6000);
	device_transfer(0, launch, 0, 1, 6000, 7000);
	device_transfer(0, nobodys, 0, 1, 7000, 7100);
	device_transfer(0, target, 0, 1, 7100, 7200);
	device_transfer(0, 0, 0, 1, 7200, 7300);
	device_finish(GRAPH_TASK);
	struct found f = {0};
	graph_each_node(&replay_graph, find_node, &f);
	ck_assert_uint_eq(f.n_kernels, 0);
	ck_assert_ptr_null(graph_node(&replay_graph, f.data).activity);
	ck_assert_uint_eq(device_repair("kernel_without_submit"), 1);
	ck_assert_uint_eq(device_repair("data_without_operation"), 3);
	ck_assert_uint_eq(device_n_counted(), 4);
	ck_assert_uint_eq(model_operation(device_model(), launch), 2);
	ck_assert_uint_eq(device_model()->operations[2].activity, 0);
	replay_done();
}
END_TEST

/* AMD's runtimes up to ROCm 5.4 give every buffer as device 0's (quirk device_of_buffer). */
START_TEST(the_host_knows_whose_a_buffer_is)
{
	const uint64_t target = id_make(0, 50), launch = id_make(0, 51), copy = id_make(0, 52);
	device_dump_begin();
	device_announce(0);
	device_announce(1);
	target_begin(target, 1);
	submit(launch, target);
	transfer(copy, target, 1, 2);
	target_end(target, 1);
	device_plain_clock(0);
	device_reading(1, 3000, 4, 1000, 0);
	device_kernel(0, launch, 3000, 4000, DEVICE_WTIME, DEVICE_WTIME + 1);
	device_transfer(0, copy, 1, 2, 4000, 5000);
	device_finish(GRAPH_TASK);
	ck_assert_int_eq(device_activity(launch)->device, 1);
	ck_assert_int_eq(device_activity(copy)->device, 1);
	device_check_times(launch, 5000, 6000); /* by the clock of device 1 */
	ck_assert_uint_eq(replay_count_of(&device_model()->notes->quirks, "device_of_buffer"), 2);
	ck_assert_uint_eq(tally_total(&device_model()->notes->repairs), 0);
	replay_done();
}
END_TEST

START_TEST(trouble_with_tracing_is_told)
{
	device_dump_begin();
	device_put(EVENT_device_buffer, 1, 0, 4096, UINT64_C(3) << 32 | 10);
	device_put(EVENT_device_trace, device_trace_step_no_buffer, 0, 0, 0);
	device_finish(GRAPH_TASK);
	ck_assert_uint_eq(device_repair("device_record_invalid"), 3);
	ck_assert_uint_eq(device_repair("device_without_buffer"), 1);
	replay_done();
}
END_TEST

/* A record is left out if its continuation records are in a segment that is missing. */
START_TEST(a_cut_record_is_left_out)
{
	static const int n_there[] = {1, 2, 2, 0}; /* continuation records that are there: all but one */
	device_dump_begin();
	device_plain_clock(0);
	device_plain_kernel(0, 1, 5000, 6000);
	if (_i == 0)
		device_put(EVENT_device_kernel, 0, 0, 2, 0);
	else if (_i == 1)
		device_put(EVENT_device_data_op, target_data_op_alloc, 0, 2, 0);
	else if (_i == 2)
		device_put(EVENT_device_native, device_native_class_event, UINT64_C(24) << 32, 2, 0);
	else
		device_put(EVENT_device_clock, 0, 0, 7000, 0);
	for (int i = 0; i < n_there[_i]; i++)
		device_put_more(i == 0 ? EVENT_device_times : EVENT_device_host_times, 0, 0, 5000, 6000, 0);
	dump_writer_close_segment(&replay_writer, DEVICE_HERALD);
	replay_writer.streams[DEVICE_HERALD].missing = 2;
	device_put_more(EVENT_device_times, 0, 0, 5000, 6000, 0);
	dump_writer_close_segment(&replay_writer, DEVICE_HERALD);
	device_finish(GRAPH_TASK);
	ck_assert_uint_eq(device_model()->n_activities - 1, 1);
	ck_assert_uint_eq(replay_count_of(&replay_trace.dump.damage, "group_cut"), 1);
	device_check_times(1, 5000, 6000);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("device");
	TCase *tests = tcase_create("device");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, what_overlaps_is_in_several_queues);
	tcase_add_test(tests, a_native_record_of_what_is_known_says_where_it_was);
	tcase_add_loop_test(tests, a_kernel_is_between_its_launch_and_what_comes_next, 0, 3);
	tcase_add_loop_test(tests, the_critical_path_counts_by_the_devices_clock, 0, 3);
	tcase_add_test(tests, an_id_is_of_what_the_record_is_about);
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
