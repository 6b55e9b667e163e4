/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/format.h"
#include "recorder/session/environment.h"
#include "recorder/system/sys.h"
#include "recorder/text.h"

#define LIMIT_NEWEST_BYTES (UINT64_C(256) * 1024 * 1024) /* OTTER_LIMIT with OTTER_KEEP=newest, if it is not set */

static const char *const group_names[N_EVENT_GROUPS] = {
	[GROUP_thread] = "thread",
	[GROUP_parallel] = "parallel",
	[GROUP_implicit_task] = "implicit_task",
	[GROUP_task] = "task",
	[GROUP_dependences] = "dependences",
	[GROUP_sync_region] = "sync_region",
	[GROUP_sync_region_wait] = "sync_region_wait",
	[GROUP_reduction] = "reduction",
	[GROUP_work] = "work",
	[GROUP_dispatch] = "dispatch",
	[GROUP_masked] = "masked",
	[GROUP_mutex] = "mutex",
	[GROUP_lock_init] = "lock_init",
	[GROUP_flush] = "flush",
	[GROUP_cancel] = "cancel",
	[GROUP_error] = "error",
	[GROUP_target] = "target",
	[GROUP_device] = "device",
	[GROUP_switch] = "switch",
};

/* The name of a callback selects its group as well: task_schedule, ompt_callback_nest_lock. */
static const struct {
	const char *callback;
	const char *group;
} callback_groups[] = {
#define EVENT(number, name, group, callback, doc) {#callback, #group},
#include "common/events.def"
};

static const char *const pack_names[] = {[CONFIG_PACK_AUTO] = "auto", [CONFIG_PACK_ON] = "on", [CONFIG_PACK_OFF] = "off"};

#define N_PACK_NAMES (sizeof pack_names / sizeof *pack_names)

const char *config_pack_name(enum config_pack pack)
{
	return pack_names[pack];
}

const char *config_group_name(enum event_group group)
{
	return group_names[group];
}

/* Appends the pieces and an end of line to the notes, if they fit. */
static void note(struct config *config, const char *a, const char *b, const char *c, const char *d)
{
	const char *pieces[] = {a, b, c, d, "\n"};
	size_t length = 0;
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		length += strlen(pieces[i]);
	char *end = config->notes + strlen(config->notes);
	if (length >= (size_t)(config->notes + sizeof config->notes - end))
		return;
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		end = stpcpy(end, pieces[i]);
	/* A note is one line, whatever the value contains. */
	for (char *p = end - length; p < end - 1; p++)
		if (*p == '\n')
			*p = ' ';
}

void config_note(struct config *config, const char *sentence)
{
	note(config, sentence, "", "", "");
}

static void note_unusable(struct config *config, const char *name, const char *value, const char *instead)
{
	char shown[64];
	strncpy(shown, value, sizeof shown - 1);
	shown[sizeof shown - 1] = '\0';
	note(config, name, ": unusable value \"", shown, instead);
}

/* Parses a positive number of bytes with an optional K, M or G. */
static bool parse_bytes(const char *text, uint64_t *bytes)
{
	char *end;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	unsigned shift = 0;
	switch (*end) {
	case 'k':
	case 'K': shift = 10; break;
	case 'm':
	case 'M': shift = 20; break;
	case 'g':
	case 'G': shift = 30; break;
	default: break;
	}
	if (shift)
		end++;
	if (errno || *end || number == 0 || number > UINT64_MAX >> shift)
		return false;
	*bytes = (uint64_t)number << shift;
	return true;
}

/* Reads a variable that has two values. If it has neither, adds a note and returns `otherwise`, as for an unset one. */
static bool choose(struct config *config, const char *name, const char *no, const char *yes, bool otherwise)
{
	const char *value = environment_value(name);
	if (!value || strcmp(value, no) == 0)
		return value ? false : otherwise;
	if (strcmp(value, yes) == 0)
		return true;
	note_unusable(config, name, value, "\", the default is used");
	return otherwise;
}

static void read_pack(struct config *config)
{
	const char *value = environment_value("OTTER_PACK");
	size_t i = 0;
	while (value && i < N_PACK_NAMES && strcmp(value, pack_names[i]) != 0)
		i++;
	if (i == N_PACK_NAMES)
		note_unusable(config, "OTTER_PACK", value, "\", the default is used");
	else if (value)
		config->pack = (enum config_pack)i;
	if (config->keeps_newest && config->pack == CONFIG_PACK_ON)
		config_note(config, "OTTER_PACK=on has no effect with OTTER_KEEP=newest: its files have places of one size");
	if (config->keeps_newest)
		config->pack = CONFIG_PACK_OFF;
}

