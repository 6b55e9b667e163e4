/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary of Argobots' work units: how many of which kind, and for each work function how often it was run, and how
 * long.
 */
#include "builder/argobots/argobots.h"
#include "builder/support/array.h"
#include "builder/summary/summary.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_SHOWN 10 /* in the summary's text; all are in summary.json */

/* A work function. */
struct unit_function {
	char *label;
	uint64_t n, n_runs, n_yields, n_suspends, n_polls;
	/*
	 * How long all runs executed, and the shortest and the longest one; how long they were suspended, and ready to run.
	 */
	uint64_t busy_ns, min_ns, max_ns, wait_ns, queued_ns;
};

struct unit_summary {
	uint64_t n[UNIT_KINDS]; /* rows of model.units */
	uint64_t n_lives, n_runs, n_yields, n_suspends, n_polls, n_revived, n_cancelled, n_migrated;
	uint64_t busy_ns;                /* without schedulers */
	struct unit_function *functions; /* the longest first */
	size_t n_functions, capacity;
};

static struct unit_function *find(struct unit_summary *s, struct map *rows, const struct model *m, uint32_t construct)
{
	uint32_t *row = map_put(rows, construct);
	const char *label = m->constructs[construct].label;
	for (size_t i = 0; *row == 0 && i < s->n_functions; i++)
		if (strcmp(s->functions[i].label, label) == 0)
			*row = (uint32_t)i + 1;
	array_push_new(s->functions, s->n_functions, s->capacity, row,
		       (struct unit_function){.label = text_copy(label), .min_ns = UINT64_MAX});
	return &s->functions[*row - 1];
}

/* Adds a unit's counts and times. busy_ns: how long it executed. */
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

static void *begin(void)
{
	return memory_zeroed(1, sizeof(struct unit_summary), "the summary");
}

static void collect(void *self, const struct model *m, const struct states *states)
{
	struct unit_summary *s = self;
	const struct busy *busy = &states->units.busy;
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
	return cmp(r->busy_ns, l->busy_ns) ?: strcmp(l->label, r->label);
}

static void finish(void *self)
{
	struct unit_summary *s = self;
	sort_array(s->functions, s->n_functions, by_time);
}

static bool is_empty(const struct unit_summary *s)
{
	uint64_t n = s->n_lives;
	for (unsigned kind = 0; kind < UNIT_KINDS; kind++)
		n += s->n[kind];
	return n == 0;
}

static void print(const void *self, FILE *out)
{
	const struct unit_summary *s = self;
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

static void json(const void *self, json_t *root)
{
	const struct unit_summary *s = self;
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
	json_object_set_new(root, "units",
			    json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "kinds", kinds, "lives",
				      (json_int_t)s->n_lives, "runs", (json_int_t)s->n_runs, "yields", (json_int_t)s->n_yields,
				      "suspends", (json_int_t)s->n_suspends, "polls", (json_int_t)s->n_polls, "revived",
				      (json_int_t)s->n_revived, "cancelled", (json_int_t)s->n_cancelled, "migrated",
				      (json_int_t)s->n_migrated, "busy_ns", (json_int_t)s->busy_ns, "functions", functions));
}

static void free_summary(void *self)
{
	struct unit_summary *s = self;
	for (size_t i = 0; i < s->n_functions; i++)
		free(s->functions[i].label);
	free(s->functions);
	free(s);
}

const struct summary_hooks argobots_summary = {
	.begin = begin, .collect = collect, .finish = finish, .print_tasks = print, .json = json, .free = free_summary};
