/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads machine code, imported functions and the slots through which they are called, by libelf: see code.h. A file
 * that is missing or has changed is not reported here: symbols.c does that, where its lines are missing.
 */
#include "builder/model/code.h"
#include "builder/model/binary.h"
#include "builder/support/array.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

struct code_file {
	const struct meta_map *map; /* the first one that named it */
	int fd;                     /* -1: it cannot be used */
	Elf *elf;
	unsigned machine;
	const unsigned char *bytes; /* of the whole file */
	size_t n_bytes;
};

/* A place in a file. */
struct place_in_file {
	const struct code_file *file;
	uint64_t offset;
};

static void open_file(struct code_file *file)
{
	const char *path = file->map->path;
	char found[256];
	elf_version(EV_CURRENT);
	file->fd = *path == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (file->fd < 0)
		return;
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	GElf_Ehdr header;
	bool is_usable = file->elf != NULL && elf_kind(file->elf) == ELF_K_ELF && gelf_getehdr(file->elf, &header) != NULL &&
			 (*file->map->build_id == '\0' || binary_has_build_id(file->elf, file->map->build_id, found, sizeof found));
	if (!is_usable)
		return;
	file->machine = header.e_machine;
	file->bytes = (const unsigned char *)elf_rawfile(file->elf, &file->n_bytes);
	if (file->bytes == NULL)
		file->n_bytes = 0;
}

/* The place of an address; its file has no bytes if it is unknown or cannot be used. */
static struct place_in_file find(struct code_files *files, uint64_t address)
{
	static const struct code_file none = {.fd = -1};
	const struct meta_map *map = meta_find_map(files->meta, address);
	if (map == NULL)
		return (struct place_in_file){&none, 0};
	uint64_t offset = address - map->start + map->offset;
	for (size_t i = 0; i < files->n; i++)
		if (strcmp(files->files[i].map->path, map->path) == 0 && strcmp(files->files[i].map->build_id, map->build_id) == 0)
			return (struct place_in_file){&files->files[i], offset};
	files->files = array_grown(files->files, files->n, sizeof *files->files);
	struct code_file *file = &files->files[files->n++];
	*file = (struct code_file){.map = map, .fd = -1};
	open_file(file);
	return (struct place_in_file){file, offset};
}

void code_close(struct code_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		elf_end(files->files[i].elf);
		if (files->files[i].fd >= 0)
			close(files->files[i].fd);
	}
	free(files->files);
	*files = (struct code_files){0};
}

enum code_answer code_next_call(struct code_files *files, uint64_t first, uint64_t second)
{
	struct place_in_file from = find(files, first);
	const struct code_file *file = from.file;
	struct place_in_file to = find(files, second);
	/* Looking up the second one may have moved the table; both were found if they are of one file. */
	from = find(files, first);
	file = from.file;
	if (file != to.file)
		return file->n_bytes != 0 && to.file->n_bytes != 0 ? CODE_NO : CODE_UNKNOWN;
	if (from.offset >= file->n_bytes || to.offset > file->n_bytes)
		return CODE_UNKNOWN;
	return instructions_next_call(file->machine, file->bytes, file->n_bytes, from.offset, to.offset);
}

/* ---- Imported functions ---- */

/* The next section of a type after `section`, or the first one if that is NULL. */
static Elf_Scn *next_section(Elf *elf, Elf_Scn *section, unsigned type, GElf_Shdr *header)
{
	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, header) != NULL && header->sh_type == type)
			return section;
	return NULL;
}

/* The name of a symbol of the table in section number `table`; NULL: there is none. */
static const char *symbol_name(Elf *elf, size_t table, size_t number, GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(elf, table);
	GElf_Shdr header;
	Elf_Data *data = section != NULL && gelf_getshdr(section, &header) != NULL ? elf_getdata(section, NULL) : NULL;
	if (data == NULL || gelf_getsym(data, (int)number, symbol) == NULL)
		return NULL;
	return elf_strptr(elf, header.sh_link, symbol->st_name);
}

