/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/survey.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/event.h"
#include "common/format.h"
#include "common/pack.h"
#include "common/process.h"
#include "common/rings.h"
#include "recorder/launch/survey_meta.h"

/* The newest segment of a stream. Its header counts the records before it. */
struct newest {
	uint64_t sequence; /* 0: none */
	uint64_t n_records;
	uint64_t n_tasks;
	uint64_t n_units;
	size_t file; /* the file that has it: index into scan.files */
	off_t place;
	uint64_t used_bytes;
	struct pack_header pack; /* magic 0: the segment is not packed */
	/* The ring's, if there is a ring, else the segment's. */
	bool has_ring;
	uint64_t n_lost;
	uint64_t stalled_ticks;
};

/* One dump while it is read. */
struct scan {
	struct newest *streams; /* by number */
	size_t n_streams;
	char **files;
	size_t n_files;
	int fd;         /* the file that was opened last; -1: none */
	size_t fd_file; /* which one it is */
	struct survey_meta meta;
	struct clock_triple last; /* of all that were read */
};

static struct newest *stream_of(struct scan *scan, uint32_t number)
{
	if (number >= ID_STREAM_SAMPLES)
		return NULL; /* of samples: they belong to no thread and no task */
	if (number >= scan->n_streams) {
		size_t n = 2 * (size_t)number + 16;
		struct newest *streams = realloc(scan->streams, n * sizeof *streams);
		if (!streams)
			return NULL;
		memset(streams + scan->n_streams, 0, (n - scan->n_streams) * sizeof *streams);
		scan->streams = streams;
		scan->n_streams = n;
	}
	return &scan->streams[number];
}

static bool read_header(int fd, off_t place, struct segment_header *header)
{
	return pread(fd, header, sizeof *header, place) == sizeof *header && header->magic == SEGMENT_MAGIC &&
	       header->sequence != 0 && header->checksum == segment_checksum(header);
}

/* Takes a segment at `place` of the file, of which `used_bytes` are used when it is not packed. */
static void take_segment(struct scan *scan, off_t place, struct segment_header header, uint64_t used_bytes, struct pack_header pack)
{
	struct newest *newest = stream_of(scan, header.stream);
	/* Copies of one segment differ only in their length. */
	if (!newest || header.sequence < newest->sequence ||
	    (header.sequence == newest->sequence && used_bytes <= newest->used_bytes))
		return;
	newest->sequence = header.sequence;
	newest->n_records = header.n_records + (used_bytes - sizeof header) / sizeof(struct record);
	newest->n_tasks = header.n_tasks;
	newest->n_units = header.n_units;
	newest->file = scan->n_files - 1;
	newest->place = place;
	newest->used_bytes = used_bytes;
	newest->pack = pack;
	if (!newest->has_ring)
		newest->n_lost = header.n_lost;
	if (header.monotonic_ns > scan->last.monotonic_ns)
		scan->last = (struct clock_triple){header.ticks, header.monotonic_ns, header.realtime_ns};
}

/* Takes the segment at `place` of the file, of which at most `used_bytes` are used. Returns how many are. */
static uint64_t read_segment(struct scan *scan, int fd, off_t place, uint64_t used_bytes)
{
	struct segment_header header;
	if (used_bytes < sizeof header || !read_header(fd, place, &header))
		return 0;
	uint32_t closed = low32(header.closed) & ~SEGMENT_SEALED;
	if (header.closed == segment_closed(low32(header.closed)) && closed >= sizeof header && closed < used_bytes)
		used_bytes = closed;
	take_segment(scan, place, header, used_bytes, (struct pack_header){0});
	return used_bytes;
}

/* Takes the packed segments of a file or packing buffer. Their records are not checked. */
static void read_packed(struct scan *scan, int fd, off_t size)
{
	struct segment_header header;
	struct pack_header pack;
	off_t n_bytes;
	for (off_t place = 0; (place = lseek(fd, place, SEEK_DATA)) >= 0 && place < size; place += n_bytes) {
		place -= place % PACK_ALIGN;
		n_bytes = PACK_ALIGN;
		if (!read_header(fd, place, &header) ||
		    pread(fd, &pack, sizeof pack, place + (off_t)sizeof header) != sizeof pack || !packed_bytes(&header, &pack))
			continue;
		n_bytes = (off_t)packed_bytes(&header, &pack);
		take_segment(scan, place, header, low32(header.closed) & ~SEGMENT_SEALED, pack);
	}
}

