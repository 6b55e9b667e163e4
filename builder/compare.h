/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --diff: compares runs with each other (builder/diff/). Called by main.c instead of run(), which it calls for dumps that are
 * not built yet.
 */
#ifndef OTTER_BUILDER_COMPARE_H
#define OTTER_BUILDER_COMPARE_H

#include "builder/run.h"

/*
 * The arguments are sides, or, where one of them is ":", these part the sides. Returns the exit status, after it printed
 * the comparison or the errors: EXIT_GOOD, EXIT_SLOWER, EXIT_TROUBLE, EXIT_INCOMPLETE or EXIT_REFUSED.
 */
int compare(const struct options *options);

#endif
