/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies the kernel's records of a thread's context switches from the memory that the kernel shares with this process
 * into the stream of switches. It runs on the thread that owns that stream.
 */
#ifndef OTTER_RECORDER_SWITCHES_COPY_H
#define OTTER_RECORDER_SWITCHES_COPY_H

#include <stdbool.h>
#include <stddef.h>

struct stream;

#define SWITCHES_PAGE_BYTES ((size_t)4096) /* in which memory is requested; the kernel refuses where its pages are larger */

enum switches_rate {
	SWITCHES_FEW,
	SWITCHES_MANY,     /* they have filled more than half of the memory */
	SWITCHES_TOO_MANY, /* they cost too much, or are more than the memory holds until the next poll */
};

/* Copies the switches of the stream's thread, which has memory for them. `is_last`: nothing follows, so a record is due
 * even if nothing is new. Returns the rate since the last poll. */
enum switches_rate switches_copy(struct stream *stream, bool is_last);

/* Records that the switches of the stream's thread are not known, from the last copy until now. */
void switches_skip(struct stream *stream);

/* Records the processors that the stream's thread may use, if they have changed. To be called where switches_copy() may be. */
void switches_copy_mask(struct stream *stream);

#endif
