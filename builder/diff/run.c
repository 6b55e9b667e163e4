/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads what the comparison needs of a build. Every key and column that it uses has to be there, and of its type: a file
 * that was changed, or that another version wrote, is an error that names the place.
 */
#include "builder/diff/run.h"
#include "builder/support/array.h"
#include "builder/support/diag.h"
#include "builder/support/file.h"

#include <jansson.h>
#include <string.h>

static const char *const columns[FIGURES] = {"count", "own_ns", "wait_ns", "blamed_ns"};

/* ---- summary.json ---- */

struct summary_reader {
	const char *path; /* of the file */
	bool is_bad;
};

static json_t *member(struct summary_reader *reader, json_t *object, const char *key, json_type type)
{
	json_t *value = json_object_get(object, key);
	if (value != NULL && json_typeof(value) == type)
		return value;
	if (!reader->is_bad)
		error("%s: '%s' is missing, or is not what otter-build writes", reader->path, key);
	reader->is_bad = true;
	return NULL;
}

static uint64_t number(struct summary_reader *reader, json_t *object, const char *key)
{
	json_t *value = member(reader, object, key, JSON_INTEGER);
	json_int_t integer = value != NULL ? json_integer_value(value) : 0;
	if (integer < 0) {
		error("%s: '%s' is negative", reader->path, key);
		reader->is_bad = true;
	}
	return integer < 0 ? 0 : (uint64_t)integer;
}

static char *string(struct summary_reader *reader, json_t *object, const char *key)
{
	json_t *value = member(reader, object, key, JSON_STRING);
	return text_copy(value != NULL ? json_string_value(value) : "");
}

static bool truth(struct summary_reader *reader, json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);
	return json_is_boolean(value) ? json_is_true(value) : member(reader, object, key, JSON_TRUE) != NULL;
}

static void read_limit(struct summary_reader *reader, struct diff_run *run, json_t *answer)
{
	json_t *construct = member(reader, answer, "construct", JSON_OBJECT);
	run->limit = string(reader, answer, "limit");
	run->limiting = (struct diff_place){string(reader, construct, "kind"), string(reader, construct, "label"),
					    string(reader, construct, "file"), string(reader, construct, "function"),
					    number(reader, construct, "line")};
	run->speedup = json_number_value(json_object_get(answer, "possible_speedup"));
	run->is_lower_bound = json_is_true(json_object_get(answer, "lower_bound"));
	run->is_gain_unknown = json_is_false(json_object_get(json_object_get(answer, "why"), "gain_known"));
}

static void read_dumps(struct summary_reader *reader, struct diff_run *run, json_t *table)
{
	run->dumps = memory_zeroed(json_array_size(table), sizeof *run->dumps, "the runs");
	for (; run->n_dumps < json_array_size(table); run->n_dumps++)
		run->dumps[run->n_dumps] = string(reader, json_array_get(table, run->n_dumps), "dump");
}

/* The time in all states in which threads work. Where context switches were recorded, they had a processor meanwhile. */
static uint64_t read_work(struct summary_reader *reader, json_t *states)
{
	const char *name;
	json_t *state, *total = member(reader, states, "total", JSON_OBJECT);
	uint64_t ns = 0;
	json_object_foreach(total, name, state) ns += strncmp(name, "work_", 5) == 0 ? number(reader, state, "ns") : 0;
	return ns;
}

static void read_root(struct summary_reader *reader, struct diff_run *run, json_t *root)
{
	json_t *answer = json_object_get(root, "answer"), *repairs = member(reader, root, "repairs", JSON_OBJECT);
	bool is_complete = truth(reader, root, "complete"), is_snapshot = truth(reader, root, "snapshot");
	run->is_good = is_complete && !is_snapshot && json_object_size(repairs) == 0;
	run->wall_ns = number(reader, member(reader, root, "time", JSON_OBJECT), "wall_ns");
	run->work_ns = read_work(reader, member(reader, root, "states", JSON_OBJECT));
	read_dumps(reader, run, member(reader, root, "process_table", JSON_ARRAY));
	/* The answer has the threads that executed something, of one process. */
	bool is_of_all = answer != NULL && number(reader, root, "processes") == 1;
	run->n_threads = number(reader, is_of_all ? answer : root, "threads");
	if (answer != NULL)
		read_limit(reader, run, answer);
	if (json_object_get(root, "part") != NULL) {
		error("%s: is of a part of a run (--from, --to, --task); whole runs are compared", reader->path);
		reader->is_bad = true;
	}
}

