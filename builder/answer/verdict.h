/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is said of the run as a whole: docs/analyses.md, "The limit". Used by answer.c, on one thread.
 */
#ifndef OTTER_BUILDER_ANSWER_VERDICT_H
#define OTTER_BUILDER_ANSWER_VERDICT_H

#include "builder/answer/answer.h"

/* Chooses answer.limit among the candidates, which are sorted. */
void verdict_choose(struct answer *answer);

/* ---- hang.c ---- */

/* Adds answer.hang where the process was killed, or still runs, and its threads have made no record for long. */
void hang_find(struct answer *answer);

#endif
