/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the file, the line and the function of an address in a module's debug information: see binary.h. Called as binary.c is.
 */
#include "builder/symbols/binary_units.h"
#include "builder/support/lower_bound.h"
#include "builder/support/text.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* The most memory for the lines of a compilation unit: libdw crashes in some places where it gets no memory. */
#define LINES_BYTES ((size_t)4 << 20)

/*
 * Compilers write line 0 for instructions that belong to no line of the source. For such an address this finds the row of the
 * unit's line table that has a line and comes last before the address; NULL: there is no such row.
 */
static Dwarf_Line *line_before(Dwarf_Die *unit, Dwarf_Addr at)
{
	Dwarf_Lines *lines;
	size_t n;
	Dwarf_Line *best = NULL;
	Dwarf_Addr best_address = 0;
	if (dwarf_getsrclines(unit, &lines, &n) != 0)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr address;
		int number;
		if (dwarf_lineaddr(line, &address) == 0 && dwarf_lineno(line, &number) == 0 && number > 0 && address <= at &&
		    address >= best_address) {
			best = line;
			best_address = address;
		}
	}
	return best;
}

/*
 * Writes a row's file and line into the place. Where `line` is NULL, or the row names no file or line, the place is left as it
 * is.
 */
static void set_line(struct binary *binary, Dwarf_Die *unit, Dwarf_Line *line, struct source_place *place)
{
	int number = 0;
	if (line != NULL)
		dwarf_lineno(line, &number);
	const char *file = line == NULL ? NULL : dwarf_linesrc(line, NULL, NULL);
	if (file == NULL || number <= 0)
		return;
	Dwarf_Attribute attribute;
	const char *dir = *file == '/' ? NULL : dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	if (dir != NULL) {
		free(binary->file);
		file = binary->file = text_format("%s/%s", dir, file);
	}
	place->file = file;
	place->line = (unsigned)number;
}

static void find_line(struct binary *binary, Dwarf_Die *unit, Dwarf_Addr address, struct source_place *place)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number = 0;
	if (line != NULL && (dwarf_lineno(line, &number) != 0 || number == 0))
		line = line_before(unit, address);
	set_line(binary, unit, line, place);
}

/* The function's name, with what it is in where the language puts that into the names of symbols. NULL: it has none. */
static const char *name_of(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	const char *linked = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
	return linked != NULL && strncmp(linked, "_Z", 2) == 0 ? linked : dwarf_diename(function);
}

/*
 * Sets the place's function: scopes come innermost first, so the first one with a name is the inlined function, or the
 * function.
 */
static void find_function(Dwarf_Die *unit, Dwarf_Addr address, struct source_place *place)
{
	Dwarf_Die *scopes = NULL;
	int n = dwarf_getscopes(unit, address, &scopes);
	for (int i = 0; i < n; i++) {
		int tag = dwarf_tag(&scopes[i]);
		const char *name = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram ? name_of(&scopes[i]) : NULL;
		if (name != NULL) {
			place->function = name; /* lives in the file's string table */
			break;
		}
	}
	if (n > 0)
		free(scopes);
}

/* The function around a line, as far as it is known. */
struct declared {
	const char *file;
	int line, latest; /* latest: where the function begins */
	const char *name;
};

/* Is the function in the file? DWARF 5 calls the unit's own file 0, which libdw 0.188 does not find. */
static bool is_in_file(Dwarf_Die *function, Dwarf_Die *unit, const char *file)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number = 0;
	bool is_own = dwarf_formudata(dwarf_attr(function, DW_AT_decl_file, &attribute), &number) == 0 && number == 0;
	const char *name = is_own ? dwarf_diename(unit) : dwarf_decl_file(function);
	const char *dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	if (name == NULL)
		return false;
	size_t n = dir != NULL ? strlen(dir) : 0;
	return strcmp(name, file) == 0 ||
	       (name[0] != '/' && n > 0 && strncmp(file, dir, n) == 0 && file[n] == '/' && strcmp(file + n + 1, name) == 0);
}

