/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Target regions, operations on data and launches on synthetic dumps: what the runtimes that the tests can run do not
 * deliver (asynchronous operations, other numbers of the host, OpenMP 5.0's callbacks, missing ends), and how devices
 * and bytes are determined.
 */
#include "builder/graph/shared.h"
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <string.h>

#define NO_ID 0

static uint64_t op(uint64_t counter)
{
	return id_make(0, counter);
}

static void more(unsigned kind, uint64_t time, uint64_t value, uint64_t a, uint64_t b)
{
	dump_writer_record(&replay_writer, 0, time, kind, 0, value, a, b);
}

static void device(uint64_t number, const char *type)
{
	uint64_t words[3] = {0};
	replay_put(0, EVENT_device_initialize, 0, number, 0x10, strlen(type));
	memcpy(words, type, strlen(type));
	dump_writer_record(&replay_writer, 0, words[0], EVENT_text, (unsigned)strlen(type), 0, words[1], words[2]);
}

static void target_begin(unsigned kind, int number, uint64_t id)
{
	replay_put(0, EVENT_target_begin, kind, (uint32_t)number, id, 0x5000);
	more(EVENT_target_more, 0, 0, op(1), 0);
}

static void target_end(unsigned kind, int number, uint64_t id)
{
	replay_put(0, EVENT_target_end, kind, (uint32_t)number, id, 0x5000);
}

struct data {
	unsigned type;
	int src_device, dest_device;
	uint64_t src, dest, n_bytes;
};

static void data_op(unsigned kind, uint64_t id, uint64_t target, struct data d)
{
	replay_put(0, kind, d.type, (uint32_t)d.src_device, id, 0x5010);
	more(EVENT_target_data_op_more, d.src, (uint32_t)d.dest_device, d.dest, d.n_bytes);
	if (kind != EVENT_target_data_op_end)
		more(EVENT_target_data_op_ids, 0, 0, target, 0);
}

static void begin_and_end(uint64_t id, uint64_t target, struct data d)
{
	data_op(EVENT_target_data_op_begin, id, target, d);
	data_op(EVENT_target_data_op_end, id, target, d);
}

static void submit(unsigned kind, uint64_t id, uint64_t target, unsigned teams)
{
	replay_put(0, kind, 0, teams, id, target);
}

static const struct operation *operation(uint64_t id)
{
	uint32_t row = model_operation(&replay_trace.model, id);
	ck_assert_uint_ne(row, 0);
	return &replay_trace.model.operations[row];
}

/* The nodes of the initial task in order, a letter for each: t target region, d data, s submit. */
static const char *sequence(void)
{
	static char letters[64];
	size_t n = 0;
	for (uint32_t i = 0; i < replay_graph.n_nodes; i++) {
		unsigned kind = replay_graph.nodes[i].kind;
		if (graph_is_operation(kind))
			letters[n++] = *node_kind_name(kind);
	}
	letters[n] = '\0';
	return letters;
}

START_TEST(a_target_region_is_a_sequence_of_its_operations)
{
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	device(0, "generic-64bit");
	target_begin(target_kind_target, 0, op(1));
	data_op(EVENT_target_data_op_begin, op(2), op(1), (struct data){target_data_op_alloc, 4, 0, 0x100, 0, 800});
	data_op(EVENT_target_data_op_end, op(2), op(1), (struct data){target_data_op_alloc, 4, 0, 0x100, 0xd00, 800});
	begin_and_end(op(3), op(1), (struct data){target_data_op_transfer_to_device, 4, 0, 0x100, 0xd00, 800});
	submit(EVENT_target_submit_begin, op(4), op(1), 3);
	submit(EVENT_target_submit_end, op(4), op(1), 3);
	begin_and_end(op(5), op(1), (struct data){target_data_op_transfer_from_device, 0, 4, 0xd00, 0x100, 800});
	begin_and_end(op(6), op(1), (struct data){target_data_op_delete, 0, -1, 0xd00, 0, 0});
	target_end(target_kind_target, 0, op(1));
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	replay_put(0, EVENT_device_finalize, 0, 0, 0, 0);
	replay_build((enum graph_level)_i);
	ck_assert_str_eq(sequence(), "tddsdd");
	ck_assert_uint_eq(replay_n_nodes(NODE_SCOPE_BEGIN), _i == GRAPH_SCOPE);
	ck_assert_uint_eq(replay_n_nodes(NODE_SCOPE_END), _i == GRAPH_SCOPE);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	ck_assert_uint_eq(tally_total(&replay_trace.model.notes->quirks), 0);
	const struct operation *alloc = operation(op(2)), *delete = operation(op(6)), *launch = operation(op(4));
	ck_assert_uint_eq(alloc->dest_address, 0xd00);
	ck_assert_int_eq(alloc->src_device, DEVICE_HOST);
	ck_assert_int_eq(alloc->device, 0);
	ck_assert_int_eq(operation(op(5))->dest_device, DEVICE_HOST);
	ck_assert_int_eq(operation(op(5))->device, 0);
	ck_assert_int_eq(delete->dest_device, DEVICE_HOST);
	ck_assert_uint_eq(delete->n_bytes, 800);
	ck_assert_uint_eq(launch->requested, 3);
	ck_assert_int_eq(launch->device, 0);
	ck_assert_uint_eq(launch->target, model_target(&replay_trace.model, op(1)));
	ck_assert_uint_gt(alloc->end_ticks, alloc->begin_ticks);
	ck_assert_str_eq(replay_trace.model.devices[0].type, "generic-64bit");
	ck_assert_uint_ne(replay_trace.model.devices[0].end_ticks, 0);
	/* The id of a submit does not find a region. */
	ck_assert_uint_eq(model_target(&replay_trace.model, op(4)), 0);
	replay_done();
}
END_TEST

START_TEST(runtimes_of_openmp_50_report_no_ends)
{
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	target_begin(target_kind_enter_data, 0, NO_ID); /* LLVM's runtime gives no id here */
	data_op(EVENT_target_data_op, 7, NO_ID, (struct data){target_data_op_alloc, -1, 0, 0x100, 0xd00, 64});
	target_end(target_kind_enter_data, 0, NO_ID);
	target_begin(target_kind_target, 0, 8);
	submit(EVENT_target_submit, 9, 8, 1);
	target_end(target_kind_target, 0, 8);
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(sequence(), "tdts");
	ck_assert_uint_eq(replay_n_repairs(), 0);
	ck_assert(operation(7)->is_instant);
	ck_assert_uint_eq(operation(7)->end_ticks, operation(7)->begin_ticks);
	ck_assert_uint_eq(replay_trace.model.operations[operation(7)->target].kind, target_kind_enter_data);
	ck_assert_uint_eq(operation(9)->target, model_target(&replay_trace.model, 8));
	replay_done();
}
END_TEST

START_TEST(asynchronous_operations_are_those_of_their_kind)
{
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	begin_and_end(op(1), 0, (struct data){target_data_op_transfer_to_device_async, -1, 0, 0x100, 0xd00, 64});
	begin_and_end(op(2), 0, (struct data){target_data_op_memset_async, -1, 1, 0x100, 0xd00, 32});
	begin_and_end(op(3), 0, (struct data){target_data_op_transfer, 1, 0, 0xd00, 0xe00, 16});
	begin_and_end(op(4), 0, (struct data){2000, 1, 0, 0xd00, 0xe00, 16}); /* a kind of a later version */
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	replay_build(GRAPH_FRAGMENT);
	ck_assert_str_eq(sequence(), "dddd");
	ck_assert_uint_eq(replay_n_repairs(), 0);
	ck_assert_uint_eq(operation(op(1))->kind, target_data_op_transfer_to_device);
	ck_assert(operation(op(1))->is_async && operation(op(2))->is_async && !operation(op(3))->is_async);
	ck_assert_uint_eq(operation(op(2))->kind, target_data_op_memset);
	ck_assert_int_eq(operation(op(2))->device, 1);
	ck_assert_int_eq(operation(op(3))->src_device, 1);
	ck_assert_int_eq(operation(op(3))->device, 0);
	ck_assert_uint_eq(operation(op(1))->target, 0);
	/* At the fragment level an operation's time is its node's, and not its task's. */
	uint64_t busy_ticks = 0;
	for (uint32_t i = 0; i < replay_graph.n_nodes; i++)
		if (replay_graph.nodes[i].kind == NODE_DATA_OP &&
		    &replay_trace.model.operations[replay_graph.nodes[i].operation] == operation(op(1)))
			busy_ticks = replay_graph.nodes[i].busy_ticks;
	ck_assert_uint_eq(busy_ticks, operation(op(1))->end_ticks - operation(op(1))->begin_ticks);
	replay_done();
}
END_TEST

START_TEST(what_has_no_end_is_closed_and_counted)
{
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	target_begin(target_kind_target, 0, op(1));
	data_op(EVENT_target_data_op_begin, op(2), op(1), (struct data){target_data_op_alloc, -1, 0, 0x100, 0, 8});
	target_end(target_kind_target, 0, op(1));
	target_end(target_kind_update, 0, op(9));
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	replay_build(GRAPH_TASK);
	ck_assert_str_eq(sequence(), "td");
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->repairs, "scope_without_end"), 1);
	ck_assert_uint_eq(replay_count_of(&replay_trace.model.notes->repairs, "scope_end_without_begin"), 1);
	ck_assert_uint_eq(replay_n_repairs(), 2);
	replay_done();
}
END_TEST

