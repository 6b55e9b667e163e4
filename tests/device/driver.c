/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A process with an OpenMP runtime that has devices, both played: loads a tool as a runtime does (ompt_start_tool), tells it what a program with
 * target constructs does, and lets fake devices deliver what happened on them. driver TOOL SCENARIO WITNESS: the witness is a file of lines
 * that say what happened, by the host's counter, in the driver's own words; tests/device.py compares it with what a builder makes of the dump.
 *
 *	clock counter|monotonic         which clock the times are of
 *	kernel DEVICE ID BEGIN END REQUESTED GRANTED
 *	data DEVICE ID BEGIN END OPTYPE BYTES SRC DEST       -1: the host
 *	native DEVICE ID BEGIN END HWID TYPE
 *	untimed DEVICE ID               a kernel whose times make no sense
 *	invalid N, other N              records that cannot be read, or that nobody asked for
 *	calls NAME N ...                what the tool called
 *
 * Ids are those that the tool gave (host_op_id). What a device did while it was not traced is not in the witness.
 */
#include "tests/device/program.h"
#include "tests/device/fake_runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Scenarios ---- */

/* All of it, as a good device does it: on both devices; buffers in parts, in one for both, on other threads; pause, flush; clocks that drift. */
static void play_whole(void)
{
	fake.drift_ppm = 100000;
	for (unsigned i = 0; i < 3; i++)
		program_offload(0, i);
	fake_complete(0, false); /* a part */
	program_offload(0, 3);
	program_complete_elsewhere(0, true); /* the rest, and the buffer */
	fake_share_buffers(true);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 2)
			fake_drift(); /* between two readings: only its own translation knows */
		program_offload((int)(i % 2), 10 + i);
	}
	program_complete_elsewhere(1, false);
	program_complete_elsewhere(0, true); /* both devices' records are out */
	fake_share_buffers(false);

	/* Between two devices, without the host; asynchronous. */
	ompt_data_t target = program_target_region(1);
	struct fake_activity copy = program_data_op(1, &target, ompt_target_data_transfer_to_device_async, 0, 1, 4096);
	program_end_target_region(1, &target);
	program_see_data(&copy);

	/* In the device's own words: where it was, of a kernel that is told of already; and something that no other record has. */
	target = program_target_region(0);
	struct fake_activity run = program_kernel(0, &target, 2, 2);
	program_end_target_region(0, &target);
	program_see_kernel(&run);
	run.type = "kernel dispatch";
	run.hwid = 7;
	program_see_native(&run);
	struct fake_activity barrier = {.device = 0, .begin = fake_now(), .type = "barrier-and \"packet\"", .hwid = 9};
	program_wait_ticks(3000);
	barrier.end = fake_now();
	program_see_native(&barrier);
	fake_native_info(0, "104 compute units");
	if (fake_other(0, fake_now()))
		fprintf(program_witness, "other 1\n");

	/* Two kernels at once on one place: they cannot share a queue. */
	target = program_target_region(0);
	struct fake_activity first = program_kernel(0, &target, 16, 16);
	struct fake_activity second = program_kernel(0, &target, 32, 32);
	program_end_target_region(0, &target);
	first.end = second.begin + (second.end - second.begin) / 2;
	program_see_kernel(&second);
	program_see_kernel(&first);

	program_control(PROGRAM_FLUSH);
	program_offload(0, 30);
	program_control(PROGRAM_PAUSE);
	program_complete_elsewhere(0, false); /* what happened before counts */
	program_offload(0, 100);              /* nothing of it is traced */
	program_control(PROGRAM_START);
	program_offload(1, 20);
	fake_return_empty(0);
	fake_complete(0, true);
	fake_complete(1, true);
}

/* A device that is slow to tell: some of it behind its finalization, and the tool's, on a thread of its own. */
static void play_late(void)
{
	program_offload(0, 1);
	fake_complete(0, true);
	program_offload(0, 2);
	program_offload(1, 3);
}

static void end_late(void)
{
	program_complete_elsewhere(0, true);
	fake_complete(1, true);
}

/* A device that gives every buffer back at once: more of them than there are. */
static void play_returns(void)
{
	ompt_data_t target = program_target_region(0);
	for (unsigned i = 0; i < 200; i++) {
		struct fake_activity run = program_kernel(0, &target, 1, i);
		program_see_kernel(&run);
		fake_complete(0, true);
	}
	program_end_target_region(0, &target);
	fake_complete(0, true);
}

