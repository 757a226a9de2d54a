#include "tools/run/config_check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "rules/config.h"
#include "rules/levels.h"
#include "tools/program/elf_image.h"
#include "tools/program/resolve.h"
#include "tools/program/resolve_modules.h"
#include "tools/run/program_check.h"
#include "tools/run/streams_check.h"

/*
 * The libraries that a program will be started with, as its dynamic loader
 * finds them.  Called by config_check.c, where rules are about the source of a
 * program that does not run yet.  Promises to start nothing but that loader.
 */

static bool find_loader(const char *program, char *loader, size_t size)
{
	struct elf_image image;
	bool found;

	if (!elf_image_open(&image, program))
		return false;
	errno = 0;
	found = image.is_elf && elf_image_loader(&image, loader, size);
	elf_image_close(&image);
	return found;
}

/* `loader --list program`, whose output is read from *output. */
static bool start(
	char *loader, const char *program, pid_t *child, FILE **output)
{
	static char list[] = "--list";
	char path[PATH_MAX];
	char *arguments[] = {loader, list, path, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2];
	int error;

	if ((size_t)snprintf(path, sizeof(path), "%s", program) >=
			sizeof(path) ||
		pipe2(ends, O_CLOEXEC) != 0)
		return false;
	error = posix_spawn_file_actions_init(&actions);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	if (error == 0)
		error = posix_spawn_file_actions_addopen(
			&actions, 2, "/dev/null", O_WRONLY, 0);
	if (error == 0)
		error = posix_spawn(
			child, loader, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	*output = error == 0 ? fdopen(ends[0], "r") : NULL;
	if (!*output)
		close(ends[0]);
	errno = error;
	return error == 0;
}

/* `NAME => PATH (ADDRESS)`; what has no path is not a file, or the loader. */
static bool add_line(struct resolve_modules *modules, char *line)
{
	char *path = strstr(line, " => ");
	char *end = strrchr(line, '(');

	if (!path || !end || end < path + 4 || path[4] != '/')
		return true;
	path += 4;
	end[-1] = '\0';
	return resolve_modules_add_file(modules, path, path);
}

/* Adds them.  False, with errno or 0: not all could be found. */
static bool needed_libraries_add(
	struct resolve_modules *modules, const char *program)
{
	char loader[PATH_MAX];
	FILE *output;
	char *line = NULL;
	size_t room = 0;
	bool good = true;
	int status = 0;
	pid_t child;

	if (!find_loader(program, loader, sizeof(loader)) ||
		!start(loader, program, &child, &output))
		return false;
	while (output && good && getline(&line, &room, output) >= 0)
		good = add_line(modules, line);
	free(line);
	if (output)
		(void)fclose(output);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return good && output && status == 0;
}

/* More is not read by the library. */
#define FILE_MAX_BYTES ((size_t)1 << 20)

struct file {
	const struct config_check *check;
	char *text;
	size_t bytes;
	struct config_text rules;
	struct refusal *refusal;
};

static bool fail(const struct file *file, const char *what, int error)
{
	return refusal_set(file->refusal, REFUSAL_POINTLESS, "%s: %s", what,
		strerror(error));
}

/* `why` may be null: `what` says all. */
static bool wrong(const struct file *file, struct config_text at,
	const char *what, const char *why)
{
	return refusal_set(file->refusal, REFUSAL_POINTLESS,
		"%s:%u:%u: %.*s%s%s%s%s", file->check->path, at.line, at.column,
		(int)at.bytes, at.text, at.bytes > 0 ? ": " : "", what,
		why ? ": " : "", why ? why : "");
}

/* ---- reading ---- */

static bool read_all(int fd, struct file *file)
{
	ssize_t got = 1;

	file->text = malloc(FILE_MAX_BYTES + 1);
	while (file->text && got > 0 && file->bytes <= FILE_MAX_BYTES) {
		got = read(fd, file->text + file->bytes,
			FILE_MAX_BYTES + 1 - file->bytes);
		file->bytes += got > 0 ? (size_t)got : 0;
	}
	if (got > 0)
		errno = file->text ? EFBIG : ENOMEM;
	return got == 0;
}

static bool read_file(struct file *file)
{
	const char *path = file->check->path;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	bool good;

	if (fd < 0 || fstat(fd, &status) != 0)
		good = fail(file, path, errno);
	else if (!S_ISREG(status.st_mode))
		good = refusal_set(file->refusal, REFUSAL_POINTLESS,
			"%s: not a regular file: give one with --config", path);
	else
		good = read_all(fd, file) || fail(file, path, errno);
	if (fd >= 0)
		close(fd);
	return good;
}

/* ---- settings ---- */

static bool check_streams(
	const struct file *file, const struct config_entry *entry)
{
	char *list = strndup(entry->value.text, entry->value.bytes);
	struct refusal refusal = {.sentence = ""};
	bool good = list && streams_check(list, &refusal);

	free(list);
	return good || wrong(file, entry->value, "not a list of streams",
			       "see binlog(7), BINLOG_STREAMS");
}

static bool check_setting(
	const struct file *file, const struct config_entry *entry)
{
	int level;

	switch (entry->setting) {
	case CONFIG_level:
		return level_named(
			       entry->value.text, entry->value.bytes, &level) ||
		       wrong(file, entry->value, "no such level",
			       "see binlog-rules(7)");
	case CONFIG_streams:
		return check_streams(file, entry);
	default:
		return true;
	}
}

static bool check_entries(struct file *file)
{
	struct config config;
	struct config_entry entry;
	bool good = true;

	config_begin(&config, file->text, file->bytes);
	while (good && config_next(&config, &entry)) {
		if (entry.kind == CONFIG_WRONG)
			good = wrong(file, entry.key, entry.wrong, NULL);
		else if (entry.kind == CONFIG_SETTING)
			good = check_setting(file, &entry);
		else if (entry.kind == CONFIG_RULES)
			file->rules = entry.value;
	}
	return good;
}

/* ---- rules ---- */

static bool wrong_rule(const struct file *file, const struct rules_error *error)
{
	struct config_text at = {
		.line = file->rules.line + error->line - 1,
		.column = error->column,
		.bytes = error->bytes,
		.text = file->rules.text,
	};
	unsigned line = error->line;

	if (error->line == 0)
		return fail(file, file->check->path, ENOMEM);
	for (; line > 1; at.text++)
		line -= *at.text == '\n';
	at.text += error->column - 1;
	return wrong(file, at, error->what, error->why);
}

static void say(void *closure, unsigned line, const char *sentence)
{
	const struct file *file = closure;
	char text[4096];

	if (line > 0)
		snprintf(text, sizeof(text), "%s:%u: %s", file->check->path,
			file->rules.line + line - 1, sentence);
	else
		snprintf(text, sizeof(text), "%s", sentence);
	file->check->say(text);
}

/* The program, and what it will be started with. */
static void find_modules(struct file *file, struct resolve_modules *modules)
{
	char *path = realpath(file->check->program, NULL);

	if (path && resolve_modules_add_file(modules, path, path) &&
		!needed_libraries_add(modules, path))
		say(file, 0,
			"the libraries of the program are not all known: give "
			"rules about their source to binlog-ctl, when it runs");
	free(path);
}

/* Null: *error, or memory. */
static char *resolve(
	struct file *file, size_t *bytes, struct rules_error *error)
{
	struct symbolizer_options options = {0};
	struct resolve_report report = {say, file};
	struct resolve_modules modules = {0};
	char *cache = symbolizer_usual_cache();
	char sentence[4096];
	char *resolved;

	if (resolve_is_needed(file->rules.text, file->rules.bytes))
		find_modules(file, &modules);
	options.cache = cache;
	resolved = resolve_rules(file->rules.text, file->rules.bytes,
		modules.modules, modules.count, &options, &report, bytes,
		error);
	resolve_modules_free(&modules);
	while (limits_tell(sentence, sizeof(sentence)))
		say(file, 0, sentence);
	free(cache);
	return resolved;
}

static bool write_all(int fd, const char *text, size_t bytes)
{
	while (bytes > 0) {
		ssize_t wrote = write(fd, text, bytes);

		if (wrote <= 0)
			return false;
		text += wrote;
		bytes -= (size_t)wrote;
	}
	return true;
}

/* The file with other rules in it. */
static bool write_text(
	const struct file *file, int fd, const char *rules, size_t bytes)
{
	const char *after = file->rules.text + file->rules.bytes;

	return write_all(fd, file->text,
		       (size_t)(file->rules.text - file->text)) &&
	       write_all(fd, rules, bytes) &&
	       write_all(fd, after, (size_t)(file->text + file->bytes - after));
}

/* There at once, whatever a program of the run may be reading. */
static bool write_file(const struct file *file, const char *path,
	const char *rules, size_t bytes)
{
	char *made;
	int fd = -1;
	bool good;

	if (asprintf(&made, "%s.%ld", path, (long)getpid()) < 0)
		return fail(file, path, ENOMEM);
	fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		0600);
	good = fd >= 0 && write_text(file, fd, rules, bytes);
	good = (fd < 0 || close(fd) == 0) && good && rename(made, path) == 0;
	if (!good)
		fail(file, path, errno);
	if (!good && fd >= 0)
		unlink(made);
	free(made);
	return good;
}

