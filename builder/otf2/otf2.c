/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The output as a whole: opens the archive, begins and ends processes, and closes the archive with all definitions. Runs on
 * its thread.
 */
#include "builder/otf2/otf2.h"
#include "builder/otf2/archive.h"
#include "builder/otf2/current.h"
#include "builder/otf2/events.h"
#include "builder/otf2/intern.h"
#include "builder/otf2/location.h"
#include "builder/otf2/mapping.h"
#include "builder/support/text.h"
#include "builder/support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A process ---- */

/* Finds the threads that never were in a team, and those that the runtime has for itself. */
static void find_foreign_threads(struct archive *a)
{
	struct process *p = &a->now;
	const struct model *m = p->model;
	bool *is_member = memory_zeroed(m->dump->n_streams, sizeof *is_member, "the archive");
	for (uint32_t t = 1; t < m->n_teams; t++)
		for (uint32_t i = 0; i < m->teams[t].n_members; i++)
			is_member[m->team_members[m->teams[t].first_member + i]] = true;
	for (size_t i = 0; i < m->dump->n_streams; i++)
		if (!is_member[i])
			a->locations[p->def->first_location + i].is_foreign = true;
	free(is_member);
	for (size_t i = 0; i < m->dump->n_streams; i++)
		if (m->has_helper_thread[i])
			a->locations[p->def->first_location + i].is_helper = true;
}

static void free_process(struct process *p)
{
	for (uint32_t i = 0; p->locations != NULL && i < p->def->n_locations; i++) {
		struct location *l = &p->locations[i];
		location_free(l);
		free(l->solos);
		intern_free(&l->interned);
		map_free(&l->region_slots);
	}
	free(p->locations);
	free(p->solo_comms);
	free(p->task_bits);
	free(p->is_created);
	current_end(p);
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (paradigms[i]->archive != NULL && paradigms[i]->archive->free_process != NULL)
			paradigms[i]->archive->free_process(p);
	team_comms_free(p);
	map_free(&p->device_regions);
	*p = (struct process){0};
}

static int begin(void *self, const struct trace *trace)
{
	struct archive *a = self;
	struct process *p = &a->now;
	const struct model *m = &trace->model;
	*p = (struct process){.model = m, .first_lock = a->n_locks};
	for (size_t i = a->n_ended; p->def == NULL && i < a->n_processes; i++) /* they come in order */
		if (a->processes[i].process == trace->process)
			p->def = &a->processes[i];
	clock_begin(a, trace);
	p->locations = memory_get(p->def->n_locations, sizeof *p->locations, "the archive");
	p->solo_comms = memory_zeroed(p->def->n_locations, sizeof *p->solo_comms, "the archive");
	p->task_bits = memory_zeroed(m->n_tasks, 1, "the archive");
	p->is_created = memory_zeroed(m->n_tasks, sizeof *p->is_created, "the archive");
	find_foreign_threads(a);
	for (uint32_t i = 0; i < p->def->n_locations; i++) {
		struct location *l = &p->locations[i];
		*l = (struct location){.stream = i,
				       .task = UNSET,
				       .key_task = UNSET,
				       .alike_region = UNSET,
				       .state = UNSET,
				       .state_written = UNSET,
				       .next_due = UINT64_MAX,
				       .is_muted = m->window.is_part,
				       .is_on = true};
		for (unsigned j = 0; j < RECENT_REGIONS; j++)
			l->recent_regions[j].region = UNSET;
	}
	current_begin(p);
	team_comms_begin(a);
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (paradigms[i]->archive != NULL && paradigms[i]->archive->begin != NULL)
			paradigms[i]->archive->begin(a);
	mapping_begin(a);
	return 0;
}

/* "1000 ns to 2500 ns": what of the (last) process's time is in the archive. */
static int set_part(struct archive *a, const struct trace *trace)
{
	const struct model *m = &trace->model;
	char text[64];
	snprintf(text, sizeof text, "%llu ns to %llu ns",
		 (unsigned long long)dump_ns(&trace->dump, window_clip(&m->window, m->first_ticks)),
		 (unsigned long long)dump_ns(&trace->dump, window_clip(&m->window, m->last_ticks)));
	return archive_check(a, OTF2_Archive_SetProperty(a->otf2, "OTTER::PART", text, true), "setting a property");
}

