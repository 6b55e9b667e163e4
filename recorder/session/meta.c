/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session/meta.h"

#include <string.h>
#include <sys/mman.h>

#include "recorder/clock.h"
#include "recorder/drain/output.h"
#include "recorder/drain/own_thread.h"
#include "recorder/ring/record_cost.h"
#include "recorder/ring/stream.h"
#include "recorder/session/maps.h"
#include "recorder/session/meta_process.h"
#include "recorder/session/session.h"
#include "recorder/session/session_turn.h"
#include "recorder/system/sys.h"
#include "recorder/text.h"

#define SCRATCH_BYTES  (1 << 20)
#define FALLBACK_BYTES (32 << 10)
#define RUNTIME_BYTES  8192

/* The lines about each runtime, for the session of a forked child. */
static struct runtime_lines {
	char bytes[RUNTIME_BYTES];
	size_t n_bytes;
} runtimes[META_RUNTIMES];

static void put_kinds(struct text *text)
{
	static const struct {
		const char *name;
		unsigned number;
	} kinds[] = {
#define EVENT(number, name, group, callback, doc) {#name, number},
#include "common/events.def"
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		text_word(text, "kind");
		text_number(text, kinds[i].number);
		text_number(text, sizeof(struct record));
		text_word(text, kinds[i].name);
		text_end(text);
	}
}

static void put_count(struct text *text, const char *key, const char *name, uint64_t count)
{
	if (count == 0)
		return;
	text_word(text, key);
	if (name)
		text_word(text, name);
	text_number(text, count);
	text_end(text);
}

static void put_setting(struct text *text, const char *name, const char *value)
{
	text_word(text, "setting");
	text_word(text, name);
	text_value(text, value);
	text_end(text);
}

static void put_settings(struct text *text, const struct session *session)
{
	const struct config *config = &session->config;
	char number[24];
	put_setting(text, "events", config->events);
	put_setting(text, "dir", config->dir);
	*text_decimal(number, (uint64_t)config->segment_bytes * RING_SEGMENTS, 1) = '\0';
	put_setting(text, "ring", number);
	put_setting(text, "ring_dir", config->ring_dir[0] ? config->ring_dir : "-");
	put_setting(text, "drain", session->drain.has_thread ? "auto" : "self");
	put_setting(text, "full", config->drops_when_full ? "drop" : "wait");
	put_setting(text, "keep", config->keeps_newest ? "newest" : "all");
	put_setting(text, "pack", config_pack_name(config->pack));
	put_setting(text, "sample", config->sample[0] ? config->sample : "-");
	*text_decimal(number, config->limit_bytes, 1) = '\0';
	put_setting(text, "limit", config->limit_bytes ? number : "-");
	put_setting(text, "ranks", config->ranks[0] ? config->ranks : "all");
	put_setting(text, "verbose", config->is_verbose ? "1" : "0");
}

/* Puts the settings' notes, a line each. */
static void put_notes(struct text *text, const char *notes)
{
	char line[CONFIG_NOTES_BYTES];
	while (*notes) {
		size_t length = strcspn(notes, "\n");
		memcpy(line, notes, length);
		line[length] = '\0';
		text_line(text, "note", line);
		notes += length + (notes[length] == '\n');
	}
}

static void put_runtime(struct text *text, const struct runtime_lines *runtime)
{
	if (runtime->n_bytes == 0 || runtime->n_bytes > text->capacity - text->n_bytes)
		return;
	memcpy(text->bytes + text->n_bytes, runtime->bytes, runtime->n_bytes);
	text->n_bytes += runtime->n_bytes;
	text->line_start = text->n_bytes;
}

static void put_clocks(struct text *text, const char *key, struct clock_triple clocks)
{
	text_word(text, key);
	text_number(text, clocks.ticks);
	text_number(text, clocks.monotonic_ns);
	text_number(text, clocks.realtime_ns);
	text_end(text);
}

/* For the case that no memory can be mapped; one thread at a time uses it. Lines that do not fit are left out. */
static char fallback[FALLBACK_BYTES];
static uint32_t is_fallback_taken;

