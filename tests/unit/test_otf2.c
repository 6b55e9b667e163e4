/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The OTF2 sink on synthetic dumps: written by the sink, read back by OTF2's own reader, compared as text. What no real program gives
 * on demand; whole archives of real programs are read by tests/otf2_check.py.
 *
 * An event is a letter and what it names: <parallel >parallel (Enter, Leave of a region kind), F J (fork, join), T t (team begin, end),
 * C1.7 S1.7 D1.7 (task created, switched to, done: rank and generation), A3 R3 (acquisition and release), on off, flush, B E (program).
 */
#include "builder/otf2.h"
#include "builder/symbols.h"
#include "tests/unit/dump_writer.h"

#include <check.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char root[64], dir[128], out[128];
static struct dump_writer w;
static struct trace trace;
static uint64_t now;

/* What was read back. */
static char text[2][4096];
static uint64_t times[2][256];
static unsigned n_events[2], n_defined[2], n_fragments;
static uint64_t clock_first, clock_length;
static char *strings[256];
static uint32_t region_names[64];

static void remove_tree(const char *path)
{
	char command[256];
	snprintf(command, sizeof command, "rm -rf '%s'", path);
	ck_assert_int_eq(system(command), 0);
}

static void setup(void)
{
	strcpy(root, "/tmp/otter-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(dir, sizeof dir, "%s/p-host-1.otter", root);
	snprintf(out, sizeof out, "%s/out", root);
	dump_writer_init(&w, dir);
	now = 2000;
}

static void teardown(void)
{
	remove_tree(root);
}

/* ---- Writing ---- */

static void put(uint32_t stream, unsigned kind, unsigned flags, uint64_t value, uint64_t a, uint64_t b)
{
	dump_writer_record(&w, stream, now += 10, kind, flags, value, a, b);
}

static void schedule(uint32_t stream, uint64_t prior, unsigned status, uint64_t next)
{
	put(stream, EVENT_task_schedule, status, 0, prior, next);
}

/* A root thread, a region of two threads: implicit tasks 0:2 and 1:1. */
static void begin_program(void)
{
	dump_writer_root(&w, 0, now, 1, 1);
	put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, 2, 0x1000);
	put(0, EVENT_implicit_task_begin, task_flags_implicit, 2, id_make(0, 2), 2);
	put(1, EVENT_thread_attach, 0, 0, 4243, 0);
	put(1, EVENT_implicit_task_begin, task_flags_implicit, 1, id_make(0, 2), 2 | UINT64_C(1) << 32);
}

static void end_program(void)
{
	put(1, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(1, 1), UINT64_C(1) << 32);
	put(1, EVENT_thread_detach, 0, 0, 4243, 0);
	put(0, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(0, 2), 2);
	put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	put(0, EVENT_thread_detach, 0, 0, 4242, 0);
}

static const uint64_t primary = UINT64_C(2) << ID_STREAM_BITS, worker = UINT64_C(1) << ID_STREAM_BITS | 1;

static uint64_t create(uint64_t counter, unsigned flags)
{
	put(0, EVENT_task_create, task_flags_explicit | flags, counter, primary, 0x3000);
	return id_make(0, counter);
}

/* ---- Reading ---- */

static OTF2_CallbackCode add(OTF2_LocationRef location, OTF2_TimeStamp time, const char *format, ...)
{
	unsigned i = (unsigned)(location >> 32);
	size_t n = strlen(text[i]);
	va_list arguments;
	va_start(arguments, format);
	n += (size_t)snprintf(text[i] + n, sizeof text[i] - n, n > 0 ? " " : "");
	vsnprintf(text[i] + n, sizeof text[i] - n, format, arguments);
	va_end(arguments);
	times[i][n_events[i]++] = time;
	return OTF2_CALLBACK_SUCCESS;
}

#define EVENT_ARGUMENTS OTF2_LocationRef l, OTF2_TimeStamp t, uint64_t position, void *user, OTF2_AttributeList *attributes
#define UNUSED          (void)position, (void)user, (void)attributes

/* "create task@0x3000" is "create task" here. */
static OTF2_CallbackCode on_region(OTF2_LocationRef l, OTF2_TimeStamp t, char sign, OTF2_RegionRef region)
{
	const char *name = strings[region_names[region]];
	return add(l, t, "%c%.*s", sign, (int)strcspn(name, "@"), name);
}

