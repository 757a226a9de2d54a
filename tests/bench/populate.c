#include "tests/bench/populate.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/layout.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

static const volatile struct binlog_header *populate_header;
static unsigned long populate_inode;

/* A mapping of the capture. */
struct mapping {
	unsigned long start;
	unsigned long end;
	unsigned long offset;
	unsigned long inode;
};

/* The one that was found last. */
static struct mapping last;

static bool is_our_header(const struct mapping *mapping)
{
	const struct binlog_header *header = (const void *)mapping->start;
	static const uint8_t magic[] = BINLOG_MAGIC;

	return mapping->offset == 0 &&
	       memcmp(header->magic, magic, sizeof(header->magic)) == 0 &&
	       header->pid == (uint32_t)getpid();
}

/* One of the capture, whose name in the list may be that of no file yet. */
static bool read_mapping(const char *line, struct mapping *mapping)
{
	if (sscanf(line, "%lx-%lx rw-s %lx %*x:%*x %lu", &mapping->start,
		    &mapping->end, &mapping->offset, &mapping->inode) != 4)
		return false;
	if (!populate_header && is_our_header(mapping)) {
		populate_header = (const void *)mapping->start;
		populate_inode = mapping->inode;
	}
	return populate_header && mapping->inode == populate_inode;
}

/* Those pages of the capture from `from` to `to` that a mapping has. */
static bool populate_range(
	const struct mapping *mapping, unsigned long from, unsigned long to)
{
	unsigned long end = mapping->offset + (mapping->end - mapping->start);

	if (from < mapping->offset)
		from = mapping->offset;
	if (to > end)
		to = end;
	return from >= to ||
	       madvise((void *)(mapping->start + (from - mapping->offset)),
		       to - from, MADV_POPULATE_WRITE) == 0;
}

static bool populate_file(unsigned long from, unsigned long to)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct mapping mapping;
	char line[5000];
	bool done = true;

	if (!maps)
		return false;
	while (fgets(line, sizeof(line), maps))
		if (read_mapping(line, &mapping)) {
			done &= populate_range(&mapping, from, to);
			last = mapping;
		}
	fclose(maps);
	return done;
}

static bool is_in_last(unsigned long from, unsigned long to)
{
	return from >= last.offset && to - last.offset <= last.end - last.start;
}

bool populate_blocks(void)
{
	static unsigned long populated;
	unsigned long from, to;

	if (!populate_header) {
		if (!getenv("LD_PRELOAD"))
			return true;
		if (!populate_file(0, 1) || !populate_header)
			return false;
	}
	if (populate_header->next == populated)
		return true;
	from = populated;
	populated = to = populate_header->next;
	/* By the fewest instructions, so that the caches stay as they are. */
	return is_in_last(from, to) ? populate_range(&last, from, to)
				    : populate_file(from, to);
}
