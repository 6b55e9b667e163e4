/* SPDX-License-Identifier: BSD-3-Clause
 *
 * whatif.csv and speedups.csv: docs/tables.md describes the columns. Called by outputs.c on one thread.
 */
#include "builder/support/csv.h"
#include "builder/whatif/whatif.h"

int what_if_csv(const struct trace *trace, const struct what_if *what_if, const struct csv_place *place)
{
	struct csv csv;
	if (csv_open(&csv, place, "whatif.csv", "process,threads,policy,wall_ns,work_bound_ns,span_ns") != 0)
		return -1;
	for (size_t i = 0; i < what_if->n_rows; i++) {
		const struct what_if_row *row = &what_if->rows[i];
		csv_number(&csv, trace->process);
		csv_number(&csv, row->n_threads);
		csv_word(&csv, policy_name(row->policy));
		csv_number(&csv, dump_duration_ns(&trace->dump, row->ticks));
		csv_number(&csv, dump_duration_ns(&trace->dump, what_if->work_ticks / row->n_threads));
		csv_number(&csv, dump_duration_ns(&trace->dump, row->span_ticks));
		csv_end_row(&csv);
	}
	return csv_close(&csv);
}

int what_if_speedups_csv(const struct trace *trace, const struct what_if *what_if, uint64_t n_constructs_before,
			 const struct csv_place *place)
{
	const struct dump *dump = &trace->dump;
	struct csv csv;
	if (csv_open(&csv, place, "speedups.csv",
		     "process,construct,kind,label,file,line,function,work_ns,path_ns,faster,wall_ns,base_ns") != 0)
		return -1;
	for (unsigned i = 0; i < what_if->n_speedups; i++)
		for (unsigned k = 0; k < WHAT_IF_FACTORS; k++) {
			static const char *const names[WHAT_IF_FACTORS] = {"1.25", "1.5", "2", "4", "inf"};
			const struct speedup *row = &what_if->speedups[i];
			const struct construct *c = &trace->model.constructs[row->construct];
			csv_number(&csv, trace->process);
			csv_number(&csv, n_constructs_before + row->construct);
			csv_word(&csv, construct_kind_name(c->kind));
			csv_text(&csv, c->label);
			csv_text(&csv, c->file);
			csv_number_if(&csv, c->line != 0, c->line);
			csv_text(&csv, c->function);
			csv_number(&csv, dump_duration_ns(dump, row->work_ticks));
			csv_number(&csv, dump_duration_ns(dump, row->path_ticks));
			csv_word(&csv, names[k]);
			csv_number(&csv, dump_duration_ns(dump, row->ticks[k]));
			csv_number(&csv, dump_duration_ns(dump, what_if->base_ticks));
			csv_end_row(&csv);
		}
	return csv_close(&csv);
}
