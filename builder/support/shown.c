/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lengths of time and labels for the screen.
 */
#include "builder/support/shown.h"
#include "builder/support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shown shown_ns(double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	struct shown shown;
	unsigned unit = 0;
	while (ns >= 999.5 && unit < 3) {
		ns /= 1000;
		unit++;
	}
	int digits = unit == 0 || ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2;
	snprintf(shown.text, sizeof shown.text, "%.*f %s", digits, ns, units[unit]);
	return shown;
}

struct shown shown_fit(const char *text, size_t width)
{
	struct shown shown;
	char *valid = text_utf8(text);
	size_t n = strlen(valid);
	if (n <= width)
		snprintf(shown.text, sizeof shown.text, "%s", valid);
	else /* the end has the line, the beginning the kind */
		snprintf(shown.text, sizeof shown.text, "%.*s..%s", (int)(width / 3), valid, valid + n - (width - width / 3 - 2));
	free(valid);
	return shown;
}