static int end(void *self, const struct trace *trace)
{
	struct archive *a = self;
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && i < a->now.def->n_locations; i++) /* those without a record are there, too */
		rc = close_location(a, i);
	for (uint32_t i = 0; rc == 0 && i < a->now.def->n_locations; i++) {
		const struct location *l = &a->now.locations[i];
		a->has_holes |= l->has_holes;
		a->has_states |= l->has_states;
		a->has_samples |= l->has_samples;
		a->has_all_teams &= !l->has_split_teams;
		rc = mapping_write(a, i);
	}
	for (size_t i = 0; i < N_PARADIGMS && rc == 0; i++)
		if (paradigms[i]->archive != NULL && paradigms[i]->archive->end != NULL)
			rc = paradigms[i]->archive->end(a);
	regions_name(a);
	a->n_locks += trace->model.n_locks;
	if (rc == 0 && trace->model.window.is_part)
		rc = set_part(a, trace);
	if (trace->model.window.is_part || tally_total(&trace->model.notes->repairs) != 0 || model_was_paused(&trace->model))
		a->has_holes = true;
	a->n_ended++;
	free_process(&a->now);
	return rc;
}

/* ---- The archive ---- */

/* Was this group of events recorded? The setting `events` is "all", or a list like "+group,-group". */
static bool has_group(const struct meta *meta, const char *group)
{
	for (size_t i = 0; i < meta->n_settings; i++) {
		if (strncmp(meta->settings[i], "events ", 7) != 0)
			continue;
		for (const char *at = meta->settings[i] + 7; (at = strstr(at, group)) != NULL; at++) {
			char after = at[strlen(group)];
			if (at[-1] == '-' && (after == '\0' || after == ','))
				return false;
		}
	}
	return true;
}

static int set_properties(struct archive *a)
{
	char creator[64];
	snprintf(creator, sizeof creator, "otter-build %s", OTTER_VERSION_STRING);
	const struct meta *meta = &a->processes[0].dump->meta;
	struct {
		const char *name;
		bool value;
	} properties[] = {
		{"OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE", a->is_complete && !a->has_holes && a->has_all_teams},
		{"OTF2::THREAD_LOCK_EVENT_COMPLETE", a->is_complete && !a->has_holes && a->has_all_locks},
		{"OTTER::TRUNCATED", !a->is_complete},
	};
	for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
		if (archive_check(a, OTF2_Archive_SetBoolProperty(a->otf2, properties[i].name, properties[i].value, true),
				  "setting a property") != 0)
			return -1;
	if (archive_check(a, OTF2_Archive_SetCreator(a->otf2, creator), "setting the creator") != 0)
		return -1;
	char *host = text_utf8(meta->host);
	int rc = 0;
	if (*host != '\0')
		rc = archive_check(a, OTF2_Archive_SetMachineName(a->otf2, host), "setting the machine's name");
	free(host);
	return rc;
}

/* Frees everything but OTF2's own handle, whatever state the archive is in. */
static void destroy(struct archive *a)
{
	archive_listen(NULL);
	library_free(a);
	free_process(&a->now);
	if (a->attributes != NULL)
		OTF2_AttributeList_Delete(a->attributes);
	intern_free(&a->interned);
	free(a->comms);
	free(a->members);
	free(a->locations);
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (paradigms[i]->archive != NULL && paradigms[i]->archive->free != NULL)
			paradigms[i]->archive->free(a);
	free(a->processes);
	free(a->path);
	free(a);
}

