/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks for commands of the program (omp_control_tool) and messages of the runtime (error). They run on the
 * calling thread.
 */
#include "recorder/omp/callbacks.h"

#include "recorder/device/device.h"
#include "recorder/ring/record.h"

/* The values of omp_control_tool_t, which omp.h declares. That header is for programs only. */
enum { CONTROL_START = 1, CONTROL_PAUSE = 2, CONTROL_FLUSH = 3, CONTROL_END = 4 };
enum { CONTROL_SUCCESS = 0, CONTROL_IGNORED = 1 };

/* A command holds for the whole process: every stream takes notice at its next record. */
static void apply_command(uint64_t command)
{
	struct session *session = session_get();
	switch (command) {
	case CONTROL_PAUSE: session_turn(EPOCH_PAUSED, 0); break;
	case CONTROL_FLUSH:
		if (session)
			__atomic_fetch_add(&session->n_flushes, 1, __ATOMIC_RELAXED);
		session_turn(0, 0);
		break;
	case CONTROL_END: session_turn(EPOCH_ENDED, 0); break;
	default: break;
	}
}

/* Devices get their command last, when the callback has left the stream: they may deliver their records at once, on
 * this thread. */
static void forward_to_devices(uint64_t command)
{
	switch (command) {
	case CONTROL_START: device_control(DEVICE_RESUME); break;
	case CONTROL_PAUSE: device_control(DEVICE_PAUSE); break;
	case CONTROL_FLUSH: device_control(DEVICE_FLUSH); break;
	case CONTROL_END: device_control(DEVICE_STOP); break;
	default: break;
	}
}

int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *codeptr)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	uint64_t epoch = __atomic_load_n(&record_epoch, __ATOMIC_RELAXED);
	bool is_ignored = command < CONTROL_START || command > CONTROL_END || epoch & EPOCH_ENDED;
	if (command == CONTROL_START && !is_ignored)
		session_turn(0, EPOCH_PAUSED);
	/* The command is recorded even while recording is paused, between recording_off and recording_on, as their cause. */
	if (stream && (record_is_on(stream, time) || !session_stopped(stream->session))) {
		struct ring_group group = ring_group_begin(stream);
		ring_group_append(&group, time, record_head(EVENT_control_tool, 0, 0), command, modifier);
		ring_group_append(&group, 0, record_head(EVENT_control_tool_more, 0, 0), record_address(argument),
				  record_address(codeptr));
		ring_group_end(&group);
	}
	if (!is_ignored)
		apply_command(command);
	if (stream) {
		record_is_on(stream, time); /* flushes this thread's segment, or turns its recording off, before we return */
		record_leave(stream);
	}
	if (!is_ignored)
		forward_to_devices(command);
	return is_ignored ? CONTROL_IGNORED : CONTROL_SUCCESS;
}

void on_error(ompt_severity_t severity, const char *message, size_t length, const void *codeptr)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	if (!stream)
		return;
	if (!message)
		length = 0;
	if (record_is_on(stream, time)) {
		struct ring_group group = ring_group_begin(stream);
		ring_group_append(&group, time, record_head(EVENT_error, (unsigned)severity, length), 0, record_address(codeptr));
		record_put_text(&group, message, length);
		ring_group_end(&group);
	}
	record_leave(stream);
}
