/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a developer should look at, as the summary shows it: of the process whose answer is shown, with all texts copied. One
 * thread.
 */
#ifndef OTTER_BUILDER_SUMMARY_LINT_H
#define OTTER_BUILDER_SUMMARY_LINT_H

#include "builder/lint/lint.h"
#include "builder/summary/place.h"

#define LINT_ROWS 5 /* of each kind, the most frequent */

struct lint_summary {
	bool is_there;
	struct lint_row {
		enum lint kind;
		struct answer_place place, other;
		uint64_t count, of, variable;
	} rows[LINTS * LINT_ROWS];
	unsigned n_rows;
	uint64_t n_left_out[LINTS]; /* findings of the kind beyond these */
	uint64_t not_searched[LINTS];
};

struct json_t;
void summary_collect_lint(struct lint_summary *summary, const struct trace *trace, const struct findings *findings);
void summary_free_lint(struct lint_summary *summary);
struct json_t *summary_json_lint(const struct lint_summary *summary);
void summary_print_lint(const struct lint_summary *summary, FILE *out);

#endif
