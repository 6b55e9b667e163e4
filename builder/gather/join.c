/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass's tables by stream, brought together in the order of streams, so that it does not matter which thread
 * has walked which stream, or when. gather.c calls these functions after all streams have been walked; one thread.
 */
#include "builder/gather/walk.h"

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
static void print_repairs(const struct walk *w)
{
	for (size_t i = 0; i < w->n_repairs; i++)
		if (!has_name(&w->m->notes->repairs, w->repairs[i].name))
			warning("%s", w->repairs[i].text);
	tally_add_all(&w->m->notes->quirks, &model_notes(w->m, w->stream)->quirks);
	tally_add_all(&w->m->notes->repairs, &model_notes(w->m, w->stream)->repairs);
	model_notes(w->m, w->stream)->quirks.n_rows = model_notes(w->m, w->stream)->repairs.n_rows = 0;
}

/* Gives the stream's constructs their rows in model.constructs, and its tasks and regions these rows. */
static void join_constructs(struct walk *w)
{
	struct model *m = w->m;
	bool is_same = true;
	for (uint32_t i = 1; i < w->n_constructs; i++) {
		w->constructs[i].global = model_construct(m, w->constructs[i].kind, w->constructs[i].codeptr);
		is_same = is_same && w->constructs[i].global == i;
	}
	if (is_same)
		return;
	for (uint32_t row = m->task_rows.base[w->stream] + 1; row <= m->task_rows.base[w->stream + 1]; row++)
		m->tasks[row].construct = w->constructs[m->tasks[row].construct].global;
	for (uint32_t row = m->region_rows.base[w->stream] + 1; row <= m->region_rows.base[w->stream + 1]; row++)
		m->regions[row].construct = w->constructs[m->regions[row].construct].global;
}

static void join_threads(struct walk *w, struct map *tids)
{
	for (size_t i = 0; i < w->tids.n_slots; i++)
		if (w->tids.slots[i].is_used)
			map_put(tids, w->tids.slots[i].key);
	w->m->n_threads = tids->n_used;
}

static void join_lists(struct walk *w, size_t *delays_capacity, size_t *excluded_capacity)
{
	struct model *m = w->m;
	for (size_t i = 0; i < w->n_excluded; i++)
		PUSH(m->excluded, m->n_excluded, *excluded_capacity, w->excluded[i]);
	for (size_t i = 0; i < w->n_delays; i++)
		PUSH(m->delays, m->n_delays, *delays_capacity, w->delays[i]);
	for (size_t i = 0; i < w->n_closings; i++)
		model_set_closing_barrier(m, w->closings[i].task, w->closings[i].number);
	for (size_t i = 0; i < w->reduction_barriers.n_slots; i++)
		if (w->reduction_barriers.slots[i].is_used)
			model_set_reduction_barrier(m, w->reduction_barriers.slots[i].key);
}

static void join_counts(const struct walk *w)
{
	struct model *m = w->m;
	for (unsigned kind = 0; kind < EVENT_KIND_LIMIT; kind++)
		m->n_events[kind] += w->n_events[kind];
	if (w->first_ticks != 0 && (m->first_ticks == 0 || w->first_ticks < m->first_ticks))
		m->first_ticks = w->first_ticks;
	if (w->timeline.last_ticks > m->last_ticks)
		m->last_ticks = w->timeline.last_ticks;
	m->n_unknown_waits += w->n_unknown_waits;
}

void gather_join(struct gathering *g)
{
	struct model *m = g->m;
	size_t n = m->dump->n_streams, excluded_capacity = 0;
	struct arrival_list *arrivals = memory_zeroed(n, sizeof *arrivals, "the barriers");
	struct map tids = {0};
	for (size_t s = 0; s < n; s++) {
		struct walk *w = g->walks[s];
		print_repairs(w);
		join_counts(w);
		join_threads(w, &tids);
		join_lists(w, &m->delays_capacity, &excluded_capacity);
		join_constructs(w);
		arrivals[s] = w->arrivals;
		w->arrivals = (struct arrival_list){0};
	}
	arrivals_join(&m->arrivals, arrivals, n, m->n_regions);
	gather_join_runs(g);
	free(arrivals);
	map_free(&tids);
}

void gather_free_walks(struct gathering *g)
{
	for (size_t s = 0; g->walks != NULL && s < g->m->dump->n_streams; s++) {
		struct walk *w = g->walks[s];
		for (size_t i = 0; i < w->n_repairs; i++)
			free(w->repairs[i].text);
		free(w->repairs);
		free(w->partials);
		free(w->resumptions);
		free(w->constructs);
		free(w->delays);
		free(w->excluded);
		free(w->closings);
		free(w->claims);
		gather_free_acquisitions(&w->acquisitions);
		free(w->arrivals.items);
		map_free(&w->partial_rows);
		map_free(&w->construct_rows);
		map_free(&w->reduction_barriers);
		map_free(&w->pairs);
		map_free(&w->tids);
		free(w);
	}
	free(g->walks);
	g->walks = NULL;
}
