/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Examines return addresses by the machine code of a recorded program, as long as the files that were mapped are still
 * there and the same: which call comes next, which function of another file a call calls, and which of its own.
 */
#ifndef OTTER_BUILDER_SYMBOLS_CODE_H
#define OTTER_BUILDER_SYMBOLS_CODE_H

#include "builder/symbols/instructions.h"
#include "builder/symbols/module.h"
#include "builder/symbols/binary.h"
#include "builder/model/construct.h"

/*
 * Is the next call after the return to `first` the one that returns to `second`? See instructions_next_call(). The
 * addresses are the process's. All three functions return CODE_UNKNOWN where the file is missing, has changed, or
 * does not show it.
 */
enum code_answer code_next_call(struct modules *modules, uint64_t first, uint64_t second);

/* Does the file that has this address call the function, which is another file's, anywhere? */
enum code_answer code_imports(struct modules *modules, uint64_t address, const char *function);

/* Does the call that returns to this address call the function, which is another file's? */
enum code_answer code_calls(struct modules *modules, uint64_t address, const char *function);

/* A call, and the function that it calls: another file's, or its own. Addresses are the file's. */
struct code_call {
	uint64_t address;   /* of the instruction; 0: none */
	const char *import; /* the other file's function; "" unknown or its own. It lives as long as the module */
	uint64_t target;    /* its own; 0 unknown or the other file's */
};

/* Can code_call_before() distinguish calls in the module? Only in x86-64 code. */
bool code_is_readable(const struct module *module);

/* The call that returns to `next`, an address of the file; one through a register is none. */
struct code_call code_call_before(const struct module *module, uint64_t next);

/* ---- Call ---- */

/*
 * Calls in the code of a binary, by the names of the functions that are called: which function is called where a return
 * address points to, and which one of the program's it passes. Only x86-64 is understood. One thread.
 */

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

/* ---- Entry point ---- */

/*
 * Entry points of the runtimes by name: which constructs are reported from inside of them, and whether compilers note the
 * construct's line at their calls. Any thread.
 */

/*
 * Does the entry point of the runtime with this name report constructs of this kind? Names are LLVM's (__kmpc_...,
 * __tgt_...), GNU's (GOMP_...), and OpenMP's own (omp_...).
 */
bool entry_point_reports(const char *callee, enum construct_kind kind);

/*
 * Does gcc note the construct's line at its calls of this entry point? At most of them it notes none, and the debug
 * information shows the line of whatever statement came before.
 */
bool entry_point_has_line(const char *callee, const char *producer);

/* The same for flang 19, which gives most calls the line of a statement before or after the directive. */
bool entry_point_has_flangs_line(const char *callee);

#endif
