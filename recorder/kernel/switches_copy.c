/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/kernel/switches_copy.h"

#include <linux/perf_event.h>
#include <string.h>

#include "recorder/clock.h"
#include "recorder/drain/watch.h"
#include "recorder/ring/ring.h"
#include "recorder/session/session.h"
#include "recorder/system/sys.h"

/* More than 10,000 switches a second cost a thread more than a hundredth of its time. A rate needs 10 ms at least. */
#define RATE_MAX      UINT64_C(10000)
#define RATE_LEAST_NS UINT64_C(10000000)

/* ---- The kernel's records ---- */

/* The fields that the event's sample_type selects are at the end of each record (switch_event.c). */
struct sample_id {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint32_t cpu;
	uint32_t reserved;
};

struct kernel_switch {
	struct perf_event_header header;
	struct sample_id id;
};

struct kernel_lost {
	struct perf_event_header header;
	uint64_t event;
	uint64_t lost;
	struct sample_id id;
};

union kernel_record {
	struct perf_event_header header;
	struct kernel_switch sw;
	struct kernel_lost lost;
};

/* Copies bytes out of the kernel's ring, whose size is a power of two. */
static void copy_out(const struct switch_memory *memory, uint64_t position, void *to, size_t n_bytes)
{
	size_t size = memory->n_pages * SWITCHES_PAGE_BYTES;
	size_t at = (size_t)position & (size - 1), first = size - at < n_bytes ? size - at : n_bytes;
	const unsigned char *data = (const unsigned char *)memory->page + SWITCHES_PAGE_BYTES;
	memcpy(to, data + at, first);
	memcpy((unsigned char *)to + first, data, n_bytes - first);
}

/* ---- From there into the stream ---- */

/* Begins the group of a stream's thread. */
static struct switch_group *begin_group(struct stream *stream, bool is_first)
{
	struct switch_group *group = &stream->session->switches.group;
	group->of = stream;
	group->from_ns = stream->switches.from_ns;
	group->now = clock_triple_now();
	group->is_first = is_first;
	group->n = 0;
	return group;
}

/* Each group of one poll has the times from when to when that poll is complete. */
static void put_group(struct switch_group *group)
{
	struct stream *switches = session_stream(group->of->session, ID_STREAM_SWITCHES);
	struct ring_group records = ring_group_begin(switches);
	uint64_t value = (uint64_t)group->n << 32 | group->of->number;
	ring_group_append(&records, group->now.ticks, record_head(EVENT_switches, group->is_first, value), group->from_ns,
			  group->now.monotonic_ns);
	for (uint32_t i = 0; i < group->n; i++) {
		const struct off_interval *off = &group->offs[i];
		ring_group_append(&records, off->begin_ns, record_head(EVENT_off, off->why, off->cpu), off->end_ns,
				  (uint64_t)off->n_lost << 32 | off->next_cpu);
	}
	ring_group_end(&records);
	group->n = 0;
}

/* Had the memory no room for another record? The kernel writes none that would fill its ring to the last byte, and only
 * its next record says how many were lost: a thread that ended has no next one. */
static bool is_full(const struct switch_memory *memory, uint64_t head, uint64_t tail)
{
	return head - tail + sizeof(struct kernel_switch) >= memory->n_pages * SWITCHES_PAGE_BYTES;
}

/* Adds an interval. `end_ns` 0: it lasts until now. */
static void add(struct switch_group *group, const struct off_interval *off)
{
	uint64_t until_ns = off->end_ns ? off->end_ns : group->now.monotonic_ns;
	bool is_stalled = off->why == off_why_blocked && watch_has_seen(group->of, off->begin_ns, until_ns);
	if (group->n == SWITCH_GROUP_MAX)
		put_group(group);
	struct off_interval *added = &group->offs[group->n++];
	*added = *off;
	if (is_stalled)
		added->why = off_why_stalled;
}

/* Adds an interval of which nothing is known. */
static void add_unknown(struct switch_group *group, uint64_t begin_ns, uint64_t end_ns, uint32_t cpu, uint32_t n_lost)
{
	add(group,
	    &(struct off_interval){
		    .begin_ns = begin_ns, .end_ns = end_ns, .why = off_why_unknown, .cpu = cpu, .next_cpu = cpu, .n_lost = n_lost});
}

/* Are these records too many for that time? A switch has two. */
static bool are_too_many(uint64_t n_records, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t passed_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
	return passed_ns >= RATE_LEAST_NS && n_records / 2 * UINT64_C(1000000000) > passed_ns * RATE_MAX;
}

void switches_skip(struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	struct switch_group *group = begin_group(stream, false);
	add_unknown(group, memory->from_ns, group->now.monotonic_ns, 0, 0);
	put_group(group);
	memory->from_ns = group->now.monotonic_ns;
}

