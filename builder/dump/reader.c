/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens and closes a dump. The order is: meta, rings, files, and then streams out of all segments found. Rings come
 * before files, because a segment that leaves the ring of a running process meanwhile is in a file by then. Nothing
 * here trusts a byte of the dump.
 *
 * Runs on the builder's one thread.
 */
#include "builder/dump/reader_private.h"
#include "builder/support/memory.h"
#include "common/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Flight recorders' dumps ---- */

/*
 * Cuts a flight recorder's dump (OTTER_KEEP=newest) to the time that all its streams cover. Each stream has kept its
 * newest segments, which reach back less far in a busy stream than in an idle one. Only whole segments are left out,
 * because replay begins with a segment's header. Called last by dump_open(), on its thread.
 */

/* The index of the last segment that follows a gap; 0 if there is no gap, or only before the first segment. */
static size_t last_gap(const struct stream *s)
{
	size_t i = s->n_segments - 1;
	while (i > 0 && !s->segments[i].is_after_gap)
		i--;
	return i;
}

/*
 * How many segments ended before `begin` (ticks): those after which the next one was opened before it. The last one
 * stays.
 */
static size_t count_before(const struct stream *s, uint64_t begin)
{
	size_t n = 0;
	while (n + 1 < s->n_segments && s->segments[n + 1].header->ticks <= begin)
		n++;
	return n;
}

/* Removes the first n segments. Returns the number of records that were in them, and in groups that this cuts. */
static uint64_t leave_out(struct reader *r, struct stream *s, size_t n)
{
	uint64_t n_before = s->n_records;
	if (n == 0)
		return 0;
	s->n_segments -= n;
	memmove(s->segments, s->segments + n, s->n_segments * sizeof *s->segments);
	s->segments[0].is_after_gap = true;
	reader_drop_cut_groups(r, s);
	s->n_records = 0;
	for (size_t i = 0; i < s->n_segments; i++)
		s->n_records += s->segments[i].n_records;
	return n_before - s->n_records;
}

void reader_cut_window(struct reader *r)
{
	struct dump *dump = r->dump;
	uint64_t begin = 0;
	for (size_t i = 0; i < dump->n_streams; i++) {
		const struct segment *segment = &dump->streams[i].segments[last_gap(&dump->streams[i])];
		if (segment->is_after_gap && segment->header->ticks > begin)
			begin = segment->header->ticks;
	}
	if (!r->is_newest || begin == 0)
		return;
	for (size_t i = 0; i < dump->n_streams; i++)
		dump->n_left_out += leave_out(r, &dump->streams[i], count_before(&dump->streams[i], begin));
	dump->n_records -= dump->n_left_out;
	for (size_t i = 0; i < dump->n_samples; i++)
		leave_out(r, &dump->samples[i], count_before(&dump->samples[i], begin));
	if (dump->switches)
		leave_out(r, dump->switches, count_before(dump->switches, begin));
	dump->window_ticks = begin;
	if (dump->n_left_out > 0)
		warning("%s: a flight recorder's dump: cut to what all streams cover, from %.6f s on; %llu older records left out",
			dump->path, (double)dump_ns(dump, begin) * 1e-9, (unsigned long long)dump->n_left_out);
}

/* Reads the first line of a small file of /proc; "" if it cannot be read. */
static void read_proc(const char *path, char *text, size_t n_bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, n_bytes - 1);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

bool dump_process_runs(const struct meta *m)
{
	char text[1024];
	read_proc("/proc/sys/kernel/random/boot_id", text, sizeof text);
	if (m->pid <= 0 || *text == '\0' || strcmp(text, m->boot_id) != 0)
		return false;
	if (gethostname(text, sizeof text) != 0 || strcmp(text, m->host) != 0)
		return false;
	return process_runs(m->pid, m->pid_start);
}

/* Sets path and name: the dump "dir/x.otter/" has the name "x". */
static void set_names(struct dump *dump, const char *path)
{
	dump->path = text_copy(path);
	size_t n = strlen(dump->path);
	while (n > 1 && dump->path[n - 1] == '/')
		dump->path[--n] = '\0';
	char real[4096];
	const char *whole = dump->path;
	const char *slash = strrchr(whole, '/');
	const char *last = slash == NULL ? whole : slash + 1;
	if ((strcmp(last, ".") == 0 || strcmp(last, "..") == 0) && strlen(whole) < sizeof real && realpath(whole, real) != NULL)
		last = strrchr(real, '/') + 1;
	dump->name = text_copy(last);
	n = strlen(dump->name);
	const char *ending = ".otter";
	size_t n_ending = strlen(ending);
	if (n > n_ending && strcmp(dump->name + n - n_ending, ending) == 0)
		dump->name[n - n_ending] = '\0';
}

static bool has_unsealed_ring(const struct dump *dump)
{
	for (size_t i = 0; i < dump->n_streams; i++)
		if (dump->streams[i].has_ring && !dump->streams[i].is_sealed)
			return true;
	return false;
}

