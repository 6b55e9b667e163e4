/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of the answer's screen: constructs, with what is beside them so that each share adds up, and waits. One thread.
 */
#include "builder/summary/answer.h"
#include "builder/support/format.h"

#include <inttypes.h>

#define NOTHING 1e-9 /* of a share */

/* ---- Constructs ---- */

const char *answer_rest_name(unsigned rest)
{
	static const char *const names[] = {"other_constructs", "no_construct", "blocked", "devices"};
	return names[rest];
}

void answer_find_rest(const struct answer_summary *s, unsigned n, struct answer_rest rows[ANSWER_RESTS])
{
	struct answer_rest *others = &rows[REST_OTHERS], *none = &rows[REST_NONE];
	*others = (struct answer_rest){s->n_all_constructs - n, s->all_path_share, s->all_blame_share};
	for (unsigned i = 0; i < n; i++) {
		others->path_share -= s->constructs[i].path_share;
		others->blame_share -= s->constructs[i].blame_share;
	}
	rows[REST_BLOCKED] = (struct answer_rest){0, s->blocked_share, 0};
	rows[REST_DEVICES] = (struct answer_rest){0, s->device_share, 0};
	double path = s->span_ns != 0 ? 1 - s->all_path_share - s->blocked_share - s->device_share : 0;
	*none = (struct answer_rest){0, path, s->has_loss ? 1 - s->all_blame_share : 0};
	for (unsigned i = 0; i < ANSWER_RESTS; i++) { /* times are rounded, and so are sums of shares */
		rows[i].path_share = rows[i].path_share > NOTHING ? rows[i].path_share : 0;
		rows[i].blame_share = rows[i].blame_share > NOTHING ? rows[i].blame_share : 0;
	}
}

/* Percent, or where the path is not known nothing. */
static void print_shares(const struct answer_summary *s, double path, double blame, FILE *out)
{
	if (s->span_ns != 0)
		fprintf(out, " %3.0f%%", 100 * path);
	else
		fprintf(out, " %4s", "-");
	fprintf(out, " %4.0f%%\n", 100 * blame);
}

static bool is_worth_a_row(const struct answer_rest *row)
{
	return row->path_share >= 0.005 || row->blame_share >= 0.005;
}

/* How wide the columns are that have the names: what the figures leave. The function has none where there is little. */
struct widths {
	size_t name, function; /* of the second one with the blank before it; 0: it is left out */
};

#define FIGURES 38 /* count, executed, mean, path, blame, with the blanks before them */

static struct widths widths_in(size_t columns)
{
	size_t left = columns - FIGURES, most = 85;
	if (columns < 72)
		return (struct widths){left, 0};
	size_t function = 13 + (left - 42) / 3;
	return (struct widths){left - function < most ? left - function : most, function < most ? function : most};
}

static void print_rest(const struct answer_summary *s, const struct answer_rest rows[ANSWER_RESTS], size_t names_columns, FILE *out)
{
	static const char *const names[] = {"other constructs", "no construct", "blocked", "transfers, kernels"};
	for (unsigned i = 0; i < ANSWER_RESTS; i++) {
		char name[40];
		if (!is_worth_a_row(&rows[i]))
			continue;
		if (i == REST_OTHERS)
			snprintf(name, sizeof name, "(%" PRIu32 " %s)", rows[i].n, names[i]);
		else
			snprintf(name, sizeof name, "(%s)", names[i]);
		fprintf(out, "%-*s", (int)names_columns + 27, name);
		print_shares(s, rows[i].path_share, rows[i].blame_share, out);
	}
}

static void print_function(const char *function, const struct widths *widths, FILE *out)
{
	if (widths->function != 0)
		fprintf(out, " %s", format_column(function, widths->function - 1).text);
}

/* How many constructs the table has, which takes at most n_lines with its title and the blank line before. */
static unsigned rows_in(const struct answer_summary *s, unsigned n_lines, struct answer_rest rest[ANSWER_RESTS])
{
	unsigned n = s->n_constructs, n_rest = 0, most = n_lines - 2;
	answer_find_rest(s, n, rest);
	for (unsigned i = 0; i < ANSWER_RESTS; i++)
		n_rest += is_worth_a_row(&rest[i]);
	most = most < ANSWER_CONSTRUCTS ? most : ANSWER_CONSTRUCTS;
	if (n + n_rest <= most)
		return n;
	n_rest += !is_worth_a_row(&rest[REST_OTHERS]);
	n = most > n_rest + 1 ? most - n_rest : 1;
	n = n < s->n_constructs ? n : s->n_constructs;
	answer_find_rest(s, n, rest);
	return n;
}

void answer_print_constructs(const struct answer_summary *s, unsigned n_lines, size_t columns, FILE *out)
{
	struct answer_rest rest[ANSWER_RESTS];
	struct widths widths = widths_in(columns);
	if (s->n_constructs == 0)
		return;
	unsigned n = rows_in(s, n_lines, rest);
	fprintf(out, "\n%s", format_column("construct", widths.name).text);
	print_function("function", &widths, out);
	fprintf(out, " %8s %8s %8s %4s %5s\n", "count", "executed", "mean", "path", "blame");
	for (unsigned i = 0; i < n; i++) {
		const struct answer_construct *c = &s->constructs[i];
		uint64_t mean_ns = c->count != 0 ? (c->own_ns + c->count / 2) / c->count : 0; /* as the report rounds it */
		fputs(format_column(place_name(&c->place), widths.name).text, out);
		print_function(c->place.function, &widths, out);
		fprintf(out, " %8" PRIu64 " %8s %8s", c->count, format_ns(c->own_ns).text, format_ns(mean_ns).text);
		print_shares(s, c->path_share, c->blame_share, out);
	}
	print_rest(s, rest, widths.name + widths.function, out);
}

/* ---- Waits ---- */

static bool is_worth_a_wait(const struct answer_summary *s, const struct answer_wait *w)
{
	return w->total_ns * 1000 >= s->wall_ns * s->n_threads;
}

unsigned answer_count_waits(const struct answer_summary *s)
{
	unsigned n = 0;
	for (unsigned i = 0; i < s->n_waits; i++)
		n += is_worth_a_wait(s, &s->waits[i]);
	return n != 0 ? n + 2 : 0;
}

#define WAIT_FIGURES 35 /* times, total, longest, and the share, with the blanks before them */

void answer_print_waits(const struct answer_summary *s, unsigned n_lines, size_t columns, FILE *out)
{
	size_t left = columns - WAIT_FIGURES, name = left - left * 19 / 45;
	name = name < 85 ? name : 85;
	size_t culprit = left - name < 85 ? left - name : 85;
	unsigned n = 0;
	for (unsigned i = 0; i < s->n_waits && n + 2 < n_lines; i++) {
		const struct answer_wait *w = &s->waits[i];
		if (!is_worth_a_wait(s, w))
			continue;
		if (n++ == 0)
			fprintf(out, "\n%s %7s %8s %8s  %s\n", format_column("waiting at", name).text, "times", "total", "longest",
				"for");
		fprintf(out, "%s %7" PRIu64 " %8s %8s", format_column(place_name(&w->place), name).text, w->count,
			format_ns(w->total_ns).text, format_ns(w->longest_ns).text);
		if (w->culprit.label[0] != '\0' && w->culprit_share >= 0.005) /* "0%" would name a construct for nothing */
			fprintf(out, "  %s (%.0f%%)", format_fit(place_name(&w->culprit), culprit).text, 100 * w->culprit_share);
		fputs("\n", out);
	}
}
