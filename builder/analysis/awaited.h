/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which construct threads wait for: at any time the threads that wait at a synchronisation wait for the nodes that run before
 * it; where none of these runs, for all nodes that run, as what they wait for begins when such a node ends. So all time that
 * threads wait at a construct is attributed to the constructs that ran meanwhile, except time in which nothing ran. account.c
 * reports what each thread does. Runs on one thread.
 */
#ifndef OTTER_BUILDER_ANALYSIS_AWAITED_H
#define OTTER_BUILDER_ANALYSIS_AWAITED_H

#include "builder/analysis/account.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The role of a thread, as a number: 0 unknown; from 1 on, it waits at the construct of that number less 1; from first_running
 * on, it runs a node before some synchronisation.
 */
enum { AWAITED_NEITHER };

struct awaited {
	struct causes *waits; /* causes of LIMIT_WAIT: the synchronisation, and what was waited for */
	struct awaited_role {
		uint32_t sync;     /* the construct at which it waits, or that its node comes before; 0 unknown */
		uint32_t place;    /* the construct that its node is in */
		uint32_t is_last;  /* 1: another node can begin when its node ends (blocker.is_last) */
		uint32_t n, index; /* the number of threads with this role; if it is not 0: index in `present` */
	} * roles;
	uint32_t n_roles, first_running;
	uint32_t *role_of; /* by row of blockers */
	uint32_t *present; /* the roles that threads have now */
	uint32_t n_present, n_waiting;
	double ticks; /* time since the latest change of a role, not in `waits` yet */
};

void awaited_begin(struct awaited *awaited, struct causes *waits, const struct blockers *blockers, uint32_t n_constructs);
void awaited_free(struct awaited *awaited);

/* The role of a thread that waits at the construct, 0 unknown. */
static inline uint32_t awaited_waits(uint32_t construct)
{
	return 1 + construct;
}

/* The role of a thread that runs a node with this row of the blockers. */
static inline uint32_t awaited_runs(const struct awaited *awaited, uint32_t blocker)
{
	return awaited->role_of[blocker];
}

/* Divides the time since the latest change of a role among the constructs that ran meanwhile. */
void awaited_settle(struct awaited *awaited);

static inline void awaited_count(struct awaited *awaited, uint32_t number, bool is_more)
{
	struct awaited_role *role = &awaited->roles[number];
	if (number == AWAITED_NEITHER)
		return;
	awaited->n_waiting += number >= awaited->first_running ? 0 : is_more ? 1 : UINT32_MAX;
	role->n += is_more ? 1 : UINT32_MAX;
	if (is_more && role->n == 1) {
		role->index = awaited->n_present;
		awaited->present[awaited->n_present++] = number;
	} else if (role->n == 0) {
		uint32_t last = awaited->present[--awaited->n_present];
		awaited->roles[last].index = role->index;
		awaited->present[role->index] = last;
	}
}

/* A thread has another role from now on. */
static inline void awaited_change(struct awaited *awaited, uint32_t *role, uint32_t next)
{
	if (*role == next)
		return;
	if (awaited->n_waiting != 0 && awaited->ticks > 0)
		awaited_settle(awaited);
	awaited->ticks = 0;
	awaited_count(awaited, *role, false);
	awaited_count(awaited, next, true);
	*role = next;
}

/* This time has passed, in which no role changed. */
static inline void awaited_pass(struct awaited *awaited, double ticks)
{
	awaited->ticks += ticks;
}

#endif
