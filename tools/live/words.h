/*
 * The words of binlog-ctl for what runs, as words.def has them, taken off the
 * command line.  Called by binlog-ctl once; prints nothing.
 */
#ifndef TOOLS_CTL_WORDS_H
#define TOOLS_CTL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

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
