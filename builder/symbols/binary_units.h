/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A module's debug information while it is open: what binary.c and binary_place.c share; not to be used elsewhere.
 */
#ifndef OTTER_BUILDER_SYMBOLS_BINARY_UNITS_H
#define OTTER_BUILDER_SYMBOLS_BINARY_UNITS_H

#include "builder/symbols/binary.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stddef.h>

/* A range of addresses (as the DWARF has them) that a compilation unit covers. */
struct unit_range {
	Dwarf_Addr begin, end;
	Dwarf_Die unit;
	Dwarf_Die inner; /* has its functions: of split debug information another file's unit, else the same */
};

struct binary {
	const struct module *file_module;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf_Addr dwarf_bias;
	/* By begin. libdw itself finds units through .debug_aranges only, which clang does not write. */
	struct unit_range *ranges;
	size_t n_ranges;
	char **names; /* of objects, which had to be made */
	size_t n_names;
	char *file; /* path in the latest struct source_place, if a relative path had to be completed */
};

/* The compilation unit that an address (as the DWARF has it) belongs to, and in `inner` the one that has its functions; or NULL. */
Dwarf_Die *binary_unit(struct binary *binary, Dwarf_Addr address, Dwarf_Die **inner);

#endif
