/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the registry of stages as a graph for dot(1): stages_dot | dot -Tsvg > docs/stages.svg. Stages are boxes, dashed if
 * they only add to the work of another one; files are without a box, those that need the same stages together. An edge
 * that follows from other edges is left out.
 */
#include "builder/run/stages.h"

#include <stdio.h>

static const struct {
	const char *what;
	unsigned needs;
	bool is_part;
} rows[N_STAGES] = {
#define STAGE(name, what, needs, make, visits, finish, free) {what, needs, false},
#define PART(name, what, needs)                              {what, needs, true},
#include "builder/run/stages.def"
};

/* The files of an output, or its name where it has none. */
#define MAX_FILES 4
static const struct {
	unsigned needs;
	const char *files[MAX_FILES + 1];
} outputs[] = {
#define OUTPUT_FOLLOWER(name, options, traits, needs, call, ...)                  {needs, {__VA_ARGS__}},
#define OUTPUT_APPENDER(name, options, traits, needs, call, ...)                  {needs, {__VA_ARGS__}},
#define OUTPUT_WRITER(name, options, traits, needs, call, ...)                    {needs, {__VA_ARGS__}},
#define OUTPUT_PRINTER(name, options, traits, needs, call)                        {needs, {"stdout: " #name}},
#define OUTPUT_IN_PARTS(name, options, traits, needs, follow, append, write, ...) {needs, {__VA_ARGS__}},
#include "builder/run/outputs.def"
};
#define N_OUTPUTS (sizeof outputs / sizeof outputs[0])

/* All that these stages need, without themselves. */
static unsigned below(unsigned needs)
{
	unsigned found = 0;
	for (unsigned i = N_STAGES; i-- > 0;)
		if ((needs | found) >> i & 1)
			found |= rows[i].needs;
	return found;
}

/* Those of the needs that do not follow from the others. */
static unsigned reduced(unsigned needs)
{
	return needs & ~below(needs);
}

static void print_edges(unsigned needs, const char *kind, size_t number)
{
	for (unsigned i = 0; i < N_STAGES; i++)
		if (reduced(needs) >> i & 1)
			printf("\tstage%u -> %s%zu\n", i, kind, number);
}

/* One node for all outputs that need the same; the first of them prints it. */
static void print_output(size_t first)
{
	for (size_t i = 0; i < first; i++)
		if (reduced(outputs[i].needs) == reduced(outputs[first].needs))
			return;
	printf("\toutput%zu [shape=plaintext, label=\"", first);
	for (size_t i = first; i < N_OUTPUTS; i++)
		for (size_t j = 0; j < MAX_FILES && outputs[i].files[j] != NULL; j++)
			if (reduced(outputs[i].needs) == reduced(outputs[first].needs))
				printf("%s\\l", outputs[i].files[j]);
	puts("\"]");
	print_edges(outputs[first].needs, "output", first);
}

int main(void)
{
	puts("digraph stages {\n\trankdir=LR\n\tnodesep=0.12\n\tnode [shape=box, fontname=Helvetica, fontsize=11, height=0.3]");
	puts("\tedge [arrowsize=0.6]");
	for (unsigned i = 0; i < N_STAGES; i++) {
		printf("\tstage%u [label=\"%s\"%s]\n", i, rows[i].what, rows[i].is_part ? ", style=dashed" : "");
		print_edges(rows[i].needs, "stage", i);
	}
	for (size_t i = 0; i < N_OUTPUTS; i++)
		if (outputs[i].needs != 0)
			print_output(i);
	puts("}");
	return 0;
}
