/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses meta, line by line; docs/format.md names the keys. Nothing is believed: a value that makes no sense leaves the line
 * out and is counted, and only what makes the rest unreadable (another major version, byte order or sizes) is an error.
 */
#include "builder/meta.h"
#include "builder/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A recorder writes kilobytes; beyond this it is not one of ours, and not worth the memory. */
#define META_BYTES_MAX ((off_t)64 << 20)

/* Rest of a line that is being taken apart. */
struct line {
	char *rest;
};

/* The next field, ended in place; NULL where the line has no more. */
static char *line_field(struct line *l)
{
	if (l->rest == NULL)
		return NULL;
	char *field = l->rest;
	char *space = strchr(field, ' ');
	if (space != NULL)
		*space++ = '\0';
	l->rest = space;
	return *field == '\0' ? NULL : field;
}

static bool parse_number(const char *text, int base, uint64_t max, uint64_t *value)
{
	if (text == NULL || *text == '\0' || *text == '-' || *text == '+' || *text == ' ')
		return false;
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, base);
	*value = n;
	return errno == 0 && *end == '\0' && n <= max;
}

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

/* The rest of the line is one value: undoes \\, \n and \xHH in place. Anything else behind a backslash stays as it is. */
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

static char *copy(const char *text)
{
	char *s = strdup(text);
	if (s == NULL)
		abort(); /* a few bytes of a file of at most META_BYTES_MAX */
	return s;
}

/* Makes room for one more item: sizes are powers of two, so that one is due when n is one. */
static void *grown(void *items, size_t n, size_t item_bytes)
{
	if (n != 0 && (n & (n - 1)) != 0)
		return items;
	void *more = reallocarray(items, n == 0 ? 1 : 2 * n, item_bytes);
	if (more == NULL)
		abort();
	return more;
}

