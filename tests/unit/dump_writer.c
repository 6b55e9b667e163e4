/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes synthetic dumps; dump_writer.h describes how it is used.
 */
#include "tests/unit/dump_writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REALTIME_AT_0 UINT64_C(1700000000000000000)

static void fail(const char *what)
{
	perror(what);
	exit(99);
}

static void *allocate(size_t n_bytes)
{
	void *block = calloc(1, n_bytes);
	if (block == NULL)
		fail("calloc");
	return block;
}

void dump_writer_init(struct dump_writer *w, const char *dir)
{
	*w = (struct dump_writer){
		.dir = strdup(dir),
		.segment_bytes = SEGMENT_BYTES_MIN,
		.ring_segments = 4,
		.ticks_per_ns = 1,
		.start_ticks = 1000,
		.end_ticks = 1000,
		.first_line = "otter-dump 1 0",
		.more_meta = "",
		.runtime = "LLVM OMP version: 5.0.20140926",
		.program = "/usr/bin/program",
		.pid = 4242,
		.pid_start = 77,
		.host = "testhost",
		.boot_id = "00000000-0000-0000-0000-000000000000",
	};
	if (w->dir == NULL || mkdir(dir, 0700) != 0)
		fail(dir);
}

static uint64_t ticks_to_ns(const struct dump_writer *w, uint64_t ticks)
{
	return ticks / w->ticks_per_ns;
}

static struct segment_header *header_of(const struct writer_stream *s)
{
	return (struct segment_header *)(void *)s->segments[s->n_segments - 1];
}

static void close_segment(struct writer_stream *s, uint32_t flags)
{
	if (s->n_segments > 0 && header_of(s)->closed == 0)
		header_of(s)->closed = segment_closed(s->used_bytes | flags);
}

/* The number that a stream of the writer has in the dump. */
static uint32_t number_of(uint32_t stream)
{
	if (stream == WRITER_SWITCHES)
		return ID_STREAM_SWITCHES;
	return stream < WRITER_SAMPLES ? stream : (stream - WRITER_SAMPLES) | ID_STREAM_SAMPLES;
}

static void open_segment(const struct dump_writer *w, struct writer_stream *s, uint32_t stream, uint64_t ticks)
{
	s->segments = reallocarray(s->segments, s->n_segments + 1, sizeof *s->segments);
	if (s->segments == NULL)
		fail("reallocarray");
	s->segments[s->n_segments++] = allocate(w->segment_bytes);
	s->used_bytes = sizeof(struct segment_header);
	struct segment_header *h = header_of(s);
	*h = (struct segment_header){
		.magic = SEGMENT_MAGIC,
		.sequence = s->n_segments,
		.stream = number_of(stream),
		.ticks = ticks,
		.monotonic_ns = ticks_to_ns(w, ticks),
		.realtime_ns = REALTIME_AT_0 + ticks_to_ns(w, ticks),
		.tid = 1000 + stream,
		.n_tasks = s->n_tasks,
		.n_regions = s->n_regions,
		.n_lost = s->n_lost,
		.n_records = s->n_records,
	};
	h->checksum = segment_checksum(h);
}

static void count_ids(struct writer_stream *s, uint32_t stream, unsigned kind, uint64_t value, uint64_t a)
{
	if ((kind == EVENT_task_create || kind == EVENT_implicit_task_begin) && value > s->n_tasks)
		s->n_tasks = value;
	if (kind == EVENT_parallel_begin && value > s->n_regions)
		s->n_regions = value;
	if (kind == EVENT_implicit_task_begin && id_stream(a) == stream && id_counter(a) > s->n_regions)
		s->n_regions = id_counter(a);
}

void dump_writer_record(struct dump_writer *w, uint32_t stream, uint64_t ticks, unsigned kind, unsigned flags, uint64_t value,
			uint64_t a, uint64_t b)
{
	struct writer_stream *s = &w->streams[stream];
	int is_continuation = kind >= EVENT_CONTINUATION_FIRST && kind <= EVENT_CONTINUATION_LAST;
	if (s->n_segments == 0 || header_of(s)->closed != 0)
		open_segment(w, s, stream, is_continuation ? w->end_ticks : ticks);
	struct record *r = (struct record *)(void *)(s->segments[s->n_segments - 1] + s->used_bytes);
	*r = (struct record){ticks, record_head((enum event_kind)kind, flags, value), a, b};
	s->used_bytes += (uint32_t)sizeof *r;
	s->n_records++;
	count_ids(s, stream, kind, value, a);
	if (!is_continuation && ticks > w->end_ticks)
		w->end_ticks = ticks;
	if (kind == EVENT_records_lost && flags < LOSS_CAUSES) {
		s->lost[flags] += a;
		s->n_lost += a;
	}
	if (s->used_bytes == w->segment_bytes)
		close_segment(s, 0);
}

