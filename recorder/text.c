/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/text.h"

#include <string.h>

void text_init(struct text *text, char *bytes, size_t capacity)
{
	*text = (struct text){.bytes = bytes, .capacity = capacity};
}

static void put(struct text *text, const char *bytes, size_t n_bytes)
{
	if (text->is_full || n_bytes > text->capacity - text->n_bytes) {
		text->is_full = true;
		return;
	}
	memcpy(text->bytes + text->n_bytes, bytes, n_bytes);
	text->n_bytes += n_bytes;
}

static void separate(struct text *text)
{
	if (text->n_bytes > text->line_start)
		put(text, " ", 1);
}

void text_word(struct text *text, const char *word)
{
	separate(text);
	put(text, word, strlen(word));
}

char *text_decimal(char *out, uint64_t number, unsigned width)
{
	char digits[20];
	unsigned n = 0;
	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (width > n) {
		*out++ = '0';
		width--;
	}
	while (n)
		*out++ = digits[--n];
	return out;
}

void text_number(struct text *text, uint64_t number)
{
	char digits[20];
	separate(text);
	char *end = text_decimal(digits, number, 1);
	put(text, digits, (size_t)(end - digits));
}

void text_hex(struct text *text, uint64_t number)
{
	char digits[16];
	unsigned n = sizeof digits;
	do {
		digits[--n] = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number);
	separate(text);
	put(text, digits + n, sizeof digits - n);
}

void text_bytes_hex(struct text *text, const unsigned char *bytes, size_t n_bytes)
{
	separate(text);
	for (size_t i = 0; i < n_bytes; i++) {
		char pair[2] = {"0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15]};
		put(text, pair, 2);
	}
}

void text_value(struct text *text, const char *value)
{
	separate(text);
	for (const char *p = value; *p; p++) {
		unsigned char c = (unsigned char)*p;
		if (c == '\\') {
			put(text, "\\\\", 2);
		} else if (c == '\n') {
			put(text, "\\n", 2);
		} else if (c < 0x20 || c == 0x7f) {
			char escape[4] = {'\\', 'x', "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]};
			put(text, escape, 4);
		} else {
			put(text, p, 1);
		}
	}
}

void text_end(struct text *text)
{
	put(text, "\n", 1);
	if (text->is_full)
		text->n_bytes = text->line_start;
	text->line_start = text->n_bytes;
}

void text_line(struct text *text, const char *key, const char *value)
{
	text_word(text, key);
	text_value(text, value);
	text_end(text);
}

void text_line_number(struct text *text, const char *key, uint64_t number)
{
	text_word(text, key);
	text_number(text, number);
	text_end(text);
}
