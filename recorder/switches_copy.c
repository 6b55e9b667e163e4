/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/switches_copy.h"

#include <linux/perf_event.h>
#include <string.h>

#include "recorder/clock.h"
#include "recorder/ring.h"
#include "recorder/session.h"
#include "recorder/watch.h"

/* More than 10,000 switches a second cost a thread more than a hundredth of its time. Less than 10 ms tell no rate. */
#define RATE_MAX      UINT64_C(10000)
#define RATE_LEAST_NS UINT64_C(10000000)

#define GROUP_MAX 16 /* stretches that are copied together: they lie on the stack, which may be small */

/* ---- The kernel's records ---- */

/* What the event asks for by its sample_type is at the end of each record (switch_event.c). */
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

struct off {
	uint64_t begin_ns;
	uint64_t end_ns; /* 0: it is not over */
	uint32_t why;
	uint32_t cpu, next_cpu;
	uint32_t n_lost;
};

/* What is copied of one thread: stretches without a processor, up to a time. */
struct group {
	struct stream *of;
	uint64_t from_ns;
	struct clock_triple now;
	bool is_first;
	uint32_t n;
	struct off offs[GROUP_MAX];
};

/* All groups of one reading say from when to when that reading is complete. */
static void put_group(struct group *group)
{
	struct stream *switches = session_stream(group->of->session, ID_STREAM_SWITCHES);
	struct ring_group records = ring_group_begin(switches);
	uint64_t value = (uint64_t)group->n << 32 | group->of->number;
	ring_group_append(&records, group->now.ticks, record_head(EVENT_switches, group->is_first, value), group->from_ns,
			  group->now.monotonic_ns);
	for (uint32_t i = 0; i < group->n; i++) {
		const struct off *off = &group->offs[i];
		ring_group_append(&records, off->begin_ns, record_head(EVENT_off, off->why, off->cpu), off->end_ns,
				  (uint64_t)off->n_lost << 32 | off->next_cpu);
	}
	ring_group_end(&records);
	group->n = 0;
}

/* Was there room for another record? The kernel writes none that would fill its ring to the last byte, and says only with the
 * next one that there is room for how many it has lost: a thread that ended has no next one. */
static bool is_full(const struct switch_memory *memory, uint64_t head, uint64_t tail)
{
	return head - tail + sizeof(struct kernel_switch) >= memory->n_pages * SWITCHES_PAGE_BYTES;
}

/* A stretch that is not over has `end_ns` 0: it has lasted until now. */
static void add(struct group *group, struct off off)
{
	uint64_t until_ns = off.end_ns ? off.end_ns : group->now.monotonic_ns;
	if (off.why == off_why_blocked && watch_has_seen(group->of, off.begin_ns, until_ns))
		off.why = off_why_stalled;
	if (group->n == GROUP_MAX)
		put_group(group);
	group->offs[group->n++] = off;
}

/* Are so many records too many for that time? A switch has two. */
static bool are_too_many(uint64_t n_records, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t passed_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
	return passed_ns >= RATE_LEAST_NS && n_records / 2 * UINT64_C(1000000000) > passed_ns * RATE_MAX;
}

void switches_skip(struct stream *stream)
{
	struct switch_memory *memory = &stream->switches;
	struct group group = {.of = stream, .from_ns = memory->from_ns, .now = clock_triple_now()};
	add(&group, (struct off){.begin_ns = memory->from_ns, .end_ns = group.now.monotonic_ns, .why = off_why_unknown});
	put_group(&group);
	memory->from_ns = group.now.monotonic_ns;
}

enum switches_rate switches_copy(struct stream *stream, bool is_last)
{
	struct switch_memory *memory = &stream->switches;
	struct perf_event_mmap_page *page = memory->page;
	struct group group = {.of = stream, .from_ns = memory->from_ns, .is_first = memory->is_first, .now = clock_triple_now()};
	/* Before the records are looked at: what the thread does after that is not told. */
	uint64_t left_ns = __atomic_load_n(&memory->left_ns, __ATOMIC_RELAXED);
	/* X2: The kernel's records are there before their end. Pairs with the kernel's store of data_head. */
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail, taken = tail, last_ns = memory->from_ns;
	if (head == memory->seen && !is_last && !memory->is_first)
		return SWITCHES_FEW; /* nothing new: a stretch that is not over was copied before */
	bool is_filled = head - tail > memory->n_pages * SWITCHES_PAGE_BYTES / 2;
	bool is_too_fast = are_too_many((head - tail) / sizeof(struct kernel_switch), memory->from_ns, group.now.monotonic_ns);
	memory->seen = head;
	uint64_t known_ns = memory->full_ns ? memory->full_ns : last_ns; /* what is lost was lost after that */
	struct off off = {0}; /* a stretch whose end was not read yet, if its begin is not 0 */
	while (tail < head) {
		union kernel_record record;
		copy_out(memory, tail, &record.header, sizeof record.header);
		if (record.header.size < sizeof record.header || record.header.size > head - tail)
			break; /* not what a kernel writes */
		if (record.header.type == PERF_RECORD_SWITCH && record.header.size == sizeof record.sw) {
			copy_out(memory, tail, &record.sw, sizeof record.sw);
			if (left_ns && record.sw.id.time >= left_ns)
				break;
			last_ns = known_ns = record.sw.id.time;
			if (record.header.misc & PERF_RECORD_MISC_SWITCH_OUT) {
				bool is_ready = record.header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
				off = (struct off){.begin_ns = last_ns,
						   .why = is_ready ? off_why_preempted : off_why_blocked,
						   .cpu = record.sw.id.cpu};
				taken = tail;
			} else if (off.begin_ns) {
				off.end_ns = last_ns;
				off.next_cpu = record.sw.id.cpu;
				add(&group, off);
				off.begin_ns = 0;
			}
		} else if (record.header.type == PERF_RECORD_LOST && record.header.size == sizeof record.lost) {
			copy_out(memory, tail, &record.lost, sizeof record.lost);
			add(&group,
			    (struct off){.begin_ns = last_ns,
					 .end_ns = record.lost.id.time,
					 .why = off_why_unknown,
					 .cpu = record.lost.id.cpu,
					 .next_cpu = record.lost.id.cpu,
					 .n_lost = record.lost.lost < UINT32_MAX ? (uint32_t)record.lost.lost : UINT32_MAX});
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
		/* The next thread of the stream is not recorded. */
		if (off.begin_ns) {
			off.end_ns = left_ns;
			off.next_cpu = off.cpu;
			add(&group, off);
		}
		last_ns = last_ns > left_ns ? last_ns : left_ns;
	}
	if (left_ns || has_no_room) {
		/* From the last record on nothing is known. */
		add(&group, (struct off){.begin_ns = last_ns, .end_ns = group.now.monotonic_ns, .why = off_why_unknown});
		off.begin_ns = 0;
		taken = tail;
	} else if (off.begin_ns) {
		off.next_cpu = off.cpu;
		add(&group, off);
	}
	put_group(&group);
	memory->is_first = false;
	memory->from_ns = off.begin_ns ? off.begin_ns : group.now.monotonic_ns;
	/* X3: The records are read before the kernel may write over them. Pairs with the kernel's load of data_tail. */
	__atomic_store_n(&page->data_tail, taken, __ATOMIC_RELEASE);
	return is_too_fast ? SWITCHES_TOO_MANY : is_filled ? SWITCHES_MANY : SWITCHES_FEW;
}
