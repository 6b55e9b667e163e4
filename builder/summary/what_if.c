/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long the run would take on other numbers of threads, and with single constructs faster: see answer.h.
 */
#include "builder/summary/answer.h"
#include "builder/support/memory.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#define ERROR_MOST 0.2 /* a simulation that misses the run itself by more says nothing about other numbers of threads */

static double share(uint64_t part, uint64_t all)
{
	return all != 0 ? (double)part / (double)all : 0;
}

void summary_collect_what_if(struct what_if_summary *s, const struct trace *trace, const struct what_if *what_if)
{
	const struct dump *dump = &trace->dump;
	if (!what_if->is_made)
		return;
	*s = (struct what_if_summary){.is_there = true,
				      .nouns = model_nouns(&trace->model),
				      .n_threads = what_if->n_threads,
				      .n_nodes = what_if->n_nodes,
				      .n_units = what_if->n_units,
				      .n_acquisitions = what_if->n_acquisitions,
				      .n_held = what_if->n_held,
				      .error = what_if_error(what_if),
				      .own_share = what_if->own_share,
				      .wall_ns = dump_duration_ns(dump, what_if->wall_ticks),
				      .preempted_ns = dump_duration_ns(dump, what_if->preempted_ticks),
				      .work_ns = dump_duration_ns(dump, what_if->work_ticks),
				      .base_ns = dump_duration_ns(dump, what_if->base_ticks),
				      .n_points = what_if->n_rows,
				      .n_constructs = what_if->n_speedups};
	s->points = memory_get(what_if->n_rows + 1, sizeof *s->points, "the summary");
	for (size_t i = 0; i < what_if->n_rows; i++) {
		const struct what_if_row *row = &what_if->rows[i];
		s->points[i] = (struct what_if_point){row->n_threads, row->policy, dump_duration_ns(dump, row->ticks),
						      dump_duration_ns(dump, row->span_ticks)};
	}
	for (unsigned i = 0; i < what_if->n_speedups; i++) {
		const struct speedup *row = &what_if->speedups[i];
		s->constructs[i].place = place_copy(&trace->model, row->construct);
		s->constructs[i].work_share = share(row->work_ticks, what_if->work_ticks);
		s->constructs[i].path_share = share(row->path_ticks, what_if->path_ticks);
		for (unsigned k = 0; k < WHAT_IF_FACTORS; k++)
			s->constructs[i].ns[k] = dump_duration_ns(dump, row->ticks[k]);
	}
	s->first = place_copy(&trace->model, what_if->first);
	s->next = place_copy(&trace->model, what_if->next);
	s->first_share = share(what_if->first_ticks, what_if->path_ticks);
	s->next_share = share(what_if->next_ticks, what_if->next_path_ticks);
	s->shorter = what_if->next_path_ticks != 0 ? share(what_if->path_ticks, what_if->next_path_ticks) : 1;
}

void summary_free_what_if(struct what_if_summary *s)
{
	free(s->points);
	for (unsigned i = 0; i < s->n_constructs; i++)
		place_free(&s->constructs[i].place);
	place_free(&s->first);
	place_free(&s->next);
	*s = (struct what_if_summary){0};
}

/* ---- For programs ---- */

json_t *summary_json_what_if(const struct what_if_summary *s)
{
	if (!s->is_there)
		return json_null();
	json_t *curve = json_array();
	for (size_t i = 0; i < s->n_points; i++) {
		const struct what_if_point *point = &s->points[i];
		json_array_append_new(curve, json_pack("{s:I, s:s, s:I, s:f, s:I, s:I}", "threads", (json_int_t)point->n_threads,
						       "policy", policy_name(point->policy), "wall_ns", (json_int_t)point->ns,
						       "speedup", share(s->base_ns, point->ns), "work_bound_ns",
						       (json_int_t)(s->work_ns / point->n_threads), "span_ns",
						       (json_int_t)point->span_ns));
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:f, s:I, s:o}", "threads", (json_int_t)s->n_threads, "nodes",
			 (json_int_t)s->n_nodes, "simulated_nodes", (json_int_t)s->n_units, "acquisitions",
			 (json_int_t)s->n_acquisitions, "simulated_acquisitions", (json_int_t)s->n_held, "error", s->error,
			 "preempted_ns", (json_int_t)s->preempted_ns, "own_costs_share", s->own_share, "simulated_ns",
			 (json_int_t)s->base_ns, "curve", curve);
}

json_t *summary_json_speedups(const struct what_if_summary *s)
{
	if (!s->is_there)
		return json_null();
	json_t *rows = json_array();
	for (unsigned i = 0; i < s->n_constructs; i++) {
		const struct what_if_construct *row = &s->constructs[i];
		json_t *curve = json_array();
		for (unsigned k = 0; k < WHAT_IF_FACTORS; k++) {
			double factor = what_if_factor(k);
			json_array_append_new(curve, json_pack("{s:o, s:I, s:f}", "faster",
							       factor != 0 ? json_real(factor) : json_null(), "wall_ns",
							       (json_int_t)row->ns[k], "speedup", share(s->base_ns, row->ns[k])));
		}
		json_array_append_new(rows, json_pack("{s:o, s:f, s:f, s:o}", "construct", place_json(&row->place), "work_share",
						      row->work_share, "path_share", row->path_share, "curve", curve));
	}
	json_t *next = json_null();
	if (s->first.label[0] != '\0')
		next = json_pack("{s:o, s:f, s:o, s:f, s:f}", "first", place_json(&s->first), "first_share", s->first_share, "then",
				 place_json(&s->next), "then_share", s->next_share, "path_speedup", s->shorter);
	return json_pack("{s:o, s:o}", "constructs", rows, "critical", next);
}

