/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What limits a run, in one sentence: the kind of problem in plain words, and what it is about. See answer.h.
 */
#include "builder/summary/answer.h"
#include "builder/support/format.h"

#include <inttypes.h>
#include <string.h>

#define BLOCKED "sleeps, or waits for files or other processes,"

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
		fprintf(out, "%" PRIu64 " x %s that last %s each, of which %s are lost", row->n, label, own.text,
			format_ns(row->price_ns).text);
		return;
	}
	bool is_chunk = row->sort == CAUSE_CHUNKS;
	fprintf(out, "%" PRIu64 " %s %s of %s each", row->n, is_chunk ? "chunks of" : "x", label, own.text);
	if (row->whole_ns != 0 && strcmp(own.text, whole.text) != 0)
		fprintf(out, " (%s with the recorder)", whole.text);
	if (is_chunk)
		fprintf(out, ", and one costs at least %s", format_ns(row->price_ns).text);
	else
		fprintf(out, ", for each of which the %s lose %s", row->nouns->threads,
			format_ns(row->n != 0 ? row->blamed_ns / row->n : 0).text);
}

static void print_sentence(const struct answer_row *row, FILE *out)
{
	const struct nouns *of = row->nouns;
	const char *label = place_name(&row->construct), *other = place_name(&row->other);
	const char *most_in = row->construct.label[0] != '\0' ? ", most in " : "";
	switch (row->limit) {
	case LIMITS:
	case LIMIT_NONE: fprintf(out, "the %s worked nearly all the time", of->threads); return;
	case LIMIT_CREATION: fprintf(out, "one %s creates %s more slowly than the others run them", of->thread, label); return;
	case LIMIT_GRAIN: print_grain(row, label, out); return;
	case LIMIT_CHAIN:
		if (strcmp(label, other) == 0)
			fprintf(out, "each %s depends on the one before", label);
		else
			fprintf(out, "%s depends on %s", other, label);
		return;
	case LIMIT_WAIT:
		if (row->sort == CAUSE_UNDEFERRED)
			fprintf(out, "%s runs at once, while its creator waits", label);
		else if (is_of_unit(&row->construct))
			fprintf(out, "all units wait for a join in %s", label);
		else
			fprintf(out, "all %s wait at %s", of->threads, label);
		return;
	case LIMIT_IMBALANCE:
		if (strcmp(row->construct.kind, construct_kind_name(CONSTRUCT_TASK)) == 0 || is_of_unit(&row->construct))
			fprintf(out, "the others wait for single %s", label);
		else
			fprintf(out, "the %s' shares of %s differ", of->threads, label);
		return;
	case LIMIT_EXCLUSION:
		if (row->sort == CAUSE_HOT && is_of_unit(&row->construct))
			fprintf(out, "units wait for each other in %s, %" PRIu64 " times for %s each", label, row->n,
				format_ns(row->price_ns).text);
		else if (row->sort == CAUSE_HOT)
			fprintf(out, "%s is acquired %" PRIu64 " times and held for %s each, and %s wait for it", label, row->n,
				format_ns(row->own_ns).text, of->threads);
		else if (is_of_unit(&row->construct))
			fprintf(out, "units wait for each other in %s", label);
		else
			fprintf(out, "%s wait for each other at %s", of->threads, label);
		return;
	case LIMIT_SERIAL:
		if (row->sort == CAUSE_ALONE && row->construct.label[0] != '\0')
			fprintf(out, "%s has one %s, and could use %" PRIu64 " CPUs", label, of->thread, row->n);
		else if (row->sort == CAUSE_ALONE)
			fprintf(out, "the run has one %s, and could use %" PRIu64 " CPUs", of->thread, row->n);
		else if (row->sort == CAUSE_UNUSED)
			fprintf(out, "%s does not use all %s", label_or(row, "a region"), of->threads);
		else if (row->sort == CAUSE_SINGLE)
			fprintf(out, "the others wait while one %s executes %s", of->thread, label_or(row, "something alone"));
		else if (row->construct.label[0] != '\0')
			fprintf(out, "only one %s %s before %s", of->thread, row->sort == CAUSE_BLOCKED ? BLOCKED : "works", label);
		else
			fprintf(out, "only one %s %s after the last region", of->thread,
				row->sort == CAUSE_BLOCKED ? BLOCKED : "works");
		return;
	case LIMIT_RUNTIME:
		if (row->sort == CAUSE_SCHEDULING && is_of_unit(&row->construct))
			fprintf(out, "%s wait in pools while execution streams are idle", label_or(row, "units"));
		else if (row->sort == CAUSE_SCHEDULING)
			fprintf(out, "%s are ready, and no %s takes them", label_or(row, of->tasks), of->thread);
		else if (row->sort == CAUSE_FORK)
			fprintf(out, "%s enter %s late", of->threads, label_or(row, "a region"));
		else if (row->sort == CAUSE_ACQUIRING)
			fprintf(out, "%s is free, and acquired %" PRIu64 " time%s, which takes %s each", label_or(row, "a mutex"),
				row->n, format_plural(row->n), format_ns(row->price_ns).text);
		else
			fprintf(out, "%s continue late after %s", of->threads, label_or(row, "a synchronisation"));
		return;
	case LIMIT_PREEMPTION:
		if (row->sort == CAUSE_CROWDED) {
			fprintf(out, "more %s than the %" PRIu64 " CPU%s%s%s", of->threads, row->n, format_plural(row->n), most_in,
				label_or(row, ""));
			return;
		}
		fprintf(out, "they used the CPUs%s%s", most_in, label_or(row, ""));
		return;
	case LIMIT_DOACROSS: fprintf(out, "iterations of %s wait for others at their sinks", label_or(row, "a loop")); return;
	case LIMIT_BLOCKED:
		fprintf(out, "%s sleep, or wait for files, pipes or other libraries' locks, in %s", of->threads,
			label_or(row, "tasks or regions"));
		return;
	case LIMIT_BINDING:
		fprintf(out, "%" PRIu64 " %s share %" PRIu64 " CPU%s by %s", row->n, of->threads, row->n_processors,
			format_plural(row->n_processors),
			row->sort == CAUSE_PROCESS ? "the process's mask" : "their masks or places");
		return;
	case LIMIT_HANG:
		if (row->sort == CAUSE_DEADLOCK)
			fprintf(out, "%s wait for each other in a circle at %s", of->threads, label_or(row, "mutexes"));
		else
			fprintf(out, "no %s makes progress, and the %s are in %s", of->thread, of->threads,
				label_or(row, "unknown places"));
		return;
	case LIMIT_DATA: fprintf(out, "%s wait for devices in %s", of->threads, label); return;
	}
}