/* A thread of the device's runtime that lives as long as the process. */
static void *deliver_and_stay(void *argument)
{
	pthread_barrier_t *delivered = argument;
	fake_complete(0, true);
	pthread_barrier_wait(delivered);
	for (;;)
		pause();
	return NULL;
}

static void play_lingers(void)
{
	static pthread_barrier_t delivered;
	pthread_t thread;
	program_offload(0, 1);
	pthread_barrier_init(&delivered, NULL, 2);
	if (pthread_create(&thread, NULL, deliver_and_stay, &delivered) != 0)
		exit(1);
	pthread_barrier_wait(&delivered);
}

/* A device that gives no buffer back. */
static void play_hungry(void)
{
	fake.never_returns = true;
	ompt_data_t target = program_target_region(0);
	for (unsigned i = 0; i < 70; i++) {
		struct fake_activity run = program_kernel(0, &target, 1, i);
		program_see_kernel(&run);
		fake_complete(0, true);
	}
	program_end_target_region(0, &target);
}

/* What no device should do. */
static void play_wrong(void)
{
	ompt_data_t target = program_target_region(0);
	struct fake_activity run = program_kernel(0, &target, 1, 1);
	uint64_t begin = run.begin;
	run.begin = run.end;
	run.end = begin;
	program_see_untimed(&run); /* over before it began */
	run = program_kernel(0, &target, 1, 2);
	run.end = 0;
	program_see_untimed(&run); /* no end */
	fake_invalid(0);
	fake_invalid(0);
	fprintf(program_witness, "invalid 2\n");
	struct fake_activity good = program_kernel(0, &target, 1, 3);
	program_see_kernel(&good);
	program_end_target_region(0, &target);
	fake_complete(0, true);
	fake_complete_nonsense();
}

/* A cursor that does not move: one record, and an end. */
static void play_still(void)
{
	fake.stands_still = true;
	ompt_data_t target = program_target_region(0);
	struct fake_activity run = program_kernel(0, &target, 1, 1);
	program_end_target_region(0, &target);
	fake_complete(0, true);
	program_see_kernel(&run);
	fake_complete(0, true);
	program_offload(0, 2);
	fake_complete(0, true);
}

static void *offload_much(void *argument)
{
	int device = *(const int *)argument;
	for (unsigned i = 0; i < 500; i++)
		fake_complete(device, i % 8 == 7);
	return NULL;
}

/* Buffers that several threads deliver at the same time, while the host goes on. */
static void play_threads(void)
{
	static const int numbers[N_DEVICES] = {0, 1};
	for (unsigned i = 0; i < 1000; i++)
		program_offload((int)(i % N_DEVICES), i);
	pthread_t threads[N_DEVICES];
	for (int i = 0; i < N_DEVICES; i++)
		if (pthread_create(&threads[i], NULL, offload_much, (void *)(uintptr_t)&numbers[i]) != 0)
			exit(1);
	for (int i = 0; i < N_DEVICES; i++)
		pthread_join(threads[i], NULL);
}

static void play_plain(void)
{
	program_offload(0, 1);
	program_offload(1, 2);
	program_control(PROGRAM_FLUSH);
	fake_complete(0, true);
	fake_complete(1, true);
}

static void play_crowd(void)
{
	program_crowd(50);
}

/* Ids that are nobody's, and another's; and work that the host did not ask for. */
static void play_astray(void)
{
	ompt_data_t target = program_target_region(0);
	struct fake_activity copy = program_data_op(0, &target, ompt_target_data_transfer_to_device, HOST_NUMBER, 0, 100);
	struct fake_activity run = program_kernel(0, &target, 1, 1), good = program_kernel(0, &target, 1, 2);
	program_end_target_region(0, &target);
	ompt_id_t launch = run.host_op_id;
	run.host_op_id = copy.host_op_id;
	program_see_kernel(&run);
	copy.host_op_id = launch;
	program_see_data(&copy);
	run.host_op_id = copy.host_op_id = UINT64_MAX / 3;
	program_see_kernel(&run);
	program_see_data(&copy);
	run.host_op_id = copy.host_op_id = 0;
	program_see_kernel(&run);
	program_see_data(&copy);
	program_see_kernel(&good);
	fake_complete(0, true);
}

