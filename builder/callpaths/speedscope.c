/* SPDX-License-Identifier: BSD-3-Clause
 *
 * spawn.speedscope.json: the paths of creation as profiles in speedscope's format: for each process what was executed, and,
 * where it is known, what was executed on the critical path. Stacks and weights are written one by one, as there may be
 * many; names go through jansson.
 */
#include "builder/callpaths/callpaths.h"
#include "builder/support/array.h"
#include "builder/support/file.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"
#include "builder/support/buffer.h"

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

static void put_frames(FILE *out, const struct callpaths *callpaths)
{
	fputs("\"shared\":{\"frames\":[", out);
	for (size_t i = 0; i < callpaths->n_frames; i++) {
		const struct callpath_frame *frame = &callpaths->frames[i];
		json_t *object = json_pack("{s:s}", "name", frame->name);
		if (frame->line != 0)
			json_object_update_new(object,
					       json_pack("{s:s, s:I}", "file", frame->file, "line", (json_int_t)frame->line));
		fputs(i == 0 ? "\n" : ",\n", out);
		put_json(out, object);
	}
	fputs("]},\n", out);
}

/* The figure of a row that a profile shows. */
typedef uint64_t weight_of(const struct callpath_row *row);

static uint64_t own_ns(const struct callpath_row *row)
{
	return row->own_ns;
}

static uint64_t path_ns(const struct callpath_row *row)
{
	return row->path_ns;
}

/* The stack of a row, without the process. */
static void put_stack(struct buffer *text, const struct callpaths *callpaths, const struct callpath_row *row, uint32_t *frames)
{
	uint32_t n = row->depth;
	for (const struct callpath_row *above = row; above->depth != 0; above = &callpaths->rows[above->parent])
		frames[above->depth - 1] = above->frame;
	for (uint32_t i = 0; i < n; i++) {
		buffer_put_text(text, i == 0 ? "[" : ",");
		buffer_put_decimal(text, frames[i]);
	}
	buffer_put_text(text, "]");
}

/* A profile of the rows from `first` to before `end`, which are those of one process. */
static void put_profile(FILE *out, const struct callpaths *callpaths, const char *title, size_t first, size_t end,
			weight_of *weight)
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
		const struct callpath_row *row = &callpaths->rows[i];
		if (weight(row) == 0)
			continue;
		array_reserve(frames, row->depth, capacity);
		text.n = 0;
		buffer_put_text(&text, separator);
		put_stack(&text, callpaths, row, frames);
		fwrite(text.bytes, 1, text.n, out);
		separator = ",\n";
	}
	fputs("],\n\"weights\":[", out);
	separator = "";
	for (size_t i = first; i < end; i++) {
		uint64_t ns = weight(&callpaths->rows[i]);
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
static size_t put_process(FILE *out, const struct callpaths *callpaths, const char *program, size_t first)
{
	size_t end = first + 1;
	char process[32] = "";
	while (end < callpaths->n_rows && callpaths->rows[end].depth != 0)
		end++;
	if (callpaths->n_processes > 1)
		snprintf(process, sizeof process, ", process %u", (unsigned)callpaths->rows[first].process);
	char *own = text_format("%s%s: executed", program, process), *path = text_format("%s%s: critical path", program, process);
	fputs(first == 0 ? "\n" : ",\n", out);
	put_profile(out, callpaths, own, first, end, own_ns);
	if (callpaths->rows[first].has_path) {
		fputs(",\n", out);
		put_profile(out, callpaths, path, first, end, path_ns);
	}
	free(own);
	free(path);
	return end;
}

int callpath_speedscope(const struct callpaths *callpaths, const char *program, const char *dir)
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
	put_frames(out, callpaths);
	fputs("\"profiles\":[", out);
	for (size_t i = 0; i < callpaths->n_rows;)
		i = put_process(out, callpaths, title, i);
	fputs("]}\n", out);
	free(title);
	return file_close(out, dir, NAME);
}

/* ---- Folded ---- */

/*
 * spawn.folded: stacks of frames as the tools for flame graphs read them, "FRAME;FRAME;FRAME NUMBER" a line. A stack is a
 * path of creation, and its number what was executed on it, in ns.
 */

/* A frame's name, in which nothing separates frames or ends the line. */
static void put_name(struct buffer *text, const char *name)
{
	for (; *name != '\0'; name++)
		if (*name == ';')
			buffer_put_text(text, "\\x3b");
		else
			buffer_put(text, name, 1);
}

int callpath_folded(const struct callpaths *callpaths, const char *dir)
{
	FILE *out = file_open(dir, "spawn.folded");
	if (out == NULL)
		return -1;
	struct buffer stack = {0};
	size_t *ends = NULL, capacity = 0; /* by depth: where the stack of the row of that depth ends */
	for (size_t i = 0; i < callpaths->n_rows; i++) {
		const struct callpath_row *row = &callpaths->rows[i];
		array_reserve(ends, row->depth + (size_t)1, capacity);
		stack.n = row->depth != 0 ? ends[row->depth - 1] : 0;
		bool is_shown = row->depth != 0 || callpaths->n_processes > 1; /* the only process is no frame */
		if (is_shown && stack.n != 0)
			buffer_put_text(&stack, ";");
		if (is_shown)
			put_name(&stack, callpaths->frames[row->frame].name);
		ends[row->depth] = stack.n;
		if (row->own_ns == 0)
			continue;
		buffer_put_text(&stack, " ");
		buffer_put_decimal(&stack, row->own_ns);
		buffer_put_text(&stack, "\n");
		fwrite(stack.bytes, 1, stack.n, out);
	}
	buffer_free(&stack);
	free(ends);
	return file_close(out, dir, "spawn.folded");
}
