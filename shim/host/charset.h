/*
 * The character set of a wide-oriented FILE, which it keeps from the locale in
 * which it was first used.  Called by the wrappers of wide output to learn
 * which bytes it would write; the answer is given by the very function that
 * the FILE itself would call, transliteration included.  No lock, no
 * allocation, errno kept.
 */
#ifndef SHIM_CHARSET_H
#define SHIM_CHARSET_H

#include <wchar.h>

enum charset_kind {
	CHARSET_UNKNOWN, /* this libc keeps it where we cannot find it */
	CHARSET_OTHER,
	CHARSET_ASCII, /* ASCII characters are themselves */
	CHARSET_UTF8,  /* as glibc has it: up to six bytes, no surrogates */
};

enum charset_kind charset_of(const FILE *file);

/* Instead of a number of bytes. */
#define CHARSET_NO_ROOM (-1)
#define CHARSET_FAILED (-2) /* not convertible, or CHARSET_UNKNOWN */

/*
 * The bytes of a text, to `to`, at most `room` of them; returns how many.
 * `consumes`: the FILE will not be given the same text, so if its encoding has
 * states, it is in the next one from now on.
 */
long charset_convert(const FILE *file, bool consumes, const wchar_t *text,
	size_t length, char *to, size_t room);

#endif
