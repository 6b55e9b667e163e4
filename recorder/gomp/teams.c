/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/gomp/teams.h"

#include <limits.h>

#include "recorder/gomp/libomp.h"

LLVM(int, omp_get_team_num, void);
LLVM(int, omp_get_num_teams, void);
LLVM(int, omp_get_level, void);
LLVM(int, omp_get_max_teams, void);
LLVM(int, omp_get_teams_thread_limit, void);
LLVM(int, omp_get_thread_limit, void);
LLVM(int32_t, __kmpc_global_thread_num, void *location);
LLVM(void, __kmpc_set_thread_limit, void *location, int32_t thread, int32_t limit);

/* libgomp's number of teams on the host where the program names none. */
#define TEAMS_DEFAULT 3

static __thread struct teams own;

/* A thread of a parallel region inside of a team has to find its team. If several threads execute such regions at the same
 * time, the team that was begun last is found. */
static unsigned n_leagues;
static uint64_t last_team; /* the team, and the number of teams in the upper half */

static void publish(void)
{
	/* Relaxed: a thread that reads it was started by a parallel region of this team, which orders the two. Partner:
	 * team_of_others(). */
	__atomic_store_n(&last_team, (uint64_t)own.n_teams << 32 | own.team, __ATOMIC_RELAXED);
}

static void begin_league(unsigned n_teams)
{
	own.team = 0;
	own.n_teams = n_teams;
	if (n_teams == 1)
		return;
	/* Relaxed: as in publish(). Partner: team_of_others(). */
	__atomic_fetch_add(&n_leagues, 1, __ATOMIC_RELAXED);
	publish();
}

static void end_league(void)
{
	if (own.n_teams > 1)
		/* Relaxed: as in publish(). Partner: team_of_others(). */
		__atomic_fetch_sub(&n_leagues, 1, __ATOMIC_RELAXED);
	own.team = 0;
	own.n_teams = 1;
}

/* Returns the team of the thread that started this one, as last_team has it; 0: it has none. */
static uint64_t team_of_others(void)
{
	/* Relaxed: see publish(). Partners: begin_league(), end_league(), publish(). */
	if (__atomic_load_n(&n_leagues, __ATOMIC_RELAXED) == 0 || llvm_omp_get_level() == 0)
		return 0;
	return __atomic_load_n(&last_team, __ATOMIC_RELAXED);
}

static void set_limit(unsigned limit)
{
	if (llvm___kmpc_set_thread_limit)
		llvm___kmpc_set_thread_limit(NULL, llvm___kmpc_global_thread_num(NULL), limit > INT_MAX ? INT_MAX : (int)limit);
}

struct teams teams_enter(void)
{
	struct teams before = own;
	own = (struct teams){0, 1, 0};
	return before;
}

void teams_leave(struct teams before)
{
	end_league();
	if (own.limit_outside)
		set_limit((unsigned)own.limit_outside);
	own = before;
	if (own.n_teams > 1)
		publish();
}

void teams_limit(unsigned limit)
{
	if (!limit)
		return;
	if (own.n_teams && !own.limit_outside)
		own.limit_outside = llvm_omp_get_thread_limit();
	set_limit(limit);
}

/* Begins a team, the first one or the next, and returns false after the last. Where a range is wanted libgomp takes its lower
 * end on the host, and so one team where the program does not say. */
ENTRY bool GOMP_teams4(unsigned low, unsigned high, unsigned limit, bool is_first);
ENTRY bool GOMP_teams4(unsigned low, unsigned high, unsigned limit, bool is_first)
{
	(void)high;
	if (is_first) {
		teams_limit(limit);
		begin_league(low ? low : 1);
		return true;
	}
	if (own.team + 1 >= own.n_teams) {
		end_league();
		return false;
	}
	own.team++;
	publish();
	return true;
}

/* From gcc 5 to 11: a region on the host has one team. */
ENTRY void GOMP_teams(unsigned n_teams, unsigned limit);
ENTRY void GOMP_teams(unsigned n_teams, unsigned limit)
{
	(void)n_teams;
	teams_limit(limit);
}

/* Teams on the host, which libgomp executes one after another as well. libomp would make no more of them than there are
 * processors, and give the parallel regions inside fewer threads. */
ENTRY void GOMP_teams_reg(void (*function)(void *), void *data, unsigned n_teams, unsigned limit, unsigned flags);
ENTRY void GOMP_teams_reg(void (*function)(void *), void *data, unsigned n_teams, unsigned limit, unsigned flags)
{
	(void)flags;
	struct teams before = teams_enter();
	int set = n_teams ? 0 : llvm_omp_get_max_teams();
	for (bool is_first = true; GOMP_teams4(n_teams   ? n_teams
					       : set > 0 ? (unsigned)set
							 : TEAMS_DEFAULT,
					       0, limit, is_first);
	     is_first = false)
		function(data);
	teams_leave(before);
}

ENTRY int omp_get_team_num(void);
ENTRY int omp_get_team_num(void)
{
	if (own.n_teams)
		return (int)own.team;
	uint64_t others = team_of_others();
	return others ? (int)(uint32_t)others : llvm_omp_get_team_num();
}

ENTRY int omp_get_num_teams(void);
ENTRY int omp_get_num_teams(void)
{
	if (own.n_teams)
		return (int)own.n_teams;
	uint64_t others = team_of_others();
	return others ? (int)(others >> 32) : llvm_omp_get_num_teams();
}

ENTRY int omp_get_team_num_(void);
ENTRY int omp_get_team_num_(void)
{
	return omp_get_team_num();
}

ENTRY int omp_get_num_teams_(void);
ENTRY int omp_get_num_teams_(void)
{
	return omp_get_num_teams();
}
