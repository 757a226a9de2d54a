/*
 * binlog-ctl: what to do with captures beside reading them.  What is there is
 * listed by binlog-show, which is executed in our place, and cleaned here;
 * what runs is switched, looked at and copied by running.c.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/limits.h"
#include "base/sentence.h"
#include "decoder/show/say.h"
#include "record/in_use.h"
#include "record/layout.h"
#include "tools/ctl/overview.h"
#include "tools/ctl/running.h"
#include "tools/ctl/status.h"
#include "tools/live/targets.h"
#include "tools/live/words.h"
#include "tools/output/standard_output.h"
#include "tools/program/preload.h"

/*
 * Removes captures that nobody will ever write to again.  Called by binlog-ctl.
 * Promises never to touch a capture that a process still has open or mapped,
 * whatever namespace it lives in, a file that is no capture or not the
 * caller's own, or anything outside the directory.
 */

enum clean_outcome {
#define OUTCOME(name, complains, why) CLEAN_##name,
#include "tools/ctl/clean_outcomes.def"
#undef OUTCOME
};

struct clean_request {
	const char *directory;
	time_t older_than; /* seconds since the last write, at least */
	bool has_quota;	   /* only as many as it takes, the oldest first, */
	uint64_t quota;	   /* until all take no more bytes on disk */
	bool dry_run;
	uint64_t *taken; /* with a quota: by all that are still there */
	/* For each file whose name is that of a capture, in their order, or the
	 * oldest first. */
	void (*tell)(void *closure, const char *name,
		enum clean_outcome outcome, uint64_t bytes);
	void *closure;
};

static const char *clean(const struct clean_request *request);

/* Of a capture that was never finished: see shim/file/capture_file.c. */
#define FRESH_SUFFIX BINLOG_SUFFIX ".new"

static const struct {
	bool complains;
	const char *why;
} outcomes[] = {
#define OUTCOME(name, complains, why) [CLEAN_##name] = {complains, why},
#include "tools/ctl/clean_outcomes.def"
#undef OUTCOME
};

/* Whether it was left there against what was asked for. */
static bool clean_complains(enum clean_outcome outcome)
{
	return outcomes[outcome].complains;
}

/* Null: as errno says. */
static const char *clean_why(enum clean_outcome outcome)
{
	return outcomes[outcome].why;
}

static bool ends_in(const char *name, const char *suffix)
{
	size_t length = strlen(name);
	size_t wanted = strlen(suffix);

	return length > wanted && strcmp(name + length - wanted, suffix) == 0;
}

static int has_name(const struct dirent *entry)
{
	return ends_in(entry->d_name, BINLOG_SUFFIX) ||
	       ends_in(entry->d_name, FRESH_SUFFIX);
}

/* A fresh one may have no header yet. */
static bool is_capture(int fd, const char *name)
{
	static const char zeros[sizeof(BINLOG_MAGIC)];
	const size_t size = sizeof(BINLOG_MAGIC) - 1;
	char magic[sizeof(BINLOG_MAGIC)] = {0};
	ssize_t n = pread(fd, magic, size, 0);

	if (n < 0)
		return false;
	if (ends_in(name, FRESH_SUFFIX) && memcmp(magic, zeros, size) == 0)
		return true;
	return (size_t)n == size && memcmp(magic, BINLOG_MAGIC, size) == 0;
}

static enum clean_outcome judge(
	const struct clean_request *request, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return CLEAN_SPECIAL;
	if (st->st_uid != geteuid() && geteuid() != 0)
		return CLEAN_FOREIGN;
	if (st->st_nlink > 1)
		return CLEAN_NAMES;
	if (time(NULL) - st->st_mtime < request->older_than)
		return CLEAN_YOUNG;
	return CLEAN_REMOVED;
}

/* While nobody can begin to write: see record/in_use.h. */
static enum clean_outcome remove_held(const struct clean_request *request,
	int directory, const char *name, const struct stat *st)
{
	struct stat now;

	if (fstatat(directory, name, &now, AT_SYMLINK_NOFOLLOW) != 0)
		return CLEAN_FAILED;
	if (now.st_dev != st->st_dev || now.st_ino != st->st_ino)
		return CLEAN_SWAPPED;
	if (!request->dry_run && unlinkat(directory, name, 0) != 0)
		return CLEAN_FAILED;
	return CLEAN_REMOVED;
}

