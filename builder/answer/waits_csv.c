/* SPDX-License-Identifier: BSD-3-Clause
 *
 * waits.csv: where threads waited, and for how long, by construct and state. docs/tables.md describes the columns. Called
 * by outputs.c on one thread.
 */
#include "builder/answer/files.h"
#include "builder/support/csv.h"

#include <stdlib.h>

/* Time in which threads waited at a construct, for another one. */
struct part {
	uint32_t other; /* 0: for nothing that is known */
	double ticks;
};

static int by_ticks(const void *left, const void *right)
{
	const struct wait_place *l = left, *r = right;
	if (l->ticks != r->ticks)
		return l->ticks > r->ticks ? -1 : 1;
	return l->construct != r->construct ? (l->construct < r->construct ? -1 : 1) : (int)l->state - (int)r->state;
}

static int longest_first(const void *left, const void *right)
{
	const struct part *l = left, *r = right;
	if (l->ticks != r->ticks)
		return l->ticks > r->ticks ? -1 : 1;
	return l->other < r->other ? -1 : l->other > r->other;
}

static void write_row(struct csv *csv, const struct trace *trace, uint64_t n_before, const struct wait_place *place, uint32_t other,
		      uint64_t ticks)
{
	const struct construct *c = &trace->model.constructs[place->construct];
	csv_number(csv, trace->process);
	csv_number_if(csv, place->construct != 0, n_before + place->construct);
	csv_word(csv, construct_kind_name(c->kind));
	csv_word(csv, state_name(place->state));
	csv_text(csv, c->label);
	csv_text(csv, c->file);
	csv_number_if(csv, c->line != 0, c->line);
	csv_text(csv, c->function);
	csv_number(csv, place->count);
	csv_number(csv, dump_duration_ns(&trace->dump, place->ticks));
	csv_number(csv, dump_duration_ns(&trace->dump, place->longest_ticks));
	csv_number_if(csv, other != 0, n_before + other);
	csv_text(csv, other != 0 ? trace->model.constructs[other].label : "");
	csv_number(csv, dump_duration_ns(&trace->dump, ticks));
	csv_end_row(csv);
}

/* Causes by construct: those of construct C are from first[C] on, up to first[C + 1]. */
struct by_construct {
	const struct cause **causes;
	uint32_t *first;
};

static struct by_construct sort_by_construct(const struct causes *all, uint32_t n_constructs)
{
	struct by_construct by = {memory_get(all->n + (size_t)1, sizeof *by.causes, "waits.csv"),
				  memory_zeroed(n_constructs + (size_t)2, sizeof *by.first, "waits.csv")};
	for (uint32_t i = 1; i < all->n; i++)
		by.first[all->rows[i].construct + 1]++;
	for (uint32_t c = 0; c < n_constructs; c++)
		by.first[c + 1] += by.first[c];
	for (uint32_t i = all->n; i > 1; i--) /* each list is filled from its end, which moves to its begin */
		by.causes[--by.first[all->rows[i - 1].construct + 1]] = &all->rows[i - 1];
	for (uint32_t c = 0; c < n_constructs; c++)
		by.first[c] = by.first[c + 1];
	by.first[n_constructs] = all->n > 0 ? all->n - 1 : 0;
	return by;
}

/* One row for each construct that was waited for, and one for what is left. `parts` has room for all causes. */
static void write_place(struct csv *csv, const struct trace *trace, const struct by_construct *by, uint64_t n_before,
			const struct wait_place *place, struct part *parts)
{
	size_t n = 0;
	uint64_t left = place->ticks;
	if (place->count == 0 && left == 0) /* all that was there was no wait: track_part_free() */
		return;
	for (uint32_t i = by->first[place->construct]; i < by->first[place->construct + 1] && track_is_wait(place->state); i++)
		if (wait_is_at(&trace->model, place, by->causes[i]))
			parts[n++] = (struct part){by->causes[i]->other, by->causes[i]->ticks};
	qsort(parts, n, sizeof *parts, longest_first);
	for (size_t i = 0; i < n && left > 0; i++) {
		uint64_t ticks = parts[i].ticks < (double)left ? (uint64_t)parts[i].ticks : left;
		if (ticks > 0)
			write_row(csv, trace, n_before, place, parts[i].other, ticks);
		left -= ticks;
	}
	if (left > 0 || n == 0)
		write_row(csv, trace, n_before, place, 0, left);
}

int answer_waits_csv(const struct trace *trace, const struct answer *answer, uint64_t n_constructs_before,
		     const struct csv_place *place)
{
	const struct wait_places *places = &answer->track.places;
	struct csv csv;
	if (csv_open(&csv, place, "waits.csv",
		     "process,construct,kind,state,label,file,line,function,count,total_ns,longest_ns,for,for_label,for_ns") != 0)
		return -1;
	struct wait_place *rows = memory_get(places->n + 1, sizeof *rows, "waits.csv");
	struct by_construct by = sort_by_construct(&answer->waits, trace->model.n_constructs);
	struct part *parts = memory_get(answer->waits.n + 1, sizeof *parts, "waits.csv");
	for (size_t i = 0; i < places->n; i++)
		rows[i] = places->rows[i];
	qsort(rows, places->n, sizeof *rows, by_ticks);
	for (size_t i = 0; i < places->n; i++)
		write_place(&csv, trace, &by, n_constructs_before, &rows[i], parts);
	free(by.causes);
	free(by.first);
	free(rows);
	free(parts);
	return csv_close(&csv);
}
