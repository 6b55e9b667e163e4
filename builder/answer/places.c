/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of places where threads waited: see places.h.
 */
#include "builder/answer/places.h"
#include "builder/support/array.h"

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
	if (*row == 0) {
		array_reserve((void **)&places->rows, places->n + 1, &places->capacity, sizeof *places->rows);
		places->rows[places->n++] = (struct wait_place){.construct = construct, .state = state};
		*row = (uint32_t)places->n;
	}
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
