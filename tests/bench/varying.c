/*
 * varying MESSAGES [SEED [RARE]]: says so many of the six messages of
 * messages.h, one after the other, with arguments as a storage server would
 * have them: few hosts that come again, counters that grow, sizes around a few
 * values, ratios of a thousand, times measured in microseconds with a long
 * tail.  The same seed says the same; with seed 0 the arguments are those of
 * messages.h.  One message in RARE is an error instead.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/messages.h"

static uint64_t state;

/* Of splitmix64. */
static uint64_t next(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static unsigned below(unsigned limit)
{
	return (unsigned)(next() % limit);
}

/* Between 0 and 1, rarely near 1. */
static double unit(void)
{
	return (double)(next() >> 11) * 0x1p-53;
}

static unsigned consumed, allocated = 1 << 20;

static void say_session(void)
{
	static char hosts[64][64];
	unsigned host = below(8) ? below(8) : below(64);

	if (!hosts[host][0])
		snprintf(hosts[host], sizeof(hosts[host]),
			"basic+udp:host=192.168.1.%u,port=%u", 2 + host,
			10000 + host * 37);
	printf("Opened session with coordinator at %s\n", hosts[host]);
}

static void say_buffer(void)
{
	consumed += 64 * (1 + below(32));
	if (consumed > allocated)
		allocated *= 2;
	printf("buffer has consumed %u bytes of extra storage, "
	       "current allocation: %u bytes\n",
		consumed, allocated);
}

static void say_driver(void)
{
	double tail = unit();

	printf("Initialized InfUdDriver buffers: %u receive buffers "
	       "(%u MB), %u transmit buffers (%u MB), took %0.1lf ms\n",
		50000 - below(3) * 10000, 97 - below(3) * 19, 50u, 0u,
		(double)(20000 + (long)(tail * tail * tail * 500000)) / 1000);
}

static void say(long i)
{
	switch (i % 6) {
	case 0:
		printf("Starting backup replica garbage collector thread\n");
		break;
	case 1:
		say_session();
		break;
	case 2:
		printf("Backup storage speeds (min): %d MB/s read\n",
			150 + (int)below(30) + (int)below(30));
		break;
	case 3:
		say_buffer();
		break;
	case 4:
		printf("Using tombstone ratio balancer with ratio = %0.6lf\n",
			(double)below(1001) / 1000);
		break;
	default:
		say_driver();
	}
}

#define SAY(...) printf(__VA_ARGS__)
#define AND_THEN(name, call)                                                   \
	case __COUNTER__:                                                      \
		call;                                                          \
		break;

static void say_constant(long i)
{
	switch (i % 6) {
		SIX_MESSAGES(AND_THEN, SAY, "\n")
	}
}

int main(int argc, char **argv)
{
	long messages = argc > 1 ? atol(argv[1]) : 6;
	long rare = argc > 3 ? atol(argv[3]) : 0;

	state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	for (long i = 0; i < messages; i++)
		if (rare && i % rare == rare / 2)
			fprintf(stderr, "Lost replica %ld of %s\n", i,
				"segment");
		else if (argc > 2 && atoi(argv[2]) == 0)
			say_constant(i);
		else
			say(i);
	return 0;
}
