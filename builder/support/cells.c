/* SPDX-License-Identifier: BSD-3-Clause */
#include "builder/support/cells.h"
#include "builder/support/text.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define COLUMNS_USUAL 80
#define COLUMNS_LEAST 60
#define COLUMNS_MOST  200

static locale_t utf8;
static pthread_once_t is_utf8_made = PTHREAD_ONCE_INIT;

static void make_utf8(void)
{
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* The cells of a character, by the C library's tables, whatever the process's locale is. */
static unsigned cells_of_character(wchar_t character)
{
	pthread_once(&is_utf8_made, make_utf8);
	if (utf8 == (locale_t)0)
		return 1;
	locale_t before = uselocale(utf8);
	int cells = wcwidth(character);
	uselocale(before);
	return cells >= 0 ? (unsigned)cells : 1;
}

size_t cells_next(const char *text, unsigned *cells)
{
	*cells = 0;
	if (text[0] == '\033') {
		size_t n = strcspn(text, "m");
		return n + (text[n] == 'm');
	}
	size_t n = text_utf8_length(text);
	*cells = 1;
	if (n > 1) {
		wchar_t character = (unsigned char)text[0] & (0x7f >> n);
		for (size_t i = 1; i < n; i++)
			character = character << 6 | ((unsigned char)text[i] & 0x3f);
		*cells = cells_of_character(character);
	}
	return n == 0 ? 1 : n;
}

size_t cells_of(const char *text)
{
	size_t all = 0;
	for (unsigned cells; *text != '\0'; all += cells)
		text += cells_next(text, &cells);
	return all;
}

size_t cells_begin(const char *text, size_t most)
{
	size_t at = 0;
	for (unsigned cells; text[at] != '\0'; most -= cells) {
		size_t n = cells_next(text + at, &cells);
		if (cells > most)
			break;
		at += n;
	}
	return at;
}

size_t cells_end(const char *text, size_t most)
{
	size_t all = cells_of(text), at = 0;
	for (unsigned cells; all > most; all -= cells)
		at += cells_next(text + at, &cells);
	return strlen(text + at);
}

unsigned terminal_columns(FILE *out)
{
	struct winsize size;
	if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return COLUMNS_USUAL;
	return size.ws_col < COLUMNS_LEAST ? COLUMNS_LEAST : size.ws_col > COLUMNS_MOST ? COLUMNS_MOST : size.ws_col;
}

bool terminal_is_coloured(FILE *out)
{
	const char *no_colour = getenv("NO_COLOR");
	return isatty(fileno(out)) && (no_colour == NULL || no_colour[0] == '\0');
}
