/* SPDX-License-Identifier: BSD-3-Clause
 *
 * grain.csv: how long tasks of each construct executed, and how long they were ready before they began, by powers of two.
 * docs/tables.md describes the columns. Called by outputs.c on one thread.
 */
#include "builder/answer/files.h"
#include "builder/support/csv.h"

#define LENGTHS 65 /* 0 ns, and powers of two */

/* Which power of two, from 1; 0: none. */
static unsigned length_of(uint64_t ns)
{
	return ns == 0 ? 0 : 64 - (unsigned)__builtin_clzll(ns);
}

static void add_up(uint64_t *counts, const struct dump *dump, const struct spread *spread)
{
	for (unsigned class = 0; spread->counts != NULL && class < SPREAD_CLASSES; class ++)
		if (spread->counts[class] != 0)
			counts[length_of(dump_duration_ns(dump, spread_class_begin(class)))] += spread->counts[class];
}

int answer_grain_csv(const struct trace *trace, const struct answer *answer, uint64_t n_constructs_before,
		     const struct csv_place *place)
{
	struct csv csv;
	if (csv_open(&csv, place, "grain.csv", "process,construct,label,from_ns,tasks,starts") != 0)
		return -1;
	for (uint32_t c = 1; answer->is_made && c < answer->prices.n; c++) {
		const struct price *price = &answer->prices.rows[c];
		uint64_t own[LENGTHS] = {0}, start[LENGTHS] = {0};
		add_up(own, &trace->dump, &price->own);
		add_up(start, &trace->dump, &price->start);
		for (unsigned i = 0; i < LENGTHS; i++) {
			if (own[i] + start[i] == 0)
				continue;
			csv_number(&csv, trace->process);
			csv_number(&csv, n_constructs_before + c);
			csv_text(&csv, trace->model.constructs[c].label);
			csv_number(&csv, i == 0 ? 0 : UINT64_C(1) << (i - 1));
			csv_number(&csv, own[i]);
			csv_number(&csv, start[i]);
			csv_end_row(&csv);
		}
	}
	return csv_close(&csv);
}
