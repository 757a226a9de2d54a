#include "decoder/capture/recording.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "decoder/capture/block_scan.h"
#include "decoder/capture/decompress.h"
#include "decoder/capture/lost_page.h"
#include "decoder/capture/recording_ring.h"
#include "decoder/capture/unpacked_file.h"
#include "record/in_use.h"

/* What is not there since it was packed looks like this. */
static bool is_for_packed(enum error_code code)
{
	return code == ERROR_BLOCK || code == ERROR_GAP ||
	       code == ERROR_PAGE_GONE || code == ERROR_CONTEXT ||
	       code == ERROR_STRING || code == ERROR_RECORD ||
	       code == ERROR_CONTROL;
}

void recording_report(struct recording *capture, enum error_code code,
	uint64_t offset, uint64_t number)
{
	struct error error = {
		.code = code,
		.file = capture->path,
		.offset = offset,
		.number = number,
	};

	if (capture->freed.log == 0 || capture->live || !is_for_packed(code))
		error_add(capture->errors, &error);
}

static void report_system(
	struct recording *capture, enum error_code code, uint64_t offset)
{
	struct error error = {
		.code = code,
		.system = errno,
		.file = capture->path,
		.offset = offset,
	};

	error_add(capture->errors, &error);
}

/* O_NONBLOCK: opening a FIFO must not wait for its writer. */
static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

/* The descriptor for one use, of the same file as at first.  -1: gone. */
static int borrow_descriptor(const struct recording *capture)
{
	struct stat st;
	int fd;

	if (capture->fd >= 0)
		return capture->fd;
	fd = open_file(capture->path);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_dev == capture->device &&
		st.st_ino == capture->inode)
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

static void return_descriptor(const struct recording *capture, int fd)
{
	if (fd != capture->fd)
		close(fd);
}

/* As pread(), of the copy if there is one; then there is no descriptor. */
static ssize_t read_at(const struct recording *capture, int fd, void *bytes,
	size_t size, uint64_t offset)
{
	return capture->unpacked ? unpacked_file_read(capture->unpacked, bytes,
					   size, offset)
				 : pread(fd, bytes, size, (off_t)offset);
}

size_t recording_read(
	struct recording *capture, uint64_t offset, void *buffer, size_t size)
{
	size_t done = recording_ring_read(capture->ring, offset, buffer, size);
	const bool copied = capture->unpacked;
	int fd = done < size && !copied ? borrow_descriptor(capture) : -1;
	ssize_t n = done < size && fd < 0 && !copied ? -1 : 0;

