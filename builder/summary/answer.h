/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What limits the run, as the summary shows it: of the process that lost most time, with all texts copied, as its tables
 * are given back. docs/analyses.md has the rules. answer.c collects it, answer_text.c prints it for people, answer_json.c
 * makes the object of summary.json. One thread.
 */
#ifndef OTTER_BUILDER_SUMMARY_ANSWER_H
#define OTTER_BUILDER_SUMMARY_ANSWER_H

#include "builder/answer/answer.h"
#include "builder/model/trace.h"
#include "builder/summary/lint.h"
#include "builder/summary/what_if.h"

#include <stdio.h>

#define ANSWER_OTHERS     2  /* runners-up */
#define ANSWER_CONSTRUCTS 10 /* that matter most */
#define ANSWER_WAITS      8  /* the longest */

struct answer_row {
	enum limit limit;
	enum cause_sort sort;
	struct answer_place construct, other;
	double loss_share, speedup;
	bool is_simulated;
	uint64_t whole_ns; /* small tasks: what one executes on average, as in the table of constructs; 0 elsewhere */
	uint64_t n, own_ns, price_ns, blamed_ns, saved_ns, all_ns;
};

struct answer_summary {
	bool is_there;
	uint32_t process;
	uint32_t n_threads;
	uint64_t n_processors; /* 0 unknown */
	uint64_t wall_ns, simulated_ns, creating_ns, handing_ns;
	uint64_t work_ns, span_ns; /* of the critical path; span 0: not known */
	bool is_span_exact;
	uint64_t exclusion_ns; /* what of the longest mutex only one thread at a time can execute, 0 none; */
	struct answer_place exclusion;
	uint64_t spent_ns[SPENTS];
	struct efficiency efficiency;
	struct answer_row limit;
	struct answer_row others[ANSWER_OTHERS];
	unsigned n_others;
	struct answer_construct {
		struct answer_place place;
		uint64_t count, own_ns;
		double path_share, blame_share; /* of the span; of all time in which threads did not work */
	} constructs[ANSWER_CONSTRUCTS];
	unsigned n_constructs;
	struct answer_wait {
		struct answer_place place, culprit;
		uint64_t count, total_ns, longest_ns;
		double culprit_share; /* of total_ns */
	} waits[ANSWER_WAITS];
	unsigned n_waits;
	struct what_if_summary what_if;
	struct lint_summary lint;
};

/* The limit in one sentence, without a line's end. */
void answer_print_what(const struct answer_row *row, FILE *out);

struct json_t;
void summary_collect_answer(struct answer_summary *summary, const struct trace *trace, const struct answer *answer,
			    const struct what_if *what_if, const struct findings *findings);
struct json_t *summary_json_answer(const struct answer_summary *summary);
void summary_free_answer(struct answer_summary *summary);

#endif
