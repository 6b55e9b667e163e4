/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rings of a process that has ended, where they are not in its dump: under the launcher they are files in memory
 * (/dev/shm), so that a store into a ring never waits for a file system. What a killed process leaves there is moved into
 * the dump, by the launcher when its program has ended, else by otter-build. Both may do so at the same time.
 */
#ifndef OTTER_COMMON_RINGS_H
#define OTTER_COMMON_RINGS_H

/* The name of a symbolic link in a directory of rings. It leads to the dump that the rings belong to. */
#define RINGS_LINK "dump"

/* Moves all rings and packing buffers from `ring_dir` into the directory `dump`, and removes `ring_dir`. The process must
 * have ended. Files of others are left alone: nothing is moved unless the link in `ring_dir` leads to this very dump, or
 * nowhere, as it does after the dump was renamed. A directory of the dump's name without a link, which a kill has left as it was made,
 * is removed if it is empty. A file that cannot be moved stays in `ring_dir`, where it can be read. */
void rings_collect(const char *dump, const char *ring_dir);

#endif
