/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report.html: a page that shows a run, in one file that needs no other. It consists of the page itself, which is in
 * the executable, and of what it shows, which is added process by process (report.c): what the threads did
 * (strips.c), which tasks they executed (lanes.c), how many worked, constructs, waits and the critical path (tables.c), and
 * at the end summary.json. Runs on one thread. docs/report.md describes the data.
 */
#ifndef OTTER_BUILDER_REPORT_REPORT_H
#define OTTER_BUILDER_REPORT_REPORT_H

#include "builder/answer/answer.h"
#include "builder/replay/sink.h"
#include "builder/callpaths/callpaths.h"
#include "builder/summary/summary.h"
#include "builder/symbols/source_text.h"

/*
 * Begins DIR/report.html, and fills in the sink. `answer`: of the current process, made before its end, as is its part of
 * `spawn`. Returns 0, or -1 with the error printed.
 */
int sink_report_open(struct sink *sink, const char *dir, size_t n_processes, const struct answer *answer,
		     const struct callpaths *callpaths, struct source_rules sources);

/* Completes it. 0, or -1 with the error printed. */
int report_finish(const struct summary *summary, const struct callpaths *callpaths, const char *dir);

/*
 * DIR/diff.html: the page of a comparison of runs, which diff.json has as well. `object`: a json_t, which is given up. 0, or -1
 * with the error printed.
 */
int report_diff(struct json_t *object, const char *dir);

#endif
