/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Combines a module's instructions, its imported functions and the slots through which they are called: see code.h.
 * A file that is missing or has changed is not reported here: symbols.c does that, where its lines are missing.
 */
#include "builder/symbols/code.h"

#include <gelf.h>
#include <string.h>

/* A place in a file. */
struct place_in_file {
	const struct module *module;
	uint64_t offset;
};

/* The place of an address; its module has no bytes if it is unknown or cannot be used. */
static struct place_in_file find(struct modules *modules, uint64_t address)
{
	static const struct module none = {.fd = -1};
	struct place_in_file place = {.offset = 0};
	const struct module *module = modules_find(modules, address, &place.offset);
	place.module = module != NULL ? module : &none;
	return place;
}

enum code_answer code_next_call(struct modules *modules, uint64_t first, uint64_t second)
{
	struct place_in_file from = find(modules, first), to = find(modules, second);
	const struct module *module = from.module;
	if (module != to.module)
		return module->n_bytes != 0 && to.module->n_bytes != 0 ? CODE_NO : CODE_UNKNOWN;
	if (from.offset >= module->n_bytes || to.offset > module->n_bytes)
		return CODE_UNKNOWN;
	return instructions_next_call(module->machine, module->bytes, module->n_bytes, from.offset, to.offset);
}

/* ---- Imported functions ---- */

/* The next section of a type after `section`, or the first one if that is NULL. */
static Elf_Scn *next_section(Elf *elf, Elf_Scn *section, unsigned type, GElf_Shdr *header)
{
	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, header) != NULL && header->sh_type == type && header->sh_entsize != 0)
			return section;
	return NULL;
}

/* The name of a symbol of the table in section number `table`; NULL: none. */
static const char *symbol_name(Elf *elf, size_t table, size_t number, GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(elf, table);
	GElf_Shdr header;
	Elf_Data *data = section != NULL && gelf_getshdr(section, &header) != NULL ? elf_getdata(section, NULL) : NULL;
	if (data == NULL || gelf_getsym(data, (int)number, symbol) == NULL)
		return NULL;
	return elf_strptr(elf, header.sh_link, symbol->st_name);
}

enum code_answer code_imports(struct modules *modules, uint64_t address, const char *function)
{
	const struct module *module = find(modules, address).module;
	GElf_Shdr header;
	Elf_Scn *section = module->n_bytes != 0 ? next_section(module->elf, NULL, SHT_DYNSYM, &header) : NULL;
	if (section == NULL)
		return CODE_UNKNOWN;
	for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
		GElf_Sym symbol;
		const char *name = symbol_name(module->elf, elf_ndxscn(section), i, &symbol);
		if (name != NULL && symbol.st_shndx == SHN_UNDEF && strcmp(name, function) == 0)
			return CODE_YES;
	}
	return CODE_NO;
}

/* The name of the function whose address the dynamic linker writes into a slot; "" unknown. */
static const char *function_in_slot(const struct module *module, uint64_t slot)
{
	GElf_Shdr header;
	for (Elf_Scn *section = NULL; (section = next_section(module->elf, section, SHT_RELA, &header)) != NULL;) {
		Elf_Data *data = elf_getdata(section, NULL);
		for (size_t i = 0; data != NULL && i < header.sh_size / header.sh_entsize; i++) {
			GElf_Rela entry;
			GElf_Sym symbol;
			if (gelf_getrela(data, (int)i, &entry) == NULL || entry.r_offset != slot)
				continue;
			const char *name = symbol_name(module->elf, header.sh_link, GELF_R_SYM(entry.r_info), &symbol);
			return name != NULL ? name : "";
		}
	}
	return "";
}

/* ---- The function that a call calls ---- */

bool code_is_readable(const struct module *module)
{
	return module->n_bytes != 0 && instructions_have_targets(module->machine);
}

struct code_call code_call_before(const struct module *module, uint64_t next)
{
	struct code_call call = {.import = ""};
	size_t n;
	const unsigned char *bytes = code_is_readable(module) ? module_bytes(module, next - INSTRUCTIONS_CALL_BYTES, &n) : NULL;
	if (bytes == NULL || n < INSTRUCTIONS_CALL_BYTES)
		return call;
	struct transfer transfer = instructions_call(bytes, next);
	if (transfer.kind == TRANSFER_UNKNOWN)
		return call;
	call.address = next - transfer.n_bytes;
	if (transfer.kind == TRANSFER_DIRECT) {
		bytes = module_bytes(module, transfer.address, &n);
		if (bytes == NULL)
			return call;
		call.target = transfer.address;
		transfer = instructions_stub(bytes, n, call.target); /* of the procedure linkage table */
	}
	if (transfer.kind == TRANSFER_BY_SLOT) {
		call.target = 0;
		call.import = function_in_slot(module, transfer.address);
	}
	return call;
}

enum code_answer code_calls(struct modules *modules, uint64_t address, const char *function)
{
	struct place_in_file place = find(modules, address);
	uint64_t next;
	if (!module_address(place.module, place.offset, &next))
		return CODE_UNKNOWN;
	struct code_call call = code_call_before(place.module, next);
	if (*call.import == '\0')
		return CODE_UNKNOWN;
	return strcmp(call.import, function) == 0 ? CODE_YES : CODE_NO;
}
