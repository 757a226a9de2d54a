#include "tools/live/targets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/in_use.h"
#include "record/layout.h"

/*
 * The capture files that a process has mapped, as the kernel tells it: also
 * those that it has inherited, that were deleted, or that it could not open
 * itself any more.
 */

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

/*
 * Fills in those whose name is that of a capture, each file once, and returns
 * how many.  -1: errno says why the process cannot be looked at.
 */
static int mappings_of(
	pid_t process, struct mapping mappings[LIMITS_PROCESS_CAPTURES])
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

/* Behind the name of the program in that of its capture: -PID-TIME-NONCE. */
enum { NAME_NUMBERS = 3 };

static bool fail(struct targets *targets, const char *what, const char *why)
{
	snprintf(targets->sentence, sizeof(targets->sentence), "%s: %s", what,
		why);
	return false;
}

bool targets_is_process(const char *place, pid_t *process)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(place, &end, 10);
	if (*place < '0' || *place > '9' || *end != '\0')
		return false;
	*process = errno == 0 && number <= INT_MAX ? (pid_t)number : INT_MAX;
	return true;
}

/* The name of the program is that of its capture, up to the numbers. */
static void set_label(struct target *target, const char *name)
{
	size_t length = strlen(name);
	int numbers = 0;

	while (length > 0 && numbers < NAME_NUMBERS)
		numbers += name[--length] == '-';
	if (length == 0)
		length = strlen(name);
	snprintf(target->label, sizeof(target->label), "%.*s[%u]",
		(int)(length < 40 ? length : 40), name, target->header.pid);
}

/* Of one that its file system does not tell of. */
static bool is_there(const struct target *target)
{
	return kill((pid_t)target->header.pid, 0) == 0 || errno != ESRCH;
}

bool targets_ask_use(struct target *target)
{
	enum in_use use = in_use_hold(target->fd);

	in_use_release(target->fd);
	target->in_use = use == IN_USE_YES ||
			 (use == IN_USE_UNKNOWN && is_there(target));
	return target->in_use;
}

static bool has_executed(int fd)
{
	struct binlog_founder founder;

	return pread(fd, &founder, sizeof(founder), BINLOG_FOUNDER_OFFSET) ==
		       (ssize_t)sizeof(founder) &&
	       founder.end == BINLOG_TEXT_EXECUTE;
}

/* Into `target`; false: it is not a capture that we read, or errno is not 0. */
static bool open_capture(struct target *target, const char *path, int flags)
{
	struct binlog_header *header = &target->header;
	struct stat st;

	target->fd = open(
		path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | flags);
	if (target->fd < 0)
		return false;
	errno = 0;
	if (fstat(target->fd, &st) == 0 && S_ISREG(st.st_mode) &&
		pread(target->fd, header, sizeof(*header), 0) ==
			(ssize_t)sizeof(*header) &&
		memcmp(header->magic, BINLOG_MAGIC, sizeof(header->magic)) ==
			0 &&
		header->byte_order == BINLOG_BYTE_ORDER &&
		header->version == BINLOG_VERSION)
		return true;
	close(target->fd);
	target->fd = -1;
	return false;
}

/* Null: out of memory. */
static struct target *add_target(struct targets *targets)
{
	struct target *all = realloc(
		targets->all, (targets->count + 1) * sizeof(*targets->all));

	if (!all)
		return NULL;
	targets->all = all;
	all += targets->count++;
	memset(all, 0, sizeof(*all));
	all->fd = -1;
	return all;
}

static void drop_target(struct targets *targets)
{
	struct target *last = &targets->all[--targets->count];

	if (last->fd >= 0)
		close(last->fd);
}

/* ---- of a process ---- */

static int has_name(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);
	size_t suffix = strlen(BINLOG_SUFFIX);

	return length > suffix &&
	       strcmp(entry->d_name + length - suffix, BINLOG_SUFFIX) == 0;
}

/* The capture with this inode where the mapping says, below `root`. */
static bool open_named(
	struct target *target, const struct mapping *mapping, const char *root)
{
	const char *slash = strrchr(mapping->path, '/');
	int length = snprintf(target->path, sizeof(target->path), "%s%.*s",
		root, (int)(slash + 1 - mapping->path), mapping->path);
	const struct dirent *entry;
	bool opened = false;
	DIR *entries;

	if (length >= (int)sizeof(target->path))
		return false;
	entries = opendir(target->path);
	while (entries && !opened && (entry = readdir(entries))) {
		if (entry->d_ino != mapping->inode || !has_name(entry) ||
			strlen(entry->d_name) >=
				sizeof(target->path) - (size_t)length)
			continue;
		snprintf(target->path + length,
			sizeof(target->path) - (size_t)length, "%s",
			entry->d_name);
		opened = open_capture(target, target->path, O_NOFOLLOW);
	}
	if (entries)
		closedir(entries);
	return opened;
}

/*
 * By its name, as others know it; else by the kernel's own way, which is sure,
 * but not everybody's; the name may be one of another mount namespace.
 */
static bool open_mapping(
	struct target *target, const struct mapping *mapping, pid_t process)
{
	char root[32];
	int reason;