enum switches_rate switches_copy(struct stream *stream, bool is_last)
{
	struct switch_memory *memory = &stream->switches;
	struct perf_event_mmap_page *page = memory->page;
	struct switch_group *group = begin_group(stream, memory->is_first);
	/* This is read before the records: nothing is recorded of the thread after that time. */
	uint64_t left_ns = __atomic_load_n(&memory->left_ns, __ATOMIC_RELAXED);
	/* X2: The end of the kernel's records is read before the records. Pairs with the kernel's store of data_head. */
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail, taken = tail, last_ns = memory->from_ns;
	if (head == memory->seen && !is_last && !memory->is_first)
		return SWITCHES_FEW; /* nothing new: an interval that is not over was copied before */
	bool is_filled = head - tail > memory->n_pages * SWITCHES_PAGE_BYTES / 2;
	bool is_too_fast = are_too_many((head - tail) / sizeof(struct kernel_switch), memory->from_ns, group->now.monotonic_ns);
	memory->seen = head;
	uint64_t known_ns = memory->full_ns ? memory->full_ns : last_ns; /* lost records were lost after that */
	struct off_interval off = {0}; /* an interval whose end was not read yet, if its begin is not 0 */
	while (tail < head) {
		union kernel_record record;
		copy_out(memory, tail, &record.header, sizeof record.header);
		if (record.header.size < sizeof record.header || record.header.size > head - tail)
			break; /* no kernel writes that */
		if (record.header.type == PERF_RECORD_SWITCH && record.header.size == sizeof record.sw) {
			copy_out(memory, tail, &record.sw, sizeof record.sw);
			if (left_ns && record.sw.id.time >= left_ns)
				break;
			last_ns = known_ns = record.sw.id.time;
			if (record.header.misc & PERF_RECORD_MISC_SWITCH_OUT) {
				bool is_ready = record.header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
				off = (struct off_interval){.begin_ns = last_ns,
							    .why = is_ready ? off_why_preempted : off_why_blocked,
							    .cpu = record.sw.id.cpu};
				taken = tail;
			} else if (off.begin_ns) {
				off.end_ns = last_ns;
				off.next_cpu = record.sw.id.cpu;
				add(group, &off);
				off.begin_ns = 0;
			}
		} else if (record.header.type == PERF_RECORD_LOST && record.header.size == sizeof record.lost) {
			copy_out(memory, tail, &record.lost, sizeof record.lost);
			add_unknown(group, last_ns, record.lost.id.time, record.lost.id.cpu,
				    record.lost.lost < UINT32_MAX ? (uint32_t)record.lost.lost : UINT32_MAX);
			is_too_fast |= are_too_many(record.lost.lost, known_ns, record.lost.id.time);
			last_ns = known_ns = record.lost.id.time;
			off.begin_ns = 0;
		}
		tail += record.header.size;
		if (!off.begin_ns)
			taken = tail;
	}
	bool has_no_room = is_full(memory, head, page->data_tail);
	memory->full_ns = has_no_room ? last_ns : 0;
	if (left_ns && !has_no_room) {
		/* The stream's thread has ended, and the next one is not recorded. */
		if (off.begin_ns) {
			off.end_ns = left_ns;
			off.next_cpu = off.cpu;
			add(group, &off);
		}
		last_ns = last_ns > left_ns ? last_ns : left_ns;
	}
	if (left_ns || has_no_room) {
		/* Nothing is known after the last record. */
		add_unknown(group, last_ns, group->now.monotonic_ns, 0, 0);
		off.begin_ns = 0;
		taken = tail;
	} else if (off.begin_ns) {
		off.next_cpu = off.cpu;
		add(group, &off);
	}
	put_group(group);
	switches_copy_mask(stream);
	memory->is_first = false;
	memory->from_ns = off.begin_ns ? off.begin_ns : group->now.monotonic_ns;
	/* X3: The records are read before the kernel may write over them. Pairs with the kernel's load of data_tail. */
	__atomic_store_n(&page->data_tail, taken, __ATOMIC_RELEASE);
	return is_too_fast ? SWITCHES_TOO_MANY : is_filled ? SWITCHES_MANY : SWITCHES_FEW;
}

void switches_copy_mask(struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	uint64_t *words = stream->session->switches.mask, n = 0;
	long n_bytes = sys_getaffinity(stream->tid, words, sizeof stream->session->switches.mask);
	for (size_t i = 0; n_bytes > 0 && i < (size_t)n_bytes / sizeof *words; i++)
		n += (uint64_t)__builtin_popcountll(words[i]);
	if (n == 0 || (n == memory->n_processors && words[0] == memory->mask_low))
		return;
	memory->n_processors = n;
	memory->mask_low = words[0];
	ring_append(session_stream(stream->session, ID_STREAM_SWITCHES), clock_ticks(),
		    record_head(EVENT_thread_mask, 0, stream->number), words[0], n);
}
