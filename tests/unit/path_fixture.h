/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of the critical path share: synthetic programs whose times are chosen, so that their paths can be worked out by hand. Ticks are ns; every
 * record is 10 behind the one before it, and later where the test says so.
 */
#ifndef OTTER_TESTS_PATH_FIXTURE_H
#define OTTER_TESTS_PATH_FIXTURE_H

#include "builder/graph/path.h"
#include "tests/unit/replay_fixture.h"

/* The next record comes n ticks behind the last one. */
void path_pass(uint64_t n);

void path_switch_task(uint32_t stream, unsigned status, uint64_t prior, uint64_t next);

/* Runs a task that executes n ticks; 10 are between, in the task that it runs in. */
void path_run_for(uint64_t task, uint64_t in, uint64_t n);

/* Creates a task with one dependence, always on the same variable. */
uint64_t path_depend(uint64_t counter, uint64_t parent, unsigned type);

/* Builds the graph of fragments, and checks what holds of any path. */
void path_build(void);

/* "initial 30, region 0, ..." */
const char *path_text(void);

/* It is exact, and this. */
void path_check(const char *wanted, uint64_t work_ns);

/* Around what a test puts in: the initial task executes 10 before the region, the implicit task's begin, and 10 behind it. */
#define PATH_BEFORE "initial 10, region 0, "
#define PATH_BEHIND "join 0, fragment 10"

#endif
