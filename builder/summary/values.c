/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The values of summary.json as a table: a row for each, named by its way through the objects and arrays, such as
 * "graph.nodes.task" and "process_table[0].host". What is null, or an empty array, has no row. Runs on one thread.
 */
#include "builder/summary/summary.h"
#include "builder/tables/row.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"
#include "builder/symbols/module.h"
#include "builder/symbols/symbols.h"

#include <jansson.h>
#include <stdlib.h>

static void put_values(struct row_writer *to, const char *name, json_t *value);

static void put_members(struct row_writer *to, const char *name, json_t *object)
{
	const char *key;
	json_t *value;
	json_object_foreach(object, key, value)
	{
		char *member = text_format("%s%s%s", name, *name != '\0' ? "." : "", key);
		put_values(to, member, value);
		free(member);
	}
}

static void put_elements(struct row_writer *to, const char *name, json_t *array)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		char *element = text_format("%s[%zu]", name, i);
		put_values(to, element, json_array_get(array, i));
		free(element);
	}
}

static void put_values(struct row_writer *to, const char *name, json_t *value)
{
	if (json_is_object(value))
		put_members(to, name, value);
	else if (json_is_array(value))
		put_elements(to, name, value);
	if (json_is_object(value) || json_is_array(value) || json_is_null(value))
		return;
	row_put_text(to, name);
	if (json_is_string(value))
		row_put_empty(to, 1);
	else if (json_is_real(value))
		row_put_real(to, json_real_value(value));
	else /* none is negative */
		row_put_u64(to, json_is_integer(value) ? (uint64_t)json_integer_value(value) : json_is_true(value));
	row_put_text(to, json_is_string(value) ? json_string_value(value) : "");
	row_end(to);
}

int summary_values(const struct summary *summary, const struct table_place *place)
{
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_summary) != 0)
		return -1;
	json_t *root = summary_object(summary);
	put_members(&to, "", root);
	json_decref(root);
	return row_writer_close(&to);
}
