/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way out of the ring: the drain thread's file, a stream's own, sealing, and what happens when a file takes no more.
 */
#include <check.h>
#include <errno.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "recorder/drain.h"
#include "recorder/file.h"
#include "recorder/output.h"
#include "recorder/record.h"
#include "tests/recorder_dump.h"

#define SMALL_RING    "32K"
#define SMALL_SEGMENT UINT64_C(4096)
#define SMALL_RECORDS ((SMALL_SEGMENT - sizeof(struct segment_header)) / sizeof(struct record))
#define HEAD          record_head(EVENT_task_schedule, task_status_switch, 0)

static void put(uint64_t number)
{
	record_one(clock_ticks(), HEAD, 0, number);
}

static void put_many(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		put(i);
}

/* A session whose drain thread is the test: it calls drain_round() itself. */
static struct session *begin_undrained(void)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	ck_assert_ptr_nonnull(session);
	session->has_drain_thread = true;
	session->is_drain_started = 1;
	return session;
}

/* The test's own records in a stream, which must be 0, 1, 2 ... Without check's macros: a forked child must not write to its pipe. */
static uint64_t count_numbers(const struct dump *dump, uint32_t stream)
{
	size_t n_records;
	uint64_t next = 0;
	struct record *records = dump_records(dump, stream, &n_records);
	for (size_t i = 0; i < n_records; i++)
		if (record_kind(&records[i]) == EVENT_task_schedule && records[i].b != next++)
			return UINT64_MAX;
	free(records);
	return next;
}

START_TEST(drain_thread_writes_every_segment)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, NULL);
	ck_assert(session->has_drain_thread);
	put_many(SMALL_RECORDS * 300);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 300);
	ck_assert_uint_eq(dump->n_rings, 0);
	dump_remove();
}
END_TEST

/* The drain thread comes out of its sleep for each of them, although nothing but a full segment tells it to. */
START_TEST(drain_thread_wakes)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, NULL);
	for (uint64_t k = 0; k < 5; k++) {
		for (uint64_t i = 0; i < SMALL_RECORDS; i++)
			put(k * SMALL_RECORDS + i);
		bool is_there = false;
		for (int tries = 0; tries < 2000 && !is_there; tries++) {
			usleep(1000);
			struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
			for (size_t i = 0; i < dump->n_segments; i++)
				is_there |= dump->segments[i].is_drained && dump->segments[i].header.sequence == k + 1;
			free(dump);
		}
		ck_assert(is_there);
	}
	dump_remove();
}
END_TEST

START_TEST(round_takes_one_segment_of_a_stream)
{
	struct session *session = begin_undrained();
	put_many(SMALL_RECORDS * 3);
	int n_rounds = 0;
	while (drain_round(session))
		n_rounds++;
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	size_t n_drained = 0;
	for (size_t i = 0; i < dump->n_segments; i++)
		n_drained += dump->segments[i].is_drained;
	ck_assert_uint_eq(n_drained, 3);
	ck_assert_uint_eq(session->drain_file.n_places, 3);
	ck_assert_int_ge(n_rounds, 3);
	ck_assert(!drain_round(session));
	dump_remove();
}
END_TEST

/* The drain thread has taken a segment and never comes back: sealing writes it all the same. */
START_TEST(held_segment_is_written_at_the_end)
{
	struct session *session = begin_undrained();
	put_many(SMALL_RECORDS * 4);
	uint32_t held;
	ck_assert(handover_take_any(&tls_stream->full, &held));
	session_end("finalize");
	ck_assert_ptr_eq(tls_stream, STREAM_NONE);
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 4);
	ck_assert_uint_eq(dump->n_rings, 0);
	ck_assert(dump_segment(dump, 0, 5)->is_sealed);
	ck_assert(!dump_segment(dump, 0, 4)->is_sealed);
	dump_remove();
}
END_TEST

/* The same where its owner has gone far beyond it with the other segments, as with an idle-priority thread that gets no processor. */
START_TEST(segment_held_for_long_is_written_at_the_end)
{
	struct session *session = begin_undrained();
	put_many(SMALL_RECORDS * 2);
	uint32_t held;
	ck_assert(handover_take_any(&tls_stream->full, &held));
	for (uint64_t i = SMALL_RECORDS * 2; i < SMALL_RECORDS * 50; i++)
		put(i);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 50);
	ck_assert_uint_eq(dump->n_rings, 0);
	dump_remove();
}
END_TEST

