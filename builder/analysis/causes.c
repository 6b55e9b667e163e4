/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of causes: see causes.h.
 */
#include "builder/analysis/causes.h"
#include "builder/support/array.h"

const char *limit_name(enum limit limit)
{
	static const char *const names[LIMITS] = {"none",      "creation",  "grain",   "chain",    "wait",
						  "imbalance", "exclusion", "serial",  "runtime",  "preemption",
						  "data",      "blocked",   "binding", "doacross", "hang"};
	return names[limit];
}

const char *cause_sort_name(enum cause_sort sort)
{
	static const char *const names[CAUSE_SORTS] = {NULL,      "undeferred", "scheduling", "resuming", "fork",   "acquiring",
						       "blocked", "crowded",    "unused",     "single",   "chunks", "regions",
						       "alone",   "hot",        "process",    "deadlock"};
	return names[sort];
}

void causes_begin(struct causes *causes)
{
	*causes = (struct causes){0};
	(void)causes_search(causes, LIMIT_NONE, CAUSE_PLAIN, 0, 0);
}

void causes_free(struct causes *causes)
{
	free(causes->rows);
	map_free(&causes->row_of);
	*causes = (struct causes){0};
}

uint32_t causes_search(struct causes *causes, enum limit limit, enum cause_sort sort, uint32_t construct, uint32_t other)
{
	const uint32_t key[] = {limit, sort, construct, other};
	uint32_t *row = map_put_row(&causes->row_of, causes->rows, key);
	array_push_new(causes->rows, causes->n, causes->capacity, row,
		       (struct cause){.limit = limit, .sort = sort, .construct = construct, .other = other});
	return *row - 1;
}

/* ---- Places ---- */

/*
 * The table of places where threads waited: see causes.h.
 */

static uint64_t key_of(uint32_t construct, enum state state)
{
	return (uint64_t)construct * STATES + state;
}

struct wait_place *places_row(struct wait_places *places, uint32_t construct, enum state state)
{
	struct wait_place *latest = places->n > 0 ? &places->rows[places->latest] : NULL;
	if (latest != NULL && latest->construct == construct && latest->state == state)
		return latest;
	uint32_t *row = map_put(&places->row_of, key_of(construct, state));
	array_push_new(places->rows, places->n, places->capacity, row, (struct wait_place){.construct = construct, .state = state});
	places->latest = *row - 1;
	return &places->rows[places->latest];
}

const struct wait_place *places_find(const struct wait_places *places, uint32_t construct, enum state state)
{
	const uint32_t *row = map_get(&places->row_of, key_of(construct, state));
	return row != NULL ? &places->rows[*row - 1] : NULL;
}

void places_add(struct wait_places *places, uint32_t construct, enum state state, const struct wait_place *more)
{
	struct wait_place *place = places_row(places, construct, state);
	place->ticks += more->ticks;
	place->count += more->count;
	place->longest_ticks = more->longest_ticks > place->longest_ticks ? more->longest_ticks : place->longest_ticks;
}

void places_free(struct wait_places *places)
{
	free(places->rows);
	map_free(&places->row_of);
}
