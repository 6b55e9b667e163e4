/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of paradigms, made of builder/model/paradigms.def.
 */
#include "builder/model/paradigm.h"

#define PARADIGM_ROW(name) extern const struct paradigm paradigm_##name;
#include "builder/model/paradigms.def"
#undef PARADIGM_ROW

const struct paradigm *const paradigms[N_PARADIGMS] = {
#define PARADIGM_ROW(name) [PARADIGM_##name] = &paradigm_##name,
#include "builder/model/paradigms.def"
#undef PARADIGM_ROW
};