void dump_writer_dependences(struct dump_writer *w, uint32_t stream, uint64_t ticks, uint64_t task, size_t n,
			     const uint64_t *variables, const unsigned *types)
{
	dump_writer_record(w, stream, ticks, EVENT_dependences, n == 0 ? 0 : types[0], n, task, n == 0 ? 0 : variables[0]);
	for (size_t i = 1; i < n; i += 3) {
		uint64_t variable[3] = {0}, packed = 0;
		unsigned count = n - i < 3 ? (unsigned)(n - i) : 3;
		for (unsigned k = 0; k < count; k++) {
			variable[k] = variables[i + k];
			packed |= (uint64_t)types[i + k] << (8 * k);
		}
		dump_writer_record(w, stream, variable[0], EVENT_dependences_more, count, packed, variable[1], variable[2]);
	}
}

void dump_writer_root(struct dump_writer *w, uint32_t stream, uint64_t ticks, uint64_t task, uint64_t region)
{
	dump_writer_record(w, stream, ticks, EVENT_thread_attach, 0, 0, 1000 + stream, UINT64_MAX);
	dump_writer_record(w, stream, ticks, EVENT_thread_begin, thread_type_initial, 0, 0, 0);
	dump_writer_record(w, stream, ticks, EVENT_implicit_task_begin, task_flags_initial, task, id_make(stream, region),
			   UINT64_C(1) << 32 | 1);
}

void dump_writer_close_segment(struct dump_writer *w, uint32_t stream)
{
	close_segment(&w->streams[stream], 0);
}

static void write_at(int fd, const void *bytes, size_t n, uint64_t at)
{
	if (pwrite(fd, bytes, n, (off_t)at) != (ssize_t)n)
		fail("pwrite");
}

static int open_file(const struct dump_writer *w, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", w->dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		fail(path);
	return fd;
}

static uint32_t used_bytes(const struct dump_writer *w, const struct writer_stream *s, size_t i)
{
	return i + 1 == s->n_segments ? s->used_bytes : w->segment_bytes;
}

/* Writes the first n segments to a file; *place counts the places in a file that several streams share. */
static void write_segments(const struct dump_writer *w, const struct writer_stream *s, size_t n, const char *name, uint64_t *place)
{
	int fd = n > 0 ? open_file(w, name) : -1;
	for (size_t i = 0; i < n; i++) {
		const struct segment_header *h = (const struct segment_header *)(const void *)s->segments[i];
		uint32_t used = h->closed != 0 ? low32(h->closed) & ~SEGMENT_SEALED : used_bytes(w, s, i);
		if (i + 1 != s->missing)
			write_at(fd, s->segments[i], used, (*place)++ * w->segment_bytes);
	}
	if (fd >= 0)
		close(fd);
}

static void write_ring(const struct dump_writer *w, const struct writer_stream *s, uint32_t stream)
{
	char name[32];
	snprintf(name, sizeof name, "%05u.ring", number_of(stream));
	int fd = open_file(w, name);
	bool is_open =
		s->n_segments > 0 && ((const struct segment_header *)(const void *)s->segments[s->n_segments - 1])->closed == 0;
	uint64_t position = is_open ? s->n_segments * w->segment_bytes + s->used_bytes : (s->n_segments + 1) * w->segment_bytes;
	struct ring_control control = {
		.magic = RING_MAGIC,
		.major = FORMAT_PLAIN_MAJOR,
		.minor = FORMAT_PLAIN_MINOR,
		.stream = number_of(stream),
		.n_segments = w->ring_segments,
		.segment_bytes = w->segment_bytes,
		.pid = (uint64_t)w->pid,
		.position = position,
	};
	memcpy(control.lost, s->lost, sizeof control.lost);
	control.n_tasks = s->n_tasks;
	control.n_regions = s->n_regions;
	control.checksum = ring_checksum(&control);
	write_at(fd, &control, sizeof control, 0);
	if (ftruncate(fd, (off_t)(RING_CONTROL_BYTES + (uint64_t)w->ring_segments * w->segment_bytes)) != 0)
		fail("ftruncate");
	size_t first = s->n_segments > w->ring_segments ? s->n_segments - w->ring_segments : 0;
	for (size_t i = first; i < s->n_segments; i++)
		if (i + 1 != s->missing)
			write_at(fd, s->segments[i], w->segment_bytes,
				 RING_CONTROL_BYTES + (i % w->ring_segments) * w->segment_bytes);
	close(fd);
}

