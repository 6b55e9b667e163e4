/* SPDX-License-Identifier: BSD-3-Clause
 *
 * waits.csv: where threads waited, and for how long, by construct and state. docs/tables.md describes the columns. Called
 * by outputs.c on one thread.
 */
#include "builder/answer/answer.h"
#include "builder/tables/row.h"
#include "builder/support/sort.h"

#include <stdlib.h>

/* Time in which threads waited at a construct for another one. */
struct wait_part {
	uint32_t other; /* 0: it is not known for what */
	double ticks;
};

static int by_ticks(const void *left, const void *right)
{
	const struct wait_place *l = left, *r = right;
	return cmp(r->ticks, l->ticks) ?: cmp(l->construct, r->construct) ?: cmp(l->state, r->state);
}

static int longest_first(const void *left, const void *right)
{
	const struct wait_part *l = left, *r = right;
	return cmp(r->ticks, l->ticks) ?: cmp(l->other, r->other);
}

static void write_row(struct row_writer *to, const struct trace *trace, uint64_t n_before, const struct wait_place *place,
		      uint32_t other, uint64_t ticks)
{
	const struct construct *c = &trace->model.constructs[place->construct];
	row_put_u64(to, trace->process);
	row_put_u64_if(to, place->construct != 0, n_before + place->construct);
	row_put_word(to, construct_kind_name(c->kind));
	row_put_word(to, state_name(place->state));
	row_put_text(to, c->label);
	row_put_text(to, c->file);
	row_put_u64_if(to, c->line != 0, c->line);
	row_put_text(to, c->function);
	row_put_u64(to, place->count);
	row_put_u64(to, dump_duration_ns(&trace->dump, place->ticks));
	row_put_u64(to, dump_duration_ns(&trace->dump, place->longest_ticks));
	row_put_u64_if(to, other != 0, n_before + other);
	row_put_text(to, other != 0 ? trace->model.constructs[other].label : "");
	row_put_u64(to, dump_duration_ns(&trace->dump, ticks));
	row_end(to);
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

/* One row for each construct that was waited for, and one for the rest. `parts` has room for all causes. */
static void write_place(struct row_writer *to, const struct trace *trace, const struct by_construct *by, uint64_t n_before,
			const struct wait_place *place, struct wait_part *parts)
{
	size_t n = 0;
	uint64_t left = place->ticks;
	if (place->count == 0 && left == 0) /* none of it was a wait: track_part_free() */
		return;
	for (uint32_t i = by->first[place->construct]; i < by->first[place->construct + 1] && track_is_wait(place->state); i++)
		if (wait_is_at(&trace->model, place, by->causes[i]))
			parts[n++] = (struct wait_part){by->causes[i]->other, by->causes[i]->ticks};
	sort_array(parts, n, longest_first);
	for (size_t i = 0; i < n && left > 0; i++) {
		uint64_t ticks = parts[i].ticks < (double)left ? (uint64_t)parts[i].ticks : left;
		if (ticks > 0)
			write_row(to, trace, n_before, place, parts[i].other, ticks);
		left -= ticks;
	}
	if (left > 0 || n == 0)
		write_row(to, trace, n_before, place, 0, left);
}

int answer_waits_csv(const struct trace *trace, const struct answer *answer, uint64_t n_constructs_before,
		     const struct table_place *place)
{
	const struct wait_places *places = &answer->track.places;
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_waits) != 0)
		return -1;
	struct wait_place *rows = memory_get(places->n + 1, sizeof *rows, "waits.csv");
	struct by_construct by = sort_by_construct(&answer->waits, trace->model.n_constructs);
	struct wait_part *parts = memory_get(answer->waits.n + 1, sizeof *parts, "waits.csv");
	for (size_t i = 0; i < places->n; i++)
		rows[i] = places->rows[i];
	sort_array(rows, places->n, by_ticks);
	for (size_t i = 0; i < places->n; i++)
		write_place(&to, trace, &by, n_constructs_before, &rows[i], parts);
	free(by.causes);
	free(by.first);
	free(rows);
	free(parts);
	return row_writer_close(&to);
}
