/*
 * Wide formats in their narrow form: the same directives, the text between
 * them in UTF-8.  As long as the arguments are such that a narrow printf makes
 * the same characters of them, a call of wprintf is recorded as one of printf
 * would be, typed and without making its text.  Called by wide.c; lock-free,
 * async-signal-safe; what is known of a format is kept for the process.
 */
#ifndef WRAPPERS_WIDE_FORMAT_H
#define WRAPPERS_WIDE_FORMAT_H

#include <wchar.h>

/*
 * The narrow form of a call on `file`, which is wide; it stays where it is.
 * Its text has *surplus bytes more than characters.  Null: the text has to be
 * made at once.
 */
const char *wide_format_narrow(const FILE *file, const wchar_t *format,
	va_list arguments, uint32_t *surplus);

#endif
