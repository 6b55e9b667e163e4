/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The OTF2 sink's frame: opens the archive, decides on the clock, begins and ends processes, closes it with all definitions.
 *
 * One location is written at a time where replay delivers one stream after the other, so memory is two chunks and the tables; OTF2
 * itself never writes a BufferFlush (those in the archive are the recorder's), and what it answers is always looked at.
 */
#include "builder/otf2/otf2.h"
#include "builder/otf2/archive.h"
#include "builder/otf2/trace_id.h"
#include "builder/support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int archive_failed(struct archive *a, OTF2_ErrorCode code, const char *what)
{
	if (!a->has_failed)
		error("%s: %s: %s%s%s", a->path, what, OTF2_Error_GetDescription(code), a->detail[0] ? ": " : "", a->detail);
	a->has_failed = true;
	return -1;
}

int archive_out_of_memory(struct archive *a)
{
	if (!a->has_failed)
		error("%s: out of memory", a->path);
	a->has_failed = true;
	return -1;
}

/* OTF2 prints on stderr what it has to say, unless somebody listens. */
static OTF2_ErrorCode listen(void *self, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
			     const char *format, va_list arguments)
{
	struct archive *a = self;
	(void)file;
	(void)line;
	(void)function;
	if (a != NULL && format != NULL)
		vsnprintf(a->detail, sizeof a->detail, format, arguments);
	return code;
}

/* ---- OTF2's memory: at most two chunks a writer, then it must flush. By itself it would take 128 MiB first. ---- */

struct pool {
	unsigned n_used, n_chunks;
	void *chunks[2];
};

static OTF2_FlushType pre_flush(void *self, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool is_final)
{
	(void)self;
	(void)type;
	(void)location;
	(void)caller;
	(void)is_final;
	return OTF2_FLUSH;
}

static void *chunk_allocate(void *self, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t chunk_bytes)
{
	(void)self;
	(void)type;
	(void)location;
	struct pool *pool = *buffer;
	if (pool == NULL && (*buffer = pool = calloc(1, sizeof *pool)) == NULL)
		return NULL;
	if (pool->n_used == sizeof pool->chunks / sizeof *pool->chunks)
		return NULL;
	if (pool->n_used == pool->n_chunks) {
		if ((pool->chunks[pool->n_chunks] = malloc(chunk_bytes)) == NULL)
			return NULL;
		pool->n_chunks++;
	}
	return pool->chunks[pool->n_used++];
}

static void chunk_free_all(void *self, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool is_final)
{
	(void)self;
	(void)type;
	(void)location;
	struct pool *pool = *buffer;
	if (pool == NULL)
		return;
	pool->n_used = 0;
	if (!is_final)
		return;
	for (unsigned i = 0; i < pool->n_chunks; i++)
		free(pool->chunks[i]);
	free(pool);
	*buffer = NULL;
}

/* ---- Time ---- */

/* Do the dumps' ticks come from one counter? */
static bool share_counter(const struct trace *traces, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct meta *first = &traces[0].dump.meta, *other = &traces[i].dump.meta;
		if (first->boot_id[0] == '\0' || strcmp(first->boot_id, other->boot_id) != 0 ||
		    strcmp(first->clock, other->clock) != 0)
			return false;
	}
	return true;
}

/* From the first event to the last, the recorder's start and end included: ProgramBegin and ProgramEnd stand there. */
static void set_clock(struct archive *a, const struct trace *trace)
{
	struct process *p = &a->now;
	const struct dump *dump = &trace->dump;
	const struct model *m = &trace->model;
	uint64_t first_ticks = m->first_ticks != 0 && m->first_ticks < dump->first_ticks ? m->first_ticks : dump->first_ticks;
	uint64_t last_ticks = m->last_ticks > first_ticks ? m->last_ticks : first_ticks;
	if (dump->meta.end.ticks > last_ticks)
		last_ticks = dump->meta.end.ticks;
	p->is_converted = a->is_converted;
	p->first_time = 0;
	p->last_time = UINT64_MAX;
	uint64_t first_time = process_time(p, first_ticks);
	p->last_time = process_time(p, last_ticks);
	p->last_time += p->last_time < UINT64_MAX; /* room for what must come after something else */
	p->first_time = first_time;
	if (a->n_ended == 0 || p->first_time < a->first_time) {
		a->first_time = p->first_time;
		uint64_t before_ns = dump_duration_ns(dump, dump->first_ticks - first_ticks);
		a->first_realtime_ns = dump->first_realtime_ns > before_ns ? dump->first_realtime_ns - before_ns : 0;
	}
	if (a->n_ended == 0 || p->last_time > a->last_time)
		a->last_time = p->last_time;
}

