/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of archives share: see otf2_fixture.h.
 */
#include "tests/unit/otf2_fixture.h"
#include "builder/gather/gather.h"
#include "builder/symbols/symbols.h"
#include "builder/otf2/otf2.h"
#include "builder/otf2/mapping.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char otf2_dir[128], otf2_out[128];
struct dump_writer otf2_writer;
uint64_t otf2_now;

static char root[64];
static struct trace trace;

static void remove_tree(const char *path)
{
	char command[256];
	snprintf(command, sizeof command, "rm -rf '%s'", path);
	ck_assert_int_eq(system(command), 0);
}

void otf2_setup(void)
{
	strcpy(root, "/tmp/otter-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(otf2_dir, sizeof otf2_dir, "%s/p-host-1.otter", root);
	snprintf(otf2_out, sizeof otf2_out, "%s/out", root);
	dump_writer_init(&otf2_writer, otf2_dir);
	otf2_now = 2000;
}

void otf2_teardown(void)
{
	remove_tree(root);
}

/* ---- Writing ---- */

void otf2_put(uint32_t stream, unsigned kind, unsigned flags, uint64_t value, uint64_t a, uint64_t b)
{
	dump_writer_record(&otf2_writer, stream, otf2_now += 10, kind, flags, value, a, b);
}

void otf2_schedule(uint32_t stream, uint64_t prior, unsigned status, uint64_t next)
{
	otf2_put(stream, EVENT_task_schedule, status, 0, prior, next);
}

/* A root thread, a region of two threads: implicit tasks 0:2 and 1:1. */
void otf2_begin_program(void)
{
	dump_writer_root(&otf2_writer, 0, otf2_now, 1, 1);
	otf2_put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, 2, 0x1000);
	otf2_put(0, EVENT_implicit_task_begin, task_flags_implicit, 2, id_make(0, 2), 2);
	otf2_put(1, EVENT_thread_attach, 0, 0, 4243, 0);
	otf2_put(1, EVENT_implicit_task_begin, task_flags_implicit, 1, id_make(0, 2), 2 | UINT64_C(1) << 32);
}

void otf2_end_program(void)
{
	otf2_put(1, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(1, 1), UINT64_C(1) << 32);
	otf2_put(1, EVENT_thread_detach, 0, 0, 4243, 0);
	otf2_put(0, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(0, 2), 2);
	otf2_put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	otf2_put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	otf2_put(0, EVENT_thread_detach, 0, 0, 4242, 0);
}

uint64_t otf2_create(uint64_t counter, unsigned flags)
{
	otf2_put(0, EVENT_task_create, task_flags_explicit | flags, counter, otf2_primary, 0x3000);
	return id_make(0, counter);
}

/* Builds the dump's archive and reads it back. */
void otf2_build(size_t n_locations)
{
	static struct progress progress;
	struct sink sink;
	dump_writer_finish(&otf2_writer);
	memset(&trace, 0, sizeof trace);
	ck_assert_int_eq(dump_open(&trace.dump, otf2_dir), 0);
	ck_assert_uint_eq(trace.dump.n_streams, n_locations);
	ck_assert_int_eq(sink_otf2_open(&sink, otf2_out, &trace, 1, false, true), 0);
	ck_assert_int_eq(model_gather(&trace.model, &trace.dump, true), 0);
	ck_assert_int_eq(sink.begin(sink.self, &trace), 0);
	struct visitor visitor = {sink.ops, sink.self};
	ck_assert_int_eq(replay_run(&trace.model, &visitor, 1, &progress), 0);
	struct symbols *symbols = symbols_open();
	symbols_resolve(symbols, &trace.model);
	symbols_close(symbols);
	ck_assert_int_eq(sink.end(sink.self, &trace), 0);
	ck_assert_int_eq(sink.close(sink.self), 0);
	uint64_t id = trace_id_of(&trace, 1);
	model_free(&trace.model);
	dump_close(&trace.dump);

	archive_read(otf2_out, n_locations);
	ck_assert_uint_eq(archive_trace_id, id);
}
