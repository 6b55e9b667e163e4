/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The meta of an image: what a recorder writes, with lines from the input before and behind it.
 */
#include "tests/fuzz/image.h"

#include <stdio.h>
#include <string.h>

static const char *const runtimes[] = {
	"LLVM OMP version: 5.0.20140926",
	"LLVM OMP version: 5.0.20140926",
	"GNU libgomp",
	"",
};

/* With up to three numbers. */
static const char *const lines[] = {
	"otter-dump %llu %llu",
	"byte_order big",
	"record_bytes %llu",
	"segment_bytes %llu",
	"segment_bytes 8192",
	"segment_bytes 16777216",
	"segment_header_bytes %llu",
	"ring_segments %llu",
	"kind %llu %llu name",
	"recorder %llu",
	"clock tsc",
	"clock %llu",
	"pid %llu",
	"pid_start %llu",
	"host \\x22<&>\\n\\xff\\xc3",
	"boot_id %llu",
	"rank %llu",
	"program /usr/bin/pro\"gram, <b>\\n\\x01\\xff",
	"arg %llu\\\\\\q\\x4",
	"arg ",
	"cwd",
	"ring_dir /nonexistent",
	"ring_dir /otter-fuzz/p-host-1.otter",
	"start %llu %llu %llu",
	"start 1 2",
	"env OMP_%llu",
	"setting keep newest",
	"setting events +all,-mutex,-parallel",
	"setting %llu %llu",
	"runtime %llu",
	"omp_version %llu",
	"runtime_code %llu",
	"callback x %llu",
	"note \\x1b[2J %llu",
	"maps_at %llu",
	"map %llx %llx %llx - /usr/bin/program",
	"map 0 ffffffffffffffff %llx 00 [vdso]",
	"map 401000 402000 0 - /usr/bin/\"x\",\\n<y>\\xfe",
	"map 7f0000000000 7f0000100000 %llx - /lib/libomp.so.5 (deleted)",
	"map %llx 10 %llx",
	"stream %llu sealed %llu %llu 0 0",
	"stream %llu live 1 %llu %llu 5",
	"stream 0 sealed 3 1 18446744073709551615 18446744073709551615",
	"lost full %llu",
	"lost nonsense %llu",
	"lost_no_stream %llu",
	"lost_reentry %llu",
	"stalled_ns %llu",
	"end %llu %llu %llu",
	"ended destructor",
	"ended %llu",
	"",
	"unknown_key %llu",
};

void image_meta_line(const struct unit *u, char *line, size_t n_bytes)
{
	const char *format = lines[u->value % (sizeof lines / sizeof lines[0])];
	unsigned long long numbers[3] = {image_number(u->a), image_number(u->b), image_number(u->flags)};
	size_t n = 0, used = 0;
	for (const char *at = format; *at != '\0' && n + 32 < n_bytes; at++) {
		if (*at == '%') { /* %llu or %llx: there is nothing else */
			n += (size_t)snprintf(line + n, n_bytes - n, at[3] == 'x' ? "%llx" : "%llu", numbers[used++ % 3]);
			at += 3;
		} else {
			line[n++] = *at;
		}
	}
	if (!(u->extra & 2)) /* else it runs into the next */
		line[n++] = '\n';
	line[n] = '\0';
}

size_t image_meta(const struct image *image, char *text, size_t n_bytes)
{
	FILE *f = fmemopen(text, n_bytes, "w");
	if (f == NULL)
		return 0;
	const char *clock = image->clock % 3 == 0 ? "monotonic" : image->clock % 3 == 1 ? "tsc" : "cntvct";
	fprintf(f, "otter-dump 1 0\nbyte_order little\nrecord_bytes 32\nsegment_bytes %d\nsegment_header_bytes 128\n",
		IMAGE_SEGMENT_BYTES);
	fprintf(f, "ring_segments 4\nring_control_bytes %d\nrecorder %s ompt\nclock %s\n", RING_CONTROL_BYTES, OTTER_VERSION_STRING,
		clock);
	fprintf(f, "pid %d\npid_start %d\nhost %s\nboot_id %s\n%s", IMAGE_PID, IMAGE_PID_START, IMAGE_HOST, IMAGE_BOOT_ID,
		image->meta_before);
	fprintf(f, "program /usr/bin/program\narg program\nring_fs other\nstart 1000 1000 1700000000000001000\n");
	fprintf(f, "runtime %s\nruntime_code 7f0000001234\nsetting keep %s\n", runtimes[image->runtime % 4],
		image->is_newest ? "newest" : "all");
	fprintf(f,
		"maps_at 1000\nmap 401000 402000 1000 - /usr/bin/program\nmap 7f0000000000 7f0000100000 0 - /usr/lib/libomp.so.5\n%s",
		image->meta_behind);
	for (size_t i = 0; i < IMAGE_STREAMS && !image->is_killed; i++) {
		const struct image_stream *s = &image->streams[i];
		if (s->n_segments > 0 && !s->is_hidden)
			fprintf(f, "stream %u %s %llu %llu 0 0\n", s->number, s->is_live ? "live" : "sealed",
				(unsigned long long)s->n_records, (unsigned long long)s->sequence);
	}
	if (!image->is_killed)
		fprintf(f, "end %llu %llu 1700000000000001000\nended finalize\n", (unsigned long long)image->now + 1000,
			(unsigned long long)image->now + 1000);
	long n = ftell(f);
	fclose(f);
	return n > 0 ? (size_t)n : 0;
}
