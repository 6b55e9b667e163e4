/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places the activities of devices in the host's time. A device's record has times of the device's clock, and their
 * translations by ompt_translate_time: times of omp_get_wtime's clock, which may begin anywhere. The recorder reads both
 * clocks between two readings of its own ticks; each such reading is a "tie" between the clock and the ticks. Clocks
 * drift, so a time is placed by the two ties around it.
 *
 * The translated time is used first. If the record has no translated time, or if the translation goes back in time, the ties of
 * the device's clock are used. If the dump has no ties of the translated clock, the translated time is taken as real time or as
 * monotonic time, whichever lies in the run of the process. An activity that none of these can place has no time. One
 * thread.
 */
#include "builder/devices/gather.h"
#include "builder/support/array.h"
#include "builder/support/lower_bound.h"
#include "builder/support/sort.h"

#include <stdlib.h>

/* One reading: this time of the clock was these ticks of the host. */
struct tie {
	int32_t device;
	uint64_t at;    /* time of the clock, in its own units */
	uint64_t ticks; /* the middle between the recorder's two readings */
	uint64_t width; /* ticks between these two readings */
};

/* The ties of one device. */
struct course {
	int32_t device;
	bool goes_back;  /* the clock went back, so a time may occur twice: these ties cannot place it */
	size_t first, n; /* rows of ties */
};

struct ties {
	struct tie *rows; /* by device, then time */
	size_t n;
	struct course *courses; /* by device */
	size_t n_courses;
};

static int by_device_and_time(const void *left, const void *right)
{
	const struct tie *l = left, *r = right;
	return cmp(l->device, r->device) ?: cmp(l->at, r->at) ?: cmp(l->ticks, r->ticks);
}

/* The course of a device; NULL if it has no ties. */
static const struct course *find_course(const struct ties *ties, int32_t device)
{
	size_t row = lower_bound(i, 0, ties->n_courses, ties->courses[i].device < device);
	return row < ties->n_courses && ties->courses[row].device == device ? &ties->courses[row] : NULL;
}

/* A reading that took more than this many times as long as the shortest one was interrupted, and is not used. */
#define WIDTH_FACTOR 8

/* The largest width that a tie of one device may have. */
static uint64_t widest_good(const struct model *m, const struct tie *ties, size_t n)
{
	uint64_t narrowest = UINT64_MAX;
	for (size_t i = 0; i < n; i++)
		narrowest = ties[i].width < narrowest ? ties[i].width : narrowest;
	uint64_t least = m->dump->ticks_per_second / 1000000; /* a microsecond is always good */
	narrowest = narrowest < least ? least : narrowest;
	return narrowest > UINT64_MAX / WIDTH_FACTOR ? UINT64_MAX : narrowest * WIDTH_FACTOR;
}

/*
 * Does the clock give a later time for a reading that certainly was earlier? The ties are ordered by the clock's time.
 */
static bool goes_back(const struct tie *ties, size_t n)
{
	uint64_t latest_begin = 0; /* ticks: the latest begin of the readings so far */
	for (size_t i = 0; i < n; i++) {
		uint64_t begin = ties[i].ticks - ties[i].width / 2, end = begin + ties[i].width;
		if (end < latest_begin)
			return true;
		latest_begin = begin > latest_begin ? begin : latest_begin;
	}
	return false;
}

/* Divides the ties by device, and removes those that are too wide. */
static void divide(const struct model *m, struct ties *ties)
{
	size_t n_good = 0;
	for (size_t first = 0, next; first < ties->n; first = next) {
		next = first;
		while (next < ties->n && ties->rows[next].device == ties->rows[first].device)
			next++;
		struct course course = {.device = ties->rows[first].device, .first = n_good};
		uint64_t widest = widest_good(m, &ties->rows[first], next - first);
		for (size_t i = first; i < next; i++)
			if (ties->rows[i].width <= widest && ties->rows[i].at != 0)
				ties->rows[n_good++] = ties->rows[i];
		course.n = n_good - course.first;
		course.goes_back = goes_back(&ties->rows[course.first], course.n);
		if (course.n > 0)
			ties->courses[ties->n_courses++] = course;
	}
	ties->n = n_good;
}

/* Makes the ties of all devices' own clocks, or of the translated ones. */
static void make_ties(const struct model *m, const struct device_reading *readings, size_t n, bool is_translated, struct ties *ties)
{
	*ties = (struct ties){.rows = memory_get(n, sizeof *ties->rows, "the readings of devices' clocks"),
			      .n = n,
			      .courses = memory_get(n, sizeof *ties->courses, "the readings of devices' clocks")};
	for (size_t i = 0; i < n; i++) {
		const struct device_reading *r = &readings[i];
		uint64_t width = r->after_ticks - r->before_ticks;
		ties->rows[i] =
			(struct tie){r->device, is_translated ? r->host_ns : r->device_time, r->before_ticks + width / 2, width};
	}
	sort_array(ties->rows, ties->n, by_device_and_time);
	divide(m, ties);
}

