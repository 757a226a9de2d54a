#include "tools/ctl/control_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/config.h"
#include "record/levels.h"
#include "record/policy.h"

#define FRESH_NAME CONTROL_FILE_NAME ".new"
#define MODE 0600 /* as that of captures */

/* Another binlog-ctl writes a page or so. */
enum { LOCK_TRIES = 2000, LOCK_PAUSE = 1000 /* microseconds */ };

/* ---- reading ---- */

char *control_file_read(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = fd < 0 ? NULL : malloc(CONTROL_FILE_MAX + 1);
	ssize_t n = 1;

	*bytes = 0;
	while (text && n != 0 && *bytes < CONTROL_FILE_MAX) {
		n = read(fd, text + *bytes, CONTROL_FILE_MAX - *bytes);
		if (n < 0 && errno != EINTR)
			break;
		*bytes += n > 0 ? (size_t)n : 0;
	}
	if (text && n != 0) {
		errno = n > 0 ? EFBIG : errno;
		free(text);
		text = NULL;
	}
	if (text)
		text[*bytes] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

/* ---- what it becomes ---- */

/* This line was said anew. */
static bool is_replaced(
	const struct config_entry *entry, const struct changes *changes)
{
	int i;

	if (entry->kind != CONFIG_SETTING)
		return false;
	switch (entry->setting) {
	case CONFIG_level:
		return changes->level_known;
	case CONFIG_depth:
		return changes->depth_known;
	case CONFIG_off:
		return changes->on_known;
	case CONFIG_streams:
		for (i = 0; i < SWITCH_STREAMS; i++)
			if (changes->mode_known[i])
				return true;
		return false;
	default:
		return false;
	}
}

/* Of a list of streams: another item takes its place. */
static bool item_is_replaced(
	const struct policy_item *item, const struct changes *changes)
{
	switch (item->streams) {
	case POLICY_STDOUT:
		return changes->mode_known[SWITCH_STDOUT];
	case POLICY_STDERR:
		return changes->mode_known[SWITCH_STDERR];
	case POLICY_SYSLOG:
		return changes->mode_known[SWITCH_SYSLOG];
	case 0:
		return changes->mode_known[SWITCH_FILES] &&
		       item->glob_bytes == 1 && *item->glob == '*';
	default:
		return false;
	}
}

static void put_streams(FILE *out, const struct config_text *before,
	const struct changes *changes)
{
	static const char *const names[] = {
		"stdout", "stderr", "syslog", "file:*"};
	char *list = before->text ? strndup(before->text, before->bytes) : NULL;
	const char *rest = list;
	struct policy_item item;
	const char *comma = "";
	int i;

	fputs("streams = ", out);
	while (rest && policy_next(&rest, &item)) {
		if (item_is_replaced(&item, changes))
			continue;
		fprintf(out, "%s%.*s", comma, (int)item.bytes, item.text);
		comma = ",";
	}
	for (i = 0; i < SWITCH_STREAMS; i++) {
		if (!changes->mode_known[i] || changes->modes[i] == 0)
			continue;
		fprintf(out, "%s%s=%s", comma, names[i],
			policy_mode_name(
				(enum policy_mode)(changes->modes[i] - 1)));
		comma = ",";
	}
	fputc('\n', out);
	free(list);
}

static void put_settings(FILE *out, const struct config_text *streams,
	const struct changes *changes)
{
	const char *level = level_name(changes->level);
	int i;

	if (changes->on_known)
		fprintf(out, "off = %d\n", !changes->on);
	if (changes->level_known)
		fprintf(out, "level = %s\n",
			changes->level >= LEVEL_LAST ? "all"
			: level			     ? level
						     : "none");
	if (changes->depth_known && changes->depth > 0)
		fprintf(out, "depth = %u\n", changes->depth);
	for (i = 0; i < SWITCH_STREAMS; i++)
		if (changes->mode_known[i]) {
			put_streams(out, streams, changes);
			break;
		}
}

static void put_rules(FILE *out, const struct config_text *before,
	const struct changes *changes)
{
	size_t kept = changes->rules_replaced ? 0 : before->bytes;

	if (kept + changes->rules_bytes == 0)
		return;
	fputs("[rules]\n", out);
	if (kept > 0)
		fwrite(before->text, 1, kept, out);
	if (kept > 0 && before->text[kept - 1] != '\n')
		fputc('\n', out);
	if (changes->rules_bytes > 0)
		fwrite(changes->rules, 1, changes->rules_bytes, out);
}

/* The lines from `at` up to that one, which is the next to be left out. */
static const char *put_lines(
	FILE *out, const char *at, const char *end, unsigned *line, unsigned up)
{
	while (at < end && *line < up) {
		const char *next = memchr(at, '\n', (size_t)(end - at));

		next = next ? next + 1 : end;
		fwrite(at, 1, (size_t)(next - at), out);
		if (next[-1] != '\n')
			fputc('\n', out);
		at = next;
		++*line;
	}
	return at;
}

static const char *skip_line(const char *at, const char *end, unsigned *line)
{
	const char *next = memchr(at, '\n', (size_t)(end - at));

	++*line;
	return next ? next + 1 : end;
}

static void compose(FILE *out, const char *text, size_t bytes,
	const struct changes *changes)
{
	const char *end = text + bytes;
	struct config_text streams = {0};
	struct config_text rules = {0};
	struct config_entry entry;
	struct config config;
	unsigned line = 1;

	config_begin(&config, text, bytes);
	while (config_next(&config, &entry))
		if (entry.kind == CONFIG_SETTING &&
			entry.setting == CONFIG_streams)
			streams = entry.value;
	put_settings(out, &streams, changes);
	config_begin(&config, text, bytes);
	while (config_next(&config, &entry)) {
		if (is_replaced(&entry, changes)) {
			text = put_lines(out, text, end, &line, entry.key.line);
			text = skip_line(text, end, &line);
		} else if (entry.kind == CONFIG_RULES) {
			/* Without the line of the section. */
			text = put_lines(
				out, text, end, &line, entry.value.line - 1);
			rules = entry.value;
			while (text < rules.text + rules.bytes)
				text = skip_line(text, end, &line);
		}
	}
	put_lines(out, text, end, &line, UINT_MAX);
	put_rules(out, &rules, changes);
}

/* ---- writing ---- */

static bool is_at(int fd, const char *path)
{
	struct stat open_one, named;

	return fstat(fd, &open_one) == 0 && stat(path, &named) == 0 &&
	       open_one.st_ino == named.st_ino &&
	       open_one.st_dev == named.st_dev;
}

/* The file that becomes the new one, ours alone; -1: errno. */
static int open_fresh(const char *path)
{
	int i;

	for (i = 0; i < LOCK_TRIES; i++) {
		int fd = open(
			path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, MODE);

		if (fd < 0)
			return -1;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_at(fd, path))
			return fd;
		close(fd);
		usleep(LOCK_PAUSE);
	}
	errno = EBUSY;
	return -1;
}

