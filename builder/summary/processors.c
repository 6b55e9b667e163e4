/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary of what the kernel says about processors: how much of the work had none, and what is not known.
 */
#include "builder/summary/summary.h"

#include <inttypes.h>
#include <jansson.h>

/* Shares below this are not printed. */
#define STOLEN_PERCENT_MIN 1.0

static void collect_stalls(struct processor_summary *p, const struct dump *dump, const struct switches_of *of)
{
	for (size_t i = 0; i < of->n_offs; i++)
		if (of->offs[i].why == off_why_stalled) {
			p->n_stalls++;
			p->stalled_ns += dump_duration_ns(dump, of->offs[i].end_ticks - of->offs[i].begin_ticks);
		}
}

void summary_collect_processors(struct processor_summary *p, const struct model *model, const struct states *states,
				uint64_t unseen_ns)
{
	const struct switches *switches = &model->switches;
	if (!switches->are_recorded)
		return;
	p->are_recorded = true;
	p->processor_ns += model->dump->meta.processor_ns;
	p->unseen_ns += unseen_ns;
	for (size_t i = 0; i < switches->n_streams; i++) {
		const struct switches_of *of = &switches->streams[i];
		const struct state_times *times = states->n_streams != 0 ? &states->times[i] : NULL;
		uint64_t work_ticks = 0;
		for (unsigned state = 0; times != NULL && state < STATES; state++)
			work_ticks += state_is_work(state) ? times->ticks[state] : 0;
		collect_stalls(p, model->dump, of);
		bool is_unknown = of->known_until_ticks == 0;
		p->work_ns += dump_duration_ns(model->dump, work_ticks);
		p->unknown_ns += dump_duration_ns(model->dump, is_unknown || times == NULL ? work_ticks : times->unknown_ticks);
		p->n_migrations += of->n_migrations;
		p->n_unknown += is_unknown && work_ticks != 0;
		p->running_ns += is_unknown ? of->running_ns : 0;
		p->waiting_ns += is_unknown ? of->waiting_ns : 0;
	}
	if (switches->total_ns > p->total_ns) { /* processes of one machine have the same time: the longest one's counts */
		p->stolen_ns = switches->stolen_ns;
		p->total_ns = switches->total_ns;
	}
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole != 0 ? 100 * (double)part / (double)whole : 0;
}

void summary_print_processors(const struct summary *s, FILE *out)
{
	const struct processor_summary *p = &s->processors;
	if (!p->are_recorded)
		return;
	fprintf(out,
		"%-10spreempted %.1f%% (others used these processors), blocked %.1f%% (input, output, sleep), %" PRIu64
		" migration%s\n",
		"processor", percent(s->state_ns[STATE_PREEMPTED], s->life_ns), percent(s->state_ns[STATE_BLOCKED], s->life_ns),
		p->n_migrations, p->n_migrations == 1 ? "" : "s");
	if (p->n_stalls != 0)
		fprintf(out, "%-10sthe recorder's stores waited %" PRIu64 " time%s for the file system, %.6f s\n", "", p->n_stalls,
			p->n_stalls == 1 ? "" : "s", (double)p->stalled_ns / 1e9);
	if (percent(p->unknown_ns, p->work_ns) >= 0.05)
		fprintf(out, "%-10snot known for %.1f%% of the work, in which threads may have had no processor\n", "",
			percent(p->unknown_ns, p->work_ns));
	if (p->n_unknown != 0 && p->running_ns + p->waiting_ns != 0)
		fprintf(out,
			"%-10s%" PRIu64
			" threads without switch records: %.1f%% of the time for which they were ready they waited for "
			"a processor\n",
			"", p->n_unknown, percent(p->waiting_ns, p->running_ns + p->waiting_ns));
	summary_print_unseen(p, "          ", out);
	if (percent(p->stolen_ns, p->total_ns) >= STOLEN_PERCENT_MIN)
		fprintf(out, "%-10sthe hypervisor took %.1f%% of this machine's processors, which is in no other number here\n", "",
			percent(p->stolen_ns, p->total_ns));
}

void summary_print_unseen(const struct processor_summary *p, const char *title, FILE *out)
{
	if (p->unseen_ns != 0)
		fprintf(out, "%sthreads of which there are no records had %s of processor time (%.0f%%)\n", title,
			format_ns(p->unseen_ns).text, percent(p->unseen_ns, p->processor_ns));
}

json_t *summary_json_processors(const struct summary *s)
{
	const struct processor_summary *p = &s->processors;
	if (!p->are_recorded)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",                    //
			 "work_ns", (json_int_t)p->work_ns, "preempted_ns", (json_int_t)s->state_ns[STATE_PREEMPTED], //
			 "blocked_ns", (json_int_t)s->state_ns[STATE_BLOCKED],                                        //
			 "store_stalls", (json_int_t)p->n_stalls, "store_stalled_ns", (json_int_t)p->stalled_ns,      //
			 "unknown_ns", (json_int_t)p->unknown_ns,                                                     //
			 "migrations", (json_int_t)p->n_migrations,                                                   //
			 "unknown_threads", (json_int_t)p->n_unknown,                                                 //
			 "running_ns", (json_int_t)p->running_ns,                                                     //
			 "waiting_ns", (json_int_t)p->waiting_ns,                                                     //
			 "processor_ns", (json_int_t)p->processor_ns, "unseen_ns", (json_int_t)p->unseen_ns,          //
			 "stolen_ns", (json_int_t)p->stolen_ns, "total_ns", (json_int_t)p->total_ns);
}