static void read_ring(struct scan *scan, int fd)
{
	struct ring_control control;
	if (pread(fd, &control, sizeof control, 0) != sizeof control || control.magic != RING_MAGIC ||
	    control.checksum != ring_checksum(&control) || control.segment_bytes != scan->meta.segment_bytes)
		return;
	struct newest *newest = stream_of(scan, control.stream);
	if (!newest)
		return;
	newest->has_ring = true;
	newest->n_lost = 0;
	for (unsigned cause = 0; cause < LOSS_CAUSES; cause++)
		newest->n_lost += control.lost[cause];
	newest->stalled_ticks = control.stalled_ticks;
	uint64_t sequence = control.position / control.segment_bytes, offset = control.position % control.segment_bytes;
	for (unsigned i = 0; i < control.n_segments && i < RING_SEGMENTS; i++) {
		off_t place = (off_t)(RING_CONTROL_BYTES + (uint64_t)i * control.segment_bytes);
		struct segment_header header;
		if (pread(fd, &header, sizeof header, place) != sizeof header || header.sequence > sequence)
			continue;
		read_segment(scan, fd, place, header.sequence == sequence ? offset : control.segment_bytes);
	}
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t length = strlen(name), n = strlen(suffix);
	return length > n && strcmp(name + length - n, suffix) == 0;
}

static void read_file(struct survey *survey, struct scan *scan, const char *dir, const char *name)
{
	bool is_buffer = has_suffix(name, ".pbuf"), is_packed = is_buffer || has_suffix(name, ".pseg");
	bool is_ring = has_suffix(name, ".ring"), is_segments = has_suffix(name, ".seg") || has_suffix(name, ".dseg");
	char **files = is_ring || is_segments || is_packed ? realloc(scan->files, (scan->n_files + 1) * sizeof *files) : NULL;
	if (!files)
		return;
	scan->files = files;
	if (asprintf(&files[scan->n_files], "%s/%s", dir, name) < 0)
		return;
	struct stat st;
	int fd = survey_open(files[scan->n_files++], &st);
	if (fd >= 0) {
		/* A ring's file has its full length from the beginning; its size is what is allocated. */
		if (!is_segments)
			survey->n_bytes += is_ring || is_buffer ? (uint64_t)st.st_blocks * 512 : (uint64_t)st.st_size;
		/* Holes have no segments, and a file may be one of exabytes. */
		for (off_t place = 0; is_segments && (place = lseek(fd, place, SEEK_DATA)) >= 0;
		     place += scan->meta.segment_bytes) {
			place -= place % scan->meta.segment_bytes;
			uint64_t rest = (uint64_t)(st.st_size - place);
			/* Between segments that are not full there are holes. */
			survey->n_bytes +=
				read_segment(scan, fd, place, rest < scan->meta.segment_bytes ? rest : scan->meta.segment_bytes);
		}
		if (is_ring)
			read_ring(scan, fd);
		if (is_packed)
			read_packed(scan, fd, st.st_size);
	}
	if (fd >= 0)
		close(fd);
}

static void read_files(struct survey *survey, struct scan *scan, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	while (dir && (entry = readdir(dir)))
		read_file(survey, scan, path, entry->d_name);
	if (dir)
		closedir(dir);
}

/* Opens a file that was read. It stays open: in most dumps the newest segments of all streams are in one file. */
static int open_again(struct scan *scan, size_t file)
{
	struct stat st;
	if (scan->fd >= 0 && scan->fd_file == file)
		return scan->fd;
	if (scan->fd >= 0)
		close(scan->fd);
	scan->fd = survey_open(scan->files[file], &st);
	scan->fd_file = file;
	return scan->fd;
}

/* Reads the segment, unpacked. Returns NULL if that is not possible. */
static unsigned char *read_whole_segment(struct scan *scan, const struct newest *newest, size_t *n_bytes)
{
	size_t n_before = sizeof(struct segment_header), n_packed = sizeof newest->pack + newest->pack.n_bytes;
	bool is_packed = newest->pack.magic != 0;
	unsigned char *bytes = malloc(newest->used_bytes), *packed = is_packed ? malloc(n_packed) : NULL;
	int fd = bytes && (packed || !is_packed) ? open_again(scan, newest->file) : -1;
	ssize_t n = -1;
	if (fd >= 0 && !is_packed)
		n = pread(fd, bytes, newest->used_bytes, newest->place);
	else if (fd >= 0 && pread(fd, packed, n_packed, newest->place + (off_t)n_before) == (ssize_t)n_packed)
		n = (ssize_t)(n_before + sizeof(struct record) * unpack_records(&newest->pack, packed + sizeof newest->pack,
										(struct record *)(void *)(bytes + n_before),
										newest->pack.n_records));
	free(packed);
	*n_bytes = n > 0 ? (size_t)n : 0;
	return bytes;
}

/* Finds the last task number that the stream gave, and the number of units whose creation it has: the header of the
 * newest segment counts those before it, and its records have the rest. */
