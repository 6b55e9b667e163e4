/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive that is being written: its definitions, which are kept until it is closed, and the process whose events
 * are being written. What every file of this folder needs to reach OTF2: each answer of the library is looked at here,
 * and attributes of the next event are added here. One thread.
 *
 * No function of this folder is called otf2_...: the library exports its own internal functions under such names, and
 * the executable's would take their place.
 */
#ifndef OTTER_BUILDER_OTF2_ARCHIVE_H
#define OTTER_BUILDER_OTF2_ARCHIVE_H

#include "builder/otf2/definitions.h"
#include "builder/otf2/process.h"
#include "builder/support/map.h"

#include <otf2/otf2.h>
#include <pthread.h>
#include <stdatomic.h>

struct archive {
	OTF2_Archive *otf2;
	OTF2_AttributeList *attributes; /* of a device's next event; writing the event empties it */
	char *path;                     /* of the anchor file */
	uint64_t trace_id;
	_Atomic bool has_failed;  /* any thread may set it; nothing else is published by it */
	_Atomic unsigned n_files; /* event files that may stay open (library.c) ... */
	unsigned max_files;       /* ... of so many */
	pthread_mutex_t spare_lock;
	void *spare_chunks; /* writers' memory that no writer has now (library.c) */

	struct process_def *processes;
	size_t n_processes, n_ended;
	struct location_def *locations;
	uint32_t n_locations;
	bool is_complete;                  /* all dumps are */
	bool has_holes;                    /* something was repaired or left out, or recording was off for a while */
	bool has_all_locks, has_all_teams; /* those events were recorded */
	bool has_states, has_samples;      /* the metrics were written */
	bool has_units;                    /* of Argobots */

	struct interned interned;
	struct comm_def *comms;
	uint32_t n_comms;
	size_t comms_capacity;
	uint32_t *members; /* rows of locations */
	size_t n_members, members_capacity;
	uint32_t n_locks;

	/* Devices, process by process. In the archive they come after everything that belongs to threads. */
	struct device_def *devices;
	uint32_t n_devices;
	size_t devices_capacity;
	struct queue_def *queues;
	uint32_t n_queues;
	size_t queues_capacity;
	uint32_t n_windows;
	OTF2_Paradigm device_paradigm;

	/* The clock. */
	bool is_converted; /* time stamps are ns of real time, else ticks */
	uint64_t ticks_per_second;
	uint64_t first_time, last_time; /* time stamps of the first and last event */
	uint64_t first_realtime_ns;

	/* Strings that events refer to. */
	uint32_t string_schedules[4]; /* static, dynamic, guided, other */
	uint32_t string_cancel, string_detach, string_unfinished, string_yield, string_suspend;

	struct process now;
};

/* Has OTF2 tell this archive its messages, which it would print otherwise; NULL: nobody. */
void archive_listen(struct archive *a);

/* Prints the first error of an archive, which then is not finished. Always -1. */
int archive_failed(struct archive *a, OTF2_ErrorCode code, const char *what);

/* Writes an event of a location with OTF2_EvtWriter_NAME; outside of the part of the time that is written, nothing. */
#define WRITE_EVENT(l, name, ...)                                                                                                  \
	(__builtin_expect((l)->is_muted, 0) ? archive_write_nothing(l) : OTF2_EvtWriter_##name((l)->writer, __VA_ARGS__))

/* The attributes go with the event. */
static inline OTF2_ErrorCode archive_write_nothing(struct location *l)
{
	return OTF2_AttributeList_RemoveAllAttributes(l->attributes);
}

/* Every answer of OTF2 goes through here: 0, or -1 after archive_failed. */
static inline int archive_check(struct archive *a, OTF2_ErrorCode code, const char *what)
{
	return __builtin_expect(code != OTF2_SUCCESS, 0) ? archive_failed(a, code, what) : 0;
}

/* Adds an attribute of the next event to its list: a number, a number unless it is 0, a string. 0 or -1. */
int archive_add_u64(struct archive *a, OTF2_AttributeList *list, uint32_t attribute, uint64_t value);
int archive_add_nonzero(struct archive *a, OTF2_AttributeList *list, uint32_t attribute, uint64_t value);
int archive_add_string(struct archive *a, OTF2_AttributeList *list, uint32_t attribute, uint32_t string);

#endif
