/* Inlined into both C programs; included by a relative name. */
#ifndef DEEP_H
#define DEEP_H

#include <stdio.h>
#include <stdlib.h>

static inline __attribute__((always_inline)) int leaf(int x)
{
	if (x < 0) {
		fprintf(stderr, "negative %d\n", x);
		abort();
	}
	return printf("%d\n", x) + x;
}

static inline __attribute__((always_inline)) int twig(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += leaf(i) ^ leaf(x - i);
	return sum;
}

static inline __attribute__((always_inline)) int branch(int x)
{
	return twig(x) + twig(x + 1);
}

int other(int x);
int other_pointer(int (*call)(int), int x);

#endif
