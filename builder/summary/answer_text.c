/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What limits the run, for people: one screen of 80 columns and at most 40 lines. In colours on a terminal, unless NO_COLOR
 * is set.
 */
#include "builder/summary/summary.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"
#include "builder/support/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COLUMNS 80
#define BLOCKED "sleeps, or waits for files or other processes,"
#define INDENT  9 /* columns before continuation lines */

/* How many bytes of a line fit into `columns`: up to a blank, or all of it. Escape sequences take no column. */
static size_t fitting(const char *line, size_t n, size_t columns)
{
	size_t used = 0, blank = 0;
	for (size_t i = 0; i < n; i++) {
		for (; line[i] == '\033'; i++)
			i += strcspn(line + i, "m");
		if (line[i] == ' ' && used > INDENT)
			blank = i;
		used += ((unsigned char)line[i] & 0xc0) != 0x80;
		if (used > columns && blank != 0)
			return blank;
	}
	return n;
}

/* Prints lines; one that is too long continues in the next. */
static void print_lines(const char *text, FILE *out)
{
	for (size_t n; *text != '\0'; text += n + 1) {
		n = strcspn(text, "\n");
		for (size_t from = 0, shown; from < n; from += shown + 1) {
			shown = fitting(text + from, n - from, from == 0 ? COLUMNS : COLUMNS - INDENT);
			fprintf(out, "%*s%.*s\n", from == 0 ? 0 : INDENT, "", (int)shown, text + from);
		}
		if (n == 0)
			fputs("\n", out);
	}
}

/* ---- The limit ---- */

/* Is it a work function of Argobots, or the primary unit? */
static bool is_of_unit(const struct answer_place *place)
{
	static const enum construct_kind kinds[] = {CONSTRUCT_UNIT, CONSTRUCT_TASKLET, CONSTRUCT_PRIMARY_UNIT};
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(place->kind, construct_kind_name(kinds[i])) == 0)
			return true;
	return false;
}

/* The construct's label, or, where that is not known, what is. */
static const char *label_or(const struct answer_row *row, const char *instead)
{
	return row->construct.label[0] != '\0' ? row->construct.label : instead;
}

/* What is too small. In the table of constructs, a task's time includes the recorder, so the same figure is used here. */
static void print_grain(const struct answer_row *row, const char *label, FILE *out)
{
	struct formatted own = format_ns(row->own_ns), whole = format_ns(row->whole_ns);
	if (row->sort == CAUSE_REGIONS) {
		fprintf(out, "grain: %" PRIu64 " x %s that last %s each, of which %s are lost", row->n, label, own.text,
			format_ns(row->price_ns).text);
		return;
	}
	bool is_chunk = row->sort == CAUSE_CHUNKS;
	fprintf(out, "grain: %" PRIu64 " %s %s of %s each", row->n, is_chunk ? "chunks of" : "x", label, own.text);
	if (row->whole_ns != 0 && strcmp(own.text, whole.text) != 0)
		fprintf(out, " (%s with the recorder)", whole.text);
	if (is_chunk)
		fprintf(out, ", and one costs at least %s", format_ns(row->price_ns).text);
	else
		fprintf(out, ", for each of which the %s lose %s", row->nouns->threads,
			format_ns(row->n != 0 ? row->blamed_ns / row->n : 0).text);
}

