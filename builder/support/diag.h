/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The builder's messages: errors, warnings about a dump, counts of quirks, repairs and damage by name, and its exit
 * status.
 */
#ifndef OTTER_BUILDER_SUPPORT_DIAG_H
#define OTTER_BUILDER_SUPPORT_DIAG_H

#include <stdint.h>

/* Exit statuses of otter-build. With --diff, as in diff(1), 1 is a result, and every failure has the status of wrong usage. */
enum { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_SLOWER = 1, EXIT_USAGE = 2, EXIT_TROUBLE = 2, EXIT_INCOMPLETE = 3, EXIT_REFUSED = 4 };

/* Prints "otter-build: <message>" on stderr; always returns -1, so that `return error(...)` reads well. */
int error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "otter-build: warning: <message>" unless quiet. */
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* -q: warnings are not printed. */
void diag_quiet(void);

/*
 * Counts by name, in the order in which the names came first: of quirks, of repairs, of damage. Names are string
 * literals.
 */
struct tally {
	struct tally_row {
		const char *name;
		uint64_t count;
	} rows[48];
	unsigned n_rows;
};

void tally_add(struct tally *tally, const char *name, uint64_t count);
void tally_add_all(struct tally *sum, const struct tally *tally);
uint64_t tally_total(const struct tally *tally);

#endif
