#include "decoder/query/stream_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/layout.h"
#include "rules/path_glob.h"

/* Where the beginning of the glob leads through symbolic links, or null. */
static char *follow_links(const char *glob, size_t length)
{
	size_t directory = path_glob_directory(glob, length);
	char *path = strndup(glob, directory);
	char *real = path && *path == '/' ? realpath(path, NULL) : NULL;
	char *whole = NULL;

	if (real && asprintf(&whole, "%s/%.*s", strcmp(real, "/") ? real : "",
			    (int)(length - directory), glob + directory) < 0)
		whole = NULL;
	free(path);
	free(real);
	return whole;
}

static const char *add_glob(
	struct options *options, const char *glob, size_t length)
{
	struct options_glob *added = &options->globs[options->glob_count];

	if (length == 0)
		return "no file is named: give file:GLOB";
	if (options->glob_count == OPTIONS_GLOBS_MAX)
		return "more globs than can be kept: use one that matches more";
	while (length > 2 && memcmp(glob, "./", 2) == 0) {
		glob += 2;
		length -= 2;
	}
	added->text = glob;
	added->length = length;
	added->real = follow_links(glob, length);
	options->glob_count++;
	options->streams |= BINLOG_STREAM_FILE;
	return NULL;
}

static const char *parse_stream(
	struct options *options, const char *name, size_t length)
{
	static const struct {
		const char *name;
		uint32_t flag;
	} streams[] = {
		{"stdout", BINLOG_STREAM_STDOUT},
		{"stderr", BINLOG_STREAM_STDERR},
		{"syslog", BINLOG_STREAM_SYSLOG},
	};
	size_t i;

	for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		if (strlen(streams[i].name) != length ||
			memcmp(streams[i].name, name, length) != 0)
			continue;
		options->streams |= streams[i].flag;
		return NULL;
	}
	if (length >= 5 && memcmp(name, "file:", 5) == 0)
		return add_glob(options, name + 5, length - 5);
	return "no such stream: give stdout, stderr, syslog or file:GLOB";
}

const char *stream_list_add(struct options *options, const char *list)
{
	const char *wrong;

	for (;;) {
		size_t length = strcspn(list, ",");

		wrong = parse_stream(options, list, length);
		if (wrong || !list[length])
			return wrong;
		list += length + 1;
	}
}
