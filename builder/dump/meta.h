/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dump's `meta`, parsed (docs/format.md, section 2). Strings are owned by the struct and never NULL; they are empty
 * where meta lacks them. Read by the reader when it opens a dump, used by all later steps; one thread.
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

/* What the recorder wrote about a stream at its end. */
struct meta_stream {
	uint32_t number;
	bool is_sealed;
	uint64_t n_records, n_segments, n_lost, stalled_ns;
};

/* A state that the runtime enumerates, or an implementation of a mutex. */
struct meta_name {
	uint64_t number;
	char *name;
};

struct meta {
	char *dir; /* of the dump; NULL: it was not read from one */
	unsigned major, minor;
	uint32_t segment_bytes;
	char *ring_dir;         /* the directory of the rings, "" for the dump itself */
	char *clock;            /* "tsc", "cntvct" or "monotonic" */
	char *recorder;         /* the recorder's version */
	char *tool;             /* which interface it records: "ompt" */
	char *runtime;          /* the OpenMP runtime's version string */
	uint64_t runtime_code;  /* an address in the OpenMP runtime's code; 0 unknown */
	uint64_t argobots_code; /* an address in Argobots' code; 0 unknown */
	char *program;          /* path of the executable */
	char **args;            /* n_args strings, argv[0] first */
	size_t n_args;
	char *host;
	char *cwd;
	char *boot_id; /* the boot of the host: dumps with the same `host`, `boot_id` and `clock` share a counter */
	char *run;     /* "SOURCE ID": which run the process belongs to (docs/format.md); "" in dumps before 0.2.0 */
	long pid;
	long ppid;          /* pid of the process that began it */
	uint64_t pid_start; /* start time of the process, /proc/PID/stat field 22: shows whether `pid` is still the same */
	/* By CLOCK_MONOTONIC; 0 unknown. The start may be earlier than said by the step, at most. */
	uint64_t process_start_ns, process_start_step_ns, process_end_ns;
	enum { END_UNKNOWN, END_EXITED, END_KILLED } process_end; /* how the process ended, as its parent saw it */
	unsigned end_status;                                      /* its exit status, or the signal that killed it */
	/* Of the process's first thread until `start`: how long it had a processor, and waited for one; 0: not known. */
	uint64_t first_running_ns, first_waiting_ns;
	long rank;                      /* of an MPI process; -1: none */
	uint64_t n_processors;          /* number of processors that the process could use when it began; 0 unknown */
	uint64_t n_online;              /* number of the machine's processors; 0 unknown */
	uint64_t processor_ns;          /* of all threads but the recorder's until `end`; 0 unknown */
	uint64_t recorder_ns;           /* how long the process waited for the recorder to begin; 0 unknown */
	uint64_t record_ns;             /* the least time that a record cost the program; 0 unknown */
	struct clock_triple start, end; /* end: 0 if the recorder did not reach its end */
	bool is_ended;                  /* the recorder reached its end */
	char *ended;                    /* how: "finalize" or "destructor" */
	unsigned stopped_cause;         /* the loss_cause for which recording was stopped; 0 unknown */
	uint64_t stopped_ticks;         /* when; 0: it was not */
	char **notes;                   /* lines `note` */
	size_t n_notes;
	uint64_t lost[LOSS_CAUSES];            /* records lost in the whole process, by cause */
	uint64_t lost_no_stream, lost_reentry; /* losses that belong to no stream */
	uint64_t stalled_ns;
	uint64_t n_kinds;
	bool has_kind[EVENT_KIND_LIMIT]; /* by number: the kinds of records that the recorder knew */
	struct meta_map *maps;           /* all lines `map`, in the order of the file */
	size_t n_maps;
	uint64_t *pieces;   /* private to meta_maps.c: first addresses of the pieces of the address space, ascending */
	size_t *piece_maps; /* by piece: index + 1 of the map that covers it, 0 none */
	size_t n_pieces;
	struct meta_stream *streams; /* each number once, as its last line says */
	size_t n_streams;
	struct map stream_rows;   /* stream number -> index in `streams` + 1 */
	struct meta_name *states; /* as ompt_enumerate_states gives them */
	size_t n_states;
	struct meta_name *mutex_impls; /* as ompt_enumerate_mutex_impls gives them */
	size_t n_mutex_impls;
	uint64_t sample_hz; /* 0: nothing was sampled */
	char *sample_clock; /* "wall" or "cpu" */
	char **environment; /* NAME=value */
	size_t n_environment;
	char **settings; /* "name value", as the recorder used them */
	size_t n_settings;
	bool is_empty;          /* not even the first line is whole: the process was killed as it began */
	size_t n_damaged_lines; /* lines skipped: a known key with a value that makes no sense, or no key at all */
	size_t first_damaged;   /* the first of them: its offset in the file, in bytes */
	char damaged_key[32];   /* and the beginning of its key */
};

/*
 * Parses DIR/meta. 0; or -1 after an error message (no meta, not a meta, another major version, byte order or sizes).
 * Skips a last line that was cut, and keys that it does not know. meta_free() in any case.
 */
int meta_read(struct meta *meta, const char *dir);
void meta_free(struct meta *meta);

/* Frees the lines `map` alone, which take most of its memory: afterwards it has none. */
void meta_free_maps(struct meta *meta);

/* The map that an address lies in; the latest one, if a library was loaded where another one had been. NULL: none. */
const struct meta_map *meta_find_map(const struct meta *meta, uint64_t address);

/* The last map that begins at or before the address, which need not lie in it. NULL: none. */
const struct meta_map *meta_find_map_below(const struct meta *meta, uint64_t address);

/* Prepares meta_find_map(), after all maps were read. Always 0. */
int meta_index_maps(struct meta *meta);

/* What the block at the end of meta says about a stream, or NULL. */
const struct meta_stream *meta_stream(const struct meta *meta, uint32_t number);

/* The name of the process's run without its source; "" if meta has none. */
const char *meta_run_id(const struct meta *meta);

/* The value of a setting as the recorder used it; "" if meta does not say. */
const char *meta_setting(const struct meta *meta, const char *name);

#endif
