/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary of thread states: how long each thread was in which state, and all threads together.
 */
#include "builder/support/array.h"
#include "builder/summary/summary.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#define PRINTED_THREADS 16 /* to people; all are in summary.json */

static uint64_t sum(const uint64_t *ns)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < STATES; i++)
		total += ns[i];
	return total;
}

void summary_collect_states(struct summary *s, const struct trace *trace, const struct states *states)
{
	for (size_t i = 0; i < states->n_streams; i++) {
		const struct state_times *times = &states->times[i];
		if (sum(times->count) == 0) /* it had no thread */
			continue;
		struct thread_row *row = array_add(s->threads, s->n_state_threads, s->threads_capacity);
		*row = (struct thread_row){.process = trace->process, .number = trace->dump.streams[i].number};
		state_times_ns(&trace->dump, times, row->ns);
		memcpy(row->counts, times->count, sizeof row->counts);
		row->life_ns = sum(row->ns);
		for (unsigned j = 0; j < STATES; j++) {
			s->state_ns[j] += row->ns[j];
			s->state_counts[j] += row->counts[j];
		}
		s->life_ns += row->life_ns;
	}
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

static void print_thread(const struct thread_row *row, bool has_processes, FILE *out)
{
	char name[40];
	if (has_processes)
		snprintf(name, sizeof name, " %" PRIu32 "/%" PRIu32, row->process, row->number);
	else
		snprintf(name, sizeof name, " thread %" PRIu32, row->number);
	fprintf(out, "%-10s", name);
	print_shares(out, row->ns, row->counts, row->life_ns);
}

void summary_print_states(const struct summary *s, FILE *out)
{
	fprintf(out, "%-10s", "states");
	print_shares(out, s->state_ns, s->state_counts, s->life_ns);
	for (size_t i = 0; i < s->n_state_threads && i < PRINTED_THREADS; i++)
		print_thread(&s->threads[i], s->n_processes > 1, out);
	if (s->n_state_threads > PRINTED_THREADS)
		fprintf(out, "%-10s%zu threads more in summary.json and states.csv\n", "", s->n_state_threads - PRINTED_THREADS);
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

json_t *summary_json_states(const struct summary *s)
{
	json_t *threads = json_array();
	for (size_t i = 0; i < s->n_state_threads; i++) {
		const struct thread_row *row = &s->threads[i];
		json_array_append_new(threads, json_pack("{s:I, s:I, s:I, s:o}", "process", (json_int_t)row->process, "stream",
							 (json_int_t)row->number, "life_ns", (json_int_t)row->life_ns, "states",
							 json_times(row->ns, row->counts, row->life_ns)));
	}
	return json_pack("{s:I, s:o, s:o}", "life_ns", (json_int_t)s->life_ns, "total",
			 json_times(s->state_ns, s->state_counts, s->life_ns), "threads", threads);
}
