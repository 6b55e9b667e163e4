/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads calls from the machine code of x86-64: direct ones, those through the procedure linkage table, and those
 * through the global offset table (-fno-plt). The name comes from the symbol at the target, or from the relocation of
 * the slot through which the call goes. Called by symbols.c; one thread.
 */
#include "builder/model/call.h"

#include <elf.h>
#include <gelf.h>
#include <string.h>

/* How far before a call its first argument is looked for. */
#define ARGUMENT_BYTES 160

/* How far after a call another one is looked for. */
#define CODE_BYTES 4096

struct code {
	Dwfl_Module *module;
	Elf *elf;
	GElf_Addr bias;
	const unsigned char *file;
	size_t n_bytes;
};

/* The file's bytes from an address on, and how many of them there are in its segment; NULL if it is in none. */
static const unsigned char *bytes_at(const struct code *code, uint64_t address, size_t *n)
{
	size_t n_headers;
	if (elf_getphdrnum(code->elf, &n_headers) != 0)
		return NULL;
	for (size_t i = 0; i < n_headers; i++) {
		GElf_Phdr header;
		if (gelf_getphdr(code->elf, (int)i, &header) == NULL || header.p_type != PT_LOAD)
			continue;
		uint64_t begin = header.p_vaddr + code->bias;
		if (address < begin || address - begin >= header.p_filesz || header.p_offset > code->n_bytes ||
		    header.p_filesz > code->n_bytes - header.p_offset)
			continue;
		*n = header.p_filesz - (address - begin);
		return code->file + header.p_offset + (address - begin);
	}
	return NULL;
}

static uint64_t relative(const unsigned char *displacement, uint64_t next)
{
	int32_t value;
	memcpy(&value, displacement, sizeof value);
	return next + (uint64_t)(int64_t)value;
}

/* The symbol whose address the loader stores at `slot`; "" none. */
static const char *slot_symbol(const struct code *code, uint64_t slot)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(code->elf, scn)) != NULL;) {
		GElf_Shdr section, symbols;
		Elf_Data *data = NULL;
		bool is_list = gelf_getshdr(scn, &section) != NULL && section.sh_type == SHT_RELA && section.sh_entsize != 0;
		if (is_list)
			data = elf_getdata(scn, NULL);
		Elf_Scn *table = data != NULL ? elf_getscn(code->elf, section.sh_link) : NULL;
		Elf_Data *names = table != NULL && gelf_getshdr(table, &symbols) != NULL ? elf_getdata(table, NULL) : NULL;
		for (size_t i = 0; names != NULL && i < section.sh_size / section.sh_entsize; i++) {
			GElf_Rela rela;
			GElf_Sym symbol;
			if (gelf_getrela(data, (int)i, &rela) == NULL || rela.r_offset + code->bias != slot)
				continue;
			const char *name = gelf_getsym(names, (int)GELF_R_SYM(rela.r_info), &symbol) != NULL
						   ? elf_strptr(code->elf, symbols.sh_link, symbol.st_name)
						   : NULL;
			return name != NULL ? name : "";
		}
	}
	return "";
}

/* The name of the symbol that begins at an address; "" none. */
static const char *symbol_at(const struct code *code, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name = dwfl_module_addrinfo(code->module, address, &offset, &symbol, NULL, NULL, NULL);
	return name != NULL && offset == 0 ? name : "";
}

/* The name of the function at a call's target, which may be an entry of the procedure linkage table. */
static const char *target_name(const struct code *code, uint64_t target)
{
	static const unsigned char endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t n, at = 0;
	const unsigned char *b = bytes_at(code, target, &n);
	if (b == NULL || n < 16)
		return "";
	if (memcmp(b, endbr64, sizeof endbr64) == 0)
		at += sizeof endbr64;
	if (b[at] == 0xf2) /* bnd */
		at++;
	if (b[at] == 0xff && b[at + 1] == 0x25) /* jmp *slot(%rip) */
		return slot_symbol(code, relative(b + at + 2, target + at + 6));
	return symbol_at(code, target);
}

/* Is it the first instruction of a function that gcc made of a region's or task's code? */
static bool is_outlined(const struct code *code, uint64_t address)
{
	return address != 0 && strstr(symbol_at(code, address), "._omp_fn.") != NULL;
}

/* lea address(%rip), %register: the address; 0: these 7 bytes are something else. */
static uint64_t loaded_address(const unsigned char *b, uint64_t next, unsigned *number)
{
	bool is_lea = (b[0] & 0xfb) == 0x48 && b[1] == 0x8d && (b[2] & 0xc7) == 0x05;
	*number = (b[0] & 4u) << 1 | (b[2] >> 3 & 7u);
	return is_lea ? relative(b + 3, next) : 0;
}

