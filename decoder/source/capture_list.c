#include "decoder/source/capture_list.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elsewhere_place.h"
#include "base/limits.h"
#include "decoder/capture/decompress.h"
#include "decoder/capture/lost_page.h"
#include "decoder/capture/recording_ring.h"
#include "decoder/capture/unpacked_file.h"
#include "decoder/heph/heph_file.h"
#include "decoder/heph/heph_read.h"
#include "decoder/heph/heph_reader.h"
#include "decoder/packed/packed_reader.h"
#include "record/layout.h"
#include "record/packed.h"

/*
 * Captures inside a core file: a process maps what it writes, and has it in
 * memory when it dies, if the pages of files are in its core (core(5),
 * coredump_filter).  Asked by capture_list.c for every path.
 */

/* It is an ELF file of this kind. */
static bool core_file_is(const char *path)
{
	struct packed_file file = {.path = path};
	Elf64_Ehdr head;
	ssize_t n = packed_file_read(&file, 0, &head, sizeof(head));

	packed_file_close(&file);
	return n == sizeof(head) && file.regular &&
	       memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
	       head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_type == ET_CORE;
}

static bool read_header(
	struct packed_file *file, uint64_t offset, struct binlog_header *header)
{
	return packed_file_read(file, offset, header, sizeof(*header)) ==
		       sizeof(*header) &&
	       memcmp(header->magic, BINLOG_MAGIC, sizeof(header->magic)) ==
		       0 &&
	       header->byte_order == BINLOG_BYTE_ORDER;
}

/* How far all pages in it are off from multiples of their size: the kernel puts
 * them there, debuggers one behind the other as they come. */
static uint64_t pages_off(struct packed_file *file)
{
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	unsigned i;

	if (packed_file_read(file, 0, &head, sizeof(head)) != sizeof(head) ||
		head.e_phentsize != sizeof(segment))
		return 0;
	for (i = 0; i < head.e_phnum; i++)
		if (packed_file_read(file,
			    head.e_phoff + i * (uint64_t)sizeof(segment),
			    &segment, sizeof(segment)) == sizeof(segment) &&
			segment.p_type == PT_LOAD && segment.p_filesz > 0)
			return segment.p_offset % BINLOG_PAGE;
	return 0;
}

struct found {
	uint64_t *headers;
	uint64_t nonces[LIMITS_CORE_CAPTURES];
	size_t count;
	bool more;
};

/* Enters it unless it is there: a page may be mapped twice. */
static void enter(
	struct packed_file *file, struct found *found, uint64_t offset)
{
	struct binlog_header here;
	size_t i;

	if (!read_header(file, offset, &here))
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
	struct found found = {.headers = headers};
	struct packed_file file = {.path = path};
	uint64_t off = pages_off(&file);
	uint64_t offset = off > 0 ? off : BINLOG_PAGE;
	ssize_t n;

	while (!found.more && (n = packed_file_read(&file, offset, pages,
				       sizeof(pages))) > 0) {
		uint64_t data;
		size_t i;

		for (i = 0; i + sizeof(magic) <= (size_t)n && !found.more;
			i += BINLOG_PAGE)
			if (memcmp(pages + i, magic, sizeof(magic) - 1) == 0)
				enter(&file, &found, offset + i);
		offset += sizeof(pages);
		data = packed_file_data(&file, offset);
		if (data > offset)
			offset = data - (data - off) % BINLOG_PAGE;
	}
	packed_file_close(&file);
	*more = found.more;
	return found.count;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
	const char **packed, **waiting;
	char **names;