/* Returns the group that a word of OTTER_EVENTS names, or -1. */
static int group_find(const char *word, size_t length)
{
	for (int i = 0; i < N_EVENT_GROUPS; i++)
		if (strlen(group_names[i]) == length && memcmp(group_names[i], word, length) == 0)
			return i;
	static const char prefix[] = "ompt_callback_";
	for (size_t i = 0; i < sizeof callback_groups / sizeof *callback_groups; i++) {
		const char *callback = callback_groups[i].callback;
		const char *bare = strncmp(callback, prefix, sizeof prefix - 1) == 0 ? callback + sizeof prefix - 1 : callback;
		bool is_it = (strlen(callback) == length && memcmp(callback, word, length) == 0) ||
			     (strlen(bare) == length && memcmp(bare, word, length) == 0);
		if (is_it && strcmp(callback_groups[i].group, "-") != 0)
			return group_find(callback_groups[i].group, strlen(callback_groups[i].group));
	}
	return -1;
}

/* Parses OTTER_EVENTS: `all`, `default`, or `+group` and `-group`, which add to the words before them, or subtract;
 * `group` is `+group`. */
static bool parse_events(const char *text, uint32_t *groups)
{
	uint32_t selected = GROUPS_DEFAULT;
	for (const char *word = text; *word;) {
		size_t length = strcspn(word, ",");
		const char *next = word + length + (word[length] == ',');
		bool is_minus = *word == '-';
		if (*word == '+' || *word == '-') {
			word++;
			length--;
		}
		int group = group_find(word, length);
		uint32_t bits = group >= 0 ? UINT32_C(1) << group : 0;
		if (length == 3 && memcmp(word, "all", 3) == 0)
			bits = GROUPS_ALL;
		else if (length == 7 && memcmp(word, "default", 7) == 0)
			bits = GROUPS_DEFAULT;
		if (!bits)
			return false;
		selected = is_minus ? selected & ~bits : selected | bits;
		word = next;
	}
	*groups = selected;
	return true;
}

/* Parses `0-3,8`. Returns false if a part is neither a number nor a range; `is_selected`: is `rank` among them? */
static bool parse_ranks(const char *text, int64_t rank, bool *is_selected)
{
	*is_selected = false;
	for (const char *p = text;;) {
		char *end;
		if (*p < '0' || *p > '9')
			return false;
		int64_t first = strtoll(p, &end, 10);
		int64_t last = first;
		if (*end == '-') {
			p = end + 1;
			if (*p < '0' || *p > '9')
				return false;
			last = strtoll(p, &end, 10);
		}
		if (last < first)
			return false;
		if (rank >= first && rank <= last)
			*is_selected = true;
		if (*end == '\0')
			return true;
		if (*end != ',')
			return false;
		p = end + 1;
	}
}

/* Parses `1000`, `1000,wall` or `1000,cpu`. */
static bool parse_sample(const char *text, uint32_t *hz, bool *is_cpu)
{
	char *end;
	if (*text < '0' || *text > '9')
		return false;
	unsigned long number = strtoul(text, &end, 10);
	*is_cpu = strcmp(end, ",cpu") == 0;
	if (number == 0 || number > SAMPLE_HZ_MAX || (*end && !*is_cpu && strcmp(end, ",wall") != 0))
		return false;
	*hz = (uint32_t)number;
	return true;
}

/* Samples need the drain thread to write them, and a runtime that knows the current thread in a signal handler. With
 * KMP_GTID_MODE=0 or 1 LLVM's runtime compares the current stack with those that it knows, and ends the program if it
 * is none of them. */
static void read_sample(struct config *config)
{
	const char *sample = environment_value("OTTER_SAMPLE"), *mode = environment_value("KMP_GTID_MODE");
	if (!sample)
		return;
	if (strlen(sample) >= sizeof config->sample || !parse_sample(sample, &config->sample_hz, &config->samples_cpu_time)) {
		note_unusable(config, "OTTER_SAMPLE", sample, "\", nothing is sampled");
	} else if (mode && (strcmp(mode, "0") == 0 || strcmp(mode, "1") == 0)) {
		note(config, "OTTER_SAMPLE: nothing is sampled with KMP_GTID_MODE=", mode, "", "");
		config->sample_hz = 0;
	} else {
		strcpy(config->sample, sample);
		if (!config->has_drain_thread)
			note(config, "OTTER_SAMPLE needs the drain thread: OTTER_DRAIN=self is not used", "", "", "");
		config->has_drain_thread = true;
	}
}