/* What has been drained is not written once more. */
START_TEST(drained_segment_is_not_written_twice)
{
	struct session *session = begin_undrained();
	put_many(SMALL_RECORDS * 4);
	while (drain_round(session))
		;
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(dump->n_segments, 5);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 4);
	dump_remove();
}
END_TEST

static pthread_barrier_t barrier;

static void *live_thread(void *argument)
{
	put_many(10);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	for (uint64_t i = 10; i < 20; i++)
		put(i);
	return argument;
}

/* Another thread lives on when the session ends: its stream stays a ring, takes records, and is sealed when the thread ends. */
START_TEST(live_stream_goes_on_after_the_end)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, NULL);
	pthread_t thread;
	put_many(5);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, live_thread, NULL);
	pthread_barrier_wait(&barrier);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(dump->n_rings, 1);
	ck_assert_uint_eq(count_numbers(dump, 0), 5);
	ck_assert_uint_eq(count_numbers(dump, 1), 10);
	const char *meta = dump_meta(session->dir);
	ck_assert_ptr_nonnull(strstr(meta, "\nstream 0 sealed 6 1 0 0\n"));
	ck_assert_ptr_nonnull(strstr(meta, "\nstream 1 live 11 1 0 0\n"));
	ck_assert_ptr_nonnull(strstr(meta, "\nended finalize\n"));
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 1), 20);
	ck_assert_uint_eq(dump->n_rings, 0);
	ck_assert(dump_segment(dump, 1, 1)->is_sealed);

	/* And this thread, should it report anything yet, has a new stream. */
	put(0);
	ck_assert_uint_eq(tls_stream->number, 2);
	session_end("destructor");
	dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 2), 1);
	dump_remove();
}
END_TEST

START_TEST(flush_writes_a_segment_before_it_is_full)
{
	struct session *session = begin_undrained();
	put_many(3);
	__atomic_fetch_add(&session->n_flushes, 1, __ATOMIC_RELAXED);
	session_turn(0, 0);
	for (uint64_t i = 3; i < 6; i++)
		put(i);
	while (drain_round(session))
		;
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), 6);
	ck_assert_uint_eq(dump_segment(dump, 0, 1)->n_records, 4);
	ck_assert(dump_segment(dump, 0, 1)->is_drained);
	ck_assert_uint_eq(dump_segment(dump, 0, 2)->header.n_records, 4);
	dump_remove();
}
END_TEST

static uint64_t sum_lost(struct session *session, unsigned cause)
{
	uint64_t lost = 0;
	for (uint32_t i = 0; i < session_n_streams(session); i++)
		lost += stream_control(session_stream(session, i))->lost[cause];
	return lost;
}

START_TEST(limit_stops_and_every_loss_is_counted)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_LIMIT", "40K", "OTTER_DRAIN", "self", NULL);
	uint64_t n = SMALL_RECORDS * 50;
	put_many(n);
	ck_assert_uint_eq(session_stopped(session), loss_cause_limit);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	uint64_t n_there = count_numbers(dump, 0);
	ck_assert_uint_ge(n_there, SMALL_RECORDS * 9);
	ck_assert_uint_eq(n_there + sum_lost(session, loss_cause_limit), n);
	ck_assert_ptr_nonnull(strstr(dump_meta(session->dir), "\nnote recording stopped: the limit is reached"));
	dump_remove();
}
END_TEST

/* The signal's default would end the process. */
START_TEST(file_size_limit_raises_no_signal)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	put(0);
	struct rlimit limit = {100 * 1024, RLIM_INFINITY};
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	uint64_t n = SMALL_RECORDS * 50;
	for (uint64_t i = 1; i < n; i++)
		put(i);
	ck_assert_uint_eq(session_stopped(session), loss_cause_limit);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	uint64_t n_there = count_numbers(dump, 0);
	ck_assert_uint_ge(n_there, SMALL_RECORDS * 24);
	ck_assert_uint_eq(n_there + sum_lost(session, loss_cause_limit), n);
	dump_remove();
}
END_TEST

START_TEST(vanished_directory_stops_recording_only)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	put(0);
	dump_remove();
	uint64_t n = SMALL_RECORDS * 50;
	for (uint64_t i = 1; i < n; i++)
		put(i);
	ck_assert_uint_eq(session_stopped(session), loss_cause_io_error);
	ck_assert_uint_gt(sum_lost(session, loss_cause_io_error), 0);
	session_end("finalize");
}
END_TEST

