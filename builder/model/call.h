/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls in the code of a binary, by the names of the functions that are called: which function is called where a return
 * address points to, and which one of the program's it passes. Only x86-64 is understood. Called by symbols.c; one thread.
 */
#ifndef OTTER_BUILDER_MODEL_CALL_H
#define OTTER_BUILDER_MODEL_CALL_H

#include "builder/model/binary.h"

struct call {
	bool is_readable;   /* the binary is for a processor whose calls can be read */
	const char *callee; /* lives as long as the binary; "" unknown, as of a call through a register */
	uint64_t address;   /* of the call instruction */
	uint64_t outlined;  /* address of the function of gcc's (NAME._omp_fn.N) that it passes first; 0 none */
};

/* The call that returns to `address`, as the module's file has it. */
struct call call_before(const struct binary *binary, uint64_t address);

/* The first call after `address` of a function whose name begins with `callee`, before any call of `stop`; 0 none. */
uint64_t call_after(const struct binary *binary, uint64_t address, const char *callee, const char *stop);

#endif
