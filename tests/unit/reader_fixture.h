/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of the reader share: a directory for a dump, opening it and catching what is said, damaging its files.
 */
#ifndef OTTER_TESTS_READER_FIXTURE_H
#define OTTER_TESTS_READER_FIXTURE_H

#include "builder/dump/reader.h"
#include "tests/unit/dump_writer.h"

extern char reader_root[64];    /* a new directory for each test */
extern char reader_dir[128];    /* the dump's name in it */
extern char reader_said[65536]; /* what the last reader_open said on stderr */

void reader_setup(void);
void reader_teardown(void);

int reader_open(struct dump *dump, const char *path);
void reader_assert_said(const char *text);

/* How often damage of this name was counted. */
uint64_t reader_found(const struct dump *dump, const char *name);

/* Path of a file of the dump, until the next call. */
char *reader_file(const char *name);
void reader_patch(const char *name, uint64_t at, const void *bytes, size_t n);
void reader_flip(const char *name, uint64_t at);
struct segment_header reader_get_header(const char *name, uint64_t at);
void reader_put_header(const char *name, uint64_t at, struct segment_header h); /* makes its checksum right */

/* A root and n tasks in a stream, times from 10000 on, each 10 ns after the other. */
void reader_fill(struct dump_writer *w, uint32_t stream, unsigned n);

/* Are these the records of reader_fill, all of them, in order? */
void reader_assert_filled(const struct stream *s, unsigned n);

#endif
