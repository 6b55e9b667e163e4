/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a developer should look at: see answer.h.
 */
#include "builder/summary/answer.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

void summary_collect_findings(struct findings_summary *s, const struct trace *trace, const struct findings *findings)
{
	unsigned n[LINTS] = {0};
	if (!findings->is_made)
		return;
	*s = (struct findings_summary){.is_there = true};
	for (unsigned kind = 0; kind < LINTS; kind++)
		s->not_searched[kind] = findings->not_searched[kind];
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *row = &findings->rows[i];
		if (n[row->kind]++ >= FINDING_ROWS) {
			s->n_left_out[row->kind]++;
			continue;
		}
		s->rows[s->n_rows++] = (struct findings_row){.kind = row->kind,
							     .place = place_copy(&trace->model, row->construct),
							     .other = place_copy(&trace->model, row->other),
							     .count = row->count,
							     .of = row->of,
							     .variable = row->variable};
	}
}

void summary_free_findings(struct findings_summary *s)
{
	for (unsigned i = 0; i < s->n_rows; i++) {
		place_free(&s->rows[i].place);
		place_free(&s->rows[i].other);
	}
	*s = (struct findings_summary){0};
}

json_t *summary_json_findings(const struct findings_summary *s)
{
	if (!s->is_there)
		return json_null();
	json_t *rows = json_array(), *not_searched = json_object(), *left_out = json_object();
	for (unsigned i = 0; i < s->n_rows; i++) {
		const struct findings_row *row = &s->rows[i];
		char variable[24];
		snprintf(variable, sizeof variable, "0x%" PRIx64, row->variable);
		json_array_append_new(rows, json_pack("{s:s, s:o, s:o, s:I, s:I, s:o}", "finding", findings_name(row->kind),
						      "construct", place_json(&row->place), "other",
						      row->other.label[0] != '\0' ? place_json(&row->other) : json_null(), "count",
						      (json_int_t)row->count, "of", (json_int_t)row->of, "variable",
						      row->variable != 0 ? json_string(variable) : json_null()));
	}
	for (unsigned kind = 0; kind < LINTS; kind++) {
		if (s->not_searched[kind] != 0)
			json_object_set_new(not_searched, findings_name(kind), json_integer((json_int_t)s->not_searched[kind]));
		if (s->n_left_out[kind] != 0)
			json_object_set_new(left_out, findings_name(kind), json_integer((json_int_t)s->n_left_out[kind]));
	}
	return json_pack("{s:o, s:o, s:o}", "findings", rows, "left_out", left_out, "not_searched", not_searched);
}

/* ---- For people ---- */

/* What is found, and what may be done about it. */
static const char *const texts[LINTS][2] = {
	[FINDING_IMPLIED] = {"dependences follow from others", "they need not be named"},
	[FINDING_CHAINED] = {"one variable makes tasks one chain", "an `in`, or a variable for each, would let them run at once"},
	[FINDING_LAST] = {"an `inout` is the last that names its variable", "an `in` would do, if the task does not write"},
	[FINDING_WAITS_FOR_NONE] = {"waits have no task to wait for", "they can go"},
	[FINDING_SYNC] = {"no task after them shares a variable with one before", "they can go, as far as dependences say"},
	[FINDING_UNDEFERRED] = {"the creator of tasks waits for each", "`if` or `final` asks for that"},
	[FINDING_INLINE] = {"the creator executes tasks at once, as its queue is full", "fewer, larger tasks would be deferred"},
	[FINDING_ONE_CREATOR] = {"one thread creates all tasks", "several creators, or a taskloop, are faster"},
	[FINDING_OVERSUBSCRIBED] = {"regions within regions have more threads than processors",
				    "num_threads, or OMP_MAX_ACTIVE_LEVELS=1, mends that"},
	[FINDING_CHUNKS] = {"chunks of a loop execute for less than 2 us", "a larger chunk in `schedule` costs less"}};

void summary_print_findings(const struct findings_summary *s, FILE *out)
{
	fputs("lint\n", out);
	for (unsigned i = 0; i < s->n_rows; i++) {
		const struct findings_row *row = &s->rows[i];
		if (i == 0 || row->kind != row[-1].kind)
			fprintf(out, "%s: %s:\n  %s\n", findings_name(row->kind), texts[row->kind][0], texts[row->kind][1]);
		fprintf(out, "  %8" PRIu64 " of %-8" PRIu64 " %s", row->count, row->of,
			format_fit(place_name(&row->place), 28).text);
		if (row->other.label[0] != '\0')
			fprintf(out, " after %s", format_fit(row->other.label, 22).text);
		if (row->variable != 0)
			fprintf(out, "\n                       on 0x%" PRIx64, row->variable);
		fputs("\n", out);
	}
	for (unsigned kind = 0; kind < LINTS; kind++) {
		if (s->n_left_out[kind] != 0)
			fprintf(out, "%s: %" PRIu64 " more places: lint.csv\n", findings_name(kind), s->n_left_out[kind]);
		if (s->not_searched[kind] != 0)
			fprintf(out, "%s: not searched, too many or not known: %" PRIu64 "\n", findings_name(kind),
				s->not_searched[kind]);
	}
	if (s->n_rows == 0)
		fputs("nothing was found\n", out);
	fputs("\n", out);
}
