/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads debug information with libdwfl, each module's in an address space of its own at base 0. What is in separate files
 * is found as elfutils' own tools find it, by build id or debug link: see binary.h.
 */
#include "builder/model/binary.h"
#include "builder/model/debuginfod.h"
#include "builder/model/kept.h"
#include "builder/support/array.h"
#include "builder/support/diag.h"
#include "builder/support/text.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* What the lines of a compilation unit may take: libdw crashes in some places where it gets no memory. */
#define LINES_BYTES ((size_t)4 << 20)

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
	char *file; /* path in the latest struct place, if a relative path had to be completed */
};

/* Debug information in a separate file: where this machine has it, else in the dump. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file_name,
			  const char *link, GElf_Word sum, char **found)
{
	int fd = dwfl_standard_find_debuginfo(module, data, name, base, file_name, link, sum, found);
	const struct module *of = *data;
	bool is_damaged = false;
	if (fd < 0 && of != NULL)
		fd = kept_open(of->dump, of->build_id, KEPT_DEBUG, &is_damaged);
	if (is_damaged)
		warning("%s: the dump's copy of its debug information is damaged", of->path);
	return fd;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = find_debuginfo,
};

/* Warns if there will be no lines from the module. */
static bool is_usable(const struct module *module)
{
	const char *path = module->path, *found = *module->found_id == '\0' ? "missing" : module->found_id;
	if (module->state == MODULE_IS_USABLE)
		return true;
	char *reason = kept_reason(module->dump, module->build_id, path);
	if (module->is_kept_damaged)
		warning("%s: the dump's copy of it is damaged", path);
	else if (*reason != '\0')
		warning("%s: the dump has no copy of it, as %s", path, reason);
	free(reason);
	switch (module->state) {
	case MODULE_NO_FILE: return false;
	case MODULE_CANNOT_BE_READ: warning("%s: %s: no source lines from it", path, strerror(module->error)); return false;
	case MODULE_IS_NOT_ELF:
		warning("%s: found a file that is not an executable, expected the recorded one: no source lines from it", path);
		return false;
	case MODULE_HAS_CHANGED:
		warning("%s: changed since the recording (build id %s, expected %s): no source lines from it", path, found,
			module->build_id);
		return false;
	case MODULE_IS_USABLE: return true;
	}
	return false;
}

static void add_range(struct binary *binary, Dwarf_Addr begin, Dwarf_Addr end, const Dwarf_Die *unit, const Dwarf_Die *inner)
{
	binary->ranges = array_grown(binary->ranges, binary->n_ranges, sizeof *binary->ranges);
	binary->ranges[binary->n_ranges++] = (struct unit_range){begin, end, *unit, *inner};
}

static int compare_ranges(const void *left, const void *right)
{
	const struct unit_range *a = left, *b = right;
	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

__attribute__((noreturn)) static void end_without_memory(void)
{
	memory_fail(0, "lines and functions of a binary");
}

/* Fills `ranges` from all compilation units. */
static void collect_ranges(struct binary *binary)
{
	/* What libdwfl does not find it looks for elsewhere: for both kinds of tables here, and nowhere else. */
	debuginfod_begin();
	Dwarf *dwarf = dwfl_module_getdwarf(binary->module, &binary->dwarf_bias);
	debuginfod_end();
	debuginfod_begin();
	dwfl_module_getsymtab(binary->module);
	debuginfod_end();
	if (dwarf != NULL)
		dwarf_new_oom_handler(dwarf, end_without_memory);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;
	uint8_t type;
	while (dwarf != NULL && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, &split) == 0) {
		Dwarf_Addr base, begin, end;
		ptrdiff_t at = 0;
		bool has_code = type == DW_UT_compile || type == DW_UT_skeleton;
		const Dwarf_Die *inner = type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid ? &split : &unit;
		while (has_code && (at = dwarf_ranges(&unit, at, &base, &begin, &end)) > 0)
			add_range(binary, begin, end, &unit, inner);
	}
	if (binary->n_ranges > 0)
		qsort(binary->ranges, binary->n_ranges, sizeof *binary->ranges, compare_ranges);
}

