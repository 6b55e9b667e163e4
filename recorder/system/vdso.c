/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/system/vdso.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

struct vdso_symbols {
	uintptr_t base; /* what the library's addresses count from */
	const Elf64_Sym *table;
	const char *names;
	const uint32_t *hash, *gnu_hash; /* each kernel has one of these, or both */
};

static void read_dynamic(struct vdso_symbols *symbols, const Elf64_Dyn *dynamic)
{
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		const void *at = (const void *)(symbols->base + dynamic->d_un.d_ptr);
		switch (dynamic->d_tag) {
		case DT_SYMTAB: symbols->table = at; break;
		case DT_STRTAB: symbols->names = at; break;
		case DT_HASH: symbols->hash = at; break;
		case DT_GNU_HASH: symbols->gnu_hash = at; break;
		default: break;
		}
	}
}

/* The table of symbols has no length of its own. */
static uint32_t count_symbols(const struct vdso_symbols *symbols)
{
	if (symbols->hash)
		return symbols->hash[1]; /* numbers of buckets and of symbols, buckets, chains */
	if (!symbols->gnu_hash)
		return 0;
	/* Numbers of buckets, of symbols without a hash, and of words of the filter; its shift; filter, buckets, chains. A chain
	 * ends with an odd word. */
	const uint32_t *head = symbols->gnu_hash, *buckets = head + 4 + (size_t)head[2] * 2, *chains = buckets + head[0];
	uint32_t last = 0;
	for (uint32_t i = 0; i < head[0]; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < head[1])
		return 0;
	while (!(chains[last - head[1]] & 1))
		last++;
	return last + 1;
}

void *vdso_find(const char *name)
{
	uintptr_t image = getauxval(AT_SYSINFO_EHDR);
	struct vdso_symbols symbols = {0};
	const Elf64_Dyn *dynamic = NULL;
	if (!image)
		return NULL;
	const Elf64_Ehdr *file = (const Elf64_Ehdr *)image;
	const Elf64_Phdr *parts = (const Elf64_Phdr *)(image + file->e_phoff);
	for (unsigned i = 0; i < file->e_phnum; i++) {
		if (parts[i].p_type == PT_LOAD && !symbols.base)
			symbols.base = image + parts[i].p_offset - parts[i].p_vaddr;
		else if (parts[i].p_type == PT_DYNAMIC)
			dynamic = (const Elf64_Dyn *)(image + parts[i].p_offset);
	}
	if (!symbols.base || !dynamic)
		return NULL;
	read_dynamic(&symbols, dynamic);
	if (!symbols.table || !symbols.names)
		return NULL;
	uint32_t n = count_symbols(&symbols);
	for (uint32_t i = 0; i < n; i++) {
		const Elf64_Sym *symbol = &symbols.table[i];
		if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
		    strcmp(symbols.names + symbol->st_name, name) == 0)
			return (void *)(symbols.base + symbol->st_value);
	}
	return NULL;
}