	if (list->name_count < list->room)
		return true;
	packed = reallocarray(list->packed, room, sizeof(*packed));
	if (packed)
		list->packed = packed;
	waiting = reallocarray(list->waiting, room, sizeof(*waiting));
	if (waiting)
		list->waiting = waiting;
	captures = realloc(list->captures, room * sizeof(*captures));
	if (captures)
		list->captures = captures;
	names = realloc(list->names, room * sizeof(*names));
	if (names)
		list->names = names;
	if (!captures || !names || !packed || !waiting)
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

static bool is_stdin(const char *path)
{
	return strcmp(path, PACKED_FILE_STDIN) == 0;
}

/* A frame of which some bytes may be damaged: one byte alone is there by chance
 * in a 256th of all other files. */
static bool begins_as_frame(const uint8_t *bytes)
{
	return bytes[0] == 0xc1 && bytes[6] == 0xc1;
}

/* The first bytes tell; of others, whether there is a frame in it, and no block
 * of a capture that has lost its beginning. */
static bool is_packed(const char *path)
{
	struct packed_file file = {.path = path};
	uint8_t magic[sizeof(BINLOG_MAGIC)] = {0};
	ssize_t n;
	bool regular;

	n = packed_file_read(&file, 0, magic, sizeof(magic));
	regular = file.regular;
	packed_file_close(&file);
	if (n <= 0 || !regular ||
		memcmp(magic, BINLOG_MAGIC, sizeof(BINLOG_MAGIC) - 1) == 0)
		return false;
	if (ends_in(path, PACKED_SUFFIX) || memcmp(magic, "\xc1\xce", 2) == 0)
		return true;
	return !recording_has_blocks(path) &&
	       (begins_as_frame(magic) || packed_reader_is_log(path));
}

bool capture_list_is_log(const char *path)
{
	struct stat file;

	if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
		return false;
	return file.st_size == 0 ? ends_in(path, PACKED_SUFFIX)
				 : is_packed(path);
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

/* What is as it was recorded by now. */
static void add_known(
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

/* What is not a packed log as it is has to be read at any offset. */
static bool has_to_be_copied(const char *path)
{
	uint8_t begin[LOST_PAGE_BEGIN_BYTES];
	size_t size;

	if (!is_stdin(path))
		return unpacked_file_is_for(path);
	size = unpacked_file_peek(begin, HEPH_HEAD_BYTES);
	if (size < HEPH_HEAD_BYTES || decompress_is(begin, size) ||
		memcmp(begin, BINLOG_MAGIC, DECOMPRESS_MAGIC_BYTES) == 0)
		return decompress_is(begin, size) || size == HEPH_HEAD_BYTES;
	/* What comes slowly is not waited for. */
	if (begins_as_frame(begin) || heph_file_begins(begin, size))
		return false;
	size = unpacked_file_peek(begin, sizeof(begin));
	return lost_page_begins(begin, size);
}

/* What comes from a pipe may come late: it is looked at when all is ready. */
static void add_file(
	struct capture_list *list, const char *path, struct error_list *errors)
{
	if (is_stdin(path) || has_to_be_copied(path))
		list->waiting[list->waiting_count++] = path;
	else
		add_known(list, path, errors);
}

void capture_list_prepare(void)
{
	unpacked_file_prepare();
}

void capture_list_look(struct capture_list *list)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < list->waiting_count; i++)
		if (has_to_be_copied(list->waiting[i]))
			list->waiting[kept++] = list->waiting[i];
		else
			list->packed[list->packed_count++] = list->waiting[i];
	list->waiting_count = kept;
}

void capture_list_unpack(struct capture_list *list, struct error_list *errors)
{
	size_t i;

	capture_list_look(list);
	for (i = 0; i < list->waiting_count; i++)
		if (unpacked_file_make(list->waiting[i], errors))
			add_known(list, list->waiting[i], errors);
	list->waiting_count = 0;
	recording_link_all(list->captures, list->count);
}

bool capture_list_read_again(struct capture_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (!recording_read_again(list->captures[i]))
			return false;
	recording_link_all(list->captures, list->count);
	return true;
}

/* Bytes of the name of a capture or log, without what says that it is
 * compressed; 0: it is none. */
static size_t base_of(const char *name)
{
	static const char *const suffixes[] = {BINLOG_SUFFIX, PACKED_SUFFIX};
	static const char *const behind[] = {"", ".gz", ".zst"};
	size_t i, k;

	for (i = 0; i < COUNT(suffixes); i++)
		for (k = 0; k < COUNT(behind); k++) {
			char suffix[32];

			snprintf(suffix, sizeof(suffix), "%s%s", suffixes[i],
				behind[k]);
			if (ends_in(name, suffix))
				return strlen(name) - strlen(behind[k]);
		}
	return 0;
}

bool capture_list_takes(const char *name)
{
	return base_of(name) > 0;
}

static int is_wanted(const struct dirent *entry)
{
	return capture_list_takes(entry->d_name);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int compare_entries(const void *a, const void *b)
{
	const struct dirent *const *one = a, *const *other = b;

	return strcmp((*one)->d_name, (*other)->d_name);
}

/* It is compressed, and what it was is there, too, as gzip -k leaves it. */
static bool is_there_twice(
	struct dirent *const *entries, size_t count, const char *name)
{
	size_t bytes = base_of(name);
	struct dirent wanted;
	const struct dirent *key = &wanted;

	if (name[bytes] == '\0' || bytes >= sizeof(wanted.d_name))
		return false;
	memcpy(wanted.d_name, name, bytes);
	wanted.d_name[bytes] = '\0';
	return bsearch(&key, entries, count, sizeof(*entries), compare_entries);
}

/* What is in it; false, with errno, if it could not be read. */
static bool add_directory(struct capture_list *list, const char *path,
	struct error_list *errors, bool *any)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_wanted, compare_names);
	int i;