void answer_print_what(const struct answer_row *row, FILE *out)
{
	const struct nouns *of = row->nouns;
	const char *label = place_name(&row->construct), *other = place_name(&row->other);
	const char *most_in = row->construct.label[0] != '\0' ? ", most in " : "";
	switch (row->limit) {
	case LIMITS:
	case LIMIT_NONE: fprintf(out, "no bottleneck: the %s worked nearly all the time", of->threads); return;
	case LIMIT_CREATION:
		fprintf(out, "creation: one %s makes %s more slowly than the others run them", of->thread, label);
		return;
	case LIMIT_GRAIN: print_grain(row, label, out); return;
	case LIMIT_CHAIN:
		if (strcmp(label, other) == 0)
			fprintf(out, "chain: each %s depends on the one before", label);
		else
			fprintf(out, "chain: %s depends on %s", other, label);
		return;
	case LIMIT_WAIT:
		if (row->sort == CAUSE_UNDEFERRED)
			fprintf(out, "wait: %s is executed at once, while its creator waits", label);
		else if (is_of_unit(&row->construct))
			fprintf(out, "wait: a join in %s holds everybody up", label);
		else
			fprintf(out, "wait: %s holds everybody up", label);
		return;
	case LIMIT_IMBALANCE:
		if (strcmp(row->construct.kind, construct_kind_name(CONSTRUCT_TASK)) == 0 || is_of_unit(&row->construct))
			fprintf(out, "imbalance: others wait for single %s", label);
		else
			fprintf(out, "imbalance: the %s' shares of %s differ", of->threads, label);
		return;
	case LIMIT_EXCLUSION:
		if (row->sort == CAUSE_HOT && is_of_unit(&row->construct))
			fprintf(out, "exclusion: units wait for each other in %s, %" PRIu64 " times for %s each", label, row->n,
				format_ns(row->price_ns).text);
		else if (row->sort == CAUSE_HOT)
			fprintf(out, "exclusion: %s is acquired %" PRIu64 " times and held for %s each, and %s wait for it", label,
				row->n, format_ns(row->own_ns).text, of->threads);
		else if (is_of_unit(&row->construct))
			fprintf(out, "exclusion: units wait for each other in %s", label);
		else
			fprintf(out, "exclusion: %s wait for each other at %s", of->threads, label);
		return;
	case LIMIT_SERIAL:
		if (row->sort == CAUSE_ALONE && row->construct.label[0] != '\0')
			fprintf(out, "serial: %s has one %s, and could use %" PRIu64 " processors", label, of->thread, row->n);
		else if (row->sort == CAUSE_ALONE)
			fprintf(out, "serial: the run had one %s, and could use %" PRIu64 " processors", of->thread, row->n);
		else if (row->sort == CAUSE_UNUSED)
			fprintf(out, "serial: %s does not use all %s", label_or(row, "a region"), of->threads);
		else if (row->sort == CAUSE_SINGLE)
			fprintf(out, "serial: the others wait while one %s executes %s", of->thread,
				label_or(row, "something alone"));
		else if (row->construct.label[0] != '\0')
			fprintf(out, "serial: one %s %s before %s", of->thread, row->sort == CAUSE_BLOCKED ? BLOCKED : "works",
				label);
		else
			fprintf(out, "serial: one %s %s after the last region", of->thread,
				row->sort == CAUSE_BLOCKED ? BLOCKED : "works");
		return;
	case LIMIT_RUNTIME:
		if (row->sort == CAUSE_SCHEDULING && is_of_unit(&row->construct))
			fprintf(out, "runtime: %s wait in pools while execution streams are idle", label_or(row, "units"));
		else if (row->sort == CAUSE_SCHEDULING)
			fprintf(out, "runtime: %s are ready, and no %s takes them", label_or(row, of->tasks), of->thread);
		else if (row->sort == CAUSE_FORK)
			fprintf(out, "runtime: %s come late into %s", of->threads, label_or(row, "a region"));
		else if (row->sort == CAUSE_ACQUIRING)
			fprintf(out, "runtime: %s is free, and acquired %" PRIu64 " time%s, which takes %s each",
				label_or(row, "a mutex"), row->n, format_plural(row->n), format_ns(row->price_ns).text);
		else
			fprintf(out, "runtime: %s go on late after %s", of->threads, label_or(row, "a synchronisation"));
		return;
	case LIMIT_PREEMPTION:
		if (row->sort == CAUSE_CROWDED) {
			fprintf(out, "preemption: more %s than the %" PRIu64 " processor%s%s%s", of->threads, row->n,
				format_plural(row->n), most_in, label_or(row, ""));
			return;
		}
		fprintf(out, "preemption: others had the processors%s%s", most_in, label_or(row, ""));
		return;
	case LIMIT_DOACROSS:
		fprintf(out, "doacross: iterations of %s wait for others at their sinks", label_or(row, "a loop"));
		return;
	case LIMIT_BLOCKED:
		fprintf(out, "blocked: %s sleep, or wait for files, pipes or other libraries' locks, in %s", of->threads,
			label_or(row, "tasks or regions"));
		return;
	case LIMIT_BINDING:
		fprintf(out, "binding: %" PRIu64 " %s share %" PRIu64 " processor%s by %s", row->n, of->threads, row->n_processors,
			format_plural(row->n_processors),
			row->sort == CAUSE_PROCESS ? "the process's mask" : "their masks or places");
		return;
	case LIMIT_HANG:
		if (row->sort == CAUSE_DEADLOCK)
			fprintf(out, "hang: %s wait for each other in a circle at %s: a deadlock", of->threads,
				label_or(row, "mutexes"));
		else
			fprintf(out, "hang: no %s went on, the %s are in %s", of->thread, of->threads,
				label_or(row, "unknown places"));
		return;
	case LIMIT_DATA: fprintf(out, "data: %s wait for devices in %s", of->threads, label); return;
	}
}

