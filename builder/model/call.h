/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls in the code of a binary: which function is called where a return address points to, by what name. Only x86-64 is
 * understood. Used by symbols.c; one thread.
 */
#ifndef OTTER_BUILDER_MODEL_CALL_H
#define OTTER_BUILDER_MODEL_CALL_H

#include "builder/model/construct.h"

#include <elfutils/libdwfl.h>

struct call {
	bool is_readable;   /* the binary is for a processor whose calls can be read */
	const char *callee; /* lives as long as the module; "" unknown, as of a call through a register */
	uint64_t address;   /* of the call instruction */
	uint64_t outlined;  /* address of the function of gcc's (NAME._omp_fn.N) that it passes first; 0 none */
};

/* The call that returns to `address`, as the module's file has it. */
struct call call_before(Dwfl_Module *module, uint64_t address);

/* The first call after `address` of a function whose name begins with `callee`, before any call of `stop`; 0 none. */
uint64_t call_after(Dwfl_Module *module, uint64_t address, const char *callee, const char *stop);

/*
 * Does the entry point of the runtime with this name report constructs of this kind? Names are LLVM's (__kmpc_...,
 * __tgt_...), GNU's (GOMP_...), and OpenMP's own (omp_...).
 */
bool call_reports(const char *callee, enum construct_kind kind);

/*
 * Does gcc note the construct's line at its calls of this entry point? At most of them it notes none, and the debug
 * information shows the line of whatever statement came before.
 */
bool call_has_line(const char *callee);

/* The same for flang 19, which gives most calls the line of a statement before or after the directive. */
bool call_has_flangs_line(const char *callee);

#endif
