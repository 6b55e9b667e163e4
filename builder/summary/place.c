/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Constructs as the summary shows them: see place.h.
 */
#include "builder/summary/place.h"
#include "builder/support/text.h"

#include <jansson.h>
#include <stdlib.h>

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
	return json_pack("{s:s, s:o, s:o, s:i, s:o}", "kind", place->kind, "label", text_json(place->label), "file",
			 text_json(place->file), "line", (int)place->line, "function", text_json(place->function));
}
