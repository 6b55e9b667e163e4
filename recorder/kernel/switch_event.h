/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel's event that records a thread's context switches. The recorder opens one for each thread. The launcher has
 * one open for its own thread while a program runs: the first event of a machine takes 10 ms.
 */
#ifndef OTTER_RECORDER_SWITCH_EVENT_H
#define OTTER_RECORDER_SWITCH_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens it for the calling thread. Returns its descriptor, or -1 with errno where the kernel refuses. */
int switch_event_open(void);

struct switch_event {
	int thread;            /* the kernel's number of the thread; 0: the calling one */
	int protection;        /* of mmap(2) */
	const uint32_t *sizes; /* in pages, which follow a first one; the largest is tried first */
	size_t n_sizes;
	/* Results: */
	void *page;       /* where the memory begins; NULL: nothing was mapped */
	uint32_t n_pages; /* which size it has */
	bool is_open;     /* the event could be opened */
	bool is_tried;    /* opening was tried (away.h) */
};

/* Opens it for a thread and maps its memory. The mapping keeps the event, so its descriptor is closed at once. */
void switch_event_map(struct switch_event *event);

#endif
