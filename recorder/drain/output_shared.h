/* SPDX-License-Identifier: BSD-3-Clause
 *
 * drain.seg has segments of all streams, so that a process has few files however many threads it has. One thread at a time
 * writes to it: it has taken the file. No thread of the program waits for it: a thread that finds it taken leaves its segment in
 * the ring, or writes to NNNNN.seg.
 */
#ifndef OTTER_RECORDER_OUTPUT_SHARED_H
#define OTTER_RECORDER_OUTPUT_SHARED_H

#include <stdbool.h>

struct session;
struct stream;

/* Takes the file. False: another thread has it. */
bool output_take_shared(struct session *session);
void output_leave_shared(struct session *session);

/* The drain thread and the end of a session may wait where other threads may not, for 10 ms: for a thread that writes one segment, or
 * a batch. */
bool output_take_shared_patiently(struct session *session);

/* The same for a thread that seals all streams: it has the file until output_end_sealing(). */
bool output_begin_sealing(struct session *session);
void output_end_sealing(struct session *session);

/* Has the calling thread the file for all streams that it seals? */
bool output_is_sealing(const struct session *session);
/* The same for drain.pseg, which drain_pack_begin_sealing() takes. */
bool output_is_sealing_packed(const struct session *session);

/* May the stream's owner, or the thread that seals the stream, write to drain.seg? A stream that has a file of its own goes on
 * with that while it is recorded, and so does one whose drain thread writes. A flight recorder's stream may where it has no
 * circular file of its own: then there is room for that one's share of the limit. */
bool output_may_share(const struct stream *stream, bool is_sealed);

/* Would the stream's owner write to it, and is it taken? A hint, for a thread that may as well write later. */
bool output_may_wait(const struct stream *stream);

#endif
