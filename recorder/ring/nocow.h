/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rings on file systems where a store into a mapped file may raise SIGBUS. One that copies on write needs a new block each time
 * that a page is written again after its write-back. A full file system has no new block, although the file has all its blocks;
 * posix_fallocate and statfs do not show this. One in user space (FUSE) has a server that may end. These functions run on the
 * thread that makes a session or a ring.
 */
#ifndef OTTER_RECORDER_NOCOW_H
#define OTTER_RECORDER_NOCOW_H

#include <stdbool.h>

/* Turns copy on write off for a new, empty file (btrfs, also below an overlay), so that its blocks are written over in
 * place and the file keeps all its room. This turns compression off, too. Returns false where the file system copies on
 * write and has no way to turn that off, or is one in user space. */
bool nocow_set(int fd);

struct statfs;

/* Can nocow_set() succeed below this directory, which is on that file system? False for a file system that copies on write and has no way to turn
 * that off for one file (bcachefs, nilfs2), for btrfs with quotas, for btrfs that keeps data and metadata in the
 * same blocks (--mixed), and for FUSE. */
bool nocow_is_possible(const char *directory, const struct statfs *fs);

#endif
