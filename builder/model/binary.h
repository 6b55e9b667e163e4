/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the debug information of a module tells about an address, and its symbols. Addresses are the file's own (before
 * any relocation), so that nothing depends on where the file was loaded. Called by symbols.c and call.c; one thread.
 * Nothing else uses libdw.
 */
#ifndef OTTER_BUILDER_MODEL_BINARY_H
#define OTTER_BUILDER_MODEL_BINARY_H

#include "builder/model/module.h"

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

/* Opens a module, which has to stay as long as the binary does. NULL after a warning, if it cannot be used. */
struct binary *binary_open(const struct module *module);
void binary_close(struct binary *binary);

/* The module that was opened. */
const struct module *binary_module(const struct binary *binary);

struct place binary_find(struct binary *binary, uint64_t address);

/*
 * The same of a function's first instruction, with the line on which its name stands, where that is known: that of the
 * instruction is the line of the brace that opens the body.
 */
struct place binary_find_function(struct binary *binary, uint64_t address);

/* The file and the line at which a function begins, where its first instruction is: before its first statement's. */
struct place binary_find_entry(struct binary *binary, uint64_t address);

/* A symbol of the symbol table. */
struct symbol {
	const char *name; /* "" there is none; it lives as long as the binary */
	uint64_t address, n_bytes;
};

/* A variable of the symbol table, or another object of data. */
struct object {
	uint64_t address, n_bytes;
	const char *name; /* in UTF-8; it lives as long as the binary */
};

/* All of them with a size, by address, one at each. The caller frees them. */
size_t binary_objects(struct binary *binary, struct object **objects);

/* The symbol that an address belongs to. */
struct symbol binary_symbol(const struct binary *binary, uint64_t address);

#endif
