/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What limits the run, for people: one screen of at most 40 lines, as wide as the terminal from 60 to 200 columns, else of 80. In
 * colours on a terminal, unless NO_COLOR is set.
 */
#include "builder/summary/summary.h"
#include "builder/support/cells.h"
#include "builder/support/format.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINES        40
#define LINES_LEAST  7  /* of the table of constructs: a blank line, the title, a construct, and what is beside it */
#define INDENT_MOST  12 /* columns of a title on the left */
#define INDENT_LEAST 3
#define BAR_COLUMNS  20
#define CODE_COLUMNS 80 /* of a source line */

/* ---- Lines ---- */

/* The columns before a line's text, in which the lines that continue it begin: a title and blanks, or blanks. */
static size_t indent_of(const char *line, size_t n)
{
	size_t used = 0;
	unsigned cells;
	for (size_t at = 0; at + 1 < n && used < INDENT_MOST; used += cells) {
		if (line[at] == ' ' && line[at + 1] == ' ') {
			used += strspn(line + at, " ");
			return used <= INDENT_MOST ? used : INDENT_LEAST;
		}
		at += cells_next(line + at, &cells);
	}
	return INDENT_LEAST;
}

/* How many bytes of a line fit into the columns: up to a blank, or all of it. */
static size_t fitting(const char *line, size_t n, size_t indent, size_t columns)
{
	size_t used = 0, blank = 0, at = 0;
	while (at < n) {
		unsigned cells;
		size_t bytes = cells_next(line + at, &cells);
		if (line[at] == ' ' && used > indent)
			blank = at;
		used += cells;
		if (used > columns && blank != 0)
			return blank;
		at += bytes;
	}
	return n;
}

/* Prints lines; one that is too long continues in the next. Returns how many these are. */
static unsigned print_lines(const char *text, size_t columns, FILE *out)
{
	unsigned n_lines = 0;
	for (size_t n; *text != '\0'; text += n + 1) {
		n = strcspn(text, "\n");
		size_t indent = indent_of(text, n);
		for (size_t from = 0, shown; from < n; from += shown + 1, n_lines++) {
			size_t before = from == 0 ? 0 : indent;
			shown = fitting(text + from, n - from, from == 0 ? indent : 0, columns - before);
			fprintf(out, "%*s%.*s\n", (int)before, "", (int)shown, text + from);
		}
		if (n == 0) {
			fputs("\n", out);
			n_lines++;
		}
	}
	return n_lines;
}

/* ---- The first line ---- */

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

/* Where the figures are of a part of the run, or of one of its processes, that is said here. */
static char *head_of(const struct summary *summary, const char *name)
{
	const struct answer_summary *s = &summary->answer;
	char *text = NULL;
	size_t n_bytes;
	FILE *out = memory_open_stream(&text, &n_bytes, "the answer");
	fputs(name, out);
	print_ending(s, out);
	fprintf(out, "%s on %u %s", format_ns(s->wall_ns).text, s->n_threads,
		s->n_threads == 1 ? s->nouns->thread : s->nouns->threads);
	if (s->n_processors != 0 && s->n_threads > s->n_processors)
		fprintf(out, " and %" PRIu64 " CPU%s", s->n_processors, format_plural(s->n_processors));
	if (summary->n_processes > 1)
		fprintf(out, " (process %u of %zu, which lost most)", s->process, summary->n_processes);
	memory_close_stream(out, "the answer");
	return text;
}

