/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The comparison for people, in 80 columns.
 */
#include "builder/diff/diff.h"
#include "builder/support/memory.h"
#include "builder/support/format.h"
#include "builder/support/sort.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS  10 /* of a table */
#define MOST_PATHS 3  /* below a construct */
#define MOST_SIDES 6  /* that have a column in the table of inflations */

/* What a figure is called on the screen; counts have a list of their own. */
static const char *const titles[FIGURES] = {[FIGURE_OWN] = "executed", [FIGURE_WAIT] = "waited", [FIGURE_BLAMED] = "blamed"};

/* ---- Words ---- */

/* A share as "+1.2%" or "+12%"; "25 x" for what becomes many times as much: six columns at most. */
static struct formatted percent(double share)
{
	struct formatted shown;
	if (share >= 98.5)
		snprintf(shown.text, sizeof shown.text, ">99 x");
	else if (share >= 9.995)
		snprintf(shown.text, sizeof shown.text, "%.0f x", 1 + share);
	else
		snprintf(shown.text, sizeof shown.text, fabs(share) < 0.0995 ? "%+.1f%%" : "%+.0f%%", 100 * share);
	return shown;
}

/* As a share of A's median, where that is not 0. */
static struct formatted change_of(const struct noise_change *c, double difference)
{
	struct formatted shown = {"-"};
	if (c->a.median > 0)
		return percent(difference / c->a.median);
	if (difference != 0)
		snprintf(shown.text, sizeof shown.text, "%s%.20s", difference > 0 ? "+" : "-",
			 format_mean_ns(fabs(difference)).text);
	return shown;
}

static struct formatted interval_of(const struct noise_change *c)
{
	struct formatted shown = {""};
	if (c->has_interval && c->a.median > 0)
		snprintf(shown.text, sizeof shown.text, "%.20s to %.20s", change_of(c, c->lowest).text,
			 change_of(c, c->highest).text);
	return shown;
}

/* Half of the range, as a share of the median. */
static struct formatted spread_of(const struct noise_group *group)
{
	struct formatted shown = {""};
	if (group->median > 0)
		snprintf(shown.text, sizeof shown.text, "%.0f%%", 50 * (group->most - group->least) / group->median);
	return shown;
}

static char letter(size_t side)
{
	return (char)('A' + side % 26);
}

/* ---- The sides ---- */

static void print_sides(const struct diff *diff, FILE *out)
{
	for (size_t s = 0; s < diff->n_sides; s++) {
		const struct diff_side *side = &diff->sides[s];
		fprintf(out, "%c        %-40s %zu run%s, %.0f thread%s, %s\n", letter(s), format_fit(side->name, 40).text,
			side->n_runs, format_plural(side->n_runs), diff->threads[s], format_plural((size_t)diff->threads[s]),
			format_mean_ns(diff->wall_ns[s]).text);
	}
}

/* known: the limit was printed before, for this side; NULL: it was not. The construct is named again where it moved. */
static void print_one_limit(const struct diff *diff, size_t s, const struct diff_run *known, FILE *out)
{
	const struct diff_side *side = &diff->sides[s];
	const struct diff_run *run = side->limited;
	bool has_place = run->limiting.label != NULL && run->limiting.label[0] != '\0';
	const char *same = strcmp(run->limit, "none") == 0 ? "none, too" : "the same limit";
	fprintf(out, "%c %s", letter(s), known != NULL ? same : run->limit);
	if (has_place && known == NULL)
		fprintf(out, " of %s", format_fit(run->limiting.label, 28).text);
	else if (has_place && strcmp(run->limiting.label, known->limiting.label) != 0)
		fprintf(out, ", now %s", format_fit(run->limiting.label, 22).text);
	if (has_place && run->is_gain_unknown)
		fputs(", gain not known", out);
	else if (has_place)
		fprintf(out, ", %s%.2f x%s", run->is_lower_bound ? "" : "at most ", run->speedup,
			run->is_lower_bound ? ", or more" : "");
	if (side->n_limited < side->n_runs)
		fprintf(out, " (%zu of %zu)", side->n_limited, side->n_runs);
	fputs("\n", out);
}

/* ---- Two sides ---- */