	*any = count > 0;
	for (i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (is_there_twice(entries, (size_t)i, name))
			continue;
		name = keep_name(list, path, name, errors);
		if (name)
			add_file(list, name, errors);
	}
	for (i = 0; i < count; i++)
		free(entries[i]);
	if (count >= 0)
		free(entries);
	return count >= 0;
}

/* What was to go to `asked`, and could not.  False: nothing was. */
static bool add_elsewhere(
	struct capture_list *list, const char *asked, struct error_list *errors)
{
	char path[PATH_MAX];
	bool found = false;
	unsigned place;

	for (place = 0; place < ELSEWHERE_PLACES; place++) {
		const char *name;
		bool any = false;

		if (!elsewhere_place_find(place, asked, path))
			continue;
		name = keep_name(list, "", path, errors);
		if (name)
			add_directory(list, name, errors, &any);
		if (any)
			report(errors, ERROR_ELSEWHERE, name);
		found |= any;
	}
	return found;
}

void capture_list_add(
	struct capture_list *list, const char *path, struct error_list *errors)
{
	const char *name = keep_name(list, "", path, errors);
	struct stat st;
	bool any = false, read;
	int why;

	if (!name)
		return;
	if (strcmp(name, PACKED_FILE_STDIN) == 0 ||
		(stat(name, &st) == 0 && !S_ISDIR(st.st_mode))) {
		add_file(list, name, errors);
		add_elsewhere(list, name, errors);
		return;
	}
	read = add_directory(list, name, errors, &any);
	why = errno;
	if (add_elsewhere(list, name, errors) || any)
		return;
	errno = why;
	report(errors, read ? ERROR_NO_CAPTURES : ERROR_OPEN, name);
}

/* One that waits, or a log, which is opened later. */
static bool is_among(
	const char *const *paths, size_t count, const struct stat *file)
{
	struct stat status;
	size_t i;

	for (i = 0; i < count; i++)
		if (stat(paths[i], &status) == 0 &&
			status.st_dev == file->st_dev &&
			status.st_ino == file->st_ino)
			return true;
	return false;
}

bool capture_list_reads(
	const struct capture_list *list, const struct stat *file)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->captures[i]->device == file->st_dev &&
			list->captures[i]->inode == file->st_ino)
			return true;
	return is_among(list->packed, list->packed_count, file) ||
	       is_among(list->waiting, list->waiting_count, file) ||
	       is_among(list->texts, list->text_count, file);
}

bool capture_list_is_trace(const char *path)
{
	return heph_reader_is(path);
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
	free(list->waiting);
	free(list->names);
	*list = (struct capture_list){0};
}