START_TEST(memory_is_freed_in_the_size_of_its_latest_allocation)
{
	static const struct {
		uint64_t address, n_bytes;
		int device;
	} all[] = {{0xd00, 8, 0}, {0xd00, 16, 1}, {0xe00, 32, 0}};
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	for (unsigned i = 0; i < 3; i++)
		begin_and_end(op(1 + i), 0,
			      (struct data){target_data_op_alloc, -1, all[i].device, 0, all[i].address, all[i].n_bytes});
	for (unsigned i = 0; i < 3; i++)
		begin_and_end(op(11 + i), 0, (struct data){target_data_op_delete, all[i].device, -1, all[i].address, 0, 0});
	begin_and_end(op(21), 0, (struct data){target_data_op_alloc, -1, 0, 0, 0xd00, 64});
	begin_and_end(op(22), 0, (struct data){target_data_op_delete, 0, -1, 0xd00, 0, 0});
	begin_and_end(op(23), 0, (struct data){target_data_op_delete, 0, -1, 0xf00, 0, 0});
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	replay_build(GRAPH_TASK);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(operation(op(11 + i))->n_bytes, all[i].n_bytes);
	ck_assert_uint_eq(operation(op(22))->n_bytes, 64);
	ck_assert_uint_eq(operation(op(23))->n_bytes, 0);
	replay_done();
}
END_TEST

