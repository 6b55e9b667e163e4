/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the properties of an executable file that decide whether it can be recorded, by its headers alone: nothing of
 * the file is run. Only files for this machine's word size and processor are read in full.
 */
#ifndef OTTER_RECORDER_LAUNCH_ELF_H
#define OTTER_RECORDER_LAUNCH_ELF_H

#include <stdbool.h>
#include <stddef.h>

enum elf_kind {
	ELF_UNREADABLE,
	ELF_NOT,     /* some other file */
	ELF_FOREIGN, /* for another processor or word size */
	ELF_OURS
};

struct elf {
	enum elf_kind kind;
	const unsigned char *bytes; /* the file, mapped; NULL if it is empty or cannot be read */
	size_t n_bytes;
};

/* Maps the file. elf_close() has to follow in any case. */
enum elf_kind elf_open(struct elf *elf, const char *path);
void elf_close(struct elf *elf);

/* Returns the loader that the file names, NULL for a static program or a library. */
const char *elf_interpreter(const struct elf *elf);

/* Returns the i-th library that it names (DT_NEEDED), NULL after the last. */
const char *elf_needed(const struct elf *elf, unsigned i);

/* Returns its own name (DT_SONAME), NULL if it has none. */
const char *elf_soname(const struct elf *elf);

/* Returns the i-th version that it defines, NULL after the last. The first is its name. */
const char *elf_version(const struct elf *elf, unsigned i);

/* Does it need a version that begins so, of any library? */
bool elf_needs_version(const struct elf *elf, const char *prefix);

/* Does the file define the symbol: for the loader (dynamic symbols), or at all? A stripped file has only the former. */
bool elf_exports(const struct elf *elf, const char *symbol);
bool elf_defines(const struct elf *elf, const char *symbol);

#endif
