/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of a process's findings, and lint.csv: see findings.h.
 */
#include "builder/findings/findings.h"
#include "builder/support/array.h"
#include "builder/tables/row.h"
#include "builder/support/sort.h"

#include <stdlib.h>

const char *findings_name(enum lint kind)
{
	static const char *const names[LINTS] = {"implied",    "chained", "last",        "waits_for_none", "sync",
						 "undeferred", "inline",  "one_creator", "oversubscribed", "chunks"};
	return names[kind];
}

struct finding *findings_add(struct findings *findings, enum lint kind, uint32_t construct, uint32_t other, uint64_t count,
			     uint64_t of)
{
	const uint32_t key[] = {kind, construct, other};
	uint32_t *number = map_put_row(&findings->row_of, findings->rows, key);
	array_push_new(findings->rows, findings->n, findings->capacity, number,
		       (struct finding){.kind = kind, .construct = construct, .other = other});
	struct finding *row = &findings->rows[*number - 1];
	row->count += count;
	row->of += of;
	return row;
}

static int by_kind(const void *left, const void *right)
{
	const struct finding *l = left, *r = right;
	return cmp(l->kind, r->kind) ?: cmp(r->count, l->count) ?: cmp(l->construct, r->construct) ?: cmp(l->other, r->other);
}

void findings_sort(struct findings *findings)
{
	size_t n = 0;
	map_free(&findings->row_of);
	for (size_t i = 0; i < findings->n; i++)
		if (findings->rows[i].count != 0)
			findings->rows[n++] = findings->rows[i];
	findings->n = n;
	sort_array(findings->rows, findings->n, by_kind);
}

void findings_free(struct findings *findings)
{
	free(findings->rows);
	map_free(&findings->row_of);
	*findings = (struct findings){0};
}

static void put_place(struct row_writer *to, const struct model *m, uint64_t before, uint32_t construct)
{
	const struct construct *c = &m->constructs[construct];
	row_put_u64_if(to, construct != 0, before + construct);
	row_put_text(to, construct != 0 ? c->label : "");
}

int findings_csv(const struct trace *trace, const struct findings *findings, uint64_t n_constructs_before,
		 const struct table_place *place)
{
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_lint) != 0)
		return -1;
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *row = &findings->rows[i];
		row_put_u64(&to, trace->process);
		row_put_word(&to, findings_name(row->kind));
		put_place(&to, &trace->model, n_constructs_before, row->construct);
		put_place(&to, &trace->model, n_constructs_before, row->other);
		row_put_u64(&to, row->count);
		row_put_u64(&to, row->of);
		row_put_hex(&to, row->variable);
		row_end(&to);
	}
	return row_writer_close(&to);
}
