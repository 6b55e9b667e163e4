/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts report.html together: see report.h. A user of the windows (builder/states/windows.h), which are swept on several
 * threads; the rest on one.
 */
#include "builder/report/page.h"
#include "builder/report/parts.h"
#include "builder/support/diag.h"
#include "builder/support/file.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define NAME "report.html"

struct report {
	char *dir;
	size_t n_processes;
	const struct answer *answer;
	struct report_sources sources;
	FILE *out;
	struct strips strips;
	struct bins bins;
	bool is_broken; /* the file */
};

static void begin(void *self, const struct windows *windows)
{
	struct report *r = self;
	strips_begin(&r->strips, windows, r->n_processes);
	tables_want(&r->strips, windows->trace, r->answer);
	bins_begin(&r->bins, windows);
}

static void interval(void *self, size_t window, uint32_t stream, enum state state, uint64_t begin_ticks, uint64_t end_ticks)
{
	struct report *r = self;
	strips_add_interval(&r->strips, window, stream, state, begin_ticks, end_ticks);
	bins_add_interval(&r->bins, window, state, end_ticks - begin_ticks);
}

static void moment(void *self, size_t window, const struct moment *moment, uint64_t begin_ticks, uint64_t end_ticks)
{
	struct report *r = self;
	bins_add_moment(&r->bins, window, moment, end_ticks - begin_ticks);
}

static void end(void *self, const struct windows *windows)
{
	struct report *r = self;
	const struct trace *trace = windows->trace;
	const struct meta *meta = &trace->dump.meta;
	json_t *process =
		json_pack("{s:I, s:o, s:I, s:I, s:I, s:I}", "process", (json_int_t)trace->process, "host", report_text(meta->host),
			  "pid", (json_int_t)meta->pid, "start_ns", (json_int_t)trace->dump.first_realtime_ns, "begin_ns",
			  (json_int_t)(windows->n > 0 ? dump_ns(&trace->dump, windows->bounds[0]) : 0), "end_ns",
			  (json_int_t)(windows->n > 0 ? dump_ns(&trace->dump, windows->bounds[windows->n]) : 0));
	strips_end(&r->strips, process);
	bins_end(&r->bins, r->n_processes, process);
	tables_add(process, trace, r->answer, r->strips.row_of, r->sources);
	strips_free(&r->strips);
	r->is_broken = report_write(r->out, "class=\"otter-process\"", process) != 0 || r->is_broken;
}

static int close_report(void *self)
{
	struct report *r = self;
	int rc = r->is_broken ? error("%s/" NAME ": could not be written", r->dir) : 0;
	strips_free(&r->strips);
	free(r->bins.rows);
	if (file_close(r->out, r->dir, NAME) != 0)
		rc = -1;
	free(r->dir);
	free(r);
	return rc;
}

int sink_report_open(struct sink *sink, const char *dir, size_t n_processes, const struct answer *answer,
		     struct report_sources sources)
{
	struct report *r = memory_zeroed(1, sizeof *r, NAME);
	r->dir = text_copy(dir);
	r->n_processes = n_processes;
	r->answer = answer;
	r->sources = sources;
	r->out = file_open(dir, NAME);
	if (r->out == NULL) {
		free(r->dir);
		free(r);
		return -1;
	}
	fwrite(report_page_begin, 1, (size_t)(report_page_data - report_page_begin), r->out);
	const struct window_user user = {begin, interval, moment, end, close_report, false, r};
	return sink_windows_open(sink, dir, STRIPS_WINDOWS, &user, 1);
}

int report_finish(const struct summary *summary, const struct spawn *spawn, const char *dir)
{
	bool is_new;
	FILE *out = file_append(dir, NAME, &is_new);
	if (out == NULL)
		return -1;
	int rc = report_write(out, "id=\"otter-summary\"", summary_object(summary));
	if (rc == 0)
		rc = report_write(out, "id=\"otter-spawn\"", spawn_json(spawn));
	if (rc != 0)
		error("%s/" NAME ": could not be written", dir);
	fwrite(report_page_data, 1, (size_t)(report_page_end - report_page_data), out);
	return file_close(out, dir, NAME) == 0 ? rc : -1;
}
