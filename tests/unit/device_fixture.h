/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of device tracing share: records of devices as the recorder writes them. All of them are in the stream
 * of one thread of the device's runtime, in a program with a root thread that ends at 100,000 ticks. Ticks are ns.
 */
#ifndef OTTER_TESTS_DEVICE_FIXTURE_H
#define OTTER_TESTS_DEVICE_FIXTURE_H

#include "tests/unit/replay_fixture.h"

#define DEVICE_HERALD 1                    /* the stream of the device's runtime */
#define DEVICE_WTIME  UINT64_C(7000000000) /* the time of omp_get_wtime, in ns, when the program begins */

/* ---- Writing ---- */

void device_dump_begin(void);
void device_finish(enum graph_level level);

void device_put(unsigned kind, unsigned flags, uint64_t value, uint64_t a, uint64_t b);
/* Appends a continuation record, which has no time of its own. */
void device_put_more(unsigned kind, unsigned flags, uint64_t value, uint64_t time, uint64_t a, uint64_t b);

void device_announce(uint32_t device);

/* Appends a reading: the device's clock was `device_time`, translated `host_ns`, at `ticks` +- width / 2. */
void device_reading(uint32_t device, uint64_t ticks, uint64_t width, uint64_t device_time, uint64_t host_ns);
/* Appends readings of a device's clock that counts the host's ticks. */
void device_plain_clock(uint32_t device);

/* Appends a kernel: its begin and end by the device's clock, and as the runtime translates them (0: it does not). */
void device_times(uint32_t device, uint64_t from, uint64_t to, uint64_t from_ns, uint64_t to_ns);
void device_kernel(uint32_t device, uint64_t id, uint64_t from, uint64_t to, uint64_t from_ns, uint64_t to_ns);
void device_plain_kernel(uint32_t device, uint64_t id, uint64_t from, uint64_t to);
void device_native(uint32_t device, uint64_t id, uint64_t hwid, uint64_t from, uint64_t to, const char *name);

/* ---- Reading ---- */

const struct model *device_model(void);
const struct activity *device_activity(uint64_t id);
void device_check_times(uint64_t id, uint64_t from, uint64_t to); /* the activity's times in the host's ticks */
uint64_t device_repair(const char *name);
uint64_t device_n_counted(void); /* repairs and quirks of all names */

#endif
