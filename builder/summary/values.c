/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The values of summary.json as a table: a row for each, named by its way through the objects and arrays, such as
 * "graph.nodes.task" and "process_table[0].host". What is null, or an empty array, has no row. Called by
 * outputs_sqlite.c on one thread.
 */
#include "builder/summary/summary.h"
#include "builder/support/csv.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <jansson.h>
#include <stdlib.h>

static void put_values(struct csv *csv, const char *name, json_t *value);

static void put_members(struct csv *csv, const char *name, json_t *object)
{
	const char *key;
	json_t *value;
	json_object_foreach(object, key, value)
	{
		char *member = text_format("%s%s%s", name, *name != '\0' ? "." : "", key);
		put_values(csv, member, value);
		free(member);
	}
}

static void put_elements(struct csv *csv, const char *name, json_t *array)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		char *element = text_format("%s[%zu]", name, i);
		put_values(csv, element, json_array_get(array, i));
		free(element);
	}
}

static void put_values(struct csv *csv, const char *name, json_t *value)
{
	if (json_is_object(value))
		put_members(csv, name, value);
	else if (json_is_array(value))
		put_elements(csv, name, value);
	if (json_is_object(value) || json_is_array(value) || json_is_null(value))
		return;
	char *number = json_is_string(value)    ? text_copy("")
		       : json_is_boolean(value) ? text_copy(json_is_true(value) ? "1" : "0")
						: json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
	csv_text(csv, name);
	csv_text(csv, number);
	csv_text(csv, json_is_string(value) ? json_string_value(value) : "");
	csv_end_row(csv);
	free(number);
}

int summary_values(const struct summary *summary, const struct csv_place *place)
{
	struct csv csv;
	if (csv_open(&csv, place, "summary.csv", "name,number,text") != 0)
		return -1;
	json_t *root = summary_object(summary);
	put_members(&csv, "", root);
	json_decref(root);
	return csv_close(&csv);
}
