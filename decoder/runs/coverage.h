/*
 * Which of the statements that could have made messages have made some: those
 * of all programs and libraries of the processes that were recorded, as
 * --index finds them in the files.  Filled with messages and asked at the end,
 * by the styles that show it.
 */
#ifndef DECODER_COVERAGE_H
#define DECODER_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/output/style.h"
#include "decoder/runs/index.h"

/* Strings live as long as the coverage. */
struct coverage_statement {
	struct index_statement of;
	const char *module; /* last part of its path */
	size_t number;	    /* of the module, from 1 */
};

struct coverage;

/* Of what the settings are for.  Null: out of memory. */
struct coverage *coverage_new(const struct style_settings *settings);

void coverage_message(struct coverage *coverage, const struct message *message);

/*
 * After the last message: all statements, those whose place in the source is
 * known first, by file and line.  A source that is in several modules counts
 * once.  What has no list is added to the errors of the captures.
 */
const struct coverage_statement *coverage_list(
	struct coverage *coverage, size_t *count);

/* False: there was no memory for all of them. */
bool coverage_is_whole(const struct coverage *coverage);

/* Null is fine. */
void coverage_free(struct coverage *coverage);

#endif
