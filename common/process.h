/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a recorded process still runs: then its rings are not moved, and its dump is not packed. For the launcher and
 * the builder; it uses a descriptor of the caller.
 */
#ifndef OTTER_COMMON_PROCESS_H
#define OTTER_COMMON_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Does a thread of the process `pid` on this machine still run, which began at `start` (the 22nd field of its stat,
 * proc(5))? The number may belong to another process by now. */
bool process_runs(long long pid, uint64_t start);

#endif
