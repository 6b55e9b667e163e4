/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies what the kernel has recorded of a thread's context switches from the memory that it shares with this process
 * into the stream of switches. Called by switches.c, which maps that memory, on the one thread that owns that stream.
 */
#ifndef OTTER_RECORDER_SWITCHES_COPY_H
#define OTTER_RECORDER_SWITCHES_COPY_H

#include <stdbool.h>
#include <stddef.h>

struct stream;

#define SWITCHES_PAGE_BYTES ((size_t)4096) /* of what is asked for; the kernel refuses where its pages are larger */

enum switches_rate {
	SWITCHES_FEW,
	SWITCHES_MANY,     /* they have filled more than half of the memory */
	SWITCHES_TOO_MANY, /* they cost more than is worth it, or than the memory holds until the next look */
};

/* Copies the switches of the stream's thread, which has memory for them. `is_last`: nothing follows, so that a record is
 * due although nothing is new. Returns how many there were since the look before. */
enum switches_rate switches_copy(struct stream *stream, bool is_last);

/* Tells that nothing is known of the switches of the stream's thread, from the last copy until now. */
void switches_skip(struct stream *stream);

#endif
