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
#include "tests/device/fake_device.h"
#include "tests/device/fake_runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"

static FILE *witness;
/* ---- The program, and what its devices do ---- */

static void wait_ticks(uint64_t ticks)
{
	uint64_t begin = fake_now();
	while (fake_now() - begin < ticks)
		;
}

static int shown(int device)
{
	return device == HOST_NUMBER ? -1 : device;
}

static void see_kernel(const struct fake_activity *a)
{
	if (fake_kernel(a))
		fprintf(witness, "kernel %d %lu %lu %lu %u %u\n", a->device, a->host_op_id, a->begin, a->end, a->requested,
			a->granted);
}

/* Its times are such that nobody can tell when it was. */
static void see_untimed(const struct fake_activity *a)
{
	if (fake_kernel(a))
		fprintf(witness, "untimed %d %lu\n", a->device, a->host_op_id);
}

static void see_data(const struct fake_activity *a)
{
	if (fake_data_op(a))
		fprintf(witness, "data %d %lu %lu %lu %d %lu %d %d\n", a->device, a->host_op_id, a->begin, a->end, (int)a->optype,
			a->bytes, shown(a->src_device), shown(a->dest_device));
}

static void see_native(const struct fake_activity *a)
{
	if (fake_native_event(a))
		fprintf(witness, "native %d %lu %lu %lu %lu %s\n", a->device, a->host_op_id, a->begin, a->end, a->hwid, a->type);
}

/* One operation on data: the host waits for it. The device may tell later. */
static struct fake_activity data_op(int device, ompt_data_t *target, ompt_target_data_op_t optype, int from, int to, uint64_t bytes)
{
	struct fake_activity a = {.device = device,
				  .optype = optype,
				  .src_device = from,
				  .dest_device = to,
				  .bytes = bytes,
				  .target_id = target->value};
	void *code = (void *)0x5000;
	TELL(target_data_op_emi, ompt_scope_begin, NULL, target, &a.host_op_id, optype, (void *)0x1000, from, (void *)0x2000, to,
	     bytes, code);
	a.begin = fake_now();
	wait_ticks(3000);
	a.end = fake_now();
	TELL(target_data_op_emi, ompt_scope_end, NULL, target, &a.host_op_id, optype, (void *)0x1000, from, (void *)0x2000, to,
	     bytes, code);
	return a;
}

/* One kernel: launched, and over before this returns. */
static struct fake_activity kernel(int device, ompt_data_t *target, unsigned requested, unsigned granted)
{
	struct fake_activity a = {.device = device, .requested = requested, .granted = granted, .target_id = target->value};
	TELL(target_submit_emi, ompt_scope_begin, target, &a.host_op_id, requested);
	a.begin = fake_now();
	TELL(target_submit_emi, ompt_scope_end, target, &a.host_op_id, requested);
	wait_ticks(5000);
	a.end = fake_now();
	return a;
}

static ompt_data_t target_region(int device)
{
	ompt_data_t target = {0};
	TELL(target_emi, ompt_target, ompt_scope_begin, device, &runtime_initial_task, NULL, &target, (void *)0x4000);
	fake_target(device, ompt_target, ompt_scope_begin, target.value, fake_now());
	return target;
}

static void end_target_region(int device, ompt_data_t *target)
{
	fake_target(device, ompt_target, ompt_scope_end, target->value, fake_now());
	TELL(target_emi, ompt_target, ompt_scope_end, device, &runtime_initial_task, NULL, target, (void *)0x4000);
}

/* target map(to: ..) map(from: ..): the device tells in another order than things happened. */
static void offload(int device, unsigned n)
{
	ompt_data_t target = target_region(device);
	struct fake_activity alloc = data_op(device, &target, ompt_target_data_alloc, HOST_NUMBER, device, 1000 + n);
	struct fake_activity to = data_op(device, &target, ompt_target_data_transfer_to_device, HOST_NUMBER, device, 1000 + n);
	struct fake_activity run = kernel(device, &target, 8, 4 + n);
	struct fake_activity from = data_op(device, &target, ompt_target_data_transfer_from_device, device, HOST_NUMBER, 500 + n);
	struct fake_activity gone = data_op(device, &target, ompt_target_data_delete, device, HOST_NUMBER, 0);
	end_target_region(device, &target);
	see_data(&from);
	see_kernel(&run);
	see_data(&gone);
	see_data(&to);
	see_data(&alloc);
}

/* ---- Threads of the devices' runtime, which OpenMP does not know ---- */

struct delivery {
	int device;
	bool is_owned;
};

static void *deliver(void *argument)
{
	const struct delivery *d = argument;
	fake_complete(d->device, d->is_owned);
	return NULL;
}

static void complete_elsewhere(int device, bool is_owned)
{
	struct delivery d = {device, is_owned};
	pthread_t thread;
	if (pthread_create(&thread, NULL, deliver, &d) != 0)
		exit(1);
	pthread_join(thread, NULL);
}

/* ---- Scenarios ---- */

