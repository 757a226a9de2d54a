/* A second unit, which has its own copies of what the first one inlines. */
#include "deep.h"

static __attribute__((noinline)) int cloned(int x)
{
	return twig(x);
}

int other(int x)
{
	switch (x) {
	case 1:
		return cloned(x);
	case 2:
		return leaf(x);
	case 3:
		return branch(x);
	default:
		return 0;
	}
}

int other_pointer(int (*call)(int), int x)
{
	return call(x) + leaf(x);
}