/* ---- For people ---- */

/* In percent, and never "-0.0". */
static double shown_error(const struct what_if_summary *s)
{
	double percent = 100 * s->error;
	return percent > -0.05 && percent < 0.05 ? 0 : percent;
}

void summary_print_twice(const struct what_if_summary *s, FILE *out)
{
	bool is_known = s->is_there && fabs(s->error) <= ERROR_MOST;
	for (size_t i = 0; is_known && i < s->n_points; i++) {
		const struct what_if_point *point = &s->points[i];
		double speedup = share(s->base_ns, point->ns);
		if (point->n_threads != 2 * s->n_threads || point->policy != POLICY_RUN)
			continue;
		fprintf(out, "estimate    %" PRIu32 " %s: ", point->n_threads, s->nouns->threads);
		if (speedup >= 1.005)
			fprintf(out, "%.2fx faster", speedup);
		else
			fputs("no faster", out);
		fprintf(out, " (simulated; the error for %" PRIu32 " is %+.1f%%)\n", s->n_threads, shown_error(s));
	}
}

static void print_curve(const struct what_if_summary *s, FILE *out)
{
	fprintf(out, "%-8s %10s %10s %10s %10s %10s %10s\n", "threads", "as it was", "newest", "oldest", "longest", "work/thr.",
		"span");
	for (size_t i = 0; i < s->n_points; i++) {
		const struct what_if_point *point = &s->points[i];
		if (point->policy == POLICY_RUN)
			fprintf(out, "%-8" PRIu32, point->n_threads);
		fprintf(out, " %10s", format_ns(point->ns).text);
		if (i + 1 == s->n_points || s->points[i + 1].n_threads != point->n_threads)
			fprintf(out, " %10s %10s\n", format_ns(s->work_ns / point->n_threads).text, format_ns(point->span_ns).text);
	}
}

static void print_faster(const struct what_if_summary *s, FILE *out)
{
	fprintf(out, "\n%-28s %5s %5s", "so many times faster", "work", "chain");
	for (unsigned k = 0; k < WHAT_IF_FACTORS - 1; k++)
		fprintf(out, " %5g x", what_if_factor(k));
	fprintf(out, " %7s\n", "no time");
	for (unsigned i = 0; i < s->n_constructs; i++) {
		const struct what_if_construct *row = &s->constructs[i];
		fprintf(out, "%-28s %4.0f%% %4.0f%%", format_fit(place_name(&row->place), 28).text, 100 * row->work_share,
			100 * row->path_share);
		for (unsigned k = 0; k < WHAT_IF_FACTORS; k++)
			fprintf(out, " %7.2f", share(s->base_ns, row->ns[k]));
		fputs("\n", out);
	}
	if (s->first.label[0] == '\0')
		return;
	fprintf(out, "critical: %s (%.0f%% of the chain)", format_fit(place_name(&s->first), 34).text, 100 * s->first_share);
	fprintf(out, "; twice as fast:\n          %s (%.0f%% of a chain %.2f times shorter)\n",
		format_fit(place_name(&s->next), 34).text, 100 * s->next_share, s->shorter);
}

void summary_print_what_if(const struct what_if_summary *s, FILE *out)
{
	const char *fold = s->nouns->is_own ? "\n         " : " "; /* longer words: the line has no room for the rest */
	fprintf(out, "what if  there were other numbers of %s, which take of%sthe ready %s\n", s->nouns->threads, fold,
		s->nouns->tasks);
	fprintf(out, "         what began first in the run, the newest, oldest, or the one that the\n");
	fprintf(out, "         longest way follows (simulated)\n\n");
	print_curve(s, out);
	uint64_t wall_ns = s->wall_ns - s->preempted_ns;
	fprintf(out, "error    %+.1f%% on %" PRIu32 " %s (%s; it took %s),%swith the costs of the\n", shown_error(s), s->n_threads,
		s->nouns->threads, format_ns((uint64_t)((double)wall_ns * (1 + s->error))).text, format_ns(wall_ns).text, fold);
	fprintf(out, "         other half of the nodes; %.1f%% of the work has no other half\n", 100 * s->own_share);
	if (s->preempted_ns * 1000 > s->wall_ns)
		fprintf(out, "         beside %s in which %s had no processor\n", format_ns(s->preempted_ns).text,
			s->nouns->threads);
	if (s->n_units < s->n_nodes)
		fprintf(out, "folded   %" PRIu32 " nodes are simulated as %" PRIu32 ": an approximation\n", s->n_nodes, s->n_units);
	if (s->n_held < s->n_acquisitions)
		fprintf(out, "folded   %zu acquisitions of mutexes are simulated as %zu: an approximation\n", s->n_acquisitions,
			s->n_held);
	print_faster(s, out);
	fputs("\n", out);
}
