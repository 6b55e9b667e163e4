/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A device that traces itself as OpenMP 5.1 (4.2.5, 4.5.2.23 to 26, 4.6.2) says, played on the host: its own clock, its own format of records,
 * buffers that the tool gives, and the entry points to read them. What it does is told by the caller; what it tells the tool, and when,
 * too. For tests of tools. Not thread-safe but where it says so.
 */
#ifndef OTTER_TESTS_FAKE_DEVICE_H
#define OTTER_TESTS_FAKE_DEVICE_H

#include <omp-tools.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_DEVICES 4

/* Bits of `missing`: entry points that lookup does not know. */
enum {
	MISSING_GET_DEVICE_TIME = 1 << 0,
	MISSING_TRANSLATE_TIME = 1 << 1,
	MISSING_SET_TRACE_OMPT = 1 << 2,
	MISSING_SET_TRACE_NATIVE = 1 << 3,
	MISSING_START_TRACE = 1 << 4,
	MISSING_PAUSE_TRACE = 1 << 5,
	MISSING_FLUSH_TRACE = 1 << 6,
	MISSING_STOP_TRACE = 1 << 7,
	MISSING_ADVANCE = 1 << 8,
	MISSING_GET_RECORD_TYPE = 1 << 9,
	MISSING_GET_RECORD_OMPT = 1 << 10,
	MISSING_GET_RECORD_NATIVE = 1 << 11,
	MISSING_GET_RECORD_ABSTRACT = 1 << 12,
	MISSING_ALL = 0xffff
};

struct fake_settings {
	unsigned missing;
	bool refuses_start;  /* start_trace returns 0 */
	bool knows_no_emi;   /* set_trace_ompt takes the callbacks without endpoint alone */
	bool never_returns;  /* buffers stay with the device */
	bool stands_still;   /* advance_buffer_cursor goes nowhere, and calls that success */
	bool forgets_number; /* says device 0 whatever it is: AMD's runtimes up to ROCm 5.4 */
	bool goes_back;      /* what translates its times is put back by a second at fake_drift() */
	bool is_gone;        /* the devices are finalized: their handles are nobody's */
	unsigned drift_ppm;  /* its clock goes faster by this from fake_drift() on */
};
extern struct fake_settings fake;

/* What entry points were called with success, all devices together: a tool that calls none gets no records either. */
struct fake_calls {
	unsigned n_lookups, n_set_ompt, n_set_native, n_start, n_pause, n_resume, n_flush, n_stop, n_requests, n_refusals, n_clock;
	unsigned n_after; /* calls about a device behind its finalization */
};
extern struct fake_calls fake_calls;

/* The device's handle, and its lookup: for device_initialize. */
ompt_device_t *fake_handle(int device);
ompt_interface_fn_t fake_lookup(const char *name);

/* The host's clock that all times below are of: that of common/clock.h. */
uint64_t fake_now(void);

/* From now on the devices' clocks go at another pace than before. */
void fake_drift(void);

/* What happened on a device, from begin to end; recorded as it was asked to, unless paused or not traced. */
struct fake_activity {
	int device;
	uint64_t begin, end; /* fake_now() */
	ompt_id_t target_id, host_op_id;
	/* a data operation */
	ompt_target_data_op_t optype;
	int src_device, dest_device;
	uint64_t bytes;
	/* a native event */
	const char *type;
	uint64_t hwid;
	/* a kernel */
	unsigned requested, granted;
};
bool fake_kernel(const struct fake_activity *a);
bool fake_data_op(const struct fake_activity *a);
bool fake_native_event(const struct fake_activity *a); /* type, hwid */
bool fake_native_info(int device, const char *type);
bool fake_target(int device, ompt_target_t kind, ompt_scope_endpoint_t endpoint, ompt_id_t target_id, uint64_t time);
bool fake_invalid(int device);
bool fake_other(int device, uint64_t time); /* a record of a kind that nobody asked for */

/* Records of all devices go into one buffer from here on, or into one each. */
void fake_share_buffers(bool do_share);

/* Delivers what the device has recorded and not yet delivered; the buffer goes back with it if `is_owned`. */
void fake_complete(int device, bool is_owned);
/* Delivers nothing but the buffer: a completion without bytes. */
void fake_return_empty(int device);
/* Completions that no device would make: of a device that never was, of memory that is nobody's. */
void fake_complete_nonsense(void);

#endif