/* Of the function around `at`: the only outlined function whose address it loads into the register; 0 none, or several. */
static uint64_t only_loaded(const struct code *code, uint64_t at, unsigned wanted)
{
	GElf_Off offset;
	GElf_Sym symbol;
	size_t n;
	uint64_t found = 0;
	if (dwfl_module_addrinfo(code->module, at, &offset, &symbol, NULL, NULL, NULL) == NULL)
		return 0;
	const unsigned char *b = bytes_at(code, at - offset, &n);
	for (size_t i = 0; b != NULL && i + 7 <= n && i + 7 <= symbol.st_size; i++) {
		unsigned number;
		uint64_t value = loaded_address(b + i, at - offset + i + 7, &number);
		if (value == 0 || number != wanted || !is_outlined(code, value))
			continue;
		if (found != 0 && found != value)
			return 0;
		found = value;
	}
	return found;
}

enum { RAX = 0, RBX = 3, RBP = 5, RDI = 7, R12 = 12, NO_REGISTER = 16 };

/* mov %register, %rdi: the number of a register that calls leave as it is; NO_REGISTER: these 3 bytes are something else. */
static unsigned kept_register(const unsigned char *b)
{
	bool is_move = (b[0] & 0xfb) == 0x48 && b[1] == 0x89 && (b[2] & 0xc7) == 0xc7;
	unsigned number = (b[0] & 4u) << 1 | (b[2] >> 3 & 7u);
	return is_move && (number == RBX || number == RBP || number >= R12) ? number : NO_REGISTER;
}

/*
 * The outlined function that the call at `end` passes first: what is loaded last into the first argument's register
 * before it, with no other call in between; directly, by way of %rax, or from a register that was loaded before a loop.
 */
static uint64_t first_argument(const struct code *code, uint64_t end)
{
	uint64_t begin = end - ARGUMENT_BYTES, found = 0;
	unsigned from = NO_REGISTER;
	size_t n;
	const unsigned char *b = bytes_at(code, begin, &n);
	if (b == NULL || n < ARGUMENT_BYTES)
		return 0;
	for (size_t i = 0; i + 3 <= ARGUMENT_BYTES; i++) {
		unsigned number = NO_REGISTER, kept = kept_register(b + i);
		size_t left = ARGUMENT_BYTES - i;
		uint32_t absolute;
		uint64_t value = left >= 7 ? loaded_address(b + i, begin + i + 7, &number) : 0;
		size_t length = 7;
		if (value == 0 && left >= 5 && (b[i] == 0xbf || b[i] == 0xb8)) { /* mov $address, %edi or %eax */
			memcpy(&absolute, b + i + 1, sizeof absolute);
			value = absolute;
			number = b[i] == 0xbf ? RDI : RAX;
			length = 5;
		}
		bool is_copied = left >= length + 3 && memcmp(b + i + length, "\x48\x89\xc7", 3) == 0; /* mov %rax, %rdi */
		if (value != 0 && (number == RDI || (number == RAX && is_copied)) && is_outlined(code, value)) {
			found = value;
			from = NO_REGISTER;
		} else if (kept != NO_REGISTER) {
			found = 0;
			from = kept;
		} else if (left >= 5 && b[i] == 0xe8 && *target_name(code, relative(b + i + 1, begin + i + 5)) != '\0') {
			found = 0;
			from = NO_REGISTER;
		}
	}
	return from != NO_REGISTER ? only_loaded(code, end, from) : found;
}

static bool open_code(struct code *code, Dwfl_Module *module)
{
	GElf_Ehdr header;
	*code = (struct code){.module = module};
	code->elf = dwfl_module_getelf(module, &code->bias);
	if (code->elf == NULL || gelf_getehdr(code->elf, &header) == NULL || header.e_machine != EM_X86_64)
		return false;
	code->file = (const unsigned char *)elf_rawfile(code->elf, &code->n_bytes);
	return code->file != NULL;
}

/* The name of what the instruction calls whose last 6 bytes these are, before `next`; sets the address of the call. */
static const char *callee(const struct code *code, const unsigned char *b, uint64_t next, uint64_t *address)
{
	bool is_indirect = b[0] == 0xff && b[1] == 0x15; /* call *slot(%rip) */
	*address = next - (is_indirect ? 6 : 5);
	if (is_indirect)
		return slot_symbol(code, relative(b + 2, next));
	return b[1] == 0xe8 ? target_name(code, relative(b + 2, next)) : "";
}