static OTF2_CallbackCode on_enter(EVENT_ARGUMENTS, OTF2_RegionRef region)
{
	UNUSED;
	n_fragments += OTF2_AttributeList_GetNumberOfElements(attributes);
	return on_region(l, t, '<', region);
}

static OTF2_CallbackCode on_leave(EVENT_ARGUMENTS, OTF2_RegionRef region)
{
	UNUSED;
	return on_region(l, t, '>', region);
}

static OTF2_CallbackCode on_fork(EVENT_ARGUMENTS, OTF2_Paradigm model, uint32_t requested)
{
	UNUSED, (void)model;
	return add(l, t, "F%u", requested);
}

static OTF2_CallbackCode on_join(EVENT_ARGUMENTS, OTF2_Paradigm model)
{
	UNUSED, (void)model;
	return add(l, t, "J");
}

static OTF2_CallbackCode on_team_begin(EVENT_ARGUMENTS, OTF2_CommRef comm)
{
	UNUSED, (void)comm;
	return add(l, t, "T");
}

static OTF2_CallbackCode on_team_end(EVENT_ARGUMENTS, OTF2_CommRef comm)
{
	UNUSED, (void)comm;
	return add(l, t, "t");
}

static OTF2_CallbackCode on_create(EVENT_ARGUMENTS, OTF2_CommRef comm, uint32_t thread, uint32_t generation)
{
	UNUSED, (void)comm;
	return add(l, t, "C%u.%u", thread, generation);
}

static OTF2_CallbackCode on_switch(EVENT_ARGUMENTS, OTF2_CommRef comm, uint32_t thread, uint32_t generation)
{
	UNUSED, (void)comm;
	return add(l, t, "S%u.%u", thread, generation);
}

static OTF2_CallbackCode on_complete(EVENT_ARGUMENTS, OTF2_CommRef comm, uint32_t thread, uint32_t generation)
{
	UNUSED, (void)comm;
	OTF2_StringRef status;
	bool has_status = OTF2_AttributeList_GetNumberOfElements(attributes) == 1 &&
			  OTF2_AttributeList_GetStringRef(attributes, 1, &status) == OTF2_SUCCESS;
	return add(l, t, "D%u.%u%s%s", thread, generation, has_status ? ":" : "", has_status ? strings[status] : "");
}

static OTF2_CallbackCode on_acquire(EVENT_ARGUMENTS, OTF2_Paradigm model, uint32_t lock, uint32_t order)
{
	UNUSED, (void)model, (void)lock;
	return add(l, t, "A%u", order);
}

static OTF2_CallbackCode on_release(EVENT_ARGUMENTS, OTF2_Paradigm model, uint32_t lock, uint32_t order)
{
	UNUSED, (void)model, (void)lock;
	return add(l, t, "R%u", order);
}

static OTF2_CallbackCode on_measurement(EVENT_ARGUMENTS, OTF2_MeasurementMode mode)
{
	UNUSED;
	return add(l, t, mode == OTF2_MEASUREMENT_ON ? "on" : "off");
}

static OTF2_CallbackCode on_flush(EVENT_ARGUMENTS, OTF2_TimeStamp stop)
{
	UNUSED, (void)stop;
	return add(l, t, "flush");
}

static OTF2_CallbackCode on_program_begin(EVENT_ARGUMENTS, OTF2_StringRef name, uint32_t n, const OTF2_StringRef *arguments)
{
	UNUSED, (void)name, (void)n, (void)arguments;
	return add(l, t, "B");
}

static OTF2_CallbackCode on_program_end(EVENT_ARGUMENTS, int64_t status)
{
	UNUSED, (void)status;
	return add(l, t, "E");
}

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t realtime)
{
	(void)user, (void)resolution, (void)realtime;
	clock_first = offset;
	clock_length = length;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *string)
{
	(void)user;
	strings[self] = strdup(string);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region_def(void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
				       OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
				       OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin_line, uint32_t end_line)
{
	(void)user, (void)canonical, (void)description, (void)role, (void)paradigm, (void)flags, (void)file, (void)begin_line,
		(void)end_line;
	region_names[self] = name;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type, uint64_t n,
				     OTF2_LocationGroupRef group)
{
	(void)user, (void)name, (void)type, (void)group;
	n_defined[self >> 32] = (unsigned)n;
	return OTF2_CALLBACK_SUCCESS;
}

static void read_definitions(OTF2_Reader *reader)
{
	OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
	OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region_def);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
	OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, NULL);
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
	uint64_t n;
	ck_assert_int_eq(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n), OTF2_SUCCESS);
}