	while ((fd >= 0 || copied) && done < size &&
		offset <= INT64_MAX - size) {
		n = read_at(capture, fd, (char *)buffer + done, size - done,
			offset + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (n < 0)
		report_system(capture, ERROR_READ, offset + done);
	else if (done < size && offset + done < capture->size && !capture->live)
		recording_report(capture, ERROR_SHRUNK, offset + done,
			capture->size - offset - done);
	if (fd >= 0)
		return_descriptor(capture, fd);
	capture->read += done;
	return done;
}

uint64_t recording_skip_hole(struct recording *capture, uint64_t offset)
{
	int fd;
	off_t data;

	if (capture->unpacked)
		return unpacked_file_data(capture->unpacked, offset);
	fd = borrow_descriptor(capture);
	if (fd < 0)
		return offset;
	data = lseek(fd, (off_t)offset, SEEK_DATA);
	if (data < 0)
		data = errno == ENXIO ? (off_t)capture->size : (off_t)offset;
	return_descriptor(capture, fd);
	return (uint64_t)data > offset ? (uint64_t)data : offset;
}

/* What it is instead, by its first bytes. */
static enum error_code recognize(const uint8_t *bytes, size_t size)
{
	size_t i;

	if (size >= 4 && memcmp(bytes, "\177ELF", 4) == 0)
		return ERROR_PROGRAM;
	if (size >= 2 && bytes[0] == 0xc1 && bytes[1] == 0xce)
		return ERROR_PACKED_LIVE;
	if (decompress_is(bytes, size))
		return ERROR_COMPRESSED_LIVE;
	for (i = 0; i < size; i++)
		if (bytes[i] == 0x7f ||
			(bytes[i] < ' ' && !memchr("\t\n\r\f", bytes[i], 4)))
			return ERROR_MAGIC;
	return ERROR_PLAIN_TEXT;
}

/* ERROR_NONE, or why this is not a header that we read. */
static enum error_code check_header(
	const struct binlog_header *header, size_t size, uint64_t *number)
{
	static const struct binlog_header zeros;
	size_t magic =
		size < sizeof(header->magic) ? size : sizeof(header->magic);

	*number = size;
	if (size == 0)
		return ERROR_EMPTY_FILE;
	if (memcmp(header, &zeros, sizeof(zeros)) == 0)
		return ERROR_UNBORN;
	if (memcmp(header->magic, BINLOG_MAGIC, magic) != 0)
		return recognize((const uint8_t *)header, size);
	if (size < sizeof(*header))
		return ERROR_HEADER_CUT;
	if (header->byte_order != BINLOG_BYTE_ORDER)
		return ERROR_BYTE_ORDER;
	*number = header->version;
	if (header->version != BINLOG_VERSION)
		return ERROR_VERSION;
	return ERROR_NONE;
}

size_t recording_read_page(
	struct recording *capture, uint64_t at, void *bytes, size_t size)
{
	return capture->page_lost
		       ? 0
		       : recording_read(
				 capture, capture->header_at + at, bytes, size);
}

/* It may be that of a capture all the same, if blocks are in the file.  A small
 * number is a version. */
static bool may_be_damaged(enum error_code code, uint64_t number)
{
	return code != ERROR_EMPTY_FILE && code != ERROR_HEADER_CUT &&
	       (code != ERROR_VERSION || number == 0 || number > UINT16_MAX);
}

/* ERROR_NONE: it is a header, or mended. */
static enum error_code take_header(struct recording *capture, uint64_t *number)
{
	struct binlog_header *header = &capture->header;
	size_t size = recording_read(
		capture, capture->header_at, header, sizeof(*header));
	enum error_code code = check_header(header, size, number);

	if (capture->live || capture->header_at > 0)
		return code;
	if (code == ERROR_NONE) {
		if (lost_page_is_doubtful(capture))
			lost_page_mend(capture, false);
	} else if (may_be_damaged(code, *number) &&
		   lost_page_mend(capture, true)) {
		return ERROR_NONE;
	}
	return code;
}

static bool read_header(struct recording *capture)
{
	enum error_code code;
	uint64_t number;

	code = take_header(capture, &number);
	if (code != ERROR_NONE) {
		recording_report(capture, code, 0, number);
		return false;
	}
	if (capture->header.clock != BINLOG_CLOCK_TSC &&
		capture->header.clock != BINLOG_CLOCK_MONOTONIC)
		recording_report(
			capture, ERROR_CLOCK, 0, capture->header.clock);
	capture->libc = lost_page_libc(capture);
	capture->passed = capture->header.passed;
	capture->dropped = capture->header.dropped;
	if (recording_read_page(capture, BINLOG_PACKED_OFFSET, &capture->freed,
		    sizeof(capture->freed)) < sizeof(capture->freed))
		capture->freed = (struct binlog_packed){0};
	return true;
}

/* There is a copy of it. */
static void take_copy(struct recording *capture)
{
	const struct unpacked_file *copy = capture->unpacked;

	capture->fd = -1;
	capture->device = copy->device;
	capture->inode = copy->inode;
	capture->has_owner = copy->regular;
	capture->owner = copy->owner;
	capture->size = copy->size;
}

static bool open_regular(struct recording *capture)
{
	struct stat st;

	capture->unpacked = unpacked_file_find(capture->path);
	if (capture->unpacked) {
		take_copy(capture);
		return true;
	}
	capture->fd = open_file(capture->path);
	if (capture->fd < 0 || fstat(capture->fd, &st) != 0) {
		report_system(capture, ERROR_OPEN, 0);
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		recording_report(capture, ERROR_NOT_REGULAR, 0, 0);
		return false;
	}
	capture->device = st.st_dev;
	capture->inode = st.st_ino;
	capture->has_owner = true;
	capture->owner = st.st_uid;
	capture->size = (uint64_t)st.st_size;
	return true;
}

/* As far as the header. */
static struct recording *open_header(
	const char *path, uint64_t at, bool live, struct error_list *errors)
{
	struct recording *capture = calloc(1, sizeof(*capture));

	if (!capture) {
		error_add(errors,
			&(struct error){.code = ERROR_MEMORY, .file = path});
		return NULL;
	}
	capture->path = path;
	capture->header_at = at;
	capture->blocks_at = BINLOG_PAGE + at % BINLOG_PAGE;
	capture->live = live;
	capture->errors = errors;
	if (open_regular(capture) && read_header(capture)) {
		if (recording_read_page(capture, BINLOG_SPILL_OFFSET,
			    &capture->spill, sizeof(capture->spill)) <
			sizeof(capture->spill))
			capture->spill = (struct binlog_spill){0};
		return capture;
	}
	recording_close(capture);
	return NULL;
}

struct recording *recording_open_live(
	const char *path, struct error_list *errors)
{
	struct recording *capture = open_header(path, 0, true, errors);

	if (!capture)
		return NULL;
	if (recording_ring_is(capture)) {
		recording_report(capture, ERROR_RING_FOLLOWED, 0, 0);
		recording_close(capture);
		return NULL;
	}
	return capture;
}

struct recording *recording_open(
	const char *path, bool keep, struct error_list *errors)
{
	return recording_open_core(path, 0, keep, errors);
}

struct recording *recording_open_core(const char *path, uint64_t header_at,
	bool keep, struct error_list *errors)
{
	struct recording *capture = open_header(path, header_at, false, errors);

	if (!capture)
		return NULL;
	if (!recording_ring_take(capture)) {
		recording_report(capture, ERROR_MEMORY, 0, 0);
		recording_close(capture);
		return NULL;
	}
	if (!block_scan(capture)) {
		recording_close(capture);
		return NULL;
	}
	if (capture->freed.log != 0)
		recording_report(capture, ERROR_FREED, 0, capture->freed.bytes);
	if (!keep && capture->fd >= 0) {
		close(capture->fd);
		capture->fd = -1;
	}
	return capture;
}

void recording_link(struct recording *capture, struct recording *const *all,
	size_t count)
{
	const struct binlog_spill *spill = &capture->spill;
	struct program_table *table = &capture->programs;
	size_t i = 0;

	if (spill->before == 0)
		return;
	while (i < count &&
		(all[i] == capture || all[i]->header.nonce != spill->before))
		i++;
	if (i == count)
		return;
	capture->before = all[i];
	if (!spill->spoke)
		return;
	table->elsewhere_pid = capture->header.pid;
	table->elsewhere = program_find(
		&all[i]->programs, capture->header.pid, spill->process);
}

static int compare_starts(const void *left, const void *right)
{
	const struct recording *a = *(struct recording *const *)left;
	const struct recording *b = *(struct recording *const *)right;

	return a->header.start.realtime < b->header.start.realtime ? -1
	       : a->header.start.realtime > b->header.start.realtime;
}

static int compare_nonces(const void *left, const void *right)
{
	const struct recording *a = *(struct recording *const *)left;
	const struct recording *b = *(struct recording *const *)right;

	return a->header.nonce < b->header.nonce ? -1
	       : a->header.nonce > b->header.nonce;
}

void recording_link_all(struct recording *const *all, size_t count)
{
	struct recording **sorted = calloc(2 * count + 1, sizeof(*sorted));
	struct recording **later = sorted + count;
	size_t later_count = 0;
	size_t i;

	for (i = 0; sorted && i < count; i++) {
		sorted[i] = all[i];
		if (all[i]->spill.before != 0)
			later[later_count++] = all[i];
	}
	if (later_count > 0) {
		qsort(sorted, count, sizeof(*sorted), compare_nonces);
		qsort(later, later_count, sizeof(*later), compare_starts);
	}
	for (i = 0; i < later_count; i++) {
		struct recording wanted = {
			.header.nonce = later[i]->spill.before};
		struct recording *key = &wanted;
		struct recording **found = bsearch(&key, sorted, count,
			sizeof(*sorted), compare_nonces);

		if (found)
			recording_link(later[i], found, 1);
	}
	free(sorted);
}

bool recording_has_blocks(const char *path)
{
	struct error_list errors = {0};
	struct recording capture = {.path = path, .fd = -1, .errors = &errors};
	bool found = open_regular(&capture) && lost_page_has_blocks(&capture);

	if (capture.fd >= 0)
		close(capture.fd);
	return found;
}

/* Of processes, as an earlier reading has described them. */
struct recording_past {
	struct program_table programs;
	struct recording_past *older;
};

bool recording_read_again(struct recording *capture)
{
	struct recording_past *past = malloc(sizeof(*past));

	if (!past)
		return false;
	*past = (struct recording_past){capture->programs, capture->past};
	capture->past = past;
	capture->programs = (struct program_table){0};
	capture->hidden = 0;
	return true;
}

static void free_past(struct recording_past *past)
{
	struct recording_past *older;

	for (; past; past = older) {
		older = past->older;
		program_table_free(&past->programs);
		free(past);
	}
}

void recording_close(struct recording *capture)
{
	if (!capture)
		return;
	free_past(capture->past);
	if (capture->fd >= 0)
		close(capture->fd);
	program_table_free(&capture->programs);
	recording_ring_free(capture->ring);
	free(capture->blocks);
	free(capture);
}

/*
 * Whether a process whose capture is read is still there.  Asked by whoever
 * says how processes ended.  Promises that a number which now belongs to
 * another process is not taken for the one that was recorded.
 */

#define NS 1000000000u

/* Fields of /proc/PID/stat, proc(5), counted from the state on. */
enum { STATE = 0, THREADS = 17, START = 19 };

/* -1: there is none. */
static ssize_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n;
}

static const char *field(const char *text, unsigned number)
{
	for (; text && number > 0; number--) {
		text = strchr(text, ' ');
		text += text != NULL;
	}
	return text;
}

/*
 * Whoever has the number now has had it since before `boottime`.  A process
 * whose first thread has ended looks like a dead one, but has others.
 */
static bool has_it_since(uint32_t pid, uint64_t boottime)
{
	uint64_t hertz = (uint64_t)sysconf(_SC_CLK_TCK);
	const char *state, *threads, *start;
	char path[32];
	char text[1024];

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return false;
	/* the name may have any byte in it */
	state = field(strrchr(text, ')'), 1);
	threads = field(state, THREADS);
	start = field(state, START);
	if (!state || !threads || !start)
		return false;
	if (strchr("ZXx", *state) && strtol(threads, NULL, 10) <= 1)
		return false;
	return strtoull(start, NULL, 10) <= boottime / (NS / hertz);
}

/* Where we are: 0 is not known. */
static struct {
	bool asked;
	uint8_t boot_id[sizeof(((struct binlog_header *)0)->boot_id)];
	uint64_t pid_namespace;
} here;

static void ask(void)
{
	char text[64];
	size_t nibble = 0;
	struct stat st;
	const char *at;

	here.asked = true;
	if (stat("/proc/self/ns/pid", &st) == 0)
		here.pid_namespace = st.st_ino;
	read_file("/proc/sys/kernel/random/boot_id", text, sizeof(text));
	for (at = text; *at && nibble < 2 * sizeof(here.boot_id); at++) {
		const char digit[] = {*at, '\0'};

		if (!isxdigit((unsigned char)*at))
			continue;
		here.boot_id[nibble / 2] |= (uint8_t)(strtoul(digit, NULL, 16)
						      << (nibble % 2 ? 0 : 4));
		nibble++;
	}
}

/* Only what both know can differ. */
static bool is_other_boot(const struct binlog_header *header)
{
	static const uint8_t unknown[sizeof(here.boot_id)];

	return memcmp(header->boot_id, unknown, sizeof(unknown)) != 0 &&
	       memcmp(here.boot_id, unknown, sizeof(unknown)) != 0 &&
	       memcmp(header->boot_id, here.boot_id, sizeof(unknown)) != 0;
}

bool liveness_is_here(const struct recording *capture)
{
	static const uint8_t unknown[sizeof(here.boot_id)];

	if (!here.asked)
		ask();
	return memcmp(here.boot_id, unknown, sizeof(unknown)) != 0 &&
	       memcmp(capture->header.boot_id, here.boot_id, sizeof(unknown)) ==
		       0;
}

static bool is_other_namespace(uint64_t pid_namespace)
{
	return pid_namespace != 0 && here.pid_namespace != 0 &&
	       pid_namespace != here.pid_namespace;
}

/* Numbers mean nothing here; but somebody may have the file open. */
static enum liveness ask_the_file(const struct recording *capture)
{
	int fd = open(capture->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	enum in_use use = fd < 0 ? IN_USE_UNKNOWN : in_use_hold(fd);

	if (fd >= 0)
		close(fd);
	return use == IN_USE_NO	   ? LIVENESS_GONE
	       : use == IN_USE_YES ? LIVENESS_ALIVE
				   : LIVENESS_UNKNOWN;
}

struct binlog_founder liveness_founder(struct recording *capture)
{
	struct binlog_founder founder;

	if (capture->packed)
		return capture->founder;
	if (recording_read_page(capture, BINLOG_FOUNDER_OFFSET, &founder,
		    sizeof(founder)) < sizeof(founder))
		return (struct binlog_founder){0};
	return founder;
}

enum liveness liveness_of(
	struct recording *capture, uint32_t pid, uint64_t boottime)
{
	if (!here.asked)
		ask();
	if (capture->page_lost)
		return ask_the_file(capture);
	if (is_other_boot(&capture->header))
		return LIVENESS_GONE;
	if (is_other_namespace(liveness_founder(capture).pid_namespace))
		return capture->packed ? LIVENESS_UNKNOWN
				       : ask_the_file(capture);
	return has_it_since(pid, boottime) ? LIVENESS_ALIVE : LIVENESS_GONE;
}
