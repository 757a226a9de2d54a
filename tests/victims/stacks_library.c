/* The part of the test of stacks that is a shared library, in C. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>

#include "stacks.h"

FILE *oracle;
int messages;

__attribute__((noinline)) void note_stack(int number)
{
	void *frames[64];
	int count = backtrace(frames, 64);

	fprintf(oracle, "%d", number);
	/* frames[0] is here */
	for (int i = 1; i < count; i++) {
		struct link_map *map = NULL;
		Dl_info info;

		if (!dladdr1(frames[i], &info, (void **)&map, RTLD_DL_LINKMAP))
			continue;
		fprintf(oracle, " %s+0x%lx",
			*map->l_name ? map->l_name : "program",
			(uintptr_t)frames[i] - map->l_addr);
	}
	fprintf(oracle, "\n");
	__asm__ volatile("");
}

static inline int twice(int depth)
{
	say();
	return depth * 2;
}

static inline __attribute__((always_inline)) int thrice(int depth)
{
	return twice(depth) + depth;
}

static int by_number(const void *a, const void *b)
{
	static int calls;
	int result = *(const int *)a - *(const int *)b;

	if (calls++ < 3)
		say();
	return result;
}

__attribute__((noinline)) int in_library(int depth)
{
	int numbers[] = {3, 1, 2, depth};
	int sum = 0;

	if (depth > 0)
		sum += in_library(depth - 1);
	qsort(numbers, 4, sizeof(int), by_number);
	sum += thrice(depth);
	say();
	return sum + numbers[0];
}
