#include "decoder/text/text_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/render_buffer.h"
#include "decoder/capture/decompress.h"
#include "decoder/text/text_time.h"
#include "record/layout.h"

#define NS ((uint64_t)1000000000)
#define WINDOW_BYTES ((size_t)256 << 10)
/* Of a file that begins with lines without a time, so many bytes are looked
 * through for the first one. */
#define FIRST_BYTES ((size_t)64 << 10)
/* An argument of a message is not longer. */
#define LINE_MAX_BYTES ((size_t)1 << 30)
/* Addresses that one program has for itself. */
#define MODULE_BITS 40

struct text_reader {
	const char *path;
	int fd; /* -1: there is nothing more */
	struct recording *capture;
	struct text_settings settings;
	struct pool *pool;	       /* lasts as long as the capture */
	struct decompress *decompress; /* null: it is read as it is */
	struct render_buffer window;   /* bytes of the file */
	size_t at;		       /* of the next line in it */
	uint64_t window_at;
	struct text_times times;
	uint64_t wall; /* of the last line */
	bool told;     /* there was a line */
	bool timed;    /* one had a time */
	bool partial;  /* a line has begun and not ended */
	struct render_argument argument;
	struct message message;
};

static const uint8_t kinds[] = {BINLOG_ARG_STRING};

static void report(struct text_reader *reader, enum error_code code)
{
	error_add(reader->capture->errors,
		&(struct error){
			.code = code,
			.file = reader->path,
			.offset = reader->window_at + reader->window.length,
			.system = code == ERROR_OPEN || code == ERROR_READ
					  ? errno
					  : 0,
		});
}

/*
 * The process that is taken to have said it.
 */

/* The programs and libraries have an address each; the first one its own. */
static void add_modules(struct text_reader *reader, struct program *program)
{
	const char *const *path = reader->settings.executables;
	uint64_t start = 0;

	for (; path && *path; path++, start += (uint64_t)1 << MODULE_BITS)
		program_add_mapping(&reader->capture->programs, program,
			&(struct program_module){
				.start = start,
				.end = start + ((uint64_t)1 << MODULE_BITS),
				.bias = start,
				.path = *path,
				.path_bytes = strlen(*path),
				.build_id = (const uint8_t *)"",
			});
}

static struct program *make_program(struct text_reader *reader)
{
	const char *const *executables = reader->settings.executables;
	const char *name =
		executables && *executables ? *executables : reader->path;
	struct program_table *table = &reader->capture->programs;
	struct program *program = program_find(table, 0, 0);

	if (!program)
		return NULL;
	program_set(table, program,
		&(struct program_description){
			.executable = name,
			.executable_bytes = strlen(name),
			.directory = "",
		});
	add_modules(reader, program);
	return program_table_lacks(table) ? NULL : program;
}

/* False: out of memory. */
static bool begin_message(struct text_reader *reader, struct program *program)
{
	const bool piped = strcmp(reader->path, TEXT_READER_STDIN) == 0;
	struct definition_context *context =
		pool_take(reader->pool, sizeof(*context));
	struct definition_stream *stream =
		pool_take(reader->pool, sizeof(*stream));

	if (!context || !stream)
		return false;
	*stream = (struct definition_stream){
		.flags = BINLOG_STREAM_FILE,
		.fd = -1,
		.inode = reader->capture->inode,
		.device = reader->capture->device,
		.path = piped ? "stdin" : reader->path,
	};
	*context = (struct definition_context){
		.text = BINLOG_TEXT_BYTES,
		.restored = true,
		.stream = stream,
		.kinds = kinds,
		.arguments = 1,
		.usable = true,
	};
	reader->message = (struct message){
		.thread = "",
		.program = program,
		.context = context,
		.pool = reader->pool,
		.capture = reader->capture,
		.count = 1,
		.arguments = &reader->argument,
	};
	return true;
}

/*
 * The bytes.
 */

static int open_text(const char *path)
{
	int fd;

	if (strcmp(path, TEXT_READER_STDIN) == 0)
		return STDIN_FILENO;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd;
}

static void close_text(struct text_reader *reader)
{
	decompress_free(reader->decompress);
	reader->decompress = NULL;
	if (reader->fd > STDIN_FILENO)
		close(reader->fd);
	reader->fd = -1;
}

/* As read(). */
static ssize_t read_on(struct text_reader *reader, void *bytes, size_t size)
{
	return reader->decompress ? (ssize_t)decompress_read(
					    reader->decompress, bytes, size)
				  : read(reader->fd, bytes, size);
}

