/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if __SIZEOF_POINTER__ == 8
#define OUR_CLASS ELFCLASS64
#else
#define OUR_CLASS ELFCLASS32
#endif
#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#elif defined(__powerpc64__)
#define OUR_MACHINE EM_PPC64
#elif defined(__riscv)
#define OUR_MACHINE EM_RISCV
#else
#error "Name this processor's ELF machine number here."
#endif

/* Any file may have the extension or the header of a program: every offset is checked before it is followed. */
static const void *at(const struct elf *elf, uint64_t offset, uint64_t n_bytes)
{
	return offset <= elf->n_bytes && n_bytes <= elf->n_bytes - offset ? elf->bytes + offset : NULL;
}

static const char *string_at(const struct elf *elf, uint64_t offset)
{
	const char *string = at(elf, offset, 1);
	return string && memchr(string, '\0', elf->n_bytes - offset) ? string : NULL;
}

enum elf_kind elf_open(struct elf *elf, const char *path)
{
	memset(elf, 0, sizeof *elf);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return elf->kind;
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		elf->kind = ELF_NOT;
		void *bytes = st.st_size > 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
		if (bytes != MAP_FAILED) {
			elf->bytes = bytes;
			elf->n_bytes = (size_t)st.st_size;
		}
	}
	close(fd);
	if (elf->n_bytes >= EI_NIDENT && memcmp(elf->bytes, ELFMAG, SELFMAG) == 0) {
		const ElfW(Ehdr) *header = at(elf, 0, sizeof *header);
		bool is_ours = header && header->e_ident[EI_CLASS] == OUR_CLASS && header->e_machine == OUR_MACHINE;
		elf->kind = is_ours ? ELF_OURS : ELF_FOREIGN;
	}
	return elf->kind;
}

void elf_close(struct elf *elf)
{
	if (elf->bytes)
		munmap((void *)elf->bytes, elf->n_bytes);
	elf->bytes = NULL;
}

/* Returns the i-th program header, NULL if there is none. */
static const ElfW(Phdr) * segment(const struct elf *elf, unsigned i)
{
	const ElfW(Ehdr) *header = (const void *)elf->bytes;
	if (elf->kind != ELF_OURS || i >= header->e_phnum || header->e_phentsize != sizeof(ElfW(Phdr)))
		return NULL;
	return at(elf, header->e_phoff + i * sizeof(ElfW(Phdr)), sizeof(ElfW(Phdr)));
}

static const ElfW(Phdr) * segment_of_type(const struct elf *elf, uint32_t type)
{
	const ElfW(Phdr) * s;
	for (unsigned i = 0; (s = segment(elf, i)) && s->p_type != type; i++)
		;
	return s;
}

const char *elf_interpreter(const struct elf *elf)
{
	const ElfW(Phdr) *s = segment_of_type(elf, PT_INTERP);
	return s ? string_at(elf, s->p_offset) : NULL;
}

/* Returns where in the file the loaded address lies. */
static uint64_t file_offset(const struct elf *elf, uint64_t address)
{
	const ElfW(Phdr) * s;
	for (unsigned i = 0; (s = segment(elf, i)); i++)
		if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz)
			return s->p_offset + (address - s->p_vaddr);
	return UINT64_MAX;
}

/* Returns the value of the n-th entry with this tag, counted from 0. */
static bool dynamic_value(const struct elf *elf, int64_t tag, unsigned nth, uint64_t *value)
{
	const ElfW(Phdr) *s = segment_of_type(elf, PT_DYNAMIC);
	const ElfW(Dyn) *entry = s ? at(elf, s->p_offset, s->p_filesz) : NULL;
	for (uint64_t left = entry ? s->p_filesz / sizeof *entry : 0; left > 0 && entry->d_tag != DT_NULL; left--, entry++) {
		if (entry->d_tag == tag && nth-- == 0) {
			*value = entry->d_un.d_val;
			return true;
		}
	}
	return false;
}

