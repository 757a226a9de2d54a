#include "tests/bench/populate.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "record/layout.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* More than what two threads have claimed since the last time. */
#define POPULATE_BYTES (2u << 20)

static const volatile struct binlog_header *populate_header;

/* Those pages of the capture from `from` to `to` that this line of maps has. */
static bool populate_range(
	const char *line, unsigned long from, unsigned long to)
{
	unsigned long start, end, offset;

	if (!strstr(line, BINLOG_SUFFIX "\n") ||
		sscanf(line, "%lx-%lx rw-s %lx", &start, &end, &offset) != 3)
		return true;
	if (offset == 0)
		populate_header = (const struct binlog_header *)start;
	if (from < offset)
		from = offset;
	if (to > offset + (end - start))
		to = offset + (end - start);
	return from >= to || madvise((void *)(start + (from - offset)),
				     to - from, MADV_POPULATE_WRITE) == 0;
}

static bool populate_file(unsigned long from, unsigned long to)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[5000];
	bool done = true;

	if (!maps)
		return false;
	while (fgets(line, sizeof(line), maps))
		done &= populate_range(line, from, to);
	fclose(maps);
	return done;
}

bool populate_blocks(void)
{
	static unsigned long populated;
	unsigned long to;

	if (!populate_header && !populate_file(0, 1))
		return false;
	if (!populate_header || populate_header->next == populated)
		return true;
	populated = to = populate_header->next;
	return populate_file(to > POPULATE_BYTES ? to - POPULATE_BYTES : 0, to);
}
