/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads files of /proc and /sys. Called by clock.c, drain.c, meta_process.c and processor_time.c, on any thread.
 */
#ifndef OTTER_RECORDER_PROC_H
#define OTTER_RECORDER_PROC_H

#include <stddef.h>

/* Reads the file, as much of it as fits, and ends it with a zero byte, which is one of the n_bytes. Returns how many bytes
 * were read: 0 also if there is no such file. */
size_t proc_read(const char *path, char *text, size_t n_bytes);

#endif