/* Finds the function that begins last before the line in the file. Functions may be in namespaces and classes. */
static void look_for_declared(Dwarf_Die *parent, Dwarf_Die *unit, struct declared *declared, unsigned depth)
{
	Dwarf_Die child;
	for (int rc = dwarf_child(parent, &child); rc == 0; rc = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child), line = 0;
		if (depth > 0 &&
		    (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_module))
			look_for_declared(&child, unit, declared, depth - 1);
		const char *name = tag == DW_TAG_subprogram ? name_of(&child) : NULL;
		if (name == NULL || name[0] == '.' || dwarf_decl_line(&child, &line) != 0 || line > declared->line ||
		    line <= declared->latest)
			continue;
		Dwarf_Attribute attribute;
		if (dwarf_attr(&child, DW_AT_declaration, &attribute) == NULL && is_in_file(&child, unit, declared->file)) {
			declared->latest = line;
			declared->name = name;
		}
	}
}

/*
 * clang's function for the body of a task or region has a name of its own (".omp_outlined.", ".omp_task_entry."), which does
 * not contain the function that the user wrote around it.
 */
static void find_declared(Dwarf_Die *unit, struct source_place *place)
{
	struct declared declared = {place->file, (int)place->line, 0, NULL};
	if (strncmp(place->function, ".omp", 4) != 0 || place->line == 0)
		return;
	look_for_declared(unit, unit, &declared, 4);
	if (declared.name != NULL)
		place->function = declared.name;
}

struct source_place binary_find(struct binary *binary, uint64_t address)
{
	struct source_place place = {.file = "", .function = "", .symbol = "", .producer = ""};
	struct symbol symbol = binary_symbol(binary, address);
	place.symbol = symbol.name;
	place.symbol_address = symbol.address;
	Dwarf_Die *inner = NULL, *unit = binary_unit(binary, address - binary->dwarf_bias, &inner);
	memory_look(LINES_BYTES, "lines and functions of a binary");
	if (unit != NULL) {
		find_line(binary, unit, address - binary->dwarf_bias, &place);
		find_function(inner, address - binary->dwarf_bias, &place);
		find_declared(inner, &place);
		Dwarf_Attribute attribute;
		const char *producer = dwarf_formstring(dwarf_attr(inner, DW_AT_producer, &attribute));
		place.producer = producer != NULL ? producer : "";
	}
	if (*place.function == '\0')
		place.function = place.symbol;
	return place;
}

/* The line of a function is not taken if its first instruction is in another file: that is from a function inlined there. */
struct source_place binary_find_function(struct binary *binary, uint64_t address)
{
	struct source_place place = binary_find(binary, address);
	Dwarf_Die *inner = NULL, *scopes = NULL, *unit = binary_unit(binary, address - binary->dwarf_bias, &inner);
	int n = unit != NULL && place.line != 0 ? dwarf_getscopes(inner, address - binary->dwarf_bias, &scopes) : 0, line;
	for (int i = 0; i < n; i++) {
		Dwarf_Addr entry;
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram && dwarf_entrypc(&scopes[i], &entry) == 0 &&
		    entry == address - binary->dwarf_bias && dwarf_decl_line(&scopes[i], &line) == 0 && line > 0 &&
		    is_in_file(&scopes[i], inner, place.file))
			place.line = (unsigned)line;
	}
	if (n > 0)
		free(scopes);
	return place;
}

/* The first of the rows that begin at the address, which are sorted by address. */
static Dwarf_Line *first_line(Dwarf_Die *unit, Dwarf_Addr at)
{
	Dwarf_Lines *lines;
	size_t n;
	if (dwarf_getsrclines(unit, &lines, &n) != 0)
		return NULL;
	Dwarf_Addr begin;
	size_t first = lower_bound(i, 0, n, dwarf_lineaddr(dwarf_onesrcline(lines, i), &begin) == 0 && begin < at);
	Dwarf_Line *line = first < n ? dwarf_onesrcline(lines, first) : NULL;
	return line != NULL && dwarf_lineaddr(line, &begin) == 0 && begin == at ? line : NULL;
}

struct source_place binary_find_entry(struct binary *binary, uint64_t address)
{
	struct source_place place = {.file = "", .function = "", .symbol = "", .producer = ""};
	Dwarf_Die *inner = NULL, *unit = binary_unit(binary, address - binary->dwarf_bias, &inner);
	memory_look(LINES_BYTES, "lines and functions of a binary");
	if (unit != NULL)
		set_line(binary, unit, first_line(unit, address - binary->dwarf_bias), &place);
	return place;
}