static bool scratch_open(struct text *text)
{
	char *scratch = sys_mmap(NULL, SCRATCH_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* M2: The flag is read before the memory is used. Pairs with M1 in scratch_write. */
	if (!scratch && __atomic_exchange_n(&is_fallback_taken, 1, __ATOMIC_ACQUIRE))
		return false;
	text_init(text, scratch ? scratch : fallback, scratch ? SCRATCH_BYTES : FALLBACK_BYTES);
	return true;
}

static bool scratch_write(struct session *session, struct text *text)
{
	bool is_written = output_meta(session, text->bytes, text->n_bytes) == 0;
	if (text->bytes == fallback)
		/* M1: The last read of the text is ordered before the flag saying that the memory is free. Pairs with M2 in
		 * scratch_open. */
		__atomic_store_n(&is_fallback_taken, 0, __ATOMIC_RELEASE);
	else
		sys_munmap(text->bytes, SCRATCH_BYTES);
	return is_written;
}

/* Appends the arguments and the variables, of any length: lines that do not fit are left out. The dump can be read
 * without them, so they follow all other lines. */
static void write_words(struct session *session)
{
	struct text text;
	if (!scratch_open(&text))
		return;
	meta_put_environment(&text);
	bool has_all = meta_put_arguments(&text);
	has_all &= !text.is_full;
	if (scratch_write(session, &text) && !has_all)
		meta_note(session, "the arguments or the environment are too long: not all of them are in meta");
}

/* Notes why rings are in the dump, where they would be elsewhere. */
static void put_note_of_rings(struct text *text, const struct session *session)
{
	if (session->lacks_memory)
		text_line(text, "note",
			  "rings are in the dump, as /dev/shm has no room for them: threads wait where its file system does");
}

static void put_rings(struct text *text, const struct session *session)
{
	if (session->ring_dir_number)
		text_line(text, "ring_dir", session->ring_dir.path);
	text_line(text, "ring_fs", session->are_rings_in_memory ? "tmpfs" : "other");
}

void meta_rings(struct session *session)
{
	struct text text;
	if (scratch_open(&text)) {
		put_rings(&text, session);
		scratch_write(session, &text);
	}
	if (session->ring_dir.id.inode == session->dir.id.inode)
		meta_note(session,
			  session->config.ring_dir[0]
				  ? "OTTER_RING_DIR: no directory could be made there, rings are in the dump"
				  : "no directory for the rings could be made in /dev/shm: they are in the dump, and threads "
				    "wait where its file system does");
}

bool meta_begin(struct session *session)
{
	struct text text;
	if (!scratch_open(&text))
		return false;
	text_word(&text, "otter-dump");
	bool packs = session->config.pack != CONFIG_PACK_OFF;
	text_number(&text, packs ? FORMAT_MAJOR : FORMAT_PLAIN_MAJOR);
	text_number(&text, packs ? FORMAT_MINOR : FORMAT_PLAIN_MINOR);
	text_end(&text);
	text_line(&text, "byte_order", "little");
	text_line_number(&text, "record_bytes", sizeof(struct record));
	text_line_number(&text, "segment_bytes", session->config.segment_bytes);
	text_line_number(&text, "segment_header_bytes", sizeof(struct segment_header));
	text_line_number(&text, "ring_segments", RING_SEGMENTS);
	text_line_number(&text, "ring_control_bytes", RING_CONTROL_BYTES);
	put_kinds(&text);
	text_line(&text, "recorder", OTTER_VERSION_STRING " ompt");
	text_line(&text, "clock", clock_name());
	meta_put_process(&text, &session->config, session->is_later);
	put_rings(&text, session);
	uint32_t n_processors = own_thread_processors();
	text_line_number(&text, "processors", n_processors != 0 ? n_processors : session->n_processors);
	text_line_number(&text, "processors_online", session->n_processors);
	put_count(&text, "record_ns", NULL, record_cost_ns());
	put_clocks(&text, "start", session->start);
	put_settings(&text, session);
	if (session->budget.start_bytes) {
		text_line_number(&text, "free_at_start", session->budget.start_bytes);
		text_line_number(&text, "left_free", session->budget.left_bytes);
	}
	put_notes(&text, session->config.notes);
	put_note_of_rings(&text, session);
	for (unsigned i = 0; i < META_RUNTIMES; i++)
		put_runtime(&text, &runtimes[i]);
	if (!scratch_write(session, &text))
		return false;
	write_words(session);
	maps_write_if_changed(session);
	return true;
}

void meta_runtime(struct session *session, enum meta_runtime runtime, const struct text *lines)
{
	struct runtime_lines *kept = &runtimes[runtime];
	kept->n_bytes = lines->n_bytes < sizeof kept->bytes ? lines->n_bytes : 0;
	memcpy(kept->bytes, lines->bytes, kept->n_bytes);
	output_meta(session, lines->bytes, lines->n_bytes);
}

void meta_note(struct session *session, const char *sentence)
{
	char bytes[512];
	struct text text;
	text_init(&text, bytes, sizeof bytes);
	text_line(&text, "note", sentence);
	if (output_meta(session, text.bytes, text.n_bytes) == 0)
		return;
	for (unsigned i = 0; i < META_NOTES_MAX; i++) {
		const char *none = NULL;
		if (__atomic_compare_exchange_n(&session->notes.unwritten[i], &none, sentence, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return;
	}
}

static const char *loss_cause_name(unsigned cause)
{
	static const struct {
		const char *name;
		unsigned cause;
	} causes[] = {
#define ENUM(set, value, name) {#set "_" #name, set##_##name},
#include "common/events.def"
	};
	static const char prefix[] = "loss_cause_";
	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
		if (causes[i].cause == cause && strncmp(causes[i].name, prefix, sizeof prefix - 1) == 0)
			return causes[i].name + sizeof prefix - 1;
	return NULL;
}

/* Puts when and why recording was stopped, if it was. */
static void put_stopped(struct text *text, const struct session *session)
{
	uint64_t ticks = __atomic_load_n(&session->stop.ticks, __ATOMIC_RELAXED);
	const char *cause = loss_cause_name(session_stopped(session));
	if (!ticks || !cause)
		return;
	text_word(text, "stopped");
	text_word(text, cause);
	text_number(text, ticks);
	text_end(text);
}

void meta_note_once(struct session *session, unsigned kind, const char *sentence)
{
	uint32_t bit = UINT32_C(1) << kind;
	if (!(__atomic_fetch_or(&session->notes.once, bit, __ATOMIC_RELAXED) & bit))
		meta_note(session, sentence);
}

void meta_stopped(struct session *session, const char *sentence)
{
	char bytes[128];
	struct text text;
	text_init(&text, bytes, sizeof bytes);
	put_stopped(&text, session);
	output_meta(session, text.bytes, text.n_bytes); /* meta_end() writes it once more */
	meta_note(session, sentence);
}

static void put_unwritten_notes(struct text *text, struct session *session)
{
	for (unsigned i = 0; i < META_NOTES_MAX; i++) {
		const char *sentence = __atomic_load_n(&session->notes.unwritten[i], __ATOMIC_RELAXED);
		if (sentence)
			text_line(text, "note", sentence);
	}
}

void meta_sampling(struct session *session)
{
	char bytes[128];
	struct text text;
	text_init(&text, bytes, sizeof bytes);
	text_word(&text, "sampling");
	text_number(&text, session->config.sample_hz);
	text_word(&text, session->config.samples_cpu_time ? "cpu" : "wall");
	text_number(&text, (uint64_t)session->samples.signal);
	text_end(&text);
	output_meta(session, text.bytes, text.n_bytes);
}

static uint64_t load(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED); /* relaxed: the stream may be in use, and the figure is for the user */
}

struct totals {
	uint64_t records;
	uint64_t stalled_ticks;
	uint64_t lost[LOSS_CAUSES];
	uint64_t lost_samples[LOSS_CAUSES];
};

/* Puts the line of a stream, and adds its figures to the totals. */
static void put_stream(struct text *text, struct stream *stream, struct totals *totals, double ns_per_tick)
{
	struct ring_control *control = stream_control(stream);
	uint64_t position = load(&control->position);
	uint64_t offset = stream_offset(stream, position);
	bool is_sealed = __atomic_load_n(&stream->owner, __ATOMIC_RELAXED) == STREAM_SEALED;
	bool is_switches = stream->number == ID_STREAM_SWITCHES;
	uint64_t n_records = load(&stream->n_records);
	if (!is_sealed && offset)
		n_records += (offset - sizeof(struct segment_header)) / sizeof(struct record);
	uint64_t lost = 0;
	for (unsigned cause = 0; cause < LOSS_CAUSES; cause++) {
		lost += load(&control->lost[cause]);
		if (is_switches)
			continue; /* missing switches are shown as not known */
		(stream->is_samples ? totals->lost_samples : totals->lost)[cause] += load(&control->lost[cause]);
	}
	uint64_t stalled_ticks = load(&control->stalled_ticks);
	text_word(text, "stream");
	text_number(text, stream->number);
	text_word(text, is_sealed ? "sealed" : "live");
	text_number(text, n_records);
	text_number(text, (position >> stream->shift) - (offset ? 0 : 1));
	text_number(text, lost);
	text_number(text, (uint64_t)((double)stalled_ticks * ns_per_tick));
	text_end(text);
	if (!stream->is_samples && !is_switches)
		totals->records += n_records;
	totals->stalled_ticks += stalled_ticks;
}

static void put_losses(struct text *text, const char *key, const uint64_t lost[LOSS_CAUSES])
{
	for (unsigned cause = 1; cause < LOSS_CAUSES; cause++)
		put_count(text, key, loss_cause_name(cause), lost[cause]);
}

static struct meta_totals sum_up(const struct session *session, const struct totals *totals)
{
	struct meta_totals sums = {.n_streams = session->streams.n_at_end, .n_records = totals->records};
	sums.n_lost = load(&session_lost_no_stream) + load(&session_lost_reentry);
	for (unsigned cause = 0; cause < LOSS_CAUSES; cause++)
		sums.n_lost += totals->lost[cause];
	return sums;
}

bool meta_end(struct session *session, const char *how, struct meta_totals *sums)
{
	struct text text;
	maps_write_if_changed(session);
	if (!scratch_open(&text))
		return false;
	struct clock_triple end = clock_triple_now();
	uint64_t ticks = end.ticks - session->start.ticks;
	double ns_per_tick = ticks ? (double)(end.monotonic_ns - session->start.monotonic_ns) / (double)ticks : 1.0;
	put_unwritten_notes(&text, session);
	put_stopped(&text, session);
	struct totals totals = {0};
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		struct stream *samples = session_stream(session, i | ID_STREAM_SAMPLES);
		if (stream)
			put_stream(&text, stream, &totals, ns_per_tick);
		if (samples)
			put_stream(&text, samples, &totals, ns_per_tick);
	}
	struct stream *switches = session_stream(session, ID_STREAM_SWITCHES);
	if (switches)
		put_stream(&text, switches, &totals, ns_per_tick);
	totals.lost[loss_cause_overwritten] += load(&session->written.n_overwritten);
	put_losses(&text, "lost", totals.lost);
	put_losses(&text, "lost_samples", totals.lost_samples);
	put_count(&text, "lost_no_stream", NULL, load(&session_lost_no_stream));
	put_count(&text, "lost_reentry", NULL, load(&session_lost_reentry));
	text_line_number(&text, "stalled_ns", (uint64_t)((double)totals.stalled_ticks * ns_per_tick));
	if (!session->is_later && session->processor_ns != 0) /* else it has that of the program before */
		text_line_number(&text, "processor_ns", session->processor_ns);
	text_line_number(&text, "recorder_ns", session->begin_ns);
	put_clocks(&text, "end", end);
	text_line(&text, "ended", how);
	bool is_written = scratch_write(session, &text);
	*sums = sum_up(session, &totals);
	return is_written;
}