static void read_events(OTF2_Reader *reader, OTF2_LocationRef location)
{
	OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location);
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
	OTF2_EvtReaderCallbacks_SetThreadForkCallback(callbacks, on_fork);
	OTF2_EvtReaderCallbacks_SetThreadJoinCallback(callbacks, on_join);
	OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(callbacks, on_team_begin);
	OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(callbacks, on_team_end);
	OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback(callbacks, on_create);
	OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback(callbacks, on_switch);
	OTF2_EvtReaderCallbacks_SetThreadTaskCompleteCallback(callbacks, on_complete);
	OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(callbacks, on_acquire);
	OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(callbacks, on_release);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(callbacks, on_measurement);
	OTF2_EvtReaderCallbacks_SetBufferFlushCallback(callbacks, on_flush);
	OTF2_EvtReaderCallbacks_SetProgramBeginCallback(callbacks, on_program_begin);
	OTF2_EvtReaderCallbacks_SetProgramEndCallback(callbacks, on_program_end);
	OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, NULL);
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	uint64_t n;
	ck_assert_int_eq(OTF2_Reader_ReadAllLocalEvents(reader, events, &n), OTF2_SUCCESS);
	ck_assert_uint_eq(n, n_defined[location >> 32]);
	OTF2_Reader_CloseEvtReader(reader, events);
}

/* Builds the dump's archive and reads it back. */
static void build(size_t n_locations)
{
	static struct progress progress;
	struct sink sink;
	dump_writer_finish(&w);
	memset(&trace, 0, sizeof trace);
	ck_assert_int_eq(dump_open(&trace.dump, dir), 0);
	ck_assert_uint_eq(trace.dump.n_streams, n_locations);
	ck_assert_int_eq(sink_otf2_open(&sink, out, &trace, 1), 0);
	ck_assert_int_eq(model_gather(&trace.model, &trace.dump), 0);
	ck_assert_int_eq(sink.begin(sink.self, &trace), 0);
	struct visitor visitor = {sink.ops, sink.self};
	ck_assert_int_eq(replay_run(&trace.model, &visitor, 1, &progress), 0);
	ck_assert_int_eq(symbols_resolve(&trace.model), 0);
	ck_assert_int_eq(sink.end(sink.self, &trace), 0);
	ck_assert_int_eq(sink.close(sink.self), 0);
	model_free(&trace.model);
	dump_close(&trace.dump);

	char anchor[160];
	snprintf(anchor, sizeof anchor, "%s/trace.otf2", out);
	OTF2_Reader *reader = OTF2_Reader_Open(anchor);
	ck_assert_ptr_nonnull(reader);
	OTF2_Reader_SetSerialCollectiveCallbacks(reader);
	read_definitions(reader);
	for (size_t i = 0; i < n_locations; i++)
		OTF2_Reader_SelectLocation(reader, (uint64_t)i << 32);
	OTF2_Reader_OpenEvtFiles(reader);
	for (size_t i = 0; i < n_locations; i++)
		read_events(reader, (uint64_t)i << 32);
	OTF2_Reader_CloseEvtFiles(reader);
	OTF2_Reader_Close(reader);
}

/* The frame around what a test does on either thread. */
#define ON_PRIMARY(events) "B <initial task F2 T <parallel" events " >parallel t J >initial task E"
#define ON_WORKER(events)  "T <parallel" events " >parallel t"

/* ---- Tests ---- */

