/*
 * Calls the printf of this libc with arguments that are only known at run
 * time: the oracle of the renderer's tests.  The list is laid out by hand as
 * if all registers were used up, so that every argument comes from memory.
 */
#ifndef TESTS_LIBC_PRINT_H
#define TESTS_LIBC_PRINT_H

#include <errno.h>
#include <float.h>
#include <gnu/libc-version.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/render/render.h"
#include "record/layout.h"
#include "record/libc.h"

#define LIBC_SLOTS 2048 /* of 8 bytes */

/* Its version, as record/libc.h counts. */
static inline uint32_t libc_here(void)
{
	static uint32_t here;
	unsigned int major, minor;

	if (here == 0 &&
		sscanf(gnu_get_libc_version(), "%u.%u", &major, &minor) == 2)
		here = LIBC_VERSION(major, minor);
	return here;
}

/* What LONG_DOUBLE arguments of this machine are. */
#define LIBC_BINARY128 (LDBL_MANT_DIG == 113)

#if defined(__aarch64__)
struct libc_list {
	void *stack;
	void *registers[2];
	int offsets[2];
};
#define LIBC_LIST(slots)                                                       \
	{                                                                      \
		slots, {slots, slots},                                         \
		{                                                              \
			0, 0                                                   \
		}                                                              \
	}
#else
struct libc_list {
	unsigned int offsets[2];
	void *stack;
	void *registers;
};
#define LIBC_LIST(slots)                                                       \
	{                                                                      \
		{48, 176}, slots, slots                                        \
	}
#endif

/* 16-byte aligned `slots` hold the arguments.  Returns as vsnprintf does. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static inline int libc_print_slots(char *to, size_t room, const char *format,
	uint64_t slots[LIBC_SLOTS], int error)
{
	const struct libc_list image = LIBC_LIST(slots);
	va_list list;

	_Static_assert(sizeof(image) == sizeof(list), "");
	memcpy(&list, &image, sizeof(list));
	to[0] = '\0';
	errno = error;
	return vsnprintf(to, room, format, list);
}
#pragma GCC diagnostic pop

/* Where libc will look for them; strings must end with their terminator. */
static inline void libc_print_fill(uint64_t slots[LIBC_SLOTS],
	const struct render_argument *arguments, size_t count)
{
	size_t at = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		if (arguments[i].kind == BINLOG_ARG_LONG_DOUBLE) {
			at += at & 1;
			memcpy(&slots[at], arguments[i].data, 16);
			at += 2;
			continue;
		}
		slots[at] = 0;
		if (arguments[i].kind == BINLOG_ARG_I32)
			memcpy(&slots[at], &arguments[i].i32, 4);
		else
			memcpy(&slots[at], &arguments[i].i64, 8);
		at++;
	}
}

/* One binary128 with a format without flags; false if this libc cannot. */
#if __HAVE_FLOAT128
static inline bool libc_print_binary128(
	char *to, size_t room, const char *format, const uint64_t bits[2])
{
	__extension__ _Float128 value;

	memcpy(&value, bits, sizeof(value));
	return strfromf128(to, room, format, value) >= 0;
}
#else
static inline bool libc_print_binary128(
	char *to, size_t room, const char *format, const uint64_t bits[2])
{
	(void)to, (void)room, (void)format, (void)bits;
	return false;
}
#endif

#endif
