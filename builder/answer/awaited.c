/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Divides the time of threads that wait among what runs: see awaited.h.
 */
#include "builder/answer/awaited.h"
#include "builder/support/array.h"

#include <stdlib.h>

void awaited_begin(struct awaited *awaited, struct causes *waits)
{
	*awaited = (struct awaited){.waits = waits};
}

void awaited_free(struct awaited *awaited)
{
	free(awaited->counts);
	*awaited = (struct awaited){0};
}

static bool is_same(const struct awaited_role *left, const struct awaited_role *right)
{
	return left->what == right->what && left->sync == right->sync && left->place == right->place &&
	       left->is_last == right->is_last;
}

/* How closely what waits at `sync` waits for the node, 0 not at all: first what comes before it, then what lets something go on. */
static unsigned nearness(const struct awaited_role *runs, uint32_t sync)
{
	return runs->what != AWAITED_RUNS ? 0 : 1 + (runs->sync == sync && sync != 0) * 2u + runs->is_last;
}

/* The time since roles changed last, of the threads that wait at one construct. */
static void divide(const struct awaited *awaited, const struct awaited_count *waiting)
{
	uint32_t sync = waiting->role.sync, n = 0;
	unsigned nearest = 1;
	for (size_t i = 0; i < awaited->n; i++) {
		unsigned near = nearness(&awaited->counts[i].role, sync);
		n = near > nearest ? 0 : n;
		nearest = near > nearest ? near : nearest;
		n += near == nearest ? awaited->counts[i].n : 0;
	}
	for (size_t i = 0; i < awaited->n; i++) {
		const struct awaited_count *runs = &awaited->counts[i];
		if (nearness(&runs->role, sync) == nearest)
			causes_blame(awaited->waits, causes_row(awaited->waits, LIMIT_WAIT, CAUSE_PLAIN, sync, runs->role.place),
				     awaited->ticks * waiting->n * runs->n / n);
	}
}

static void count(struct awaited *awaited, const struct awaited_role *role, bool is_more)
{
	size_t i = 0;
	awaited->n_waiting += role->what != AWAITED_WAITS ? 0 : is_more ? 1 : UINT32_MAX;
	while (i < awaited->n && !is_same(&awaited->counts[i].role, role))
		i++;
	if (is_more && i == awaited->n) {
		array_reserve((void **)&awaited->counts, awaited->n + 1, &awaited->capacity, sizeof *awaited->counts);
		awaited->counts[awaited->n++] = (struct awaited_count){*role, 0};
	}
	awaited->counts[i].n += is_more ? 1 : UINT32_MAX;
	if (awaited->counts[i].n == 0)
		awaited->counts[i] = awaited->counts[--awaited->n];
}

void awaited_change(struct awaited *awaited, struct awaited_role *role, struct awaited_role next)
{
	if (is_same(role, &next))
		return;
	for (size_t i = 0; i < awaited->n && awaited->n_waiting != 0 && awaited->ticks > 0; i++)
		if (awaited->counts[i].role.what == AWAITED_WAITS)
			divide(awaited, &awaited->counts[i]);
	awaited->ticks = 0;
	if (role->what != AWAITED_NEITHER)
		count(awaited, role, false);
	if (next.what != AWAITED_NEITHER)
		count(awaited, &next, true);
	*role = next;
}
