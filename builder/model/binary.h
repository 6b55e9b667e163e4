/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One executable or shared object, and what its debug information says about an address. Addresses are the file's own
 * (before any relocation), so that nothing depends on where the file was loaded. Called by symbols.c; one thread.
 * Nothing else uses libdw but call.c.
 */
#ifndef OTTER_BUILDER_MODEL_BINARY_H
#define OTTER_BUILDER_MODEL_BINARY_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct binary;

/* What is known about an address. Strings are "" where nothing is known, and live until the next binary_find(). */
struct place {
	const char *file; /* whole path */
	unsigned line;
	const char *function; /* the innermost inlined one, as its source calls it */
	const char *symbol;   /* from the symbol table */
	uint64_t symbol_address;
	const char *producer; /* the compiler, as the debug information names it */
};

/*
 * Opens `path` if its build id is `build_id` ("": unknown, and not compared). NULL after a warning, if it cannot be
 * used.
 */
struct binary *binary_open(const char *path, const char *build_id);
void binary_close(struct binary *binary);

/* Sets *address to the address of the byte at `offset` of the file; false if no executable segment has that byte. */
bool binary_address(const struct binary *binary, uint64_t offset, uint64_t *address);

/* Does the file (an Elf of libelf) have this build id? `found`, of n_bytes, becomes the one that it has. */
struct Elf;
bool binary_has_build_id(struct Elf *elf, const char *expected, char *found, size_t n_bytes);

struct place binary_find(struct binary *binary, uint64_t address);

/* The file and the line at which a function begins, where its first instruction is: before its first statement's. */
struct place binary_find_entry(struct binary *binary, uint64_t address);

/* The module as libdwfl has it, for call.c. */
Dwfl_Module *binary_module(const struct binary *binary);

#endif
