/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks an address up in the debug information of a module and in its symbols. Addresses are the file's own (before any
 * relocation), so that nothing depends on where the file was loaded. One thread. No other file uses libdw.
 */
#ifndef OTTER_BUILDER_SYMBOLS_BINARY_H
#define OTTER_BUILDER_SYMBOLS_BINARY_H

#include "builder/symbols/module.h"

#include <stdint.h>

struct binary;

/* What is known about an address. Strings are "" where nothing is known, and live until the next binary_find(). */
struct source_place {
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

struct source_place binary_find(struct binary *binary, uint64_t address);

/*
 * The same for a function's first instruction, with the line of the function's name, where that is known: the line of the
 * instruction is that of the brace that opens the body.
 */
struct source_place binary_find_function(struct binary *binary, uint64_t address);

/* The file and the line at which a function begins, where its first instruction is: before its first statement's. */
struct source_place binary_find_entry(struct binary *binary, uint64_t address);

/* A symbol of the symbol table. */
struct symbol {
	const char *name; /* "": none; it lives as long as the binary */
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

/* ---- Debuginfod ---- */

/*
 * Debuginfod servers. libdwfl queries those that DEBUGINFOD_URLS names, wherever a binary's own debug information is not
 * found, and waits without limit. otter-build uses the network only if the user says so, and for a limited time. main.c
 * decides, binary.c frames the calls that may query; on the main thread, as these functions change the environment.
 */

/* No server is queried. */
void debuginfod_forbid(void);

/* Servers may be queried, for this many seconds in the whole run. Prints that they are queried. */
void debuginfod_allow(unsigned seconds);

/* Frame a call that may query servers. When the time is over, a warning is printed and no server is queried any more. */
void debuginfod_begin(void);
void debuginfod_end(void);

#endif