/* Like the library, which would make the directory a little later. */
static bool write_resolved(const struct file *file, const char *rules,
	size_t bytes, char **resolved)
{
	const char *directory = file->check->directory;

	run_paths_make_directory(directory);
	if (asprintf(resolved, "%s/binlog.conf", directory) < 0) {
		*resolved = NULL;
		return fail(file, directory, ENOMEM);
	}
	return write_file(file, *resolved, rules, bytes);
}

static bool check_rules(struct file *file, char **resolved)
{
	struct rules_error error;
	size_t bytes;
	char *rules = resolve(file, &bytes, &error);
	bool good = true;

	if (!rules)
		return wrong_rule(file, &error);
	if (file->bytes - file->rules.bytes + bytes > FILE_MAX_BYTES ||
		bytes > RULES_TEXT_MAX) {
		free(rules);
		return wrong(file,
			(struct config_text){.text = "",
				.line = file->rules.line,
				.column = 1},
			"the rules are about too many places",
			"make them match less");
	}
	if (bytes != file->rules.bytes ||
		memcmp(rules, file->rules.text, bytes) != 0)
		good = write_resolved(file, rules, bytes, resolved);
	free(rules);
	return good;
}

bool config_check(const struct config_check *check, char **resolved,
	struct refusal *refusal)
{
	struct file file = {.check = check, .refusal = refusal};
	bool good;

	*resolved = NULL;
	good = read_file(&file) && check_entries(&file) &&
	       (!file.rules.text || check_rules(&file, resolved));
	free(file.text);
	if (!good) {
		free(*resolved);
		*resolved = NULL;
	}
	return good;
}