/* A flight recorder: files of a fixed number of places, and in them the newest. */
START_TEST(newest_are_kept)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_KEEP", "newest", "OTTER_LIMIT", "256K", NULL);
	uint64_t n = SMALL_RECORDS * 500;
	put_many(n);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	uint64_t last = 0;
	uint64_t n_kept = 0;
	bool is_kept[600] = {false};
	for (size_t i = 0; i < dump->n_segments; i++) {
		uint64_t sequence = dump->segments[i].header.sequence;
		n_kept += !is_kept[sequence];
		is_kept[sequence] = true;
		last = sequence > last ? sequence : last;
	}
	ck_assert_uint_ge(last, 501);
	for (uint64_t sequence = last - RING_SEGMENTS; sequence <= last; sequence++)
		ck_assert(is_kept[sequence]);
	const struct dump_segment *end = dump_segment(dump, 0, last);
	ck_assert(end->is_sealed);
	const struct record *record = &end->records[end->n_records - 1];
	while (record > end->records && record_kind(record) != EVENT_task_schedule)
		record--; /* the last one may have caused a flush */
	ck_assert_uint_eq(record->b, n - 1);
	ck_assert_uint_le(n_kept, 64);
	ck_assert_uint_ge(session->n_overwritten, (last - n_kept - 8) * SMALL_RECORDS);
	dump_remove();
}
END_TEST

/* Room that was taken ahead for a growing file is given back with the stream. */
START_TEST(room_ahead_is_given_back)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	char path[PATH_MAX + 16];
	struct stat status;
	struct statfs fs;
	put_many(SMALL_RECORDS * 400);
	struct stream *stream = tls_stream;
	snprintf(path, sizeof path, "%s/00000.seg", session->dir);
	ck_assert_int_eq(statfs(session->dir, &fs), 0);
	ck_assert_int_eq(stat(path, &status), 0);
	if (fs.f_type == EXT4_SUPER_MAGIC) {
		ck_assert_uint_gt(stream->file.reserved, (uint64_t)status.st_size);
		ck_assert_uint_le(stream->file.reserved, (uint64_t)status.st_size * 3 / 2);
		ck_assert_int_gt(status.st_blocks * 512, status.st_size);
	}
	session_end("finalize");
	ck_assert_uint_eq(stream->file.reserved, 0);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_int_le(status.st_blocks * 512, status.st_size + 65536); /* the file system may need blocks of its own */
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 400);
	dump_remove();
}
END_TEST

/* No room for the ring's third segment: it goes on with two, its thread writes them itself. */
START_TEST(ring_grows_as_far_as_there_is_room)
{
	struct session *session = begin_undrained();
	char path[PATH_MAX + 16];
	put_many(SMALL_RECORDS * 2 - 1); /* thread_attach is the first */
	struct stream *stream = tls_stream;
	ck_assert_uint_eq(stream->n_used, 2);
	snprintf(path, sizeof path, "%s/00000.ring", session->ring_dir);
	ck_assert_int_eq(unlink(path), 0);
	stream->has_all_room = false; /* it would have on a tmpfs */
	for (uint64_t i = SMALL_RECORDS * 2 - 1; i < SMALL_RECORDS * 20; i++)
		put(i);
	ck_assert_uint_eq(stream->n_segments, 2);
	ck_assert_uint_eq(session_stopped(session), 0);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 20);
	dump_remove();
}
END_TEST

/* With one alone there would be somebody to wait for. */
START_TEST(ring_of_one_segment_stops)
{
	struct session *session = begin_undrained();
	char path[PATH_MAX + 16];
	put(0);
	snprintf(path, sizeof path, "%s/00000.ring", session->ring_dir);
	ck_assert_int_eq(unlink(path), 0);
	tls_stream->has_all_room = false;
	for (uint64_t i = 1; i < SMALL_RECORDS * 3; i++)
		put(i);
	ck_assert_uint_eq(session_stopped(session), loss_cause_io_error);
	ck_assert_uint_eq(SMALL_RECORDS - 1 + sum_lost(session, loss_cause_io_error), SMALL_RECORDS * 3);
	dump_remove();
}
END_TEST

static bool has_survived;

static void *cancelled_thread(void *argument)
{
	pthread_cancel(pthread_self());
	errno = 77;
	put_many(SMALL_RECORDS * 3);
	has_survived = errno == 77;
	pthread_testcancel();
	has_survived = false;
	return argument;
}

/* Writing files would be points of cancellation, and would change errno: neither is the program's doing. */
START_TEST(slow_path_is_not_noticed)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	pthread_t thread;
	pthread_create(&thread, NULL, cancelled_thread, NULL);
	pthread_join(thread, NULL);
	ck_assert(has_survived);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 3);
	ck_assert_uint_eq(dump->n_rings, 0);
	dump_remove();
}
END_TEST

