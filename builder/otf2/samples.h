/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The metric "thread state sampled" of a location. One thread.
 */
#ifndef OTTER_BUILDER_OTF2_SAMPLES_H
#define OTTER_BUILDER_OTF2_SAMPLES_H

#include "builder/otf2/archive.h"

/* Finds the first sample of the stream's thread. */
void sample_metric_begin(struct archive *a, struct location *l, uint32_t stream);

/* Writes the samples up to this time stamp. 0 or -1. */
int sample_metric_write(struct archive *a, struct location *l, uint64_t until);

/* The description of the metric, a string: which number is which state. */
uint32_t sample_metric_names(struct archive *a);

#endif