/* omp_get_wtime is put back between two offloads: its times come twice. */
static void play_goes_back(void)
{
	program_offload(0, 1);
	program_offload(1, 2);
	fake_complete(0, false);
	fake_drift();
	program_offload(0, 3);
	fake_complete(0, true);
	fake_complete(1, true);
}

/* The program wants no more of it. What was before counts, whenever it comes. */
static void play_ended(void)
{
	program_offload(0, 1);
	program_offload(1, 2);
	fake_complete(1, true);
	program_control(PROGRAM_END);
	program_complete_elsewhere(0, true);
	program_offload(0, 3);
	program_control(PROGRAM_START); /* there is none any more */
	program_offload(1, 4);
	fake_complete(0, true);
	fake_complete(1, true);
}

static const struct scenario {
	const char *name;
	void (*play)(void);
	void (*end)(void); /* behind finalize */
	struct fake_settings settings;
} scenarios[] = {
	{"whole", play_whole, NULL, {0}},
	{"late", play_late, end_late, {0}},
	{"returns", play_returns, NULL, {0}},
	{"lingers", play_lingers, NULL, {0}},
	{"hungry", play_hungry, NULL, {0}},
	{"wrong", play_wrong, NULL, {0}},
	{"still", play_still, NULL, {0}},
	{"threads", play_threads, NULL, {0}},
	{"crowd", play_crowd, NULL, {0}},
	{"astray", play_astray, NULL, {0}},
	{"goes_back", play_goes_back, NULL, {.goes_back = true}},
	{"ended", play_ended, NULL, {0}},
	{"nothing", play_plain, NULL, {.missing = MISSING_ALL}},
	{"refuses", play_plain, NULL, {.refuses_start = true}},
	{"no_emi", play_plain, NULL, {.knows_no_emi = true}},
	{"one_number", play_plain, NULL, {.forgets_number = true}},
	/* What ROCm 5.1 had: no time can be told. */
	{"no_clock",
	 play_plain,
	 NULL,
	 {.missing = MISSING_GET_DEVICE_TIME | MISSING_TRANSLATE_TIME | MISSING_PAUSE_TRACE | MISSING_GET_RECORD_TYPE |
		     MISSING_SET_TRACE_NATIVE | MISSING_GET_RECORD_NATIVE | MISSING_GET_RECORD_ABSTRACT}},
	{"no_translation", play_plain, NULL, {.missing = MISSING_TRANSLATE_TIME}},
	{"no_cursor", play_plain, NULL, {.missing = MISSING_ADVANCE}},
	{"no_records", play_plain, NULL, {.missing = MISSING_GET_RECORD_OMPT | MISSING_GET_RECORD_NATIVE}},
	{"native_only", play_whole, NULL, {.missing = MISSING_SET_TRACE_OMPT}},
	{"few",
	 play_plain,
	 NULL,
	 {.missing = MISSING_FLUSH_TRACE | MISSING_STOP_TRACE | MISSING_PAUSE_TRACE | MISSING_GET_RECORD_TYPE}},
};

int main(int argc, char **argv)
{
	const struct scenario *scenario = NULL;
	for (size_t i = 0; argc == 4 && i < sizeof scenarios / sizeof *scenarios; i++)
		if (strcmp(scenarios[i].name, argv[2]) == 0)
			scenario = &scenarios[i];
	if (scenario == NULL || (program_witness = fopen(argv[3], "w")) == NULL) {
		fprintf(stderr, "usage: driver TOOL SCENARIO WITNESS\n");
		return 2;
	}
	fake = scenario->settings;
	runtime_start(argv[1]);
	runtime_announce_devices();
	scenario->play();
	runtime_retire_devices();
	runtime_finish();
	if (scenario->end != NULL)
		scenario->end();
	const struct fake_calls *c = &fake_calls;
	fprintf(program_witness,
		"calls lookups %u set_ompt %u set_native %u start %u pause %u resume %u flush %u stop %u requests %u refusals %u clock %u after %u\n",
		c->n_lookups, c->n_set_ompt, c->n_set_native, c->n_start, c->n_pause, c->n_resume, c->n_flush, c->n_stop,
		c->n_requests, c->n_refusals, c->n_clock, c->n_after);
	return fclose(program_witness) != 0;
}
