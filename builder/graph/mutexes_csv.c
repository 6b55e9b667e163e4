/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mutexes.csv: a row for each mutex and each place where it is acquired. docs/tables.md describes the columns. Called by
 * run.c after the last process is replayed; one thread.
 */
#include "builder/graph/files.h"
#include "builder/support/csv.h"

static void put_row(struct csv *csv, const struct trace *trace, const struct variable_names *variables, uint64_t construct_offset,
		    const struct mutex_row *row)
{
	const struct construct *c = &trace->model.constructs[row->construct];
	csv_number(csv, trace->process);
	csv_number_if(csv, row->construct != 0, construct_offset + row->construct);
	csv_word(csv, mutex_kind_word(row->kind));
	csv_handle(csv, row->wait_id);
	variables_put(variables, csv, row->wait_id);
	csv_text(csv, c->label);
	csv_text(csv, c->file);
	csv_number_if(csv, c->line != 0, c->line);
	csv_text(csv, c->function);
	csv_number(csv, row->n_acquired);
	csv_number(csv, row->n_failed);
	csv_number(csv, dump_duration_ns(&trace->dump, row->held_ticks));
	csv_number(csv, dump_duration_ns(&trace->dump, row->wait_ticks));
	csv_end_row(csv);
}

bool has_mutexes(const struct graphs *graphs)
{
	for (size_t i = 0; i < graphs->n; i++)
		if (graphs->graphs[i].mutexes.n_rows != 0)
			return true;
	return false;
}

int graph_mutexes_csv(const struct graphs *graphs, const struct csv_place *place)
{
	struct csv csv;
	if (csv_open(&csv, place, "mutexes.csv",
		     "process,construct,kind,handle,variable,label,file,line,function,acquired,failed,held_ns,wait_ns") != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		const struct mutexes *m = &graphs->graphs[i].mutexes;
		for (uint32_t row = 0; row < m->n_rows; row++)
			put_row(&csv, &graphs->traces[i], &graphs->graphs[i].variables, graphs->graphs[i].before.n_constructs,
				&m->rows[row]);
	}
	return csv_close(&csv);
}
