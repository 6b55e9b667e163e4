/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Divides the time of threads that wait among what runs: see awaited.h.
 */
#include "builder/analysis/awaited.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "what limits the run"

/* The role of threads that run a node with this blocker, which is added if it is new. */
static uint32_t find_role(struct awaited *awaited, struct map *numbers, const struct blocker *blocker)
{
	struct awaited_role *running = awaited->roles + awaited->first_running;
	const uint32_t key[] = {blocker->sync, blocker->place, blocker->is_last};
	uint32_t *number = map_put_row(numbers, running, key);
	if (*number == 0) {
		awaited->roles[awaited->n_roles++] = (struct awaited_role){.sync = key[0], .place = key[1], .is_last = key[2]};
		*number = awaited->n_roles - awaited->first_running;
	}
	return awaited->first_running + *number - 1;
}

void awaited_begin(struct awaited *awaited, struct causes *waits, const struct blockers *blockers, uint32_t n_constructs)
{
	struct map numbers = {0};
	size_t most = 1 + n_constructs + blockers->n;
	*awaited = (struct awaited){.waits = waits};
	awaited->roles = memory_zeroed(most, sizeof *awaited->roles, WHAT);
	awaited->present = memory_get(most, sizeof *awaited->present, WHAT);
	awaited->role_of = memory_get(blockers->n, sizeof *awaited->role_of, WHAT);
	for (uint32_t construct = 0; construct < n_constructs; construct++)
		awaited->roles[awaited_waits(construct)].sync = construct;
	awaited->first_running = awaited->n_roles = awaited_waits(n_constructs);
	for (size_t row = 0; row < blockers->n; row++)
		awaited->role_of[row] = find_role(awaited, &numbers, &blockers->rows[row]);
	map_free(&numbers);
}

void awaited_free(struct awaited *awaited)
{
	free(awaited->roles);
	free(awaited->present);
	free(awaited->role_of);
	*awaited = (struct awaited){0};
}

/*
 * How closely the threads that wait at `sync` wait for the threads with the role, 0 not at all: most for nodes that come before
 * `sync`, then for nodes whose end lets another node begin.
 */
static unsigned nearness(const struct awaited *awaited, uint32_t number, uint32_t sync)
{
	const struct awaited_role *runs = &awaited->roles[number];
	return number < awaited->first_running ? 0 : 1 + (runs->sync == sync && sync != 0) * 2u + runs->is_last;
}

/* Divides the time since the latest change of a role, for the threads that wait at one construct. */
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
