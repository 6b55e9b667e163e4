/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel's event that records a thread's context switches. switches.c opens one for each thread. The launcher has one
 * open for its own thread while a program runs (launch/run.c): the first of a machine takes 10 ms.
 */
#ifndef OTTER_RECORDER_SWITCH_EVENT_H
#define OTTER_RECORDER_SWITCH_EVENT_H

/* Opens it for the calling thread. Returns its descriptor, or -1 with errno where the kernel refuses. */
int switch_event_open(void);

#endif
