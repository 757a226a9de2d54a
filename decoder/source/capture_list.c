#include "decoder/source/capture_list.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "decoder/capture/recording_ring.h"
#include "decoder/heph/heph_file.h"
#include "decoder/packed/packed_reader.h"
#include "record/layout.h"
#include "record/packed.h"

/*
 * Captures inside a core file: a process maps what it writes, and has it in
 * memory when it dies, if the pages of files are in its core (core(5),
 * coredump_filter).  Asked by capture_list.c for every path.
 */

static int open_file(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* It is an ELF file of this kind. */
static bool core_file_is(const char *path)
{
	Elf64_Ehdr head;
	int fd = open_file(path);
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, &head, sizeof(head), 0);
	close(fd);
	return n == sizeof(head) &&
	       memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
	       head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_type == ET_CORE;
}

static bool read_header(int fd, uint64_t offset, struct binlog_header *header)
{
	return pread(fd, header, sizeof(*header), (off_t)offset) ==
		       sizeof(*header) &&
	       memcmp(header->magic, BINLOG_MAGIC, sizeof(header->magic)) ==
		       0 &&
	       header->byte_order == BINLOG_BYTE_ORDER;
}

struct found {
	uint64_t *headers;
	uint64_t nonces[LIMITS_CORE_CAPTURES];
	size_t count;
	bool more;
};

/* Enters it unless it is there: a page may be mapped twice. */
static void enter(int fd, struct found *found, uint64_t offset)
{
	struct binlog_header here;
	size_t i;

	if (!read_header(fd, offset, &here))
		return;
	for (i = 0; i < found->count; i++)
		if (found->nonces[i] == here.nonce)
			return;
	found->more = found->count == LIMITS_CORE_CAPTURES;
	if (found->more)
		return;
	found->nonces[found->count] = here.nonce;
	found->headers[found->count++] = offset;
}

/*
 * Where the header pages of captures are in it, each capture once; how many.
 * *more: there are others behind them.
 */