/* Ticks that pass between two ties for each unit of the clock; `otherwise` if one of the two did not go forward. */
static double slope(const struct tie *from, const struct tie *to, double otherwise)
{
	if (to->at <= from->at || to->ticks <= from->ticks)
		return otherwise;
	return (double)(to->ticks - from->ticks) / (double)(to->at - from->at);
}

/*
 * The ticks at the time `at` of a device's clock: placed between the two ties around it; before the first and after the
 * last tie, by the pace over all ties. `pace` (ticks a unit of the clock) is for a device with a single tie. 0: the
 * ties cannot place it.
 */
static uint64_t place(const struct ties *ties, int32_t device, uint64_t at, double pace)
{
	const struct course *course = find_course(ties, device);
	if (course == NULL || course->goes_back)
		return 0;
	size_t n = course->n;
	const struct tie *own = &ties->rows[course->first];
	pace = slope(&own[0], &own[n - 1], pace);
	size_t low = lower_bound(i, 1, n, own[i].at <= at) - 1; /* the last tie that is not after `at`, or the first one */
	if (own[low].at <= at && low + 1 < n)
		pace = slope(&own[low], &own[low + 1], pace);
	double ticks = at >= own[low].at ? (double)(at - own[low].at) * pace : -((double)(own[low].at - at) * pace);
	if (ticks < 0)
		return -ticks >= (double)own[low].ticks ? 0 : own[low].ticks - (uint64_t)-ticks;
	return ticks >= (double)(UINT64_MAX - own[low].ticks) ? 0 : own[low].ticks + (uint64_t)ticks;
}

/* The ticks at `ns` of a clock that read origin_ns at origin_ticks; 0 if the process did not run then. */
static uint64_t place_in_run(const struct model *m, uint64_t ns, uint64_t origin_ns, uint64_t origin_ticks)
{
	/* Take the difference first, as integers: a double cannot hold the ns since 1970 exactly. */
	double passed = (double)(int64_t)(ns - origin_ns) * ((double)m->dump->ticks_per_second / 1e9);
	double ticks = (double)origin_ticks + passed;
	return origin_ns != 0 && ticks >= (double)m->first_ticks && ticks <= (double)m->last_ticks ? (uint64_t)ticks : 0;
}

/* The ties of both kinds of clocks, for all devices. */
struct clocks {
	struct ties device, translated;
};

/* The host's ticks at a time of a device, by the rules in the head of this file; 0 if none of them can place it. */
static uint64_t host_ticks(const struct model *m, const struct clocks *clocks, int32_t device, uint64_t device_time,
			   uint64_t host_ns)
{
	uint64_t ticks = 0;
	if (host_ns != 0)
		ticks = place(&clocks->translated, device, host_ns, (double)m->dump->ticks_per_second / 1e9);
	if (ticks == 0 && device_time != 0)
		ticks = place(&clocks->device, device, device_time, (double)m->dump->ticks_per_second / 1e9);
	if (find_course(&clocks->translated, device) != NULL)
		return ticks;
	const struct clock_triple *start = &m->dump->meta.start;
	if (ticks == 0 && host_ns != 0)
		ticks = place_in_run(m, host_ns, start->realtime_ns, start->ticks);
	if (ticks == 0 && host_ns != 0)
		ticks = place_in_run(m, host_ns, start->monotonic_ns, start->ticks);
	return ticks;
}

/* Sets begin_ticks and end_ticks of an activity, or counts the repair that names the reason why it has none. */
static void settle(struct model *m, const struct clocks *clocks, struct activity *a)
{
	if (a->begin_device == 0 || a->end_device == 0) {
		tally_add(&m->notes->repairs, "device_record_without_time", 1);
		return;
	}
	if (a->end_device < a->begin_device) {
		/* It is not known which of the two times is wrong: the activity gets neither. */
		tally_add(&m->notes->repairs, "device_end_before_begin", 1);
		return;
	}
	uint64_t begin = host_ticks(m, clocks, a->device, a->begin_device, a->begin_host_ns);
	uint64_t end = host_ticks(m, clocks, a->device, a->end_device, a->end_host_ns);
	if (begin == 0 || end < begin || end < m->first_ticks || begin > m->last_ticks) {
		tally_add(&m->notes->repairs, "device_clock_unknown", 1);
		return;
	}
	a->begin_ticks = begin;
	a->end_ticks = end;
}

void device_time_settle(struct model *m, struct device_reading *readings, size_t n)
{
	struct clocks clocks = {0};
	make_ties(m, readings, n, false, &clocks.device);
	make_ties(m, readings, n, true, &clocks.translated);
	for (uint32_t i = 1; i < m->n_activities; i++)
		settle(m, &clocks, &m->activities[i]);
	for (size_t i = 0; i < clocks.translated.n_courses; i++)
		if (clocks.translated.courses[i].goes_back)
			tally_add(&m->notes->quirks, "translation_goes_back", 1);
	free(clocks.device.rows);
	free(clocks.device.courses);
	free(clocks.translated.rows);
	free(clocks.translated.courses);
}
