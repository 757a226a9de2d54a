/*
 * An output that is a directory of files, which a style makes one by one.
 * Opened before anything is read; promises that no file that was there before
 * is touched.  What fails is the failure of the whole output.
 */
#ifndef DECODER_OUTPUT_DIRECTORY_H
#define DECODER_OUTPUT_DIRECTORY_H

#include "decoder/output/output.h"

/*
 * Makes the directory at output->where, or takes an empty one of the user, and
 * leaves its descriptor in the output.  Null, or why not.
 */
const char *output_directory_open(struct output *output);

/*
 * Makes a file with this name, which has no slash.  False: it could not be
 * made, and the directory has failed.
 */
bool output_directory_begin(
	struct output *directory, const char *name, struct output *file);

/*
 * Writes the text to a file that is not kept open: makes it, or goes on at its
 * end.
 */
void output_directory_append(struct output *directory, const char *name,
	bool make, struct render_buffer *text);

/* Takes all files of an open one away again, as far as that is allowed. */
void output_directory_empty(const struct output *directory);

/* Writes all and closes the file. */
void output_directory_end(struct output *directory, struct output *file);

#endif
