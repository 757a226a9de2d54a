/*
 * The sums over all captures that stand on top of each page.  Called by
 * top_page.c.
 */
#ifndef TOOLS_TOP_TOP_SUMS_H
#define TOOLS_TOP_TOP_SUMS_H

#include "tools/top/top_captures.h"

struct top_sums {
	double rate;
	double byte_rate; /* negative: not known of all */
	uint64_t calls;
	uint64_t passed;
	uint64_t dropped;
	uint64_t suppressed;
	uint64_t redacted;
	size_t captures;
	size_t running;
	bool rough;    /* see top_captures_is_rough() */
	bool behind;   /* more is said than was read */
	bool damaged;  /* or something could not be read */
	bool switched; /* the next two are known */
	int level;     /* the least that is recorded by any */
	bool off;      /* all record nothing */
};

struct top_sums top_sums_of(const struct top_captures *captures);

#endif
