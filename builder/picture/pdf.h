/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pictures as files: as SVG, as PDF, or both. Called by dot.c and svg.c for what they have drawn; one thread.
 */
#ifndef OTTER_BUILDER_PICTURE_PDF_H
#define OTTER_BUILDER_PICTURE_PDF_H

#include <stddef.h>
#include <stdint.h>

enum picture_format { PICTURE_SVG = 1, PICTURE_PDF = 2 };

/* How pictures are written. */
struct picture_place {
	const char *dir;
	unsigned formats; /* enum picture_format, joined by | */
	uint64_t date_ns; /* realtime that a PDF is dated with: the run's begin, so that its bytes are those of the run */
};

/* Writes DIR/NAME.svg and DIR/NAME.pdf, of a picture that is SVG. 0, or -1 with the error printed. */
int picture_write(const struct picture_place *place, const char *name, const char *svg, size_t n_bytes);

#endif
