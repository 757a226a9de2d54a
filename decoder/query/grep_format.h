/*
 * What a format says of all texts that it makes, before there is one: whether
 * they contain a pattern, and whether they end lines.  Asked by the filters
 * once for each context; promises to be sure of what it says.
 */
#ifndef DECODER_GREP_FORMAT_H
#define DECODER_GREP_FORMAT_H

#include "decoder/capture/definition.h"
#include "decoder/query/grep.h"

/* In the order in which one of several patterns decides. */
enum grep_answer {
	GREP_NEVER,
	GREP_IN_STRING, /* only if the needle is in what a "%s" is given */
	GREP_DEPENDS,	/* on the text */
	GREP_ALWAYS
};

/*
 * Of the texts of messages with this context, with `format` as its format,
 * which may be null: it is not known.  `named`: more follows each %p.
 */
enum grep_answer grep_format_answer(const struct grep *grep,
	const struct definition_context *context,
	const struct definition_string *format, bool named);

/* Whether these texts are whole lines, or texts that count as such. */
bool grep_format_ends_line(const struct definition_context *context,
	const struct definition_string *format);

/*
 * Whether the format is what the call was given, as far as can be told: it
 * takes the arguments that were recorded.  Otherwise it may be found elsewhere.
 */
bool grep_format_is_sound(const struct definition_context *context,
	const struct definition_string *format);

#endif
