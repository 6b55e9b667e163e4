/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes synthetic dumps for tests, by docs/format.md and not by the recorder's code. In the plain case:
 *
 *	struct dump_writer w;
 *	dump_writer_init(&w, "x.otter");
 *	dump_writer_record(&w, 0, 1000, EVENT_task_create, task_flags_explicit, 1, 0, 0x1234);
 *	dump_writer_finish(&w);
 *
 * gives a complete dump: ticks are ns, every stream sealed in its own file, segments of 4096 bytes (124 records). Set the
 * fields below between init and finish for anything else. Any failure ends the test program (it is a test's tool).
 */
#ifndef OTTER_TESTS_DUMP_WRITER_H
#define OTTER_TESTS_DUMP_WRITER_H

#include "common/event.h"
#include "common/format.h"

#include <stdbool.h>

enum writer_place {
	WRITER_STREAM_FILE,  /* all segments in NNNNN.seg */
	WRITER_DRAIN_FILE,   /* all in drain.seg */
	WRITER_RING,         /* the last ring_segments - 1 closed ones and the open one in NNNNN.ring, older ones in NNNNN.seg */
	WRITER_RING_AND_FILE /* the same, but closed ones all in NNNNN.seg, too */
};

#define WRITER_STREAMS 64
#define WRITER_SAMPLES 48 /* + N: the stream of the samples of stream N */

struct writer_stream {
	unsigned char **segments; /* each of segment_bytes */
	size_t n_segments;
	uint64_t n_records, n_tasks, n_regions, n_lost;
	uint64_t lost[LOSS_CAUSES];
	uint32_t used_bytes; /* of the last segment */
	uint64_t missing;    /* sequence number of a segment that is written nowhere; 0: none */
	enum writer_place place;
	bool is_live; /* its last segment is not sealed, and meta calls it live */
};

struct dump_writer {
	char *dir;
	uint32_t segment_bytes;
	uint32_t ring_segments;
	unsigned ticks_per_ns;  /* 1; others make meta say `clock tsc` */
	uint64_t start_ticks;   /* 1000 */
	uint64_t end_ticks;     /* the latest time stamp, kept by dump_writer_record */
	bool is_killed;         /* no end block in meta */
	const char *first_line; /* of meta: "otter-dump 1 0" */
	const char *more_meta;  /* lines added to the start block, "" */
	const char *runtime;    /* libomp-19's version string */
	const char *program;    /* /usr/bin/program */
	long pid;               /* 4242 */
	uint64_t pid_start;
	const char *host; /* testhost */
	const char *boot_id;
	struct writer_stream streams[WRITER_STREAMS];
};

/* `dir` must not exist: it is made at once. */
void dump_writer_init(struct dump_writer *w, const char *dir);

/* Appends one record; counters of task_create, implicit_task_begin and parallel_begin go into the headers that follow. */
void dump_writer_record(struct dump_writer *w, uint32_t stream, uint64_t ticks, unsigned kind, unsigned flags, uint64_t value,
			uint64_t a, uint64_t b);

/* A dependence list: the head and its continuations. */
void dump_writer_dependences(struct dump_writer *w, uint32_t stream, uint64_t ticks, uint64_t task, size_t n,
			     const uint64_t *variables, const unsigned *types);

/* A root thread's usual beginning: attach, thread_begin, its initial task `task` in the region `region` (both counters). */
void dump_writer_root(struct dump_writer *w, uint32_t stream, uint64_t ticks, uint64_t task, uint64_t region);

/* Closes the current segment: the next record opens another one. */
void dump_writer_close_segment(struct dump_writer *w, uint32_t stream);

/* Writes all files and meta, and frees everything. */
void dump_writer_finish(struct dump_writer *w);

/* Removes a directory and what is in it. */
void dump_writer_remove(const char *dir);

#endif