static size_t core_file_captures(
	const char *path, uint64_t headers[LIMITS_CORE_CAPTURES], bool *more)
{
	static const char magic[] = BINLOG_MAGIC;
	char pages[64 * BINLOG_PAGE];
	uint64_t offset = BINLOG_PAGE;
	struct found found = {.headers = headers};
	int fd = open_file(path);
	ssize_t n;

	while (fd >= 0 && !found.more &&
		(n = pread(fd, pages, sizeof(pages), (off_t)offset)) > 0) {
		off_t data;
		size_t i;

		for (i = 0; i + sizeof(magic) <= (size_t)n && !found.more;
			i += BINLOG_PAGE)
			if (memcmp(pages + i, magic, sizeof(magic) - 1) == 0)
				enter(fd, &found, offset + i);
		offset += sizeof(pages);
		data = lseek(fd, (off_t)offset, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break; /* nothing but a hole is left */
		if (data > (off_t)offset)
			offset = (uint64_t)data & ~(uint64_t)(BINLOG_PAGE - 1);
	}
	if (fd >= 0)
		close(fd);
	*more = found.more;
	return found.count;
}

/* Descriptors are few by default; more files are opened for each read. */
#define KEPT_OPEN_MAX 256

static void report(
	struct error_list *errors, enum error_code code, const char *path)
{
	struct error error = {.code = code, .system = errno, .file = path};

	error_add(errors, &error);
}

static bool make_room(struct capture_list *list)
{
	size_t room = list->room ? list->room * 2 : 16;
	struct recording **captures;
	const char **packed;
	char **names;

	if (list->name_count < list->room)
		return true;
	packed = reallocarray(list->packed, room, sizeof(*packed));
	if (packed)
		list->packed = packed;
	captures = realloc(list->captures, room * sizeof(*captures));
	if (captures)
		list->captures = captures;
	names = realloc(list->names, room * sizeof(*names));
	if (names)
		list->names = names;
	if (!captures || !names || !packed)
		return false;
	list->room = room;
	return true;
}

/* The list's own copy.  Null: out of memory, reported. */
static const char *keep_name(struct capture_list *list, const char *directory,
	const char *name, struct error_list *errors)
{
	char *path = NULL;

	if (!make_room(list) || asprintf(&path, "%s%s%s", directory,
					*directory ? "/" : "", name) < 0) {
		report(errors, ERROR_MEMORY, NULL);
		return NULL;
	}
	list->names[list->name_count++] = path;
	return path;
}

static bool ends_in(const char *name, const char *suffix)
{
	size_t length = strlen(name);
	size_t end = strlen(suffix);

	return length > end && strcmp(name + length - end, suffix) == 0;
}

/* The first bytes tell; of others, whether there is a frame in it. */
static bool is_packed(const char *path)
{
	struct packed_file file = {.path = path};
	uint8_t magic[sizeof(BINLOG_MAGIC)] = {0};
	ssize_t n;
	bool regular;

	if (strcmp(path, PACKED_FILE_STDIN) == 0)
		return true;
	n = packed_file_read(&file, 0, magic, sizeof(magic));
	regular = file.regular;
	packed_file_close(&file);
	if (n <= 0 || !regular ||
		memcmp(magic, BINLOG_MAGIC, sizeof(BINLOG_MAGIC) - 1) == 0)
		return false;
	return magic[0] == 0xc1 || ends_in(path, PACKED_SUFFIX) ||
	       packed_reader_is_log(path);
}

/* All captures in a core file, each under the same name. */
static void add_core(
	struct capture_list *list, const char *path, struct error_list *errors)
{
	uint64_t headers[LIMITS_CORE_CAPTURES];
	bool more;
	size_t count = core_file_captures(path, headers, &more);
	struct recording *capture;
	size_t i;

	if (count == 0 || more)
		report(errors, more ? ERROR_CORE_MORE : ERROR_CORE, path);
	for (i = 0; i < count; i++) {
		if (i > 0 && !keep_name(list, "", path, errors))
			return;
		capture = recording_open_core(
			path, headers[i], list->count < KEPT_OPEN_MAX, errors);
		if (capture)
			list->captures[list->count++] = capture;
	}
}

static void add_file(
	struct capture_list *list, const char *path, struct error_list *errors)
{
	struct recording *capture;

	if (core_file_is(path)) {
		add_core(list, path, errors);
		return;
	}
	if (is_packed(path) || heph_file_is(path)) {
		list->packed[list->packed_count++] = path;
		return;
	}
	capture = recording_open(path, list->count < KEPT_OPEN_MAX, errors);
	if (!capture)
		return;
	if (capture->ring)
		capture->ring->all |= list->all;
	if (recording_ring_waits(capture))
		recording_report(capture, ERROR_RING_WAITS, 0, 0);
	list->captures[list->count++] = capture;
}

static int is_wanted(const struct dirent *entry)
{
	return ends_in(entry->d_name, BINLOG_SUFFIX) ||
	       ends_in(entry->d_name, PACKED_SUFFIX);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_directory(
	struct capture_list *list, const char *path, struct error_list *errors)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_wanted, compare_names);
	int i;

	if (count <= 0)
		report(errors, count < 0 ? ERROR_OPEN : ERROR_NO_CAPTURES,
			path);
	for (i = 0; i < count; i++) {
		const char *name =
			keep_name(list, path, entries[i]->d_name, errors);

		if (name)
			add_file(list, name, errors);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

void capture_list_add(
	struct capture_list *list, const char *path, struct error_list *errors)
{
	const char *name = keep_name(list, "", path, errors);
	struct stat st;

	if (!name)
		return;
	if (stat(name, &st) == 0 && S_ISDIR(st.st_mode))
		add_directory(list, name, errors);
	else
		add_file(list, name, errors);
}

void capture_list_free(struct capture_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		recording_close(list->captures[i]);
	for (i = 0; i < list->name_count; i++)
		free(list->names[i]);
	free(list->captures);
	free(list->packed);
	free(list->names);
	*list = (struct capture_list){0};
}
