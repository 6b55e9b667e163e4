/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The metric "thread state" of a location. One thread.
 */
#ifndef OTTER_BUILDER_OTF2_STATES_H
#define OTTER_BUILDER_OTF2_STATES_H

#include "builder/otf2/archive.h"

/* Writes the location's state at this time, if the metric does not say so already. 0 or -1. */
int state_metric_write(struct archive *a, struct location *l, uint64_t time);

/* The description of the metric, a string: which number is which state. */
uint32_t state_metric_names(struct archive *a);

#endif
