/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Divides the time of threads that wait among what runs: see awaited.h.
 */
#include "builder/answer/awaited.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "what limits the run"

static bool is_same(const struct blocker *left, const struct awaited_role *right)
{
	return left->sync == right->sync && left->place == right->place && left->is_last == right->is_last;
}

/* The role of those who run such a node, which is added if it is new. */
static uint32_t find_role(struct awaited *awaited, struct map *buckets, const struct blocker *blocker)
{
	uint64_t hash = ((uint64_t)blocker->place << 32 ^ blocker->sync) * 2 + blocker->is_last;
	for (;; hash += UINT64_C(0x9e3779b97f4a7c15)) {
		uint32_t *number = map_put(buckets, hash);
		if (*number == 0) {
			*number = awaited->n_roles++;
			awaited->roles[*number] = (struct awaited_role){blocker->sync, blocker->place, blocker->is_last, 0, 0};
		}
		if (is_same(blocker, &awaited->roles[*number]))
			return *number;
	}
}

void awaited_begin(struct awaited *awaited, struct causes *waits, const struct blockers *blockers, uint32_t n_constructs)
{
	struct map buckets = {0};
	size_t most = 1 + n_constructs + blockers->n;
	*awaited = (struct awaited){.waits = waits};
	awaited->roles = memory_zeroed(most, sizeof *awaited->roles, WHAT);
	awaited->present = memory_get(most, sizeof *awaited->present, WHAT);
	awaited->role_of = memory_get(blockers->n, sizeof *awaited->role_of, WHAT);
	for (uint32_t construct = 0; construct < n_constructs; construct++)
		awaited->roles[awaited_waits(construct)].sync = construct;
	awaited->first_running = awaited->n_roles = awaited_waits(n_constructs);
	for (size_t row = 0; row < blockers->n; row++)
		awaited->role_of[row] = find_role(awaited, &buckets, &blockers->rows[row]);
	map_free(&buckets);
}

void awaited_free(struct awaited *awaited)
{
	free(awaited->roles);
	free(awaited->present);
	free(awaited->role_of);
	*awaited = (struct awaited){0};
}

/*
 * How closely what waits at `sync` waits for those who have the role, 0 not at all: first what comes before it, then what lets
 * something go on.
 */
static unsigned nearness(const struct awaited *awaited, uint32_t number, uint32_t sync)
{
	const struct awaited_role *runs = &awaited->roles[number];
	return number < awaited->first_running ? 0 : 1 + (runs->sync == sync && sync != 0) * 2u + runs->is_last;
}

/* The time since roles changed last, of the threads that wait at one construct. */
static void divide(const struct awaited *awaited, const struct awaited_role *waiting)
{
	uint32_t sync = waiting->sync, n = 0;
	unsigned nearest = 1;
	for (uint32_t i = 0; i < awaited->n_present; i++) {
		unsigned near = nearness(awaited, awaited->present[i], sync);
		n = near > nearest ? 0 : n;
		nearest = near > nearest ? near : nearest;
		n += near == nearest ? awaited->roles[awaited->present[i]].n : 0;
	}
	for (uint32_t i = 0; i < awaited->n_present; i++) {
		const struct awaited_role *runs = &awaited->roles[awaited->present[i]];
		if (nearness(awaited, awaited->present[i], sync) == nearest)
			causes_blame(awaited->waits, causes_row(awaited->waits, LIMIT_WAIT, CAUSE_PLAIN, sync, runs->place),
				     awaited->ticks * waiting->n * runs->n / n);
	}
}

void awaited_settle(struct awaited *awaited)
{
	for (uint32_t i = 0; i < awaited->n_present; i++)
		if (awaited->present[i] < awaited->first_running)
			divide(awaited, &awaited->roles[awaited->present[i]]);
}