static bool write_fresh(int fd, const char *path, const struct changes *changes)
{
	int copy = ftruncate(fd, 0) == 0 ? dup(fd) : -1;
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
	char *text = NULL;
	size_t bytes;
	bool good;

	if (!out) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	text = control_file_read(path, &bytes);
	good = text || errno == ENOENT;
	if (good)
		compose(out, text ? text : "", text ? bytes : 0, changes);
	free(text);
	good &= !ferror(out);
	return fclose(out) == 0 && good;
}

bool control_file_merge(const char *directory, const struct changes *changes)
{
	char path[PATH_MAX], fresh[PATH_MAX];
	bool good;
	int reason;
	int fd;

	if (snprintf(path, sizeof(path), "%s/" CONTROL_FILE_NAME, directory) >=
			(int)sizeof(path) ||
		snprintf(fresh, sizeof(fresh), "%s/" FRESH_NAME, directory) >=
			(int)sizeof(fresh)) {
		errno = ENAMETOOLONG;
		return false;
	}
	fd = open_fresh(fresh);
	if (fd < 0)
		return false;
	good = write_fresh(fd, path, changes) && rename(fresh, path) == 0;
	reason = errno;
	if (!good)
		unlink(fresh);
	close(fd);
	errno = reason;
	return good;
}
