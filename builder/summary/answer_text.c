/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What limits the run, for people: one screen of 80 columns and at most 40 lines. In colours on a terminal, unless NO_COLOR
 * is set.
 */
#include "builder/summary/summary.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COLUMNS 80
#define BLOCKED "sleeps, or waits for files or other processes,"
#define INDENT  9 /* of what goes on in the next line */

/* How much of a line is shown in so many columns: up to a blank, or all of it. Escape sequences take none. */
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

/* Prints lines; one that is too long goes on in the next. */
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

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
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

/* What is too small. The table of constructs has the recorder in what a task executes, so the same figure stands here as well. */
static void print_grain(const struct answer_row *row, const char *label, FILE *out)
{
	struct length_text own = length_text(row->own_ns), whole = length_text(row->whole_ns);
	if (row->sort == CAUSE_REGIONS) {
		fprintf(out, "grain: %" PRIu64 " x %s that last %s each, of which %s are lost", row->n, label, own.text,
			length_text(row->price_ns).text);
		return;
	}
	fprintf(out, "grain: %" PRIu64 " %s %s of %s each", row->n, row->sort == CAUSE_CHUNKS ? "chunks of" : "x", label, own.text);
	if (row->whole_ns != 0 && strcmp(own.text, whole.text) != 0)
		fprintf(out, " (%s with the recorder)", whole.text);
	fprintf(out, ", and one costs %s%s", row->sort == CAUSE_CHUNKS ? "at least " : "", length_text(row->price_ns).text);
}

void answer_print_what(const struct answer_row *row, FILE *out)
{
	const char *label = place_name(&row->construct), *other = place_name(&row->other);
	const char *most_in = row->construct.label[0] != '\0' ? ", most in " : "";
	switch (row->limit) {
	case LIMITS:
	case LIMIT_NONE: fputs("nothing worth mending: it scales", out); return;
	case LIMIT_CREATION: fprintf(out, "creation: one thread makes %s more slowly than the others run them", label); return;
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
			fprintf(out, "imbalance: the threads' shares of %s differ", label);
		return;
	case LIMIT_EXCLUSION:
		if (is_of_unit(&row->construct))
			fprintf(out, "exclusion: units wait for each other in %s", label);
		else
			fprintf(out, "exclusion: threads wait for each other at %s", label);
		return;
	case LIMIT_SERIAL:
		if (row->sort == CAUSE_UNUSED)
			fprintf(out, "serial: %s does not use all threads", label_or(row, "a region"));
		else if (row->sort == CAUSE_SINGLE)
			fprintf(out, "serial: the others wait while one thread executes %s", label_or(row, "something alone"));
		else if (row->construct.label[0] != '\0')
			fprintf(out, "serial: one thread %s before %s", row->sort == CAUSE_BLOCKED ? BLOCKED : "works", label);
		else
			fprintf(out, "serial: one thread %s after the last region", row->sort == CAUSE_BLOCKED ? BLOCKED : "works");
		return;
	case LIMIT_RUNTIME:
		if (row->sort == CAUSE_SCHEDULING && is_of_unit(&row->construct))
			fprintf(out, "runtime: %s wait in pools while execution streams are idle", label_or(row, "units"));
		else if (row->sort == CAUSE_SCHEDULING)
			fprintf(out, "runtime: %s are ready, and no thread takes them", label_or(row, "tasks"));
		else if (row->sort == CAUSE_FORK)
			fprintf(out, "runtime: threads come late into %s", label_or(row, "a region"));
		else if (row->sort == CAUSE_ACQUIRING)
			fprintf(out, "runtime: %s is free, and acquired %" PRIu64 " time%s, which takes %s each",
				label_or(row, "a mutex"), row->n, plural(row->n), length_text(row->price_ns).text);
		else
			fprintf(out, "runtime: threads go on late after %s", label_or(row, "a synchronisation"));
		return;
	case LIMIT_PREEMPTION:
		if (row->sort == CAUSE_CROWDED) {
			fprintf(out, "preemption: more threads than the %" PRIu64 " processor%s%s%s: try OMP_NUM_THREADS=%" PRIu64,
				row->n, plural(row->n), most_in, label_or(row, ""), row->n);
			return;
		}
		fprintf(out, "preemption: others had the processors%s%s", most_in, label_or(row, ""));
		return;
	case LIMIT_DATA: fprintf(out, "data: threads wait for devices in %s", label); return;
	}
}

static void print_gain(const struct answer_row *row, FILE *out)
{
	bool is_least = row->limit == LIMIT_GRAIN; /* docs/analyses.md: small tasks hide a part of what they cost */
	if (row->limit != LIMIT_NONE)
		fprintf(out, "%.0f%% of the loss; without it %s%.2f x as fast%s", 100 * row->loss_share, is_least ? "" : "at most ",
			row->speedup, is_least ? ", or more" : "");
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
		fprintf(out, ", %.1f%% creating tasks", 100 * (double)s->creating_ns / total);
	if ((double)s->handing_ns >= total / 2000)
		fprintf(out, ", %.1f%% handing out chunks", 100 * (double)s->handing_ns / total);
	for (unsigned i = SPENT_WORK + 1; i < SPENTS; i++)
		if ((double)s->spent_ns[i] >= total / 2000)
			fprintf(out, ", %.1f%% %s", 100 * (double)s->spent_ns[i] / total, spent_name(i));
	fputs("\n", out);
}

