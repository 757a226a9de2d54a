/*
 * The words of binlog-ctl for what runs, as words.def has them, taken off the
 * command line.  Called by binlog-ctl once; prints nothing.
 */
#ifndef TOOLS_CTL_WORDS_H
#define TOOLS_CTL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/switches.h"

/*
 * What `switches` say is in force, out of the file; the caller's to free.  Not
 * terminated.  Null: there is none, *bytes is 0, or it cannot be read: errno.
 */
char *rules_text_read(
	int fd, const struct binlog_switches *switches, size_t *bytes);

/*
 * Writes a text of 1 to RULES_TEXT_MAX bytes into the file, which is open for
 * writing and whose header page is mapped; *at is where it is.  False: errno
 * says why not.  Who calls holds the lock of the switches.
 */
bool rules_text_write(int fd, struct binlog_header *header, const char *text,
	size_t bytes, uint64_t *at);

enum word_form {
	WORD_ALONE,
	WORD_VALUE, /* word=value */
	WORD_MAYBE, /* word, word=value or word - */
	WORD_NEXT,  /* word value, or word=value */
};

enum word {
#define WORD(name, text, form, argument, help) WORD_##name,
#include "tools/live/words.def"
#undef WORD
};

struct word_said {
	enum word word;
	const char *text;  /* as it was given */
	const char *value; /* null: none */
};

/*
 * Takes the next word and its value off; null, or why that is none: *said has
 * its text.  What has a blank in it is a rule.
 */
const char *words_next(
	char *const **arguments, size_t *count, struct word_said *said);

/* One line for each word into buffer, cut off when they do not fit. */
void words_help(char *buffer, size_t size);

#endif
