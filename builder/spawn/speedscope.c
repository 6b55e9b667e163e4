/* SPDX-License-Identifier: BSD-3-Clause
 *
 * spawn.speedscope.json: the paths of creation as profiles in speedscope's format, of each process what was executed, and,
 * where it is known, what was executed on the critical path. Stacks and weights are written one by one, as there may be
 * many; names go through jansson.
 */
#include "builder/spawn/files.h"
#include "builder/support/array.h"
#include "builder/support/file.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#define NAME "spawn.speedscope.json"

static void *json_memory(size_t n_bytes)
{
	return memory_get(n_bytes, 1, NAME);
}

static void put_json(FILE *out, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
	fputs(text, out);
	free(text);
	json_decref(value);
}

static void put_frames(FILE *out, const struct spawn *spawn)
{
	fputs("\"shared\":{\"frames\":[", out);
	for (size_t i = 0; i < spawn->n_frames; i++) {
		const struct spawn_frame *frame = &spawn->frames[i];
		json_t *object = json_pack("{s:s}", "name", frame->name);
		if (frame->line != 0)
			json_object_update_new(object,
					       json_pack("{s:s, s:I}", "file", frame->file, "line", (json_int_t)frame->line));
		fputs(i == 0 ? "\n" : ",\n", out);
		put_json(out, object);
	}
	fputs("]},\n", out);
}

/* What a profile shows of a row. */
typedef uint64_t weight_of(const struct spawn_row *row);

static uint64_t own_ns(const struct spawn_row *row)
{
	return row->own_ns;
}

static uint64_t path_ns(const struct spawn_row *row)
{
	return row->path_ns;
}

/* The stack of a row, without the process. */
static void put_stack(struct buffer *text, const struct spawn *spawn, const struct spawn_row *row, uint32_t *frames)
{
	uint32_t n = row->depth;
	for (const struct spawn_row *above = row; above->depth != 0; above = &spawn->rows[above->parent])
		frames[above->depth - 1] = above->frame;
	for (uint32_t i = 0; i < n; i++) {
		buffer_put_text(text, i == 0 ? "[" : ",");
		buffer_put_decimal(text, frames[i]);
	}
	buffer_put_text(text, "]");
}

/* A profile of the rows from `first` to before `end`, which are those of one process. */
static void put_profile(FILE *out, const struct spawn *spawn, const char *title, size_t first, size_t end, weight_of *weight)
{
	struct buffer text = {0};
	uint32_t *frames = NULL;
	size_t capacity = 0;
	uint64_t sum = 0;
	const char *separator = "\n";
	fputs("{\"type\":\"sampled\",\"name\":", out);
	put_json(out, json_string(title));
	fputs(",\"unit\":\"nanoseconds\",\"startValue\":0,\"samples\":[", out);
	for (size_t i = first; i < end; i++) {
		const struct spawn_row *row = &spawn->rows[i];
		if (weight(row) == 0)
			continue;
		array_reserve((void **)&frames, row->depth, &capacity, sizeof *frames);
		text.n = 0;
		buffer_put_text(&text, separator);
		put_stack(&text, spawn, row, frames);
		fwrite(text.bytes, 1, text.n, out);
		separator = ",\n";
	}
	fputs("],\n\"weights\":[", out);
	separator = "";
	for (size_t i = first; i < end; i++) {
		uint64_t ns = weight(&spawn->rows[i]);
		if (ns == 0)
			continue;
		fprintf(out, "%s%" PRIu64, separator, ns);
		separator = ",";
		sum += ns;
	}
	fprintf(out, "],\n\"endValue\":%" PRIu64 "}", sum);
	buffer_free(&text);
	free(frames);
}

/* The profiles of the process whose rows begin at `first`. Returns where they end. */
static size_t put_process(FILE *out, const struct spawn *spawn, const char *program, size_t first)
{
	size_t end = first + 1;
	char process[32] = "";
	while (end < spawn->n_rows && spawn->rows[end].depth != 0)
		end++;
	if (spawn->n_processes > 1)
		snprintf(process, sizeof process, ", process %u", (unsigned)spawn->rows[first].process);
	char *own = text_format("%s%s: executed", program, process), *path = text_format("%s%s: critical path", program, process);
	fputs(first == 0 ? "\n" : ",\n", out);
	put_profile(out, spawn, own, first, end, own_ns);
	if (spawn->rows[first].has_path) {
		fputs(",\n", out);
		put_profile(out, spawn, path, first, end, path_ns);
	}
	free(own);
	free(path);
	return end;
}

int spawn_speedscope(const struct spawn *spawn, const char *program, const char *dir)
{
	json_set_alloc_funcs(json_memory, free);
	FILE *out = file_open(dir, NAME);
	if (out == NULL)
		return -1;
	char *title = text_utf8(program);
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":\"otter-build\",\n\"name\":",
	      out);
	put_json(out, json_string(title));
	fputs(",\n\"activeProfileIndex\":0,\n", out);
	put_frames(out, spawn);
	fputs("\"profiles\":[", out);
	for (size_t i = 0; i < spawn->n_rows;)
		i = put_process(out, spawn, title, i);
	fputs("]}\n", out);
	free(title);
	return file_close(out, dir, NAME);
}
