/*
 * Reads a capture that make_capture.h made back through the decoder, for unit
 * tests: all messages in order as one text, and what was complained about.
 */
#ifndef TESTS_READ_BACK_H
#define TESTS_READ_BACK_H

#include <stdio.h>

#include "decoder/capture/merge.h"
#include "decoder/capture/recording.h"
#include "tests/support/make_capture.h"

struct read_back {
	struct error_list errors;
	size_t messages;
	struct render_buffer text; /* ends in a NUL that is not counted */
};

/* A name of its own for each test program and number. */
static inline const char *read_back_path(unsigned number)
{
	static char paths[8][64];
	char *path = paths[number % 8];

	snprintf(path, sizeof(paths[0]), "/tmp/binlog-test-%d-%u.binlog",
		(int)getpid(), number);
	return path;
}

/* Counts the kept errors with this code. */
static inline size_t read_back_errors(
	const struct read_back *read, enum error_code code)
{
	size_t found = 0;
	size_t i;

	for (i = 0; i < read->errors.count && i < ERROR_KEPT_MAX; i++)
		found += read->errors.kept[i].code == code;
	return found;
}

/* Reads all of these files, of which those that do not open are left out. */
static inline struct read_back read_back_files(
	const char *const *paths, size_t count)
{
	struct read_back read = {0};
	struct recording *captures[8];
	const struct message *message;
	struct merge *merge;
	size_t opened = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		captures[opened] = recording_open(paths[i], true, &read.errors);
		opened += captures[opened] != NULL;
	}
	merge = merge_new(captures, opened);
	while ((message = merge_next(merge))) {
		read.messages++;
		message_text(message, &read.text);
	}
	merge_free(merge);
	for (i = 0; i < opened; i++)
		recording_close(captures[i]);
	render_buffer_put_byte(&read.text, '\0');
	read.text.length--;
	return read;
}

/* Reads the first `size` bytes of a capture. */
static inline struct read_back read_back_part(
	const struct make_capture *capture, size_t size)
{
	const char *path = read_back_path(0);
	struct read_back read;

	make_file_of(capture, path, size);
	read = read_back_files(&path, 1);
	unlink(path);
	return read;
}

static inline struct read_back read_back(const struct make_capture *capture)
{
	return read_back_part(capture, capture->size);
}

static inline void read_back_free(struct read_back *read)
{
	render_buffer_free(&read->text);
}

#endif
