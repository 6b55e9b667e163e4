/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names for the constructs of a model: their source lines and functions, from the binaries that the dump's maps name. A
 * binary whose build id is no longer the recorded one is not used, and the user is warned. One thread.
 */
#ifndef OTTER_BUILDER_SYMBOLS_SYMBOLS_H
#define OTTER_BUILDER_SYMBOLS_SYMBOLS_H

#include "builder/model/tables.h"

/* What is known of binaries, which are opened once for all processes that have them. */
struct symbols;
struct binary;
struct module;

struct symbols *symbols_open(void);
void symbols_close(struct symbols *symbols);

/* The modules in which names were looked up so far, by number from 0 on; NULL: there are no more. */
const struct module *symbols_module(const struct symbols *symbols, size_t number);

/*
 * Fills label, file, function and line of every construct of the model. A construct's `codeptr` is a return address, so
 * codeptr - 1 is looked up; only for Argobots' units it is the address of a function. In inlined code the innermost
 * function counts. The label is
 *   "<kind>@<function>"              for Argobots' units
 *   "<kind>@<file name>:<line>"      otherwise
 *   "<kind>@<function>+0x<offset>"   if there are no lines
 *   "<kind>@<module>+0x<offset>"     if there are no symbols
 *   "<kind>@0x<address>"             if no map has the address
 *   "<kind>"                         if there is no address
 * Warns once of each binary that changed or is gone.
 */
void symbols_resolve(struct symbols *symbols, struct model *model);

/*
 * What is known of the binary that has an executable map at this address of the process that was resolved last; NULL: it
 * cannot be used. `module` is set to the binary's.
 */
struct binary *symbols_binary(struct symbols *symbols, uint64_t address, const struct module **module);

#endif
