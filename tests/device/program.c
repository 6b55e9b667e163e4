/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/device/program.h"

#include <pthread.h>
#include <stdlib.h>

#include "tests/device/fake_runtime.h"

FILE *program_witness;

void program_wait_ticks(uint64_t ticks)
{
	uint64_t begin = fake_now();
	while (fake_now() - begin < ticks)
		;
}

static int shown(int device)
{
	return device == HOST_NUMBER ? -1 : device;
}

void program_see_kernel(const struct fake_activity *a)
{
	if (fake_kernel(a))
		fprintf(program_witness, "kernel %d %lu %lu %lu %u %u\n", a->device, a->host_op_id, a->begin, a->end, a->requested,
			a->granted);
}

/* Its times are such that nobody can tell when it was. */
void program_see_untimed(const struct fake_activity *a)
{
	if (fake_kernel(a))
		fprintf(program_witness, "untimed %d %lu\n", a->device, a->host_op_id);
}

void program_see_data(const struct fake_activity *a)
{
	if (fake_data_op(a))
		fprintf(program_witness, "data %d %lu %lu %lu %d %lu %d %d\n", a->device, a->host_op_id, a->begin, a->end,
			(int)a->optype, a->bytes, shown(a->src_device), shown(a->dest_device));
}

void program_see_native(const struct fake_activity *a)
{
	if (fake_native_event(a))
		fprintf(program_witness, "native %d %lu %lu %lu %lu %s\n", a->device, a->host_op_id, a->begin, a->end, a->hwid,
			a->type);
}

/* One operation on data: the host waits for it. The device may tell later. */
struct fake_activity program_data_op(int device, ompt_data_t *target, ompt_target_data_op_t optype, int from, int to,
				     uint64_t bytes)
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
	program_wait_ticks(3000);
	a.end = fake_now();
	TELL(target_data_op_emi, ompt_scope_end, NULL, target, &a.host_op_id, optype, (void *)0x1000, from, (void *)0x2000, to,
	     bytes, code);
	return a;
}

/* One kernel: launched, and over before this returns. */
struct fake_activity program_kernel(int device, ompt_data_t *target, unsigned requested, unsigned granted)
{
	struct fake_activity a = {.device = device, .requested = requested, .granted = granted, .target_id = target->value};
	TELL(target_submit_emi, ompt_scope_begin, target, &a.host_op_id, requested);
	a.begin = fake_now();
	TELL(target_submit_emi, ompt_scope_end, target, &a.host_op_id, requested);
	program_wait_ticks(5000);
	a.end = fake_now();
	return a;
}

ompt_data_t program_target_region(int device)
{
	ompt_data_t target = {0};
	TELL(target_emi, ompt_target, ompt_scope_begin, device, &runtime_initial_task, NULL, &target, (void *)0x4000);
	fake_target(device, ompt_target, ompt_scope_begin, target.value, fake_now());
	return target;
}

void program_end_target_region(int device, ompt_data_t *target)
{
	fake_target(device, ompt_target, ompt_scope_end, target->value, fake_now());
	TELL(target_emi, ompt_target, ompt_scope_end, device, &runtime_initial_task, NULL, target, (void *)0x4000);
}

/* target map(to: ..) map(from: ..): the device tells in another order than things happened. */
void program_offload(int device, unsigned n)
{
	ompt_data_t target = program_target_region(device);
	struct fake_activity alloc = program_data_op(device, &target, ompt_target_data_alloc, HOST_NUMBER, device, 1000 + n);
	struct fake_activity to =
		program_data_op(device, &target, ompt_target_data_transfer_to_device, HOST_NUMBER, device, 1000 + n);
	struct fake_activity run = program_kernel(device, &target, 8, 4 + n);
	struct fake_activity from =
		program_data_op(device, &target, ompt_target_data_transfer_from_device, device, HOST_NUMBER, 500 + n);
	struct fake_activity gone = program_data_op(device, &target, ompt_target_data_delete, device, HOST_NUMBER, 0);
	program_end_target_region(device, &target);
	program_see_data(&from);
	program_see_kernel(&run);
	program_see_data(&gone);
	program_see_data(&to);
	program_see_data(&alloc);
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

void program_complete_elsewhere(int device, bool is_owned)
{
	struct delivery d = {device, is_owned};
	pthread_t thread;
	if (pthread_create(&thread, NULL, deliver, &d) != 0)
		exit(1);
	pthread_join(thread, NULL);
}

void program_control(enum program_command command)
{
	ompt_callback_control_tool_t control = (ompt_callback_control_tool_t)runtime_callbacks[ompt_callback_control_tool];
	if (control != NULL)
		control(command, 0, NULL, NULL);
}
