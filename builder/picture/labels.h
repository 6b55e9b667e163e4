/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts, each once, with numbers from 1: the labels of constructs, which are the same in all processes of a run, unlike
 * the numbers of constructs. Used by fold.c; one thread.
 */
#ifndef OTTER_BUILDER_PICTURE_LABELS_H
#define OTTER_BUILDER_PICTURE_LABELS_H

#include "builder/support/map.h"

struct labels {
	struct label {
		char *text;
		uint32_t next; /* with the same hash, 0 none */
	} * rows;              /* row 0 has no text */
	uint32_t n;
	size_t capacity;
	struct map first; /* hash -> row */
};

/* The text's number, added if it is new. */
uint32_t labels_number(struct labels *labels, const char *text);
void labels_free(struct labels *labels);

static inline const char *labels_text(const struct labels *labels, uint32_t number)
{
	return number != 0 ? labels->rows[number].text : "";
}

#endif
