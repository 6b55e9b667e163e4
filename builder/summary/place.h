/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A construct as the summary shows it, its texts copied; and a time, and a text, for people. Used by the files of this folder.
 */
#ifndef OTTER_BUILDER_SUMMARY_PLACE_H
#define OTTER_BUILDER_SUMMARY_PLACE_H

#include "builder/model/tables.h"

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

/* A time in three or four digits, with its unit: "1.234 s", "12.3 ms". */
struct length_text {
	char text[24];
};
struct length_text length_text(uint64_t ns);

/* A label without control characters, cut to fit. Bytes of one character count as one column each. */
struct label_text {
	char text[64];
};
struct label_text label_text(const char *label, size_t width);

#endif
