/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the machine code of a recorded program tells about return addresses, as long as the files that were mapped are
 * still there and the same. Called by gather/undeferred.c; one thread uses a struct code_files at a time.
 */
#ifndef OTTER_BUILDER_MODEL_CODE_H
#define OTTER_BUILDER_MODEL_CODE_H

#include "builder/dump/meta.h"
#include "builder/model/instructions.h"

struct code_file;

/* The files that were asked so far. Zeroed except for `meta` at first; always end it with code_close(). */
struct code_files {
	const struct meta *meta;
	struct code_file *files;
	size_t n;
};

void code_close(struct code_files *files);

/*
 * Is the next call after the return to `first` the one that returns to `second`? See instructions_next_call(). All
 * three functions answer CODE_UNKNOWN where the file is missing, has changed, or does not tell.
 */
enum code_answer code_next_call(struct code_files *files, uint64_t first, uint64_t second);

/* Does the file that has this address call the function, which is another file's, anywhere? */
enum code_answer code_imports(struct code_files *files, uint64_t address, const char *function);

/* Does the call that returns to this address call the function, which is another file's? */
enum code_answer code_calls(struct code_files *files, uint64_t address, const char *function);

#endif