/* Open descriptors are the program's: it may close them all, and ours are never among its own. */
START_TEST(no_descriptor_is_kept)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	put_many(SMALL_RECORDS * 20);
	char path[64];
	char target[PATH_MAX];
	for (int fd = 0; fd < 256; fd++) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		ssize_t n = readlink(path, target, sizeof target - 1);
		target[n > 0 ? n : 0] = '\0';
		ck_assert_ptr_null(strstr(target, session->dir));
	}
	dump_remove();
}
END_TEST

/* As the handler of fork calls it in a child, here once without one: what this thread had at hand is nobody's any more. */
START_TEST(files_at_hand_are_forgotten_once)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	struct file file;
	char path[PATH_MAX], byte = 0;
	ck_assert(!file_forget_all());
	ck_assert_int_eq(file_name(&file, session, session->dir, FILE_NO_NUMBER, "/any"), 0);
	snprintf(path, sizeof path, "%s", file.path);
	ck_assert_int_eq(file_open(&file, O_RDWR | O_CREAT), 0);
	ck_assert_int_eq(ftruncate(file.fd, 4096), 0);
	int fd = file.fd;
	file.mapping_bytes = 4096;
	file.mapping = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(file.mapping, MAP_FAILED);
	ck_assert(file_forget_all());
	ck_assert_str_eq(file.path, "");
	ck_assert_int_ne(fcntl(fd, F_GETFD), -1); /* whoever has its number finds it open, */
	ck_assert_int_eq(write(fd, "x", 1), -1);  /* and can write nothing */
	*(volatile char *)file.mapping = 1;
	int again = open(path, O_RDONLY);
	ck_assert_int_eq(again, fd + 1); /* nothing else has been left open */
	ck_assert_int_eq(read(again, &byte, 1), 1);
	ck_assert_int_eq(byte, 0);
	ck_assert(!file_forget_all());
	file_close(&file);
	dump_remove();
}
END_TEST

/* Opened by a call that a handler interrupts before its number is noted; and a name that is not whole yet. */
START_TEST(files_on_their_way_are_forgotten)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	struct file file;
	ck_assert_int_eq(file_name(&file, session, session->dir, FILE_NO_NUMBER, "/any"), 0);
	int fd = open(file.path, O_WRONLY | O_CREAT, 0600);
	ck_assert(file_forget_all());
	ck_assert_int_eq(write(fd, "x", 1), -1);
	ck_assert_str_eq(file.path, "");
	file_close(&file);
	ck_assert_int_eq(file_name(&file, session, session->dir, FILE_NO_NUMBER, "/any"), 0);
	file.path[0] = '\0'; /* file_name() is about to add the first byte */
	ck_assert(file_forget_all());
	file.path[0] = (char)(file.path[0] + '/');
	ck_assert_str_eq(file.path, "");
	file_close(&file);
	dump_remove();
}
END_TEST

/* In a child that has no descriptor left for the one that cannot be written to. */
START_TEST(file_at_hand_is_closed_where_nothing_can_be_opened)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	struct file file;
	struct rlimit limit;
	getrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_int_eq(file_name(&file, session, session->dir, FILE_NO_NUMBER, "/any"), 0);
	ck_assert_int_eq(file_open(&file, O_WRONLY | O_CREAT), 0);
	int fd = file.fd;
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, limit.rlim_max});
	ck_assert(file_forget_all());
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	file.fd = -1;
	file_close(&file);
	dump_remove();
}
END_TEST

/* Its number, once it has its name, which is the last that it does before it drains. */
static long drain_thread_id(void)
{
	char path[300], name[32];
	for (;;) {
		DIR *tasks = opendir("/proc/self/task");
		ck_assert_ptr_nonnull(tasks);
		for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
			snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
			FILE *f = fopen(path, "r");
			bool is_it = f != NULL && fgets(name, sizeof name, f) != NULL && strcmp(name, "otter-drain\n") == 0;
			if (f != NULL)
				fclose(f);
			if (is_it) {
				long id = strtol(entry->d_name, NULL, 10);
				closedir(tasks);
				return id;
			}
		}
		closedir(tasks);
		sched_yield();
	}
}

