/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Entry points of the runtimes by name: which constructs are reported from inside of them, and whether compilers note the
 * construct's line at their calls. Called by symbols.c; any thread.
 */
#ifndef OTTER_BUILDER_MODEL_ENTRY_POINT_H
#define OTTER_BUILDER_MODEL_ENTRY_POINT_H

#include "builder/model/construct.h"

/*
 * Does the entry point of the runtime with this name report constructs of this kind? Names are LLVM's (__kmpc_...,
 * __tgt_...), GNU's (GOMP_...), and OpenMP's own (omp_...).
 */
bool entry_point_reports(const char *callee, enum construct_kind kind);

/*
 * Does gcc note the construct's line at its calls of this entry point? At most of them it notes none, and the debug
 * information shows the line of whatever statement came before.
 */
bool entry_point_has_line(const char *callee);

/* The same for flang 19, which gives most calls the line of a statement before or after the directive. */
bool entry_point_has_flangs_line(const char *callee);

#endif
