/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The progress line: rewritten at most five times a second.
 */
#include "builder/support/progress.h"
#include "common/clock.h"

#include <stdio.h>
#include <unistd.h>

#define SHOW_EVERY_NS UINT64_C(200000000)

void progress_start(struct progress *progress, uint64_t n_total, bool is_wanted)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	*progress = (struct progress){is_wanted && isatty(STDERR_FILENO), 0, n_total, now_ns, now_ns};
}

void progress_add(struct progress *progress, uint64_t n)
{
	progress->n_done += n;
	if (!progress->is_shown)
		return;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	if (now_ns - progress->shown_ns < SHOW_EVERY_NS || progress->n_done == 0)
		return;
	progress->shown_ns = now_ns;
	double seconds = (double)(now_ns - progress->start_ns) / 1e9;
	double rate = (double)progress->n_done / seconds;
	uint64_t left = progress->n_total > progress->n_done ? progress->n_total - progress->n_done : 0;
	fprintf(stderr, "\r%3.0f %%  %.1f of %.1f M records, %.1f M/s, %.0f s left \033[K",
		100.0 * (double)progress->n_done / (double)(progress->n_total ? progress->n_total : 1),
		(double)progress->n_done / 1e6, (double)progress->n_total / 1e6, rate / 1e6, (double)left / rate);
}

void progress_end(struct progress *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", stderr);
}
