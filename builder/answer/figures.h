/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures of each construct: how often it was executed, for how long, how long threads waited at it, what it is blamed
 * for. Called by answer.c, on one thread.
 */
#ifndef OTTER_BUILDER_ANSWER_FIGURES_H
#define OTTER_BUILDER_ANSWER_FIGURES_H

#include "builder/answer/account.h"
#include "builder/answer/prices.h"
#include "builder/spawn/tree.h"

struct figure {
	uint64_t
		count; /* tasks; regions; times that threads took part in a worksharing construct, or came to a synchronisation; acquisitions */
	uint64_t own_ticks;   /* that its tasks executed, or what was executed in it; of a mutex: how long it was held */
	uint64_t path_ticks;  /* of own_ticks, on the critical path */
	uint64_t n_chunks;    /* of a loop whose chunks are handed out while it runs: how many; 0: they were not counted */
	uint64_t wait_ticks;  /* that threads waited in it */
	double blamed_ticks;  /* that threads did not work because of it */
	uint32_t culprit;     /* of a synchronisation or mutex: the construct that was waited for longest, 0 none */
	double culprit_share; /* of all that threads waited there */
};

/* By construct; to be freed. */
struct figure *figures_find(const struct net *net, const struct track *track, const struct prices *prices,
			    const struct spawn_tree *tree, const struct causes *causes, const struct causes *waits);

/* unit_waits.c: adds to `waits` for whom Argobots' units waited, as causes; and to the places of `track`, how long. */
void unit_waits_find(struct causes *waits, struct track *track, const struct net *net);

/* Is it a row of `waits` about that place? Units wait in several ways at one construct. */
bool wait_is_at(const struct model *model, const struct wait_place *place, const struct cause *wait);

#endif
