/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How late each node of a net began: by that much later than it could have, as nothing came before it any more, and its thread
 * had ended what it executed before. Called by answer.c, on one thread.
 */
#ifndef OTTER_BUILDER_ANSWER_LATE_H
#define OTTER_BUILDER_ANSWER_LATE_H

#include "builder/answer/prices.h"
#include "builder/answer/track.h"

/* Fills in net.late_ticks, and tells the prices of each task that began. After net_make_order() and prices_begin(). */
void late_measure(struct net *net, const struct track *track, struct prices *prices);

#endif
