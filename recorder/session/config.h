/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The settings: every OTTER_ variable of the recorder, read once when a session begins. For a value that cannot be used
 * the default is taken and meta gets a note; nothing here fails. It runs in the traced process, on the thread that
 * starts the first runtime, and in the launcher, which checks settings before the program starts.
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
	GROUP_switch,
	N_EVENT_GROUPS
};

/* `error` has to be selected by name: LLVM's runtime takes the length of the directive's message before it calls a
 * tool, and crashes where there is no message, which OpenMP allows (quirk Q37). No program may crash because it is
 * recorded. */
#define GROUPS_ALL (((UINT32_C(1) << N_EVENT_GROUPS) - 1) & ~(UINT32_C(1) << GROUP_error))
#define GROUPS_DEFAULT                                                                                                             \
	(GROUPS_ALL & ~(UINT32_C(1) << GROUP_dispatch | UINT32_C(1) << GROUP_flush | UINT32_C(1) << GROUP_lock_init |              \
			UINT32_C(1) << GROUP_sync_region_wait))

/* When segments are packed before they are written. */
enum config_pack {
	CONFIG_PACK_AUTO, /* while the disk is slower than the program (pack_policy.h) */
	CONFIG_PACK_ON,
	CONFIG_PACK_OFF
};

#define CONFIG_NOTES_BYTES  2048
#define CONFIG_EVENTS_BYTES 256
#define CONFIG_RANKS_BYTES  256
#define CONFIG_SAMPLE_BYTES 32
#define CONFIG_RUN_BYTES    256

/* At higher rates a thread does little but take samples. */
#define SAMPLE_HZ_MAX 50000

struct config {
	uint32_t groups;                  /* one bit for each enum event_group */
	char events[CONFIG_EVENTS_BYTES]; /* OTTER_EVENTS as used */
	char dir[PATH_MAX];               /* OTTER_DIR, absolute */
	char ring_dir[PATH_MAX];          /* OTTER_RING_DIR, absolute; empty: in memory, or in the dump */
	bool rings_in_dump;               /* OTTER_RING_DIR=- */
	uint32_t segment_bytes;           /* OTTER_RING / RING_SEGMENTS */
	bool has_drain_thread;            /* OTTER_DRAIN: true for auto, false for self */
	bool drops_when_full;             /* OTTER_FULL: true for drop, false for wait */
	bool keeps_newest;                /* OTTER_KEEP: true for newest, false for all */
	enum config_pack pack;            /* OTTER_PACK */
	uint64_t limit_bytes;             /* OTTER_LIMIT; 0: no limit */
	bool has_limit;                   /* limit_bytes is not a default */
	char ranks[CONFIG_RANKS_BYTES];   /* OTTER_RANKS as used; empty: all ranks */
	char sample[CONFIG_SAMPLE_BYTES]; /* OTTER_SAMPLE as used; empty: nothing is sampled */
	uint32_t sample_hz;               /* samples per second; 0: nothing is sampled */
	bool samples_cpu_time;            /* the timers run only while their thread runs */
	bool is_verbose;                  /* OTTER_VERBOSE */
	int64_t rank;                     /* of this process in an MPI job; -1: none */
	char run[CONFIG_RUN_BYTES];       /* "SOURCE ID" of the run; empty: the environment has none */
	char notes[CONFIG_NOTES_BYTES];   /* lines, each with its newline at the end */
};

/* Reads the settings from the environment and the working directory. */
void config_read(struct config *config);

/* Adds a note, which is one line without a newline. */
void config_note(struct config *config, const char *sentence);

/* Does OTTER_RANKS select this process? */
bool config_is_rank_selected(const struct config *config);

/* The name of a value of OTTER_PACK. */
const char *config_pack_name(enum config_pack pack);

/* The name of a group. */
const char *config_group_name(enum event_group group);

#endif
