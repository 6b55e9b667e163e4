/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary of what the host did for devices: target regions, launches, operations on data and how much they moved;
 * and the runtime's hidden helper threads, which execute target tasks.
 */
#include "builder/summary/summary.h"

#include <inttypes.h>
#include <jansson.h>

void summary_collect_target(struct target_summary *t, const struct model *m)
{
	t->n_devices += m->n_devices;
	for (uint32_t i = 1; i < m->n_operations; i++) {
		const struct operation *o = &m->operations[i];
		unsigned kind = o->kind < TARGET_DATA_OPS ? o->kind : 0;
		t->n_regions += o->type == OPERATION_TARGET;
		t->n_submits += o->type == OPERATION_SUBMIT;
		if (o->type == OPERATION_DATA) {
			t->operations[kind].n++;
			t->operations[kind].n_bytes += o->has_failed ? 0 : o->n_bytes;
			t->operations[kind].n_failed += o->has_failed;
		}
	}
	for (size_t i = 0; i < m->dump->n_streams; i++)
		t->n_helpers += m->has_helper_thread[i];
}

static const char *operation_name(unsigned kind)
{
	const char *name = event_enum_name("target_data_op", kind);
	return name != NULL ? name : "unknown";
}

void summary_print_target(const struct target_summary *t, FILE *out)
{
	uint64_t n_operations = 0;
	for (unsigned kind = 0; kind < TARGET_DATA_OPS; kind++)
		n_operations += t->operations[kind].n;
	if (t->n_regions + t->n_submits + n_operations + t->n_devices == 0)
		return;
	fprintf(out, "%-10s%" PRIu64 " regions, %" PRIu64 " submits, %" PRIu64 " devices", "target", t->n_regions, t->n_submits,
		t->n_devices);
	for (unsigned kind = 0; kind < TARGET_DATA_OPS; kind++) {
		if (t->operations[kind].n == 0)
			continue;
		fprintf(out, ", %" PRIu64 " %s (%" PRIu64 " bytes", t->operations[kind].n, operation_name(kind),
			t->operations[kind].n_bytes);
		if (t->operations[kind].n_failed != 0)
			fprintf(out, ", %" PRIu64 " failed", t->operations[kind].n_failed);
		fputc(')', out);
	}
	fputc('\n', out);
}

json_t *summary_json_target(const struct target_summary *t)
{
	json_t *operations = json_object();
	for (unsigned kind = 0; kind < TARGET_DATA_OPS; kind++)
		if (t->operations[kind].n != 0)
			json_object_set_new(operations, operation_name(kind),
					    json_pack("{s:I,s:I,s:I}", "count", (json_int_t)t->operations[kind].n, "bytes",
						      (json_int_t)t->operations[kind].n_bytes, "failed",
						      (json_int_t)t->operations[kind].n_failed));
	return json_pack("{s:I,s:I,s:I,s:I,s:o}", "regions", (json_int_t)t->n_regions, "submits", (json_int_t)t->n_submits,
			 "devices", (json_int_t)t->n_devices, "helper_threads", (json_int_t)t->n_helpers, "operations", operations);
}
