/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A visitor that holds the replay to what builder/replay/replay.h promises, whatever the records are: times of a stream do not decrease, scopes
 * nest within each task and each is left once, rows are rows of the tables. Ends the process where it is not so.
 */
#ifndef OTTER_TESTS_FUZZ_CONTRACT_H
#define OTTER_TESTS_FUZZ_CONTRACT_H

#include "builder/replay/replay.h"

struct contract;

struct contract *contract_begin(const struct model *model);
extern const struct replay_ops contract_ops;                 /* self: a struct contract */
void contract_end(struct contract *contract, bool is_whole); /* false: the replay was stopped */

/* Ends the process where a promise is broken. */
#define PROMISED(condition, what) ((condition) ? (void)0 : contract_broken(what))
_Noreturn void contract_broken(const char *what);

#endif
