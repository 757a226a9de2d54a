/*
 * A text of a program as the format of messages that somebody else has
 * formatted, and whether a message is made of it.  Asked by statements.c.
 * Promises that a match accounts for every byte that it covers: plain text is
 * there as it stands, and each directive has a text that it can have made.
 * Time is bounded, whatever text and format.
 */
#ifndef DECODER_STATEMENT_FORMAT_H
#define DECODER_STATEMENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

/* More directives than these has no statement. */
#define STATEMENT_DIRECTIVES_MAX 32

/* Whose formats these are: printf's, then those of directives.def, then those
 * with `{}`. */
enum statement_formatter {
	STATEMENT_PRINTF,
	STATEMENT_NGINX,
	STATEMENT_APR,
	STATEMENT_GO,
	STATEMENT_QT,
	STATEMENT_BRACES,
	STATEMENT_FORMATTERS
};

/* What the text of a directive can be. */
enum statement_kind {
	STATEMENT_PLAIN, /* no directive */
	STATEMENT_INTEGER,
	STATEMENT_HEX,
	STATEMENT_HEX_CAPITALS,
	STATEMENT_POINTER, /* as printf's %p */
	STATEMENT_FLOAT,
	STATEMENT_CHARACTER,
	STATEMENT_STRING,
	STATEMENT_NOTHING
};

struct statement_piece {
	enum statement_kind kind;
	const char *text; /* plain text; else a directive of printf that */
	size_t bytes;	  /* takes one argument and prints the same */
	uint8_t argument; /* enum binlog_argument that this takes */
	bool simple;	  /* it has no flags, width or precision */
};

/* Which pairs of bytes follow each other in a text, by a hash of each. */
struct statement_pairs {
	uint64_t bits[4];
};

struct statement_format {
	const char *text; /* as in the program; ends in NUL.  Newlines at its */
	size_t bytes;	/* end are in no piece: who prints adds or drops them */
	size_t letters; /* of the plain text, and digits */
	size_t plain;	/* all of it but white space */
	bool parted;	/* white space or more is between the directives */
	size_t directives;
	bool spaced;		      /* plain text of several words */
	bool unended; /* words and a blank at its end: more is put behind it */
	struct statement_pairs pairs; /* of the pieces of plain text */
	size_t count;
	struct statement_piece pieces[];
};

/*
 * Null: it is none for this formatter, or it would be one for printf as well,
 * or out of memory.
 */
struct statement_format *statement_format_new(const char *text, size_t bytes,
	enum statement_formatter formatter, struct pool *pool);

/* Adds those of a text. */
void statement_pairs_add(
	struct statement_pairs *pairs, const char *text, size_t bytes);

/* Whether a text with these pairs can be made of it: false is sure, and found
 * without a look at the text. */
static inline bool statement_format_may_match(
	const struct statement_format *format,
	const struct statement_pairs *pairs)
{
	const uint64_t *has = pairs->bits;
	const uint64_t *needs = format->pairs.bits;

	return !((needs[0] & ~has[0]) | (needs[1] & ~has[1]) |
		 (needs[2] & ~has[2]) | (needs[3] & ~has[3]));
}

/* The text of one directive. */
struct statement_capture {
	const char *text;
	size_t bytes;
};

struct statement_match {
	const char *text; /* that was matched, of which the captures are */
	size_t end;	  /* offset of what follows it */
	struct statement_capture captures[STATEMENT_DIRECTIVES_MAX];
};

/*
 * Whether the text at `from` is made of it.  `ends` is asked whether it may end
 * at an offset; at the end of the text it always may.
 */
bool statement_format_matches(const struct statement_format *format,
	const char *text, size_t bytes, size_t from,
	bool (*ends)(const char *text, size_t bytes, size_t at),
	struct statement_match *match);

#endif