/* Makes a path absolute, without a slash at its end. False: it is too long, or there is no working directory. */
static bool make_absolute(const char *path, char out[PATH_MAX])
{
	size_t length = 0;
	if (*path != '/') {
		if (!sys_getcwd(out, PATH_MAX))
			return false;
		length = strlen(out);
		if (strcmp(path, ".") == 0)
			path = "";
	}
	size_t rest = strlen(path);
	if (length + 1 + rest + 1 > PATH_MAX)
		return false;
	if (length && rest)
		out[length++] = '/';
	memcpy(out + length, path, rest + 1);
	length += rest;
	while (length > 1 && out[length - 1] == '/')
		out[--length] = '\0';
	return true;
}

static void read_dirs(struct config *config)
{
	const char *dir = environment_value("OTTER_DIR");
	if (dir && !make_absolute(dir, config->dir)) {
		note_unusable(config, "OTTER_DIR", dir, "\", the working directory is used");
		dir = NULL;
	}
	if (!dir && !make_absolute(".", config->dir))
		config->dir[0] = '\0'; /* no working directory: no dump can be made */
	const char *ring_dir = environment_value("OTTER_RING_DIR");
	config->rings_in_dump = ring_dir && strcmp(ring_dir, "-") == 0;
	if (ring_dir && !config->rings_in_dump && !make_absolute(ring_dir, config->ring_dir)) {
		note_unusable(config, "OTTER_RING_DIR", ring_dir, "\", rings are in the dump");
		config->ring_dir[0] = '\0';
	}
}

static void read_sizes(struct config *config)
{
	uint64_t ring = (uint64_t)RING_SEGMENTS * SEGMENT_BYTES_DEFAULT;
	const char *value = environment_value("OTTER_RING");
	if (value && !parse_bytes(value, &ring))
		note_unusable(config, "OTTER_RING", value, "\", 2M is used");
	uint64_t segment = ring / RING_SEGMENTS;
	if (segment > SEGMENT_BYTES_MAX)
		segment = SEGMENT_BYTES_MAX;
	config->segment_bytes = SEGMENT_BYTES_MIN;
	while (config->segment_bytes * UINT64_C(2) <= segment)
		config->segment_bytes *= 2;
	if ((uint64_t)config->segment_bytes * RING_SEGMENTS != ring) {
		char used[24];
		*text_decimal(used, (uint64_t)config->segment_bytes * RING_SEGMENTS, 1) = '\0';
		note(config, "OTTER_RING: ", used, " bytes are used: eight segments, each a power of two from 4K to 16M", "");
	}
	value = environment_value("OTTER_LIMIT");
	config->has_limit = value && parse_bytes(value, &config->limit_bytes);
	if (value && !config->has_limit)
		note_unusable(config, "OTTER_LIMIT", value, "\", the default is used");
	if (config->limit_bytes == 0 && config->keeps_newest)
		config->limit_bytes = LIMIT_NEWEST_BYTES;
}

void config_read(struct config *config)
{
	memset(config, 0, sizeof *config);
	config->has_drain_thread = !choose(config, "OTTER_DRAIN", "auto", "self", false);
	config->drops_when_full = choose(config, "OTTER_FULL", "wait", "drop", false);
	config->keeps_newest = choose(config, "OTTER_KEEP", "all", "newest", false);
	config->is_verbose = choose(config, "OTTER_VERBOSE", "0", "1", false);
	read_pack(config);
	read_sample(config);
	if (config->drops_when_full && !config->has_drain_thread) {
		config->drops_when_full = false;
		note(config, "OTTER_FULL=drop needs the drain thread: with OTTER_DRAIN=self a thread waits for its own writes", "",
		     "", "");
	}
	read_dirs(config);
	read_sizes(config);

	const char *events = environment_value("OTTER_EVENTS");
	config->groups = GROUPS_DEFAULT;
	if (events && (strlen(events) >= sizeof config->events || !parse_events(events, &config->groups))) {
		note_unusable(config, "OTTER_EVENTS", events, "\", the default is used");
		events = NULL;
	}
	strcpy(config->events, events ? events : "default");

	config->rank = environment_rank();
	const char *run = environment_value("OTTER_RUN");
	if (!environment_run(config->run, sizeof config->run)) {
		config->run[0] = '\0';
		if (run)
			note_unusable(config, "OTTER_RUN", run, "...\", it is too long");
	}
	const char *ranks = environment_value("OTTER_RANKS");
	bool is_selected;
	if (ranks && (strlen(ranks) >= sizeof config->ranks || !parse_ranks(ranks, 0, &is_selected)))
		note_unusable(config, "OTTER_RANKS", ranks, "\", all ranks are recorded");
	else if (ranks)
		strcpy(config->ranks, ranks);
}

bool config_is_rank_selected(const struct config *config)
{
	bool is_selected = true;
	if (config->ranks[0] && config->rank >= 0)
		parse_ranks(config->ranks, config->rank, &is_selected);
	return is_selected;
}
