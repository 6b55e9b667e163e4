/* SPDX-License-Identifier: BSD-3-Clause
 *
 * samples.csv: a row for each sample. docs/tables.md describes the columns; tasks and regions have the numbers that
 * they have in nodes.csv. An output of its own; one thread.
 */
#include "builder/graph/files.h"
#include "builder/dump/samples.h"
#include "builder/support/csv.h"

/*
 * The task's region, or, without a task, the sampled one. The runtime's hidden team for target tasks is in no output:
 * 0.
 */
static uint32_t shown_region(const struct model *m, uint32_t task, uint32_t sampled)
{
	bool is_helper = m->tasks[task].state & TASK_HELPER || m->regions[sampled].state & REGION_HELPER;
	return is_helper ? 0 : task != 0 ? m->tasks[task].region : sampled;
}

static void put_row(struct csv *csv, const struct trace *trace, const struct graph *graph, uint64_t offset, uint32_t stream,
		    const struct sample *sample)
{
	const struct model *m = graph->model;
	if (!window_meets(&m->window, sample->ticks, sample->ticks))
		return;
	uint32_t task = model_task(m, sample->task);
	uint32_t region = shown_region(m, task, model_region(m, sample->region));
	if (!graph_task_is_node(graph, task))
		task = 0;
	csv_number(csv, trace->process);
	csv_number(csv, stream);
	csv_number(csv, dump_ns(&trace->dump, sample->ticks));
	csv_number(csv, sample->state);
	csv_text(csv, sample_state_name(&trace->dump.meta, sample->state));
	csv_number(csv, sample->missed);
	csv_number_if(csv, task != 0, offset + task);
	csv_number(csv, region);
	csv_handle(csv, sample->wait_id);
	csv_end_row(csv);
}

int samples_csv(const struct graphs *graphs, const struct csv_place *place)
{
	struct csv csv;
	if (csv_open(&csv, place, "samples.csv", "process,stream,time_ns,number,state,missed,task,region,wait_id") != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		const struct dump *dump = &graphs->traces[i].dump;
		for (size_t s = 0; s < dump->n_samples; s++) {
			struct cursor c;
			struct sample sample;
			cursor_init(&c, &dump->samples[s]);
			while (sample_next(dump, &c, &sample))
				put_row(&csv, &graphs->traces[i], &graphs->graphs[i], graphs->graphs[i].before.n_nodes,
					dump->samples[s].number & ~ID_STREAM_SAMPLES, &sample);
		}
	}
	return csv_close(&csv);
}
