/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A construct as the summary shows it, its texts copied.
 */
#ifndef OTTER_BUILDER_SUMMARY_PLACE_H
#define OTTER_BUILDER_SUMMARY_PLACE_H

#include "builder/model/tables.h"
#include "builder/support/format.h"

#include <stddef.h>
#include <stdint.h>

/* A construct, by name; an empty label: none. */
struct answer_place {
	char *label, *file, *function;
	const char *kind; /* construct_kind_name() */
	unsigned line;
};

struct answer_place place_copy(const struct model *m, uint32_t construct);
void place_free(struct answer_place *place);
/* For people: its label, or that it is not known. */
const char *place_name(const struct answer_place *place);

struct json_t;
struct json_t *place_json(const struct answer_place *place);

#endif
