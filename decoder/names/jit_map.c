#include "decoder/names/jit_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"

struct piece {
	uint64_t start;
	uint64_t end;
	uint64_t highest; /* end of this one and all before it */
	const char *name;
	size_t order; /* in the file */
};

struct jit_map {
	char *text;
	struct piece *pieces; /* by start */
	size_t count;
};

static bool is_trusted(const struct stat *status)
{
	return S_ISREG(status->st_mode) &&
	       (status->st_uid == geteuid() || status->st_uid == 0) &&
	       !limits_exceeded(LIMIT_JIT_MAP, (uint64_t)status->st_size);
}

static size_t read_all(int fd, char *text, size_t bytes)
{
	size_t length = 0;

	while (length < bytes) {
		ssize_t got = read(fd, text + length, bytes - length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	return length;
}

/* The whole file, NUL behind it; null: there is none. */
static char *read_file(const char *path)
{
	int fd = open(path,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat status;
	char *text = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && is_trusted(&status))
		text = malloc((size_t)status.st_size + 1);
	if (text)
		text[read_all(fd, text, (size_t)status.st_size)] = '\0';
	close(fd);
	return text;
}

/* A line `START BYTES NAME`, numbers in hexadecimal. */
static bool read_piece(char *line, struct piece *piece)
{
	uint64_t bytes;
	char *end;

	piece->start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return false;
	line = end + 1;
	bytes = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || end[1] == '\0' || bytes == 0 ||
		bytes > UINT64_MAX - piece->start)
		return false;
	piece->end = piece->start + bytes;
	piece->name = end + 1;
	return true;
}

static bool read_pieces(struct jit_map *map)
{
	char *line = map->text;
	size_t lines = 1;

	for (; *line; line++)
		lines += *line == '\n';
	map->pieces = calloc(lines, sizeof(*map->pieces));
	if (!map->pieces)
		return false;
	for (line = map->text; line;) {
		char *next = strchr(line, '\n');
		struct piece *piece = &map->pieces[map->count];

		if (next)
			*next++ = '\0';
		piece->order = map->count;
		map->count += read_piece(line, piece);
		line = next;
	}
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct piece *a = left;
	const struct piece *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void sort(struct jit_map *map)
{
	uint64_t highest = 0;
	size_t i;

	qsort(map->pieces, map->count, sizeof(*map->pieces), compare);
	for (i = 0; i < map->count; i++) {
		if (map->pieces[i].end > highest)
			highest = map->pieces[i].end;
		map->pieces[i].highest = highest;
	}
}

struct jit_map *jit_map_of(char *text)
{
	struct jit_map *map = calloc(1, sizeof(*map));

	if (!map) {
		free(text);
		return NULL;
	}
	map->text = text;
	if (!text)
		return map;
	if (!read_pieces(map)) {
		jit_map_free(map);
		return NULL;
	}
	sort(map);
	return map;
}

struct jit_map *jit_map_read(uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	return jit_map_of(read_file(path));
}

/* How many begin at or before the address. */
static size_t count_before(const struct jit_map *map, uint64_t address)
{
	size_t low = 0;
	size_t high = map->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->pieces[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *jit_map_find(
	const struct jit_map *map, uint64_t address, uint64_t *offset)
{
	const struct piece *found = NULL;
	size_t i = count_before(map, address);

	for (; i > 0 && map->pieces[i - 1].highest > address; i--) {
		const struct piece *piece = &map->pieces[i - 1];

		if (piece->end > address &&
			(!found || piece->order > found->order))
			found = piece;
	}
	if (!found)
		return NULL;
	*offset = address - found->start;
	return found->name;
}

void jit_map_free(struct jit_map *map)
{
	if (!map)
		return;
	free(map->pieces);
	free(map->text);
	free(map);
}