/* One read more; what was given out is dropped when there is much of it. */
static void fill(struct text_reader *reader)
{
	struct render_buffer *window = &reader->window;
	ssize_t n;

	if (reader->at > 0) {
		window->length -= reader->at;
		memmove(window->data, window->data + reader->at,
			window->length);
		reader->window_at += reader->at;
		reader->at = 0;
	}
	if (!render_buffer_reserve(window, WINDOW_BYTES)) {
		report(reader, ERROR_MEMORY);
		close_text(reader);
		return;
	}
	do {
		n = read_on(
			reader, window->data + window->length, WINDOW_BYTES);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		report(reader, ERROR_READ);
	if (n <= 0) {
		close_text(reader);
		return;
	}
	window->length += (size_t)n;
	if (reader->settings.read)
		*reader->settings.read += (uint64_t)n;
}

/* It goes on with what the file was before it was compressed. */
static void unpack(struct text_reader *reader)
{
	struct render_buffer *window = &reader->window;

	/* a pipe may have given less */
	while (window->length > 0 && window->length < DECOMPRESS_MAGIC_BYTES &&
		reader->fd >= 0)
		fill(reader);
	if (!decompress_is(window->data, window->length) || reader->fd < 0)
		return;
	reader->decompress = decompress_new(reader->path, reader->fd,
		window->data, window->length, reader->capture->errors);
	window->length = 0;
	if (reader->decompress) {
		fill(reader);
	} else {
		report(reader, ERROR_MEMORY);
		close_text(reader);
	}
}

/* What is read without --text, or is to be unpacked first. */
static bool is_text(const struct text_reader *reader)
{
	static const struct {
		const char *bytes;
		size_t count;
	} others[] = {
		{BINLOG_MAGIC, sizeof(BINLOG_MAGIC) - 1},
		{"\177ELF", 4},
		{"\xfd"
		 "7zXZ",
			5},
		{"BZh", 3},
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (reader->window.length >= others[i].count &&
			memcmp(reader->window.data, others[i].bytes,
				others[i].count) == 0)
			return false;
	return true;
}

/* When it was last written to; what comes through a pipe is of now. */
static uint64_t changed(const struct stat *status)
{
	if (S_ISREG(status->st_mode) && status->st_mtim.tv_sec >= 0)
		return (uint64_t)status->st_mtim.tv_sec * NS +
		       (uint64_t)status->st_mtim.tv_nsec;
	return (uint64_t)time(NULL) * NS;
}

/* Lines before the first one with a time have that. */
static void find_first_time(struct text_reader *reader)
{
	const struct render_buffer *window = &reader->window;
	size_t at = 0;

	while (at < window->length && at < FIRST_BYTES) {
		const char *line = window->data + at;
		const char *newline = memchr(line, '\n', window->length - at);
		size_t bytes = newline ? (size_t)(newline - line)
				       : window->length - at;

		if (text_time_read(&reader->times, line, bytes, &reader->wall))
			return;
		at += bytes + 1;
	}
}

static void begin_text(struct text_reader *reader)
{
	struct stat status;

	reader->fd = open_text(reader->path);
	if (reader->fd >= 0 && fstat(reader->fd, &status) != 0)
		close_text(reader);
	if (reader->fd >= 0 && S_ISDIR(status.st_mode)) {
		close_text(reader);
		errno = EISDIR;
	}
	if (reader->fd < 0) {
		report(reader, ERROR_OPEN);
		return;
	}
	reader->capture->device = status.st_dev;
	reader->capture->inode = status.st_ino;
	reader->wall = changed(&status);
	reader->times.latest = (int64_t)(reader->wall / NS);
	reader->times.utc = reader->settings.utc;
	fill(reader);
	unpack(reader);
	if (!is_text(reader)) {
		reader->window.length = 0;
		report(reader, ERROR_NOT_TEXT);
		close_text(reader);
		return;
	}
	find_first_time(reader);
	reader->capture->header.clock = BINLOG_CLOCK_MONOTONIC;
	reader->capture->header.start.realtime = reader->wall;
}

struct text_reader *text_reader_new(const char *path,
	const struct text_settings *settings, struct packed_captures *captures)
{
	struct text_reader *reader = calloc(1, sizeof(*reader));
	struct program *program = NULL;

	if (!reader)
		return NULL;
	reader->path = path;
	reader->fd = -1;
	reader->settings = *settings;
	reader->capture = packed_capture_make(captures, path);
	if (reader->capture)
		program = make_program(reader);
	if (!program) {
		free(reader);
		return NULL;
	}
	reader->pool = &captures->pool;
	reader->capture->names = NULL;
	reader->capture->text = true;
	begin_text(reader);
	if (begin_message(reader, program))
		return reader;
	text_reader_free(reader);
	return NULL;
}

/* How many bytes the next line has, with its newline, or the piece of it that
 * is given out; 0: there is none. */
static size_t find_line(struct text_reader *reader)
{
	const struct render_buffer *window = &reader->window;
	const size_t most = limits_of(LIMIT_TEXT_LINE) < LINE_MAX_BYTES
				    ? limits_size(LIMIT_TEXT_LINE)
				    : LINE_MAX_BYTES;
	size_t seen = 0;

	for (;;) {
		const size_t bytes = window->length - reader->at;
		const char *line = render_buffer_from(window, reader->at);
		const char *newline =
			bytes > seen ? memchr(line + seen, '\n', bytes - seen)
				     : NULL;
		size_t found = newline ? (size_t)(newline - line) + 1 : bytes;

		if (found > most) {
			limits_note(LIMIT_TEXT_LINE);
			return most > 0 ? most : 1;
		}
		if (newline || reader->fd < 0)
			return found;
		seen = bytes;
		fill(reader);
	}
}

const struct message *text_reader_next(struct text_reader *reader)
{
	struct message *message = &reader->message;
	size_t bytes = find_line(reader);
	const char *line = render_buffer_from(&reader->window, reader->at);

	if (bytes == 0) {
		if (reader->told && !reader->timed)
			report(reader, ERROR_TEXT_TIMES);
		return NULL;
	}
	if (!reader->partial &&
		text_time_read(&reader->times, line, bytes, &reader->wall))
		reader->timed = true;
	reader->argument = (struct render_argument){
		.kind = BINLOG_ARG_STRING,
		.bytes = (uint32_t)bytes,
		.data = line,
	};
	message->ticks = message->wall = reader->wall;
	message->offset = reader->window_at + reader->at;
	message->continues = reader->partial;
	message->partial =
		line[bytes - 1] != '\n' &&
		(reader->fd >= 0 || reader->at + bytes < reader->window.length);
	reader->partial = message->partial;
	reader->told = true;
	reader->at += bytes;
	return message;
}

void text_reader_free(struct text_reader *reader)
{
	if (!reader)
		return;
	close_text(reader);
	render_buffer_free(&reader->window);
	free(reader);
}
