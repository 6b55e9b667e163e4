/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads an archive of two locations at most with OTF2's own reader, as text. Each event is a word: <parallel >parallel
 * (Enter and Leave of a kind of region), F2 J (fork of two threads, join), T t (team begin, end), C1.7 S1.7 D1.7 (task
 * created, switched to, completed: rank and generation), A3 R3 (acquisition 3, its release), on off (measurement),
 * flush, B E (program begin, end).
 */
#ifndef OTTER_TESTS_ARCHIVE_TEXT_H
#define OTTER_TESTS_ARCHIVE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* By location: the events, their times, and how many they are. */
extern char archive_text[2][4096];
extern uint64_t archive_times[2][256];
extern unsigned archive_n_events[2];

extern unsigned archive_n_fragments; /* how many attributes Enter events have */
extern uint64_t archive_clock_first, archive_clock_length, archive_trace_id;

/* Reads DIR/traces.otf2, and fails where a location has not as many events as its definition says. Once in a process. */
void archive_read(const char *directory, size_t n_locations);

#endif
