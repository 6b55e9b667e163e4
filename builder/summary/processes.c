/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The processes of the run: processes.csv, and an array for summary.json. docs/tables.md describes the columns. The table
 * is an output of its own; summary.c makes the array.
 */
#include "builder/summary/summary.h"
#include "builder/tables/row.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <jansson.h>

int processes_csv(const struct trace *traces, size_t n, const struct table_place *place)
{
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_processes) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct meta *meta = &traces[i].dump.meta;
		row_put_u64(&to, traces[i].process);
		row_put_u64_if(&to, meta->rank >= 0, (uint64_t)meta->rank);
		row_put_text(&to, meta->host);
		row_put_u64(&to, (uint64_t)meta->pid);
		row_put_u64(&to, traces[i].dump.first_realtime_ns);
		row_put_text(&to, meta->program);
		row_put_text(&to, meta_run_id(meta));
		row_put_text(&to, traces[i].dump.name);
		row_end(&to);
	}
	return row_writer_close(&to);
}

struct json_t *processes_json(const struct trace *traces, size_t n)
{
	json_t *array = json_array();
	for (size_t i = 0; i < n; i++) {
		const struct meta *meta = &traces[i].dump.meta;
		json_t *object = json_object();
		json_object_set_new(object, "number", json_integer(traces[i].process));
		json_object_set_new(object, "rank", meta->rank >= 0 ? json_integer(meta->rank) : json_null());
		json_object_set_new(object, "host", text_json(meta->host));
		json_object_set_new(object, "pid", json_integer(meta->pid));
		json_object_set_new(object, "start_ns", json_integer((json_int_t)traces[i].dump.first_realtime_ns));
		json_object_set_new(object, "program", text_json(meta->program));
		json_object_set_new(object, "run", text_json(meta_run_id(meta)));
		json_object_set_new(object, "dump", text_json(traces[i].dump.name));
		json_array_append_new(array, object);
	}
	return array;
}