START_TEST(a_task_is_created_entered_left_and_completed)
{
	begin_program();
	uint64_t task = create(3, 0);
	schedule(0, primary, task_status_switch, task);
	schedule(0, task, task_status_complete, primary);
	end_program();
	build(2);
	ck_assert_str_eq(text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <task >task D0.3 S0.0"));
	ck_assert_str_eq(text[1], ON_WORKER(""));
	ck_assert_uint_eq(times[0][0], clock_first);
	ck_assert_uint_eq(times[0][n_events[0] - 1], clock_first + clock_length);
}
END_TEST

START_TEST(a_task_that_moves_leaves_its_regions_and_enters_them_again)
{
	begin_program();
	uint64_t task = create(3, task_flags_untied);
	schedule(0, primary, task_status_switch, task);
	put(0, EVENT_sync_region_begin, sync_kind_taskwait, 0, task, 0x4000);
	schedule(0, task, task_status_switch, primary);
	schedule(1, worker, task_status_switch, task);
	put(1, EVENT_sync_region_end, sync_kind_taskwait, 0, task, 0x4000);
	schedule(1, task, task_status_complete, worker);
	end_program();
	build(2);
	ck_assert_str_eq(text[0],
			 ON_PRIMARY(" <create task C0.3 >create task S0.3 <untied task <taskwait >taskwait >untied task S0.0"));
	ck_assert_str_eq(text[1], ON_WORKER(" S0.3 <untied task <taskwait >taskwait >untied task D0.3 S1.0"));
	ck_assert_uint_eq(n_fragments, 2); /* both regions that were entered again say so */
}
END_TEST

START_TEST(a_task_that_the_implicit_task_goes_on_without_is_left)
{
	begin_program();
	uint64_t task = create(3, task_flags_untied);
	schedule(0, primary, task_status_yield, task);
	schedule(0, task, task_status_switch, primary);
	put(0, EVENT_sync_region_begin, sync_kind_barrier_explicit, 0, primary, 0x4000);
	schedule(0, primary, task_status_switch, task);
	schedule(0, task, task_status_complete, primary);
	put(0, EVENT_sync_region_end, sync_kind_barrier_explicit, 0, primary, 0x4000);
	end_program();
	build(2);
	ck_assert_str_eq(text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <untied task >untied task S0.0 <barrier"
					     " S0.3 <untied task >untied task D0.3 S0.0 >barrier"));
}
END_TEST

