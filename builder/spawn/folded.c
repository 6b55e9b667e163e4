/* SPDX-License-Identifier: BSD-3-Clause
 *
 * spawn.folded: stacks of frames as the tools for flame graphs read them, "FRAME;FRAME;FRAME NUMBER" a line. A stack is a
 * path of creation, and its number what was executed on it, in ns.
 */
#include "builder/spawn/files.h"
#include "builder/support/array.h"
#include "builder/support/buffer.h"
#include "builder/support/file.h"

#include <stdlib.h>

/* A frame's name, in which nothing separates frames or ends the line. */
static void put_name(struct buffer *text, const char *name)
{
	for (; *name != '\0'; name++)
		if (*name == ';')
			buffer_put_text(text, "\\x3b");
		else
			buffer_put(text, name, 1);
}

int spawn_folded(const struct spawn *spawn, const char *dir)
{
	FILE *out = file_open(dir, "spawn.folded");
	if (out == NULL)
		return -1;
	struct buffer stack = {0};
	size_t *ends = NULL, capacity = 0; /* by depth: where the stack of the row of that depth ends */
	for (size_t i = 0; i < spawn->n_rows; i++) {
		const struct spawn_row *row = &spawn->rows[i];
		array_reserve((void **)&ends, row->depth + (size_t)1, &capacity, sizeof *ends);
		stack.n = row->depth != 0 ? ends[row->depth - 1] : 0;
		bool is_shown = row->depth != 0 || spawn->n_processes > 1; /* the only process is no frame */
		if (is_shown && stack.n != 0)
			buffer_put_text(&stack, ";");
		if (is_shown)
			put_name(&stack, spawn->frames[row->frame].name);
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