/* All allocations fail, with LLVM's runtime and with another one; or one succeeds. */
START_TEST(memory_that_was_not_given_does_not_count)
{
	bool is_known = _i != 1, has_good = _i == 2;
	struct data given = {target_data_op_alloc, -1, 0, 0, 0xd00, 64}, refused = {target_data_op_alloc, -1, 0, 0, 0, 4096};
	if (_i > 0)
		replay_writer.runtime = "another runtime";
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	device(0, "generic-64bit");
	begin_and_end(op(1), 0, refused);
	data_op(EVENT_target_data_op_begin, op(3), 0, refused); /* its end is missing */
	if (has_good)
		begin_and_end(op(2), 0, given);
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	replay_build(GRAPH_TASK);
	ck_assert_int_eq(operation(op(1))->has_failed, is_known);
	ck_assert(!operation(op(3))->has_failed);
	ck_assert_uint_eq(operation(op(1))->n_bytes, 4096);
	if (has_good)
		ck_assert(!operation(op(2))->has_failed);
	replay_done();
}
END_TEST

/* A forked child's runtime has the devices of its parent, and announces none of them. */
START_TEST(devices_that_nobody_announced_are_those_that_something_is_done_to)
{
	dump_writer_root(&replay_writer, 0, replay_now, 1, 1);
	target_begin(target_kind_target, 3, op(1));
	begin_and_end(op(2), op(1), (struct data){target_data_op_alloc, 4, 0, 0x100, 0xd00, 64});
	target_end(target_kind_target, 3, op(1));
	begin_and_end(op(3), 0, (struct data){target_data_op_transfer_to_device, 4, 1, 0x100, 0xd00, 64});
	begin_and_end(op(4), 0, (struct data){target_data_op_transfer_from_device, 2, 4, 0xd00, 0x100, 64});
	/* A copy between devices: device 0 is the source, where otherwise the host is. */
	begin_and_end(op(5), 0, (struct data){target_data_op_transfer_to_device, 0, 2, 0xd00, 0xd00, 64});
	begin_and_end(op(6), 0, (struct data){target_data_op_memset, 4, 1, 0, 0xd00, 64});
	replay_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	replay_build(GRAPH_TASK);
	const struct model *m = &replay_trace.model;
	ck_assert_uint_eq(m->n_devices, 4);
	for (int number = 0; number < 5; number++)
		ck_assert_int_eq(model_is_device(m, number), number < 4);
	ck_assert_int_eq(m->operations[model_target(m, op(1))].device, 3);
	ck_assert_int_eq(operation(op(2))->src_device, DEVICE_HOST);
	ck_assert_int_eq(operation(op(3))->src_device, DEVICE_HOST);
	ck_assert_int_eq(operation(op(4))->dest_device, DEVICE_HOST);
	ck_assert_int_eq(operation(op(5))->src_device, 0);
	ck_assert_int_eq(operation(op(6))->src_device, DEVICE_HOST);
	ck_assert_uint_eq(replay_n_repairs(), 0);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_loop_test(tests, a_target_region_is_a_sequence_of_its_operations, GRAPH_SCOPE, GRAPH_FRAGMENT + 1);
	tcase_add_test(tests, runtimes_of_openmp_50_report_no_ends);
	tcase_add_test(tests, asynchronous_operations_are_those_of_their_kind);
	tcase_add_test(tests, what_has_no_end_is_closed_and_counted);
	tcase_add_test(tests, memory_is_freed_in_the_size_of_its_latest_allocation);
	tcase_add_loop_test(tests, memory_that_was_not_given_does_not_count, 0, 3);
	tcase_add_test(tests, devices_that_nobody_announced_are_those_that_something_is_done_to);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
