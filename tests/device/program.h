/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the played program does with its devices, and the witness of it (driver.c says what is in it): what the host tells the tool comes at
 * once, what the device tells comes with program_see_..., in any order, or never.
 */
#ifndef OTTER_TESTS_DEVICE_PROGRAM_H
#define OTTER_TESTS_DEVICE_PROGRAM_H

#include <stdio.h>

#include "tests/device/fake_device.h"

extern FILE *program_witness;

void program_wait_ticks(uint64_t ticks);

/* One operation on data: the host waits for it. */
struct fake_activity program_data_op(int device, ompt_data_t *target, ompt_target_data_op_t optype, int from, int to,
				     uint64_t bytes);
/* One kernel: launched, and over before this returns. */
struct fake_activity program_kernel(int device, ompt_data_t *target, unsigned requested, unsigned granted);

ompt_data_t program_target_region(int device);
void program_end_target_region(int device, ompt_data_t *target);

/* The device records it, and so does the witness where it was traced. Untimed: its times are such that nobody can tell when it was. */
void program_see_kernel(const struct fake_activity *a);
void program_see_untimed(const struct fake_activity *a);
void program_see_data(const struct fake_activity *a);
void program_see_native(const struct fake_activity *a);

/* target map(to: ..) map(from: ..): the device tells in another order than things happened. */
void program_offload(int device, unsigned n);

/* omp_control_tool, where the tool listens to it. */
enum program_command { PROGRAM_START = 1, PROGRAM_PAUSE, PROGRAM_FLUSH, PROGRAM_END };
void program_control(enum program_command command);

/*
 * Four threads that offload to both devices, all at the same time, each on a place of its own there, so often each; while each device's runtime
 * has a thread that delivers what there is.
 */
void program_crowd(unsigned n);

/* A completion on a thread of the devices' runtime, which OpenMP does not know. */
void program_complete_elsewhere(int device, bool is_owned);

#endif
