/*
 * A text that is put together at once, in the words of the host's libc, where
 * a record of the arguments would not do: translated messages, and functions
 * that have no variant with a va_list to be passed on to.  Used by the
 * handlers of functions that print messages of their own making.  Short texts
 * stay on the stack, longer ones are in a mapping; no allocation, no lock.
 */
#ifndef WRAPPERS_FORMATTED_H
#define WRAPPERS_FORMATTED_H

#include "shim/record/capture.h"

struct formatted {
	char *text; /* NUL-terminated */
	size_t length;
	size_t room;
	bool failed; /* a part is missing: no memory, or a broken format */
	const char *format; /* that it was made of, for rules; null: none */
	char small[512];
};

void formatted_start(struct formatted *formatted);
void formatted_put(struct formatted *formatted, const char *s);
void formatted_number(struct formatted *formatted, uint64_t number);

/* As printf would; errno, for "%m", is that of the call. */
void formatted_print(
	struct formatted *formatted, const char *format, va_list arguments);

/* Gives the memory back. */
void formatted_end(struct formatted *formatted);

/*
 * Records bytes as the text of a FILE that is recorded, also of a wide one,
 * whose character set they get; and writes them where it is also written, or
 * where there is no room.
 */
void formatted_say(
	const struct call *call, FILE *file, const char *text, size_t length);

#endif