uint64_t call_after(Dwfl_Module *module, uint64_t address, const char *name, const char *stop)
{
	struct code code;
	size_t n;
	const unsigned char *b = open_code(&code, module) ? bytes_at(&code, address, &n) : NULL;
	for (size_t i = 0; b != NULL && i + 6 <= n && i < CODE_BYTES; i++) {
		uint64_t call;
		const char *called = callee(&code, b + i, address + i + 6, &call);
		if (strncmp(called, name, strlen(name)) == 0)
			return call;
		if (strcmp(called, stop) == 0)
			break;
	}
	return 0;
}

struct call call_before(Dwfl_Module *module, uint64_t address)
{
	struct call call = {.callee = ""};
	struct code code;
	size_t n;
	if (!open_code(&code, module))
		return call;
	call.is_readable = true;
	const unsigned char *b = bytes_at(&code, address - 6, &n);
	if (b == NULL || n < 6)
		return call;
	call.callee = callee(&code, b, address, &call.address);
	if (strncmp(call.callee, "GOMP_", 5) == 0)
		call.outlined = first_argument(&code, call.address);
	return call;
}

/* ---- Entry points ---- */

static bool has_any(const char *text, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strstr(text, *words) != NULL)
			return true;
	return false;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

bool call_reports(const char *callee, enum construct_kind kind)
{
	static const char *const parallel[] = {"fork_call", "parallel", NULL};
	static const char *const loop[] = {"static_init", "dispatch", "loop", "sections", "doacross", NULL};
	static const char *const target[] = {"__tgt_", "target", NULL};
	bool is_end = has_any(callee, WORDS("_end", "unset", "_next"));
	if (strncmp(callee, "__kmpc_", 7) != 0 && strncmp(callee, "GOMP_", 5) != 0 && strncmp(callee, "omp_", 4) != 0 &&
	    strncmp(callee, "__tgt_", 6) != 0)
		return false;
	switch (kind) {
	case CONSTRUCT_PARALLEL: return has_any(callee, parallel) && !is_end;
	case CONSTRUCT_TEAMS: return has_any(callee, WORDS("teams"));
	case CONSTRUCT_TASK: return has_any(callee, WORDS("omp_task", "GOMP_task", "taskloop")) && !has_any(callee, WORDS("group"));
	case CONSTRUCT_TASKWAIT: return has_any(callee, WORDS("taskwait", "wait_deps", "GOMP_task")) || has_any(callee, target);
	case CONSTRUCT_TASKGROUP: return has_any(callee, WORDS("taskgroup", "taskloop", "reduction")) && !is_end;
	case CONSTRUCT_BARRIER:
		return has_any(callee, WORDS("barrier", "reduce", "copyprivate", "single", "cancel", "_end", "scope")) ||
		       has_any(callee, loop) || has_any(callee, parallel);
	case CONSTRUCT_REDUCTION: return has_any(callee, WORDS("reduc", "barrier", "critical", "atomic", "_end"));
	case CONSTRUCT_LOOP:
	case CONSTRUCT_SECTIONS:
	case CONSTRUCT_DISTRIBUTE: return has_any(callee, loop) && !is_end;
	case CONSTRUCT_SINGLE:
	case CONSTRUCT_WORKSHARE: return has_any(callee, WORDS("single", "workshare")) && !is_end;
	case CONSTRUCT_TASKLOOP: return has_any(callee, WORDS("taskloop"));
	case CONSTRUCT_SCOPE: return has_any(callee, WORDS("scope"));
	case CONSTRUCT_MASKED: return has_any(callee, WORDS("masked", "master")) && !is_end;
	case CONSTRUCT_CRITICAL: return has_any(callee, WORDS("critical", "reduce")) && !is_end;
	case CONSTRUCT_ORDERED: return has_any(callee, WORDS("ordered")) && !is_end;
	case CONSTRUCT_ATOMIC: return has_any(callee, WORDS("atomic", "reduce")) && !is_end;
	case CONSTRUCT_LOCK: return has_any(callee, WORDS("lock")) && !is_end;
	case CONSTRUCT_FLUSH: return has_any(callee, WORDS("flush"));
	case CONSTRUCT_TARGET: return has_any(callee, target) || has_any(callee, WORDS("omp_task", "GOMP_task"));
	default: return has_any(callee, target) || has_any(callee, WORDS("omp_task", "GOMP_task"));
	}
}

bool call_has_line(const char *callee)
{
	return strcmp(callee, "GOMP_taskwait") == 0 || strncmp(callee, "GOMP_critical", 13) == 0;
}

bool call_has_flangs_line(const char *callee)
{
	static const char *const has[] = {"__kmpc_single", "__kmpc_taskgroup", "__kmpc_masked", "__kmpc_master", NULL};
	return strncmp(callee, "omp_", 4) == 0 || has_any(callee, has);
}
