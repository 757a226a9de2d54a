/*
 * A text that is put together at once, in the words of the host's libc, where
 * a record of the arguments would not do: translated messages, and functions
 * that have no variant with a va_list to be passed on to.  Used by the
 * handlers of functions that print messages of their own making.  Short texts
 * stay on the stack, longer ones are in a mapping; no allocation, no lock.
 */
#ifndef WRAPPERS_MADE_H
#define WRAPPERS_MADE_H

#include "shim/record/capture.h"

struct made {
	char *text; /* NUL-terminated */
	size_t length;
	size_t room;
	bool failed; /* a part is missing: no memory, or a broken format */
	const char *format; /* that it was made of, for rules; null: none */
	char small[512];
};

void made_start(struct made *made);
void made_put(struct made *made, const char *s);
void made_number(struct made *made, uint64_t number);

/* As printf would; errno, for "%m", is that of the call. */
void made_format(struct made *made, const char *format, va_list arguments);

/* Gives the memory back. */
void made_end(struct made *made);

/*
 * Records bytes as the text of a FILE that is recorded, also of a wide one,
 * whose character set they get; and writes them where it is also written, or
 * where there is no room.
 */
void made_say(
	const struct call *call, FILE *file, const char *text, size_t length);

#endif
