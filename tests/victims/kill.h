/* What kill.c says and kill_check.c expects: lines that follow from numbers. */
#ifndef KILL_H
#define KILL_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define KILL_THREADS 4
#define KILL_LETTERS 65536
#define KILL_LINE_MAX 4200

struct kill_page {
	uint64_t returned[KILL_THREADS];
};

static char kill_letters[KILL_LETTERS];

static inline void kill_begin(void)
{
	uint64_t state = 1;

	for (unsigned i = 0; i < KILL_LETTERS; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		kill_letters[i] = (char)('a' + (state >> 33) % 26);
	}
}

/*
 * "thread number text\n", made without printf; returns the length.  The text
 * is up to 100 letters, and now and then up to 4,000, since a thread is killed
 * best while it copies.
 */
static inline size_t kill_line(char *line, unsigned thread, uint64_t number)
{
	uint64_t state = (number * KILL_THREADS + thread) * 0x9e3779b97f4a7c15u;
	unsigned limit = (state >> 59) == 0 ? 4000 : 101;
	unsigned length = (unsigned)(state >> 32) % limit;
	char digits[24], *end = line;
	int n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	*end++ = (char)('0' + thread);
	*end++ = ' ';
	while (n > 0)
		*end++ = digits[--n];
	*end++ = ' ';
	memcpy(end, kill_letters + (state >> 20) % (KILL_LETTERS - limit),
		length);
	end += length;
	*end++ = '\n';
	*end = '\0';
	return (size_t)(end - line);
}

#endif
