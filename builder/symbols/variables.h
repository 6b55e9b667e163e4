/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an address of the program's data is called: the variable of a module, or the kind of memory that it is in. Made
 * after the replay, on one thread, for all addresses that are to be named; then any thread may look one up.
 */
#ifndef OTTER_BUILDER_SYMBOLS_VARIABLES_H
#define OTTER_BUILDER_SYMBOLS_VARIABLES_H

#include "builder/symbols/symbols.h"
#include "builder/tables/row.h"

struct variable_names {
	const struct meta *meta;
	struct variable_module *modules; /* those that have an address, or come before one */
	size_t n_modules;
	uint64_t program_end, first_library, maps_end; /* addresses; 0: not known */
	size_t latest;                                 /* of modules */
};

void variables_begin(struct variable_names *variables, const struct model *model);
/* The address is to be named: opens the module that may have it. */
void variables_note(struct variable_names *variables, struct symbols *symbols, uint64_t address);
void variables_free(struct variable_names *variables);

/*
 * "" nothing is known; "[heap]", "[stack]" (of the initial thread), "[mapped]" (anything else that the program mapped,
 * such as stacks of threads and large allocations), "[static]" (of a module, but no symbol has it); else the name of a
 * symbol, which begins at *offset before the address.
 */
const char *variables_find(const struct variable_names *variables, uint64_t address, uint64_t *offset);

/* The same as a field: NAME or NAME+0xOFFSET. */
void variables_put(const struct variable_names *variables, struct row_writer *to, uint64_t address);

#endif
