#include "tools/live/mappings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/layout.h"

#define DELETED " (deleted)"

/* Cuts the end off if it is that. */
static bool cut_end(char *text, const char *end)
{
	size_t length = strlen(text);
	size_t bytes = strlen(end);

	if (length < bytes || strcmp(text + length - bytes, end) != 0)
		return false;
	text[length - bytes] = '\0';
	return true;
}

/* It got its name when it was whole, and the kernel knows it by none. */
static bool is_unnamed(const char *name, uint64_t inode)
{
	char number[24];

	snprintf(number, sizeof(number), "/#%" PRIu64, inode);
	return strcmp(name, number) == 0;
}

static bool is_capture(const char *path, uint64_t inode)
{
	const char *name = strrchr(path, '/');
	size_t suffix = strlen(BINLOG_SUFFIX);
	size_t length = name ? strlen(name) : 0;

	return length > suffix &&
	       (strcmp(name + length - suffix, BINLOG_SUFFIX) == 0 ||
		       is_unnamed(name, inode));
}

/* START-END MODE OFFSET DEVICE INODE PATH, with \012 for a newline. */
static bool read_line(char *line, pid_t process, struct mapping *mapping)
{
	uint64_t start, end;
	char mode[5];
	char *path;
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %" SCNu64 " %n",
		    &start, &end, mode, &mapping->inode, &at) < 4 ||
		at == 0 || end < start || mode[3] != 's')
		return false;
	path = line + at;
	cut_end(path, "\n");
	cut_end(path, DELETED);
	if (!is_capture(path, mapping->inode) ||
		strlen(path) >= sizeof(mapping->path))
		return false;
	mapping->bytes = end - start;
	snprintf(mapping->path, sizeof(mapping->path), "%s", path);
	snprintf(mapping->file, sizeof(mapping->file),
		"/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)process, start,
		end);
	return true;
}

/* Pieces of one file follow each other or do not. */
static int add(struct mapping *mappings, int count, const struct mapping *piece)
{
	int i;

	for (i = 0; i < count; i++)
		if (mappings[i].inode == piece->inode &&
			strcmp(mappings[i].path, piece->path) == 0) {
			mappings[i].bytes += piece->bytes;
			return count;
		}
	if (!limits_reached(LIMIT_PROCESS_CAPTURES, (uint64_t)count))
		mappings[count++] = *piece;
	return count;
}

int mappings_read(FILE *maps, pid_t process,
	struct mapping mappings[LIMITS_PROCESS_CAPTURES])
{
	struct mapping piece;
	char *line = NULL;
	size_t room = 0;
	int count = 0;

	while (getline(&line, &room, maps) > 0)
		if (read_line(line, process, &piece))
			count = add(mappings, count, &piece);
	free(line);
	return ferror(maps) ? -1 : count;
}

int mappings_of(pid_t process, struct mapping mappings[LIMITS_PROCESS_CAPTURES])
{
	char name[32];
	FILE *maps;
	int count;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)process);
	maps = fopen(name, "re");
	if (!maps)
		return -1;
	count = mappings_read(maps, process, mappings);
	(void)fclose(maps);
	return count;
}
