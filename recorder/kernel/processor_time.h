/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel's counts of processor time: of one thread, and of the whole machine. To be called with signals held, on
 * any thread.
 */
#ifndef OTTER_RECORDER_PROCESSOR_TIME_H
#define OTTER_RECORDER_PROCESSOR_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* Reads how long a thread of this process has been on a processor, and how long it has been ready and waited for one,
 * in its whole life, in ns. False: not known (no CONFIG_SCHED_INFO, no /proc, no descriptor). */
bool processor_time_of(uint64_t tid, uint64_t *running_ns, uint64_t *waiting_ns);

/* Reads how much time of all processors a hypervisor has taken since this machine's boot, and how much time they had.
 * False: not known. */
bool processor_time_stolen(uint64_t *stolen_ns, uint64_t *total_ns);

#endif
