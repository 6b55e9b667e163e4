/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Constructs, times and texts as the summary shows them: see place.h.
 */
#include "builder/summary/place.h"
#include "builder/support/text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answer_place place_copy(const struct model *m, uint32_t construct)
{
	const struct construct *c = &m->constructs[construct];
	return (struct answer_place){text_copy(construct != 0 ? c->label : ""), text_copy(c->file), text_copy(c->function),
				     construct_kind_name(c->kind), c->line};
}

void place_free(struct answer_place *place)
{
	free(place->label);
	free(place->file);
	free(place->function);
}

const char *place_name(const struct answer_place *place)
{
	return place->label[0] != '\0' ? place->label : "(unknown)";
}

json_t *place_json(const struct answer_place *place)
{
	char *label = text_utf8(place->label), *file = text_utf8(place->file), *function = text_utf8(place->function);
	json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:s}", "kind", place->kind, "label", label, "file", file, "line",
				   (int)place->line, "function", function);
	free(label);
	free(file);
	free(function);
	return object;
}

struct length_text length_text(uint64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	struct length_text length;
	double value = (double)ns;
	unsigned unit = 0;
	while (value >= 999.5 && unit < 3) {
		value /= 1000;
		unit++;
	}
	int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	snprintf(length.text, sizeof length.text, "%.*f %s", digits, value, units[unit]);
	return length;
}

struct label_text label_text(const char *label, size_t width)
{
	struct label_text fitting;
	char *valid = text_utf8(label);
	size_t n = strlen(valid);
	if (n <= width)
		snprintf(fitting.text, sizeof fitting.text, "%s", valid);
	else /* the end has the line, the beginning the kind */
		snprintf(fitting.text, sizeof fitting.text, "%.*s..%s", (int)(width / 3), valid,
			 valid + n - (width - width / 3 - 2));
	free(valid);
	return fitting;
}
