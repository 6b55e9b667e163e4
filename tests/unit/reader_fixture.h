/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of the reader share: a directory for a dump, opening the dump and keeping what is printed, and
 * damaging its files.
 */
#ifndef OTTER_TESTS_READER_FIXTURE_H
#define OTTER_TESTS_READER_FIXTURE_H

#include "builder/dump/reader.h"
#include "tests/unit/dump_writer.h"

extern char reader_root[64];    /* a new directory for each test */
extern char reader_dir[128];    /* the dump's name in it */
extern char reader_said[65536]; /* what the last reader_open() printed on stderr */

void reader_setup(void);
void reader_teardown(void);

/* dump_open(), with stderr going to reader_said. */
int reader_open(struct dump *dump, const char *path);

/* Fails unless reader_said has this text. */
void reader_assert_said(const char *text);

/* How often damage of this name was counted. */
uint64_t reader_found(const struct dump *dump, const char *name);

/* The path of a file of the dump; valid until the next call. */
char *reader_file(const char *name);
void reader_patch(const char *name, uint64_t at, const void *bytes, size_t n);
void reader_flip(const char *name, uint64_t at);
struct segment_header reader_get_header(const char *name, uint64_t at);
void reader_put_header(const char *name, uint64_t at, struct segment_header h); /* sets the right checksum */

/* Gives the dump the identity of this process, as a recorder would. The texts last until dump_writer_finish(). */
void reader_name_self(struct dump_writer *w, char host[256], char boot_id[64]);

/* Writes a root thread and n tasks to a stream, at times from 10000 ns on, 10 ns apart. */
void reader_fill(struct dump_writer *w, uint32_t stream, unsigned n);

/* Fails unless the stream has exactly the records of reader_fill(), in order. */
void reader_assert_filled(const struct stream *s, unsigned n);

#endif
