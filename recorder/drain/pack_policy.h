/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides whether segments are packed before they are written. With OTTER_PACK=on and off that is fixed. With `auto` they
 * are packed while the disk is slower than the program, which is so
 *   - when a thread that needs an empty segment finds all full, although there is a drain thread that takes them;
 *   - when a thread has written a segment itself, and has waited for the disk: it was slow, and was blocked meanwhile.
 * After a quarter of a second segments are written as they are again. If the disk is still too slow, the next period is
 * twice as long, up to a minute.
 *
 * Any thread that has a full segment calls this. The answer is a hint: a dump may have segments of both kinds.
 */
#ifndef OTTER_RECORDER_PACK_POLICY_H
#define OTTER_RECORDER_PACK_POLICY_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/* Part of struct session. */
struct pack_policy {
	uint32_t is_on;     /* 1: segments are packed before they are written */
	uint64_t until_ns;  /* with OTTER_PACK=auto: when this period ends */
	uint64_t length_ns; /* the length of this period */
};

/* To be called when the session begins. */
void pack_begin(struct session *session);

/* Is a segment to be packed that is full now? */
bool pack_is_on(struct session *session);

/* To be called when the disk is found to be slower than the program. */
void pack_disk_is_slow(struct session *session);

/* Measures how long a thread of the program takes to write a segment as it is. */
struct pack_timing {
	uint64_t begin_ns;
	uint64_t n_waits; /* how often the thread had been blocked */
};

struct pack_timing pack_write_begins(const struct session *session);
void pack_write_ends(struct session *session, const struct pack_timing *timing, uint64_t bytes);

#endif
