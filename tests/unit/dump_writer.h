/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes synthetic dumps for tests. It follows docs/format.md, and not the recorder's code. In the simplest case
 *
 *	struct dump_writer w;
 *	dump_writer_init(&w, "x.otter");
 *	dump_writer_record(&w, 0, 1000, EVENT_task_create, task_flags_explicit, 1, 0, 0x1234);
 *	dump_writer_finish(&w);
 *
 * gives a complete dump: ticks are ns, every stream is sealed and in a file of its own, segments have 4096 bytes (124
 * records). For other dumps set the fields below between init and finish. Any failure ends the test program.
 */
#ifndef OTTER_TESTS_DUMP_WRITER_H
#define OTTER_TESTS_DUMP_WRITER_H

#include "common/event.h"
#include "common/format.h"

#include <stdbool.h>

enum writer_place {
	WRITER_STREAM_FILE, /* all segments in NNNNN.seg */
	WRITER_DRAIN_FILE,  /* all segments in drain.seg */
	WRITER_RING,        /* the last ring_segments - 1 closed segments and the open one in NNNNN.ring, older ones in NNNNN.seg */
	WRITER_RING_AND_FILE /* the same, but all closed segments also in NNNNN.seg */
};

#define WRITER_STREAMS  512
#define WRITER_SWITCHES 511 /* the stream of switches */
#define WRITER_SAMPLES  400 /* WRITER_SAMPLES + N is the stream of the samples of stream N */

struct writer_stream {
	unsigned char **segments; /* each of segment_bytes */
	size_t n_segments;
	uint64_t n_records, n_tasks, n_regions, n_lost;
	uint64_t lost[LOSS_CAUSES];
	uint32_t used_bytes; /* bytes used in the last segment */
	uint64_t missing;    /* sequence number of a segment that is not written; 0: all are */
	enum writer_place place;
	bool is_live; /* its last segment is not sealed, and meta calls it live */
};

struct dump_writer {
	char *dir;
	uint32_t segment_bytes;
	uint32_t ring_segments;
	unsigned ticks_per_ns;  /* default 1; with any other value meta has `clock tsc` */
	uint64_t start_ticks;   /* default 1000 */
	uint64_t end_ticks;     /* the latest time stamp; dump_writer_record() updates it */
	bool is_killed;         /* meta has no block at the end */
	const char *first_line; /* of meta; default "otter-dump 1 0" */
	const char *more_meta;  /* lines added to the first block of meta; default "" */
	const char *runtime;    /* default: libomp 19's version string */
	const char *program;    /* default /usr/bin/program */
	long pid;               /* default 4242 */
	uint64_t pid_start;
	const char *host; /* default testhost */
	const char *boot_id;
	struct writer_stream streams[WRITER_STREAMS];
};

/* Makes the directory `dir`, which must not exist. */
void dump_writer_init(struct dump_writer *w, const char *dir);

/*
 * Appends one record. Counters of task_create, implicit_task_begin and parallel_begin go into the headers of later
 * segments.
 */
void dump_writer_record(struct dump_writer *w, uint32_t stream, uint64_t ticks, unsigned kind, unsigned flags, uint64_t value,
			uint64_t a, uint64_t b);

/* Appends a list of dependences: the head and its continuation records. */
void dump_writer_dependences(struct dump_writer *w, uint32_t stream, uint64_t ticks, uint64_t task, size_t n,
			     const uint64_t *variables, const unsigned *types);

/*
 * Appends the usual beginning of a root thread: thread_attach, thread_begin, and its initial task in its region; `task`
 * and `region` are counters.
 */
void dump_writer_root(struct dump_writer *w, uint32_t stream, uint64_t ticks, uint64_t task, uint64_t region);

/* Closes the current segment; the next record opens another one. */
void dump_writer_close_segment(struct dump_writer *w, uint32_t stream);

/* Writes all files and meta, and frees everything. */
void dump_writer_finish(struct dump_writer *w);

/* Removes a directory and all that is in it. */
void dump_writer_remove(const char *dir);

#endif