static void print_gain(const struct answer_row *row, FILE *out)
{
	if (row->limit == LIMIT_NONE)
		return;
	if (row->sort != CAUSE_ALONE) /* one thread that works all the time loses nothing */
		fprintf(out, "%.0f%% of the loss; ", 100 * row->loss_share);
	if (row->is_gain_unknown)
		fputs("gain not known", out);
	else
		fprintf(out, "without it %s%.2f x as fast%s", row->is_lower_bound ? "" : "at most ", row->speedup,
			row->is_lower_bound ? ", or more" : "");
}

/* Where each thread is that makes no records any more, and for whom it waits. */
static void print_stuck(const struct answer_summary *s, FILE *out)
{
	if (s->limit.limit != LIMIT_HANG)
		return;
	fprintf(out, "since    %s no %s has made a record%s\n", format_ns(s->hang_since_ns).text, s->nouns->thread,
		s->limit.sort == CAUSE_DEADLOCK ? "" : ": an endless loop, a deadlock, or a long computation");
	for (unsigned i = 0; i < s->n_stuck; i++) {
		const struct answer_stuck *t = &s->stuck[i];
		const char *place = t->place.label[0] != '\0' ? place_name(&t->place) : "an unknown place";
		fprintf(out, "         thread %" PRIu32 " %s %s", t->thread, t->waits ? "waits at" : "is in", place);
		if (t->is_for_holder)
			fprintf(out, ", which thread %" PRIu32 " got at %s", t->holder, place_name(&t->holder_place));
		fputs("\n", out);
	}
}

static void print_limit(const struct answer_summary *s, const char *bold, const char *plain, FILE *out)
{
	fprintf(out, "%slimit    ", bold);
	answer_print_what(&s->limit, out);
	fprintf(out, "%s\n", plain);
	if (s->limit.limit != LIMIT_NONE) {
		fputs("         ", out);
		print_gain(&s->limit, out);
		fputs("\n", out);
	}
	if (s->limit.limit != LIMIT_NONE && s->limit.limit != LIMIT_HANG) {
		fputs("try      ", out);
		answer_print_try(&s->limit, out);
		fputs("\n", out);
	}
	print_stuck(s, out);
	for (unsigned i = 0; i < s->n_others; i++) {
		fputs(i == 0 ? "then     " : "         ", out);
		answer_print_what(&s->others[i], out);
		fprintf(out, " (%.0f%%, %.2f x)\n", 100 * s->others[i].loss_share, s->others[i].speedup);
	}
}

/* ---- Efficiency ---- */

static void print_account(const struct answer_summary *s, FILE *out)
{
	double total = (double)s->wall_ns * s->n_threads;
	fprintf(out, "time     %.1f%% work", 100 * (double)s->spent_ns[SPENT_WORK] / total);
	if ((double)s->creating_ns >= total / 2000)
		fprintf(out, ", %.1f%% creating %s", 100 * (double)s->creating_ns / total, s->nouns->tasks);
	if ((double)s->handing_ns >= total / 2000)
		fprintf(out, ", %.1f%% handing out chunks", 100 * (double)s->handing_ns / total);
	for (unsigned i = SPENT_WORK + 1; i < SPENTS; i++)
		if ((double)s->spent_ns[i] >= total / 2000)
			fprintf(out, ", %.1f%% %s", 100 * (double)s->spent_ns[i] / total, spent_name(i));
	fputs("\n", out);
}

/* What could go on at the same time at most: blocked time is in the longest chain, so it counts. */
static void print_bounds(const struct answer_summary *s, FILE *out)
{
	double work = (double)s->work_ns + (double)s->blocked_ns, parallelism = work / (double)s->span_ns;
	const char *at_least = s->is_span_exact ? "" : "at least ";
	const char *what = (double)s->blocked_ns * 20 > work ? "work or be blocked" : "work";
	const char *loops = s->has_loops ? " with loops divided as here" : "";
	if (parallelism < 1.05)
		fprintf(out, "bounds   the longest chain takes %s%s: more %s cannot help%s", at_least, format_ns(s->span_ns).text,
			s->nouns->threads, loops);
	else
		fprintf(out, "bounds   at most %.1f %s can %s%s, by the longest chain (%s%s)", parallelism, s->nouns->threads, what,
			loops, at_least, format_ns(s->span_ns).text);
	uint64_t one_at_a_time_ns = s->exclusion_ns != 0 ? s->exclusion_ns + s->serial_ns : 0;
	if (one_at_a_time_ns > s->span_ns)
		fprintf(out, ",\n         %.1f by %s", work / (double)one_at_a_time_ns, place_name(&s->exclusion));
	fputs("\n", out);
}

