/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides whether LLVM's runtime takes the place of gcc's libgomp, which has no tools interface, and how the program and its
 * children find it. recorder/gomp/ is a library with libgomp's name and versions that needs libomp. The loader finds it
 * by a folder before LD_LIBRARY_PATH; where it would not, LD_PRELOAD names it as well, and on demand LD_AUDIT
 * leads to it. Or libgomp is left alone, with a reason.
 */
#ifndef OTTER_RECORDER_LAUNCH_GOMP_H
#define OTTER_RECORDER_LAUNCH_GOMP_H

#include <limits.h>
#include <stdbool.h>

#include "recorder/launch/target.h"

struct gomp {
	bool is_replaced;
	bool is_preloaded;                    /* by LD_PRELOAD, too */
	char folder[PATH_MAX];                /* where the loader finds the library: $LIB in it is the loader's to replace */
	char library[PATH_MAX];               /* the library itself */
	char libgomp[PATH_MAX];               /* of gcc's libgomp, for what libomp does not have; empty: it is not installed */
	char libomp[PATH_MAX];                /* that it needs */
	char libomp_dir[PATH_MAX];            /* where the loader has to search for that one, else empty */
	bool is_libomp_preloaded;             /* it has to be, as no folder has it under the name libomp.so.5 */
	char reason[3 * PATH_MAX];            /* why libgomp is left alone */
	bool is_audited;                      /* by LD_AUDIT, too: any name or path of a libgomp leads to the library */
	char audit_reason[3 * PATH_MAX + 64]; /* why it is not; "": that was not demanded */
};

/* What the user demands. */
struct gomp_wishes {
	bool may_replace; /* libgomp */
	bool audits;
};

/* Decides. `recorder` is the path of the recorder beside which the library is. */
void gomp_choose(struct gomp *gomp, const struct target *target, const char *recorder, const struct gomp_wishes *wishes);

/* Changes the environment for the program. False, with errno: there is no memory. */
bool gomp_apply(const struct gomp *gomp);

#endif