/* The head, and at the right end of the line, or of the next one, the efficiency with a bar. */
static void print_head(const struct summary *summary, const char *name, size_t columns, bool is_coloured, FILE *out)
{
	double total = summary->answer.efficiency.total;
	char *head = head_of(summary, name), bar[BAR_COLUMNS + 1], right[80];
	for (unsigned i = 0; i < BAR_COLUMNS; i++)
		bar[i] = (double)i + 0.5 < total * BAR_COLUMNS ? '#' : '-';
	bar[BAR_COLUMNS] = '\0';
	snprintf(right, sizeof right, "efficiency %.0f%% [%s]", 100 * total, bar);
	size_t left = cells_of(head), wanted = strlen(right), lines = left + 2 + wanted > columns;
	fprintf(out, "%s%s%s%s%*s%s\n", is_coloured ? "\033[1m" : "", head, is_coloured ? "\033[0m" : "", lines ? "\n" : "",
		(int)(columns - (lines ? 0 : left) - wanted), "", right);
	free(head);
}

/* ---- Problems ---- */

static void print_gain(const struct answer_row *row, FILE *out)
{
	if (row->sort != CAUSE_ALONE) /* one thread that works all the time loses nothing */
		fprintf(out, "%.0f%% of the lost time; ", 100 * row->loss_share);
	if (row->is_gain_unknown)
		fputs("gain not known", out);
	else
		fprintf(out, "fixing it: at %s %.2fx faster", row->is_lower_bound ? "least" : "most", row->speedup);
}

/* Where each thread is that makes no records any more, and what holds the mutex that it waits for. */
static void print_stuck(const struct answer_summary *s, FILE *out)
{
	const char *thread = s->nouns->thread;
	fprintf(out, "   no record for %s%s\n", format_ns(s->hang_since_ns).text,
		s->limit.sort == CAUSE_DEADLOCK ? "" : ": an endless loop, a deadlock, or a long computation");
	for (unsigned i = 0; i < s->n_stuck; i++) {
		const struct answer_stuck *t = &s->stuck[i];
		const char *place = t->place.label[0] != '\0' ? place_name(&t->place) : "an unknown place";
		fprintf(out, "   %s %" PRIu32 " %s %s", thread, t->thread, t->waits ? "waits at" : "is in", place);
		if (t->is_for_holder)
			fprintf(out, ", which %s %" PRIu32 " acquired at %s", thread, t->holder, place_name(&t->holder_place));
		fputs("\n", out);
	}
}

/* The text of the construct's line, where it may be shown. */
static void print_code(const struct answer_place *place, struct sources *sources, size_t columns, FILE *out)
{
	char *text = source_text(sources, place->file, place->line);
	if (text != NULL)
		fprintf(out, "   | %s\n", format_fit(text, columns - 5 < CODE_COLUMNS ? columns - 5 : CODE_COLUMNS).text);
	free(text);
}

/* What a problem is about: its source line, what it costs, and what could be changed. */
static void print_about(const struct answer_row *row, struct sources *sources, size_t columns, FILE *out)
{
	if (sources != NULL)
		print_code(&row->construct, sources, columns, out);
	fputs("   ", out);
	print_gain(row, out);
	fputs("\n", out);
	if (row->limit == LIMIT_HANG)
		return;
	fputs("   try ", out);
	answer_print_try(row, out);
	fputs("\n", out);
}

static void print_problems(const struct answer_summary *s, struct sources *sources, size_t columns, bool is_coloured, FILE *out)
{
	const char *bold = is_coloured ? "\033[1m" : "", *plain = is_coloured ? "\033[0m" : "";
	bool has_problem = s->limit.limit != LIMIT_NONE, is_brief = !has_problem || s->limit.limit == LIMIT_HANG;
	fprintf(out, "%s%s", bold, has_problem ? "1  " : "   ");
	answer_print_what(&s->limit, out);
	fprintf(out, "%s\n", plain);
	if (has_problem)
		print_about(&s->limit, sources, columns, out);
	if (s->limit.limit == LIMIT_HANG)
		print_stuck(s, out);
	for (unsigned i = 0; i < s->n_others; i++) {
		fprintf(out, "%s%u  ", bold, i + 1 + has_problem);
		answer_print_what(&s->others[i], out);
		fputs(plain, out);
		if (is_brief) { /* the others are small beside that */
			fputs("; ", out);
			print_gain(&s->others[i], out);
		}
		fputs("\n", out);
		if (!is_brief)
			print_about(&s->others[i], NULL, columns, out);
	}
}

