/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary of Argobots' work units: how many of which kind, and for each work function how often it was run, and how
 * long.
 */
#include "builder/support/array.h"
#include "builder/summary/summary.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_SHOWN 10 /* to people; all are in summary.json */

static struct unit_function *find(struct unit_summary *s, struct map *rows, const struct model *m, uint32_t construct)
{
	uint32_t *row = map_put(rows, construct);
	const char *label = m->constructs[construct].label;
	for (size_t i = 0; *row == 0 && i < s->n_functions; i++)
		if (strcmp(s->functions[i].label, label) == 0)
			*row = (uint32_t)i + 1;
	if (*row == 0) {
		array_reserve((void **)&s->functions, s->n_functions + 1, &s->capacity, sizeof *s->functions);
		s->functions[s->n_functions++] = (struct unit_function){.label = text_copy(label), .min_ns = UINT64_MAX};
		*row = (uint32_t)s->n_functions;
	}
	return &s->functions[*row - 1];
}

/* Adds a unit's counts and times. busy_ns: what it executed. */
static void add_function(struct unit_function *f, const struct dump *dump, const struct work_unit *unit, uint64_t busy_ns)
{
	f->n++;
	f->n_runs += unit->n_runs;
	f->n_yields += unit->n_yields;
	f->n_suspends += unit->n_suspends;
	f->n_polls += unit->n_polls;
	f->busy_ns += busy_ns;
	f->wait_ns += dump_duration_ns(dump, unit->wait_ticks);
	f->queued_ns += dump_duration_ns(dump, unit->queued_ticks);
	f->min_ns = busy_ns < f->min_ns ? busy_ns : f->min_ns;
	f->max_ns = busy_ns > f->max_ns ? busy_ns : f->max_ns;
}

void summary_collect_units(struct unit_summary *s, const struct model *m, const struct busy *busy)
{
	struct map rows = {0};
	for (uint32_t row = 1; row < m->n_units; row++) {
		const struct work_unit *unit = &m->units[row];
		if (unit->kind == UNIT_ROOT || !(unit->state & UNIT_SEEN))
			continue;
		s->n[unit->kind]++;
		s->n_runs += unit->n_runs;
		s->n_yields += unit->n_yields;
		s->n_suspends += unit->n_suspends;
		s->n_polls += unit->n_polls;
		s->n_revived += unit->before != 0;
		s->n_cancelled += (unit->state & UNIT_CANCELLED) != 0;
		s->n_migrated += (unit->state & UNIT_MIGRATED) != 0;
		if (m->constructs[unit->construct].codeptr == 0)
			continue; /* it has no work function */
		uint64_t busy_ns = dump_duration_ns(m->dump, busy->ticks[row]);
		add_function(find(s, &rows, m, unit->construct), m->dump, unit, busy_ns);
		if (unit->kind != UNIT_SCHEDULER)
			s->busy_ns += busy_ns;
	}
	s->n_lives += m->n_events[EVENT_unit_begin];
	map_free(&rows);
}

static int by_time(const void *left, const void *right)
{
	const struct unit_function *l = left, *r = right;
	if (l->busy_ns != r->busy_ns)
		return l->busy_ns > r->busy_ns ? -1 : 1;
	return strcmp(l->label, r->label);
}

void summary_sort_units(struct unit_summary *s)
{
	if (s->n_functions > 0)
		qsort(s->functions, s->n_functions, sizeof *s->functions, by_time);
}

static bool is_empty(const struct unit_summary *s)
{
	uint64_t n = s->n_lives;
	for (unsigned kind = 0; kind < UNIT_KINDS; kind++)
		n += s->n[kind];
	return n == 0;
}

void summary_print_units(const struct unit_summary *s, FILE *out)
{
	const char *separator = "";
	if (is_empty(s))
		return;
	fprintf(out, "%-10s", "units");
	for (unsigned kind = 0; kind < UNIT_KINDS; kind++)
		if (s->n[kind] != 0) {
			fprintf(out, "%s%" PRIu64 " %s", separator, s->n[kind], unit_kind_name(kind));
			separator = ", ";
		}
	fprintf(out,
		"; %" PRIu64 " runs, %" PRIu64 " polls, %" PRIu64 " revived, %" PRIu64 " cancelled, %" PRIu64 " moved; %.6f s\n",
		s->n_runs, s->n_polls, s->n_revived, s->n_cancelled, s->n_migrated, (double)s->busy_ns / 1e9);
	for (size_t i = 0; i < s->n_functions && i < FUNCTIONS_SHOWN; i++) {
		const struct unit_function *f = &s->functions[i];
		fprintf(out, " %s  %" PRIu64 " x, %.6f s, %.3f to %.3f us\n", f->label, f->n, (double)f->busy_ns / 1e9,
			(double)f->min_ns / 1e3, (double)f->max_ns / 1e3);
	}
	if (s->n_functions > FUNCTIONS_SHOWN)
		fprintf(out, " and %zu functions more\n", s->n_functions - FUNCTIONS_SHOWN);
}

json_t *summary_json_units(const struct unit_summary *s)
{
	json_t *kinds = json_object(), *functions = json_array();
	for (unsigned kind = 0; kind < UNIT_KINDS; kind++)
		if (s->n[kind] != 0)
			json_object_set_new(kinds, unit_kind_name(kind), json_integer((json_int_t)s->n[kind]));
	for (size_t i = 0; i < s->n_functions; i++) {
		const struct unit_function *f = &s->functions[i];
		json_array_append_new(functions,
				      json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "label", f->label,
						"count", (json_int_t)f->n, "runs", (json_int_t)f->n_runs, "yields",
						(json_int_t)f->n_yields, "suspends", (json_int_t)f->n_suspends, "polls",
						(json_int_t)f->n_polls, "busy_ns", (json_int_t)f->busy_ns, "min_ns",
						(json_int_t)f->min_ns, "max_ns", (json_int_t)f->max_ns, "wait_ns",
						(json_int_t)f->wait_ns, "queued_ns", (json_int_t)f->queued_ns));
	}
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "kinds", kinds, "lives", (json_int_t)s->n_lives,
			 "runs", (json_int_t)s->n_runs, "yields", (json_int_t)s->n_yields, "suspends", (json_int_t)s->n_suspends,
			 "polls", (json_int_t)s->n_polls, "revived", (json_int_t)s->n_revived, "cancelled",
			 (json_int_t)s->n_cancelled, "migrated", (json_int_t)s->n_migrated, "busy_ns", (json_int_t)s->busy_ns,
			 "functions", functions);
}

void summary_free_units(struct unit_summary *s)
{
	for (size_t i = 0; i < s->n_functions; i++)
		free(s->functions[i].label);
	free(s->functions);
}
