/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One executable or shared object and what its debug information says about an address. The only user of libdw.
 * Addresses are the file's own (before any relocation), so that nothing depends on where it was loaded.
 */
#ifndef OTTER_BUILDER_MODEL_BINARY_H
#define OTTER_BUILDER_MODEL_BINARY_H

#include <stdbool.h>
#include <stdint.h>

struct binary;

/* Strings are "" where nothing is known, and live until binary_close. */
struct place {
	const char *file; /* whole path */
	unsigned line;
	const char *function; /* the innermost inlined one, as its source calls it */
	const char *symbol;   /* of the symbol table, and where it begins */
	uint64_t symbol_address;
};

/* Opens `path` if its build id is `build_id` ("": unknown, and not compared). NULL where it cannot be used; says why once. */
struct binary *binary_open(const char *path, const char *build_id);
void binary_close(struct binary *binary);

/* The address of what is at `offset` of the file; false where nothing executable is loaded from there. */
bool binary_address(const struct binary *binary, uint64_t offset, uint64_t *address);

/* What is known about an address. */
struct place binary_find(struct binary *binary, uint64_t address);

#endif
