/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The watch: a thread of the recorder's own that looks, twenty times a second, which threads of the program are inside
 * of the recorder at that moment. A thread that had no processor then, by the kernel's records, and was not ready, waits
 * for the file system: its store into the ring is a page fault of a page that is being written back, or that must not
 * be changed (fsfreeze). Nothing else tells that wait from one of the program's own: the kernel's record of a switch
 * has no address, and the append itself reads no clock after its stores.
 *
 * It is a thread of its own because it must touch no file. The drain thread may wait for the same file system, for as
 * long. Started with the drain thread, and ended by it; what it saw is asked by whoever copies switches (switches_copy.c).
 */
#ifndef OTTER_RECORDER_WATCH_H
#define OTTER_RECORDER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct session;
struct stream;

/* Called before the drain thread is started, by the thread that does so. Starts the watch where switches are recorded.
 * False: it could not be started. */
bool watch_start(struct session *session);

/* Called by the drain thread at its end, or if it could not be started. Ends the watch, and waits for it: it sleeps, and
 * touches no file. */
void watch_end(struct session *session);

/* Was the stream's thread seen inside of the recorder between these times, in ns of CLOCK_MONOTONIC, in which it had no
 * processor? Called by the owner of the stream of switches. */
bool watch_has_seen(const struct stream *stream, uint64_t begin_ns, uint64_t end_ns);

#endif
