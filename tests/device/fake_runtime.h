/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An OpenMP runtime that a tool takes for one: it loads the tool, has an initial thread in its initial task, and as many devices as fake_device.c plays.
 */
#ifndef OTTER_TESTS_FAKE_RUNTIME_H
#define OTTER_TESTS_FAKE_RUNTIME_H

#include "tests/device/fake_device.h"

#define N_DEVICES   2
#define HOST_NUMBER N_DEVICES

extern ompt_callback_t runtime_callbacks[64]; /* by event; NULL: the tool does not want it */
extern _Thread_local ompt_data_t runtime_initial_task;

#define TELL(event, ...)                                                                                                           \
	do {                                                                                                                       \
		if (runtime_callbacks[ompt_callback_##event] != NULL)                                                              \
			((ompt_callback_##event##_t)runtime_callbacks[ompt_callback_##event])(__VA_ARGS__);                        \
	} while (0)

/* Loads the tool and begins the initial task; ends the process where that cannot be. The other way round at the end. */
void runtime_start(const char *path);
void runtime_finish(void);

/* The calling thread is a root thread from here, to there. */
void runtime_begin_root(void);
void runtime_end_root(void);

void runtime_announce_devices(void);
void runtime_retire_devices(void);

#endif
