#include "tools/live/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rules/config.h"
#include "rules/levels.h"
#include "rules/policy.h"
#include "rules/rules.h"

/* Of a backtrace; more is not walked by the library. */
#define DEPTH_MOST 64u

static bool fail(struct changes *changes, const char *what, const char *why)
{
	snprintf(changes->sentence, sizeof(changes->sentence), "%s: %s", what,
		why);
	return false;
}

static bool fail_memory(struct changes *changes, const char *what)
{
	return fail(changes, what, "out of memory");
}

/* ---- level, depth ---- */

static bool take_level(struct changes *changes, const char *name)
{
	char why[256] = "no such level: give";
	size_t used = strlen(why);
	int level;

	changes->level_known = true;
	if (level_named(name, strlen(name), &changes->level))
		return true;
	for (level = 0; level <= LEVEL_LAST; level++)
		used += (size_t)snprintf(why + used, sizeof(why) - used, " %s,",
			level_name(level));
	snprintf(why + used, sizeof(why) - used, " all or none");
	return fail(changes, *name ? name : "level=", why);
}

static bool take_depth(struct changes *changes, const char *text)
{
	unsigned long depth;
	char *end;

	changes->depth_known = true;
	changes->depth = 0;
	if (*text == '\0')
		return true;
	depth = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || depth > DEPTH_MOST)
		return fail(changes, text,
			"no depth: give a number of frames, 0 to 64");
	changes->depth = depth == 0 ? 1 : (uint8_t)depth;
	return true;
}

/* ---- streams ---- */

static void set_mode(
	struct changes *changes, enum switch_stream stream, uint8_t mode)
{
	changes->mode_known[stream] = true;
	changes->modes[stream] = mode;
}

static const char *set_modes(
	struct changes *changes, const struct policy_item *item)
{
	static const unsigned streams[] = {
		[SWITCH_STDOUT] = POLICY_STDOUT,
		[SWITCH_STDERR] = POLICY_STDERR,
		[SWITCH_SYSLOG] = POLICY_SYSLOG,
		[SWITCH_FILES] = 0,
	};
	uint8_t mode = (uint8_t)(1 + item->mode);
	int i;

	if (item->wrong)
		return item->wrong;
	if (item->streams == 0 && (item->glob_bytes != 1 || *item->glob != '*'))
		return "which files are meant is settled at the start: say "
		       "files=MODE for all of them, or give a rule";
	if (item->streams == 0)
		set_mode(changes, SWITCH_FILES, mode);
	for (i = 0; i < SWITCH_STREAMS; i++)
		if (item->streams & streams[i])
			set_mode(changes, (enum switch_stream)i, mode);
	return NULL;
}

static bool take_streams(struct changes *changes, const char *list)
{
	struct policy_item item;
	const char *wrong;
	char text[128];

	while (policy_next(&list, &item)) {
		wrong = set_modes(changes, &item);
		if (!wrong)
			continue;
		snprintf(text, sizeof(text), "%.*s",
			(int)(item.bytes < 100 ? item.bytes : 100), item.text);
		return fail(changes, text, wrong);
	}
	return true;
}

static bool take_stream(struct changes *changes, const struct word_said *said)
{
	char list[64];

	if (*said->value == '\0') {
		set_mode(changes,
			(enum switch_stream)(said->word - WORD_STDOUT),
			SWITCH_AS_STARTED);
		return true;
	}
	if (said->word != WORD_FILES)
		return take_streams(changes, said->text);
	snprintf(list, sizeof(list), "file:*=%s", said->value);
	return take_streams(changes, list);
}

/* ---- rules ---- */

/* Of a text that is called `name`. */
static bool check_rules(struct changes *changes, const char *name,
	const char *text, size_t bytes)
{
	size_t room = rules_room(text, bytes);
	void *memory = malloc(room);
	struct rules_error error = {0};
	bool good;

	if (!memory)
		return fail_memory(changes, name);
	good = rules_parse(text, bytes, memory, room, &error);
	free(memory);
	if (good)
		return true;
	snprintf(changes->sentence, sizeof(changes->sentence),
		"%s:%u:%u: %s: %s", name, error.line, error.column,
		error.what ? error.what : "", error.why ? error.why : "");
	return false;
}

