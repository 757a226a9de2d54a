#include "tools/show/names.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/render_buffer.h"
#include "base/sentence.h"
#include "base/suggest.h"
#include "decoder/source/capture_list.h"
#include "record/program_name.h"

/* More programs are not named in a sentence. */
#define PROGRAMS_SAID 12

struct names {
	struct options *options;
	const char *directory;
	struct capture_list list; /* of the directory, if it was opened */
	struct error_list errors; /* told again by who reads them */
	bool opened;
	char **paths;
	size_t count;
	size_t room;
	bool failed; /* out of memory */
};

/* Bytes of PROGRAM in PROGRAM-PID-SECONDS-RANDOM.binlog; 0: it is another name.
 */
static size_t program_bytes(const char *name)
{
	size_t length = strlen(name);
	unsigned dashes = 0;

	while (length > 0 && dashes < 3)
		dashes += name[--length] == '-';
	return length;
}

static bool is_of_program(const struct recording *capture, const char *program)
{
	const char *name = binlog_last_part(capture->path);
	size_t bytes = program_bytes(name);

	return bytes > 0 && strlen(program) == bytes &&
	       memcmp(name, program, bytes) == 0;
}

static void open_directory(struct names *names)
{
	if (names->opened)
		return;
	names->opened = true;
	names->list.all = true; /* what waits is told of when it is read */
	capture_list_add(&names->list, names->directory, &names->errors);
}

/* Of a program, or of whatever there is; null: there is none. */
static const struct recording *newest_of(
	const struct names *names, const char *program)
{
	const struct recording *newest = NULL;
	size_t i;

	for (i = 0; i < names->list.count; i++) {
		const struct recording *capture = names->list.captures[i];

		if ((!program || is_of_program(capture, program)) &&
			(!newest || capture->header.start.realtime >
					    newest->header.start.realtime))
			newest = capture;
	}
	return newest;
}

static void add_path(struct names *names, const char *path)
{
	if (names->count == names->room) {
		size_t room = names->room ? names->room * 2 : 16;
		char **paths = reallocarray(names->paths, room, sizeof(*paths));

		names->failed |= !paths;
		if (!paths)
			return;
		names->paths = paths;
		names->room = room;
	}
	names->paths[names->count] = strdup(path);
	names->failed |= !names->paths[names->count];
	names->count += !names->failed;
}

/* All of the newest run, or what a program has left in it. */
static bool add_newest(struct names *names, const char *program)
{
	const struct recording *newest = newest_of(names, program);
	size_t i;

	if (newest && names->options->follow) {
		add_path(names, newest->path); /* follows one */
		return true;
	}
	for (i = 0; newest && i < names->list.count; i++) {
		const struct recording *capture = names->list.captures[i];

		if (capture->header.run == newest->header.run &&
			(!program || is_of_program(capture, program)))
			add_path(names, capture->path);
	}
	return newest;
}

/* The programs that were recorded, each once; how many. */
static size_t list_programs(
	const struct names *names, char *programs[], size_t room)
{
	size_t count = 0;
	size_t i, k;

	for (i = 0; i < names->list.count && count < room; i++) {
		const char *name = binlog_last_part(names->list.captures[i]->path);
		size_t bytes = program_bytes(name);

		for (k = 0; k < count; k++)
			if (is_of_program(names->list.captures[i], programs[k]))
				break;
		if (k < count || bytes == 0)
			continue;
		programs[count] = strndup(name, bytes);
		count += programs[count] != NULL;
	}
	return count;
}

/* The sentence that says what would have been found. */
static void complain(const struct names *names, const char *word)
{
	char *programs[PROGRAMS_SAID + 1];
	size_t count = list_programs(names, programs, PROGRAMS_SAID + 1);
	const char *meant =
		suggest_nearest(word, (const char *const *)programs, count);
	struct render_buffer list = {0};
	size_t i;

	for (i = 0; i < count && i < PROGRAMS_SAID; i++) {
		render_buffer_put_string(&list, i > 0 ? ", " : "");
		render_buffer_put_string(&list, programs[i]);
	}
	if (count > PROGRAMS_SAID)
		render_buffer_put_string(&list, ", and others");
	render_buffer_put_byte(&list, '\0');
	if (!list.failed)
		sentence_say("binlog-show: %s: not found: neither a file nor a "
			     "program that was recorded in %s: %s%s%sgive one "
			     "of these: %s",
			word, names->directory, meant ? "is it " : "",
			meant ? meant : "", meant ? "? " : "", list.data);
	render_buffer_free(&list);
	for (i = 0; i < count; i++)
		free(programs[i]);
}

/* As server.c:30 is one. */
static bool is_line_of_source(const char *word)
{
	const char *colon = strrchr(word, ':');

	return colon && colon > word && colon[1] != '\0' &&
	       colon[1 + strspn(colon + 1, "0123456789")] == '\0';
}

static bool may_be_program(const char *word)
{
	return *word != '\0' && !strchr(word, '/') && !capture_list_takes(word);
}

/* False: it stands for nothing. */
static bool resolve_word(struct names *names, const char *word)
{
	const char *wrong;

	if (strcmp(word, "-") == 0 || access(word, F_OK) == 0) {
		add_path(names, word);
		return true;
	}
	if (is_line_of_source(word)) {
		wrong = filter_rules_add_file(&names->options->rules, word);
		if (wrong)
			sentence_say("binlog-show: %s: %s", word, wrong);
		return !wrong;
	}
	if (may_be_program(word)) {
		open_directory(names);
		if (add_newest(names, word))
			return true;
	}
	/* what is followed may come; otherwise who opens it complains */
	if (!may_be_program(word) || names->options->follow ||
		names->list.count == 0) {
		add_path(names, word);
		return true;
	}
	complain(names, word);
	return false;
}

static bool resolve(struct names *names)
{
	struct options *options = names->options;
	size_t i;

	for (i = 0; i < options->path_count; i++)
		if (!resolve_word(names, options->paths[i]))
			return false;
	if (options->path_count > 0 && names->count == 0 &&
		options->text_count == 0 && !options->follow) {
		open_directory(names);
		add_newest(names, NULL);
	}
	if (names->failed)
		sentence_say("binlog-show: out of memory: give paths");
	return !names->failed;
}

bool names_resolve(struct options *options, const char *directory)
{
	struct names names = {.options = options, .directory = directory};
	bool good = resolve(&names);

	options->paths = names.paths;
	options->path_count = names.count;
	capture_list_free(&names.list);
	return good;
}
