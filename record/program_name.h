/*
 * What a program is called, by everybody: in names of captures, in rules and in
 * front of its lines.  It is the last part of argv[0], as it was when the
 * program began: what people type and look for, where the command is a link to
 * the executable, or that has a version in its name.  Who starts a program can
 * choose it freely, so where it does not look like a name, or would hide a
 * file, it is the last part of the executable's path.  Pure; for any thread, async-signal-safe.
 */
#ifndef RECORD_PROGRAM_NAME_H
#define RECORD_PROGRAM_NAME_H

#include <stddef.h>

#define BINLOG_PROGRAM_NAME_MAX 64

static inline const char *binlog_last_part(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

/* Into one of them, which end in NUL; `argument` may be null or empty. */
static inline const char *binlog_program_name(
	const char *executable, const char *argument)
{
	const char *name = argument ? binlog_last_part(argument) : "";
	size_t i = 0;

	if (*name == '-') /* of a shell in which somebody logs in */
		name++;
	while (i <= BINLOG_PROGRAM_NAME_MAX && (unsigned char)name[i] > ' ' &&
		name[i] != 0x7f)
		i++;
	if (i > 0 && i <= BINLOG_PROGRAM_NAME_MAX && name[i] == '\0' &&
		*name != '-' && *name != '.')
		return name;
	return binlog_last_part(executable);
}

#endif