static void print_wall(const struct diff *diff, FILE *out)
{
	const struct noise_change *wall = &diff->wall;
	size_t n_a = diff->sides[0].n_runs, n_b = diff->sides[1].n_runs;
	fprintf(out, "time     %s", change_of(wall, wall->difference).text);
	if (wall->has_interval)
		fprintf(out, ", with 95%% between %s and %s", change_of(wall, wall->lowest).text,
			change_of(wall, wall->highest).text);
	if (diff->is_slower || diff->is_faster)
		fprintf(out, ": B is %s\n", diff->is_slower ? "slower" : "faster");
	else
		fprintf(out, ": within %s%.3g%%\n", wall->has_interval ? "noise, or " : "", 100 * diff->threshold);
	double chance = noise_chance(n_a, n_b);
	if (!wall->has_interval)
		fprintf(out, "         a side has one run: noise is not known; the threshold of %.3g%% decides\n",
			100 * diff->threshold);
	else if (chance < 20)
		fprintf(out, "         few runs: by chance alone 1 of %.0f comparisons finds a difference\n", chance);
}

static void print_limits(const struct diff *diff, FILE *out)
{
	fputs("limit    ", out);
	print_one_limit(diff, 0, NULL, out);
	fputs("         ", out);
	print_one_limit(diff, 1, diff->has_other_limit ? NULL : diff->sides[0].limited, out);
	if (diff->has_other_limit)
		fputs("         another limit\n", out);
}

/* ---- Constructs, and below them their paths of creation ---- */

static bool has_changed_path(const struct diff_entry *e)
{
	for (size_t i = 0; diff_has_paths(e) && i < e->n_paths; i++)
		if (e->paths[i].is_changed[PATH_OWN])
			return true;
	return false;
}

static bool is_listed(const struct diff_entry *e, enum diff_figure figure)
{
	return e->is_changed[figure] || (figure == FIGURE_OWN && has_changed_path(e));
}

/* By how much the construct differs, or one of its paths. */
static double difference_of(const struct diff_entry *e, enum diff_figure figure)
{
	double most = fabs(e->figures[figure].difference);
	for (size_t i = 0; figure == FIGURE_OWN && i < e->n_paths; i++)
		most = fmax(most, fabs(e->paths[i].figures[PATH_OWN].difference));
	return most;
}

struct ranking {
	const struct diff *diff;
	enum diff_figure figure;
};

static int by_difference(const void *left, const void *right, void *self)
{
	const struct ranking *ranking = self;
	size_t l = *(const size_t *)left, r = *(const size_t *)right;
	double d_l = difference_of(&ranking->diff->entries[l], ranking->figure);
	double d_r = difference_of(&ranking->diff->entries[r], ranking->figure);
	return cmp(d_r, d_l) ?: cmp(l, r);
}

static void print_time(const char *name, const struct noise_change *c, FILE *out)
{
	struct formatted interval = interval_of(c);
	fprintf(out, "%-25s %8s %5s %8s %5s %7s%s%s\n", format_fit(name, 25).text, format_mean_ns(c->a.median).text,
		spread_of(&c->a).text, format_mean_ns(c->b.median).text, spread_of(&c->b).text, change_of(c, c->difference).text,
		interval.text[0] != '\0' ? "  " : "", interval.text);
}

static void print_paths(const struct diff *diff, const struct diff_entry *e, FILE *out)
{
	size_t n = 0;
	for (size_t i = 0; diff_has_paths(e) && i < e->n_paths; i++)
		if (e->paths[i].is_changed[PATH_OWN] && n++ < MOST_PATHS) {
			struct formatted line;
			snprintf(line.text, sizeof line.text, "  %.60s", diff_path_name(diff, e, &e->paths[i], 23).text);
			print_time(line.text, &e->paths[i].figures[PATH_OWN], out);
		}
	if (n > MOST_PATHS)
		fprintf(out, "  (%zu more paths differ)\n", n - MOST_PATHS);
}

