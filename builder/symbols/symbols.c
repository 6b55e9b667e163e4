/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names the constructs of a model: finds the recorded map that an address lies in, looks the address up in that file,
 * and makes the label. Labels have nothing that changes from run to run: addresses in them are relative to their file.
 * run.c calls it for each process in turn; one thread.
 */
#include "builder/symbols/symbols.h"
#include "builder/symbols/binary.h"
#include "builder/symbols/code.h"
#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/support/text.h"

#include <errno.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <string.h>

/* A module's debug information. It is opened only once for all processes, even if that fails. */
struct source {
	const struct module *module;
	const char *name;      /* for labels */
	struct binary *binary; /* NULL: it cannot be used */
};

/* What was found out about an address of a module. */
struct address_answer {
	const struct module *module;
	uint64_t offset;
	enum construct_kind kind;
	unsigned line;
	char *label, *file, *function;
};

struct symbols {
	struct model *model; /* that names are put into now */
	struct address_answer *answers;
	size_t n_answers;
	struct map rows; /* of answers + 1 */
	struct modules modules;
	struct source *sources;
	size_t n_sources;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

/*
 * Length of a path's base name, without the " (deleted)" that the kernel appends if the file is gone: labels must not
 * change.
 */
static int base_length(const char *path)
{
	const char *name = base_name(path), *deleted = strstr(name, " (deleted)");
	return deleted == NULL ? (int)strlen(name) : (int)(deleted - name);
}

/*
 * Is this the image of a device that is the host itself? The runtime maps such code from a file that it makes itself,
 * which has a random name and may be gone (docs/runtimes.md, "Target constructs").
 */
static bool is_device_image(const struct model *m, const struct module *module)
{
	bool is_temporary = strncmp(base_name(module->path), "tmpfile_", 8) == 0; /* as LLVM's plugin for x86-64 names it */
	return m->n_events[EVENT_device_load] > 0 && is_temporary && module->error == ENOENT;
}

/* The source of a module, added if it is new. */
static struct source *find_source(struct symbols *s, const struct module *module)
{
	for (size_t i = 0; i < s->n_sources; i++)
		if (s->sources[i].module == module)
			return &s->sources[i];
	bool is_image = is_device_image(s->model, module);
	struct source *source = array_append_one(s->sources, s->n_sources);
	*source = (struct source){module, is_image ? "device_image" : module->path, is_image ? NULL : binary_open(module)};
	return source;
}

/*
 * Cuts off what compilers append to the names of outlined functions: "main.omp_outlined_debug__" and "main._omp_fn.0"
 * are main.
 */
static void cut_outlined(char *function)
{
	static const char *const endings[] = {".omp_outlined", "._omp_fn.", ".omp_task_entry.", "..omp_par"};
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		char *at = strstr(function, endings[i]);
		if (at != NULL && at != function)
			*at = '\0';
	}
}

/*
 * Names of flang: "_QMworkFouterPinner" is inner in outer in module work: work::outer::inner. What users write has no
 * capital letters in it. False: it is not such a name.
 */
