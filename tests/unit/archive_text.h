/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An archive as text, read by OTF2's own reader, of two locations at most. An event is a letter and what it names: <parallel >parallel (Enter, Leave of a
 * region kind), F J (fork, join), T t (team begin, end), C1.7 S1.7 D1.7 (task created, switched to, done: rank and generation), A3 R3 (acquisition and
 * release), on off, flush, B E (program).
 */
#ifndef OTTER_TESTS_ARCHIVE_TEXT_H
#define OTTER_TESTS_ARCHIVE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* By location: the events, their times, and how many they are. */
extern char archive_text[2][4096];
extern uint64_t archive_times[2][256];
extern unsigned archive_n_events[2];

extern unsigned archive_n_fragments; /* attributes of Enter */
extern uint64_t archive_clock_first, archive_clock_length, archive_trace_id;

/* Reads DIR/traces.otf2; each location must have as many events as its definition says. Once a process. */
void archive_read(const char *directory, size_t n_locations);

#endif
