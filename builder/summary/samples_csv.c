/* SPDX-License-Identifier: BSD-3-Clause
 *
 * samples.csv: a row for each sample. Tasks and regions have the same numbers as in nodes.csv. An output of its own, on
 * any thread.
 */
#include "builder/graph/files.h"
#include "builder/dump/samples.h"
#include "builder/support/text.h"
#include "builder/support/file.h"

#include <inttypes.h>

/*
 * The task's region, or, without a task, the sampled one. The runtime's hidden team for target tasks is in no output:
 * 0.
 */
static uint32_t shown_region(const struct model *m, uint32_t task, uint32_t sampled)
{
	bool is_helper = m->tasks[task].state & TASK_HELPER || m->regions[sampled].state & REGION_HELPER;
	return is_helper ? 0 : task != 0 ? m->tasks[task].region : sampled;
}

static void put_row(FILE *out, const struct trace *trace, const struct graph *graph, uint64_t offset, uint32_t stream,
		    const struct sample *sample)
{
	const struct model *m = graph->model;
	uint32_t task = model_task(m, sample->task);
	uint32_t region = shown_region(m, task, model_region(m, sample->region));
	if (!graph_task_is_node(graph, task))
		task = 0;
	fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%u,", trace->process, stream, dump_ns(&trace->dump, sample->ticks),
		sample->state);
	text_csv(out, sample_state_name(&trace->dump.meta, sample->state));
	fprintf(out, ",%u,", sample->missed);
	if (task != 0)
		fprintf(out, "%" PRIu64, offset + task);
	fprintf(out, ",%" PRIu32 ",", region);
	if (sample->wait_id != 0)
		fprintf(out, "0x%" PRIx64, sample->wait_id);
	fputc('\n', out);
}

int samples_csv(const struct graphs *graphs, const char *dir)
{
	FILE *out = file_open(dir, "samples.csv");
	if (out == NULL)
		return -1;
	fputs("process,stream,time_ns,number,state,missed,task,region,wait_id\n", out);
	for (size_t i = 0; i < graphs->n; i++) {
		const struct dump *dump = &graphs->traces[i].dump;
		for (size_t s = 0; s < dump->n_samples; s++) {
			struct cursor c;
			struct sample sample;
			cursor_init(&c, &dump->samples[s]);
			while (sample_next(dump, &c, &sample))
				put_row(out, &graphs->traces[i], &graphs->graphs[i], graphs_offset(graphs, i),
					dump->samples[s].number & ~ID_STREAM_SAMPLES, &sample);
		}
	}
	return file_close(out, dir, "samples.csv");
}
