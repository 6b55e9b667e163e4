/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Knows the keys of meta and what their values mean (docs/format.md, section 2). One thread.
 */
#include "builder/dump/meta_line.h"
#include "builder/support/array.h"

#include <limits.h>
#include <stdlib.h>

static bool line_number(struct line *l, uint64_t *value)
{
	return parse_number(line_field(l), 10, UINT64_MAX, value);
}

static bool line_hex(struct line *l, uint64_t *value)
{
	return parse_number(line_field(l), 16, UINT64_MAX, value);
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef";
	const char *at = c == '\0' ? NULL : strchr(digits, c);
	return at == NULL ? -1 : (int)(at - digits);
}

/*
 * Takes the rest of the line as one value. Undoes \\, \n and \xHH in place; anything else after a backslash stays as it
 * is.
 */
static char *line_value(struct line *l)
{
	if (l->rest == NULL)
		return NULL;
	char *to = l->rest;
	for (const char *from = l->rest; *from != '\0';) {
		if (from[0] == '\\' && from[1] == '\\') {
			*to++ = '\\';
			from += 2;
		} else if (from[0] == '\\' && from[1] == 'n') {
			*to++ = '\n';
			from += 2;
		} else if (from[0] == '\\' && from[1] == 'x' && hex_digit(from[2]) >= 0 && hex_digit(from[3]) >= 0) {
			*to++ = (char)(hex_digit(from[2]) * 16 + hex_digit(from[3]));
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return l->rest;
}

static bool append_string(char ***list, size_t *n, const char *text)
{
	if (text == NULL)
		return false;
	array_append(*list, *n, text_copy(text));
	return true;
}

static bool parse_triple(struct line *l, struct clock_triple *t)
{
	struct clock_triple read;
	if (!line_number(l, &read.ticks) || !line_number(l, &read.monotonic_ns) || !line_number(l, &read.realtime_ns))
		return false;
	*t = read;
	return true;
}

/* A line with a loss_cause and a number. The cause is 0 where this version does not know it. */
static bool parse_cause(struct line *l, unsigned *cause, uint64_t *number)
{
	const char *text = line_field(l);
	if (text == NULL || !line_number(l, number))
		return false;
	*cause = 0;
	for (unsigned i = 1; i < LOSS_CAUSES; i++) {
		const char *name = event_enum_name("loss_cause", i);
		if (name != NULL && strcmp(name, text) == 0)
			*cause = i;
	}
	return true;
}

static bool parse_lost(struct meta *m, struct line *l)
{
	unsigned cause;
	uint64_t count;
	if (!parse_cause(l, &cause, &count))
		return false;
	m->lost[cause] = count;
	return true;
}

static bool parse_stream(struct meta *m, struct line *l)
{
	uint64_t number;
	if (!parse_number(line_field(l), 10, ID_STREAM_MAX, &number))
		return false;
	struct meta_stream s = {.number = (uint32_t)number};
	const char *state = line_field(l);
	if (state == NULL || !line_number(l, &s.n_records) || !line_number(l, &s.n_segments) || !line_number(l, &s.n_lost) ||
	    !line_number(l, &s.stalled_ns))
		return false;
	s.is_sealed = strcmp(state, "sealed") == 0;
	uint32_t *row = map_put(&m->stream_rows, s.number);
	if (*row == 0) {
		array_append(m->streams, m->n_streams, s);
		*row = (uint32_t)m->n_streams;
	}
	m->streams[*row - 1] = s;
	return true;
}

static bool parse_map(struct meta *m, struct line *l)
{
	struct meta_map map;
	if (!line_hex(l, &map.start) || !line_hex(l, &map.end) || !line_hex(l, &map.offset) || map.start >= map.end)
		return false;
	const char *build_id = line_field(l), *path = line_value(l);
	if (build_id == NULL || path == NULL)
		return false;
	map.build_id = text_copy(strcmp(build_id, "-") == 0 ? "" : build_id);
	map.path = text_copy(path);
	array_append(m->maps, m->n_maps, map);
	return true;
}

static bool parse_name(struct line *l, struct meta_name **names, size_t *n)
{
	struct meta_name name;
	if (!line_number(l, &name.number))
		return false;
	const char *text = line_value(l);
	name.name = text_copy(text == NULL ? "" : text);
	array_append(*names, *n, name);
	return true;
}

static bool parse_segment_bytes(struct meta *m, struct line *l)
{
	uint64_t n;
	if (!line_number(l, &n) || n < SEGMENT_BYTES_MIN || n > SEGMENT_BYTES_MAX || (n & (n - 1)) != 0)
		return false;
	m->segment_bytes = (uint32_t)n;
	return true;
}

static bool parse_kind(struct meta *m, struct line *l)
{
	uint64_t number;
	if (!parse_number(line_field(l), 10, EVENT_KIND_LIMIT - 1, &number))
		return false;
	m->n_kinds++;
	m->has_kind[number] = true;
	return true;
}

static bool parse_signed(const char *text, long *value)
{
	uint64_t n;
	if (!parse_number(text, 10, LONG_MAX, &n))
		return false;
	*value = (long)n;
	return true;
}

static bool replace_string(char **string, const char *text)
{
	if (text == NULL)
		return false;
	free(*string);
	*string = text_copy(text);
	return true;
}

static bool parse_recorder(struct meta *m, struct line *l)
{
	const char *version = line_field(l), *tool = line_field(l);
	return replace_string(&m->recorder, version) && replace_string(&m->tool, tool == NULL ? "" : tool);
}

/* Takes how often a second, and by which clock, threads were sampled; the signal's number is not needed. */
static bool parse_sampling(struct meta *m, struct line *l)
{
	uint64_t hz;
	if (!line_number(l, &hz) || hz == 0 || !replace_string(&m->sample_clock, line_field(l)))
		return false;
	m->sample_hz = hz;
	return true;
}

/* The line with the smallest step is right: the recorder knows the start in steps of 10 ms, the launcher exactly. */
static bool parse_process_start(struct meta *m, struct line *l)
{
	uint64_t start_ns, step_ns;
	if (!line_number(l, &start_ns) || !line_number(l, &step_ns))
		return false;
	if (m->process_start_ns == 0 || step_ns < m->process_start_step_ns) {
		m->process_start_ns = start_ns;
		m->process_start_step_ns = step_ns;
	}
	return true;
}

static bool parse_process_end(struct meta *m, struct line *l)
{
	uint64_t end_ns, status;
	if (!line_number(l, &end_ns))
		return false;
	const char *how = line_field(l);
	if (how == NULL || !parse_number(line_field(l), 10, UINT_MAX, &status))
		return false;
	m->process_end_ns = end_ns;
	m->process_end = strcmp(how, "exited") == 0 ? END_EXITED : strcmp(how, "killed") == 0 ? END_KILLED : END_UNKNOWN;
	m->end_status = (unsigned)status;
	return true;
}

/* Keys whose value is one string, and where in struct meta it goes. */
static const struct {
	const char *key;
	size_t offset;
} string_keys[] = {
	{"ring_dir", offsetof(struct meta, ring_dir)}, {"clock", offsetof(struct meta, clock)},
	{"runtime", offsetof(struct meta, runtime)},   {"program", offsetof(struct meta, program)},
	{"host", offsetof(struct meta, host)},         {"cwd", offsetof(struct meta, cwd)},
	{"boot_id", offsetof(struct meta, boot_id)},   {"ended", offsetof(struct meta, ended)},
	{"run", offsetof(struct meta, run)},
};

/* Keys whose value is one number, and where it goes. */
static const struct {
	const char *key;
	size_t offset;
} number_keys[] = {
	{"pid_start", offsetof(struct meta, pid_start)},       {"lost_no_stream", offsetof(struct meta, lost_no_stream)},
	{"lost_reentry", offsetof(struct meta, lost_reentry)}, {"stalled_ns", offsetof(struct meta, stalled_ns)},
	{"processors", offsetof(struct meta, n_processors)},   {"processors_online", offsetof(struct meta, n_online)},
	{"record_ns", offsetof(struct meta, record_ns)},       {"processor_ns", offsetof(struct meta, processor_ns)},
	{"runtime_code", offsetof(struct meta, runtime_code)}, {"argobots_code", offsetof(struct meta, argobots_code)},
	{"recorder_ns", offsetof(struct meta, recorder_ns)},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool meta_parse_line(struct meta *m, const char *key, struct line *l)
{
	for (size_t i = 0; i < COUNT(string_keys); i++)
		if (strcmp(key, string_keys[i].key) == 0)
			return replace_string((char **)((char *)m + string_keys[i].offset), line_value(l));
	for (size_t i = 0; i < COUNT(number_keys); i++) {
		uint64_t value;
		if (strcmp(key, number_keys[i].key) != 0)
			continue;
		if (!line_number(l, &value))
			return false;
		*(uint64_t *)((char *)m + number_keys[i].offset) = value;
		return true;
	}
	if (strcmp(key, "map") == 0)
		return parse_map(m, l);
	if (strcmp(key, "stream") == 0)
		return parse_stream(m, l);
	if (strcmp(key, "lost") == 0)
		return parse_lost(m, l);
	if (strcmp(key, "stopped") == 0)
		return parse_cause(l, &m->stopped_cause, &m->stopped_ticks);
	if (strcmp(key, "start") == 0)
		return parse_triple(l, &m->start);
	if (strcmp(key, "end") == 0)
		return parse_triple(l, &m->end);
	if (strcmp(key, "process_start") == 0)
		return parse_process_start(m, l);
	if (strcmp(key, "first_thread") == 0)
		return line_number(l, &m->first_running_ns) && line_number(l, &m->first_waiting_ns);
	if (strcmp(key, "process_end") == 0)
		return parse_process_end(m, l);
	if (strcmp(key, "state") == 0)
		return parse_name(l, &m->states, &m->n_states);
	if (strcmp(key, "mutex_impl") == 0)
		return parse_name(l, &m->mutex_impls, &m->n_mutex_impls);
	if (strcmp(key, "sampling") == 0)
		return parse_sampling(m, l);
	if (strcmp(key, "segment_bytes") == 0)
		return parse_segment_bytes(m, l);
	if (strcmp(key, "recorder") == 0)
		return parse_recorder(m, l);
	if (strcmp(key, "pid") == 0)
		return parse_signed(line_field(l), &m->pid);
	if (strcmp(key, "ppid") == 0)
		return parse_signed(line_field(l), &m->ppid);
	if (strcmp(key, "rank") == 0)
		return parse_signed(line_field(l), &m->rank);
	if (strcmp(key, "arg") == 0) {
		const char *arg = line_value(l); /* NULL: the empty string is an argument as well */
		return append_string(&m->args, &m->n_args, arg == NULL ? "" : arg);
	}
	if (strcmp(key, "note") == 0)
		return append_string(&m->notes, &m->n_notes, line_value(l));
	if (strcmp(key, "env") == 0)
		return append_string(&m->environment, &m->n_environment, line_value(l));
	if (strcmp(key, "setting") == 0)
		return append_string(&m->settings, &m->n_settings, line_value(l));
	if (strcmp(key, "kind") == 0)
		return parse_kind(m, l);
	return true;
}

void meta_init(struct meta *meta)
{
	*meta = (struct meta){.segment_bytes = SEGMENT_BYTES_DEFAULT, .rank = -1};
	for (size_t i = 0; i < COUNT(string_keys); i++)
		*(char **)((char *)meta + string_keys[i].offset) = text_copy("");
	meta->recorder = text_copy("");
	meta->tool = text_copy("");
	meta->sample_clock = text_copy("");
}

static void free_strings(char **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

static void free_names(struct meta_name *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i].name);
	free(names);
}

void meta_free_maps(struct meta *meta)
{
	for (size_t i = 0; i < meta->n_maps; i++) {
		free(meta->maps[i].build_id);
		free(meta->maps[i].path);
	}
	free(meta->maps);
	free(meta->pieces);
	free(meta->piece_maps);
	meta->maps = NULL;
	meta->pieces = NULL;
	meta->piece_maps = NULL;
	meta->n_maps = meta->n_pieces = 0;
}

void meta_free(struct meta *meta)
{
	for (size_t i = 0; i < COUNT(string_keys); i++)
		free(*(char **)((char *)meta + string_keys[i].offset));
	free(meta->dir);
	free(meta->recorder);
	free(meta->tool);
	free(meta->sample_clock);
	free_names(meta->states, meta->n_states);
	free_names(meta->mutex_impls, meta->n_mutex_impls);
	meta_free_maps(meta);
	free(meta->streams);
	map_free(&meta->stream_rows);
	free_strings(meta->args, meta->n_args);
	free_strings(meta->notes, meta->n_notes);
	free_strings(meta->environment, meta->n_environment);
	free_strings(meta->settings, meta->n_settings);
	*meta = (struct meta){0};
}

const struct meta_stream *meta_stream(const struct meta *meta, uint32_t number)
{
	const uint32_t *row = map_get(&meta->stream_rows, number);
	return row != NULL ? &meta->streams[*row - 1] : NULL;
}

const char *meta_setting(const struct meta *meta, const char *name)
{
	size_t n = strlen(name);
	for (size_t i = meta->n_settings; i-- > 0;)
		if (strncmp(meta->settings[i], name, n) == 0 && meta->settings[i][n] == ' ')
			return meta->settings[i] + n + 1;
	return "";
}

const char *meta_run_id(const struct meta *meta)
{
	const char *space = strchr(meta->run, ' ');
	return space != NULL ? space + 1 : meta->run;
}
