/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns recording on and off. The program pauses, resumes and ends it (omp_control_tool), and the recorder stops it for
 * good if it cannot continue. Any thread may turn it; each stream takes notice at its next record.
 */
#ifndef OTTER_RECORDER_SESSION_TURN_H
#define OTTER_RECORDER_SESSION_TURN_H

#include <stdint.h>

#include "recorder/compiler.h"
#include "recorder/session/session.h"

/* A counter above three flags. A stream compares the whole word with its own copy, and calls record_gate() if they differ. */
extern HIDDEN uint64_t record_epoch;
#define EPOCH_PAUSED  UINT64_C(1) /* omp_control_tool(pause) */
#define EPOCH_ENDED   UINT64_C(2) /* omp_control_tool(end) */
#define EPOCH_STOPPED UINT64_C(4) /* session_stop() */
#define EPOCH_FLAGS   UINT64_C(7)
#define EPOCH_STEP    UINT64_C(8)

/* Sets and clears flags and increments the counter, so that every stream takes notice. */
void session_turn(uint64_t set, uint64_t clear);

/* Stops recording for good: the disk is full, the limit is reached, or a write failed. Any thread may call; the first
 * cause counts. */
void session_stop(struct session *session, unsigned cause);

/* Returns the loss_cause of the stop, 0 if recording was not stopped. */
static inline unsigned session_stopped(const struct session *session)
{
	return __atomic_load_n(&session->stop.cause, __ATOMIC_RELAXED);
}

#endif
