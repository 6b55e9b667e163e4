/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of a process in report.html, as JSON. One thread, except for strips_add_interval().
 */
#ifndef OTTER_BUILDER_REPORT_PARTS_H
#define OTTER_BUILDER_REPORT_PARTS_H

#include "builder/report/report.h"
#include "builder/slices/slices.h"
#include "builder/callpaths/callpaths.h"
#include "builder/states/windows.h"

#include <jansson.h>

/* ---- strips.c: what each thread did when ---- */

#define STRIPS_WINDOWS     16384   /* the most windows of a process; all are of the same length */
#define STRIPS_EXACT       1000000 /* intervals of a run; with more, rows have windows instead */
#define STRIPS_BYTES       3200000 /* the most bytes of a run's exact intervals in the page; with more, rows have windows instead */
#define STRIPS_THREADS_MAX 128     /* with more threads, a process has one row for all of them */
#define STRIPS_CLOSE       48      /* windows of a process that are exact where the others are not; three parts: */
#define STRIPS_CLOSE_EDGE  12      /* at the begin, at the end, and the rest round the critical path */

struct strips {
	const struct windows *windows;
	size_t n_processes;
	uint32_t *row_of; /* by row of dump.streams */
	uint32_t n_rows;
	bool is_exact, is_folded;
	struct buffer *exact;     /* by window: row, state, begin and length of each interval */
	uint8_t *is_close;        /* by window: exact, although not all are */
	struct strip_cell *cells; /* by window and row: how long which states were */
	uint32_t n_folded;        /* threads of the row, if all are in one */
};

void strips_begin(struct strips *rows, const struct windows *windows, size_t n_processes);
/* The window at this time is one of those that are exact in any case, while it does not have too many intervals. */
void strips_want(struct strips *rows, uint64_t ticks);
/* Adds an interval of a window, and of a row in it, in the order of time. Windows may be added in parallel. */
void strips_add_interval(struct strips *rows, size_t window, uint32_t stream, enum state state, uint64_t begin_ticks,
			 uint64_t end_ticks);
/* Adds the rows to the process, and frees them. */
void strips_end(struct strips *rows, json_t *process);
void strips_free(struct strips *rows);

/* ---- lanes.c: which tasks each thread executed when ---- */

#define LANES_EXACT   200000  /* stretches of a run; with more, rows have windows instead */
#define LANES_CELLS   524288  /* windows of all rows of a process */
#define LANES_WINDOWS 8192    /* of a row, at most */
#define LANES_BYTES   900000  /* the most bytes of these rows in the page, if time lines leave them room in LANES_ALL */
#define LANES_ALL     4000000 /* bytes of these rows and of time lines together */
#define LANES_LEAST   200000  /* bytes of these rows that are available in any case */
#define LANES_PARTS   20000   /* stretches of single tasks that are in the page, where not all stretches are */

/*
 * Adds the rows to the process, in the rows of its time lines, which are in it already. The parts of single tasks in
 * `callpaths` are added in any case. Returns 0, or -1 with the error printed.
 */
int lanes_add(json_t *process, const struct slices *slices, const struct strips *rows, const struct answer *answer,
	      const struct callpaths *callpaths);

/* ---- encode.c: rows of numbers as text ---- */

json_t *report_packed(const struct buffer *all);

/* ---- bins.c: how many threads were in which state, and how many tasks were ready ---- */

#define BINS_MAX 1024 /* of a run's processes together, or 64 each */

struct bins {
	const struct windows *windows;
	struct report_bin {
		double state_ticks[STATES]; /* of all threads together */
		double ready_ticks;
	} * rows;
};

void bins_begin(struct bins *bins, const struct windows *windows);
void bins_add_interval(struct bins *bins, size_t window, enum state state, uint64_t ticks);
void bins_add_moment(struct bins *bins, size_t window, const struct moment *moment, uint64_t ticks);
void bins_end(struct bins *bins, size_t n_processes, json_t *process);

/* ---- tables.c ---- */

/* Constructs, waits and the critical path, as far as the answer has them; `row_of`: strips.row_of. */
void tables_add(json_t *process, const struct trace *trace, const struct answer *answer, const uint32_t *row_of,
		struct sources *sources);

/* Requests the windows where the longest parts of the critical path begin and end. */
void tables_want(struct strips *rows, const struct trace *trace, const struct answer *answer);

/* ---- encode.c: JSON within HTML ---- */

json_t *report_text(const char *text); /* valid UTF-8 */
/* Writes <script type="application/json" ATTRIBUTES>, the object so that nothing in it ends that, and the end. 0 or -1. */
int report_write(FILE *out, const char *attributes, json_t *object);

/* ---- Page ---- */

/*
 * The page itself, which `make` puts together from page/ and the libraries that it uses: what comes before the data, and
 * what comes after. Read by report.c.
 */

extern const char report_page_begin[], report_page_data[], report_page_end[];

#endif
