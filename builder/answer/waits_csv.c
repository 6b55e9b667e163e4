/* SPDX-License-Identifier: BSD-3-Clause
 *
 * waits.csv: where threads waited, and for how long, by construct and state. docs/tables.md describes the columns. Called
 * by outputs.c on one thread.
 */
#include "builder/answer/files.h"
#include "builder/support/csv.h"

#include <stdlib.h>

static int by_ticks(const void *left, const void *right)
{
	const struct track_place *l = left, *r = right;
	if (l->ticks != r->ticks)
		return l->ticks > r->ticks ? -1 : 1;
	return l->construct != r->construct ? (l->construct < r->construct ? -1 : 1) : (int)l->state - (int)r->state;
}

int answer_waits_csv(const struct trace *trace, const struct answer *answer, uint64_t n_constructs_before, const char *dir)
{
	const struct track_places *places = &answer->track.places;
	struct csv csv;
	if (csv_open(&csv, dir, "waits.csv", "process,construct,kind,state,label,file,line,function,count,total_ns,longest_ns") !=
	    0)
		return -1;
	struct track_place *rows = memory_get(places->n + 1, sizeof *rows, "waits.csv");
	for (size_t i = 0; i < places->n; i++)
		rows[i] = places->rows[i];
	qsort(rows, places->n, sizeof *rows, by_ticks);
	for (size_t i = 0; i < places->n; i++) {
		const struct construct *c = &trace->model.constructs[rows[i].construct];
		csv_number(&csv, trace->process);
		csv_number_if(&csv, rows[i].construct != 0, n_constructs_before + rows[i].construct);
		csv_word(&csv, construct_kind_name(c->kind));
		csv_word(&csv, state_name(rows[i].state));
		csv_text(&csv, c->label);
		csv_text(&csv, c->file);
		csv_number_if(&csv, c->line != 0, c->line);
		csv_text(&csv, c->function);
		csv_number(&csv, rows[i].count);
		csv_number(&csv, dump_duration_ns(&trace->dump, rows[i].ticks));
		csv_number(&csv, dump_duration_ns(&trace->dump, rows[i].longest_ticks));
		csv_end_row(&csv);
	}
	free(rows);
	return csv_close(&csv);
}