enum code_answer code_imports(struct code_files *files, uint64_t address, const char *function)
{
	const struct code_file *file = find(files, address).file;
	GElf_Shdr header;
	Elf_Scn *section = file->n_bytes != 0 ? next_section(file->elf, NULL, SHT_DYNSYM, &header) : NULL;
	if (section == NULL || header.sh_entsize == 0)
		return CODE_UNKNOWN;
	for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
		GElf_Sym symbol;
		const char *name = symbol_name(file->elf, elf_ndxscn(section), i, &symbol);
		if (name != NULL && symbol.st_shndx == SHN_UNDEF && strcmp(name, function) == 0)
			return CODE_YES;
	}
	return CODE_NO;
}

/* ---- The function that a call calls ---- */

/* The address, as the file has it, of the byte at an offset; 0: it is not mapped. */
static uint64_t own_address(const struct code_file *file, uint64_t offset)
{
	size_t n;
	if (elf_getphdrnum(file->elf, &n) != 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr header;
		if (gelf_getphdr(file->elf, (int)i, &header) != NULL && header.p_type == PT_LOAD && offset >= header.p_offset &&
		    offset - header.p_offset < header.p_filesz)
			return offset - header.p_offset + header.p_vaddr;
	}
	return 0;
}

/* The name of the function whose address the dynamic linker writes into a slot; NULL: unknown. */
static const char *function_in_slot(const struct code_file *file, uint64_t slot)
{
	GElf_Shdr header;
	for (Elf_Scn *section = NULL; (section = next_section(file->elf, section, SHT_RELA, &header)) != NULL;) {
		Elf_Data *data = elf_getdata(section, NULL);
		for (size_t i = 0; data != NULL && header.sh_entsize != 0 && i < header.sh_size / header.sh_entsize; i++) {
			GElf_Rela entry;
			GElf_Sym symbol;
			if (gelf_getrela(data, (int)i, &entry) != NULL && entry.r_offset == slot)
				return symbol_name(file->elf, header.sh_link, GELF_R_SYM(entry.r_info), &symbol);
		}
	}
	return NULL;
}

/* The 32-bit number, counted from the end of the instruction that it is the last part of, at an offset. */
static uint64_t relative(const struct code_file *file, uint64_t offset)
{
	int32_t distance;
	memcpy(&distance, file->bytes + offset, sizeof distance);
	return offset + sizeof distance + (uint64_t)(int64_t)distance;
}

static bool has_bytes(const struct code_file *file, uint64_t offset, size_t n, const char *bytes)
{
	return offset < file->n_bytes && file->n_bytes - offset >= n + 4 && memcmp(file->bytes + offset, bytes, n) == 0;
}

/*
 * The slot through which the call that returns to `offset` goes, as an address of the file; 0: unknown. x86-64 alone:
 * either the call itself names the slot (-fno-plt), or it is to a stub that jumps through it.
 */
static uint64_t slot_of_call(const struct code_file *file, uint64_t offset)
{
	if (file->machine != EM_X86_64 || offset < 6 || offset > file->n_bytes)
		return 0;
	if (has_bytes(file, offset - 6, 2, "\xff\x15"))
		return own_address(file, offset - 6) + relative(file, offset - 4) - (offset - 6);
	if (!has_bytes(file, offset - 5, 1, "\xe8"))
		return 0;
	uint64_t stub = relative(file, offset - 4);
	if (has_bytes(file, stub, 4, "\xf3\x0f\x1e\xfa")) /* endbr64 */
		stub += 4;
	if (has_bytes(file, stub, 1, "\xf2")) /* bnd */
		stub++;
	if (!has_bytes(file, stub, 2, "\xff\x25"))
		return 0;
	return own_address(file, stub) + relative(file, stub + 2) - stub;
}

enum code_answer code_calls(struct code_files *files, uint64_t address, const char *function)
{
	struct place_in_file place = find(files, address);
	uint64_t slot = place.file->n_bytes != 0 ? slot_of_call(place.file, place.offset) : 0;
	const char *name = slot != 0 ? function_in_slot(place.file, slot) : NULL;
	if (name == NULL || *name == '\0')
		return CODE_UNKNOWN;
	return strcmp(name, function) == 0 ? CODE_YES : CODE_NO;
}
