/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Teams of a target region on the host. gcc's code executes them one after another on the thread that met the region.
 */
#ifndef OTTER_RECORDER_GOMP_TEAMS_H
#define OTTER_RECORDER_GOMP_TEAMS_H

struct teams {
	unsigned team;
	unsigned n_teams;  /* 0: the thread is in no target region */
	int limit_outside; /* omp_get_thread_limit() around the region; 0: the region has not changed it */
};

/* Begins a target region, which has one team until GOMP_teams4() makes more. Returns what has to be restored. */
struct teams teams_enter(void);
void teams_leave(struct teams before);

/* Sets the limit of threads for the region that this thread is in. 0: it stays. */
void teams_limit(unsigned limit);

#endif
