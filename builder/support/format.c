/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lengths of time and labels for the screen.
 */
#include "builder/support/format.h"
#include "builder/support/cells.h"
#include "builder/support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct formatted format_mean_ns(double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	struct formatted formatted;
	unsigned unit = 0;
	while (ns >= 999.5 && unit < 3) {
		ns /= 1000;
		unit++;
	}
	int digits = unit == 0 || ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2;
	snprintf(formatted.text, sizeof formatted.text, "%.*f %s", digits, ns, units[unit]);
	return formatted;
}

struct formatted format_fit(const char *text, size_t width)
{
	struct formatted formatted;
	char *valid = text_utf8(text);
	if (cells_of(valid) <= width)
		snprintf(formatted.text, sizeof formatted.text, "%s", valid);
	else { /* the end has the line, the beginning the kind */
		size_t end = cells_end(valid, width - width / 3 - 2);
		snprintf(formatted.text, sizeof formatted.text, "%.*s..%s", (int)cells_begin(valid, width / 3), valid,
			 valid + strlen(valid) - end);
	}
	free(valid);
	return formatted;
}

struct formatted format_column(const char *text, size_t width)
{
	struct formatted formatted = format_fit(text, width);
	size_t n = strlen(formatted.text);
	for (size_t cells = cells_of(formatted.text); cells < width && n + 1 < sizeof formatted.text; cells++)
		formatted.text[n++] = ' ';
	formatted.text[n] = '\0';
	return formatted;
}
