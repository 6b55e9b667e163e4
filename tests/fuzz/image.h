/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dumps for the fuzzer, in memory: an input is a row of units of eight bytes, each a record in few small numbers, or a step that does
 * something else to the dump (image_steps.c). Whatever the bytes are, headers, checksums, sequence numbers and meta come out right unless a
 * step breaks them, so that nearly every input gets past the reader. The same input makes the same dump, everywhere and always.
 */
#ifndef OTTER_TESTS_FUZZ_IMAGE_H
#define OTTER_TESTS_FUZZ_IMAGE_H

#include "builder/graph/graph.h"
#include "common/event.h"
#include "common/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the dump says of where it was made; memory_files.c says the same of the machine, so that a dump may be of a process that runs. */
#define IMAGE_BOOT_ID   "00000000-0000-0000-0000-000000000000"
#define IMAGE_HOST      "testhost"
#define IMAGE_PID       4242
#define IMAGE_PID_START 77

#define IMAGE_STREAMS       8
#define IMAGE_SEGMENT_BYTES SEGMENT_BYTES_MIN
#define IMAGE_SEGMENTS      64 /* of all streams together; what does not fit is left out */
#define IMAGE_FILES         32
#define IMAGE_RECORDS       3000 /* so many at most */
#define IMAGE_META_BYTES    16384

struct unit {
	uint8_t op;    /* below STEP_FIRST: a record, see image_kind(); from there on: a step; 0: ends the input */
	uint8_t where; /* bits 0-2: stream; bits 4-7: a record comes 2^n times, with counters that go on */
	uint8_t time;  /* since the last record, see image.c; continuation records: word 0 as an address */
	uint8_t flags;
	uint8_t value, a, b; /* small numbers and ids, or one of the interesting ones */
	uint8_t extra;       /* bits 0-3: flags 8-11; bits 4-7: the upper half of a word that has two fields */
};

_Static_assert(sizeof(struct unit) == 8, "an input is a row of these");

/* A record's kind is its op, but for the kinds from 128 on: they have ops that are no kind's. */
#define OP_SHIFTED       81
#define N_SHIFTED        15
#define OP_SPAWN         79
#define OP_OF_KIND(kind) ((uint8_t)((kind) < 128 ? (kind) : (kind) == EVENT_unit_spawn ? OP_SPAWN : (kind)-128 + OP_SHIFTED))

static inline unsigned image_kind(uint8_t op)
{
	if (op == OP_SPAWN)
		return EVENT_unit_spawn;
	return op >= OP_SHIFTED && op < OP_SHIFTED + N_SHIFTED ? op - OP_SHIFTED + 128u : op;
}

_Static_assert(EVENT_unit_begin == 128 && EVENT_unit_other == 128 + N_SHIFTED - 1, "the kinds from 128 on");

enum step {
	STEP_FIRST = 128,
	STEP_CLOSE = STEP_FIRST, /* the stream's segment is full */
	STEP_GAP,                /* `value` sequence numbers are left out */
	STEP_PLACE,  /* where the stream's segments are: flags, an image_place; extra bit 0: packed, 1: in a packing buffer */
	STEP_HEADER, /* a field of the stream's last header becomes a; extra bit 0: with a wrong checksum */
	STEP_CLOSED, /* its `closed` */
	STEP_POKE,   /* word `flags` of the stream's last record: extra bit 0: bit b flips, else it becomes a */
	STEP_META,   /* a line of meta */
	STEP_FLIP,   /* in file `value`: bits `flags` of the byte b * 256 + a; extra bit 0: packed records get the right checksum */
	STEP_CUT,    /* file `value` ends at byte b * 256 + a; extra bit 0: that many segments */
	STEP_RING,   /* a field of the stream's ring control becomes a; extra bit 0: with a wrong checksum */
	STEP_SWAP,   /* the stream's last two segments change places */
	STEP_DOUBLE, /* its last segment is there twice; extra bit 0: and differs */
	STEP_FOREIGN, /* its last segment is in the file of stream `value`, too */
	STEP_STATE,   /* flags bit 0: not sealed, 1: not in meta's end, 2: no ring after all */
	STEP_RUN,     /* how the builder is run, see struct image */
	STEP_REPEAT,  /* the last `value` units once more, `a` times, their ids moved on by b each time */
	STEP_LIMIT
};

enum image_place { IN_STREAM_FILE, IN_DRAIN_FILE, IN_RING, IN_RING_AND_FILE, IN_DSEG_FILE, IN_BOTH_FILES, IMAGE_PLACES };

struct image_file {
	char name[24];
	unsigned char *bytes; /* kept from one image to the next */
	size_t n_bytes, capacity;
};

struct image_stream {
	uint32_t number;
	unsigned char *segments[IMAGE_SEGMENTS]; /* in the image's pool */
	size_t n_segments;
	uint32_t used_bytes; /* of the last one */
	uint64_t sequence, n_records, n_tasks, n_regions;
	enum image_place place;
	bool is_live, is_hidden, is_without_ring, is_packed, is_in_buffer;
	struct ring_control control;
	bool has_control, is_control_damaged;
};

struct image {
	struct image_file files[IMAGE_FILES];
	size_t n_files;
	/* How to run the builder on it. */
	enum graph_level level;
	bool is_live;   /* the process still runs */
	bool is_killed; /* meta has no end */
	bool is_newest;
	bool has_texts; /* listing and canonical list, too */
	unsigned runtime, clock;
	uint64_t max_nodes;

	/* While it is made. */
	struct image_stream streams[IMAGE_STREAMS];
	_Alignas(64) unsigned char pool[IMAGE_SEGMENTS][IMAGE_SEGMENT_BYTES];
	size_t n_pool;
	unsigned n_records_left; /* whatever is repeated how often */
	uint64_t now;            /* ticks of the latest record */
	uint64_t offset;         /* of counters, while units are repeated */
	char meta_before[IMAGE_META_BYTES / 4], meta_behind[IMAGE_META_BYTES / 4];
	struct unit patches[16]; /* of whole files, when all are there */
	size_t n_patches;
};

/* Makes the dump of an input. The image is large: it is the caller's, and is used again and again. */
void image_make(struct image *image, const uint8_t *data, size_t n_bytes);

/* ---- between the files image*.c ---- */

/* What a byte stands for. */
uint64_t image_number(uint8_t byte);
uint64_t image_id(const struct image *image, uint8_t byte);
uint64_t image_address(uint8_t byte);

struct segment_header *image_last_header(struct image_stream *s); /* NULL: no segment so far */
struct segment_header *image_open_segment(struct image *image, struct image_stream *s);
void image_close_segment(struct image_stream *s, uint32_t flags);

/* image_steps.c: anything but a record and STEP_REPEAT. */
void image_step(struct image *image, const struct unit *unit);
/* image_files.c: everything is there: makes the files. */
void image_write(struct image *image);
/* image_meta.c: the text of meta into `text`; how long it is. `line` gives one line for STEP_META. */
size_t image_meta(const struct image *image, char *text, size_t n_bytes);
void image_meta_line(const struct unit *unit, char *line, size_t n_bytes);

#endif
