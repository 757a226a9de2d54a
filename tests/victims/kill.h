/* What kill.c says and kill_check.c expects: lines that follow from numbers. */
#ifndef KILL_H
#define KILL_H

#include <stdint.h>
#include <stdio.h>

#define KILL_THREADS 4
#define KILL_TEXT_MAX 128
#define KILL_LINE_MAX 192

struct kill_page {
	uint64_t returned[KILL_THREADS];
};

/* 0 to 100 letters. */
static inline char *kill_text(char *text, unsigned thread, uint64_t number)
{
	uint64_t state = (number + 1) * 0x9e3779b97f4a7c15u ^ thread;
	unsigned length = (unsigned)(state >> 40) % 101;

	for (unsigned i = 0; i < length; i++)
		text[i] = (char)('a' + (state >> 7 * (i % 8) & 15));
	text[length] = '\0';
	return text;
}

/* "thread number text\n", made without printf; returns the length. */
static inline size_t kill_line(char *line, unsigned thread, uint64_t number)
{
	char digits[24], *end = line;
	int n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	number = 0;
	*end++ = (char)('0' + thread);
	*end++ = ' ';
	for (int i = n - 1; i >= 0; i--) {
		number = number * 10 + (uint64_t)(digits[i] - '0');
		*end++ = digits[i];
	}
	*end++ = ' ';
	kill_text(end, thread, number);
	while (*end)
		end++;
	*end++ = '\n';
	*end = '\0';
	return (size_t)(end - line);
}

#endif
