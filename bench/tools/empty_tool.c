/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The empty tool: what the runtime's dispatch of the recorder's callbacks costs. Everything above it is the recorder's own.
 */
#include <stdint.h>

static inline void tool_event(uint64_t kind)
{
	(void)kind;
}

static void tool_end(void)
{
}

#include "bench/tools/callbacks.h"
