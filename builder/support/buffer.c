/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text that grows, and numbers as digits: two at a time, from a table.
 */
#include "builder/support/buffer.h"
#include "builder/support/array.h"

#include <stdlib.h>

void buffer_grow(struct buffer *buffer, size_t n_more)
{
	array_reserve(buffer->bytes, buffer->n + n_more, buffer->capacity);
}

void buffer_free(struct buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct buffer){NULL, 0, 0};
}

static const char pairs[] = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
			    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

static unsigned n_decimals(uint64_t number)
{
	unsigned n = 1;
	for (; number >= 10000; number /= 10000)
		n += 4;
	return n + (number >= 10) + (number >= 100) + (number >= 1000);
}

char *text_decimal(char *at, uint64_t number)
{
	char *end = at + n_decimals(number), *to = end;
	while (number >= 100) {
		to -= 2;
		memcpy(to, pairs + 2 * (number % 100), 2);
		number /= 100;
	}
	if (number >= 10)
		memcpy(to - 2, pairs + 2 * number, 2);
	else
		to[-1] = (char)('0' + number);
	return end;
}

char *text_hex(char *at, uint64_t number, unsigned n_digits)
{
	unsigned n = number != 0 ? (67u - (unsigned)__builtin_clzll(number)) / 4 : 1;
	if (n < n_digits)
		n = n_digits;
	for (unsigned i = n; i > 0; number >>= 4)
		at[--i] = "0123456789abcdef"[number & 0xf];
	return at + n;
}
