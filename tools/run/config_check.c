#include "tools/run/config_check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/sentence.h"
#include "rules/config.h"
#include "rules/levels.h"
#include "rules/policy.h"
#include "tools/program/elf_image.h"
#include "tools/program/resolve.h"

/*
 * The libraries that a program will be started with, as its dynamic loader
 * finds them: for rules about the source of a program that does not run yet.
 * Promises to start nothing but that loader.
 */

static bool find_loader(const char *program, char *loader, size_t size)
{
	struct elf_image image;
	bool found;

	if (!elf_image_open(&image, program))
		return false;
	found = image.is_elf && elf_image_loader(&image, loader, size);
	elf_image_close(&image);
	return found;
}

/* `loader --list program`, whose output is read from the result. */
static FILE *start(const char *loader, const char *program, pid_t *child)
{
	FILE *output;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	*child = fork();
	if (*child == 0) {
		int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

		/* They may have these numbers already. */
		if (dup2(ends[1], 1) == 1 && fcntl(1, F_SETFD, 0) == 0 &&
			dup2(nothing, 2) == 2 && fcntl(2, F_SETFD, 0) == 0)
			execl(loader, loader, "--list", program, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	output = *child < 0 ? NULL : fdopen(ends[0], "r");
	if (!output)
		close(ends[0]);
	return output;
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

/* Adds them.  False: not all could be found. */
static bool needed_libraries_add(
	struct resolve_modules *modules, const char *program)
{
	char loader[PATH_MAX];
	FILE *output;
	char *line = NULL;
	size_t room = 0;
	bool good = true;
	int status = 0;
	pid_t child = -1;

	if (!find_loader(program, loader, sizeof(loader)))
		return false;
	output = start(loader, program, &child);
	while (output && good && getline(&line, &room, output) >= 0)
		good = add_line(modules, line);
	free(line);
	if (output)
		(void)fclose(output);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return good && output && status == 0;
}

/* More is not read by the library. */
#define FILE_MAX_BYTES ((size_t)1 << 20)

struct file {
	const char *path;
	const char *directory;
	const char *program;
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
		"%s:%u:%u: %.*s%s%s%s%s", file->path, at.line, at.column,
		(int)at.bytes, at.text, at.bytes > 0 ? ": " : "", what,
		why ? ": " : "", why ? why : "");
}

/* ---- reading ---- */

static bool read_file(struct file *file)
{
	struct stat status;
	bool good = false;
	FILE *in;
	int fd;

	file->text = malloc(FILE_MAX_BYTES + 1);
	fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	in = fd < 0 ? NULL : fdopen(fd, "r");
	if (!in || !file->text || fstat(fd, &status) != 0) {
		fail(file, file->path, errno);
	} else if (!S_ISREG(status.st_mode)) {
		refusal_set(file->refusal, REFUSAL_POINTLESS,
			"%s: not a regular file: give one with --config",
			file->path);
	} else {
		file->bytes = fread(file->text, 1, FILE_MAX_BYTES + 1, in);
		good = !ferror(in) && file->bytes <= FILE_MAX_BYTES;
		if (!good)
			fail(file, file->path, ferror(in) ? errno : EFBIG);
	}
	if (in)
		(void)fclose(in);
	else if (fd >= 0)
		close(fd);
	return good;
}

/* ---- settings ---- */

bool config_check_streams(const char *list, struct refusal *refusal)
{
	struct policy_item item;

	while (list && policy_next(&list, &item))
		if (item.wrong)
			return refusal_set(refusal, REFUSAL_POINTLESS,
				"%.*s: %s: correct --streams or "
				"BINLOG_STREAMS",
				(int)item.bytes, item.text, item.wrong);
	return true;
}

static bool check_streams(
	const struct file *file, const struct config_entry *entry)
{
	char *list = strndup(entry->value.text, entry->value.bytes);
	struct refusal refusal = {.sentence = ""};
	bool good = list && config_check_streams(list, &refusal);

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
		return fail(file, file->path, ENOMEM);
	for (; line > 1; at.text++)
		line -= *at.text == '\n';
	at.text += error->column - 1;
	return wrong(file, at, error->what, error->why);
}

static void say(void *closure, unsigned line, const char *sentence)
{
	const struct file *file = closure;

	if (line > 0)
		sentence_say("binlog-run: %s:%u: %s", file->path,
			file->rules.line + line - 1, sentence);
	else
		sentence_say("binlog-run: %s", sentence);
}

/* The program, and what it will be started with. */
static void find_modules(struct file *file, struct resolve_modules *modules)
{
	char *path = realpath(file->program, NULL);

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

/*
 * The file with other rules in it, in the directory, which the library would
 * make a little later: mode 0700 whatever the umask is.  It is there at once,
 * whatever a program of the run may be reading.
 */
static bool write_resolved(const struct file *file, const char *rules,
	size_t bytes, char **resolved)
{
	const char *after = file->rules.text + file->rules.bytes;
	const mode_t mask = umask(0);
	char *made;
	FILE *out;
	bool good;
	int fd;

	mkdir(file->directory, 0700);
	umask(mask);
	if (asprintf(resolved, "%s/binlog.conf", file->directory) < 0) {
		*resolved = NULL;
		return fail(file, file->directory, ENOMEM);
	}
	if (asprintf(&made, "%s.%ld", *resolved, (long)getpid()) < 0)
		return fail(file, *resolved, ENOMEM);
	fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		0600);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (out) {
		fwrite(file->text, 1, (size_t)(file->rules.text - file->text),
			out);
		fwrite(rules, 1, bytes, out);
		fwrite(after, 1, (size_t)(file->text + file->bytes - after),
			out);
	}
	good = out && fflush(out) == 0 && !ferror(out) &&
	       rename(made, *resolved) == 0;
	if (!good)
		fail(file, *resolved, errno);
	if (!good && fd >= 0)
		unlink(made);
	if (out)
		(void)fclose(out);
	free(made);
	return good;
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

bool config_check(const char *path, const char *directory, const char *program,
	char **resolved, struct refusal *refusal)
{
	struct file file = {.path = path,
		.directory = directory,
		.program = program,
		.refusal = refusal};
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