static void write_stream(const struct dump_writer *w, uint32_t stream, uint64_t *drain_place)
{
	const struct writer_stream *s = &w->streams[stream];
	char name[32];
	uint64_t place = 0;
	size_t in_ring = s->n_segments < w->ring_segments ? s->n_segments : w->ring_segments;
	bool is_open = ((const struct segment_header *)(const void *)s->segments[s->n_segments - 1])->closed == 0;
	snprintf(name, sizeof name, "%05u.seg", number_of(stream));
	switch (s->place) {
	case WRITER_STREAM_FILE: write_segments(w, s, s->n_segments, name, &place); break;
	case WRITER_DRAIN_FILE: write_segments(w, s, s->n_segments, "drain.seg", drain_place); break;
	case WRITER_RING: write_segments(w, s, s->n_segments - in_ring, name, &place); break;
	case WRITER_RING_AND_FILE: write_segments(w, s, s->n_segments - is_open, name, &place); break;
	}
	if (s->place == WRITER_RING || s->place == WRITER_RING_AND_FILE)
		write_ring(w, s, stream);
}

static void print_triple(FILE *f, const struct dump_writer *w, const char *key, uint64_t ticks)
{
	fprintf(f, "%s %llu %llu %llu\n", key, (unsigned long long)ticks, (unsigned long long)ticks_to_ns(w, ticks),
		(unsigned long long)(REALTIME_AT_0 + ticks_to_ns(w, ticks)));
}

static void write_meta(const struct dump_writer *w)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/meta", w->dir);
	FILE *f = fopen(path, "we");
	if (f == NULL)
		fail(path);
	fprintf(f, "%s\nbyte_order little\nrecord_bytes 32\nsegment_bytes %u\nsegment_header_bytes 128\n", w->first_line,
		w->segment_bytes);
	fprintf(f, "ring_segments %u\nring_control_bytes %d\n", w->ring_segments, RING_CONTROL_BYTES);
	for (unsigned i = 0; i < n_event_infos; i++)
		fprintf(f, "kind %u 32 %s\n", event_infos[i].number, event_infos[i].name);
	fprintf(f, "recorder %s ompt\nclock %s\n", OTTER_VERSION_STRING, w->ticks_per_ns == 1 ? "monotonic" : "tsc");
	fprintf(f, "pid %ld\npid_start %llu\nppid 1\nhost %s\nboot_id %s\n", w->pid, (unsigned long long)w->pid_start, w->host,
		w->boot_id);
	fprintf(f, "program %s\narg %s\ncwd /\nring_fs other\n", w->program, w->program);
	print_triple(f, w, "start", w->start_ticks);
	fprintf(f, "runtime %s\nomp_version 201611\nsetting keep all\n%s", w->runtime, w->more_meta);
	for (uint32_t i = 0; i < WRITER_STREAMS && !w->is_killed; i++) {
		const struct writer_stream *s = &w->streams[i];
		for (unsigned cause = 1; cause < LOSS_CAUSES; cause++)
			if (s->lost[cause] > 0)
				fprintf(f, "%s %s %llu\n", i < WRITER_SAMPLES ? "lost" : "lost_samples",
					event_enum_name("loss_cause", cause), (unsigned long long)s->lost[cause]);
		if (s->n_segments > 0)
			fprintf(f, "stream %u %s %llu %zu %llu 0\n", number_of(i), s->is_live ? "live" : "sealed",
				(unsigned long long)s->n_records, s->n_segments, (unsigned long long)s->n_lost);
	}
	if (!w->is_killed) {
		print_triple(f, w, "end", w->end_ticks + 1000);
		fprintf(f, "ended finalize\n");
	}
	if (fclose(f) != 0)
		fail(path);
}

void dump_writer_finish(struct dump_writer *w)
{
	uint64_t drain_place = 0;
	for (uint32_t i = 0; i < WRITER_STREAMS; i++) {
		struct writer_stream *s = &w->streams[i];
		if (s->n_segments == 0)
			continue;
		if (!s->is_live && header_of(s)->closed == 0)
			close_segment(s, SEGMENT_SEALED);
		else if (!s->is_live)
			header_of(s)->closed = segment_closed(s->used_bytes | SEGMENT_SEALED);
		write_stream(w, i, &drain_place);
	}
	write_meta(w);
	for (uint32_t i = 0; i < WRITER_STREAMS; i++) {
		for (size_t k = 0; k < w->streams[i].n_segments; k++)
			free(w->streams[i].segments[k]);
		free(w->streams[i].segments);
	}
	free(w->dir);
}

void dump_writer_remove(const char *dir)
{
	DIR *d = opendir(dir);
	if (d == NULL)
		return;
	const struct dirent *entry;
	char path[4096];
	while ((entry = readdir(d)) != NULL)
		if (entry->d_name[0] != '.' && snprintf(path, sizeof path, "%s/%s", dir, entry->d_name) < (int)sizeof path)
			unlink(path);
	closedir(d);
	rmdir(dir);
}
