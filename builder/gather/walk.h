/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of gather/ share, and no other file uses: the pass over the records, stream by stream, and after it the steps that need the
 * tables of all streams at once.
 */
#ifndef OTTER_BUILDER_GATHER_WALK_H
#define OTTER_BUILDER_GATHER_WALK_H

#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/model/tables.h"
#include "builder/dump/timeline.h"
#include "builder/story/thread.h"

/* One taking of a mutex, as the pass over the records met it. */
struct acquisition {
	uint64_t wait_id;
	uint64_t ticks;
	uint32_t stream;
	uint32_t index; /* among the stream's acquisitions */
};

/* What devices have delivered, over all streams: device.c's. */
struct walk_device {
	uint32_t activity; /* that continuation records are of, 0 none */
	bool is_reading;   /* continuation records are of the last reading */
	uint32_t n_text, n_text_left;
	char text[256];
	struct device_reading *readings;
	size_t n_readings, readings_capacity;
	struct map name_rows; /* hash -> place in names + 1 */
	const char **names;   /* that devices call things */
	size_t n_names, names_capacity;
};

/* What the first pass knows while it walks one stream. */
struct walk {
	struct model *m;
	uint32_t stream;      /* row */
	struct thread thread; /* who is current */
	uint64_t since_ticks; /* when the current task became current */
	uint64_t n_records;   /* so far, this one included; those that the recorder makes of itself do not count */
	/* The dummy of a wait with dependences whose end was the record with this number. */
	uint32_t ended_wait;
	uint64_t ended_wait_at;
	uint64_t new_root_at; /* a root's initial task began, or is made up, with the record of this number */
	/* What other streams have to confirm: see gather_check_claims(). */
	struct claim *claims;
	size_t n_claims, claims_capacity;
	struct acquisition *acquisitions;
	size_t n_acquisitions, acquisitions_capacity;
	struct map tids; /* of all threads met */
	uint32_t n_own_acquisitions;
	struct walk_device device;
	uint32_t operation;           /* that the last record without continuation is about, 0 none */
	char type[256];               /* of the device announced last */
	uint32_t n_type, n_type_left; /* so far, and still to come */
	/* constructs.c's. */
	struct map latest_work;   /* task -> construct of the latest worksharing or taskloop region that it began */
	struct map open_targets;  /* task -> row of the operation that is its innermost open target region, 0 none */
	uint32_t innermost_group; /* construct of a taskgroup, if its begin is the latest record about a scope, 0 otherwise */
	struct timeline timeline;
	unsigned group_kind;  /* of the record that continuation records belong to */
	uint64_t n_announced; /* of those, how many are still to come */
};

/* Appends an element to an array. */
#define PUSH(array, n, capacity, ...)                                                                                              \
	do {                                                                                                                       \
		array_reserve((void **)&(array), (n) + 1, &(capacity), sizeof *(array));                                           \
		(array)[(n)++] = (__VA_ARGS__);                                                                                    \
	} while (0)

/* ---- repairs.c: records that contradict each other ---- */

/*
 * The record at hand contradicts others, or itself. A repair of that name is counted, and printed at the first of each name, with the place of the
 * record and `format`, which tells what the record is and what was expected.
 */
void gather_repair(struct walk *w, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* So that nothing about the task is to be believed, either. */
void gather_repair_task(struct walk *w, uint32_t task, const char *name, const char *expected);

/* A task's id, for messages. */
uint32_t gather_id_stream(const struct model *m, uint32_t task);
unsigned long long gather_id_counter(const struct model *m, uint32_t task);

/* What a thread's story took from one record alone, and what only another stream confirms. */
enum claim_kind {
	CLAIM_PART_END, /* the last part of an untied task ended without a record: another thread reports that the task completed (Q33) */
	CLAIM_COMPLETED /* a task that is current elsewhere completed: it had begun, and its last part ended without a record (Q33), or it never ran */
};

struct claim {
	enum claim_kind kind;
	uint32_t task;
	/* Where the record is, for the message. */
	uint32_t stream_number, record;
	uint64_t segment;
};

void gather_claim(struct walk *w, enum claim_kind kind, uint32_t task);
/* Counts a repair for each claim that no stream has confirmed. After all streams. */
void gather_check_claims(struct walk *w);

/* Once all streams are known: what contradicts itself, of tasks, then of teams. */
void gather_check_tasks(struct model *m);
void gather_check_teams(struct model *m);

/* ---- task.c, region.c: what a thread's story tells becomes rows ---- */

/* One event of the story each. */
void gather_create(struct walk *w, const struct thread_event *e);
void gather_switch(struct walk *w, const struct thread_event *e);
void gather_status(struct walk *w, const struct thread_event *e);
void gather_wait_end(struct walk *w, const struct thread_event *e);
void gather_part_end(struct walk *w, const struct thread_event *e);
/* The explicit task goes on here; is_back: it was suspended here last. */
void gather_resume(struct walk *w, uint32_t row, uint64_t ticks, bool is_back);

void gather_region_begin(struct walk *w, const struct thread_event *e);
void gather_region_end(struct walk *w, const struct thread_event *e);
void gather_implicit_begin(struct walk *w, const struct thread_event *e);
void gather_alias(struct walk *w, const struct thread_event *e);
void gather_implicit_end(struct walk *w, const struct thread_event *e);
/* A record, after the story has taken it: the end of a closing barrier is when a team joined. */
void gather_sync_end(struct walk *w, const struct record *r);
uint32_t gather_missing_root(void *self, uint32_t n, uint64_t ticks);

/* ---- constructs.c ---- */

/* A record, after the story and target.c have taken it. */
void gather_constructs(struct walk *w, const struct record *r);
/* The construct of a task: that of the taskloop which creates it inside of the runtime, where it has none of its own (Q9). */
uint32_t gather_task_construct(struct walk *w, enum construct_kind kind, uint32_t construct, uint64_t codeptr);
/* The task is over. */
void gather_forget_places(struct walk *w, uint32_t task);
/* After all streams, and after what devices told. */
void gather_settle_operations(struct model *m);

/* target.c: a record, or continuation record, that may be about devices. */
void gather_target(struct walk *w, const struct record *r);
/* device.c: likewise, of records that devices made. */
void gather_device(struct walk *w, const struct record *r);
/* When they were, and which of them follow each other; frees what the walk has of them. */
void gather_settle_device(struct walk *w);
/* What no record alone says: devices, the sizes of what was deleted, what failed. */
void gather_settle_target(struct model *m);

/* device_table.c: a record that announces a device, a part of its type, or a record that ends it. */
void gather_device_initialize(struct walk *w, const struct record *r);
void gather_device_text(struct walk *w, const struct record *r);
void gather_device_finalize(struct walk *w, const struct record *r);
/* Where no device was announced: adds a row for each that something was done to. */
void gather_unannounced_devices(struct model *m);

/* Numbers every mutex's acquisitions in the order of time, over all streams, into model.lock_orders. */
void gather_lock_orders(struct model *m, struct acquisition *list, size_t n);

/* Finds the distinct teams, and which one each region has. */
void gather_teams(struct model *m);

#endif
