/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dump's `meta`, parsed. Strings are owned by the struct and never NULL (empty where meta lacks them).
 */
#ifndef OTTER_BUILDER_DUMP_META_H
#define OTTER_BUILDER_DUMP_META_H

#include "builder/support/map.h"
#include "common/clock.h"
#include "common/event.h"
#include "common/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct meta_map {
	uint64_t start, end, offset;
	char *build_id; /* hexadecimal, "" unknown */
	char *path;
};

/* What the recorder said about a stream at its end. */
struct meta_stream {
	uint32_t number;
	bool is_sealed;
	uint64_t n_records, n_segments, n_lost, stalled_ns;
};

/* A state of the runtime's, or a way to exclude. */
struct meta_name {
	uint64_t number;
	char *name;
};

struct meta {
	unsigned major, minor;
	uint32_t segment_bytes;
	char *ring_dir;         /* where rings are, "" for the dump itself */
	char *clock;            /* "tsc", "cntvct" or "monotonic" */
	char *recorder;         /* its version */
	char *tool;             /* which interface it records: "ompt" */
	char *runtime;          /* the OpenMP runtime's version string */
	uint64_t runtime_code;  /* an address inside of it; 0: not told */
	uint64_t argobots_code; /* an address inside of Argobots; 0: not told */
	char *program;          /* path of the executable */
	char **args;            /* n_args strings, argv[0] first */
	size_t n_args;
	char *host;
	char *cwd;
	char *boot_id; /* of the host's boot: with `host` and `clock` tells which dumps share a counter */
	long pid;
	uint64_t pid_start; /* start time of the process, /proc/PID/stat field 22: tells whether `pid` is still the same */
	long rank;          /* -1: none */
	struct clock_triple start, end; /* end: 0 where the process did not come so far */
	bool is_ended;                  /* the recorder came to its end */
	char *ended;                    /* how: finalize, destructor */
	char **notes;                   /* what the recorder had to say */
	size_t n_notes;
	uint64_t lost[LOSS_CAUSES];            /* whole process, by cause */
	uint64_t lost_no_stream, lost_reentry; /* losses that belong to no stream */
	uint64_t stalled_ns;
	uint64_t n_kinds;
	bool has_kind[EVENT_KIND_LIMIT]; /* by number: the kinds of records that the recorder knew */
	struct meta_map *maps;           /* all that were ever seen, in order of appearance */
	size_t n_maps;
	uint64_t *pieces;   /* meta_maps.c: where they begin, ascending */
	size_t *piece_maps; /* index + 1 of the map that covers it, 0 none */
	size_t n_pieces;
	struct meta_stream *streams; /* each number once, as its last line says */
	size_t n_streams;
	struct map stream_rows;   /* number -> index + 1 */
	struct meta_name *states; /* as the runtime enumerates them (ompt_enumerate_states) */
	size_t n_states;
	struct meta_name *mutex_impls; /* the same of ompt_enumerate_mutex_impls */
	size_t n_mutex_impls;
	uint64_t sample_hz; /* 0: nothing was sampled */
	char *sample_clock; /* "wall", "cpu" */
	char **environment; /* NAME=value */
	size_t n_environment;
	char **settings; /* "name value", as used */
	size_t n_settings;
	bool is_empty;          /* not even the first line is whole: the process died as it began */
	size_t n_damaged_lines; /* known keys with values that make no sense, and what is no key; skipped */
	size_t first_damaged;   /* of those: its offset in the file, and the beginning of its key */
	char damaged_key[32];
};

/*
 * Parses DIR/meta. 0, or -1 with the error said (no meta, not a meta, newer major version, foreign byte order or sizes).
 * A cut last line is left out, an unknown key is skipped.
 */
int meta_read(struct meta *meta, const char *dir);
void meta_free(struct meta *meta);

/* The map that an address lies in: the latest one, where a library was loaded in another's place. NULL: none. */
const struct meta_map *meta_find_map(const struct meta *meta, uint64_t address);

/* For that, when all maps are there: 0, or -1 when memory is out. */
int meta_index_maps(struct meta *meta);

/* What the end block says about a stream, or NULL. */
const struct meta_stream *meta_stream(const struct meta *meta, uint32_t number);

/* The value of a setting as the recorder used it, "" where meta does not say. */
const char *meta_setting(const struct meta *meta, const char *name);

#endif
