/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of a graph for print: called by dot.c. Apart from dot.h, as graphviz's headers have names that ours have, too.
 */
#ifndef OTTER_BUILDER_PICTURE_SVG_GRAPH_H
#define OTTER_BUILDER_PICTURE_SVG_GRAPH_H

#include "builder/picture/pdf.h"

#include <stdint.h>
#include <stdio.h>

/* Lays out what was written to `dot`, as the picture graph. 0, or -1 with the error printed. */
int dot_lay_out(FILE *dot, const struct picture_place *place, uint64_t width_mm);

#endif
