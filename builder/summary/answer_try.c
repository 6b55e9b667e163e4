/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a developer could change about a limit, with its numbers: see answer.h. It names only what the runtime would follow, and
 * nothing that could make a race.
 */
#include "builder/summary/answer.h"
#include "builder/support/format.h"

#include <inttypes.h>
#include <string.h>

#define CHUNK_NS 20000 /* a chunk of this length costs less than a hundredth of its time, at 100 to 200 ns each */

static void try_grain(const struct answer_row *row, bool is_unit, FILE *out)
{
	if (row->sort == CAUSE_REGIONS)
		fputs("one region around several of them", out);
	else if (row->sort == CAUSE_CHUNKS && row->own_ns != 0)
		fprintf(out, "chunks that are %" PRIu64 " times as large: schedule(dynamic, N)", CHUNK_NS / row->own_ns + 1);
	else if (row->sort == CAUSE_CHUNKS)
		fputs("larger chunks: schedule(dynamic, N), or schedule(static)", out);
	else if (row->cutoff_ns != 0)
		fprintf(out, "a cut-off: no %s for work of less than %s", row->nouns->tasks, format_ns(row->cutoff_ns).text);
	else
		fputs(is_unit ? "fewer and larger units: a cut-off"
			      : "fewer and larger tasks: a cut-off, or a taskloop with a grainsize",
		      out);
}

static void try_serial(const struct answer_row *row, bool is_unit, FILE *out)
{
	if (row->sort == CAUSE_BLOCKED)
		fprintf(out, "to overlap that with work: %s",
			is_unit ? "another unit reads ahead" : "another thread or task reads ahead");
	else if (row->sort == CAUSE_ALONE && is_unit)
		fputs("more execution streams, and units for these", out);
	else if (row->sort == CAUSE_ALONE && row->construct.label[0] != '\0')
		fputs("no if or num_threads clause that allows one thread alone, or a larger OMP_NUM_THREADS", out);
	else if (row->sort == CAUSE_ALONE)
		fputs("parallel regions, or a larger OMP_NUM_THREADS", out);
	else if (row->sort == CAUSE_UNUSED && !is_unit)
		fputs("no num_threads clause, or a larger one", out);
	else if (row->sort == CAUSE_SINGLE)
		fputs("nowait at the construct, or to share out its work", out);
	else
		fputs("to do a part of that in parallel, or beside other work", out);
}

static void try_runtime(const struct answer_row *row, bool is_unit, FILE *out)
{
	if (is_unit)
		fputs("pools that all execution streams take units from", out);
	else if (row->sort == CAUSE_FORK)
		fputs("one region instead of many, and OMP_PROC_BIND=true", out);
	else if (row->sort == CAUSE_ACQUIRING)
		fputs("to take the mutex less often: an atomic, or a reduction", out);
	else
		fputs("OMP_PROC_BIND=true, and fewer and larger tasks", out);
}

void answer_print_try(const struct answer_row *row, FILE *out)
{
	bool is_unit = row->is_of_units;
	switch (row->limit) {
	case LIMITS:
	case LIMIT_NONE:
	case LIMIT_HANG: return;
	case LIMIT_CREATION:
		fputs(is_unit ? "several units that create" : "several threads that create, or a taskloop", out);
		return;
	case LIMIT_GRAIN: try_grain(row, is_unit, out); return;
	case LIMIT_CHAIN:
		fputs(is_unit ? "finer signals: what needs a part of the result waits for that part"
			      : "smaller blocks of data in depend, or, where the order does not matter, mutexinoutset",
		      out);
		return;
	case LIMIT_WAIT:
		fputs(row->sort == CAUSE_UNDEFERRED ? "to let it be deferred: no if(0) or final"
		      : is_unit                     ? "to join later, once for several units"
						    : "to wait later: dependences, or one taskgroup, in the place of the wait",
		      out);
		return;
	case LIMIT_IMBALANCE:
		fputs(strcmp(row->construct.kind, construct_kind_name(CONSTRUCT_LOOP)) == 0
			      ? "schedule(dynamic, N), or smaller chunks"
		      : is_unit ? "to divide it into several units"
				: "to divide it into several tasks, begun first",
		      out);
		return;
	case LIMIT_EXCLUSION: fputs("a reduction or an atomic, or to hold it for less of the work", out); return;
	case LIMIT_SERIAL: try_serial(row, is_unit, out); return;
	case LIMIT_RUNTIME: try_runtime(row, is_unit, out); return;
	case LIMIT_PREEMPTION:
		if (row->sort == CAUSE_CROWDED && !is_unit)
			fprintf(out, "OMP_NUM_THREADS=%" PRIu64, row->n);
		else if (row->sort == CAUSE_CROWDED)
			fprintf(out, "%" PRIu64 " execution streams", row->n);
		else
			fputs("a machine, or processors, that no other program uses", out);
		return;
	case LIMIT_DATA: fputs("to keep the data on the device: target enter data, or a target data region around", out); return;
	case LIMIT_BLOCKED:
		fprintf(out, "more %s than processors, as these sleep, or calls that do not block", row->nouns->threads);
		return;
	case LIMIT_BINDING:
		if (row->sort == CAUSE_PROCESS)
			fprintf(out,
				"OMP_NUM_THREADS=%" PRIu64 ", or more processors for the process (its mask: taskset, srun, mpirun)",
				row->n_processors);
		else
			fputs("OMP_PLACES=cores OMP_PROC_BIND=spread, or a wider mask", out);
		return;
	case LIMIT_DOACROSS: fputs("more work for each iteration between sink and source, or tasks with dependences", out); return;
	}
}
