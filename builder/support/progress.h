/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How far the builder is: one line on a terminal, with the rate and the time that is left; nothing on a pipe.
 */
#ifndef OTTER_BUILDER_SUPPORT_PROGRESS_H
#define OTTER_BUILDER_SUPPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool is_shown;
	uint64_t n_done, n_total; /* records */
	uint64_t start_ns, shown_ns;
};

/* is_wanted: false with --quiet. The line is shown only where stderr is a terminal. */
void progress_start(struct progress *progress, uint64_t n_total, bool is_wanted);

/* n more records are done. Call it for every thousand records or so, not for each: it reads the clock. */
void progress_add(struct progress *progress, uint64_t n);

/* Removes the line. */
void progress_end(struct progress *progress);

#endif