/* All of it, as a good device does it: on both devices; buffers in parts, in one for both, on other threads; pause, flush; clocks that drift. */
static void play_whole(void)
{
	fake.drift_ppm = 100000;
	for (unsigned i = 0; i < 3; i++)
		offload(0, i);
	fake_complete(0, false); /* a part */
	offload(0, 3);
	complete_elsewhere(0, true); /* the rest, and the buffer */
	fake_share_buffers(true);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 2)
			fake_drift(); /* between two readings: only its own translation knows */
		offload((int)(i % 2), 10 + i);
	}
	complete_elsewhere(1, false);
	complete_elsewhere(0, true); /* both devices' records are out */
	fake_share_buffers(false);

	/* Between two devices, without the host; asynchronous. */
	ompt_data_t target = target_region(1);
	struct fake_activity copy = data_op(1, &target, ompt_target_data_transfer_to_device_async, 0, 1, 4096);
	end_target_region(1, &target);
	see_data(&copy);

	/* In the device's own words: where it was, of a kernel that is told of already; and something that no other record has. */
	target = target_region(0);
	struct fake_activity run = kernel(0, &target, 2, 2);
	end_target_region(0, &target);
	see_kernel(&run);
	run.type = "kernel dispatch";
	run.hwid = 7;
	see_native(&run);
	struct fake_activity barrier = {.device = 0, .begin = fake_now(), .type = "barrier-and \"packet\"", .hwid = 9};
	wait_ticks(3000);
	barrier.end = fake_now();
	see_native(&barrier);
	fake_native_info(0, "104 compute units");
	if (fake_other(0, fake_now()))
		fprintf(witness, "other 1\n");

	/* Two kernels at once on one place: they cannot share a queue. */
	target = target_region(0);
	struct fake_activity first = kernel(0, &target, 16, 16);
	struct fake_activity second = kernel(0, &target, 32, 32);
	end_target_region(0, &target);
	first.end = second.begin + (second.end - second.begin) / 2;
	see_kernel(&second);
	see_kernel(&first);

	if (runtime_callbacks[ompt_callback_control_tool] != NULL) {
		ompt_callback_control_tool_t control = (ompt_callback_control_tool_t)runtime_callbacks[ompt_callback_control_tool];
		control(3, 0, NULL, NULL); /* flush */
		offload(0, 30);
		control(2, 0, NULL, NULL);    /* pause */
		complete_elsewhere(0, false); /* what happened before counts */
		offload(0, 100);              /* nothing of it is traced */
		control(1, 0, NULL, NULL);    /* start */
	}
	offload(1, 20);
	fake_return_empty(0);
	fake_complete(0, true);
	fake_complete(1, true);
}

/* A device that is slow to tell: some of it behind its finalization, and the tool's, on a thread of its own. */
static void play_late(void)
{
	offload(0, 1);
	fake_complete(0, true);
	offload(0, 2);
	offload(1, 3);
}

static void end_late(void)
{
	complete_elsewhere(0, true);
	fake_complete(1, true);
}

/* A device that gives every buffer back at once: more of them than there are. */
static void play_returns(void)
{
	ompt_data_t target = target_region(0);
	for (unsigned i = 0; i < 200; i++) {
		struct fake_activity run = kernel(0, &target, 1, i);
		see_kernel(&run);
		fake_complete(0, true);
	}
	end_target_region(0, &target);
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
	offload(0, 1);
	pthread_barrier_init(&delivered, NULL, 2);
	if (pthread_create(&thread, NULL, deliver_and_stay, &delivered) != 0)
		exit(1);
	pthread_barrier_wait(&delivered);
}

/* A device that gives no buffer back. */
static void play_hungry(void)
{
	fake.never_returns = true;
	ompt_data_t target = target_region(0);
	for (unsigned i = 0; i < 70; i++) {
		struct fake_activity run = kernel(0, &target, 1, i);
		see_kernel(&run);
		fake_complete(0, true);
	}
	end_target_region(0, &target);
}

/* What no device should do. */
static void play_wrong(void)
{
	ompt_data_t target = target_region(0);
	struct fake_activity run = kernel(0, &target, 1, 1);
	uint64_t begin = run.begin;
	run.begin = run.end;
	run.end = begin;
	see_untimed(&run); /* over before it began */
	run = kernel(0, &target, 1, 2);
	run.end = 0;
	see_untimed(&run); /* no end */
	fake_invalid(0);
	fake_invalid(0);
	fprintf(witness, "invalid 2\n");
	struct fake_activity good = kernel(0, &target, 1, 3);
	see_kernel(&good);
	end_target_region(0, &target);
	fake_complete(0, true);
	fake_complete_nonsense();
}

/* A cursor that does not move: one record, and an end. */
static void play_still(void)
{
	fake.stands_still = true;
	ompt_data_t target = target_region(0);
	struct fake_activity run = kernel(0, &target, 1, 1);
	end_target_region(0, &target);
	fake_complete(0, true);
	see_kernel(&run);
	fake_complete(0, true);
	offload(0, 2);
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
		offload((int)(i % N_DEVICES), i);
	pthread_t threads[N_DEVICES];
	for (int i = 0; i < N_DEVICES; i++)
		if (pthread_create(&threads[i], NULL, offload_much, (void *)(uintptr_t)&numbers[i]) != 0)
			exit(1);
	for (int i = 0; i < N_DEVICES; i++)
		pthread_join(threads[i], NULL);
}

static void play_plain(void)
{
	offload(0, 1);
	offload(1, 2);
	if (runtime_callbacks[ompt_callback_control_tool] != NULL)
		((ompt_callback_control_tool_t)runtime_callbacks[ompt_callback_control_tool])(3, 0, NULL, NULL);
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
	if (scenario == NULL || (witness = fopen(argv[3], "w")) == NULL) {
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
	fprintf(witness,
		"calls lookups %u set_ompt %u set_native %u start %u pause %u resume %u flush %u stop %u requests %u refusals %u clock %u after %u\n",
		c->n_lookups, c->n_set_ompt, c->n_set_native, c->n_start, c->n_pause, c->n_resume, c->n_flush, c->n_stop,
		c->n_requests, c->n_refusals, c->n_clock, c->n_after);
	return fclose(witness) != 0;
}
