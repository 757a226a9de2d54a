#include "shim/host/bytes.h"

/* libc names the parameters with underscores. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	return memmove(to, from, size);
}

void *memmove(void *to, const void *from, size_t size)
{
	unsigned char *d = to;
	const unsigned char *s = from;

	if ((uintptr_t)d - (uintptr_t)s >= size) {
#if defined(__x86_64__)
		__asm__ volatile("rep movsb"
				 : "+D"(d), "+S"(s), "+c"(size)
				 :
				 : "memory");
#else
		for (size_t i = 0; i < size; i++)
			((volatile unsigned char *)d)[i] = s[i];
#endif
	} else {
		while (size-- > 0)
			((volatile unsigned char *)d)[size] = s[size];
	}
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	unsigned char *d = to;

#if defined(__x86_64__)
	__asm__ volatile("rep stosb"
			 : "+D"(d), "+c"(size)
			 : "a"(byte)
			 : "memory");
#else
	for (size_t i = 0; i < size; i++)
		((volatile unsigned char *)d)[i] = (unsigned char)byte;
#endif
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < size; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

void bytes_put(struct bytes_text *text, const char *s)
{
	while (*s && text->length + 1 < text->size)
		text->buffer[text->length++] = *s++;
	if (text->size > 0)
		text->buffer[text->length] = '\0';
}

void bytes_put_number(struct bytes_text *text, uint64_t number, unsigned base)
{
	char digits[65];
	char *d = digits + sizeof(digits) - 1;

	*d = '\0';
	do {
		*--d = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	bytes_put(text, d);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 255;
}

int bytes_number(const char **s, unsigned base, uint64_t *number)
{
	const char *p = *s;
	uint64_t n = 0;

	for (; (unsigned)digit(*p) < base; p++)
		if (__builtin_mul_overflow(n, base, &n) ||
			__builtin_add_overflow(n, (unsigned)digit(*p), &n))
			return 0;
	if (p == *s)
		return 0;
	*s = p;
	*number = n;
	return 1;
}

/* What is longer is for ever: 13 days. */
#define LONGEST_NS ((uint64_t)1 << 50)

static const struct unit {
	const char *name;
	uint64_t nanoseconds;
} units[] = {
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000000},
	{"min", 60000000000},
	{"m", 60000000000},
	{"h", 3600000000000},
	{"s", 1000000000},
	{"", 1000000000},
};

uint64_t bytes_duration(const char *text, uint64_t otherwise)
{
	uint64_t number;
	unsigned i = 0;

	if (bytes_starts(text, "all"))
		return UINT64_MAX;
	if (!bytes_number(&text, 10, &number))
		return otherwise;
	while (!bytes_starts(text, units[i].name))
		i++;
	return number < LONGEST_NS / units[i].nanoseconds
		       ? number * units[i].nanoseconds
		       : UINT64_MAX;
}