/* The compilation unit that an address (as the DWARF has it) belongs to, or NULL. */
static Dwarf_Die *find_unit(struct binary *binary, Dwarf_Addr address, Dwarf_Die **inner)
{
	size_t low = 0, high = binary->n_ranges;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (binary->ranges[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address >= binary->ranges[low - 1].end)
		return NULL;
	*inner = &binary->ranges[low - 1].inner;
	return &binary->ranges[low - 1].unit;
}

struct binary *binary_open(const struct module *module)
{
	if (!is_usable(module))
		return NULL;
	struct binary *binary = memory_zeroed(1, sizeof *binary, "a binary");
	binary->file_module = module;
	int fd = fcntl(module->fd, F_DUPFD_CLOEXEC, 0);
	binary->dwfl = dwfl_begin(&callbacks);
	if (binary->dwfl != NULL) {
		dwfl_report_begin(binary->dwfl);
		binary->module = dwfl_report_elf(binary->dwfl, module->path, module->path, fd, 0, true);
		dwfl_report_end(binary->dwfl, NULL, NULL);
	}
	void **data;
	if (binary->module != NULL && dwfl_module_info(binary->module, &data, NULL, NULL, NULL, NULL, NULL, NULL) != NULL)
		*data = (void *)(uintptr_t)module;
	if (binary->module == NULL) {
		warning("%s: %s: no source lines from it", module->path, dwfl_errmsg(-1));
		if (fd >= 0) /* libdwfl takes it over only if it succeeds */
			close(fd);
		binary_close(binary);
		return NULL;
	}
	collect_ranges(binary);
	return binary;
}

void binary_close(struct binary *binary)
{
	if (binary == NULL)
		return;
	dwfl_end(binary->dwfl);
	free(binary->ranges);
	free(binary->file);
	for (size_t i = 0; i < binary->n_names; i++)
		free(binary->names[i]);
	free(binary->names);
	free(binary);
}

/*
 * Compilers give some instructions line 0, which is none: this finds the nearest line before the address in its unit.
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

/* Sets the place's file and line from a row of the line table; NULL: there is none. */
static void set_line(struct binary *binary, Dwarf_Die *unit, Dwarf_Line *line, struct place *place)
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

static void find_line(struct binary *binary, Dwarf_Die *unit, Dwarf_Addr address, struct place *place)
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
static void find_function(Dwarf_Die *unit, Dwarf_Addr address, struct place *place)
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

/* Of the functions that begin in the file before the line, the one that begins last. Functions may be in namespaces and classes. */
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
 * clang's function for the body of a task or region has a name of its own (".omp_outlined.", ".omp_task_entry."), which says
 * nothing of the function that the user wrote around it.
 */
static void find_declared(Dwarf_Die *unit, struct place *place)
{
	struct declared declared = {place->file, (int)place->line, 0, NULL};
	if (strncmp(place->function, ".omp", 4) != 0 || place->line == 0)
		return;
	look_for_declared(unit, unit, &declared, 4);
	if (declared.name != NULL)
		place->function = declared.name;
}

struct place binary_find(struct binary *binary, uint64_t address)
{
	struct place place = {.file = "", .function = "", .symbol = "", .producer = ""};
	struct symbol symbol = binary_symbol(binary, address);
	place.symbol = symbol.name;
	place.symbol_address = symbol.address;
	Dwarf_Die *inner = NULL, *unit = find_unit(binary, address - binary->dwarf_bias, &inner);
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

/* Of a function in another file than its first instruction, which is that of one inlined there, the line is not taken. */
struct place binary_find_function(struct binary *binary, uint64_t address)
{
	struct place place = binary_find(binary, address);
	Dwarf_Die *inner = NULL, *scopes = NULL, *unit = find_unit(binary, address - binary->dwarf_bias, &inner);
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
	size_t n, low = 0;
	if (dwarf_getsrclines(unit, &lines, &n) != 0)
		return NULL;
	for (size_t high = n; low < high;) {
		size_t middle = low + (high - low) / 2;
		Dwarf_Addr address;
		if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &address) == 0 && address < at)
			low = middle + 1;
		else
			high = middle;
	}
	Dwarf_Addr begin;
	Dwarf_Line *line = low < n ? dwarf_onesrcline(lines, low) : NULL;
	return line != NULL && dwarf_lineaddr(line, &begin) == 0 && begin == at ? line : NULL;
}

struct place binary_find_entry(struct binary *binary, uint64_t address)
{
	struct place place = {.file = "", .function = "", .symbol = "", .producer = ""};
	Dwarf_Die *inner = NULL, *unit = find_unit(binary, address - binary->dwarf_bias, &inner);
	memory_look(LINES_BYTES, "lines and functions of a binary");
	if (unit != NULL)
		set_line(binary, unit, first_line(unit, address - binary->dwarf_bias), &place);
	return place;
}

struct symbol binary_symbol(const struct binary *binary, uint64_t address)
{
	GElf_Sym symbol;
	GElf_Off offset;
	const char *name = dwfl_module_addrinfo(binary->module, address, &offset, &symbol, NULL, NULL, NULL);
	return name != NULL ? (struct symbol){name, address - offset, symbol.st_size} : (struct symbol){.name = ""};
}

const struct module *binary_module(const struct binary *binary)
{
	return binary->file_module;
}

/* By address; the largest first, and of aliases the name that comes first. */
static int compare_objects(const void *left, const void *right)
{
	const struct object *l = left, *r = right;
	if (l->address != r->address)
		return l->address < r->address ? -1 : 1;
	if (l->n_bytes != r->n_bytes)
		return l->n_bytes > r->n_bytes ? -1 : 1;
	return strcmp(l->name, r->name);
}

/* Names come from files, and may have any bytes. */
static const char *clean_name(struct binary *binary, const char *name)
{
	char *clean = text_utf8(name);
	if (strcmp(clean, name) == 0) {
		free(clean);
		return name;
	}
	binary->names = array_grown(binary->names, binary->n_names, sizeof *binary->names);
	return binary->names[binary->n_names++] = clean;
}

size_t binary_objects(struct binary *binary, struct object **objects)
{
	int n_symbols = dwfl_module_getsymtab(binary->module);
	size_t n = 0, n_kept = 0;
	*objects = n_symbols > 0 ? memory_get((size_t)n_symbols, sizeof **objects, "the variables") : NULL;
	for (int i = 1; i < n_symbols; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(binary->module, i, &symbol, &address, &section, NULL, NULL);
		bool is_object = GELF_ST_TYPE(symbol.st_info) == STT_OBJECT || GELF_ST_TYPE(symbol.st_info) == STT_COMMON;
		if (name != NULL && *name != '\0' && is_object && symbol.st_size != 0 && symbol.st_shndx != SHN_UNDEF)
			(*objects)[n++] = (struct object){address, symbol.st_size, clean_name(binary, name)};
	}
	if (n > 0)
		qsort(*objects, n, sizeof **objects, compare_objects);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || (*objects)[i].address != (*objects)[n_kept - 1].address)
			(*objects)[n_kept++] = (*objects)[i];
	return n_kept;
}
