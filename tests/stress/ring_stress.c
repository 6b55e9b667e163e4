/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several producers against the drain thread, on rings so small that a segment ends every 124 records. Each record
 * carries its producer and that producer's counter; afterwards every record must be in the dump exactly once and in its
 * place. Producers come in waves, so that streams also pass from thread to thread.
 *
 * 	ring_stress [RECORDS [PRODUCERS...]]  RECORDS by all producers of a wave, PRODUCERS at once; exit status 0: all are there
 *
 * The test is built plain and under ThreadSanitizer.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "recorder/ring/record.h"
#include "tests/recorder_dump.h"

#define N_WAVES         3
#define RECORDS_DEFAULT 400000
#define PRODUCERS_MAX   64
#define GROUP_EVERY     97  /* records between two groups */
#define GROUP_RECORDS   150 /* longer than a segment */
#define N_ALL_MAX       (PRODUCERS_MAX * N_WAVES)

static uint64_t n_records_each;

struct producer {
	pthread_t thread;
	uint64_t id;
};

static void put_group(uint64_t id, uint64_t first, uint64_t n)
{
	uint64_t time = clock_ticks();
	struct stream *stream = record_enter(time);
	struct ring_group group = ring_group_begin(stream);
	for (uint64_t i = first; i < first + n; i++)
		ring_group_append(&group, time, record_head(EVENT_task_schedule, 1, 0), id, i);
	ring_group_end(&group);
	record_leave(stream);
}

static void *produce(void *argument)
{
	const struct producer *producer = argument;
	for (uint64_t i = 0; i < n_records_each;) {
		uint64_t left = n_records_each - i;
		if (i % GROUP_EVERY == 0 && i) {
			uint64_t n = left < GROUP_RECORDS ? left : GROUP_RECORDS;
			put_group(producer->id, i, n);
			i += n;
		} else {
			record_one(clock_ticks(), record_head(EVENT_task_schedule, 1, 0), producer->id, i++);
		}
	}
	return NULL;
}

/* The drain thread takes each segment from the ring once, so every copy that it wrote must be the only one. But a stream's
 * seal packs once more what it finds unwritten or has to mark in the ring, and the drain thread may write that as well. */
static bool check_drained_once(const struct dump *dump)
{
	static uint8_t seen[PRODUCERS_MAX][DUMP_SEGMENTS_MAX];
	uint64_t last[PRODUCERS_MAX] = {0};
	for (size_t i = 0; i < dump->n_segments; i++) {
		const struct segment_header *header = &dump->segments[i].header;
		if (header->stream < PRODUCERS_MAX && header->sequence > last[header->stream])
			last[header->stream] = header->sequence;
	}
	for (size_t i = 0; i < dump->n_segments; i++) {
		const struct segment_header *header = &dump->segments[i].header;
		if (!dump->segments[i].is_drained || header->stream >= PRODUCERS_MAX || header->sequence >= DUMP_SEGMENTS_MAX ||
		    header->sequence + RING_SEGMENTS > last[header->stream])
			continue;
		if (seen[header->stream][header->sequence]++) {
			fprintf(stderr, "stream %u: segment %llu of %llu was drained twice\n", header->stream,
				(unsigned long long)header->sequence, (unsigned long long)last[header->stream]);
			return false;
		}
	}
	return true;
}

/* Where a write does not return for a quarter of a second, as on a machine that is far too busy, records are dropped and counted. */
static uint64_t count_lost(struct session *session)
{
	uint64_t n_lost = 0;
	for (uint32_t i = 0; i < session_n_streams(session); i++)
		for (unsigned cause = 0; cause < LOSS_CAUSES; cause++)
			n_lost += __atomic_load_n(&stream_control(session_stream(session, i))->lost[cause], __ATOMIC_RELAXED);
	return n_lost;
}

/* Each producer's records are there, once and in order, but for as many as are counted as lost. */
static bool check(struct session *session, unsigned n_all)
{
	struct dump *dump = dump_open(session->dir.path, session->config.segment_bytes);
	uint64_t next[N_ALL_MAX] = {0}, n_missing = 0, n_lost = count_lost(session);
	bool is_good = check_drained_once(dump);
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		size_t n_records;
		struct record *records = dump_records(dump, i, &n_records);
		for (size_t k = 0; k < n_records; k++) {
			const struct record *r = &records[k];
			if (record_kind(r) != EVENT_task_schedule)
				continue;
			if (r->a >= n_all || r->b < next[r->a]) {
				fprintf(stderr, "stream %u, record %zu: producer %llu has %llu\n", i, k, (unsigned long long)r->a,
					(unsigned long long)r->b);
				return false;
			}
			n_missing += r->b - next[r->a];
			next[r->a] = r->b + 1;
		}
		free(records);
	}
	for (unsigned i = 0; i < n_all; i++)
		n_missing += n_records_each - next[i];
	if (n_missing != 0 || n_lost != 0)
		fprintf(stderr, "%llu records are missing, and %llu counted as lost\n", (unsigned long long)n_missing,
			(unsigned long long)n_lost);
	free(dump);
	/* Of a thread's own records, such as that it attaches, one or two may be lost as well. */
	return is_good && n_missing <= n_lost && n_lost - n_missing <= UINT64_C(2) * n_all;
}

static bool run(const char *drain, const char *pack, unsigned n_producers)
{
	struct producer producers[N_ALL_MAX];
	struct session *session = dump_begin("OTTER_RING", "32K", "OTTER_DRAIN", drain, "OTTER_PACK", pack, NULL);
	if (!session)
		return false;
	for (unsigned wave = 0; wave < N_WAVES; wave++) {
		for (unsigned i = 0; i < n_producers; i++) {
			struct producer *producer = &producers[wave * n_producers + i];
			producer->id = wave * n_producers + i;
			pthread_create(&producer->thread, NULL, produce, producer);
		}
		for (unsigned i = 0; i < n_producers; i++)
			pthread_join(producers[wave * n_producers + i].thread, NULL);
	}
	session_end("finalize");
	bool is_good = check(session, n_producers * N_WAVES);
	printf("%s, %s: %u producers at once, %u in all, %llu records each, %u streams: %s\n", drain, pack, n_producers,
	       n_producers * N_WAVES, (unsigned long long)n_records_each, session_n_streams(session),
	       is_good ? "all there, or counted" : "FAILED");
	dump_remove();
	return is_good;
}

int main(int argc, char **argv)
{
	static const char *const drains[] = {"auto", "self"}, *const packs[] = {"auto", "on"};
	static const unsigned counts[] = {2, 8, PRODUCERS_MAX};
	uint64_t n_records = argc > 1 ? strtoull(argv[1], NULL, 10) : RECORDS_DEFAULT;
	int n_counts = argc > 2 ? argc - 2 : (int)(sizeof counts / sizeof *counts);
	for (int c = 0; c < n_counts; c++) {
		unsigned n_producers = argc > 2 ? (unsigned)atoi(argv[c + 2]) : counts[c];
		if (n_producers == 0 || n_producers > PRODUCERS_MAX)
			return 2;
		n_records_each = n_records / n_producers;
		/* A process has one session, so each run has a child process. */
		for (unsigned i = 0; i < 4; i++) {
			pid_t child = fork();
			if (child == 0)
				exit(run(drains[i % 2], packs[i / 2], n_producers) ? 0 : 1);
			int status = -1;
			if (waitpid(child, &status, 0) != child || status != 0)
				return 1;
		}
	}
	return 0;
}