/* What the program has open is not in the drain thread's table, and stays open: none can close the other's. */
START_TEST(drain_thread_has_descriptors_of_its_own)
{
	int low = open("/proc/self/status", O_RDONLY), high = fcntl(low, F_DUPFD, 700);
	ck_assert_int_ge(high, 700);
	dump_begin("OTTER_RING", SMALL_RING, "OTTER_FULL", "drop", NULL); /* where it is not of idle priority */
	put_many(SMALL_RECORDS * 3);
	char path[64], target[PATH_MAX];
	snprintf(path, sizeof path, "/proc/self/task/%ld/fd/%d", drain_thread_id(), high);
	if (readlink(path, target, sizeof target) >= 0) { /* before Linux 5.9 they share one */
		int rc = (int)syscall(SYS_close_range, 1000000u, 1000000u, 0);
		ck_assert_int_eq(rc, -1);
		ck_assert_int_eq(errno, ENOSYS);
	}
	ck_assert_int_ne(fcntl(low, F_GETFD), -1);
	ck_assert_int_ne(fcntl(high, F_GETFD), -1);
	for (int fd = 0; fd < 3; fd++)
		ck_assert_int_ne(fcntl(fd, F_GETFD), -1);
	session_end("finalize");
	dump_remove();
}
END_TEST

/* A child has nothing of its parent's: its own directory, its own streams, and the parent's dump as it was. */
START_TEST(forked_child_has_its_own_session)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, NULL);
	put_many(10);
	pid_t child = fork();
	if (child == 0) {
		bool is_good = session_get() == NULL && session_is_child() && tls_stream == STREAM_NONE;
		put_many(SMALL_RECORDS * 30);
		is_good &= session_get() && strcmp(session_get()->dir, session->dir) != 0 && tls_stream->number == 0;
		session_end("finalize");
		struct dump *dump = dump_open(session_get()->dir, SMALL_SEGMENT);
		is_good &= count_numbers(dump, 0) == SMALL_RECORDS * 30;
		_exit(is_good ? 0 : 1);
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	for (uint64_t i = 10; i < 20; i++)
		put(i);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), 20);
	dump_remove();
}
END_TEST

/* A signal handler forks in the middle of an append: the child finishes it in memory of its own. */
START_TEST(child_of_an_interrupted_append_harms_nobody)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	put_many(10);
	struct stream *stream = record_enter(clock_ticks());
	pid_t child = fork();
	record_put(stream, clock_ticks(), HEAD, 0, child == 0 ? 1000 : 10);
	record_leave(stream);
	if (child == 0) {
		put_many(SMALL_RECORDS * 30);
		session_end("finalize");
		_exit(0);
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), 11);
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("drain");
	TCase *drain = tcase_create("drain");
	tcase_set_timeout(drain, 60);
	tcase_add_test(drain, drain_thread_writes_every_segment);
	tcase_add_test(drain, drain_thread_wakes);
	tcase_add_test(drain, round_takes_one_segment_of_a_stream);
	tcase_add_test(drain, flush_writes_a_segment_before_it_is_full);
	suite_add_tcase(suite, drain);
	TCase *end = tcase_create("end");
	tcase_add_test(end, held_segment_is_written_at_the_end);
	tcase_add_test(end, segment_held_for_long_is_written_at_the_end);
	tcase_add_test(end, drained_segment_is_not_written_twice);
	tcase_add_test(end, room_ahead_is_given_back);
	tcase_add_test(end, live_stream_goes_on_after_the_end);
	suite_add_tcase(suite, end);
	TCase *refusal = tcase_create("refusal");
	tcase_add_test(refusal, limit_stops_and_every_loss_is_counted);
	tcase_add_test(refusal, file_size_limit_raises_no_signal);
	tcase_add_test(refusal, vanished_directory_stops_recording_only);
	tcase_add_test(refusal, newest_are_kept);
	tcase_add_test(refusal, ring_grows_as_far_as_there_is_room);
	tcase_add_test(refusal, ring_of_one_segment_stops);
	suite_add_tcase(suite, refusal);
	TCase *process = tcase_create("process");
	tcase_add_test(process, slow_path_is_not_noticed);
	tcase_add_test(process, no_descriptor_is_kept);
	tcase_add_test(process, drain_thread_has_descriptors_of_its_own);
	tcase_add_test(process, files_at_hand_are_forgotten_once);
	tcase_add_test(process, files_on_their_way_are_forgotten);
	tcase_add_test(process, file_at_hand_is_closed_where_nothing_can_be_opened);
	tcase_add_test(process, forked_child_has_its_own_session);
	tcase_add_test(process, child_of_an_interrupted_append_harms_nobody);
	suite_add_tcase(suite, process);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
