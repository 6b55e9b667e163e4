/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary of mutexes: by kind and place how often they were acquired, how long they were held and waited for.
 * mutexes.csv has each mutex of its own.
 */
#include "builder/summary/summary.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_SHOWN 8 /* to people; all are in summary.json */

static struct mutex_place *find(struct mutex_summary *s, struct map *rows, const struct model *m, const struct mutex_row *row)
{
	uint32_t *place = map_put(rows, (uint64_t)row->construct << 4 | (row->kind & 0xf));
	if (*place == 0) {
		array_append(s->places, s->n_places,
			     (struct mutex_place){.label = text_copy(m->constructs[row->construct].label),
						  .kind = mutex_kind_word(row->kind)});
		*place = (uint32_t)s->n_places;
	}
	return &s->places[*place - 1];
}

void summary_collect_mutexes(struct mutex_summary *s, const struct graph *graph)
{
	const struct model *m = graph->model;
	struct map rows = {NULL, 0, 0};
	for (uint32_t i = 0; i < graph->mutexes.n_rows; i++) {
		const struct mutex_row *row = &graph->mutexes.rows[i];
		struct mutex_place *place = find(s, &rows, m, row);
		place->n_mutexes++;
		place->n_acquired += row->n_acquired;
		place->n_failed += row->n_failed;
		place->held_ns += dump_duration_ns(m->dump, row->held_ticks);
		place->wait_ns += dump_duration_ns(m->dump, row->wait_ticks);
	}
	map_free(&rows);
}

static int by_held_time(const void *left, const void *right)
{
	const struct mutex_place *l = left, *r = right;
	return cmp(r->held_ns, l->held_ns) ?: strcmp(l->label, r->label) ?: strcmp(l->kind, r->kind);
}

void summary_sort_mutexes(struct mutex_summary *s)
{
	sort_array(s->places, s->n_places, by_held_time);
}

void summary_print_mutexes(const struct mutex_summary *s, FILE *out)
{
	for (size_t i = 0; i < s->n_places && i < PLACES_SHOWN; i++) {
		const struct mutex_place *p = &s->places[i];
		fprintf(out, "%-10s%s", i == 0 ? "mutexes" : "", p->label);
		if (strncmp(p->label, p->kind, strlen(p->kind)) != 0)
			fprintf(out, " (%s)", p->kind);
		if (p->n_mutexes > 1)
			fprintf(out, ", %" PRIu64 " of them", p->n_mutexes);
		fprintf(out, ": acquired %" PRIu64 " time%s, held %.6f s, waited for %.6f s", p->n_acquired,
			p->n_acquired == 1 ? "" : "s", (double)p->held_ns / 1e9, (double)p->wait_ns / 1e9);
		if (p->n_failed != 0)
			fprintf(out, "; not acquired %" PRIu64 " time%s", p->n_failed, p->n_failed == 1 ? "" : "s");
		fputc('\n', out);
	}
	if (s->n_places > PLACES_SHOWN)
		fprintf(out, "%-10sand %zu more in summary.json and mutexes.csv\n", "", s->n_places - PLACES_SHOWN);
}

json_t *summary_json_mutexes(const struct mutex_summary *s)
{
	json_t *array = json_array();
	for (size_t i = 0; i < s->n_places; i++) {
		const struct mutex_place *p = &s->places[i];
		json_array_append_new(array, json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "label", p->label, "kind", p->kind,
						       "mutexes", (json_int_t)p->n_mutexes, "acquired", (json_int_t)p->n_acquired,
						       "failed", (json_int_t)p->n_failed, "held_ns", (json_int_t)p->held_ns,
						       "wait_ns", (json_int_t)p->wait_ns));
	}
	return array;
}

void summary_free_mutexes(struct mutex_summary *s)
{
	for (size_t i = 0; i < s->n_places; i++)
		free(s->places[i].label);
	free(s->places);
}
