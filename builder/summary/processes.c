/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The processes of the run: processes.csv, and an array for summary.json. docs/tables.md describes the columns. The table
 * is an output of its own; the array is made by summary.c.
 */
#include "builder/summary/processes.h"
#include "builder/support/csv.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <jansson.h>

int processes_csv(const struct trace *traces, size_t n, const struct csv_place *place)
{
	struct csv csv;
	if (csv_open(&csv, place, "processes.csv", "process,rank,host,pid,start_ns,program,run,dump") != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct meta *meta = &traces[i].dump.meta;
		csv_number(&csv, traces[i].process);
		csv_number_if(&csv, meta->rank >= 0, (uint64_t)meta->rank);
		csv_text(&csv, meta->host);
		csv_number(&csv, (uint64_t)meta->pid);
		csv_number(&csv, traces[i].dump.first_realtime_ns);
		csv_text(&csv, meta->program);
		csv_text(&csv, meta_run_id(meta));
		csv_text(&csv, traces[i].dump.name);
		csv_end_row(&csv);
	}
	return csv_close(&csv);
}

static void set_text(json_t *object, const char *key, const char *text)
{
	char *valid = text_utf8(text);
	json_object_set_new(object, key, json_string(valid));
	free(valid);
}

struct json_t *processes_json(const struct trace *traces, size_t n)
{
	json_t *array = json_array();
	for (size_t i = 0; i < n; i++) {
		const struct meta *meta = &traces[i].dump.meta;
		json_t *object = json_object();
		json_object_set_new(object, "number", json_integer(traces[i].process));
		json_object_set_new(object, "rank", meta->rank >= 0 ? json_integer(meta->rank) : json_null());
		set_text(object, "host", meta->host);
		json_object_set_new(object, "pid", json_integer(meta->pid));
		json_object_set_new(object, "start_ns", json_integer((json_int_t)traces[i].dump.first_realtime_ns));
		set_text(object, "program", meta->program);
		set_text(object, "run", meta_run_id(meta));
		set_text(object, "dump", traces[i].dump.name);
		json_array_append_new(array, object);
	}
	return array;
}