static enum clean_outcome remove_open(const struct clean_request *request,
	int directory, const char *name, int fd, struct stat *st)
{
	enum clean_outcome outcome;

	if (fstat(fd, st) != 0)
		return CLEAN_FAILED;
	outcome = judge(request, st);
	if (outcome != CLEAN_REMOVED)
		return outcome;
	if (!is_capture(fd, name))
		return CLEAN_OTHER;
	switch (in_use_hold(fd)) {
	case IN_USE_YES:
		return CLEAN_IN_USE;
	case IN_USE_UNKNOWN:
		return CLEAN_UNSURE;
	case IN_USE_NO:
		break;
	}
	return remove_held(request, directory, name, st);
}

static enum clean_outcome look_at(
	const struct clean_request *request, int directory, const char *name)
{
	enum clean_outcome outcome = CLEAN_FAILED;
	struct stat st = {0};
	int fd = openat(directory, name,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	int reason = errno;

	if (fd >= 0) {
		outcome = remove_open(request, directory, name, fd, &st);
		reason = errno;
		close(fd);
	} else if (errno == ELOOP) {
		outcome = CLEAN_LINK;
	} else if (errno == ENXIO) { /* a socket */
		outcome = CLEAN_SPECIAL;
	} else if (errno == EACCES) {
		outcome = CLEAN_FOREIGN;
	}
	errno = reason;
	request->tell(request->closure, name, outcome, (uint64_t)st.st_size);
	return outcome;
}

struct aged {
	struct timespec written;
	uint64_t bytes;
	char *name;
};

static int compare_ages(const void *a, const void *b)
{
	const struct aged *x = a, *y = b;

	if (x->written.tv_sec != y->written.tv_sec)
		return x->written.tv_sec < y->written.tv_sec ? -1 : 1;
	if (x->written.tv_nsec != y->written.tv_nsec)
		return x->written.tv_nsec < y->written.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* On disk.  What is another user's is no part of the quota, unless root may
 * remove it. */
static void weigh(struct aged *aged, int directory)
{
	struct stat st;

	aged->bytes = 0;
	aged->written = (struct timespec){0};
	if (fstatat(directory, aged->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	aged->written = st.st_mtim;
	if (S_ISREG(st.st_mode) && (st.st_uid == geteuid() || geteuid() == 0))
		aged->bytes = (uint64_t)st.st_blocks * 512;
}

/* The oldest first, while they are too much.  False: no memory. */
static bool fit(const struct clean_request *request, int directory,
	struct dirent **entries, int count)
{
	struct aged *aged = calloc((size_t)count + 1, sizeof(*aged));
	int i;

	if (!aged)
		return false;
	*request->taken = 0;
	for (i = 0; i < count; i++) {
		aged[i].name = entries[i]->d_name;
		weigh(&aged[i], directory);
		*request->taken += aged[i].bytes;
	}
	qsort(aged, (size_t)count, sizeof(*aged), compare_ages);
	for (i = 0; i<count && * request->taken> request->quota; i++)
		if (look_at(request, directory, aged[i].name) == CLEAN_REMOVED)
			*request->taken -= aged[i].bytes;
	free(aged);
	return true;
}

/* Null, or why others could put something else into our way. */
static const char *distrust(int directory)
{
	struct stat st;

	if (fstat(directory, &st) != 0)
		return "";
	if (geteuid() != 0 && st.st_uid != geteuid() && st.st_uid != 0)
		return "it belongs to another user: let that user clean it";
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(st.st_mode & S_ISVTX))
		return "others may rename files in it: chmod go-w first";
	return NULL;
}

static const char *clean_directory(
	const struct clean_request *request, int directory)
{
	const char *wrong = distrust(directory);
	struct dirent **entries;
	bool good = true;
	int count, i;

	if (wrong)
		return wrong;
	count = scandirat(directory, ".", &entries, has_name, alphasort);
	if (count < 0)
		return "";
	if (request->has_quota)
		good = fit(request, directory, entries, count);
	for (i = 0; i < count; i++) {
		if (!request->has_quota)
			look_at(request, directory, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return good ? NULL : "";
}

/*
 * Null, or why nothing was looked at (`errno` is it where that is an empty
 * string), and what can be done.  For CLEAN_FAILED `errno` tells why.
 */
static const char *clean(const struct clean_request *request)
{
	int directory =
		open(request->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *wrong =
		directory < 0 ? "" : clean_directory(request, directory);
	int reason = errno;

	if (directory >= 0)
		close(directory);
	errno = reason;
	return wrong;
}

#define DEFAULT_DIRECTORY "binlog.data"

static const struct command_option options[] = {
#define OPTION(...) {__VA_ARGS__, NULL},
#include "tools/ctl/ctl_options.def"
#undef OPTION
};

enum { OPTIONS = sizeof(options) / sizeof(*options) };

static const struct {
	const char *name;
	const char *arguments;
	const char *help;
} words[] = {
#define WORD(...) {__VA_ARGS__},
#include "tools/ctl/ctl_words.def"
#undef WORD
};

enum { WORDS = sizeof(words) / sizeof(*words) };

static enum exit_status print_help(void)
{
	char left[64], text[4096];
	size_t i;

	puts("Usage: binlog-ctl                  which programs are recorded "
	     "now\n"
	     "       binlog-ctl PID|DIR [WORD...]\n"
	     "       binlog-ctl list|clean [OPTION...] [DIR]\n"
	     "Switches what libbinlog.so does in programs that run, and looks "
	     "after captures;\nbinlog-show reads them.  A process, or all that "
	     "write to captures in DIR:\n");
	words_help(text, sizeof(text));
	puts(text);
	puts("What is there in DIR; without one: " DEFAULT_DIRECTORY "\n");
	for (i = 0; i < WORDS; i++) {
		snprintf(left, sizeof(left), "%s %s", words[i].name,
			words[i].arguments);
		printf("  %-42s %s\n", left, words[i].help);
	}
	command_line_help(options, OPTIONS, text, sizeof(text));
	printf("\n%s", text);
	puts("\nExit status: 0: done; 1: not all of it, or something was left "
	     "there that\nshould be removed; 2: usage, or there is no such "
	     "process or directory.");
	return ctl_say_finish(EXIT_DONE);
}

static enum exit_status print_version(void)
{
	standard_output_version("binlog-ctl", "captures", BINLOG_VERSION);
	return ctl_say_finish(EXIT_DONE);
}

/* Seconds.  False: not an age. */
static bool parse_age(const char *text, time_t *age)
{
	static const struct {
		char letter;
		unsigned seconds;
	} units[] = {
		{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
	unsigned long number;
	char *end;
	size_t i;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno != 0 || number > UINT32_MAX || *end == '\0' || end[1] != '\0')
		return false;
	for (i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (units[i].letter != *end)
			continue;
		*age = (time_t)number * units[i].seconds;
		return true;
	}
	return false;
}

/* Bytes.  False: no size. */
static bool parse_size(const char *text, uint64_t *size)
{
	static const char letters[] = "KMGT";
	unsigned long long number;
	const char *letter;
	unsigned shift = 0;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (*end != '\0') {
		letter = strchr(letters, *end & ~0x20);
		if (!letter || *letter == '\0' || end[1] != '\0')
			return false;
		shift = 10 * (unsigned)(letter - letters + 1);
	}
	*size = errno != 0 || number > UINT64_MAX >> shift ? UINT64_MAX
							   : number << shift;
	return true;
}

/* ---- list ---- */

static enum exit_status list(const char *directory)
{
	static const char *const places[] = {"binlog-show", NULL};
	char path[PATH_MAX];

	if (!preload_find_beside(places, path))
		return ctl_say_complaint("binlog-show",
			"not beside binlog-ctl: build or install both "
			"together");
	/* We may be in a recorded run ourselves. */
	setenv("BINLOG_DISABLE", "1", 1);
	execl(path, path, "--output=captures", "--", directory, (char *)NULL);
	return ctl_say_complaint(path, strerror(errno));
}

/* ---- clean ---- */

struct sums {
	const struct clean_request *request;
	uint64_t removed;
	uint64_t bytes;
	uint64_t in_use;
	uint64_t young;
	uint64_t left;
};

static void tell_complaint(
	const struct sums *sums, const char *name, enum clean_outcome outcome)
{
	const char *why = clean_why(outcome);

	sentence_say("binlog-ctl: %s/%s: not removed: %s",
		sums->request->directory, name, why ? why : strerror(errno));
}

static void tell(void *closure, const char *name, enum clean_outcome outcome,
	uint64_t bytes)
{
	struct sums *sums = closure;

	sums->in_use += outcome == CLEAN_IN_USE;
	sums->young += outcome == CLEAN_YOUNG;
	sums->left += clean_complains(outcome);
	if (clean_complains(outcome))
		tell_complaint(sums, name, outcome);
	if (outcome != CLEAN_REMOVED)
		return;
	sums->removed++;
	sums->bytes += bytes;
	fputs(sums->request->dry_run ? "would remove " : "removed ", stdout);
	ctl_say_put(stdout, name);
	printf(", %" PRIu64 " bytes\n", bytes);
}

static enum exit_status clean_up(const struct clean_request *asked)
{
	struct clean_request request = *asked;
	struct sums sums = {.request = &request};
	const char *wrong;
	uint64_t taken = 0;

	request.taken = &taken;
	request.tell = tell;
	request.closure = &sums;
	wrong = clean(&request);
	if (wrong)
		return ctl_say_complaint(
			request.directory, *wrong ? wrong : strerror(errno));
	printf("%s %" PRIu64 " captures, %" PRIu64 " bytes; %" PRIu64
	       " in use, %" PRIu64 " not old enough, %" PRIu64 " left\n",
		request.dry_run ? "would remove" : "removed", sums.removed,
		sums.bytes, sums.in_use, sums.young, sums.left);
	if (request.has_quota && taken > request.quota) {
		sentence_say("binlog-ctl: %s: %" PRIu64
			     " bytes are still taken, which is more than the "
			     "quota: what is left there is in use, too young, "
			     "or no capture",
			request.directory, taken);
		sums.left++;
	}
	return ctl_say_finish(sums.left > 0 ? EXIT_LEFT : EXIT_DONE);
}

/* ---- the command line ---- */

struct command {
	struct clean_request clean;
	bool for_clean; /* an option was given that is */
	bool json;
	bool help;
	bool version;
};

static const char *obey(void *closure, int option, const char *value)
{
	struct command *command = closure;

	switch (options[option].letter) {
	case 'o':
		command->for_clean = true;
		if (!parse_age(value, &command->clean.older_than))
			return "not an age: a number and s, m, h, d or w, "
			       "as in 7d";
		break;
	case 'q':
		command->for_clean = true;
		command->clean.has_quota = true;
		if (!parse_size(value, &command->clean.quota))
			return "no size: a number and K, M, G or T, as in 1G";
		break;
	case 'n':
		command->for_clean = true;
		command->clean.dry_run = true;
		break;
	case 'j':
		command->json = true;
		break;
	case 'h':
		command->help = true;
		break;
	case 'V':
		command->version = true;
		break;
	}
	return NULL;
}

static bool is_about_files(const char *word)
{
	return strcmp(word, "list") == 0 || strcmp(word, "clean") == 0;
}

static enum exit_status look_after(
	struct command *command, const char *word, const char *directory)
{
	if (strcmp(word, "clean") == 0) {
		command->clean.directory = directory;
		return clean_up(&command->clean);
	}
	if (command->for_clean)
		return ctl_say_complaint(word,
			"--older-than, --quota and --dry-run are for clean: "
			"leave them out");
	return list(directory);
}

static bool is_there(const char *place)
{
	struct stat st;
	pid_t process;

	return targets_is_process(place, &process) ||
	       (stat(place, &st) == 0 && S_ISDIR(st.st_mode));
}

static enum exit_status control(
	struct command *command, char *const *arguments, size_t count)
{
	if (!is_there(*arguments))
		return ctl_say_complaint(*arguments,
			"neither the number of a process nor a directory: say "
			"list or clean, see binlog-ctl --help");
	if (command->for_clean)
		return ctl_say_complaint(*arguments,
			"--older-than, --quota and --dry-run are for clean: "
			"leave them out");
	return running_obey(
		*arguments, arguments + 1, count - 1, command->json);
}

static enum exit_status carry_out(
	struct command *command, char *const *arguments, size_t count)
{
	if (count == 0)
		return overview_say();
	if (count == 2 && is_about_files(arguments[1]))
		return look_after(command, arguments[1], arguments[0]);
	if (!is_about_files(*arguments))
		return control(command, arguments, count);
	if (count > 2)
		return ctl_say_complaint(arguments[2],
			"one directory at a time: see binlog-ctl --help");
	return look_after(command, *arguments,
		count > 1 ? arguments[1] : DEFAULT_DIRECTORY);
}

int main(int argc, char **argv)
{
	struct command command = {.help = false};
	struct command_line line = {.command = "binlog-ctl",
		.options = options,
		.count = OPTIONS,
		.apply = obey,
		.closure = &command};
	enum exit_status status;

	standard_output_guard();
	if (command_line_read(&line, argc, argv))
		return ctl_say_complaint(line.problem, NULL);
	if (command.help)
		return print_help();
	if (command.version)
		return print_version();
	status = carry_out(&command, line.rest, line.rest_count);
	say_limits();
	return limits_were_met() && status == EXIT_DONE ? EXIT_LEFT : status;
}
