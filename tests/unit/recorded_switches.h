/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What tests of recorded context switches share: a session that records them, and what its dump has of them.
 */
#ifndef OTTER_TESTS_RECORDED_SWITCHES_H
#define OTTER_TESTS_RECORDED_SWITCHES_H

#include <pthread.h>
#include <stdlib.h>

#include "recorder/kernel/switches.h"
#include "recorder/ring/record.h"
#include "tests/unit/small_ring.h"

#define MS UINT64_C(1000000)

/* What a dump's stream of switches has of one stream, or of all (ALL). */
#define ALL UINT32_MAX
struct found {
	unsigned n_groups, n_first;
	unsigned n_times;   /* processor_time records */
	unsigned n_looks;   /* switches_read records */
	unsigned n_off[5];  /* by off_why */
	uint64_t off_ns[5]; /* of stretches that are over */
	uint64_t n_lost;
	uint64_t running_ns; /* the largest */
	unsigned n_disordered;
};

__attribute__((unused)) static struct found find(const char *dir, uint32_t stream)
{
	struct found found = {0};
	size_t n_records;
	struct dump *dump = dump_open(dir, SMALL_SEGMENT);
	struct record *records = dump_records(dump, ID_STREAM_SWITCHES, &n_records);
	bool is_wanted = false;
	uint64_t last_ns = 0;
	for (size_t i = 0; i < n_records; i++) {
		const struct record *r = &records[i];
		unsigned kind = record_kind(r), why = record_flags(r);
		if (kind == EVENT_switches) {
			is_wanted = stream == ALL || low32(record_value(r)) == stream;
			found.n_groups += is_wanted;
			found.n_first += is_wanted && why;
			found.n_disordered += is_wanted && (r->a > r->b || r->a < last_ns) && stream != ALL && !why;
			last_ns = is_wanted ? r->a : last_ns;
		} else if (kind == EVENT_off && is_wanted && why < 5) {
			found.n_off[why]++;
			found.off_ns[why] += r->a ? r->a - r->time : 0;
			found.n_lost += high32(r->b);
		} else if (kind == EVENT_processor_time && (stream == ALL || low32(record_value(r)) == stream)) {
			found.n_times++;
			found.running_ns = r->a > found.running_ns ? r->a : found.running_ns;
		} else if (kind == EVENT_switches_read) {
			found.n_looks++;
		}
	}
	free(records);
	return found;
}

__attribute__((unused)) static struct session *begin(void)
{
	return dump_begin("OTTER_EVENTS", "default", "OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
}

/* Does the kernel let this process record switches? Where it does not, the tests of what it records expect sums. */
__attribute__((unused)) static bool is_allowed(const struct session *session)
{
	return !session->switches.is_refused;
}

/* A thread that makes a record, waits for all, and makes another one. */
static pthread_barrier_t all_are_there;
static void *one_of_many(void *argument)
{
	put(0);
	pthread_barrier_wait(&all_are_there);
	put(1);
	return argument;
}

#endif
