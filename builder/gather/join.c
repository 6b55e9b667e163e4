/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Merges the first pass's tables by stream in the order of streams, so that it does not matter which thread has walked
 * which stream, or when. gather.c calls these functions after all streams have been walked; one thread.
 */
#include "builder/gather/stream.h"

#include <stdlib.h>
#include <string.h>

/* Is there a row of this name? */
static bool has_name(const struct tally *tally, const char *name)
{
	for (unsigned i = 0; i < tally->n_rows; i++)
		if (strcmp(tally->rows[i].name, name) == 0)
			return true;
	return false;
}

/* Prints the stream's first repair of each name that no stream before it has. */
static void print_repairs(const struct gather_stream *w)
{
	for (size_t i = 0; i < w->n_repairs; i++)
		if (!has_name(&w->m->notes->repairs, w->repairs[i].name))
			warning("%s", w->repairs[i].text);
	tally_add_all(&w->m->notes->quirks, &model_notes(w->m, w->stream)->quirks);
	tally_add_all(&w->m->notes->repairs, &model_notes(w->m, w->stream)->repairs);
	model_notes(w->m, w->stream)->quirks.n_rows = model_notes(w->m, w->stream)->repairs.n_rows = 0;
}

/* Gives the stream's constructs their rows in model.constructs, and its tasks and regions these rows. */
static void join_constructs(struct gather_stream *w)
{
	struct model *m = w->m;
	bool is_same = true;
	for (uint32_t i = 1; i < w->met.n; i++) {
		w->met.rows[i].global = model_construct(m, w->met.rows[i].kind, w->met.rows[i].codeptr);
		is_same = is_same && w->met.rows[i].global == i;
	}
	if (is_same)
		return;
	for (uint32_t row = m->task_rows.base[w->stream] + 1; row <= m->task_rows.base[w->stream + 1]; row++)
		m->tasks[row].construct = w->met.rows[m->tasks[row].construct].global;
	for (uint32_t row = m->region_rows.base[w->stream] + 1; row <= m->region_rows.base[w->stream + 1]; row++)
		m->regions[row].construct = w->met.rows[m->regions[row].construct].global;
}

static void join_threads(struct gather_stream *w, struct map *tids)
{
	for (size_t i = 0; i < w->tids.n_slots; i++)
		if (w->tids.slots[i].is_used)
			map_put(tids, w->tids.slots[i].key);
	w->m->n_threads = tids->n_used;
}

static void join_lists(struct gather_stream *w, size_t *delays_capacity, size_t *excluded_capacity)
{
	struct model *m = w->m;
	for (size_t i = 0; i < w->n_excluded; i++)
		array_push(m->excluded, m->n_excluded, *excluded_capacity, w->excluded[i]);
	for (size_t i = 0; i < w->n_delays; i++)
		array_push(m->delays, m->n_delays, *delays_capacity, w->delays[i]);
	for (size_t i = 0; i < w->n_closings; i++)
		model_set_closing_barrier(m, w->closings[i].task, w->closings[i].number);
	for (size_t i = 0; i < w->reduction_barriers.n_slots; i++)
		if (w->reduction_barriers.slots[i].is_used)
			model_set_reduction_barrier(m, w->reduction_barriers.slots[i].key);
}

static void join_counts(const struct gather_stream *w)
{
	struct model *m = w->m;
	for (unsigned kind = 0; kind < EVENT_KIND_LIMIT; kind++)
		m->n_events[kind] += w->n_events[kind];
	if (w->first_ticks != 0 && (m->first_ticks == 0 || w->first_ticks < m->first_ticks))
		m->first_ticks = w->first_ticks;
	const struct timeline *t = &w->timeline;
	/* The process still lived when its beginning, which has the time of its start, was recorded. */
	uint64_t last = t->beginning_ticks > t->last_ticks ? t->beginning_ticks : t->last_ticks;
	if (last > m->last_ticks)
		m->last_ticks = last;
	m->n_unknown_waits += w->n_unknown_waits;
}

/*
 * The time of the process counts, from its start to its end, and not only that between two records: the threads do nothing in
 * parallel before and after. It does not where records of that time are left out: the flight recorder's, and those after
 * recording was stopped.
 */
static void join_process(struct model *m)
{
	const struct dump *dump = m->dump;
	m->last_record_ticks = m->last_ticks;
	if (m->first_ticks == 0)
		return;
	if (dump->window_ticks == 0 && dump->start_ticks != 0 && dump->start_ticks < m->first_ticks)
		m->first_ticks = dump->start_ticks;
	if (dump->meta.stopped_ticks == 0 && dump->end_ticks > m->last_ticks)
		m->last_ticks = dump->end_ticks;
}

void gather_join(struct gathering *g)
{
	struct model *m = g->m;
	size_t n = m->dump->n_streams, excluded_capacity = 0, early_ends_capacity = 0;
	struct arrival_list *arrivals = memory_zeroed(n, sizeof *arrivals, "the barriers");
	struct map tids = {0};
	for (size_t s = 0; s < n; s++) {
		struct gather_stream *w = g->walks[s];
		print_repairs(w);
		join_counts(w);
		join_threads(w, &tids);
		join_lists(w, &m->delays_capacity, &excluded_capacity);
		join_constructs(w);
		gather_join_early_ends(w, &early_ends_capacity);
		arrivals[s] = w->arrivals;
		w->arrivals = (struct arrival_list){0};
	}
	join_process(m);
	arrivals_join(&m->arrivals, arrivals, n, m->n_regions);
	gather_join_runs(g);
	free(arrivals);
	map_free(&tids);
}

void gather_free_walks(struct gathering *g)
{
	for (size_t s = 0; g->walks != NULL && s < g->m->dump->n_streams; s++) {
		struct gather_stream *w = g->walks[s];
		for (size_t i = 0; i < w->n_repairs; i++)
			free(w->repairs[i].text);
		free(w->repairs);
		free(w->partial.runs);
		free(w->resumptions);
		free(w->met.rows);
		free(w->delays);
		free(w->excluded);
		free(w->closings);
		free(w->works);
		free(w->early_ends);
		free(w->claims);
		gather_free_acquisitions(&w->acquisitions);
		free(w->arrivals.items);
		map_free(&w->partial.rows);
		map_free(&w->met.row_of);
		map_free(&w->reduction_barriers);
		map_free(&w->pairs);
		map_free(&w->tids);
		free(w);
	}
	free(g->walks);
	g->walks = NULL;
}
