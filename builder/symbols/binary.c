/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens a module's debug information with libdwfl, in an address space of its own at base 0, and finds its compilation units
 * and symbols. Separate files are found as elfutils' own tools find them, by build id or debug link: see binary.h.
 * binary_place.c looks addresses up.
 */
#include "builder/symbols/binary_units.h"
#include "builder/symbols/binary.h"
#include "builder/symbols/module.h"
#include "builder/support/array.h"
#include "builder/support/diag.h"
#include "builder/support/text.h"
#include "builder/support/lower_bound.h"
#include "builder/support/sort.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Debuginfod ---- */

/*
 * Allows and limits what libdebuginfod does, by the variables of the environment that it reads at each query. Main
 * thread.
 */

static double seconds_left, begun; /* seconds; seconds_left 0: no server is queried */
static unsigned allowed;

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void debuginfod_forbid(void)
{
	seconds_left = 0;
	unsetenv("DEBUGINFOD_URLS");
}

void debuginfod_allow(unsigned seconds)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	if (servers == NULL || *servers == '\0') {
		warning("--debuginfod: no server is asked, as DEBUGINFOD_URLS names none");
		return;
	}
	seconds_left = allowed = seconds;
	warning("--debuginfod: may ask %s for debug information, for %u s in all", servers, seconds);
}

void debuginfod_begin(void)
{
	char seconds[32];
	if (seconds_left <= 0)
		return;
	snprintf(seconds, sizeof seconds, "%u", (unsigned)(seconds_left + 0.999));
	setenv("DEBUGINFOD_MAXTIME", seconds, 1); /* of a whole query */
	setenv("DEBUGINFOD_TIMEOUT", seconds, 1); /* without an answer */
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", 1);
	begun = now();
}

void debuginfod_end(void)
{
	if (seconds_left <= 0)
		return;
	seconds_left -= now() - begun;
	if (seconds_left > 0)
		return;
	warning("--debuginfod: the %u s are over: no server is asked any more", allowed);
	debuginfod_forbid();
}

/* Finds debug information in a separate file: on this machine, else in the dump. */
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
	array_append(binary->ranges, binary->n_ranges, (struct unit_range){begin, end, *unit, *inner});
}

static int compare_ranges(const void *left, const void *right)
{
	const struct unit_range *a = left, *b = right;
	return cmp(a->begin, b->begin);
}

__attribute__((noreturn)) static void end_without_memory(void)
{
	memory_fail(0, "lines and functions of a binary");
}

/* Fills `ranges` from all compilation units. */
static void collect_ranges(struct binary *binary)
{
	/* libdwfl searches elsewhere for what it does not find: for both kinds of tables here, and in no other call. */
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
	sort_array(binary->ranges, binary->n_ranges, compare_ranges);
}

Dwarf_Die *binary_unit(struct binary *binary, Dwarf_Addr address, Dwarf_Die **inner)
{
	size_t low = lower_bound(i, 0, binary->n_ranges, binary->ranges[i].begin <= address);
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

/* Sorts by address; then the largest first, and aliases by name. */
static int compare_objects(const void *left, const void *right)
{
	const struct object *l = left, *r = right;
	return cmp(l->address, r->address) ?: cmp(r->n_bytes, l->n_bytes) ?: strcmp(l->name, r->name);
}

/* Names come from files, and may contain any bytes. */
static const char *clean_name(struct binary *binary, const char *name)
{
	char *clean = text_utf8(name);
	if (strcmp(clean, name) == 0) {
		free(clean);
		return name;
	}
	return *array_append_one(binary->names, binary->n_names) = clean;
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
	sort_array(*objects, n, compare_objects);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || (*objects)[i].address != (*objects)[n_kept - 1].address)
			(*objects)[n_kept++] = (*objects)[i];
	return n_kept;
}
