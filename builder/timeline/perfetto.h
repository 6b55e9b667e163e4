/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trace.pftrace: Perfetto's own format. Declarations that the files of this folder share; other files use
 * perfetto_open() and perfetto_is_file() only:
 *   perfetto.c  the sink: process by process into files
 *   files.c     the size of the output, and how it is divided into files
 *   packets.c   packets at the begin of a file and of a process: clocks, tracks, names
 *   events.c    slices and states
 *   counters.c  how many threads run, wait, and how many tasks are ready
 */
#ifndef OTTER_BUILDER_TIMELINE_PERFETTO_H
#define OTTER_BUILDER_TIMELINE_PERFETTO_H

#include "builder/timeline/protobuf.h"
#include "builder/slices/slices.h"

struct perfetto {
	struct slices slices; /* with the sweep for the counters beside them */
	const struct graphs *graphs;
	const struct states *states; /* by process, as the traces */
	const char *dir;
	FILE *out;
	char *name;                            /* of the file */
	unsigned n_files;                      /* begun */
	uint64_t limit_bytes;                  /* of a file */
	uint64_t first_ns, first_monotonic_ns; /* realtime when the first process began, and its other clock then */
	uint64_t n_sequences;                  /* of packets, of the processes so far */
	uint64_t n_threads;                    /* of the processes so far */
	/* For the current process. */
	const struct trace *trace;
	size_t file; /* in which of its files */
	struct counters counters;
	bool has_failed;           /* the error is printed */
	struct measured *measured; /* NULL: what is formatted is not measured */
};

/* Fills in the sink. 0, or -1 with the error printed. `graphs`, `states` and `dir` live as long as it. */
int perfetto_open(struct sink *sink, const struct graphs *graphs, const struct states *states, const char *dir,
		  uint64_t limit_bytes, size_t n_bins, const struct trace *traces, size_t n_traces);

/* Is it the name of a second file, or of a later one? */
bool perfetto_is_file(const char *name);

/* ns of the real time. */
static inline uint64_t perfetto_ns(const struct perfetto *p, uint64_t ticks)
{
	return p->trace->dump.first_realtime_ns + dump_ns(&p->trace->dump, ticks);
}

/* Sequences of packets, and tracks. */
static inline uint64_t perfetto_slices_sequence(const struct perfetto *p, size_t stream)
{
	return p->n_sequences + 1 + 2 * stream;
}

static inline uint64_t perfetto_states_sequence(const struct perfetto *p, size_t stream)
{
	return p->n_sequences + 2 + 2 * stream;
}

static inline uint64_t perfetto_queue_sequence(const struct perfetto *p, size_t queue)
{
	return p->n_sequences + 1 + 2 * p->trace->dump.n_streams + queue;
}

static inline uint64_t perfetto_counters_sequence(const struct perfetto *p)
{
	return perfetto_queue_sequence(p, p->trace->model.n_queues);
}

/* Names that are interned in a sequence of slices. */
#define NAME_LOST      1
#define NAME_KIND      2
#define NAME_CONSTRUCT (NAME_KIND + NODE_KINDS)

/* Names of annotations: of slices, and of states. */
enum { ANNOTATION_NODE = 1, ANNOTATION_CUT, ANNOTATION_READY };
enum { ANNOTATION_LABEL = 1, ANNOTATION_AWAITED, ANNOTATION_CPU, ANNOTATION_NEXT_CPU, ANNOTATION_TAKEN_BY };

/* A construct's place, its label as a text, and its kind as a category have its number or kind + 1 in a sequence. */
static inline bool perfetto_has_place(const struct construct *c)
{
	return (c->file != NULL && c->file[0] != '\0') || (c->function != NULL && c->function[0] != '\0');
}

static inline bool perfetto_has_label(const struct construct *c)
{
	return c->label != NULL && c->label[0] != '\0';
}

/* packets.c */
void perfetto_put_head(const struct perfetto *p, struct buffer *text);
void perfetto_put_process(const struct perfetto *p, struct buffer *text);

/* Adds a packet to a sequence, since_ns after the packet before it; `event` is empty then. */
void perfetto_put_event(struct buffer *text, uint64_t sequence, uint64_t since_ns, struct buffer *event);
/* The time since the last time that this file shows in the sequence, whose slice began at before_begin_ticks. */
uint64_t perfetto_since(const struct perfetto *p, uint64_t ticks, bool is_first, uint64_t before_ticks,
			uint64_t before_begin_ticks);

/* events.c: a block is a chunk of a stream's slices or states. */
void perfetto_format_block(void *self, size_t block, struct buffer *text);
void perfetto_put_queues(const struct perfetto *p, struct buffer *text);

/* counters.c */
void perfetto_put_counters(const struct perfetto *p, struct buffer *text);

/* The bytes that a process takes, by bins of its time: files.c fills one in, and cuts between bins. */
#define MEASURED_BINS 4096
struct measured {
	uint64_t first_ticks, last_ticks;
	uint64_t bytes[MEASURED_BINS];
};

/* Adds the bytes that were formatted for that time, if they are measured. On several threads. */
static inline void perfetto_measure(struct perfetto *p, uint64_t begin_ticks, size_t n_bytes)
{
	struct measured *m = p->measured;
	if (m == NULL)
		return;
	uint64_t length = m->last_ticks - m->first_ticks + 1;
	uint64_t since = begin_ticks <= m->first_ticks ? 0 : begin_ticks - m->first_ticks;
	size_t bin = since >= length ? MEASURED_BINS - 1 : (size_t)((unsigned __int128)since * MEASURED_BINS / length);
	__atomic_fetch_add(&m->bytes[bin], n_bytes, __ATOMIC_RELAXED);
}

/* files.c: where the process has to be cut. 0, or -1 with the error printed. */
int perfetto_plan(struct perfetto *p, uint64_t file_bytes, uint64_t **cuts, size_t *n_cuts, bool *needs_new);

#endif
