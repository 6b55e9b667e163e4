/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names the functions that calls call: code.c has the imported ones, the symbol table those of the file itself. Also finds
 * the function that a call passes first, among the instructions before it: see code.h.
 */
#include "builder/symbols/code.h"

#include <string.h>

/* How far before a call its first argument is looked for. */
#define ARGUMENT_BYTES 160

/* How far after a call another one is looked for. */
#define CODE_BYTES 4096

/* The length of a call of an address. */
#define DIRECT_CALL_BYTES 5

/* The name of the symbol that begins at an address; "" none. */
static const char *symbol_at(const struct binary *binary, uint64_t address)
{
	struct symbol symbol = binary_symbol(binary, address);
	return symbol.address == address ? symbol.name : "";
}

/* The name of the function that a call calls; "" unknown. */
static const char *callee(const struct binary *binary, const struct code_call *call)
{
	return call->target != 0 ? symbol_at(binary, call->target) : call->import;
}

/* Is the instruction before `next` a call of a known function? Other bytes that look like one have no function there. */
static bool is_named_call(const struct binary *binary, uint64_t next)
{
	struct code_call call = code_call_before(binary_module(binary), next);
	return *callee(binary, &call) != '\0';
}

/* Is it the first instruction of a function that gcc made of a region's or task's code? */
static bool is_outlined(const struct binary *binary, uint64_t address)
{
	return address != 0 && strstr(symbol_at(binary, address), "._omp_fn.") != NULL;
}

/* The only outlined function whose address the function around `at` loads into the register; 0: none, or several. */
static uint64_t only_loaded(const struct binary *binary, uint64_t at, unsigned wanted)
{
	struct symbol function = binary_symbol(binary, at);
	size_t n;
	uint64_t found = 0;
	const unsigned char *b = *function.name != '\0' ? module_bytes(binary_module(binary), function.address, &n) : NULL;
	for (size_t i = 0; b != NULL && i < n && i < function.n_bytes; i++) {
		size_t n_left = (n < function.n_bytes ? n : function.n_bytes) - i;
		struct load load = instructions_load(b + i, n_left, function.address + i);
		if (load.to != wanted || !is_outlined(binary, load.value))
			continue;
		if (found != 0 && found != load.value)
			return 0;
		found = load.value;
	}
	return found;
}

/* Do calls leave the register as it is? */
static bool is_kept(unsigned number)
{
	return number == RBX || number == RBP || (number >= R12 && number < NO_REGISTER);
}

/*
 * The outlined function that the call at `end` passes first: what is loaded last into the first argument's register
 * before it, with no other call in between; directly, by way of %rax, or from a register that was loaded before a loop.
 */
static uint64_t first_argument(const struct binary *binary, uint64_t end)
{
	uint64_t begin = end - ARGUMENT_BYTES, found = 0;
	unsigned from = NO_REGISTER;
	size_t n;
	const unsigned char *b = module_bytes(binary_module(binary), begin, &n);
	if (b == NULL || n < ARGUMENT_BYTES)
		return 0;
	for (size_t i = 0; i + 3 <= ARGUMENT_BYTES; i++) {
		size_t n_left = ARGUMENT_BYTES - i;
		struct load load = instructions_load(b + i, n_left, begin + i);
		unsigned moved = instructions_move_to_rdi(b + i, n_left);
		bool is_passed = load.to == RDI ||
				 (load.to == RAX && instructions_move_to_rdi(b + i + load.n_bytes, n_left - load.n_bytes) == RAX);
		if (is_passed && is_outlined(binary, load.value)) {
			found = load.value;
			from = NO_REGISTER;
		} else if (is_kept(moved)) {
			found = 0;
			from = moved;
		} else if (n_left >= DIRECT_CALL_BYTES && is_named_call(binary, begin + i + DIRECT_CALL_BYTES)) {
			found = 0;
			from = NO_REGISTER;
		}
	}
	return from != NO_REGISTER ? only_loaded(binary, end, from) : found;
}

uint64_t call_after(const struct binary *binary, uint64_t address, const char *name, const char *stop)
{
	const struct module *module = binary_module(binary);
	for (uint64_t next = address + INSTRUCTIONS_CALL_BYTES; next < address + INSTRUCTIONS_CALL_BYTES + CODE_BYTES; next++) {
		struct code_call call = code_call_before(module, next);
		const char *called = callee(binary, &call);
		if (strncmp(called, name, strlen(name)) == 0)
			return call.address;
		if (strcmp(called, stop) == 0)
			break;
	}
	return 0;
}

struct call call_before(const struct binary *binary, uint64_t address)
{
	struct code_call found = code_call_before(binary_module(binary), address);
	struct call call = {
		.is_readable = code_is_readable(binary_module(binary)), .callee = callee(binary, &found), .address = found.address};
	if (strncmp(call.callee, "GOMP_", 5) == 0)
		call.outlined = first_argument(binary, call.address);
	return call;
}
