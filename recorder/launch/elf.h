/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the launcher reads out of an executable file, by its headers alone: nothing of it is run. Only files for this machine's class and
 * processor are read further than that.
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
	const unsigned char *bytes; /* the file, mapped; NULL unless readable and not empty */
	size_t n_bytes;
};

/* Maps the file; elf_close() in any case. */
enum elf_kind elf_open(struct elf *elf, const char *path);
void elf_close(struct elf *elf);

/* The loader that the file asks for, NULL for a static program or a library. */
const char *elf_interpreter(const struct elf *elf);

/* The i-th library that it names (DT_NEEDED), NULL behind the last. */
const char *elf_needed(const struct elf *elf, unsigned i);

/* Does it define the symbol: for the loader (dynamic symbols), or at all? A stripped file defines only the former. */
bool elf_exports(const struct elf *elf, const char *symbol);
bool elf_defines(const struct elf *elf, const char *symbol);

#endif
