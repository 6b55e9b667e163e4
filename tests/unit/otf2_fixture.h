/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of archives share: a synthetic dump is written, its archive is made by builder/otf2, and is read back as
 * text (archive_text.h).
 */
#ifndef OTTER_TESTS_OTF2_FIXTURE_H
#define OTTER_TESTS_OTF2_FIXTURE_H

#include "tests/unit/archive_text.h"
#include "tests/unit/dump_writer.h"

extern char otf2_dir[128], otf2_out[128]; /* the names of dump and archive, in a new directory for each test */
extern struct dump_writer otf2_writer;
extern uint64_t otf2_now; /* the time of the latest record */

void otf2_setup(void);
void otf2_teardown(void);

/* A record, 10 ns after the one before. */
void otf2_put(uint32_t stream, unsigned kind, unsigned flags, uint64_t value, uint64_t a, uint64_t b);
void otf2_schedule(uint32_t stream, uint64_t prior, unsigned status, uint64_t next);

/* A root thread, a region of two threads: implicit tasks 0:2 and 1:1; and their ends. */
void otf2_begin_program(void);
void otf2_end_program(void);
static const uint64_t otf2_primary = UINT64_C(2) << ID_STREAM_BITS, otf2_worker = UINT64_C(1) << ID_STREAM_BITS | 1;

/* The primary thread's implicit task creates a task. Returns its id. */
uint64_t otf2_create(uint64_t counter, unsigned flags);

/* Builds the dump's archive and reads it back. */
void otf2_build(size_t n_locations);

/* What all tests have around their own events, on either thread. */
#define ON_PRIMARY(events) "B <initial task F2 T <parallel" events " >parallel t J >initial task E"
#define ON_WORKER(events)  "T <parallel" events " >parallel t"

#endif
