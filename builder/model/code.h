/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the machine code of a recorded program tells about return addresses, as long as the files that were mapped are
 * still there and the same: which call comes next, which function of another file a call calls, and which of its own.
 * Called by gather/undeferred.c, on the thread that walks the stream, and by call.c.
 */
#ifndef OTTER_BUILDER_MODEL_CODE_H
#define OTTER_BUILDER_MODEL_CODE_H

#include "builder/model/instructions.h"
#include "builder/model/module.h"

/*
 * Is the next call after the return to `first` the one that returns to `second`? See instructions_next_call(). The
 * addresses are the process's. All three functions answer CODE_UNKNOWN where the file is missing, has changed, or does
 * not tell.
 */
enum code_answer code_next_call(struct modules *modules, uint64_t first, uint64_t second);

/* Does the file that has this address call the function, which is another file's, anywhere? */
enum code_answer code_imports(struct modules *modules, uint64_t address, const char *function);

/* Does the call that returns to this address call the function, which is another file's? */
enum code_answer code_calls(struct modules *modules, uint64_t address, const char *function);

/* A call, and the function that it calls: another file's, or its own. Addresses are the file's. */
struct code_call {
	uint64_t address;   /* of the instruction; 0: there is none */
	const char *import; /* the other file's function; "" unknown or its own. It lives as long as the module */
	uint64_t target;    /* its own; 0 unknown or the other file's */
};

/* Can calls in the module be told apart by code_call_before()? In x86-64 code alone. */
bool code_is_readable(const struct module *module);

/* The call that returns to `next`, an address of the file; one through a register is none. */
struct code_call code_call_before(const struct module *module, uint64_t next);

#endif
