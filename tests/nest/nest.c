/* Inlining in C: in a row, in a loop, several levels, out of line, cold. */
#include "deep.h"

static int counted;

static __attribute__((noinline)) int cloned(int x, int always_three)
{
	int sum = x;

	for (int i = 0; i < always_three; i++)
		sum += leaf(sum);
	return sum;
}

static __attribute__((noinline, cold)) int rarely(int x)
{
	counted++;
	return branch(x) - 1;
}

static __attribute__((noinline)) int recursive(int x)
{
	return x <= 1 ? leaf(x) : recursive(x - 1) + recursive(x - 2);
}

int visible(int x)
{
	if (__builtin_expect(x > 1000, 0)) {
		puts("too much");
		return rarely(x);
	}
	return branch(x) + cloned(x, 3);
}

#line 4000 "generated/from.y"
static inline int by_line(int x)
{
	return leaf(x) * 2;
}

int parsed(int x)
{
	return by_line(x) + by_line(x + 1);
}
#line 51 "nest.c"

static int local_callback(int x)
{
	return leaf(x) + 1;
}

static void tail(int x)
{
	printf("tail %d\n", x);
}

void last(int x)
{
	if (x)
		tail(branch(x));
}

#ifndef SHARED
int main(int argc, char **argv)
{
	(void)argv;
	last(visible(argc) + recursive(argc) + parsed(argc));
	return other(argc) + other_pointer(local_callback, counted) +
		cloned(argc, 3);
}
#endif
