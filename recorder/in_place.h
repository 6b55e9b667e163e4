/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rings on file systems that copy on write. Such a file system needs a new block each time that a page which it has
 * written back is written again. Once it is full, a store into a mapped file raises SIGBUS, although the file has all
 * its blocks: posix_fallocate and statfs do not show it. place.c and stream_make.c ask, on the thread that makes a
 * session or a ring.
 */
#ifndef OTTER_RECORDER_IN_PLACE_H
#define OTTER_RECORDER_IN_PLACE_H

#include <stdbool.h>

/* Has a file of this file system all its room for good? Tells the file system of a new, empty file to write over its
 * blocks in place (btrfs, also below an overlay), which turns compression off for this file. Returns false where it
 * copies on write and cannot be told not to. */
bool in_place_set(int fd);

/* May rings be below this directory? False for a file system that copies on write and has no way to turn that off for
 * one file (bcachefs, nilfs2), and for btrfs with quotas. */
bool in_place_can(const char *directory);

#endif
