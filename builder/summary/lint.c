/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a developer should look at: see lint.h.
 */
#include "builder/summary/lint.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

void summary_collect_lint(struct lint_summary *s, const struct trace *trace, const struct findings *findings)
{
	unsigned n[LINTS] = {0};
	if (!findings->is_made)
		return;
	*s = (struct lint_summary){.is_there = true};
	for (unsigned kind = 0; kind < LINTS; kind++)
		s->not_searched[kind] = findings->not_searched[kind];
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *row = &findings->rows[i];
		if (n[row->kind]++ >= LINT_ROWS) {
			s->n_left_out[row->kind]++;
			continue;
		}
		s->rows[s->n_rows++] = (struct lint_row){.kind = row->kind,
							 .place = place_copy(&trace->model, row->construct),
							 .other = place_copy(&trace->model, row->other),
							 .count = row->count,
							 .of = row->of,
							 .variable = row->variable};
	}
}

void summary_free_lint(struct lint_summary *s)
{
	for (unsigned i = 0; i < s->n_rows; i++) {
		place_free(&s->rows[i].place);
		place_free(&s->rows[i].other);
	}
	*s = (struct lint_summary){0};
}

json_t *summary_json_lint(const struct lint_summary *s)
{
	if (!s->is_there)
		return json_null();
	json_t *rows = json_array(), *not_searched = json_object(), *left_out = json_object();
	for (unsigned i = 0; i < s->n_rows; i++) {
		const struct lint_row *row = &s->rows[i];
		char variable[24];
		snprintf(variable, sizeof variable, "0x%" PRIx64, row->variable);
		json_array_append_new(rows, json_pack("{s:s, s:o, s:o, s:I, s:I, s:o}", "finding", lint_name(row->kind),
						      "construct", place_json(&row->place), "other",
						      row->other.label[0] != '\0' ? place_json(&row->other) : json_null(), "count",
						      (json_int_t)row->count, "of", (json_int_t)row->of, "variable",
						      row->variable != 0 ? json_string(variable) : json_null()));
	}
	for (unsigned kind = 0; kind < LINTS; kind++) {
		if (s->not_searched[kind] != 0)
			json_object_set_new(not_searched, lint_name(kind), json_integer((json_int_t)s->not_searched[kind]));
		if (s->n_left_out[kind] != 0)
			json_object_set_new(left_out, lint_name(kind), json_integer((json_int_t)s->n_left_out[kind]));
	}
	return json_pack("{s:o, s:o, s:o}", "findings", rows, "left_out", left_out, "not_searched", not_searched);
}

/* ---- For people ---- */

/* What is found, and what may be done about it. */
static const char *const texts[LINTS][2] = {
	[LINT_IMPLIED] = {"dependences follow from others", "they need not be named"},
	[LINT_CHAINED] = {"one variable makes tasks one chain", "an `in`, or a variable for each, would let them run at once"},
	[LINT_LAST] = {"an `inout` is the last that names its variable", "an `in` would do, if the task does not write"},
	[LINT_WAITS_FOR_NONE] = {"waits have no task to wait for", "they can go"},
	[LINT_SYNC] = {"no task after them shares a variable with one before", "they can go, as far as dependences say"},
	[LINT_UNDEFERRED] = {"the creator of tasks waits for each", "`if` or `final` asks for that"},
	[LINT_INLINE] = {"the creator executes tasks at once, as its queue is full", "fewer, larger tasks would be deferred"},
	[LINT_ONE_CREATOR] = {"one thread creates all tasks", "several creators, or a taskloop, are faster"},
	[LINT_OVERSUBSCRIBED] = {"regions within regions have more threads than processors",
				 "num_threads, or OMP_MAX_ACTIVE_LEVELS=1, mends that"},
	[LINT_CHUNKS] = {"chunks of a loop execute for less than 2 us", "a larger chunk in `schedule` costs less"}};

void summary_print_lint(const struct lint_summary *s, FILE *out)
{
	fputs("lint\n", out);
	for (unsigned i = 0; i < s->n_rows; i++) {
		const struct lint_row *row = &s->rows[i];
		if (i == 0 || row->kind != row[-1].kind)
			fprintf(out, "%s: %s:\n  %s\n", lint_name(row->kind), texts[row->kind][0], texts[row->kind][1]);
		fprintf(out, "  %8" PRIu64 " of %-8" PRIu64 " %s", row->count, row->of,
			label_text(place_name(&row->place), 28).text);
		if (row->other.label[0] != '\0')
			fprintf(out, " after %s", label_text(row->other.label, 22).text);
		if (row->variable != 0)
			fprintf(out, "\n                       on 0x%" PRIx64, row->variable);
		fputs("\n", out);
	}
	for (unsigned kind = 0; kind < LINTS; kind++) {
		if (s->n_left_out[kind] != 0)
			fprintf(out, "%s: %" PRIu64 " more places: lint.csv\n", lint_name(kind), s->n_left_out[kind]);
		if (s->not_searched[kind] != 0)
			fprintf(out, "%s: not searched, too many or not known: %" PRIu64 "\n", lint_name(kind),
				s->not_searched[kind]);
	}
	if (s->n_rows == 0)
		fputs("nothing was found\n", out);
	fputs("\n", out);
}
