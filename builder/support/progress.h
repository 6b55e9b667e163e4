/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How far the builder is: one line on a terminal, with a rate and an estimate; nothing on a pipe.
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

/* is_wanted: false for -q. Shown only where stderr is a terminal. */
void progress_start(struct progress *progress, uint64_t n_total, bool is_wanted);

/* n more records are done. Cheap enough for every thousand records, not for every one. */
void progress_add(struct progress *progress, uint64_t n);

/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