static void print_efficiency(const struct answer_summary *s, FILE *out)
{
	const struct efficiency *e = &s->efficiency;
	fprintf(out, "works    %.0f%% = balance %.0f%% x processor %.0f%% x busiest %s: no waits %.0f%%", 100 * e->total,
		100 * e->load_balance, 100 * e->on_processor, s->nouns->thread, 100 * e->waits);
	if (e->idling < 0.995)
		fprintf(out, " x no idling %.0f%%", 100 * e->idling);
	fprintf(out, " x no runtime %.0f%%\n", 100 * e->runtime);
	print_account(s, out);
	if (s->span_ns != 0)
		print_bounds(s, out);
}

/* ---- All of it ---- */

static void print_ending(const struct answer_summary *s, FILE *out)
{
	switch (s->ending) {
	case ENDING_KILLED: fprintf(out, ": killed by signal %u (%s) after ", s->end_status, strsignal((int)s->end_status)); return;
	case ENDING_RUNNING: fputs(": still running, ", out); return;
	case ENDING_UNKNOWN: fputs(": its end is not known, the last record is at ", out); return;
	case ENDING_EXITED: fprintf(out, s->end_status != 0 ? ": exit status %u after " : ": ", s->end_status); return;
	case ENDING_FINALIZED: fputs(": ", out); return;
	}
}

static void print_answer(const struct summary *summary, bool is_coloured, FILE *out)
{
	const struct answer_summary *s = &summary->answer;
	print_ending(s, out);
	fprintf(out, "%s on %u %s", format_ns(s->wall_ns).text, s->n_threads,
		s->n_threads == 1 ? s->nouns->thread : s->nouns->threads);
	if (s->n_processors != 0 && s->n_threads > s->n_processors)
		fprintf(out, " and %" PRIu64 " processor%s", s->n_processors, format_plural(s->n_processors));
	if (summary->n_processes > 1)
		fprintf(out, " (process %u, which lost most of %zu)", s->process, summary->n_processes);
	fputs("\n", out);
	print_limit(s, is_coloured ? "\033[1m" : "", is_coloured ? "\033[0m" : "", out);
	print_efficiency(s, out);
	summary_print_twice(&s->what_if, out);
	answer_print_constructs(s, out);
	answer_print_waits(s, out);
	fputs("\n", out);
}

/* Prints for how much of the work it is not known whether its threads had processors, if that is at least a hundredth. */
static void print_unknown_switches(const struct processor_summary *processors, const struct nouns *of, FILE *out)
{
	static const char counts[] = "without a processor counts as working";
	if (!processors->are_recorded)
		fprintf(out, "switches not recorded: %s %s\n", of->a_thread, counts);
	else if (processors->unknown_ns * 100 >= processors->work_ns && processors->unknown_ns != 0)
		fprintf(out, "switches unknown for %.0f%% of the work: there %s %s\n",
			100 * (double)processors->unknown_ns / (double)processors->work_ns, of->a_thread, counts);
}

/* What a reader has to know before these figures are believed. */
static void print_losses(const struct summary *summary, FILE *out)
{
	if (summary->answer.limit.limit == LIMIT_NONE)
		fputs("unseen   memory, caches, page faults, and loops that wait for a variable count as work: no counters\n", out);
	summary_print_unseen(&summary->processors, "unseen   ", out);
	print_unknown_switches(&summary->processors, summary->answer.nouns, out);
	summary_print_runtimes(summary, "runtimes ", out);
	uint64_t n_repairs = tally_total(&summary->repairs), n_damages = tally_total(&summary->damage);
	summary_print_stop(summary, out);
	if (summary->n_lost != 0 || !summary->is_complete)
		fprintf(out, "records  %" PRIu64 " lost%s\n", summary->n_lost,
			summary->is_snapshot    ? "; the program is still running"
			: !summary->is_complete ? "; the recording is incomplete"
						: "");
	if (n_repairs + n_damages != 0)
		fprintf(out, "repairs  %" PRIu64 ", and %" PRIu64 " damages: otter-build --summary names them\n", n_repairs,
			n_damages);
}

void summary_print_answer(const struct summary *summary, const char *place, FILE *out)
{
	bool is_coloured = isatty(fileno(out)) && (getenv("NO_COLOR") == NULL || getenv("NO_COLOR")[0] == '\0');
	char *program = text_utf8(summary->traces[0].dump.meta.program), *text = NULL;
	const char *name = strrchr(program, '/') != NULL ? strrchr(program, '/') + 1 : program;
	size_t n_bytes;
	FILE *lines = memory_open_stream(&text, &n_bytes, "the answer");
	fprintf(lines, "%s", name);
	print_answer(summary, is_coloured, lines);
	free(program);
	print_losses(summary, lines);
	memory_close_stream(lines, "the answer");
	print_lines(text, out);
	free(text);
	summary_print_omitted(&summary->omitted, out);
	fprintf(out, "output   %s (all figures: summary.json; otter-build --summary prints them)\n", place);
}