static bool add_rules(struct changes *changes, const char *text, size_t bytes)
{
	bool ends = bytes > 0 && text[bytes - 1] == '\n';
	size_t used = changes->rules_bytes;
	char *rules;

	if (RULES_TEXT_MAX - used <= bytes)
		return fail(changes, "rules", "too many: leave some out");
	rules = realloc(changes->rules, used + bytes + 1);
	if (!rules)
		return fail_memory(changes, "rules");
	memcpy(rules + used, text, bytes);
	rules[used + bytes] = '\n';
	changes->rules = rules;
	changes->rules_bytes = used + bytes + !ends;
	return true;
}

/* Null: errno says why not.  The caller's to free. */
static char *read_file(const char *path, size_t *bytes)
{
	bool input = strcmp(path, "-") == 0;
	int fd = input ? dup(STDIN_FILENO)
		       : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char *text = fd < 0 ? NULL : malloc(RULES_TEXT_MAX + 1);
	ssize_t n = 1;

	*bytes = 0;
	while (text && n > 0 && *bytes <= RULES_TEXT_MAX) {
		n = read(fd, text + *bytes, RULES_TEXT_MAX + 1 - *bytes);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			*bytes += (size_t)n;
	}
	if (text && n < 0) {
		free(text);
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

static bool take_file(struct changes *changes, const char *path)
{
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
	size_t bytes;
	char *text = read_file(path, &bytes);
	bool good;

	if (!text)
		return fail(changes, name, strerror(errno));
	good = bytes <= RULES_TEXT_MAX
		       ? check_rules(changes, name, text, bytes) &&
				 add_rules(changes, text, bytes)
		       : fail(changes, name,
				 "too long: rules have 960 KiB at most");
	free(text);
	return good;
}

static bool take_rules(struct changes *changes, const char *path)
{
	free(changes->rules);
	changes->rules = NULL;
	changes->rules_bytes = 0;
	changes->rules_replaced = true;
	return *path == '\0' || take_file(changes, path);
}

static bool take_rule(struct changes *changes, const char *text)
{
	return check_rules(changes, "rule", text, strlen(text)) &&
	       add_rules(changes, text, strlen(text));
}

/* ---- words ---- */

bool changes_take(struct changes *changes, const struct word_said *said)
{
	changes->any = true;
	switch (said->word) {
	case WORD_ON:
	case WORD_OFF:
		changes->on_known = true;
		changes->on = said->word == WORD_ON;
		return true;
	case WORD_LEVEL:
		return take_level(changes, said->value);
	case WORD_DEPTH:
		return take_depth(changes, said->value);
	case WORD_STDOUT:
	case WORD_STDERR:
	case WORD_SYSLOG:
	case WORD_FILES:
		return take_stream(changes, said);
	case WORD_STREAMS:
		return take_streams(changes, said->value);
	case WORD_RULES:
		return take_rules(changes, said->value);
	case WORD_RULE:
		return take_rule(changes, said->value);
	case WORD_TRIGGER:
		changes->trigger = true;
		return true;
	default:
		return fail(changes, said->text, "it changes nothing");
	}
}

void changes_free(struct changes *changes)
{
	free(changes->rules);
	*changes = (struct changes){0};
}

/*
 * DIR/control.conf: what programs of a run obey that start later, as they read
 * BINLOG_CONFIG.  Called by running.c for a directory, and by reload.c.
 * Promises that who reads it sees all of a change or nothing of it, and that
 * what stands there otherwise stays.
 */

#define FRESH_NAME CONTROL_FILE_NAME ".new"
#define MODE 0600 /* as that of captures */

/* Another binlog-ctl writes a page or so. */
enum { LOCK_TRIES = 2000, LOCK_PAUSE = 1000 /* microseconds */ };

/* ---- reading ---- */

/* Null: errno. */
static char *read_text(int fd, size_t *bytes)
{
	char *text = malloc(CONTROL_FILE_MAX + 1);
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
	return text;
}

char *control_file_read(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text;
	int reason;

	*bytes = 0;
	if (fd < 0)
		return NULL;
	text = read_text(fd, bytes);
	reason = errno;
	close(fd);
	errno = reason;
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

/* The directory, while its file is written. */
struct place {
	int fd;
	struct stat st;
};

/*
 * What is read becomes the owner's of the directory, who can put any file of
 * root's there under our names: none but those of that owner are taken.  Null,
 * or why not.
 */
static const char *distrust(const struct place *place, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "not an ordinary file: remove it";
	if (st.st_nlink > 1)
		return "it has another name, too: remove it";
	if (st.st_uid != place->st.st_uid &&
		(geteuid() == 0 || st.st_uid != geteuid()))
		return "it is not the owner's of the directory: remove it";
	return NULL;
}

static bool is_at(int directory, int fd, const char *name)
{
	struct stat open_one, named;

	return fstat(fd, &open_one) == 0 &&
	       fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       open_one.st_ino == named.st_ino &&
	       open_one.st_dev == named.st_dev;
}

/* As the owner of the directory would have made it. */
static int make_fresh(const struct place *place)
{
	int fd = openat(place->fd, FRESH_NAME,
		O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);

	if (fd < 0)
		return -1;
	if (geteuid() != 0 ||
		fchown(fd, place->st.st_uid, place->st.st_gid) == 0)
		return fd;
	close(fd);
	unlinkat(place->fd, FRESH_NAME, 0);
	return -1;
}

/* The file that becomes the new one, ours alone; -1: errno. */
static int open_fresh(const struct place *place)
{
	int i;

	for (i = 0; i < LOCK_TRIES; i++) {
		int fd = openat(place->fd, FRESH_NAME,
			O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				O_CLOEXEC);

		if (fd < 0 && errno == ENOENT)
			fd = make_fresh(place);
		if (fd < 0 && errno != EEXIST)
			return -1;
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
			is_at(place->fd, fd, FRESH_NAME))
			return fd;
		if (fd >= 0)
			close(fd);
		usleep(LOCK_PAUSE);
	}
	errno = EBUSY;
	return -1;
}

/* What stands there, empty if nothing does, the caller's to free.  Null:
 * *why. */
static char *read_old(
	const struct place *place, size_t *bytes, const char **why)
{
	char *text = NULL;
	int fd = openat(place->fd, CONTROL_FILE_NAME,
		O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	*bytes = 0;
	if (fd < 0 && errno == ENOENT)
		text = calloc(1, 1);
	else if (fd < 0 && errno == ELOOP)
		*why = "it is a symbolic link: remove it";
	else if (fd >= 0)
		*why = distrust(place, fd);
	if (fd >= 0 && !*why)
		text = read_text(fd, bytes);
	if (!text && !*why)
		*why = strerror(errno);
	if (fd >= 0)
		close(fd);
	return text;
}

/* Null, or why not. */
static const char *write_fresh(
	int fd, const char *text, size_t bytes, const struct changes *changes)
{
	int copy =
		fchmod(fd, MODE) == 0 && ftruncate(fd, 0) == 0 ? dup(fd) : -1;
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
	int reason = 0;

	if (!out) {
		reason = errno;
		if (copy >= 0)
			close(copy);
		return strerror(reason);
	}
	compose(out, text, bytes, changes);
	if (fflush(out) != 0 || ferror(out))
		reason = errno ? errno : EIO;
	if (fclose(out) != 0 && reason == 0)
		reason = errno;
	return reason ? strerror(reason) : NULL;
}

/* Null, or why not. */
static const char *replace(
	const struct place *place, int fresh, const struct changes *changes)
{
	const char *why = NULL;
	size_t bytes;
	char *text = read_old(place, &bytes, &why);

	if (text)
		why = write_fresh(fresh, text, bytes, changes);
	free(text);
	if (!why && renameat(place->fd, FRESH_NAME, place->fd,
			    CONTROL_FILE_NAME) != 0)
		why = strerror(errno);
	if (why)
		unlinkat(place->fd, FRESH_NAME, 0);
	return why;
}

static const char *merge(
	const struct place *place, const struct changes *changes)
{
	const char *why;
	int fresh = open_fresh(place);

	if (fresh < 0 && errno == ELOOP)
		return FRESH_NAME " is a symbolic link: remove it";
	if (fresh < 0)
		return strerror(errno);
	if (distrust(place, fresh))
		why = FRESH_NAME " is not a file of the directory's owner "
				 "alone: remove it";
	else
		why = replace(place, fresh, changes);
	close(fresh);
	return why;
}

const char *control_file_merge(
	const char *directory, const struct changes *changes)
{
	struct place place;
	const char *why;

	place.fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place.fd < 0)
		return strerror(errno);
	if (fstat(place.fd, &place.st) == 0)
		why = merge(&place, changes);
	else
		why = strerror(errno);
	close(place.fd);
	return why;
}