static void *json_memory(size_t n_bytes)
{
	return memory_get(n_bytes, 1, "summary.json");
}

static int read_summary(struct diff_run *run, const char *dir)
{
	char *path = text_format("%s/summary.json", dir);
	struct summary_reader reader = {path, false};
	json_error_t why;
	json_set_alloc_funcs(json_memory, free);
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	if (root == NULL)
		error("%s:%d: %s", path, why.line, why.text);
	else
		read_root(&reader, run, root);
	int rc = root == NULL || reader.is_bad ? -1 : 0;
	json_decref(root);
	free(path);
	return rc;
}

/* ---- constructs.csv ---- */

static int read_construct(struct diff_run *run, const struct table *table, size_t row, const int places[4], const int numbers[2],
			  const int figures[FIGURES])
{
	struct diff_construct *c = array_add(run->constructs, run->n_constructs, run->capacity);
	*c = (struct diff_construct){
		.place = {text_copy(table_field(table, row, places[0])), text_copy(table_field(table, row, places[1])),
			  text_copy(table_field(table, row, places[2])), text_copy(table_field(table, row, places[3])), 0}};
	if (table_number(table, row, numbers[0], &c->number) != 0)
		return -1;
	if (table_field(table, row, numbers[1])[0] != '\0' && table_number(table, row, numbers[1], &c->place.line) != 0)
		return -1;
	for (unsigned i = 0; i < FIGURES; i++)
		if (table_number(table, row, figures[i], &c->figures[i]) != 0)
			return -1;
	return 0;
}

static int read_constructs(struct diff_run *run, const struct table *table)
{
	static const char *const texts[] = {"kind", "label", "file", "function"};
	int places[4], figures[FIGURES], numbers[2] = {table_column(table, "number"), table_column(table, "line")};
	bool is_whole = numbers[0] >= 0 && numbers[1] >= 0;
	for (unsigned i = 0; i < 4; i++)
		is_whole = (places[i] = table_column(table, texts[i])) >= 0 && is_whole;
	for (unsigned i = 0; i < FIGURES; i++)
		is_whole = (figures[i] = table_column(table, columns[i])) >= 0 && is_whole;
	run->n_numbers = table->n_rows;
	for (size_t row = 1; is_whole && row <= table->n_rows; row++)
		if (table_field(table, row, figures[0])[0] != '\0') /* else another row of the same place has the figures */
			is_whole = read_construct(run, table, row, places, numbers, figures) == 0;
	if (is_whole && run->n_constructs == 0 && table->n_rows != 0)
		return error("%s: has no figures: it was built without --answer", table->path);
	return is_whole ? 0 : -1;
}

bool diff_run_is_there(const char *dir)
{
	return file_is_there(dir, "summary.json");
}

int diff_run_read(struct diff_run *run, const char *dir, const char *path)
{
	*run = (struct diff_run){.path = text_copy(path)};
	if (!file_is_there(dir, "constructs.csv"))
		return error("%s: has no constructs.csv: it was built without --csv", path);
	struct table table = {0};
	int rc = read_summary(run, dir);
	if (rc == 0)
		rc = table_read(&table, dir, "constructs.csv") == 0 ? read_constructs(run, &table) : -1;
	if (rc == 0)
		rc = diff_run_read_steps(run, dir);
	table_free(&table);
	if (run->limit == NULL) /* nothing was executed */
		run->limit = text_copy("none");
	return rc;
}

static void free_place(struct diff_place *place)
{
	free(place->kind);
	free(place->label);
	free(place->file);
	free(place->function);
}

void diff_run_free(struct diff_run *run)
{
	for (size_t i = 0; i < run->n_dumps; i++)
		free(run->dumps[i]);
	for (size_t i = 0; i < run->n_constructs; i++)
		free_place(&run->constructs[i].place);
	free_place(&run->limiting);
	free(run->dumps);
	free(run->constructs);
	free(run->steps);
	free(run->limit);
	free(run->path);
	*run = (struct diff_run){0};
}
