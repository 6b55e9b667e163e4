/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names addresses of data. The dump has all executable maps of files, and no others; a module's data follows its code.
 * So an address belongs to the module of the last map below it, or to none. On Linux, some of the latter are known
 * by their place: the initial thread's stack is above all libraries, the heap is above the program and far below the
 * libraries, and what is mapped is among or right below these. See variables.h for the callers.
 */
#include "builder/symbols/variables.h"
#include "builder/symbols/binary.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"
#include "builder/support/lower_bound.h"

#include <stdio.h>
#include <string.h>

struct variable_module {
	const struct meta_map *map;
	const struct module *module;
	uint64_t begin; /* address of the process at which the module's own address 0 is */
	struct object *objects;
	size_t n_objects;
	bool is_usable;
};

void variables_begin(struct variable_names *variables, const struct model *model)
{
	const struct meta *meta = &model->dump->meta;
	*variables = (struct variable_names){.meta = meta};
	uint64_t program = 0;
	for (size_t i = 0; i < meta->n_maps; i++) {
		const struct meta_map *map = &meta->maps[i];
		bool is_program = meta->program != NULL && strcmp(map->path, meta->program) == 0;
		if (is_program && program == 0)
			program = map->start;
		if (!is_program && map->end > variables->maps_end)
			variables->maps_end = map->end;
	}
	for (size_t i = 0; i < meta->n_maps && program != 0; i++) {
		const struct meta_map *map = &meta->maps[i];
		bool is_program = strcmp(map->path, meta->program) == 0;
		if (is_program && map->end > variables->program_end)
			variables->program_end = map->end;
		bool is_first = variables->first_library == 0 || map->start < variables->first_library;
		if (!is_program && map->start > program && is_first)
			variables->first_library = map->start;
	}
}

static struct variable_module *find_module(const struct variable_names *variables, const struct meta_map *map)
{
	for (size_t i = 0; i < variables->n_modules; i++)
		if (variables->modules[i].map == map)
			return &variables->modules[i];
	return NULL;
}

static void open_module(struct variable_names *variables, struct symbols *symbols, const struct meta_map *map)
{
	struct variable_module *v = array_append_one(variables->modules, variables->n_modules);
	struct binary *binary = symbols_binary(symbols, map->start, &v->module);
	uint64_t address = 0;
	*v = (struct variable_module){.map = map, .module = v->module};
	v->is_usable = binary != NULL && module_address(v->module, map->offset, &address);
	v->begin = map->start - address;
	if (v->is_usable)
		v->n_objects = binary_objects(binary, &v->objects);
}

/* Between the last library, which is the dynamic linker, and the initial thread's stack Linux leaves 128 MiB and more. */
static bool is_on_stack(const struct variable_names *variables, uint64_t address)
{
	return variables->maps_end != 0 && address > variables->maps_end + (32u << 20);
}

void variables_note(struct variable_names *variables, struct symbols *symbols, uint64_t address)
{
	if (is_on_stack(variables, address))
		return;
	const struct meta_map *map = meta_find_map_below(variables->meta, address);
	bool is_again = variables->n_modules > 0 && variables->modules[variables->latest].map == map;
	if (map == NULL || is_again)
		return;
	if (find_module(variables, map) == NULL)
		open_module(variables, symbols, map);
	variables->latest = (size_t)(find_module(variables, map) - variables->modules);
}

void variables_free(struct variable_names *variables)
{
	for (size_t i = 0; i < variables->n_modules; i++)
		free(variables->modules[i].objects);
	free(variables->modules);
	*variables = (struct variable_names){0};
}

/* The object that has the address, or NULL. */
static const struct object *find_object(const struct variable_module *v, uint64_t address)
{
	size_t low = lower_bound(i, 0, v->n_objects, v->objects[i].address <= address);
	bool has = low > 0 && address - v->objects[low - 1].address < v->objects[low - 1].n_bytes;
	return has ? &v->objects[low - 1] : NULL;
}

/* The kind of memory of an address that is in no module. */
static const char *find_memory(const struct variable_names *variables, uint64_t address)
{
	uint64_t first = variables->first_library, program = variables->program_end;
	if (first == 0 || address > variables->maps_end || address < program)
		return "";
	return address < first && address - program < first - address ? "[heap]" : "[mapped]";
}

const char *variables_find(const struct variable_names *variables, uint64_t address, uint64_t *offset)
{
	const struct meta_map *map = variables->meta != NULL ? meta_find_map_below(variables->meta, address) : NULL;
	const struct variable_module *v = map != NULL ? find_module(variables, map) : NULL;
	*offset = 0;
	if (is_on_stack(variables, address))
		return "[stack]";
	if (v == NULL || !v->is_usable) /* it may be the module's */
		return "";
	if (!module_has(v->module, address - v->begin))
		return find_memory(variables, address);
	const struct object *object = find_object(v, address - v->begin);
	if (object == NULL)
		return "[static]";
	*offset = address - v->begin - object->address;
	return object->name;
}

void variables_put(const struct variable_names *variables, struct row_writer *to, uint64_t address)
{
	uint64_t offset;
	const char *name = variables_find(variables, address, &offset);
	if (offset == 0) {
		row_put_text(to, name);
		return;
	}
	char *text = text_format("%s+0x%llx", name, (unsigned long long)offset);
	row_put_text(to, text);
	free(text);
}
