/*
 * A pattern that texts are searched for: a POSIX extended regular expression,
 * or a plain string, which is found faster.  Made by the command line, asked
 * for texts, and for formats: whether a text that they make can contain it.
 * One thread.
 */
#ifndef DECODER_GREP_H
#define DECODER_GREP_H

#include <stdbool.h>
#include <stddef.h>

struct grep;

/*
 * Bytes are compared; without a capital letter in the pattern those of ASCII
 * are small ones.  Null: it is none, and the reason is in `problem`.
 */
struct grep *grep_new(const char *pattern, char *problem, size_t size);

/* Null is fine. */
void grep_free(struct grep *grep);

/* Whether one of the lines of the text contains it. */
bool grep_finds(const struct grep *grep, const char *text, size_t bytes);

/* Whether the needle, see below, is in the text: otherwise nothing is found. */
bool grep_may_find(const struct grep *grep, const char *text, size_t bytes);

/*
 * A string that is in every text which contains the pattern, of small letters
 * if *folds, and whether that is all that the pattern asks for.  Null: none.
 */
const char *grep_needle(
	const struct grep *grep, size_t *bytes, bool *folds, bool *whole);

#endif