	if (open_named(target, mapping, ""))
		return true;
	reason = errno;
	if (open_capture(target, mapping->file, 0)) {
		snprintf(target->path, sizeof(target->path), "/proc/self/fd/%d",
			target->fd);
		return true;
	}
	snprintf(root, sizeof(root), "/proc/%d/root", (int)process);
	if (open_named(target, mapping, root))
		return true;
	errno = reason;
	return false;
}

static void name_process(struct target *target, pid_t process)
{
	char path[32], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)process);
	file = fopen(path, "re");
	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		(void)fclose(file);
	snprintf(target->label, sizeof(target->label), "%s[%d]", name,
		(int)process);
}

/* All processes of a run have one page of the capture of the first, in which
 * outputs stand; what a process writes to has more, unless it may have none. */
static bool is_whole(const struct mapping *mappings, int count, int i)
{
	int k;

	for (k = 0; k < count; k++)
		if (mappings[k].bytes > BINLOG_PAGE)
			return mappings[i].bytes > BINLOG_PAGE;
	return true;
}

static bool has_ended(pid_t process)
{
	char name[32], text[256];
	const char *state;
	FILE *file;
	size_t n;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)process);
	file = fopen(name, "re");
	if (!file)
		return true;
	n = fread(text, 1, sizeof(text) - 1, file);
	(void)fclose(file);
	text[n] = '\0';
	state = strrchr(text, ')');
	return !state || state[1] == '\0' || strchr("ZX", state[2]);
}

static bool refuse_process(
	struct targets *targets, const char *place, int reason)
{
	if (reason == ENOENT || reason == ESRCH)
		return fail(targets, place,
			"there is no such process: binlog-ctl list shows "
			"captures of what has ended");
	if ((reason == EACCES || reason == EPERM) && geteuid() == 0)
		return fail(targets, place,
			"the kernel lets not even root look at it from here: "
			"give the directory of its captures");
	if (reason == EACCES || reason == EPERM)
		return fail(targets, place,
			"it is another user's, or has become one: do it as "
			"that user or as root");
	return fail(targets, place, strerror(reason));
}

static bool open_mappings(struct targets *targets, const char *place,
	const struct mapping *mappings, int count)
{
	int reason = 0;
	int i;

	for (i = 0; i < count; i++) {
		struct target *target;

		if (!is_whole(mappings, count, i))
			continue;
		target = add_target(targets);
		if (!target)
			return fail(targets, place, "out of memory");
		if (!open_mapping(target, &mappings[i], targets->process)) {
			reason = errno ? errno : EINVAL;
			drop_target(targets);
			continue;
		}
		name_process(target, targets->process);
		target->in_use = true;
	}
	if (targets->count == 0 && reason != 0)
		return refuse_process(targets, place, reason);
	return targets->count > 0 ||
	       fail(targets, place,
		       "it is not recorded: start it by binlog-run, or with "
		       "libbinlog.so in LD_PRELOAD");
}

static bool open_process(struct targets *targets, const char *place)
{
	struct mapping *mappings =
		calloc(LIMITS_PROCESS_CAPTURES, sizeof(*mappings));
	bool opened = false;
	int count;

	if (!mappings)
		return fail(targets, place, "out of memory");
	count = mappings_of(targets->process, mappings);
	if (count < 0)
		refuse_process(targets, place, errno);
	else if (count == 0 && has_ended(targets->process))
		fail(targets, place,
			"it has ended: binlog-show reads its capture");
	else
		opened = open_mappings(targets, place, mappings, count);
	free(mappings);
	return opened;
}

/* ---- of a directory ---- */

/* False: out of memory.  What is no capture is passed over, and what a link
 * leads to is not of this directory. */
static bool open_entry(struct targets *targets, const char *name)
{
	struct target *target = add_target(targets);
	int length;

	if (!target)
		return fail(targets, targets->directory, "out of memory");
	length = snprintf(target->path, sizeof(target->path), "%s/%s",
		targets->directory, name);
	if (length >= (int)sizeof(target->path) ||
		!open_capture(target, target->path, O_NOFOLLOW)) {
		drop_target(targets);
		return true;
	}
	set_label(target, name);
	targets_ask_use(target);
	target->executed = has_executed(target->fd);
	if (!target->in_use && !targets->ended)
		drop_target(targets);
	return true;
}

static bool open_directory(struct targets *targets)
{
	struct dirent **entries;
	bool good = true;
	int count = scandir(targets->directory, &entries, has_name, alphasort);
	int i;

	if (count < 0)
		return fail(targets, targets->directory,
			errno == ENOENT || errno == ENOTDIR
				? "there is no such directory: give one of "
				  "captures, or the number of a process"
				: strerror(errno));
	for (i = 0; i < count; i++) {
		good = good && open_entry(targets, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return good;
}

bool targets_open(struct targets *targets, const char *place, bool ended)
{
	if (targets_is_process(place, &targets->process))
		return open_process(targets, place);
	targets->directory = place;
	targets->ended = ended;
	return open_directory(targets);
}

bool targets_renew(struct targets *targets)
{
	while (targets->count > 0)
		drop_target(targets);
	return open_directory(targets);
}

void targets_close(struct targets *targets)
{
	while (targets->count > 0)
		drop_target(targets);
	free(targets->all);
	targets->all = NULL;
}
