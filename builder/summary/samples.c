/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts samples by state, in all and by thread, and writes the counts in the summary's two forms.
 */
#include "builder/summary/summary.h"
#include "builder/support/array.h"
#include "builder/graph/files.h"
#include "builder/dump/samples.h"
#include "builder/tables/row.h"

#include <inttypes.h>
#include <stdlib.h>

void samples_collect(struct samples_summary *summary, const struct trace *trace)
{
	size_t n = trace->dump.n_samples;
	array_reserve(summary->threads, summary->n_threads + n, summary->capacity);
	for (size_t i = 0; i < n; i++) {
		const struct stream *samples = &trace->dump.samples[i];
		struct thread_samples *thread = &summary->threads[summary->n_threads++];
		*thread = (struct thread_samples){.trace = trace, .stream = samples->number & ~ID_STREAM_SAMPLES};
		samples_count(&thread->counts, &trace->dump, samples);
		samples_add(&summary->all, &thread->counts);
	}
}

void samples_summary_free(struct samples_summary *summary)
{
	for (size_t i = 0; i < summary->n_threads; i++)
		samples_free(&summary->threads[i].counts);
	free(summary->threads);
	samples_free(&summary->all);
}

/* Processes of one run have one runtime: its names of states are those of the first process. */
static const struct meta *names_of(const struct samples_summary *summary)
{
	return &summary->threads[0].trace->dump.meta;
}

void samples_print(const struct samples_summary *summary, FILE *out)
{
	const struct sample_counts *all = &summary->all;
	if (summary->n_threads == 0)
		return;
	const struct meta *meta = names_of(summary);
	fprintf(out, "%-10s%" PRIu64 " at %" PRIu64 " Hz of %s time in %zu threads; lost %" PRIu64 "\n", "samples", all->n_samples,
		meta->sample_hz, meta->sample_clock, summary->n_threads, all->n_lost);
	const char *separator = "";
	if (all->n_rows == 0)
		return;
	fprintf(out, "%-10s", "sampled");
	for (size_t i = 0; i < all->n_rows; i++) {
		double share = 100.0 * (double)all->rows[i].n_expirations / (double)all->n_expirations;
		fprintf(out, "%s%.1f %% %s", separator, share, sample_state_name(meta, all->rows[i].state));
		separator = ", ";
	}
	fputc('\n', out);
}

/* By name. States without a name are added up as "unknown". */
static json_t *json_counts(const struct meta *meta, const struct sample_counts *counts)
{
	json_t *states = json_object();
	for (size_t i = 0; i < counts->n_rows; i++) {
		const char *name = sample_state_name(meta, counts->rows[i].state);
		const json_t *before = json_object_get(states, name);
		json_int_t n_samples = json_integer_value(json_object_get(before, "samples"));
		json_int_t n_expirations = json_integer_value(json_object_get(before, "expirations"));
		json_object_set_new(states, name,
				    json_pack("{s:I,s:I}", "samples", n_samples + (json_int_t)counts->rows[i].n_samples,
					      "expirations", n_expirations + (json_int_t)counts->rows[i].n_expirations));
	}
	return json_pack("{s:I,s:I,s:I,s:o}", "samples", (json_int_t)counts->n_samples, "expirations",
			 (json_int_t)counts->n_expirations, "lost", (json_int_t)counts->n_lost, "states", states);
}

json_t *samples_json(const struct samples_summary *summary)
{
	if (summary->n_threads == 0)
		return json_null();
	const struct meta *meta = names_of(summary);
	json_t *object = json_counts(meta, &summary->all), *threads = json_array();
	json_object_set_new(object, "hz", json_integer((json_int_t)meta->sample_hz));
	json_object_set_new(object, "clock", json_string(meta->sample_clock));
	for (size_t i = 0; i < summary->n_threads; i++) {
		const struct thread_samples *thread = &summary->threads[i];
		json_t *one = json_counts(&thread->trace->dump.meta, &thread->counts);
		json_object_set_new(one, "process", json_integer((json_int_t)thread->trace->process));
		json_object_set_new(one, "stream", json_integer((json_int_t)thread->stream));
		json_array_append_new(threads, one);
	}
	json_object_set_new(object, "threads", threads);
	return object;
}

/* ---- samples.csv ---- */

/*
 * samples.csv: a row for each sample. docs/tables.md describes the columns; tasks and regions have the numbers that
 * they have in nodes.csv. An output of its own; one thread.
 */

/*
 * The task's region, or, without a task, the sampled one. The runtime's hidden team for target tasks is in no output:
 * 0.
 */
static uint32_t shown_region(const struct model *m, uint32_t task, uint32_t sampled)
{
	bool is_helper = m->tasks[task].state & TASK_HELPER || m->regions[sampled].state & REGION_HELPER;
	return is_helper ? 0 : task != 0 ? m->tasks[task].region : sampled;
}

static void put_row(struct row_writer *to, const struct trace *trace, const struct graph *graph, uint64_t offset, uint32_t stream,
		    const struct sample *sample)
{
	const struct model *m = graph->model;
	if (!window_meets(&m->window, sample->ticks, sample->ticks))
		return;
	uint32_t task = model_task(m, sample->task);
	uint32_t region = shown_region(m, task, model_region(m, sample->region));
	if (!graph_task_is_node(graph, task))
		task = 0;
	row_put_u64(to, trace->process);
	row_put_u64(to, stream);
	row_put_u64(to, dump_ns(&trace->dump, sample->ticks));
	row_put_u64(to, sample->state);
	row_put_text(to, sample_state_name(&trace->dump.meta, sample->state));
	row_put_u64(to, sample->missed);
	row_put_u64_if(to, task != 0, offset + task);
	row_put_u64(to, region);
	row_put_hex(to, sample->wait_id);
	row_end(to);
}

int samples_csv(const struct graphs *graphs, const struct table_place *place)
{
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_samples) != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		const struct dump *dump = &graphs->traces[i].dump;
		for (size_t s = 0; s < dump->n_samples; s++) {
			struct cursor c;
			struct sample sample;
			cursor_init(&c, &dump->samples[s]);
			while (sample_next(dump, &c, &sample))
				put_row(&to, &graphs->traces[i], &graphs->graphs[i], graphs->graphs[i].before.n_nodes,
					dump->samples[s].number & ~ID_STREAM_SAMPLES, &sample);
		}
	}
	return row_writer_close(&to);
}