/* Prints the constructs that differ most first. */
static void print_times(const struct diff *diff, enum diff_figure figure, FILE *out)
{
	size_t n_changed = 0, n_same = 0, *order = memory_get(diff->n_entries, sizeof *order, "the comparison");
	struct ranking ranking = {diff, figure};
	for (size_t i = 0; i < diff->n_entries; i++) {
		const struct noise_change *c = &diff->entries[i].figures[figure];
		if (is_listed(&diff->entries[i], figure))
			order[n_changed++] = i;
		else
			n_same += c->a.most > 0 || c->b.most > 0;
	}
	sort_array_r(order, n_changed, by_difference, &ranking);
	if (n_changed == 0)
		fprintf(out, "\n%-9sno construct differs\n", titles[figure]);
	else
		fprintf(out, "\n%-25s %8s %5s %8s %5s %7s%s\n", titles[figure], "A", "+-", "B", "+-", "change",
			diff->wall.has_interval ? "  95% between" : "");
	for (size_t i = 0; i < n_changed && i < MOST_ROWS; i++) {
		const struct diff_entry *e = &diff->entries[order[i]];
		print_time(diff_place_name(diff_entry_place(e)), &e->figures[figure], out);
		if (figure == FIGURE_OWN)
			print_paths(diff, e, out);
	}
	if (n_changed > MOST_ROWS)
		fprintf(out, "(%zu more differ)\n", n_changed - MOST_ROWS);
	if (n_changed != 0 && n_same != 0)
		fprintf(out, "(%zu do not differ)\n", n_same);
	free(order);
}

static void print_count(const struct noise_group *group, FILE *out)
{
	if (group->least == group->most)
		fprintf(out, "%.0f", group->median);
	else
		fprintf(out, "%.0f to %.0f", group->least, group->most);
}

enum list { LIST_NEW, LIST_GONE, LIST_COUNT, LIST_MOVED };

static bool is_in(const struct diff_entry *e, enum list list)
{
	switch (list) {
	case LIST_NEW: return e->a == NULL && e->figures[FIGURE_COUNT].b.most > 0;
	case LIST_GONE: return e->b == NULL && e->figures[FIGURE_COUNT].a.most > 0;
	case LIST_COUNT: return e->a != NULL && e->b != NULL && e->is_changed[FIGURE_COUNT];
	case LIST_MOVED: break;
	}
	return e->is_moved;
}

static void print_list(const struct diff *diff, enum list list, const char *title, FILE *out)
{
	size_t n = 0;
	for (size_t i = 0; i < diff->n_entries; i++) {
		const struct diff_entry *e = &diff->entries[i];
		if (!is_in(e, list) || n++ >= MOST_ROWS)
			continue;
		fprintf(out, "%s%-9s%s", n == 1 ? "\n" : "", n == 1 ? title : "",
			format_fit(diff_place_name(diff_entry_place(e)), 30).text);
		if (list == LIST_MOVED)
			fprintf(out, ", in A %s", format_fit(diff_place_name(e->a->place), 30).text);
		else {
			fputs(": ", out);
			if (list != LIST_NEW)
				print_count(&e->figures[FIGURE_COUNT].a, out);
			if (list == LIST_COUNT)
				fputs(" times, now ", out);
			if (list != LIST_GONE)
				print_count(&e->figures[FIGURE_COUNT].b, out);
			fputs(" times", out);
		}
		fputs("\n", out);
	}
	if (n > MOST_ROWS)
		fprintf(out, "         and %zu more\n", n - MOST_ROWS);
}

/* Paths that are taken more or less often, of constructs that both sides have. */
static void print_path_counts(const struct diff *diff, FILE *out)
{
	size_t n = 0;
	for (size_t i = 0; i < diff->n_entries; i++) {
		const struct diff_entry *e = &diff->entries[i];
		for (size_t p = 0; diff_has_paths(e) && e->a != NULL && e->b != NULL && p < e->n_paths; p++) {
			const struct noise_change *count = &e->paths[p].figures[PATH_COUNT];
			if (!e->paths[p].is_changed[PATH_COUNT] || n++ >= MOST_ROWS)
				continue;
			fprintf(out, "%s%-9s%s %s: ", n == 1 ? "\n" : "", n == 1 ? "paths" : "",
				format_fit(diff_place_name(diff_entry_place(e)), 22).text,
				diff_path_name(diff, e, &e->paths[p], 24).text);
			print_count(&count->a, out);
			fputs(", now ", out);
			print_count(&count->b, out);
			fputs("\n", out);
		}
	}
	if (n > MOST_ROWS)
		fprintf(out, "         and %zu more\n", n - MOST_ROWS);
	if (diff->paths == NULL)
		fputs("\npaths    of creation: not compared, as a run has no spawn.csv\n", out);
}

