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

static void print_rest(const struct answer_summary *s, const struct answer_rest rows[ANSWER_RESTS], FILE *out)
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
		fprintf(out, "%-69s", name);
		print_shares(s, rows[i].path_share, rows[i].blame_share, out);
	}
}

void answer_print_constructs(const struct answer_summary *s, FILE *out)
{
	struct answer_rest rest[ANSWER_RESTS];
	unsigned n = s->n_constructs, n_rest = 0;
	if (n == 0)
		return;
	answer_find_rest(s, n, rest);
	for (unsigned i = 0; i < ANSWER_RESTS; i++)
		n_rest += is_worth_a_row(&rest[i]);
	if (n + n_rest > ANSWER_CONSTRUCTS) { /* the screen has no room for more rows */
		n = ANSWER_CONSTRUCTS - n_rest - !is_worth_a_row(&rest[REST_OTHERS]);
		answer_find_rest(s, n, rest);
	}
	fprintf(out, "\n%-29s %-12s %8s %8s %8s %4s %5s\n", "construct", "function", "count", "executed", "mean", "path", "blame");
	for (unsigned i = 0; i < n; i++) {
		const struct answer_construct *c = &s->constructs[i];
		uint64_t mean_ns = c->count != 0 ? (c->own_ns + c->count / 2) / c->count : 0; /* as the report rounds it */
		fprintf(out, "%-29s %-12s %8" PRIu64 " %8s %8s", format_fit(place_name(&c->place), 29).text,
			format_fit(c->place.function, 12).text, c->count, format_ns(c->own_ns).text, format_ns(mean_ns).text);
		print_shares(s, c->path_share, c->blame_share, out);
	}
	print_rest(s, rest, out);
}

/* ---- Waits ---- */

void answer_print_waits(const struct answer_summary *s, FILE *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < s->n_waits; i++) {
		const struct answer_wait *w = &s->waits[i];
		if (w->total_ns * 1000 < s->wall_ns * s->n_threads)
			continue;
		if (n++ == 0)
			fprintf(out, "\n%-26s %7s %8s %8s  %s\n", "waiting at", "times", "total", "longest", "for");
		fprintf(out, "%-26s %7" PRIu64 " %8s %8s  ", format_fit(place_name(&w->place), 26).text, w->count,
			format_ns(w->total_ns).text, format_ns(w->longest_ns).text);
		if (w->culprit.label[0] != '\0' && w->culprit_share >= 0.005) /* "0%" would name a construct for nothing */
			fprintf(out, "%s (%.0f%%)", format_fit(place_name(&w->culprit), 19).text, 100 * w->culprit_share);
		fputs("\n", out);
	}
}
