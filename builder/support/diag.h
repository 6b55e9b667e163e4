/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the builder says to people: errors, warnings (findings about a dump), and named counts of quirks and repairs.
 */
#ifndef OTTER_BUILDER_SUPPORT_DIAG_H
#define OTTER_BUILDER_SUPPORT_DIAG_H

#include <stdint.h>

/* Prints "otter-build: <message>" on stderr; always returns -1, so that `return error(...)` reads well. */
int error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "otter-build: warning: <message>" unless quiet. */
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* -q: warnings are not printed. */
void diag_quiet(void);

/* Counts by name, in the order of their first appearance: quirks and repairs. Names are string literals. */
struct tally {
	struct tally_row {
		const char *name;
		uint64_t count;
	} rows[48];
	unsigned n_rows;
};

void tally_add(struct tally *tally, const char *name, uint64_t count);
uint64_t tally_total(const struct tally *tally);

#endif