static bool append_string(char ***list, size_t *n, const char *text)
{
	if (text == NULL)
		return false;
	*list = grown(*list, *n, sizeof **list);
	(*list)[(*n)++] = copy(text);
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

static bool parse_lost(struct meta *m, struct line *l)
{
	const char *cause = line_field(l);
	uint64_t count;
	if (cause == NULL || !line_number(l, &count))
		return false;
	for (unsigned i = 1; i < LOSS_CAUSES; i++) {
		const char *name = event_enum_name("loss_cause", i);
		if (name != NULL && strcmp(name, cause) == 0) {
			m->lost[i] = count;
			return true;
		}
	}
	m->lost[0] = count; /* a cause that this version does not know */
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
	if (row == NULL)
		abort();
	if (*row == 0) {
		m->streams = grown(m->streams, m->n_streams, sizeof *m->streams);
		*row = (uint32_t)++m->n_streams;
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
	map.build_id = copy(strcmp(build_id, "-") == 0 ? "" : build_id);
	map.path = copy(path);
	m->maps = grown(m->maps, m->n_maps, sizeof *m->maps);
	m->maps[m->n_maps++] = map;
	return true;
}

static bool parse_name(struct line *l, struct meta_name **names, size_t *n)
{
	struct meta_name name;
	if (!line_number(l, &name.number))
		return false;
	const char *text = line_value(l);
	name.name = copy(text == NULL ? "" : text);
	*names = grown(*names, *n, sizeof **names);
	(*names)[(*n)++] = name;
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
	*string = copy(text);
	return true;
}

static bool parse_recorder(struct meta *m, struct line *l)
{
	const char *version = line_field(l), *tool = line_field(l);
	return replace_string(&m->recorder, version) && replace_string(&m->tool, tool == NULL ? "" : tool);
}

/* How, and how often a second; the signal is of no use here. */
static bool parse_sampling(struct meta *m, struct line *l)
{
	uint64_t hz;
	if (!line_number(l, &hz) || hz == 0 || !replace_string(&m->sample_clock, line_field(l)))
		return false;
	m->sample_hz = hz;
	return true;
}

/* Keys whose value is one string, and where it goes. */
static const struct {
	const char *key;
	size_t offset;
} string_keys[] = {
	{"ring_dir", offsetof(struct meta, ring_dir)}, {"clock", offsetof(struct meta, clock)},
	{"runtime", offsetof(struct meta, runtime)},   {"program", offsetof(struct meta, program)},
	{"host", offsetof(struct meta, host)},         {"cwd", offsetof(struct meta, cwd)},
	{"boot_id", offsetof(struct meta, boot_id)},   {"ended", offsetof(struct meta, ended)},
};

static const struct {
	const char *key;
	size_t offset;
} number_keys[] = {
	{"pid_start", offsetof(struct meta, pid_start)},       {"lost_no_stream", offsetof(struct meta, lost_no_stream)},
	{"lost_reentry", offsetof(struct meta, lost_reentry)}, {"stalled_ns", offsetof(struct meta, stalled_ns)},
	{"runtime_code", offsetof(struct meta, runtime_code)},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* False: a known key with a value that makes no sense. */
static bool parse_line(struct meta *m, const char *key, struct line *l)
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
	if (strcmp(key, "start") == 0)
		return parse_triple(l, &m->start);
	if (strcmp(key, "end") == 0)
		return parse_triple(l, &m->end);
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
	if (strcmp(key, "rank") == 0)
		return parse_signed(line_field(l), &m->rank);
	if (strcmp(key, "arg") == 0) {
		const char *arg = line_value(l); /* an empty argument is one, too */
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

/* What must be exactly so, or no record can be read. */
static int check_fixed(const char *path, const char *key, const char *value)
{
	static const struct {
		const char *key, *value;
	} fixed[] = {
		{"byte_order", "little"}, {"record_bytes", "32"}, {"segment_header_bytes", "128"}, {"ring_control_bytes", "4096"}};
	for (size_t i = 0; i < COUNT(fixed); i++)
		if (strcmp(key, fixed[i].key) == 0 && strcmp(value, fixed[i].value) != 0)
			return error("%s: %s is \"%s\", this otter-build reads \"%s\"", path, key, value, fixed[i].value);
	return 0;
}

static int parse_first_line(struct meta *m, const char *path, char *text)
{
	struct line l = {text};
	const char *magic = line_field(&l);
	uint64_t major, minor;
	if (magic == NULL || strcmp(magic, "otter-dump") != 0 || !parse_number(line_field(&l), 10, UINT_MAX, &major) ||
	    !parse_number(line_field(&l), 10, UINT_MAX, &minor))
		return error("%s: not the meta of an Otter dump: its first line must be \"otter-dump MAJOR MINOR\"", path);
	m->major = (unsigned)major;
	m->minor = (unsigned)minor;
	if (m->major != FORMAT_MAJOR)
		return error("%s: the dump has format %u.%u, this otter-build reads %u.x", path, m->major, m->minor, FORMAT_MAJOR);
	if (m->minor > FORMAT_MINOR)
		warning("%s: the dump has format %u.%u, this otter-build knows %s: what is new in it is skipped", path, m->major,
			m->minor, FORMAT_VERSION_STRING);
	return 0;
}

/* Keys that are not known may be a newer version's, but they are words. */
static bool is_key(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static void note_damage(struct meta *m, size_t at, const char *key)
{
	if (m->n_damaged_lines++ != 0)
		return;
	m->first_damaged = at;
	snprintf(m->damaged_key, sizeof m->damaged_key, "%s", key == NULL ? "" : key);
}

/* `text` has room for a terminating zero behind its n_bytes. */
static int parse(struct meta *m, const char *path, char *text, size_t n_bytes)
{
	bool is_first = true;
	char *end = text + n_bytes, *newline;
	for (char *at = text; (newline = memchr(at, '\n', (size_t)(end - at))) != NULL; at = newline + 1) {
		*newline = '\0';
		if (is_first) {
			if (parse_first_line(m, path, at) != 0)
				return -1;
			is_first = false;
			continue;
		}
		struct line l = {at};
		bool is_text = strlen(at) == (size_t)(newline - at); /* else there is a zero in it */
		const char *key = line_field(&l);
		if (key == NULL && is_text)
			continue;
		if (key != NULL && l.rest != NULL && check_fixed(path, key, l.rest) != 0)
			return -1;
		if (!is_text || !is_key(key) || !parse_line(m, key, &l))
			note_damage(m, (size_t)(at - text), key);
	}
	/* Killed as it began: the file is made first, and its first block may be cut. */
	const char magic[] = "otter-dump ";
	size_t n_known = n_bytes < sizeof magic - 1 ? n_bytes : sizeof magic - 1;
	m->is_empty = is_first && memcmp(text, magic, n_known) == 0;
	if (is_first && !m->is_empty)
		return error("%s: not the meta of an Otter dump: its first line must be \"otter-dump MAJOR MINOR\"", path);
	return 0;
}

/* The whole file in memory (the caller frees), or NULL with the error said. */
static char *read_file(const char *path, size_t *n_bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;
	*n_bytes = 0;
	if (fd < 0 || fstat(fd, &st) != 0) {
		error("%s: %s: a dump is a directory with a file `meta`", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size > META_BYTES_MAX) {
		error("%s: not a file of text lines, as meta must be", path);
	} else if ((text = malloc((size_t)st.st_size + 1)) == NULL) {
		error("%s: out of memory", path);
	} else {
		ssize_t n;
		while (*n_bytes < (size_t)st.st_size && (n = read(fd, text + *n_bytes, (size_t)st.st_size - *n_bytes)) > 0)
			*n_bytes += (size_t)n;
		text[*n_bytes] = '\0';
	}
	if (fd >= 0)
		close(fd);
	return text;
}

/* The recorder makes the directory, then meta: a process killed in between leaves a dump of which only the name is there. */
static bool is_just_made(const char *dir, const char *path)
{
	size_t n = strlen(dir);
	while (n > 1 && dir[n - 1] == '/')
		n--;
	struct stat st;
	return n > 6 && strncmp(dir + n - 6, ".otter", 6) == 0 && stat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
	       stat(path, &st) != 0 && errno == ENOENT;
}

int meta_read(struct meta *meta, const char *dir)
{
	*meta = (struct meta){.segment_bytes = SEGMENT_BYTES_DEFAULT, .rank = -1};
	for (size_t i = 0; i < COUNT(string_keys); i++)
		*(char **)((char *)meta + string_keys[i].offset) = copy("");
	meta->recorder = copy("");
	meta->tool = copy("");
	meta->sample_clock = copy("");

	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/meta", dir) >= (int)sizeof path)
		return error("%s: path too long", dir);
	if (is_just_made(dir, path)) {
		meta->is_empty = true;
		return 0;
	}
	size_t n_bytes;
	char *text = read_file(path, &n_bytes);
	int result = text == NULL ? -1 : parse(meta, path, text, n_bytes);
	free(text);
	if (result == 0 && meta_index_maps(meta) != 0)
		result = error("%s: out of memory", path);
	meta->is_ended = *meta->ended != '\0';
	return result;
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

void meta_free(struct meta *meta)
{
	for (size_t i = 0; i < COUNT(string_keys); i++)
		free(*(char **)((char *)meta + string_keys[i].offset));
	free(meta->recorder);
	free(meta->tool);
	free(meta->sample_clock);
	free_names(meta->states, meta->n_states);
	free_names(meta->mutex_impls, meta->n_mutex_impls);
	for (size_t i = 0; i < meta->n_maps; i++) {
		free(meta->maps[i].build_id);
		free(meta->maps[i].path);
	}
	free(meta->maps);
	free(meta->pieces);
	free(meta->piece_maps);
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
