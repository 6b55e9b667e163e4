/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/kernel/processor_time.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "recorder/system/proc.h"
#include "recorder/text.h"

bool processor_time_of(uint64_t tid, uint64_t *running_ns, uint64_t *waiting_ns)
{
	char path[64], text[96], *end;
	strcpy(text_decimal(stpcpy(path, "/proc/self/task/"), tid, 1), "/schedstat");
	if (proc_read(path, text, sizeof text) == 0)
		return false;
	*running_ns = strtoull(text, &end, 10);
	*waiting_ns = strtoull(end, &end, 10);
	return strtoull(end, NULL, 10) != 0; /* the number of its time slices: at least 1, where the kernel counts */
}

/* The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; guests' time, which follows, is
 * in the first two already. */
bool processor_time_stolen(uint64_t *stolen_ns, uint64_t *total_ns)
{
	enum { STEAL = 7 };
	char text[256];
	unsigned long hz = getauxval(AT_CLKTCK);
	if (hz == 0 || proc_read("/proc/stat", text, sizeof text) == 0 || strncmp(text, "cpu ", 4) != 0)
		return false;
	uint64_t ns = 1000000000 / hz, ticks = 0;
	char *at = text + 4;
	*total_ns = 0;
	for (unsigned field = 0; field <= STEAL; field++) {
		ticks = strtoull(at, &at, 10);
		*total_ns += ticks * ns;
	}
	*stolen_ns = ticks * ns;
	return *total_ns != 0;
}
