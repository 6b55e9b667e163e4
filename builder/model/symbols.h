/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names for code addresses, from the binaries that the dump's maps name (libdw). A binary whose build id is no longer the
 * recorded one is noticed and not used for lines.
 */
#ifndef OTTER_BUILDER_MODEL_SYMBOLS_H
#define OTTER_BUILDER_MODEL_SYMBOLS_H

#include "builder/model/tables.h"

/*
 * Fills label, file, function and line of every construct of the model. `codeptr` is a return address: codeptr - 1 is looked up.
 * Where it is a function (of Argobots' units) the label is "<kind>@<function>".
 * Of inlined code the innermost frame counts. Label: "<kind>@<file name>:<line>"; without lines "<kind>@<function>+0x<offset>";
 * without symbols "<kind>@<module>+0x<offset>"; without a map "<kind>@0x<address>"; without an address "<kind>". 0, or -1.
 * Counts binaries that changed or are gone as warnings.
 */
int symbols_resolve(struct model *model);

/* The word of a construct kind: "task", "parallel", "taskwait", ... */
const char *construct_kind_name(enum construct_kind kind);

#endif