static void count_work(struct survey *survey, struct scan *scan, const struct newest *newest)
{
	uint64_t n_tasks = newest->n_tasks;
	uint64_t n_units = newest->n_units;
	size_t n_bytes;
	unsigned char *bytes = read_whole_segment(scan, newest, &n_bytes);
	for (size_t i = sizeof(struct segment_header); i + sizeof(struct record) <= n_bytes; i += sizeof(struct record)) {
		const struct record *record = (const void *)(bytes + i);
		unsigned kind = record_kind(record);
		if ((kind == EVENT_task_create || kind == EVENT_implicit_task_begin) && record_value(record) > n_tasks)
			n_tasks = record_value(record);
		n_units += kind == EVENT_unit_create || kind == EVENT_unit_spawn;
	}
	free(bytes);
	survey->n_tasks += n_tasks;
	survey->n_units += n_units;
}

static void sum_up(struct survey *survey, struct scan *scan)
{
	uint64_t stalled_ticks = 0;
	for (size_t i = 0; i < scan->n_streams; i++) {
		const struct newest *newest = &scan->streams[i];
		if (newest->sequence == 0)
			continue;
		survey->n_streams++;
		count_work(survey, scan, newest);
		survey->n_records += newest->n_records;
		stalled_ticks += newest->stalled_ticks;
		if (!survey->is_ended)
			survey->n_lost += newest->n_lost;
	}
	survey->n_records -= scan->meta.n_overwritten < survey->n_records ? scan->meta.n_overwritten : survey->n_records;
	uint64_t ticks = scan->last.ticks - scan->meta.start.ticks;
	if (!survey->is_ended && ticks)
		survey->stalled_ns = (uint64_t)((double)stalled_ticks *
						(double)(scan->last.monotonic_ns - scan->meta.start.monotonic_ns) / (double)ticks);
}

/* Finds how long was recorded: ticks are converted by the start and the latest known time. */
static void find_times(struct survey *survey, const struct scan *scan)
{
	const struct survey_meta *meta = &scan->meta;
	struct clock_triple last = meta->end.ticks > scan->last.ticks ? meta->end : scan->last;
	uint64_t ticks = last.ticks - meta->start.ticks, ns = last.monotonic_ns - meta->start.monotonic_ns;
	uint64_t stopped = meta->stopped_ticks - meta->start.ticks;
	survey->recorded_ns =
		meta->stopped_ticks && stopped < ticks ? (uint64_t)((double)ns / (double)ticks * (double)stopped) : ns;
	survey->may_take = meta->has_limit || meta->free_at_start < meta->left_free ? 0 : meta->free_at_start - meta->left_free;
}

/* Surveys the dump at survey->path if it is one of this launch. */
static bool take(struct survey *survey, const char *launch)
{
	struct scan scan = {.fd = -1};
	bool is_ours = survey_read_meta(survey, &scan.meta, launch);
	if (is_ours) {
		survey->pid = scan.meta.pid;
		survey->start_ns = scan.meta.start.realtime_ns;
		scan.last = scan.meta.start;
		survey->is_running = process_runs(scan.meta.pid, scan.meta.pid_start);
		if (scan.meta.ring_dir[0] && !survey->is_running)
			rings_collect(survey->path, scan.meta.ring_dir);
		read_files(survey, &scan, survey->path);
		if (scan.meta.ring_dir[0])
			read_files(survey, &scan, scan.meta.ring_dir);
		sum_up(survey, &scan);
		find_times(survey, &scan);
	} else {
		free(survey->notes);
	}
	if (scan.fd >= 0)
		close(scan.fd);
	for (size_t i = 0; i < scan.n_files; i++)
		free(scan.files[i]);
	free(scan.files);
	free(scan.streams);
	return is_ours;
}

static int by_start(const void *a, const void *b)
{
	const struct survey *x = a, *y = b;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

void survey_find(struct survey_list *list, const char *dir, const char *launch, time_t since)
{
	*list = (struct survey_list){0};
	DIR *all = opendir(dir);
	struct dirent *entry;
	while (all && (entry = readdir(all))) {
		struct survey survey = {0};
		struct stat st;
		if (!has_suffix(entry->d_name, ".otter") ||
		    snprintf(survey.path, sizeof survey.path, "%s/%s", dir, entry->d_name) >= (int)sizeof survey.path ||
		    lstat(survey.path, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_mtime < since || !take(&survey, launch))
			continue;
		struct survey *surveys = realloc(list->surveys, (list->n_surveys + 1) * sizeof *surveys);
		if (!surveys) {
			free(survey.notes);
			break;
		}
		list->surveys = surveys;
		surveys[list->n_surveys++] = survey;
	}
	if (all)
		closedir(all);
	if (list->n_surveys)
		qsort(list->surveys, list->n_surveys, sizeof *list->surveys, by_start);
}

void survey_free(struct survey_list *list)
{
	for (size_t i = 0; i < list->n_surveys; i++)
		free(list->surveys[i].notes);
	free(list->surveys);
}
