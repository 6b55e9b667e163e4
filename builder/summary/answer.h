/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What limits the run, as the summary shows it: of the process that lost most time, with all texts copied, as its tables
 * are freed. docs/analyses.md has the rules. answer.c collects it, answer_text.c prints it for people, answer_json.c
 * makes the object of summary.json. One thread.
 */
#ifndef OTTER_BUILDER_SUMMARY_ANSWER_H
#define OTTER_BUILDER_SUMMARY_ANSWER_H

#include "builder/answer/answer.h"
#include "builder/model/paradigm.h"
#include "builder/model/tables.h"
#include "builder/findings/findings.h"
#include "builder/summary/place.h"
#include "builder/whatif/whatif.h"

#include <stdio.h>

/* ---- What if ---- */

/*
 * How long the run would take on other numbers of threads, and with single constructs faster, as the summary shows it: for
 * the process whose answer is shown, with all texts copied. One thread.
 */

struct what_if_summary {
	bool is_there;
	const struct nouns *nouns;
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

/* ---- Lint ---- */

/*
 * What a developer should look at, as the summary shows it: for the process whose answer is shown, with all texts copied.
 * One thread.
 */

#define FINDING_ROWS 5 /* of each kind, the most frequent */

struct findings_summary {
	bool is_there;
	struct findings_row {
		enum lint kind;
		struct answer_place place, other;
		uint64_t count, of, variable;
	} rows[LINTS * FINDING_ROWS];
	unsigned n_rows;
	uint64_t n_left_out[LINTS]; /* findings of the kind beyond these */
	uint64_t not_searched[LINTS];
};

struct json_t;
void summary_collect_findings(struct findings_summary *summary, const struct trace *trace, const struct findings *findings);
void summary_free_findings(struct findings_summary *summary);
struct json_t *summary_json_findings(const struct findings_summary *summary);
void summary_print_findings(const struct findings_summary *summary, FILE *out);

#define ANSWER_OTHERS     2  /* runners-up */
#define ANSWER_CONSTRUCTS 10 /* that matter most */
#define ANSWER_WAITS      8  /* the longest */

struct answer_row {
	enum limit limit;
	enum cause_sort sort;
	struct answer_place construct, other;
	double loss_share, speedup;
	bool is_simulated, is_gain_unknown;
	bool is_lower_bound; /* the speedup is "that, or more", else "at most that" */
	const struct nouns *nouns;
	bool is_of_units;   /* the process has units of Argobots, and no use for settings of OpenMP */
	uint64_t cutoff_ns; /* small tasks: below that a cut-off pays; 0 not known */
	uint64_t whole_ns;  /* small tasks: what one executes on average, as in the table of constructs; 0 elsewhere */
	uint64_t n, n_processors, own_ns, price_ns, blamed_ns, saved_ns, all_ns;
};

#define ANSWER_STUCK 8 /* threads of a process that does not come to an end */

struct answer_summary {
	bool is_there;
	/* How the process ended: as its parent saw it, or from what the recorder wrote. */
	enum ending { ENDING_UNKNOWN, ENDING_EXITED, ENDING_KILLED, ENDING_FINALIZED, ENDING_RUNNING } ending;
	unsigned end_status;    /* exit status, or signal */
	bool is_whole;          /* the time counts from the process's start */
	uint64_t hang_since_ns; /* since when there are no records, where the limit is that */
	struct answer_stuck {
		uint32_t thread; /* number of its stream */
		bool waits, is_for_holder;
		struct answer_place place, holder_place;
		uint32_t holder; /* the thread that holds the mutex */
	} stuck[ANSWER_STUCK];
	unsigned n_stuck;
	uint32_t process;
	const struct nouns *nouns; /* for its threads and tasks */
	uint32_t n_threads;
	uint64_t n_processors; /* 0 unknown */
	uint64_t wall_ns, simulated_ns, creating_ns, handing_ns;
	uint64_t recorder_start_ns; /* the part of wall_ns in which the process waited for the recorder to begin; 0 not known */
	uint64_t work_ns, span_ns;  /* of the critical path; span 0: not known */
	uint64_t blocked_ns;        /* of all tasks, also on the critical path */
	bool is_span_exact, has_loops;
	uint64_t exclusion_ns; /* work under the longest mutex, which one thread at a time can execute; 0: none */
	uint64_t serial_ns;    /* what the initial task executes beside that */
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
	/* Of all constructs, and what no construct is known of; blocked and of devices: shares of the path. */
	uint32_t n_all_constructs;
	bool has_loss;
	double all_path_share, all_blame_share, blocked_share, device_share;
	struct answer_wait {
		struct answer_place place, culprit;
		uint64_t count, total_ns, longest_ns;
		double culprit_share; /* of total_ns */
	} waits[ANSWER_WAITS];
	unsigned n_waits;
	struct what_if_summary what_if;
	struct findings_summary lint;
};

/* answer_what.c: the kind of limit in plain words, and that with a sentence, without a line's end. */
const char *answer_words(const struct answer_row *row);
void answer_print_what(const struct answer_row *row, FILE *out);

/* answer_tables.c: the tables of constructs, with what is beside them, and of waits. */
/* In at most n_lines, which are 7 or more, with a title and a blank line. */
void answer_print_constructs(const struct answer_summary *summary, unsigned n_lines, size_t columns, FILE *out);
unsigned answer_count_waits(const struct answer_summary *summary); /* lines, with a title and a blank line */
/* In at most n_lines, which are none or 3 or more. */
void answer_print_waits(const struct answer_summary *summary, unsigned n_lines, size_t columns, FILE *out);

/*
 * What the table of constructs has beside its first n constructs, so that shares of the critical path, and of the loss, add up:
 * other constructs; what no construct is known of; and what the path has beside what was executed: time in which its tasks were
 * blocked, and transfers and kernels.
 */
enum { REST_OTHERS, REST_NONE, REST_BLOCKED, REST_DEVICES, ANSWER_RESTS };
struct answer_rest {
	uint32_t n;
	double path_share, blame_share;
};
void answer_find_rest(const struct answer_summary *summary, unsigned n, struct answer_rest rows[ANSWER_RESTS]);
const char *answer_rest_name(unsigned rest); /* for programs */

/* answer_try.c: what could be changed about it, without a line's end; nothing where that is not known. */
void answer_print_try(const struct answer_row *row, FILE *out);

struct json_t;
void summary_collect_answer(struct answer_summary *summary, const struct trace *trace, const struct answer *answer,
			    const struct what_if *what_if, const struct findings *findings);
struct json_t *summary_json_answer(const struct answer_summary *summary);
void summary_free_answer(struct answer_summary *summary);

#endif
