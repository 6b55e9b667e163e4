/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary of stopped recordings: since when nothing was recorded, because the disk was full, a limit was reached, or a
 * file could not be written.
 */
#include "builder/summary/summary.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/* When the first thread noticed that recording had stopped; where none had room for a record of that, the last record. */
static uint64_t noticed_ticks(const struct dump *dump)
{
	uint64_t noticed = 0, last = dump->first_ticks;
	for (size_t i = 0; i < dump->n_streams; i++) {
		struct cursor c;
		cursor_init(&c, &dump->streams[i]);
		for (const struct record *r; (r = cursor_next(&c)) != NULL;) {
			uint64_t n = record_continuations(r), time = r->time;
			bool is_it = record_kind(r) == EVENT_recording_off && record_flags(r) == off_reason_stopped;
			noticed = is_it && (noticed == 0 || time < noticed) ? time : noticed;
			last = time > last ? time : last;
			while (n > 0 && cursor_next(&c) != NULL)
				n--;
		}
	}
	return noticed != 0 ? noticed : last;
}

/* When recording stopped; 0: never. If the disk was too full to write meta, the streams show it. */
static uint64_t stopped_ticks(const struct dump *dump, unsigned *cause)
{
	*cause = dump->meta.stopped_cause;
	if (dump->meta.stopped_ticks != 0)
		return dump->meta.stopped_ticks;
	*cause = dump->lost[loss_cause_no_space] != 0 ? loss_cause_no_space : loss_cause_limit;
	return dump->lost[*cause] != 0 ? noticed_ticks(dump) : 0;
}

void summary_collect_stop(struct stop_summary *stop, const struct trace *trace)
{
	const struct dump *dump = &trace->dump;
	unsigned cause;
	uint64_t ticks = stopped_ticks(dump, &cause);
	if (ticks == 0)
		return;
	uint64_t ns = dump_ns(dump, ticks), realtime_ns = dump->first_realtime_ns + ns;
	if (stop->n_processes++ != 0 && realtime_ns >= stop->realtime_ns)
		return;
	stop->process = trace->process;
	stop->cause = cause;
	stop->ns = ns;
	stop->realtime_ns = realtime_ns;
}

void summary_print_stop(const struct summary *s, FILE *out)
{
	const struct stop_summary *stop = &s->stop;
	if (stop->n_processes == 0)
		return;
	const char *cause = event_enum_name("loss_cause", stop->cause);
	fprintf(out, "%-10sat %.6f s", "stopped", (double)stop->ns / 1e9);
	if (s->n_processes > 1)
		fprintf(out, " of process %" PRIu32 ", the first of %" PRIu64, stop->process, stop->n_processes);
	fprintf(out, " (%s): all records from then on are missing\n", cause != NULL ? cause : "unknown");
}

json_t *summary_json_stop(const struct stop_summary *stop)
{
	const char *cause = event_enum_name("loss_cause", stop->cause);
	return json_pack("{s:I,s:I,s:I,s:s}", "processes", (json_int_t)stop->n_processes, "process", (json_int_t)stop->process,
			 "ns", (json_int_t)stop->ns, "cause", cause != NULL ? cause : "unknown");
}

/* ---- Omitted ---- */

/*
 * Reports which files were left out: see summary.h. Called by bounds.c and the outputs of the summary.
 */

void omitted_set(struct omitted *omitted, const char *file, const char *option, const char *what, uint64_t count, uint64_t n_bytes)
{
	size_t i = 0;
	while (i < omitted->n && strcmp(omitted->files[i].file, file) != 0)
		i++;
	if (i == OMITTED_MAX)
		return;
	if (i == omitted->n)
		omitted->files[omitted->n++] = (struct omitted_file){file, option, what, 0, 0};
	omitted->files[i].count = count;
	omitted->files[i].n_bytes += n_bytes;
}

/* "1.24 GB" */
static void print_bytes(uint64_t n_bytes, FILE *out)
{
	static const char units[] = "kMGT";
	double value = (double)n_bytes / 1000;
	unsigned unit = 0;
	for (; value >= 999.5 && units[unit + 1] != '\0'; unit++)
		value /= 1000;
	fprintf(out, "%.3g %cB", value, units[unit]);
}

void summary_print_omitted(const struct omitted *omitted, FILE *out)
{
	for (size_t i = 0; i < omitted->n; i++) {
		const struct omitted_file *f = &omitted->files[i];
		fprintf(out, "left out %s: %" PRIu64 " %s", f->file, f->count, f->what);
		if (f->n_bytes != 0) {
			fputs(", about ", out);
			print_bytes(f->n_bytes, out);
		}
		fprintf(out, " (--%s writes it)\n", f->option);
	}
}

struct json_t *summary_json_omitted(const struct omitted *omitted)
{
	json_t *array = json_array();
	for (size_t i = 0; i < omitted->n; i++) {
		const struct omitted_file *f = &omitted->files[i];
		json_t *bytes = f->n_bytes != 0 ? json_integer((json_int_t)f->n_bytes) : json_null();
		json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:I, s:o}", "file", f->file, "option", f->option, "counted",
						       f->what, "count", (json_int_t)f->count, "bytes", bytes));
	}
	return array;
}
