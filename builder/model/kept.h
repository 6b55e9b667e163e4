/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The binaries that the launcher has kept in a dump (docs/format.md): where the copy of a build id is, whether it is as
 * large as it was when it was made, and why there is none. Called by module.c and binary.c; one thread.
 */
#ifndef OTTER_BUILDER_MODEL_KEPT_H
#define OTTER_BUILDER_MODEL_KEPT_H

#include <stdbool.h>

enum kept_sort { KEPT_BINARY, KEPT_DEBUG };

/* Opens the kept file of a build id. -1: there is none, or it is damaged. `dump`: its directory; NULL: there is none. */
int kept_open(const char *dump, const char *build_id, enum kept_sort sort, bool *is_damaged);

/* Why the file was not kept, in words: "" the dump does not say. The caller frees it. */
char *kept_reason(const char *dump, const char *build_id, const char *path);

#endif
