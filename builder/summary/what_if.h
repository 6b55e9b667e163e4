/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long the run would take on other numbers of threads, and with single constructs faster, as the summary shows it: of the
 * process whose answer is shown, with all texts copied. One thread.
 */
#ifndef OTTER_BUILDER_SUMMARY_WHAT_IF_H
#define OTTER_BUILDER_SUMMARY_WHAT_IF_H

#include "builder/summary/place.h"
#include "builder/whatif/whatif.h"

struct what_if_summary {
	bool is_there;
	uint32_t n_threads, n_nodes, n_units;
	size_t n_acquisitions, n_held;
	double error, own_share;
	uint64_t wall_ns, preempted_ns, work_ns, base_ns;
	struct what_if_point {
		uint32_t n_threads;
		enum policy policy;
		uint64_t ns, span_ns;
	} * points;
	size_t n_points;
	struct what_if_construct {
		struct answer_place place;
		double work_share, path_share;
		uint64_t ns[WHAT_IF_FACTORS];
	} constructs[WHAT_IF_CONSTRUCTS];
	unsigned n_constructs;
	struct answer_place first, next;         /* on the critical path */
	double first_share, next_share, shorter; /* shorter: by how much that path is when the first is twice as fast */
};

struct json_t;
void summary_collect_what_if(struct what_if_summary *summary, const struct trace *trace, const struct what_if *what_if);
void summary_free_what_if(struct what_if_summary *summary);
/* The object `what_if` of the answer; and `speedups`. */
struct json_t *summary_json_what_if(const struct what_if_summary *summary);
struct json_t *summary_json_speedups(const struct what_if_summary *summary);
/* One line about twice as many threads; and all of it as tables. */
void summary_print_twice(const struct what_if_summary *summary, FILE *out);
void summary_print_what_if(const struct what_if_summary *summary, FILE *out);

#endif