/* Decides whether the dump is a snapshot, and whether it is complete. */
static void judge(struct reader *r)
{
	struct dump *dump = r->dump;
	dump->is_snapshot = r->is_live && (!dump->meta.is_ended || has_unsealed_ring(dump));
	dump->is_complete = dump->meta.is_ended && !dump->is_snapshot && dump->n_lost == 0 && tally_total(&dump->damage) == 0;
	/*
	 * If a thread still lives when the runtime finalizes, its ring stays; then the ring has all that the thread
	 * recorded.
	 */
	bool is_final = strcmp(dump->meta.ended, "finalize") == 0;
	for (size_t i = 0; i < dump->n_streams; i++) {
		const struct stream *stream = &dump->streams[i];
		if (!(stream->is_sealed || (stream->has_ring && is_final)) || stream->n_missing_segments > 0)
			dump->is_complete = false;
	}
}

static void add_file_size(struct dump *dump, const char *name)
{
	char path[4096];
	struct stat st;
	if (snprintf(path, sizeof path, "%s/%s", dump->path, name) < (int)sizeof path && stat(path, &st) == 0)
		dump->n_bytes += (uint64_t)st.st_size;
}

/* Can this be a time in ns since 1970: after the year 2001 and before 2262? */
static bool is_date(uint64_t realtime_ns)
{
	return realtime_ns > UINT64_C(1000000000000000000) && realtime_ns <= INT64_MAX;
}

/* Checks the times of meta's `start` and `end` lines, because all other times are measured by them. */
static void check_times(struct reader *r)
{
	struct meta *meta = &r->dump->meta;
	if (meta->end.ticks != 0 && (meta->end.ticks < meta->start.ticks || meta->end.ticks > INT64_MAX)) {
		reader_damage(r, "meta_damaged", "%s/meta: found the end at ticks %llu, expected a time after the start at %llu",
			      r->dump->path, (unsigned long long)meta->end.ticks, (unsigned long long)meta->start.ticks);
		meta->end = (struct clock_triple){0, 0, 0};
	}
	if (meta->start.realtime_ns != 0 && !is_date(meta->start.realtime_ns))
		reader_damage(r, "meta_damaged", "%s/meta: found the start at %llu ns of real time, expected ns since 1970",
			      r->dump->path, (unsigned long long)meta->start.realtime_ns);
}

static int read_dump(struct reader *r)
{
	struct dump *dump = r->dump;
	const struct meta *meta = &dump->meta;
	add_file_size(dump, "meta");
	if (meta->n_damaged_lines > 0)
		reader_damage(
			r, "meta_damaged",
			"%s/meta at byte %zu (%s): found a line whose value makes no sense, expected one as docs/format.md says; "
			"%zu such lines are skipped",
			dump->path, meta->first_damaged, meta->damaged_key, meta->n_damaged_lines);
	check_times(r);
	if (meta->is_empty)
		reader_damage(r, "meta_empty",
			      "%s/meta: found no whole line, expected \"otter-dump MAJOR MINOR\" as the first one: the process "
			      "was killed, or is only just starting",
			      dump->path);
	r->is_live = dump_process_runs(meta);
	r->is_newest = strcmp(meta_setting(meta, "keep"), "newest") == 0;
	reader_scan_rings(r);
	if (reader_scan_files(r) != 0)
		return -1;
	reader_make_streams(r);
	reader_make_clock(r);
	struct stat st;
	/* If no clock triple has the date, the time of the directory's last change is the best estimate. */
	if (!is_date(dump->first_realtime_ns) && stat(dump->path, &st) == 0)
		dump->first_realtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	reader_cut_window(r);
	judge(r);
	return 0;
}

int dump_open(struct dump *dump, const char *path)
{
	*dump = (struct dump){0};
	struct reader r = {.dump = dump};
	set_names(dump, path);
	int result = meta_read(&dump->meta, dump->path);
	if (result == 0)
		result = read_dump(&r);
	/* Streams point to the headers in r.copies: it has to live as long as the dump. */
	unpacked_free(&r.unpacked);
	if (r.copies != NULL)
		reader_keep(&r, r.copies, 0, true);
	reader_keep(&r, NULL, 0, true); /* the end of the array */
	dump->mappings = r.mappings;
	free(r.rings);
	if (result != 0)
		dump_close(dump);
	return result;
}

void dump_put_down(struct dump *dump)
{
	struct mapping *mappings = dump->mappings;
	for (struct mapping *m = mappings; m != NULL && m->address != NULL; m++)
		reader_release_mapping(m);
	free(mappings);
	dump->mappings = NULL;
	meta_free_maps(&dump->meta);
	for (size_t i = 0; i < dump->n_streams + dump->n_samples + (dump->switches != NULL); i++) {
		free(dump->streams[i].segments);
		dump->streams[i].segments = NULL;
		dump->streams[i].n_segments = 0;
	}
}

int dump_take_up(struct dump *dump)
{
	if (!dump_is_down(dump))
		return 0;
	struct dump again;
	if (dump_open(&again, dump->path) != 0)
		return -1;
	bool is_same = again.n_streams == dump->n_streams && again.n_records == dump->n_records;
	if (!is_same)
		error("%s: it has changed while it was read", dump->path);
	dump_close(dump);
	*dump = again;
	return is_same ? 0 : -1;
}

void dump_close(struct dump *dump)
{
	dump_put_down(dump);
	free(dump->streams);
	free(dump->path);
	free(dump->name);
	meta_free(&dump->meta);
	*dump = (struct dump){0};
}
