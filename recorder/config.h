/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The environment table: every OTTER_ variable of the recorder, read once when the tool starts. An unusable value leaves the default
 * and a note for meta; nothing here fails.
 */
#ifndef OTTER_RECORDER_CONFIG_H
#define OTTER_RECORDER_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* What OTTER_EVENTS selects: the group column of common/events.def. */
enum event_group {
	GROUP_thread,
	GROUP_parallel,
	GROUP_implicit_task,
	GROUP_task,
	GROUP_dependences,
	GROUP_sync_region,
	GROUP_sync_region_wait,
	GROUP_reduction,
	GROUP_work,
	GROUP_dispatch,
	GROUP_masked,
	GROUP_mutex,
	GROUP_lock_init,
	GROUP_flush,
	GROUP_cancel,
	GROUP_error,
	GROUP_target,
	GROUP_device,
	N_EVENT_GROUPS
};

/*
 * `error` has to be asked for by name: LLVM's runtime takes the length of the directive's message before it calls a tool, and dies where
 * there is none, which OpenMP allows (quirk Q37). No program dies of us.
 */
#define GROUPS_ALL (((UINT32_C(1) << N_EVENT_GROUPS) - 1) & ~(UINT32_C(1) << GROUP_error))
#define GROUPS_DEFAULT                                                                                                             \
	(GROUPS_ALL & ~(UINT32_C(1) << GROUP_dispatch | UINT32_C(1) << GROUP_flush | UINT32_C(1) << GROUP_lock_init |              \
			UINT32_C(1) << GROUP_sync_region_wait))

#define CONFIG_NOTES_BYTES  2048
#define CONFIG_EVENTS_BYTES 256
#define CONFIG_RANKS_BYTES  256
#define CONFIG_SAMPLE_BYTES 32

/* Above that a thread does little else. */
#define SAMPLE_HZ_MAX 50000

struct config {
	uint32_t groups;                  /* bits: enum event_group */
	char events[CONFIG_EVENTS_BYTES]; /* OTTER_EVENTS as used */
	char dir[PATH_MAX];               /* OTTER_DIR, absolute */
	char ring_dir[PATH_MAX];          /* OTTER_RING_DIR, absolute; empty: in the dump */
	uint32_t segment_bytes;           /* OTTER_RING / RING_SEGMENTS */
	bool has_drain_thread;            /* OTTER_DRAIN=auto, not self */
	bool drops_when_full;             /* OTTER_FULL=drop, not wait */
	bool keeps_newest;                /* OTTER_KEEP=newest, not all */
	uint64_t limit_bytes;             /* OTTER_LIMIT; 0: none */
	char ranks[CONFIG_RANKS_BYTES];   /* OTTER_RANKS as used; empty: all */
	char sample[CONFIG_SAMPLE_BYTES]; /* OTTER_SAMPLE as used; empty: nothing is sampled */
	uint32_t sample_hz;               /* 0: nothing */
	bool samples_cpu_time;            /* timers run while their thread does */
	bool is_verbose;                  /* OTTER_VERBOSE */
	int64_t rank;                     /* under MPI, else -1 */
	char notes[CONFIG_NOTES_BYTES];   /* lines, each with its newline */
};

/* From the environment and the working directory. */
void config_read(struct config *config);

/* Another note. */
void config_note(struct config *config, const char *sentence);

/* Does OTTER_RANKS select this process? */
bool config_is_rank_selected(const struct config *config);

/* The name of a group. */
const char *config_group_name(enum event_group group);

#endif