static int close_archive(void *self)
{
	struct archive *a = self;
	int rc = a->has_failed || a->n_ended != a->n_processes ? -1 : 0;
	if (rc == 0)
		rc = set_properties(a);
	if (archive_check(a, OTF2_Archive_CloseEvtFiles(a->otf2), "closing the event files") != 0 ||
	    archive_check(a, OTF2_Archive_CloseDefFiles(a->otf2), "closing the definition files") != 0)
		rc = -1;
	if (rc == 0)
		rc = defs_write(a);
	if (archive_check(a, OTF2_Archive_Close(a->otf2), "closing the archive") != 0)
		rc = -1;
	if (rc == 0)
		rc = trace_id_set(a->path, a->trace_id);
	destroy(a);
	return rc;
}

/* Numbers nodes and locations: one node for each host, one location for each stream. */
static void lay_out(struct archive *a, const struct trace *traces, size_t n)
{
	a->processes = memory_zeroed(n, sizeof *a->processes, "the archive");
	a->n_processes = n;
	uint32_t n_nodes = 1; /* node 0 is the machine */
	for (size_t i = 0; i < n; i++) {
		const struct dump *dump = &traces[i].dump;
		struct process_def *p = &a->processes[i];
		*p = (struct process_def){.dump = dump,
					  .process = traces[i].process,
					  .first_location = a->n_locations,
					  .n_locations = dump->n_streams ? (uint32_t)dump->n_streams : 1};
		for (size_t j = 0; j < i && p->node == 0; j++)
			if (strcmp(a->processes[j].dump->meta.host, dump->meta.host) == 0)
				p->node = a->processes[j].node;
		if (p->node == 0)
			p->node = n_nodes++;
		a->n_locations += p->n_locations;
		a->is_complete = a->is_complete && dump->is_complete && !dump->is_snapshot;
		a->has_all_locks = a->has_all_locks && has_group(&dump->meta, "mutex");
		a->has_all_teams =
			a->has_all_teams && has_group(&dump->meta, "parallel") && has_group(&dump->meta, "implicit_task");
	}
	a->locations = memory_zeroed(a->n_locations, sizeof *a->locations, "the archive");
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < traces[i].dump.n_streams; j++) {
			struct location_def *l = &a->locations[a->processes[i].first_location + j];
			l->number = traces[i].dump.streams[j].number;
			for (size_t cause = 0; cause < LOSS_CAUSES; cause++)
				l->n_lost += traces[i].dump.streams[j].lost[cause];
		}
}

static void intern_event_strings(struct archive *a)
{
	static const char *const schedules[] = {"static", "dynamic", "guided", "other"};
	intern_string(&a->interned, ""); /* the first one: string 0 is the empty one */
	for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
		a->string_schedules[i] = intern_string(&a->interned, schedules[i]);
	a->string_cancel = intern_string(&a->interned, "cancel");
	a->string_detach = intern_string(&a->interned, "detach");
	a->string_unfinished = intern_string(&a->interned, "unfinished");
	a->string_yield = intern_string(&a->interned, "yield");
	a->string_suspend = intern_string(&a->interned, "suspend");
}

int sink_otf2_open(struct sink *sink, const char *dir, const struct trace *traces, size_t n_traces, bool is_part, bool has_states)
{
	struct archive *a = memory_zeroed(1, sizeof *a, "the archive");
	a->is_complete = a->has_all_locks = a->has_all_teams = true;
	a->is_converted = !clock_is_shared(traces, n_traces);
	a->ticks_per_second = a->is_converted || n_traces == 0 ? UINT64_C(1000000000) : dump_ticks_per_second(&traces[0].dump);
	a->trace_id = trace_id_of(traces, n_traces);
	a->path = text_format("%s/traces.otf2", dir);
	a->attributes = OTF2_AttributeList_New();
	if (a->attributes == NULL)
		memory_fail(0, "OTF2's attributes");
	archive_listen(a);
	lay_out(a, traces, n_traces);
	intern_event_strings(a);
	if (library_open(a, dir) != 0) {
		destroy(a);
		return -1;
	}
	*sink = (struct sink){"OTF2",
			      is_part ? &part_ops : &event_ops,
			      !has_states ? NULL : is_part ? part_state : event_state,
			      begin,
			      end,
			      close_archive,
			      a};
	return 0;
}
