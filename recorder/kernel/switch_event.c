/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/kernel/switch_event.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#include "recorder/kernel/switches_copy.h"
#include "recorder/system/away.h"
#include "recorder/system/sys.h"

static int open_for(int thread)
{
	struct perf_event_attr event = {
		.size = sizeof event,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.exclude_kernel = 1, /* an ordinary user may not count there */
		.exclude_hv = 1,
		.context_switch = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX, /* no thread waits for records */
	};
	return sys_perf_event_open(&event, thread, PERF_FLAG_FD_CLOEXEC);
}

int switch_event_open(void)
{
	return open_for(0);
}

static void open_and_map(void *argument)
{
	struct switch_event *event = argument;
	int fd = open_for(event->thread);
	event->is_tried = true;
	event->is_open = fd >= 0;
	if (fd < 0)
		return;
	for (size_t i = 0; i < event->n_sizes && !event->page; i++) {
		size_t bytes = (1 + (size_t)event->sizes[i]) * SWITCHES_PAGE_BYTES;
		void *page = sys_mmap(NULL, bytes, event->protection, MAP_SHARED, fd, 0);
		event->page = page;
		event->n_pages = event->sizes[i];
	}
	sys_close(fd);
}

void switch_event_map(struct switch_event *event)
{
	away(open_and_map, event);
}