/* A loop's iterations are as many chains as it was divided into, which may have been more. */
static bool has_loops(const struct answer_summary *s)
{
	uint64_t loops_ns = 0;
	for (unsigned i = 0; i < s->n_constructs; i++)
		if (strcmp(s->constructs[i].place.kind, construct_kind_name(CONSTRUCT_LOOP)) == 0)
			loops_ns += s->constructs[i].own_ns;
	return loops_ns * 10 > s->work_ns;
}

static void print_efficiency(const struct answer_summary *s, FILE *out)
{
	const struct efficiency *e = &s->efficiency;
	fprintf(out, "works    %.0f%% = balance %.0f%% x no waits %.0f%% x no runtime %.0f%% x processor %.0f%%\n", 100 * e->total,
		100 * e->load_balance, 100 * e->serialisation, 100 * e->runtime, 100 * e->on_processor);
	print_account(s, out);
	if (s->span_ns == 0)
		return;
	double parallelism = (double)s->work_ns / (double)s->span_ns;
	const char *at_least = s->is_span_exact ? "" : "at least ";
	if (parallelism < 1.05)
		fprintf(out, "bounds   the longest chain takes %s%s: more threads cannot help", at_least,
			length_text(s->span_ns).text);
	else
		fprintf(out, "bounds   at most %.1f threads can work%s, by the longest chain (%s%s)", parallelism,
			has_loops(s) ? " with loops divided as here" : "", at_least, length_text(s->span_ns).text);
	if (s->exclusion_ns > s->span_ns)
		fprintf(out, ",\n         %.1f by %s", (double)s->work_ns / (double)s->exclusion_ns, place_name(&s->exclusion));
	fputs("\n", out);
}

/* ---- Tables ---- */

static void print_constructs(const struct answer_summary *s, FILE *out)
{
	if (s->n_constructs == 0)
		return;
	fprintf(out, "\n%-29s %-12s %8s %8s %8s %4s %5s\n", "construct", "function", "count", "executed", "mean", "path", "blame");
	for (unsigned i = 0; i < s->n_constructs; i++) {
		const struct answer_construct *c = &s->constructs[i];
		uint64_t mean_ns = c->count != 0 ? (c->own_ns + c->count / 2) / c->count : 0; /* as the report rounds it */
		fprintf(out, "%-29s %-12s %8" PRIu64 " %8s %8s %3.0f%% %4.0f%%\n", label_text(place_name(&c->place), 29).text,
			label_text(c->place.function, 12).text, c->count, length_text(c->own_ns).text, length_text(mean_ns).text,
			100 * c->path_share, 100 * c->blame_share);
	}
}

static void print_waits(const struct answer_summary *s, FILE *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < s->n_waits; i++) {
		const struct answer_wait *w = &s->waits[i];
		if (w->total_ns * 1000 < s->wall_ns * s->n_threads)
			continue;
		if (n++ == 0)
			fprintf(out, "\n%-26s %7s %8s %8s  %s\n", "waiting at", "times", "total", "longest", "for");
		fprintf(out, "%-26s %7" PRIu64 " %8s %8s  ", label_text(place_name(&w->place), 26).text, w->count,
			length_text(w->total_ns).text, length_text(w->longest_ns).text);
		if (w->culprit.label[0] != '\0' && w->culprit_share >= 0.005) /* "0%" would name somebody for nothing */
			fprintf(out, "%s (%.0f%%)", label_text(place_name(&w->culprit), 19).text, 100 * w->culprit_share);
		fputs("\n", out);
	}
}

static void print_answer(const struct summary *summary, bool is_coloured, FILE *out)
{
	const struct answer_summary *s = &summary->answer;
	fprintf(out, ": %s on %u thread%s", length_text(s->wall_ns).text, s->n_threads, plural(s->n_threads));
	if (s->n_processors != 0 && s->n_threads > s->n_processors)
		fprintf(out, " and %" PRIu64 " processor%s", s->n_processors, plural(s->n_processors));
	if (summary->n_processes > 1)
		fprintf(out, " (process %u, which lost most of %zu)", s->process, summary->n_processes);
	fputs("\n", out);
	print_limit(s, is_coloured ? "\033[1m" : "", is_coloured ? "\033[0m" : "", out);
	print_efficiency(s, out);
	summary_print_twice(&s->what_if, out);
	print_constructs(s, out);
	print_waits(s, out);
	fputs("\n", out);
}

/* Of how much work it is not known whether its threads had processors; nothing is said of what is less than a hundredth. */
static void print_unknown_switches(const struct processor_summary *processors, FILE *out)
{
	static const char counts[] = "a thread without a processor counts as working";
	if (!processors->are_recorded)
		fprintf(out, "switches not recorded: %s\n", counts);
	else if (processors->unknown_ns * 100 >= processors->work_ns && processors->unknown_ns != 0)
		fprintf(out, "switches unknown for %.0f%% of the work: there %s\n",
			100 * (double)processors->unknown_ns / (double)processors->work_ns, counts);
}

/* What a reader has to know before these figures are believed. */
static void print_losses(const struct summary *summary, FILE *out)
{
	print_unknown_switches(&summary->processors, out);
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
