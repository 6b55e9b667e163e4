/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts report.html together: see report.h. A user of the windows (builder/states/windows.h), which are swept on several
 * threads; the rest on one.
 */
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
	const struct callpaths *callpaths;
	struct sources sources;
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
	if (lanes_add(process, &r->slices, &r->strips, r->answer, r->callpaths) != 0)
		r->has_failed = true;
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (paradigms[i]->report != NULL)
			paradigms[i]->report(process, trace, r->answer, r->n_processes);
	tables_add(process, trace, r->answer, r->strips.row_of, &r->sources);
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

static void warn_of_sources(const struct sources *sources)
{
	const char *file = sources->elsewhere, *end = file != NULL ? strrchr(file, '/') : NULL;
	if (end != NULL)
		warning("report.html: %u construct%s without source line, as %s is not below the working directory: --source=%.*s shows it",
			sources->n_elsewhere, sources->n_elsewhere == 1 ? " is" : "s are", file,
			end == file ? 1 : (int)(end - file), file);
}

static int close_report(void *self)
{
	struct report *r = self;
	const struct sink *sweep = &r->slices.beside;
	int of_sweep = sweep->close != NULL ? sweep->close(sweep->self) : 0;
	int rc = r->is_broken ? error("%s/" NAME ": could not be written", r->dir) : 0;
	warn_of_sources(&r->sources);
	sources_close(&r->sources);
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

/* Writes the part of the page from `from` to before `to`, which are labels of one stretch of bytes: see the end of this file. */
static void put_page(const char *from, const char *to, FILE *out)
{
	fwrite(from, 1, (size_t)(to - from), out);
}

int sink_report_open(struct sink *sink, const char *dir, size_t n_processes, const struct answer *answer,
		     const struct callpaths *callpaths, struct source_rules sources)
{
	struct report *r = memory_zeroed(1, sizeof *r, NAME);
	r->dir = text_copy(dir);
	r->n_processes = n_processes;
	r->answer = answer;
	r->callpaths = callpaths;
	sources_open(&r->sources, sources);
	r->slices.is_without_flows = true;
	r->out = file_open(dir, NAME);
	const struct window_user user = {begin_windows, interval, moment, end_windows, close_windows, false, r};
	if (r->out == NULL || slices_open(&r->slices, dir, NAME) != 0 ||
	    sink_windows_open(&r->slices.beside, dir, STRIPS_WINDOWS, &user, 1) != 0) {
		close_report(r);
		return -1;
	}
	put_page(report_page_begin, report_page_data, r->out);
	*sink = (struct sink){"report", &slices_ops, pass_state, begin, end, close_report, r};
	return 0;
}

int report_finish(const struct summary *summary, const struct callpaths *callpaths, const char *dir)
{
	bool is_new;
	FILE *out = file_append(dir, NAME, &is_new);
	if (out == NULL)
		return -1;
	int rc = report_write(out, "id=\"otter-summary\"", summary_object(summary));
	if (rc == 0)
		rc = report_write(out, "id=\"otter-spawn\"", callpath_json(callpaths));
	if (rc != 0)
		error("%s/" NAME ": could not be written", dir);
	put_page(report_page_data, report_page_end, out);
	return file_close(out, dir, NAME) == 0 ? rc : -1;
}

int report_diff(json_t *object, const char *dir)
{
	FILE *out = file_open(dir, "diff.html");
	if (out == NULL) {
		json_decref(object);
		return -1;
	}
	put_page(report_page_begin, report_page_data, out);
	int rc = report_write(out, "id=\"otter-diff\"", object);
	if (rc != 0)
		error("%s/diff.html: could not be written", dir);
	put_page(report_page_data, report_page_end, out);
	return file_close(out, dir, "diff.html") == 0 ? rc : -1;
}

/* ---- The page's files ---- */

/*
 * The files of the page as bytes of the executable: see parts.h. REPORT_PAGE is their folder, which the Makefile names.
 */

#ifdef OTTER_NO_REPORT
#define PAGE_BEGIN ""
#define PAGE_DATA  ""
#else
#define PAGE_BEGIN ".incbin \"" REPORT_PAGE "/head.html\"\n"
#define PAGE_DATA  ".incbin \"" REPORT_PAGE "/tail.html\"\n"
#endif
__asm__(".pushsection .rodata\n"
	".hidden report_page_begin, report_page_data, report_page_end\n"
	".global report_page_begin, report_page_data, report_page_end\n"
	"report_page_begin:\n" PAGE_BEGIN "report_page_data:\n" PAGE_DATA "report_page_end: .byte 0\n"
	".popsection\n");
