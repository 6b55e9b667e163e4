/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary of thread states: how long each thread was in which state, and all threads together.
 */
#include "builder/summary/summary.h"

#include <inttypes.h>
#include <jansson.h>

#define PRINTED_THREADS 16 /* to people; all are in summary.json */

struct thread_row {
	uint32_t process, number; /* of the stream */
	const uint64_t *ns, *counts;
	uint64_t life_ns;
};

static uint64_t sum(const uint64_t *ns)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < STATES; i++)
		total += ns[i];
	return total;
}

/* Calls `visit` for each stream that had a thread, by process and stream, until it returns another value than 0. */
static int each_thread(const struct summary *s, int (*visit)(void *self, const struct thread_row *row), void *self)
{
	for (size_t i = 0; i < s->graphs->n; i++) {
		const struct trace *trace = &s->graphs->traces[i];
		for (size_t j = 0; j < s->states[i].n_streams; j++) {
			const struct state_times *times = &s->states[i].times[j];
			uint64_t ns[STATES];
			state_times_ns(&trace->dump, times, ns);
			struct thread_row row = {trace->process, trace->dump.streams[j].number, ns, times->count, sum(ns)};
			int rc = sum(times->count) != 0 ? visit(self, &row) : 0;
			if (rc != 0)
				return rc;
		}
	}
	return 0;
}

static int add(void *self, const struct thread_row *row)
{
	struct summary *s = self;
	for (unsigned i = 0; i < STATES; i++) {
		s->state_ns[i] += row->ns[i];
		s->state_counts[i] += row->counts[i];
	}
	s->life_ns += row->life_ns;
	return 0;
}

void summary_collect_states(struct summary *s)
{
	each_thread(s, add, s);
}

/* ---- For people ---- */

/* The states by their share of the time, the largest first. Those that would be 0.0 % are left out. */
static void print_shares(FILE *out, const uint64_t *state_ns, const uint64_t *counts, uint64_t life_ns)
{
	bool is_printed[STATES] = {false};
	const char *separator = "";
	for (;;) {
		unsigned largest = STATES;
		for (unsigned i = 0; i < STATES; i++)
			if (counts[i] != 0 && !is_printed[i] && (largest == STATES || state_ns[i] > state_ns[largest]))
				largest = i;
		if (largest == STATES)
			break;
		is_printed[largest] = true;
		double share = life_ns != 0 ? 100 * (double)state_ns[largest] / (double)life_ns : 0;
		if (share < 0.05 && separator[0] != '\0')
			break;
		fprintf(out, "%s%.1f%% %s", separator, share, state_name(largest));
		separator = ", ";
	}
	fputs(separator[0] == '\0' ? "none\n" : "\n", out);
}

struct printer {
	FILE *out;
	unsigned n;
	bool has_processes;
};

static int print_thread(void *self, const struct thread_row *row)
{
	struct printer *p = self;
	if (p->n++ >= PRINTED_THREADS)
		return 0;
	char name[40];
	if (p->has_processes)
		snprintf(name, sizeof name, " %" PRIu32 "/%" PRIu32, row->process, row->number);
	else
		snprintf(name, sizeof name, " thread %" PRIu32, row->number);
	fprintf(p->out, "%-10s", name);
	print_shares(p->out, row->ns, row->counts, row->life_ns);
	return 0;
}

void summary_print_states(const struct summary *s, FILE *out)
{
	struct printer printer = {out, 0, s->graphs->n > 1};
	fprintf(out, "%-10s", "states");
	print_shares(out, s->state_ns, s->state_counts, s->life_ns);
	each_thread(s, print_thread, &printer);
	if (printer.n > PRINTED_THREADS)
		fprintf(out, "%-10s%u threads more in summary.json and states.csv\n", "", printer.n - PRINTED_THREADS);
}

/* ---- For programs ---- */

static json_t *json_times(const uint64_t *state_ns, const uint64_t *counts, uint64_t life_ns)
{
	json_t *object = json_object();
	for (unsigned i = 0; i < STATES; i++)
		if (counts[i] != 0)
			json_object_set_new(object, state_name(i),
					    json_pack("{s:I, s:I, s:f}", "count", (json_int_t)counts[i], "ns",
						      (json_int_t)state_ns[i], "share",
						      life_ns != 0 ? (double)state_ns[i] / (double)life_ns : 0.0));
	return object;
}

static int json_thread(void *self, const struct thread_row *row)
{
	json_array_append_new(self, json_pack("{s:I, s:I, s:I, s:o}", "process", (json_int_t)row->process, "stream",
					      (json_int_t)row->number, "life_ns", (json_int_t)row->life_ns, "states",
					      json_times(row->ns, row->counts, row->life_ns)));
	return 0;
}

json_t *summary_json_states(const struct summary *s)
{
	json_t *threads = json_array();
	each_thread(s, json_thread, threads);
	return json_pack("{s:I, s:o, s:o}", "life_ns", (json_int_t)s->life_ns, "total",
			 json_times(s->state_ns, s->state_counts, s->life_ns), "threads", threads);
}
