/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads files of /proc and /sys, on any thread.
 */
#ifndef OTTER_RECORDER_PROC_H
#define OTTER_RECORDER_PROC_H

#include <stddef.h>
#include <stdint.h>

/* Reads the file, as much of it as fits, and ends it with a zero byte, which is one of the n_bytes. Returns how many bytes
 * were read: 0 also if there is no such file. */
size_t proc_read(const char *path, char *text, size_t n_bytes);

/* Returns the begin of a field of a process's `stat`, which is counted from 1 as in proc(5), and is the third or a
 * later one. NULL: there is no such field. */
char *proc_stat_field(char *stat, unsigned field);

/* Returns how many processors the machine has, 0 where it is not known. */
uint32_t proc_n_processors(void);

#endif