/* Returns a text of the dynamic strings. */
static const char *dynamic_string(const struct elf *elf, uint64_t name)
{
	uint64_t strings;
	if (!dynamic_value(elf, DT_STRTAB, 0, &strings))
		return NULL;
	uint64_t offset = file_offset(elf, strings);
	return offset == UINT64_MAX ? NULL : string_at(elf, offset + name);
}

const char *elf_needed(const struct elf *elf, unsigned i)
{
	uint64_t name;
	return dynamic_value(elf, DT_NEEDED, i, &name) ? dynamic_string(elf, name) : NULL;
}

const char *elf_soname(const struct elf *elf)
{
	uint64_t name;
	return dynamic_value(elf, DT_SONAME, 0, &name) ? dynamic_string(elf, name) : NULL;
}

const char *elf_version(const struct elf *elf, unsigned i)
{
	uint64_t n, address;
	if (!dynamic_value(elf, DT_VERDEFNUM, 0, &n) || !dynamic_value(elf, DT_VERDEF, 0, &address) || i >= n)
		return NULL;
	uint64_t offset = file_offset(elf, address);
	const ElfW(Verdef) *version = at(elf, offset, sizeof *version);
	for (; version && i > 0; i--) {
		offset += version->vd_next;
		version = version->vd_next ? at(elf, offset, sizeof *version) : NULL;
	}
	const ElfW(Verdaux) *name = version ? at(elf, offset + version->vd_aux, sizeof *name) : NULL;
	return name ? dynamic_string(elf, name->vda_name) : NULL;
}

bool elf_needs_version(const struct elf *elf, const char *prefix)
{
	uint64_t n, address;
	if (!dynamic_value(elf, DT_VERNEEDNUM, 0, &n) || !dynamic_value(elf, DT_VERNEED, 0, &address))
		return false;
	uint64_t offset = file_offset(elf, address);
	for (; n > 0; n--) {
		const ElfW(Verneed) *library = at(elf, offset, sizeof *library);
		uint64_t at_version = library ? offset + library->vn_aux : 0;
		for (unsigned i = 0; library && i < library->vn_cnt; i++) {
			const ElfW(Vernaux) *version = at(elf, at_version, sizeof *version);
			const char *name = version ? dynamic_string(elf, version->vna_name) : NULL;
			if (name && strncmp(name, prefix, strlen(prefix)) == 0)
				return true;
			if (!version || !version->vna_next)
				break;
			at_version += version->vna_next;
		}
		if (!library || !library->vn_next)
			break;
		offset += library->vn_next;
	}
	return false;
}

/* Is the symbol defined in a table of this type (SHT_SYMTAB, SHT_DYNSYM)? */
static bool table_defines(const struct elf *elf, uint32_t type, const char *symbol)
{
	const ElfW(Ehdr) *header = (const void *)elf->bytes;
	if (elf->kind != ELF_OURS || header->e_shentsize != sizeof(ElfW(Shdr)))
		return false;
	const ElfW(Shdr) *sections = at(elf, header->e_shoff, (uint64_t)header->e_shnum * sizeof *sections);
	for (unsigned i = 0; sections && i < header->e_shnum; i++) {
		const ElfW(Shdr) *table = &sections[i];
		if (table->sh_type != type || table->sh_link >= header->e_shnum)
			continue;
		const ElfW(Sym) *entry = at(elf, table->sh_offset, table->sh_size);
		for (uint64_t left = entry ? table->sh_size / sizeof *entry : 0; left > 0; left--, entry++) {
			if (entry->st_shndx == SHN_UNDEF)
				continue;
			const char *name = string_at(elf, sections[table->sh_link].sh_offset + entry->st_name);
			if (name && strcmp(name, symbol) == 0)
				return true;
		}
	}
	return false;
}

bool elf_exports(const struct elf *elf, const char *symbol)
{
	return table_defines(elf, SHT_DYNSYM, symbol);
}

bool elf_defines(const struct elf *elf, const char *symbol)
{
	return table_defines(elf, SHT_SYMTAB, symbol) || table_defines(elf, SHT_DYNSYM, symbol);
}
