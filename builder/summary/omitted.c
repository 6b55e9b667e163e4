/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells which files were left out: see omitted.h. Called by bounds.c and the outputs of the summary.
 */
#include "builder/summary/omitted.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

void omitted_set(struct omitted *omitted, const char *file, const char *option, const char *what, uint64_t count, uint64_t n_bytes)
{
	size_t i = 0;
	while (i < omitted->n && strcmp(omitted->files[i].file, file) != 0)
		i++;
	if (i == OMITTED_MAX)
		return;
	if (i == omitted->n)
		omitted->files[omitted->n++] = (struct omitted_file){file, option, what, 0, 0};
	omitted->files[i].count = count;
	omitted->files[i].n_bytes += n_bytes;
}

/* "1.24 GB" */
static void print_bytes(uint64_t n_bytes, FILE *out)
{
	static const char units[] = "kMGT";
	double value = (double)n_bytes / 1000;
	unsigned unit = 0;
	for (; value >= 999.5 && units[unit + 1] != '\0'; unit++)
		value /= 1000;
	fprintf(out, "%.3g %cB", value, units[unit]);
}

void summary_print_omitted(const struct omitted *omitted, FILE *out)
{
	for (size_t i = 0; i < omitted->n; i++) {
		const struct omitted_file *f = &omitted->files[i];
		fprintf(out, "left out %s: %" PRIu64 " %s", f->file, f->count, f->what);
		if (f->n_bytes != 0) {
			fputs(", about ", out);
			print_bytes(f->n_bytes, out);
		}
		fprintf(out, " (--%s writes it)\n", f->option);
	}
}

struct json_t *summary_json_omitted(const struct omitted *omitted)
{
	json_t *array = json_array();
	for (size_t i = 0; i < omitted->n; i++) {
		const struct omitted_file *f = &omitted->files[i];
		json_t *bytes = f->n_bytes != 0 ? json_integer((json_int_t)f->n_bytes) : json_null();
		json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:I, s:o}", "file", f->file, "option", f->option, "counted",
						       f->what, "count", (json_int_t)f->count, "bytes", bytes));
	}
	return array;
}
