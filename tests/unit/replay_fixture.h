/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of replay and graph share: a synthetic dump, written record by record at times that follow each other, and what the
 * builder makes of it. Streams are numbers, tasks ids; the usual program is a root on stream 0 with one region.
 */
#ifndef OTTER_TESTS_REPLAY_FIXTURE_H
#define OTTER_TESTS_REPLAY_FIXTURE_H

#include "builder/graph/files.h"
#include "builder/states/states.h"
#include "tests/unit/dump_writer.h"

extern struct dump_writer replay_writer;
extern struct trace replay_trace;
extern struct graph replay_graph;
extern struct states replay_states;
extern uint64_t replay_now; /* ticks of the latest record */

void replay_setup(void);
void replay_teardown(void);

/* ---- Writing ---- */

void replay_put(uint32_t stream, unsigned kind, unsigned flags, uint64_t value, uint64_t a, uint64_t b);
void replay_begin_region(uint64_t region, unsigned threads);
void replay_begin_implicit(uint32_t stream, uint64_t task, uint64_t region, uint64_t threads, uint64_t index);
void replay_end_implicit(uint32_t stream, uint64_t task, uint64_t index);
void replay_sync_begin(uint32_t stream, unsigned kind, uint64_t task);
void replay_sync_end(uint32_t stream, unsigned kind, uint64_t task);

/* Creates an explicit task in stream 0; returns its id. */
uint64_t replay_create(uint64_t counter, uint64_t parent);

/* Runs a task from begin to end inside of another, in stream 0. */
void replay_run_task(uint64_t task, uint64_t in);

/* The usual beginning: a root, region 2, its implicit task 2 on stream 0, whose id is returned; and the end of all that. */
uint64_t replay_begin_program(unsigned threads);
void replay_end_program(void);

/* ---- Reading ---- */

/*
 * Writes the dump, reads it, gathers, replays and builds its graph; replay_done frees all that. What always holds of thread states is
 * checked: a thread's states follow each other without gap or overlap, and add up to its life. And a graph that is only
 * counted has the same counts.
 */
void replay_build(enum graph_level level);
void replay_done(void);

/* Builds the task graph, and keeps what is said meanwhile; this must have been said. */
void replay_build_said(void);
void replay_assert_said(const char *text);

/* Builds: one repair of this name comes, about which this is said. With replay_done. */
void replay_assert_repair(const char *name, const char *text);

/* The states that the thread of a stream came through, in order: "overhead work_serial ... ". */
const char *replay_states_seen(uint32_t stream);

uint64_t replay_count_of(const struct tally *tally, const char *name);
uint64_t replay_n_repairs(void); /* of all names */
unsigned replay_n_nodes(enum node_kind kind);

/* Edges of a kind between two tasks by id; 0 is any node. */
unsigned replay_edges(uint64_t source, uint64_t target, enum edge_kind kind);

/* Prints the canonical list of what replay_build() built. */
void replay_print_canonical(FILE *out);

#endif
