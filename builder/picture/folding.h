/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files that fold a process share, and nobody else uses:
 *   fold.c          the way from a process to its folded graph: the figures of classes, edges, the critical path
 *   fold_classes.c  which class a node belongs to
 */
#ifndef OTTER_BUILDER_PICTURE_FOLDING_H
#define OTTER_BUILDER_PICTURE_FOLDING_H

#include "builder/picture/fold.h"

struct folding {
	struct fold *fold;
	const struct fold_source *source;
	const struct model *model;
	struct labels *labels;
	uint32_t *label_of; /* by construct */
	uint32_t *team_of;  /* by region: its class, 0 not yet known */
	uint32_t *inner;    /* regions whose class is being looked for, from the innermost on; room for all */
	uint32_t *class_of; /* by node of the graph */
	bool adds;          /* classes that are not there yet */
};

void folding_begin(struct folding *f);
void folding_end(struct folding *f);

/* The class of a node of the process, 0 none: none is added for the second graph. */
uint32_t folding_class(struct folding *f, const struct node_view *node);

#endif
