/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that all files of this folder use, for OTF2's errors, the attributes of the next event, and time stamps. One
 * thread.
 */
#include "builder/otf2/archive.h"
#include "builder/support/diag.h"

#include <stdio.h>
#include <string.h>

static _Thread_local char detail[200]; /* OTF2's latest message */

int archive_failed(struct archive *a, OTF2_ErrorCode code, const char *what)
{
	if (!__atomic_exchange_n(&a->has_failed, true, __ATOMIC_RELAXED))
		error("%s: %s: %s%s%s", a->path, what, OTF2_Error_GetDescription(code), detail[0] ? ": " : "", detail);
	return -1;
}

static OTF2_ErrorCode listen(void *self, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
			     const char *format, va_list arguments)
{
	(void)self;
	(void)file;
	(void)line;
	(void)function;
	if (format != NULL)
		vsnprintf(detail, sizeof detail, format, arguments);
	return code;
}

void archive_listen(struct archive *a)
{
	OTF2_Error_RegisterCallback(a != NULL ? listen : NULL, a);
}

int archive_add_u64(struct archive *a, OTF2_AttributeList *list, uint32_t attribute, uint64_t value)
{
	return archive_check(a, OTF2_AttributeList_AddUint64(list, attribute, value), "adding an attribute");
}

int archive_add_nonzero(struct archive *a, OTF2_AttributeList *list, uint32_t attribute, uint64_t value)
{
	return value != 0 ? archive_add_u64(a, list, attribute, value) : 0;
}

int archive_add_string(struct archive *a, OTF2_AttributeList *list, uint32_t attribute, uint32_t string)
{
	return archive_check(a, OTF2_AttributeList_AddStringRef(list, attribute, string), "adding an attribute");
}

/* ---- Clock ---- */

/*
 * The archive's clock. Ticks of different hosts or boots cannot be compared, so the times of such dumps are converted to ns
 * of real time.
 */

uint64_t clock_convert(const struct process *p, uint64_t ticks)
{
	return p->def->dump->first_realtime_ns + dump_ns(p->def->dump, ticks);
}

bool clock_is_shared(const struct trace *traces, size_t n_traces)
{
	for (size_t i = 1; i < n_traces; i++) {
		const struct meta *first = &traces[0].dump.meta, *other = &traces[i].dump.meta;
		if (first->boot_id[0] == '\0' || strcmp(first->boot_id, other->boot_id) != 0 ||
		    strcmp(first->clock, other->clock) != 0)
			return false;
	}
	return true;
}

uint64_t clock_stamp_slow(const struct process *p, uint64_t ticks)
{
	uint64_t time = p->is_converted ? clock_convert(p, ticks) : ticks;
	return time < p->first_time ? p->first_time : time > p->last_time ? p->last_time : time;
}

/* The recorder's start and end count as well: ProgramBegin and ProgramEnd are there. */
void clock_begin(struct archive *a, const struct trace *trace)
{
	struct process *p = &a->now;
	const struct dump *dump = &trace->dump;
	const struct model *m = &trace->model;
	uint64_t first_ticks = m->first_ticks != 0 && m->first_ticks < dump->first_ticks ? m->first_ticks : dump->first_ticks;
	uint64_t last_ticks = m->last_ticks > first_ticks ? m->last_ticks : first_ticks;
	if (dump->meta.end.ticks > last_ticks)
		last_ticks = dump->meta.end.ticks;
	first_ticks = window_clip(&m->window, first_ticks);
	last_ticks = window_clip(&m->window, last_ticks);
	p->is_converted = a->is_converted;
	p->first_time = 0;
	p->last_time = UINT64_MAX;
	uint64_t first_time = clock_stamp(p, first_ticks);
	p->last_time = clock_stamp(p, last_ticks);
	p->last_time += p->last_time < UINT64_MAX; /* room for an event that must come after another one */
	p->first_time = first_time;
	p->n_plain_ticks = p->is_converted ? 0 : p->last_time - p->first_time;
	if (a->n_ended == 0 || p->first_time < a->first_time) {
		a->first_time = p->first_time;
		bool is_before = first_ticks < dump->first_ticks;
		uint64_t before_ns = is_before ? dump_duration_ns(dump, dump->first_ticks - first_ticks) : 0;
		uint64_t realtime_ns = dump->first_realtime_ns + dump_ns(dump, first_ticks);
		a->first_realtime_ns = realtime_ns > before_ns ? realtime_ns - before_ns : 0;
	}
	if (a->n_ended == 0 || p->last_time > a->last_time)
		a->last_time = p->last_time;
}