/* ---- Kinds, in plain words ---- */

static const char *words_of_grain(const struct answer_row *row)
{
	return row->sort == CAUSE_REGIONS  ? "regions too small"
	       : row->sort == CAUSE_CHUNKS ? "chunks too small"
	       : row->is_of_units          ? "units too small"
					   : "tasks too small";
}

const char *answer_words(const struct answer_row *row)
{
	switch (row->limit) {
	case LIMITS:
	case LIMIT_NONE: return "no bottleneck found";
	case LIMIT_CREATION: return row->is_of_units ? "unit creation" : "task creation";
	case LIMIT_GRAIN: return words_of_grain(row);
	case LIMIT_CHAIN: return "dependences";
	case LIMIT_WAIT: return row->sort == CAUSE_UNDEFERRED ? "undeferred tasks" : "waiting";
	case LIMIT_IMBALANCE: return "load imbalance";
	case LIMIT_EXCLUSION: return "lock waiting";
	case LIMIT_SERIAL: return row->sort == CAUSE_SINGLE ? "serial construct" : "serial part";
	case LIMIT_RUNTIME: return row->is_of_units ? "Argobots runtime" : "OpenMP runtime";
	case LIMIT_PREEMPTION: return row->sort == CAUSE_CROWDED ? "too few CPUs" : "other programs";
	case LIMIT_DATA: return "device transfers";
	case LIMIT_BLOCKED: return row->is_of_units ? "blocked streams" : "blocked threads";
	case LIMIT_BINDING: return "shared CPUs";
	case LIMIT_DOACROSS: return "ordered iterations";
	case LIMIT_HANG: return row->sort == CAUSE_DEADLOCK ? "deadlock" : "hang";
	}
	return "";
}

void answer_print_what(const struct answer_row *row, FILE *out)
{
	fprintf(out, "%s: ", answer_words(row));
	print_sentence(row, out);
}
