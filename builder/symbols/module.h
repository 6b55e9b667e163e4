/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The modules of a recorded process: executables and shared objects that its maps name, opened once each if they are still
 * those that were recorded. Here are their bytes, by address; code.h examines their machine code, binary.h their debug
 * information. Nothing is printed here: binary.c does that. One thread uses a struct modules at a time.
 */
#ifndef OTTER_BUILDER_SYMBOLS_MODULE_H
#define OTTER_BUILDER_SYMBOLS_MODULE_H

#include "builder/dump/meta.h"

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum module_state {
	MODULE_NO_FILE,        /* [vdso] and the like, or a device */
	MODULE_CANNOT_BE_READ, /* see `error` */
	MODULE_IS_NOT_ELF,
	MODULE_HAS_CHANGED, /* it has the build id `found_id`, or none */
	MODULE_IS_USABLE,
};

/* A stretch of the file that is loaded. Addresses are the file's own. */
struct loaded {
	uint64_t address, offset, n_bytes;
	uint64_t n_memory_bytes; /* with what the file does not have: zeroes */
	bool is_code;
};

struct module {
	char *path, *build_id; /* as recorded; build_id "": unknown, and not compared */
	char *dump;            /* the directory that may have a copy; NULL: none */
	bool is_kept;          /* what is used is the dump's copy */
	bool is_kept_damaged;  /* the dump's copy is not what it was */
	enum module_state state;
	int error; /* an errno */
	char found_id[256];
	int fd; /* -1: it was not opened */
	Elf *elf;
	/* What follows is 0 unless the state is MODULE_IS_USABLE. */
	unsigned machine;           /* EM_X86_64 and others */
	const unsigned char *bytes; /* of the whole file */
	size_t n_bytes;
	struct loaded *segments;
	size_t n_segments;
};

/*
 * The modules that were looked up so far. Zeroed except for `meta` at first; always end it with modules_close(). `meta`
 * may become that of another process: modules that both have are opened once.
 */
struct modules {
	const struct meta *meta;
	struct module **rows;
	size_t n;
};

/* The module that is mapped at an address of the process, and the file's offset there; NULL: no map has the address. */
const struct module *modules_find(struct modules *modules, uint64_t address, uint64_t *offset);
void modules_close(struct modules *modules);

/* Sets *address to the address of the byte at `offset` of the file; false if no executable segment has that byte. */
bool module_address(const struct module *module, uint64_t offset, uint64_t *address);

/* Is this address in the loaded module? It may be beyond the file's bytes. */
bool module_has(const struct module *module, uint64_t address);

/* The file's bytes from an address on, and how many of them there are in its segment; NULL if it is in none. */
const unsigned char *module_bytes(const struct module *module, uint64_t address, size_t *n);

/* ---- Kept ---- */

/*
 * The binaries that the launcher has kept in a dump (docs/format.md): where the copy of a build id is, whether it is as
 * large as it was when it was made, and why there is none. Called by module.c and binary.c; one thread.
 */

enum kept_sort { KEPT_BINARY, KEPT_DEBUG };

/* Opens the kept file of a build id. -1: none, or it is damaged. `dump`: its directory; NULL: none. */
int kept_open(const char *dump, const char *build_id, enum kept_sort sort, bool *is_damaged);

/* Why the file was not kept, in words: "" the dump does not say. The caller frees it. */
char *kept_reason(const char *dump, const char *build_id, const char *path);

#endif