static bool demangle_flang(const char *function, char *name, size_t n_bytes)
{
	size_t n = 0;
	if (strncmp(function, "_Q", 2) != 0 || strchr("MSFP", function[2]) == NULL || function[2] == '\0')
		return false;
	for (const char *c = function + 2; *c != '\0' && n + 3 < n_bytes; c++) {
		bool is_kind = strchr("MSFP", *c) != NULL;
		if (!is_kind && *c != '_' && !(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9'))
			return false;
		if (!is_kind)
			name[n++] = *c;
		else if (n > 0)
			n += (size_t)snprintf(name + n, n_bytes - n, "::");
	}
	name[n] = '\0';
	return n > 0;
}

/* The name as its user wrote it, without parameters: C++ and Fortran have others in the binary. */
static void demangle(char *function, size_t n_bytes)
{
	char *name = cplus_demangle_v3(function, DMGL_NO_OPTS), of_flang[1024];
	if (name == NULL && demangle_flang(function, of_flang, sizeof of_flang))
		snprintf(function, n_bytes, "%s", of_flang);
	if (name != NULL)
		snprintf(function, n_bytes, "%s", name);
	free(name);
}

/* A copy that every output may contain: names come from binaries, and may have any bytes. */
static const char *keep(struct symbols *s, const char *text)
{
	char *clean = text_utf8(text);
	const char *kept = model_keep(s->model, clean);
	free(clean);
	return kept;
}

/*
 * Is the construct's codeptr the first instruction of a function? Otherwise it is a return address, and the call is
 * before it.
 */
static bool is_function(const struct construct *c)
{
	return c->kind == CONSTRUCT_UNIT || c->kind == CONSTRUCT_TASKLET || c->kind == CONSTRUCT_SCHEDULER;
}

/* Sets the construct's strings from what its file says about the address. */
static void name_construct(struct symbols *s, struct construct *c, const char *module, uint64_t address,
			   const struct source_place *place)
{
	const char *word = construct_kind_name(c->kind);
	char label[1280], function[1024];
	snprintf(function, sizeof function, "%s", place->function);
	cut_outlined(function);
	demangle(function, sizeof function);
	const char *name = *function != '\0' ? function : place->symbol;
	if (is_function(c) && *name != '\0')
		snprintf(label, sizeof label, "%s@%s", word, name);
	else if (place->line > 0)
		snprintf(label, sizeof label, "%s@%s:%u", word, base_name(place->file), place->line);
	else if (*place->symbol != '\0')
		snprintf(label, sizeof label, "%s@%s+0x%llx", word, place->symbol,
			 (unsigned long long)(address - place->symbol_address));
	else
		snprintf(label, sizeof label, "%s@%.*s+0x%llx", word, base_length(module), base_name(module),
			 (unsigned long long)address);
	c->label = keep(s, label);
	c->file = keep(s, place->file);
	c->function = keep(s, function);
	c->line = place->line;
}

static void forget_line(struct source_place *place)
{
	place->file = "";
	place->line = 0;
}

/*
 * A taskloop and its tasks are reported from inside the runtime and have the address of the taskgroup before them (Q9).
 * clang calls a function of its own for the taskgroup that a taskloop brings along. So it is the taskloop's if the next
 * taskloop in the code has the same line; otherwise it may be the program's, around a taskloop with nogroup.
 */
static bool is_taskloops_group(struct binary *binary, enum construct_kind kind, uint64_t address, struct source_place *group)
{
	if (kind != CONSTRUCT_TASKLOOP && kind != CONSTRUCT_TASK && kind != CONSTRUCT_TASKLOOP_SPLIT)
		return false;
	uint64_t taskloop = call_after(binary, address, "__kmpc_taskloop", "__kmpc_end_taskgroup");
	if (taskloop == 0)
		return false;
	unsigned line = group->line;
	char *file = text_copy(group->file);
	struct source_place next = binary_find(binary, taskloop); /* from here on the text that group->file points to is gone */
	bool is_same = line != 0 && next.line == line && strcmp(next.file, file) == 0;
	free(file);
	group->file = next.file;
	return is_same;
}

/*
 * Leaves in the place what is known to be the construct's own. Runtimes give an address that is another construct's now
 * and then (Q9, Q60), and compilers call them by a jump from a function's end, so that the address is the caller's: then
 * the call there is not one by which this kind of construct is reported. False: so nothing is known.
 */
static bool keep_own(struct binary *binary, enum construct_kind kind, uint64_t address, struct source_place *place)
{
	struct call call = call_before(binary, address);
	if (!call.is_readable)
		return true;
	if (*call.callee == '\0') { /* a call through a register: it may be this construct's */
		forget_line(place);
		return true;
	}
	if (strcmp(call.callee, "__kmpc_taskgroup") == 0 && kind != CONSTRUCT_TASKGROUP)
		return is_taskloops_group(binary, kind, address, place);
	if (!entry_point_reports(call.callee, kind))
		return false;
	if (strstr(place->producer, "flang") != NULL && !entry_point_has_flangs_line(call.callee))
		forget_line(place);
	if (strncmp(call.callee, "GOMP_", 5) != 0 || entry_point_has_line(call.callee, place->producer))
		return true;
	forget_line(place);
	if (call.outlined != 0) { /* the code of a task or region begins with the line of its directive */
		struct source_place outlined = binary_find_entry(binary, call.outlined);
		place->file = outlined.file;
		place->line = outlined.line;
	}
	return true;
}

/* Names a construct whose address, without 1 where it is a return address, is at `offset` of a module. */
static void ask_module(struct symbols *s, struct construct *c, const struct module *module, uint64_t offset)
{
	const struct source *source = find_source(s, module);
	struct source_place place = {.file = "", .function = "", .symbol = "", .producer = ""};
	uint64_t address = offset;
	if (source->binary != NULL && module_address(module, offset, &address)) {
		place = is_function(c) ? binary_find_function(source->binary, address) : binary_find(source->binary, address);
		if (!is_function(c) && !keep_own(source->binary, c->kind, address + 1, &place)) {
			c->label = construct_kind_name(c->kind);
			return;
		}
	}
	name_construct(s, c, source->name, is_function(c) ? address : address + 1, &place);
}

/* The same; each address of a module is looked up once for all processes that have the module. */
static void name_in_module(struct symbols *s, struct construct *c, const struct module *module, uint64_t offset)
{
	uint32_t *row = map_put(&s->rows, (offset * CONSTRUCT_KINDS + c->kind) ^ (uintptr_t)module << 16);
	struct address_answer *a = *row != 0 ? &s->answers[*row - 1] : NULL;
	if (a != NULL && a->module == module && a->offset == offset && a->kind == c->kind) {
		c->label = model_keep(s->model, a->label);
		c->file = model_keep(s->model, a->file);
		c->function = model_keep(s->model, a->function);
		c->line = a->line;
		return;
	}
	ask_module(s, c, module, offset);
	if (a != NULL) /* another address has the same key */
		return;
	array_append(s->answers, s->n_answers,
		     (struct address_answer){module, offset, c->kind, c->line, text_copy(c->label), text_copy(c->file),
					     text_copy(c->function)});
	*row = (uint32_t)s->n_answers;
}

/* Names one construct. */
static void resolve(struct symbols *s, struct construct *c)
{
	const char *word = construct_kind_name(c->kind);
	char label[64];
	if (c->codeptr == 0) {
		c->label = word;
		return;
	}
	uint64_t looked_up = is_function(c) ? c->codeptr : c->codeptr - 1;
	uint64_t offset;
	const struct module *module = modules_find(&s->modules, looked_up, &offset);
	if (module == NULL) {
		snprintf(label, sizeof label, "%s@0x%llx", word, (unsigned long long)c->codeptr);
		c->label = model_keep(s->model, label);
		return;
	}
	name_in_module(s, c, module, offset);
}

struct symbols *symbols_open(void)
{
	return memory_zeroed(1, sizeof(struct symbols), "the symbols");
}

const struct module *symbols_module(const struct symbols *s, size_t number)
{
	return s != NULL && number < s->n_sources ? s->sources[number].module : NULL;
}

void symbols_resolve(struct symbols *s, struct model *model)
{
	s->model = model;
	s->modules.meta = &model->dump->meta;
	for (uint32_t i = 0; i < model->n_constructs; i++)
		resolve(s, &model->constructs[i]);
}

struct binary *symbols_binary(struct symbols *s, uint64_t address, const struct module **module)
{
	uint64_t offset;
	*module = modules_find(&s->modules, address, &offset);
	return *module != NULL ? find_source(s, *module)->binary : NULL;
}

void symbols_close(struct symbols *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n_sources; i++)
		binary_close(s->sources[i].binary);
	for (size_t i = 0; i < s->n_answers; i++) {
		free(s->answers[i].label);
		free(s->answers[i].file);
		free(s->answers[i].function);
	}
	free(s->answers);
	map_free(&s->rows);
	free(s->sources);
	modules_close(&s->modules);
	free(s);
}
