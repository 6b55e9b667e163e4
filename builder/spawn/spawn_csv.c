/* SPDX-License-Identifier: BSD-3-Clause
 *
 * spawn.csv: a row for each path on which something was created. docs/tables.md describes the columns.
 */
#include "builder/spawn/files.h"
#include "builder/support/csv.h"

int spawn_csv(const struct spawn *spawn, const struct csv_place *place)
{
	struct csv csv;
	if (csv_open(&csv, place, "spawn.csv", "number,process,above,depth,construct,name,count,own_ns,total_ns,path_ns") != 0)
		return -1;
	for (size_t i = 0; i < spawn->n_rows; i++) {
		const struct spawn_row *row = &spawn->rows[i];
		csv_number(&csv, i + 1);
		csv_number(&csv, row->process);
		csv_number_if(&csv, row->depth != 0, row->parent + UINT64_C(1));
		csv_number(&csv, row->depth);
		csv_number_if(&csv, row->construct != 0, row->construct);
		csv_text(&csv, spawn->frames[row->frame].name);
		csv_number(&csv, row->count);
		csv_number(&csv, row->own_ns);
		csv_number(&csv, row->total_ns);
		csv_number_if(&csv, row->has_path, row->path_ns);
		csv_end_row(&csv);
	}
	return csv_close(&csv);
}
