/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The session: all that the threads of a process share while they record. A process has one; a forked child begins its
 * own. Each part of it is declared by the file that is responsible for that part.
 *
 * session_life.c makes it when a runtime starts (or at a forked child's first event) and ends it at finalize or in the
 * library's destructor. After that it still takes events, as other threads may live on. It is never freed. Any thread
 * may read it.
 */
#ifndef OTTER_RECORDER_SESSION_H
#define OTTER_RECORDER_SESSION_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"
#include "common/event.h"
#include "common/format.h"
#include "recorder/compiler.h"
#include "recorder/drain/direct.h"
#include "recorder/drain/disk_budget.h"
#include "recorder/drain/drain.h"
#include "recorder/drain/drain_idle.h"
#include "recorder/drain/drain_pack.h"
#include "recorder/drain/file.h"
#include "recorder/drain/kept.h"
#include "recorder/drain/output.h"
#include "recorder/drain/pack_policy.h"
#include "recorder/drain/watch.h"
#include "recorder/kernel/sample.h"
#include "recorder/kernel/switches.h"
#include "recorder/ring/stream_table.h"
#include "recorder/session/config.h"
#include "recorder/session/maps.h"
#include "recorder/session/meta.h"

struct devices;

/* Why and when recording was stopped for good (session_turn.c). */
struct recording_stop {
	uint32_t cause; /* a loss_cause; 0: recording was not stopped */
	uint64_t ticks; /* 0: not yet noted */
};

struct session {
	/* Set before other threads see the session. */
	struct config config;
	struct directory dir;      /* the dump's */
	struct directory ring_dir; /* of its rings: the dump's, or one of their own */
	bool is_later;             /* the process has an earlier dump: it executed another program, or its runtime began again */
	unsigned ring_dir_number;  /* that its name ends with; 1: it ends with none; 0: the rings are in the dump */
	bool are_rings_in_memory;  /* on a tmpfs */
	bool lacks_memory;         /* the rings would be in memory, if that had room */
	struct clock_triple start;
	uint64_t begin_ns;     /* how long the program has waited for the session to begin */
	uint32_t shift;        /* log2(config.segment_bytes) */
	uint32_t n_processors; /* at least 1; read once, as that takes 1 KiB of stack */
	int pid;
	bool is_of_parent; /* set in a forked child: the parent's work is finished, but nothing leaves this memory */
	struct sampling samples;

	/* Any thread may write the following, and words that are written often have a cache line each. */
	bool is_awaiting_finalize; /* OpenMP's; it may be called after the destructor if this library was preloaded */
	uint32_t is_ended;         /* 1: finalize or the destructor has been called */
	uint64_t processor_ns;     /* that the process had when it was last called, without the recorder's part; 0 unknown */
	uint64_t ending_ns;        /* processor time that the calls took */
	uint64_t n_flushes;        /* how often omp_control_tool requested a flush */
	struct recording_stop stop;
	struct meta_notes notes;     /* which notes meta has, and which it still has to get */
	struct maps_state maps;      /* which maps of the process's code meta has */
	struct devices *devices;     /* NULL until a device is initialized that can be traced */
	struct switch_poll switches; /* when the kernel's records of context switches are copied */
	struct pack_policy pack;     /* whether segments are packed */
	struct output_totals written;
	struct kept kept;             /* files that stay open while the session begins or ends */
	struct disk_budget budget;    /* how much of the disk it may take */
	struct drain drain;           /* the drain thread */
	struct drain_idle idle;       /* whether the drain thread is away */
	struct direct direct;         /* how the drain thread writes past the page cache */
	struct drain_pack drain_pack; /* what the drain thread packs */
	struct watch watch;           /* the thread that notices stores that wait for the file system */
	struct stream_table streams;  /* the last member: of its pages only those that are touched exist */
};

/* Returns how many numbers have been given, without those of sample streams. A number may have no stream: it is not
 * made yet, or could not be made. */
static inline uint32_t session_n_streams(struct session *session)
{
	uint32_t n = __atomic_load_n(&session->streams.n, __ATOMIC_RELAXED);
	return n > ID_STREAM_SAMPLES ? ID_STREAM_SAMPLES : n;
}

static inline struct stream *session_stream(struct session *session, uint32_t number)
{
	/* S2: The pointer is read before the stream. Pairs with S1 in publish in stream_make.c. */
	return __atomic_load_n(&session->streams.by_number[number], __ATOMIC_ACQUIRE);
}

/* Returns NULL before the first event that counts; in a forked child too. */
struct session *session_get(void);

/* Makes this the process's session. NULL: the process has no session any more. */
void session_set(struct session *session);

/* Losses that no stream can count. They belong to the process, as they also happen when there is no session. */
extern HIDDEN uint64_t session_lost_no_stream;
extern HIDDEN uint64_t session_lost_reentry;

#endif
