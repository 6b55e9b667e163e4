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

#include <stddef.h>
#include <stdlib.h>

#define NAME "report.html"

struct report {
	struct slices slices; /* with the windows' sweep beside them */
	char *dir;
	size_t n_processes;
	const struct answer *answer;
	const struct spawn *spawn;
	struct report_sources sources;
	FILE *out;
	struct strips strips;
	struct bins bins;
	bool is_broken;  /* the file */
	bool has_failed; /* the error is printed */
};

static void begin_windows(void *self, const struct windows *windows)
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

static void end_windows(void *self, const struct windows *windows)
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
	if (lanes_add(process, &r->slices, &r->strips, r->answer, r->spawn) != 0)
		r->has_failed = true;
	queues_add(process, trace, r->answer, r->n_processes);
	tables_add(process, trace, r->answer, r->strips.row_of, r->sources);
	strips_free(&r->strips);
	r->is_broken = report_write(r->out, "class=\"otter-process\"", process) != 0 || r->is_broken;
}

/* ---- The sink ---- */

static int begin(void *self, const struct trace *trace)
{
	struct report *r = self;
	slices_begin(&r->slices, trace);
	return r->slices.beside.begin(r->slices.beside.self, trace);
}

/* States go to the sweep alone. */
static int pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	const struct sink *sweep = &((struct report *)self)->slices.beside;
	return sweep->pass_state(sweep->self, stream, from, since_ticks, to, ticks);
}

static int end(void *self, const struct trace *trace)
{
	struct report *r = self;
	int rc = r->slices.beside.end(r->slices.beside.self, trace);
	return slices_end(&r->slices) != 0 || rc != 0 || r->has_failed ? -1 : 0;
}

static int close_windows(void *self)
{
	(void)self; /* close_report() does it */
	return 0;
}

static int close_report(void *self)
{
	struct report *r = self;
	const struct sink *sweep = &r->slices.beside;
	int of_sweep = sweep->close != NULL ? sweep->close(sweep->self) : 0;
	int rc = r->is_broken ? error("%s/" NAME ": could not be written", r->dir) : 0;
	slices_close(&r->slices);
	strips_free(&r->strips);
	free(r->bins.rows);
	if (r->out != NULL && file_close(r->out, r->dir, NAME) != 0)
		rc = -1;
	free(r->dir);
	free(r);
	return rc == 0 ? of_sweep : rc;
}

_Static_assert(offsetof(struct report, slices) == 0, "the slices are called with the sink's self");

int sink_report_open(struct sink *sink, const char *dir, size_t n_processes, const struct answer *answer, const struct spawn *spawn,
		     struct report_sources sources)
{
	struct report *r = memory_zeroed(1, sizeof *r, NAME);
	r->dir = text_copy(dir);
	r->n_processes = n_processes;
	r->answer = answer;
	r->spawn = spawn;
	r->sources = sources;
	r->slices.is_without_flows = true;
	r->out = file_open(dir, NAME);
	const struct window_user user = {begin_windows, interval, moment, end_windows, close_windows, false, r};
	if (r->out == NULL || slices_open(&r->slices, dir, NAME) != 0 ||
	    sink_windows_open(&r->slices.beside, dir, STRIPS_WINDOWS, &user, 1) != 0) {
		close_report(r);
		return -1;
	}
	fwrite(report_page_begin, 1, (size_t)(report_page_data - report_page_begin), r->out);
	*sink = (struct sink){"report", &slices_ops, pass_state, begin, end, close_report, r};
	return 0;
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

int report_diff(json_t *object, const char *dir)
{
	FILE *out = file_open(dir, "diff.html");
	if (out == NULL) {
		json_decref(object);
		return -1;
	}
	fwrite(report_page_begin, 1, (size_t)(report_page_data - report_page_begin), out);
	int rc = report_write(out, "id=\"otter-diff\"", object);
	if (rc != 0)
		error("%s/diff.html: could not be written", dir);
	fwrite(report_page_data, 1, (size_t)(report_page_end - report_page_data), out);
	return file_close(out, dir, "diff.html") == 0 ? rc : -1;
}