/* ---- A process ---- */

/* Threads that never were in a team, and those that the runtime has of its own. */
static int find_foreign_threads(struct archive *a)
{
	struct process *p = &a->now;
	const struct model *m = p->model;
	bool *is_member = calloc(m->dump->n_streams + 1, sizeof *is_member);
	if (is_member == NULL)
		return -1;
	for (uint32_t t = 1; t < m->n_teams; t++)
		for (uint32_t i = 0; i < m->teams[t].n_members; i++)
			is_member[m->team_members[m->teams[t].first_member + i]] = true;
	for (size_t i = 0; i < m->dump->n_streams; i++)
		if (!is_member[i])
			a->locations[p->def->first_location + i].is_foreign = true;
	free(is_member);
	for (uint32_t i = 1; i < m->n_tasks; i++)
		if ((m->tasks[i].state & (TASK_HELPER | TASK_STARTED)) == (TASK_HELPER | TASK_STARTED))
			a->locations[p->def->first_location + m->tasks[i].run_stream].is_helper = true;
	return 0;
}

static void free_process(struct process *p)
{
	for (uint32_t i = 0; p->locations != NULL && i < p->def->n_locations; i++) {
		free(p->locations[i].open);
		free(p->locations[i].holds);
	}
	free(p->locations);
	free(p->region_refs);
	free(p->task_bits);
	for (uint32_t i = 0; i < p->n_suspended; i++)
		free(p->suspended[i].open);
	free(p->suspended);
	process_free_units(p);
	map_free(&p->suspended_rows);
	map_free(&p->lock_rows);
	*p = (struct process){0};
}

static int begin(void *self, const struct trace *trace)
{
	struct archive *a = self;
	struct process *p = &a->now;
	const struct model *m = &trace->model;
	*p = (struct process){.model = m, .first_lock = a->n_locks, .first_comm = a->n_comms};
	for (size_t i = 0; i < a->n_processes; i++)
		if (a->processes[i].process == trace->process)
			p->def = &a->processes[i];
	set_clock(a, trace);
	p->locations = calloc(p->def->n_locations, sizeof *p->locations);
	p->task_bits = calloc(m->n_tasks / 2 + 1, 1);
	if (p->locations == NULL || p->task_bits == NULL || find_foreign_threads(a) != 0)
		return archive_out_of_memory(a);
	for (uint32_t i = 0; i < p->def->n_locations; i++)
		p->locations[i] = (struct location){.task = UNSET,
						    .rank_team = UNSET,
						    .solo_comm = UNSET,
						    .state = UNSET,
						    .state_written = UNSET,
						    .is_on = true};
	for (uint32_t t = 1; t < m->n_teams; t++) { /* parents come first */
		uint32_t parent = m->teams[t].parent != 0 ? p->first_comm + m->teams[t].parent - 1 : UNSET;
		if (archive_comm(a, parent, m->team_members + m->teams[t].first_member, m->teams[t].n_members) == UNSET)
			return -1;
	}
	return archive_begin_units(a) != 0 ? -1 : archive_begin_devices(a);
}

static int end(void *self, const struct trace *trace)
{
	struct archive *a = self;
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && i < a->now.def->n_locations; i++) /* those without a record are there, too */
		rc = location_finish(a, i);
	if (rc == 0)
		rc = archive_write_devices(a);
	if (rc == 0)
		rc = archive_name_regions(a);
	archive_end_units(a);
	a->n_locks += a->now.n_locks;
	if (tally_total(&trace->model.repairs) != 0 || trace->model.n_events[EVENT_recording_off] != 0)
		a->has_holes = true;
	a->n_ended++;
	free_process(&a->now);
	return rc;
}

/* ---- The archive ---- */

/* Was this group of events recorded? Setting `events`: "all", or "+group,-group". */
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
	int rc = host == NULL ? archive_out_of_memory(a) : 0;
	if (rc == 0 && *host != '\0')
		rc = archive_check(a, OTF2_Archive_SetMachineName(a->otf2, host), "setting the machine's name");
	free(host);
	return rc;
}

/* Gives the archive's resources back, whatever state it is in. */
static void destroy(struct archive *a)
{
	OTF2_Error_RegisterCallback(NULL, NULL);
	free_process(&a->now);
	if (a->attributes != NULL)
		OTF2_AttributeList_Delete(a->attributes);
	archive_free_definitions(a);
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
		rc = archive_write_definitions(a);
	if (archive_check(a, OTF2_Archive_Close(a->otf2), "closing the archive") != 0)
		rc = -1;
	if (rc == 0)
		rc = trace_id_set(a->path, a->trace_id);
	destroy(a);
	return rc;
}