START_TEST(a_discarded_task_begins_and_ends_where_it_is_discarded)
{
	begin_program();
	uint64_t task = create(3, 0);
	put(0, EVENT_cancel, cancel_flags_taskgroup | cancel_flags_discarded_task, 0, task, 0);
	schedule(0, task, task_status_cancel, primary);
	end_program();
	build(2);
	ck_assert_str_eq(text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <task >task D0.3:cancel S0.0"));
}
END_TEST

START_TEST(a_detached_task_completes_where_a_member_fulfils_it)
{
	begin_program();
	uint64_t task = create(3, 0);
	schedule(0, primary, task_status_switch, task);
	schedule(0, task, task_status_detach, primary);
	schedule(1, task, task_status_late_fulfill, 0);
	end_program();
	build(2);
	ck_assert_str_eq(text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <task >task S0.0"));
	ck_assert_str_eq(text[1], ON_WORKER(" S0.3 D0.3 S1.0"));
}
END_TEST

/* The begin of its thread's own task is missing, so that one cannot go on; and yet the detached one does not either. */
START_TEST(a_detached_task_is_over_where_nothing_is_known_to_go_on)
{
	dump_writer_root(&w, 0, now, 1, 1);
	put(0, EVENT_parallel_begin, parallel_flags_invoker_runtime | parallel_flags_team, 2, 2, 0x1000);
	put(0, EVENT_implicit_task_begin, task_flags_implicit, 2, id_make(0, 2), 2);
	uint64_t task = create(3, 0);
	w.streams[1].n_tasks = 1;
	schedule(1, worker, task_status_switch, task);
	schedule(1, task, task_status_detach, worker);
	put(0, EVENT_task_schedule, task_status_late_fulfill, 0, task, 0);
	put(1, EVENT_thread_detach, 0, 0, 4243, 0);
	put(0, EVENT_implicit_task_end, task_flags_implicit, 0, id_make(0, 2), 2);
	put(0, EVENT_parallel_end, parallel_flags_team, 2, id_make(0, 1), 0x1000);
	put(0, EVENT_implicit_task_end, task_flags_initial, 0, id_make(0, 1), UINT64_C(1) << 32);
	put(0, EVENT_thread_detach, 0, 0, 4242, 0);
	build(2);
	ck_assert_str_eq(text[1], "S0.3 <task >task S0.0");
}
END_TEST

START_TEST(what_a_killed_process_had_open_is_closed)
{
	begin_program();
	uint64_t task = create(3, 0);
	schedule(0, primary, task_status_switch, task);
	put(0, EVENT_sync_region_begin, sync_kind_taskwait, 0, task, 0x4000);
	w.is_killed = w.streams[0].is_live = w.streams[1].is_live = true;
	build(2);
	ck_assert_str_eq(text[0],
			 "B <initial task F2 T <parallel <create task C0.3 >create task S0.3 <task <taskwait >taskwait >task"
			 " D0.3:unfinished S0.0 >parallel t J >initial task E");
	ck_assert_str_eq(text[1], ON_WORKER(""));
}
END_TEST

START_TEST(a_task_runs_after_its_creation_whatever_the_clocks_say)
{
	begin_program();
	uint64_t created = now + 10;
	uint64_t task = create(3, 0);
	now -= 5; /* the other processor's clock is behind */
	dump_writer_record(&w, 1, created - 2, EVENT_task_schedule, task_status_switch, 0, worker, task);
	now = created + 20;
	schedule(1, task, task_status_complete, worker);
	end_program();
	build(2);
	ck_assert_str_eq(text[1], ON_WORKER(" S0.3 <task >task D0.3 S1.0"));
	ck_assert_uint_eq(times[1][2], created + 1);
}
END_TEST

START_TEST(critical_regions_are_numbered_over_all_threads)
{
	begin_program();
	for (uint32_t stream = 2; stream-- > 0;) {
		put(stream, EVENT_mutex_acquire, mutex_kind_critical, 0, 0x5000, 0x6000);
		put(stream, EVENT_mutex_acquired, mutex_kind_critical, 0, 0x5000, 0x6000);
		put(stream, EVENT_mutex_released, mutex_kind_critical, 0, 0x5000, stream == 0 ? 0x6000 : 0); /* quirk Q9 */
	}
	end_program();
	build(2);
	ck_assert_str_eq(text[0], ON_PRIMARY(" <critical A2 <critical sblock >critical sblock R2 >critical"));
	ck_assert_str_eq(text[1], ON_WORKER(" <critical A1 <critical sblock >critical sblock R1 >critical"));
}
END_TEST

START_TEST(a_lock_that_is_only_tried_is_nothing)
{
	begin_program();
	put(0, EVENT_mutex_acquire, mutex_kind_test_lock, 0, 0x5000, 0x6000);
	put(0, EVENT_mutex_acquire, mutex_kind_lock, 0, 0x5000, 0x6000);
	put(0, EVENT_mutex_acquired, mutex_kind_lock, 0, 0x5000, 0x6000);
	put(0, EVENT_mutex_released, mutex_kind_lock, 0, 0x5000, 0x6010);
	end_program();
	build(2);
	ck_assert_str_eq(text[0], ON_PRIMARY(" <omp_set_lock A1 >omp_set_lock <omp_unset_lock R1 >omp_unset_lock"));
}
END_TEST

START_TEST(nothing_happens_while_recording_was_off)
{
	begin_program();
	uint64_t task = create(3, 0);
	schedule(0, primary, task_status_switch, task);
	put(0, EVENT_recording_off, off_reason_paused, 0, 0, 0);
	put(0, EVENT_recording_on, 0, 0, task, id_make(0, 2));
	put(0, EVENT_buffer_flush, 0, 4096, now + 12, 0);
	schedule(0, task, task_status_complete, primary);
	end_program();
	build(2);
	ck_assert_str_eq(text[0], ON_PRIMARY(" <create task C0.3 >create task S0.3 <task off on flush >task D0.3 S0.0"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("otf2");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_task_is_created_entered_left_and_completed);
	tcase_add_test(tests, a_task_that_moves_leaves_its_regions_and_enters_them_again);
	tcase_add_test(tests, a_task_that_the_implicit_task_goes_on_without_is_left);
	tcase_add_test(tests, a_discarded_task_begins_and_ends_where_it_is_discarded);
	tcase_add_test(tests, a_detached_task_completes_where_a_member_fulfils_it);
	tcase_add_test(tests, a_detached_task_is_over_where_nothing_is_known_to_go_on);
	tcase_add_test(tests, what_a_killed_process_had_open_is_closed);
	tcase_add_test(tests, a_task_runs_after_its_creation_whatever_the_clocks_say);
	tcase_add_test(tests, critical_regions_are_numbered_over_all_threads);
	tcase_add_test(tests, a_lock_that_is_only_tried_is_nothing);
	tcase_add_test(tests, nothing_happens_while_recording_was_off);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
