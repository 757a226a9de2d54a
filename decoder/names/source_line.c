#include "decoder/names/source_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/limits.h"
#include "decoder/names/frames.h"

#define FILES_MAX 64 /* that are kept */

struct source_file {
	char *path;
	char *text; /* null: it cannot be read */
	size_t bytes;
	uint32_t *starts; /* of each line in the text */
	size_t lines;
};

struct source_line {
	struct locations *locations;
	const struct symbolizer_options *options;
	struct source_file files[FILES_MAX];
	size_t oldest; /* the one to be replaced next */
	struct render_buffer *out;
};

struct source_line *source_line_new(
	struct locations *locations, const struct symbolizer_options *options)
{
	struct source_line *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->locations = locations;
	source->options = options;
	return source;
}

static void forget(struct source_file *file)
{
	free(file->path);
	free(file->text);
	free(file->starts);
	*file = (struct source_file){0};
}

void source_line_free(struct source_line *source)
{
	size_t i;

	for (i = 0; source && i < FILES_MAX; i++)
		forget(&source->files[i]);
	free(source);
}

static bool read_exactly(int fd, char *text, size_t bytes)
{
	while (bytes > 0) {
		ssize_t got = read(fd, text, bytes);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		text += got;
		bytes -= (size_t)got;
	}
	return true;
}

static void read_text(struct source_file *file, int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0 || status.st_size <= 0 ||
		limits_exceeded(LIMIT_SOURCE_BYTES, (uint64_t)status.st_size))
		return;
	file->bytes = (size_t)status.st_size;
	file->text = malloc(file->bytes);
	if (file->text && read_exactly(fd, file->text, file->bytes))
		return;
	free(file->text);
	file->text = NULL;
}

static void find_lines(struct source_file *file)
{
	size_t room = 1;
	size_t i;

	for (i = 0; i < file->bytes; i++)
		room += file->text[i] == '\n';
	file->starts = calloc(room, sizeof(*file->starts));
	if (!file->starts)
		return;
	file->lines = 1;
	for (i = 0; i < file->bytes; i++)
		if (file->text[i] == '\n')
			file->starts[file->lines++] = (uint32_t)i + 1;
}

static const struct source_file *file_at(
	struct source_line *source, const char *path)
{
	struct source_file *file;
	size_t i;
	int fd;

	for (i = 0; i < FILES_MAX; i++)
		if (source->files[i].path &&
			strcmp(source->files[i].path, path) == 0)
			return &source->files[i];
	file = &source->files[source->oldest++ % FILES_MAX];
	forget(file);
	file->path = strdup(path);
	fd = symbolizer_open_source(source->options, path);
	if (fd < 0)
		return file;
	read_text(file, fd);
	close(fd);
	if (file->text)
		find_lines(file);
	return file;
}

static void put_line(
	struct render_buffer *out, const struct source_file *file, size_t line)
{
	const char *text = file->text + file->starts[line - 1];
	size_t left = file->bytes - file->starts[line - 1];
	const char *slash = strrchr(file->path, '/');
	const char *name = slash ? slash + 1 : file->path;
	const char *end = memchr(text, '\n', left);
	char number[32];

	if (end)
		left = (size_t)(end - text);
	while (left > 0 && (*text == ' ' || *text == '\t')) {
		text++;
		left--;
	}
	left = limits_cut(LIMIT_SOURCE_COLUMNS, left);
	snprintf(number, sizeof(number), ":%zu: ", line);
	render_buffer_put(out, "    ", 4);
	escape_put(out, name, strlen(name), ESCAPE_NEWLINE);
	render_buffer_put(out, number, strlen(number));
	escape_put(out, text, left, ESCAPE_NEWLINE);
	render_buffer_put_byte(out, '\n');
}

static void take(void *closure, const struct location *location)
{
	struct source_line *source = closure;
	const struct source_file *file;

	if (!location->file || location->line == 0)
		return;
	file = file_at(source, location->file);
	if (file->path && file->starts && location->line <= file->lines)
		put_line(source->out, file, location->line);
}

void source_line_put(struct source_line *source, const struct message *message,
	struct render_buffer *out)
{
	source->out = out;
	frames_author(source->locations, message, take, source);
}