/* Which node each process ran on, and which locations are whose. */
static int lay_out(struct archive *a, const struct trace *traces, size_t n)
{
	a->processes = calloc(n + 1, sizeof *a->processes);
	if (a->processes == NULL)
		return -1;
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
	a->locations = calloc(a->n_locations, sizeof *a->locations);
	if (a->locations == NULL)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < traces[i].dump.n_streams; j++) {
			struct location_def *l = &a->locations[a->processes[i].first_location + j];
			l->number = traces[i].dump.streams[j].number;
			for (size_t cause = 0; cause < LOSS_CAUSES; cause++)
				l->n_lost += traces[i].dump.streams[j].lost[cause];
		}
	return 0;
}

static int intern_event_strings(struct archive *a)
{
	static const char *const schedules[] = {"static", "dynamic", "guided", "other"};
	bool is_done = archive_string(a, "") == 0; /* string 0 is the empty one */
	for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
		is_done = (a->string_schedules[i] = archive_string(a, schedules[i])) != UNSET && is_done;
	a->string_cancel = archive_string(a, "cancel");
	a->string_detach = archive_string(a, "detach");
	a->string_unfinished = archive_string(a, "unfinished");
	a->string_yield = archive_string(a, "yield");
	a->string_suspend = archive_string(a, "suspend");
	return is_done && a->string_cancel != UNSET && a->string_detach != UNSET && a->string_unfinished != UNSET &&
			       a->string_yield != UNSET && a->string_suspend != UNSET
		       ? 0
		       : -1;
}

/* A definition must fit into one chunk, and the group of all locations is one. */
static uint64_t def_chunk_bytes(const struct archive *a)
{
	uint64_t bytes = OTF2_CHUNK_BYTES;
	while (bytes < (uint64_t)a->n_locations * 10 + 4096 && bytes < OTF2_CHUNK_SIZE_MAX)
		bytes *= 2;
	return bytes;
}

/* Where streams are replayed together each location keeps a file open: as many as the system lets us. */
static void allow_files(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int open_archive(struct archive *a, const char *dir)
{
	static const OTF2_FlushCallbacks flush = {pre_flush, NULL};
	static const OTF2_MemoryCallbacks memory = {chunk_allocate, chunk_free_all};
	a->otf2 = OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_BYTES, def_chunk_bytes(a), OTF2_SUBSTRATE_POSIX,
				    OTF2_COMPRESSION_NONE);
	if (a->otf2 == NULL)
		return archive_failed(a, OTF2_ERROR_INVALID, "creating the archive");
	if (archive_check(a, OTF2_Archive_SetFlushCallbacks(a->otf2, &flush, NULL), "setting up the archive") != 0 ||
	    archive_check(a, OTF2_Archive_SetMemoryCallbacks(a->otf2, &memory, NULL), "setting up the archive") != 0 ||
	    archive_check(a, OTF2_Archive_SetSerialCollectiveCallbacks(a->otf2), "setting up the archive") != 0 ||
	    archive_check(a, OTF2_Archive_OpenEvtFiles(a->otf2), "creating the event files") != 0 ||
	    archive_check(a, OTF2_Archive_OpenDefFiles(a->otf2), "creating the definition files") != 0) {
		OTF2_Archive_Close(a->otf2);
		return -1;
	}
	return 0;
}

int sink_otf2_open(struct sink *sink, const char *dir, const struct trace *traces, size_t n_traces)
{
	struct archive *a = calloc(1, sizeof *a);
	if (a == NULL)
		return error("%s: out of memory", dir);
	a->is_complete = a->has_all_locks = a->has_all_teams = true;
	a->is_converted = !share_counter(traces, n_traces);
	a->ticks_per_second = a->is_converted || n_traces == 0 ? UINT64_C(1000000000) : dump_ticks_per_second(&traces[0].dump);
	a->trace_id = trace_id_of(traces, n_traces);
	if (asprintf(&a->path, "%s/traces.otf2", dir) < 0)
		a->path = NULL;
	a->attributes = OTF2_AttributeList_New();
	OTF2_Error_RegisterCallback(listen, a);
	if (a->path == NULL || a->attributes == NULL || lay_out(a, traces, n_traces) != 0 || intern_event_strings(a) != 0) {
		destroy(a);
		return error("%s: out of memory", dir);
	}
	allow_files();
	if (open_archive(a, dir) != 0) {
		destroy(a);
		return -1;
	}
	*sink = (struct sink){"OTF2", &archive_ops, event_state, begin, end, close_archive, a};
	return 0;
}
