/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary of runtimes that were in a process beside the one that was recorded, and have no tools interface: gcc's
 * libgomp, under any name. Whether anything calls them is not known. LLVM's runtimes each load the recorder, so that none
 * of them is among these. MPI's library is looked for as well: what it does is not recorded.
 */
#include "builder/summary/summary.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"
#include "common/libgomp.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

static struct other_runtime *row_of(struct runtimes_summary *runtimes, const char *path)
{
	for (size_t i = 0; i < runtimes->n_others; i++)
		if (strcmp(runtimes->others[i].path, path) == 0)
			return &runtimes->others[i];
	array_reserve(runtimes->others, runtimes->n_others + 1, runtimes->capacity);
	struct other_runtime *row = &runtimes->others[runtimes->n_others++];
	*row = (struct other_runtime){.path = text_copy(path)};
	return row;
}

/* libmpi.so of Open MPI, libmpich.so, and the names of their vendors' and Fortran libraries. */
static bool is_mpi(const char *path)
{
	return strncmp(base_of(path), "libmpi", 6) == 0;
}

static bool has_mpi(const struct meta *meta)
{
	for (size_t i = 0; i < meta->n_maps; i++)
		if (is_mpi(meta->maps[i].path))
			return true;
	return false;
}

bool summary_collect_runtimes(struct runtimes_summary *runtimes, const struct trace *trace)
{
	const struct meta *meta = &trace->dump.meta;
	bool has_others = false;
	runtimes->n_mpi += has_mpi(meta);
	for (size_t i = 0; i < meta->n_maps; i++) {
		const struct meta_map *map = &meta->maps[i];
		bool is_recorded = meta->runtime_code >= map->start && meta->runtime_code < map->end;
		if (is_recorded || !libgomp_is_name(map->path) || libgomp_is_stand_in(map->path))
			continue;
		/* All mappings of a process may be in its meta several times. */
		struct other_runtime *row = row_of(runtimes, map->path);
		row->n_processes += row->last_process != trace->process + UINT64_C(1);
		row->last_process = trace->process + UINT64_C(1);
		has_others = true;
	}
	return has_others;
}

void summary_print_runtimes(const struct summary *summary, const char *title, FILE *out)
{
	for (size_t i = 0; i < summary->runtimes.n_others; i++) {
		const struct other_runtime *other = &summary->runtimes.others[i];
		char *name = text_utf8(base_of(other->path));
		fprintf(out, "%sgcc's %s is in ", title, name);
		if (summary->n_processes > 1)
			fprintf(out, "%" PRIu64 " of %zu processes", other->n_processes, summary->n_processes);
		else
			fputs("the process", out);
		fputs(": what calls it is not recorded\n", out);
		free(name);
	}
	if (summary->runtimes.n_mpi != 0)
		fprintf(out, "%stime in MPI counts as work, also where it waits for other processes\n", title);
}

json_t *summary_json_runtimes(const struct runtimes_summary *runtimes)
{
	json_t *array = json_array();
	for (size_t i = 0; i < runtimes->n_others; i++)
		json_array_append_new(array, json_pack("{s:o, s:I}", "path", text_json(runtimes->others[i].path), "processes",
						       (json_int_t)runtimes->others[i].n_processes));
	return array;
}

void summary_free_runtimes(struct runtimes_summary *runtimes)
{
	for (size_t i = 0; i < runtimes->n_others; i++)
		free(runtimes->others[i].path);
	free(runtimes->others);
}