static void print_two(const struct diff *diff, FILE *out)
{
	print_wall(diff, out);
	print_limits(diff, out);
	print_times(diff, FIGURE_OWN, out);
	print_times(diff, FIGURE_BLAMED, out);
	print_list(diff, LIST_NEW, "new", out);
	print_list(diff, LIST_GONE, "gone", out);
	print_list(diff, LIST_COUNT, "counts", out);
	print_list(diff, LIST_MOVED, "moved", out);
	print_path_counts(diff, out);
}

/* ---- Several sides ---- */

static void print_totals(const struct diff *diff, FILE *out)
{
	size_t base = diff->base;
	fprintf(out, "\n%4s %8s %9s %8s %11s %9s %10s\n", "", "threads", "time", "speedup", "efficiency", "work", "inflation");
	for (size_t s = 0; s < diff->n_sides; s++) {
		double speedup = diff->wall_ns[s] > 0 ? diff->wall_ns[base] / diff->wall_ns[s] : 0;
		double efficiency = diff->threads[s] > 0 ? speedup * diff->threads[base] / diff->threads[s] : 0;
		double inflation = diff->work_ns[base] > 0 ? diff->work_ns[s] / diff->work_ns[base] : 0;
		fprintf(out, "%4c %8.0f %9s %8.2f %10.0f%% %9s %10.2f\n", letter(s), diff->threads[s],
			format_mean_ns(diff->wall_ns[s]).text, speedup, 100 * efficiency, format_mean_ns(diff->work_ns[s]).text,
			inflation);
	}
	fputs("\n", out);
	for (size_t s = 0; diff->n_sides > 2 && s < diff->n_sides; s++) {
		fputs(s == 0 ? "limit    " : "         ", out);
		print_one_limit(diff, s, NULL, out);
	}
}

/* The row of the base with the most executed time on any side, among those below `bound`; ties by their number. */
static size_t next_row(const struct diff *diff, double *bound, size_t after)
{
	const struct diff_side *base = &diff->sides[diff->base];
	size_t best = NO_ROW;
	double most = 0;
	for (size_t i = 0; i < base->n_rows; i++) {
		double own = noise_group(base->rows[i].values[FIGURE_OWN], base->n_runs).median;
		if ((own < *bound || (own == *bound && i > after)) && own > most) {
			best = i;
			most = own;
		}
	}
	*bound = most;
	return best;
}

static void print_inflation(const struct diff *diff, FILE *out)
{
	const struct diff_side *base = &diff->sides[diff->base];
	size_t n_columns = diff->n_sides < MOST_SIDES ? diff->n_sides : MOST_SIDES, row = 0;
	double bound = INFINITY;
	for (unsigned n = 0; n < MOST_ROWS && (row = next_row(diff, &bound, row)) != NO_ROW; n++) {
		if (n == 0) {
			fprintf(out, "\n%-25s %9c", "executed, and inflation", letter(diff->base));
			for (size_t s = 0; s < n_columns; s++)
				if (s != diff->base)
					fprintf(out, " %7c", letter(s));
			fputs("\n", out);
		}
		fprintf(out, "%-25s %9s", format_fit(diff_place_name(base->rows[row].place), 25).text, format_mean_ns(bound).text);
		for (size_t s = 0; s < n_columns; s++) {
			size_t there = diff->rows[s * base->n_rows + row];
			const struct diff_side *side = &diff->sides[s];
			if (s != diff->base && there == NO_ROW)
				fprintf(out, " %7s", "gone");
			else if (s != diff->base)
				fprintf(out, " %7.2f",
					noise_group(side->rows[there].values[FIGURE_OWN], side->n_runs).median / bound);
		}
		fputs("\n", out);
	}
	if (diff->n_sides > n_columns)
		fputs("(diff.json has the other sides)\n", out);
}

void diff_print(const struct diff *diff, FILE *out)
{
	print_sides(diff, out);
	if (diff->n_sides == 2)
		print_two(diff, out);
	if (diff->has_scaling) {
		print_totals(diff, out);
		print_inflation(diff, out);
	}
}
