/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All findings of a process: see lint.h.
 */
#include "builder/lint/lint.h"
#include "builder/support/array.h"
#include "builder/support/csv.h"

#include <stdlib.h>

const char *lint_name(enum lint kind)
{
	static const char *const names[LINTS] = {"implied",    "chained", "last",        "waits_for_none", "sync",
						 "undeferred", "inline",  "one_creator", "oversubscribed", "chunks"};
	return names[kind];
}

struct finding *lint_add(struct findings *findings, enum lint kind, uint32_t construct, uint32_t other, uint64_t count, uint64_t of)
{
	uint64_t hash = ((uint64_t)construct << 32 | other) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)kind;
	for (;; hash++) {
		uint32_t *number = map_put(&findings->row_of, hash);
		if (*number == 0) {
			array_reserve((void **)&findings->rows, findings->n + 1, &findings->capacity, sizeof *findings->rows);
			findings->rows[findings->n++] = (struct finding){.kind = kind, .construct = construct, .other = other};
			*number = (uint32_t)findings->n;
		}
		const struct finding *row = &findings->rows[*number - 1];
		if (row->kind == kind && row->construct == construct && row->other == other)
			break;
	}
	struct finding *row = &findings->rows[*map_get(&findings->row_of, hash) - 1];
	row->count += count;
	row->of += of;
	return row;
}

static int by_kind(const void *left, const void *right)
{
	const struct finding *l = left, *r = right;
	if (l->kind != r->kind)
		return l->kind < r->kind ? -1 : 1;
	if (l->count != r->count)
		return l->count > r->count ? -1 : 1;
	if (l->construct != r->construct)
		return l->construct < r->construct ? -1 : 1;
	return l->other < r->other ? -1 : l->other > r->other;
}

void lint_begin(struct findings *findings, const struct net *net)
{
	*findings = (struct findings){0};
	lint_waits(findings, net);
	lint_regions(findings, net);
}

void lint_make(struct findings *findings, const struct net *net, const struct lint_track *track)
{
	lint_creation(findings, net);
	lint_implied(findings, net);
	lint_variables(findings, net, track);
}

void lint_finish(struct findings *findings, const struct answer *answer)
{
	if (!answer->is_made) {
		lint_free(findings);
		return;
	}
	lint_chunks(findings, answer);
	map_free(&findings->row_of);
	findings->is_made = true;
	size_t n = 0;
	for (size_t i = 0; i < findings->n; i++)
		if (findings->rows[i].count != 0)
			findings->rows[n++] = findings->rows[i];
	findings->n = n;
	if (findings->n != 0)
		qsort(findings->rows, findings->n, sizeof *findings->rows, by_kind);
}

void lint_free(struct findings *findings)
{
	free(findings->rows);
	map_free(&findings->row_of);
	*findings = (struct findings){0};
}

static void put_place(struct csv *csv, const struct model *m, uint64_t before, uint32_t construct)
{
	const struct construct *c = &m->constructs[construct];
	csv_number_if(csv, construct != 0, before + construct);
	csv_text(csv, construct != 0 ? c->label : "");
}

int lint_csv(const struct trace *trace, const struct findings *findings, uint64_t n_constructs_before,
	     const struct csv_place *place)
{
	struct csv csv;
	if (csv_open(&csv, place, "lint.csv", "process,finding,construct,label,other,other_label,count,of,variable") != 0)
		return -1;
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *row = &findings->rows[i];
		csv_number(&csv, trace->process);
		csv_word(&csv, lint_name(row->kind));
		put_place(&csv, &trace->model, n_constructs_before, row->construct);
		put_place(&csv, &trace->model, n_constructs_before, row->other);
		csv_number(&csv, row->count);
		csv_number(&csv, row->of);
		csv_handle(&csv, row->variable);
		csv_end_row(&csv);
	}
	return csv_close(&csv);
}