/* ---- Efficiency ---- */

/* The words for people; spent_name() has those for programs. */
static const char *spent_words(const struct answer_summary *s, enum spent spent)
{
	switch (spent) {
	case SPENT_EXCLUSION: return "lock waiting";
	case SPENT_RUNTIME: return s->nouns->is_own ? "Argobots runtime" : "OpenMP runtime";
	case SPENT_DATA: return "devices";
	default: return spent_name(spent);
	}
}

static void print_account(const struct answer_summary *s, FILE *out)
{
	double total = (double)s->wall_ns * s->n_threads;
	fprintf(out, "time        %.1f%% work", 100 * (double)s->spent_ns[SPENT_WORK] / total);
	if ((double)s->creating_ns >= total / 2000)
		fprintf(out, ", %.1f%% creating %s", 100 * (double)s->creating_ns / total, s->nouns->tasks);
	if ((double)s->handing_ns >= total / 2000)
		fprintf(out, ", %.1f%% handing out chunks", 100 * (double)s->handing_ns / total);
	for (unsigned i = SPENT_WORK + 1; i < SPENTS; i++)
		if ((double)s->spent_ns[i] >= total / 2000)
			fprintf(out, ", %.1f%% %s", 100 * (double)s->spent_ns[i] / total, spent_words(s, (enum spent)i));
	fputs("\n", out);
}

/* What could be done at the same time at most: blocked time is on the critical path, so it counts. */
static void print_bounds(const struct answer_summary *s, FILE *out)
{
	double work = (double)s->work_ns + (double)s->blocked_ns, parallelism = work / (double)s->span_ns;
	const char *at_least = s->is_span_exact ? "" : "at least ", *loops = s->has_loops ? " with loops divided as here" : "";
	struct formatted span = format_ns(s->span_ns), wall = format_ns(s->wall_ns);
	if (parallelism < 1.05)
		fprintf(out, "bounds      the critical path takes %s%s of %s: more %s cannot help%s", at_least, span.text,
			wall.text, s->nouns->threads, loops);
	else
		fprintf(out, "bounds      at most %.1f %s can be busy%s: the critical path takes %s%s of %s", parallelism,
			s->nouns->threads, loops, at_least, span.text, wall.text);
	uint64_t one_at_a_time_ns = s->exclusion_ns != 0 ? s->exclusion_ns + s->serial_ns : 0;
	if (one_at_a_time_ns > s->span_ns)
		fprintf(out, "; at most %.1f by %s", work / (double)one_at_a_time_ns, place_name(&s->exclusion));
	fputs("\n", out);
}

static void print_efficiency(const struct answer_summary *s, FILE *out)
{
	const struct efficiency *e = &s->efficiency;
	fprintf(out, "efficiency  %.0f%% = load balance %.0f%% x CPU share %.0f%% x busiest %s: not waiting %.0f%%", 100 * e->total,
		100 * e->load_balance, 100 * e->on_processor, s->nouns->thread, 100 * e->waits);
	if (e->idling < 0.995)
		fprintf(out, " x not idle %.0f%%", 100 * e->idling);
	fprintf(out, " x outside the runtime %.0f%%\n", 100 * e->runtime);
	print_account(s, out);
	if (s->span_ns != 0)
		print_bounds(s, out);
	summary_print_twice(&s->what_if, out);
}

/* ---- What was not seen ---- */

/* Prints for how much of the work it is not known whether its threads had processors, if that is at least a hundredth. */
static void print_unknown_switches(const struct processor_summary *processors, const struct nouns *of, FILE *out)
{
	static const char counts[] = "without a CPU counts as working";
	if (!processors->are_recorded)
		fprintf(out, "not seen    context switches: %s %s\n", of->a_thread, counts);
	else if (processors->unknown_ns * 100 >= processors->work_ns && processors->unknown_ns != 0)
		fprintf(out, "not seen    context switches for %.0f%% of the work: there %s %s\n",
			100 * (double)processors->unknown_ns / (double)processors->work_ns, of->a_thread, counts);
}

