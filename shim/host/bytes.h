/*
 * Memory and strings without libc, which the program may have replaced.
 * Async-signal-safe; reads nothing beyond the page of the last byte needed.
 */
#ifndef SHIM_BYTES_H
#define SHIM_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Where the compiler itself calls for them; hidden, defined in bytes.c. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

/*
 * Copies `size` bytes.  Short ones, the most frequent, by a few overlapping
 * moves; long ones by the microcoded loop.
 */
static inline void bytes_copy(void *to, const void *from, size_t size)
{
	unsigned char *d = to;
	const unsigned char *s = from;
	uint64_t first, last;

	if (size >= 16) {
		if (size > 64) {
			memcpy(to, from, size);
			return;
		}
		for (size_t i = 0; i + 16 <= size; i += 16)
			__builtin_memcpy(d + i, s + i, 16);
		__builtin_memcpy(d + size - 16, s + size - 16, 16);
	} else if (size >= 8) {
		__builtin_memcpy(&first, s, 8);
		__builtin_memcpy(&last, s + size - 8, 8);
		__builtin_memcpy(d, &first, 8);
		__builtin_memcpy(d + size - 8, &last, 8);
	} else if (size >= 4) {
		uint32_t low, high;

		__builtin_memcpy(&low, s, 4);
		__builtin_memcpy(&high, s + size - 4, 4);
		__builtin_memcpy(d, &low, 4);
		__builtin_memcpy(d + size - 4, &high, 4);
	} else if (size > 0) {
		unsigned char middle = s[size / 2];
		unsigned char end = s[size - 1];

		d[0] = s[0];
		d[size / 2] = middle;
		d[size - 1] = end;
	}
}

/* Length of a string, at most `limit`; reads no byte at or after `limit`'s. */
static inline size_t bytes_length_limited(const char *s, size_t limit)
{
	size_t n = 0;

	while (n < limit && s[n] != '\0')
		n++;
	return n;
}

/*
 * Where the first zero byte or `byte` is, of a string that ends; by aligned
 * blocks of 16 bytes.
 */
static inline size_t bytes_find(const char *s, char byte)
{
#if defined(__SSE2__)
	const char *block = (const char *)((uintptr_t)s & ~(uintptr_t)15);
	const __m128i zero = _mm_setzero_si128();
	const __m128i wanted = _mm_set1_epi8(byte);
	__m128i bytes = _mm_load_si128((const __m128i *)block);
	unsigned found = (unsigned)_mm_movemask_epi8(_mm_or_si128(
		_mm_cmpeq_epi8(bytes, zero), _mm_cmpeq_epi8(bytes, wanted)));

	found >>= s - block;
	if (found)
		return (size_t)__builtin_ctz(found);
	do {
		block += 16;
		bytes = _mm_load_si128((const __m128i *)block);
		found = (unsigned)_mm_movemask_epi8(
			_mm_or_si128(_mm_cmpeq_epi8(bytes, zero),
				_mm_cmpeq_epi8(bytes, wanted)));
	} while (!found);
	return (size_t)(block - s) + (size_t)__builtin_ctz(found);
#else
	size_t n = 0;

	while (s[n] != '\0' && s[n] != byte)
		n++;
	return n;
#endif
}

/* Length of a NUL-terminated string. */
static inline size_t bytes_length(const char *s)
{
	return bytes_find(s, '\0');
}

/* Whether one of `size` bytes is `byte`; reads no other ones. */
static inline bool bytes_have(const char *s, size_t size, char byte)
{
	size_t i = 0;

#if defined(__SSE2__)
	for (; size - i >= 16; i += 16)
		if (_mm_movemask_epi8(_mm_cmpeq_epi8(
			    _mm_loadu_si128((const __m128i *)(s + i)),
			    _mm_set1_epi8(byte))))
			return true;
#endif
	while (i < size && s[i] != byte)
		i++;
	return i < size;
}

/* True when `s` begins with `prefix`. */
static inline int bytes_starts(const char *s, const char *prefix)
{
	while (*prefix)
		if (*s++ != *prefix++)
			return 0;
	return 1;
}

/*
 * Builds a short string in `buffer`: bytes_put*() append, never beyond
 * `size`, and keep it NUL-terminated.
 */
struct bytes_text {
	char *buffer;
	size_t size;
	size_t length;
};

void bytes_put(struct bytes_text *text, const char *s);
void bytes_put_number(struct bytes_text *text, uint64_t number, unsigned base);

/*
 * The number at *s in `base` (at most 16), after which *s is set; false, and
 * *s unchanged, when there is none or it is too large.
 */
int bytes_number(const char **s, unsigned base, uint64_t *number);

/*
 * Nanoseconds: a number with ns, us, ms, s, m, min or h behind it, or nothing
 * for seconds.  UINT64_MAX for `all` and for what is more than there are;
 * `otherwise` for what is no number.
 */
uint64_t bytes_duration(const char *text, uint64_t otherwise);

#endif