/* Does the binary have no source lines of what the table of constructs has? */
static bool lacks_lines(const struct answer_summary *s)
{
	unsigned n = 0;
	for (unsigned i = 0; i < s->n_constructs; i++) {
		const struct answer_place *place = &s->constructs[i].place;
		if (place->line != 0)
			return false;
		n += strchr(place->label, '@') != NULL;
	}
	return n != 0;
}

/* What a reader has to know before these figures are believed. */
static void print_losses(const struct summary *summary, FILE *out)
{
	if (summary->answer.limit.limit == LIMIT_NONE)
		fputs("not seen    memory, caches, page faults, and loops that wait for a variable count as work: no counters\n",
		      out);
	summary_print_unseen(&summary->processors, "not seen    ", out);
	print_unknown_switches(&summary->processors, summary->answer.nouns, out);
	summary_print_runtimes(summary, "not seen    ", out);
	if (lacks_lines(&summary->answer))
		fputs("not seen    source lines: compile with -g, install the program's -dbgsym package, or use --debuginfod\n",
		      out);
	uint64_t n_repairs = tally_total(&summary->repairs), n_damages = tally_total(&summary->damage);
	summary_print_stop(summary, out);
	if (summary->n_lost != 0 || !summary->is_complete)
		fprintf(out, "records     %" PRIu64 " lost%s\n", summary->n_lost,
			summary->is_snapshot    ? "; the program is still running"
			: !summary->is_complete ? "; the recording is incomplete"
						: "");
	if (n_repairs + n_damages != 0)
		fprintf(out, "repairs     %" PRIu64 " repair%s, %" PRIu64 " damage%s: otter-build --summary names them\n",
			n_repairs, format_plural(n_repairs), n_damages, format_plural(n_damages));
}

/* ---- All of it ---- */

/* All before the tables. Returns the number of lines. */
static unsigned print_above(const struct summary *summary, struct sources *sources, size_t columns, FILE *out)
{
	bool is_coloured = terminal_is_coloured(out);
	char *program = text_utf8(summary->traces[0].dump.meta.program), *text = NULL;
	const char *name = strrchr(program, '/') != NULL ? strrchr(program, '/') + 1 : program;
	size_t n_bytes;
	FILE *lines = memory_open_stream(&text, &n_bytes, "the answer");
	print_head(summary, name, columns, is_coloured, lines);
	free(program);
	print_problems(&summary->answer, sources, columns, is_coloured, lines);
	fputs("\n", lines);
	print_efficiency(&summary->answer, lines);
	print_losses(summary, lines);
	memory_close_stream(lines, "the answer");
	unsigned n_lines = print_lines(text, columns, out);
	free(text);
	return n_lines;
}

void summary_print_answer(const struct summary *summary, const char *place, struct source_rules rules, FILE *out)
{
	const struct answer_summary *s = &summary->answer;
	size_t columns = terminal_columns(out);
	struct sources sources;
	sources_open(&sources, rules);
	unsigned n_lines = print_above(summary, &sources, columns, out);
	sources_close(&sources);
	n_lines += (unsigned)summary->omitted.n + 2; /* with a blank line, and `output` */
	unsigned room = n_lines < LINES ? LINES - n_lines : 0, waits = answer_count_waits(s);
	if (waits + LINES_LEAST > room)
		waits = room > LINES_LEAST + 2 ? room - LINES_LEAST : 0;
	if (room >= LINES_LEAST)
		answer_print_constructs(s, room - waits, columns, out);
	answer_print_waits(s, waits, columns, out);
	if (room >= LINES_LEAST)
		fputs("\n", out);
	summary_print_omitted(&summary->omitted, out);
	fprintf(out, "output      %s (all figures: summary.json; otter-build --summary prints them)\n", place);
}
