/*
 * What formats.c calls, natively and to be recorded, narrow and wide, and
 * calls whose arguments stand in the source: in registers, on the stack, and
 * both.
 */
#ifndef FORMATS_H
#define FORMATS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int __vprintf_chk(int, const char *, va_list);
int __vfprintf_chk(FILE *, int, const char *, va_list);
int __vdprintf_chk(int, int, const char *, va_list);
int __printf_chk(int, const char *, ...);
int __fprintf_chk(FILE *, int, const char *, ...);
int __dprintf_chk(int, int, const char *, ...);
int _IO_printf(const char *, ...);
int _IO_fprintf(FILE *, const char *, ...);
int _IO_vfprintf(FILE *, const char *, va_list);
int __vwprintf_chk(int, const wchar_t *, va_list);
int __vfwprintf_chk(FILE *, int, const wchar_t *, va_list);
int __wprintf_chk(int, const wchar_t *, ...);
int __fwprintf_chk(FILE *, int, const wchar_t *, ...);

enum way {
	WAY_TRUTH, /* libc itself, to the file of what is expected */
	WAY_TRUTH_ERROR,
	WAY_TRUTH_DESCRIPTOR, /* the same, to their descriptors */
	WAY_TRUTH_DESCRIPTOR_ERROR,
	WAY_PRINTF,
	WAY_FPRINTF,
	WAY_FPRINTF_ERROR,
	WAY_DPRINTF,
	WAY_DPRINTF_ERROR,
	WAY_IO_PRINTF,
	WAY_IO_FPRINTF_ERROR,
	WAY_PRINTF_CHK, /* from here on with checks */
	WAY_FPRINTF_CHK,
	WAY_FPRINTF_CHK_ERROR,
	WAY_DPRINTF_CHK,
	WAY_DPRINTF_CHK_ERROR,
	WAYS,
};

static const struct {
	const char *name;
	bool to_error, by_descriptor;
} ways[WAYS] = {
	[WAY_PRINTF] = {"printf", false, false},
	[WAY_FPRINTF] = {"fprintf", false, false},
	[WAY_FPRINTF_ERROR] = {"fprintf", true, false},
	[WAY_DPRINTF] = {"dprintf", false, true},
	[WAY_DPRINTF_ERROR] = {"dprintf", true, true},
	[WAY_IO_PRINTF] = {"_IO_printf", false, false},
	[WAY_IO_FPRINTF_ERROR] = {"_IO_fprintf", true, false},
	[WAY_PRINTF_CHK] = {"__printf_chk", false, false},
	[WAY_FPRINTF_CHK] = {"__fprintf_chk", false, false},
	[WAY_FPRINTF_CHK_ERROR] = {"__fprintf_chk", true, false},
	[WAY_DPRINTF_CHK] = {"__dprintf_chk", false, true},
	[WAY_DPRINTF_CHK_ERROR] = {"__dprintf_chk", true, true},
};

/* Not what is preloaded, but what it stands before. */
static struct {
	int (*fprintf)(FILE *, const char *, ...);
	int (*vfprintf)(FILE *, const char *, va_list);
	int (*dprintf)(int, const char *, ...);
	int (*vdprintf)(int, const char *, va_list);
	int (*fwprintf)(FILE *, const wchar_t *, ...);
	int (*vfwprintf)(FILE *, const wchar_t *, va_list);
	int (*fflush)(FILE *);
} truth;

/* Returns what the function that is meant does, with `v` before its name or
 * without, and `w` in it or without. */
#define CALL_TRUTH(v, w, way, ...)                                             \
	case WAY_TRUTH:                                                        \
		return truth.v##f##w##printf(expected[0], __VA_ARGS__);        \
	case WAY_TRUTH_ERROR:                                                  \
		return truth.v##f##w##printf(expected[1], __VA_ARGS__);
#define CALL_FILE(v, w, way, ...)                                              \
	case WAY_PRINTF:                                                       \
		return v##w##printf(__VA_ARGS__);                              \
	case WAY_FPRINTF:                                                      \
		return v##f##w##printf(stdout, __VA_ARGS__);                   \
	case WAY_FPRINTF_ERROR:                                                \
		return v##f##w##printf(stderr, __VA_ARGS__);                   \
	case WAY_PRINTF_CHK:                                                   \
		return __##v##w##printf_chk(1, __VA_ARGS__);                   \
	case WAY_FPRINTF_CHK:                                                  \
		return __##v##f##w##printf_chk(stdout, 1, __VA_ARGS__);        \
	case WAY_FPRINTF_CHK_ERROR:                                            \
		return __##v##f##w##printf_chk(stderr, 1, __VA_ARGS__);
#define CALL_NARROW(v, way, ...)                                               \
	case WAY_TRUTH_DESCRIPTOR:                                             \
		return truth.v##dprintf(fileno(expected[0]), __VA_ARGS__);     \
	case WAY_TRUTH_DESCRIPTOR_ERROR:                                       \
		return truth.v##dprintf(fileno(expected[1]), __VA_ARGS__);     \
	case WAY_DPRINTF:                                                      \
		return v##dprintf(1, __VA_ARGS__);                             \
	case WAY_DPRINTF_ERROR:                                                \
		return v##dprintf(2, __VA_ARGS__);                             \
	case WAY_IO_PRINTF:                                                    \
		return _IO_##v##printf(__VA_ARGS__);                           \
	case WAY_IO_FPRINTF_ERROR:                                             \
		return _IO_##v##fprintf(stderr, __VA_ARGS__);                  \
	case WAY_DPRINTF_CHK:                                                  \
		return __##v##dprintf_chk(1, 1, __VA_ARGS__);                  \
	case WAY_DPRINTF_CHK_ERROR:                                            \
		return __##v##dprintf_chk(2, 1, __VA_ARGS__);
#define CALL(v, way, ...)                                                      \
	switch (way) {                                                         \
		CALL_TRUTH(v, , way, __VA_ARGS__)                              \
		CALL_FILE(v, , way, __VA_ARGS__)                               \
		CALL_NARROW(v, way, __VA_ARGS__)                               \
	default:                                                               \
		abort();                                                       \
	}
#define CALL_WIDE(v, way, ...)                                                 \
	switch (way) {                                                         \
		CALL_TRUTH(v, w, way, __VA_ARGS__)                             \
		CALL_FILE(v, w, way, __VA_ARGS__)                              \
	default:                                                               \
		abort();                                                       \
	}
#define _IO_vprintf(format, list) _IO_vfprintf(stdout, format, list)

/* The values of genuine arguments, new ones for each call. */
static const wchar_t *const constant_wide[] = {
	L"", L"wide", L"\x20ac\x20ac", L"\xe4 and \x10ffff"};

static int i[16];
static long l[16];
static double d[20];
static long double q[8];
static const char *s[12];
static void *p[4];
static long n[2];

#define CASES(X)                                                               \
	X("%d\n", i[0])                                                        \
	X("%d %u %x %o %i\n", i[0], i[1], i[2], i[3], i[4])                    \
	X("%ld %lu %lx %lo %li %zd %jx %td\n", l[0], l[1], l[2], l[3], l[4],   \
		l[5], l[6], l[7])                                              \
	X("%d %ld %d %ld %d %ld %d %ld %d %ld\n", i[0], l[0], i[1], l[1],      \
		i[2], l[2], i[3], l[3], i[4], l[4])                            \
	X("%hhd %hd %hhu %hx %c|%c\n", i[0], i[1], i[2], i[3], i[4] & 127,     \
		i[5] & 127)                                                    \
	X("%5d|%-5d|%05d|%+d|% d|%.3d|%#x|%#o\n", i[0], i[1], i[2], i[3],      \
		i[4], i[5], i[6], i[7])                                        \
	X("%*d|%-*d|%.*d|%*.*d\n", i[8] & 63, i[0], i[9] & 63, i[1],           \
		i[10] & 63, i[2], i[11] & 63, i[12] & 15, i[3])                \
	X("%s\n", s[0])                                                        \
	X("%s %s %s %s %s %s %s %s\n", s[0], s[1], s[2], s[3], s[4], s[5],     \
		s[6], s[7])                                                    \
	X("%s=%d %s=%d %s=%d %s=%d\n", s[0], i[0], s[1], i[1], s[2], i[2],     \
		s[3], i[3])                                                    \
	X("%.3s|%10s|%-10s|%.*s|%*s\n", s[0], s[1], s[2], i[8] & 31, s[3],     \
		i[9] & 31, s[4])                                               \
	X("%*s|%*.0d|%.*s\n", -(i[8] & 1), "", -(i[9] & 3), 0, -(i[10] & 7),   \
		s[0])                                                          \
	X("%.*m|%s|%*%|%s\n", 3, s[0], 5, s[1])                                \
	X("%p %p %p %p\n", p[0], p[1], p[2], p[3])                             \
	X("%f\n", d[0])                                                        \
	X("%.2f %.0f %.9f\n", d[0], d[1], d[2])                                \
	X("%g %e %f %a %G %E %F %A\n", d[0], d[1], d[2], d[3], d[4], d[5],     \
		d[6], d[7])                                                    \
	X("%f %f %f %f %f %f %f %f %f %f %f %f\n", d[0], d[1], d[2], d[3],     \
		d[4], d[5], d[6], d[7], d[8], d[9], d[10], d[11])              \
	X("%d %f %d %f %d %f %d %f %d %f %d %f %d %f %d %f %d %f %d %f\n",     \
		i[0], d[0], i[1], d[1], i[2], d[2], i[3], d[3], i[4], d[4],    \
		i[5], d[5], i[6], d[6], i[7], d[7], i[8], d[8], i[9], d[9])    \
	X("%s %f %ld %c %g\n", s[0], d[0], l[0], i[0] & 127, d[1])             \
	X("%5.1f|%-12.3f|%+.4f|% f|%010.2f\n", d[0], d[1], d[2], d[3], d[4])   \
	X("%*.*f|%.*f\n", i[8] & 31, i[9] & 15, d[0], i[10] & 15, d[1])        \
	X("%Lf\n", q[0])                                                       \
	X("%Lg %Le %La %Lf %Lg\n", q[0], q[1], q[2], q[3], q[4])               \
	X("%d %Lg %d\n", i[0], q[0], i[1])                                     \
	X("%Lg %f %Lg %f %s\n", q[0], d[0], q[1], d[1], s[0])                  \
	X("%d %d %d %d %d %d %d %Lg %d %Lg\n", i[0], i[1], i[2], i[3], i[4],   \
		i[5], i[6], q[0], i[7], q[1])                                  \
	X("%f %f %f %f %f %f %f %f %f %Lg %f %Lg\n", d[0], d[1], d[2], d[3],   \
		d[4], d[5], d[6], d[7], d[8], q[0], d[9], q[1])                \
	X("%s %s %s %s %s %s %Lg %s %f\n", s[0], s[1], s[2], s[3], s[4], s[5], \
		q[0], s[6], d[0])                                              \
	X("%2$s %1$d\n", i[0], s[0])                                           \
	X("%3$f %1$d %2$s %1$x %3$g\n", i[0], s[0], d[0])                      \
	X("%1$*2$d|%3$.*2$f|%4$Lg\n", i[0], i[8] & 31, d[0], q[0])             \
	X("%s: %m\n", s[0])                                                    \
	X("%m|%lc\n", 0xd800 | (i[0] & 0x7ff))                                 \
	X("%d %m %s %m\n", i[0], s[0])                                         \
	X("%s%ln %d%ln\n", s[0], &n[0], i[0], &n[1])                           \
	X("%'d %'ld %'f %'Lf\n", i[0], l[0], d[0] / 1e200, q[0] / q[1])        \
	X("%ls|%lc|%S|%C\n", constant_wide[i[0] & 1], i[1] & 127,              \
		constant_wide[i[2] & 3], i[3] & 0xfff)                         \
	X("%d%%%s%%\n", i[0], s[0])                                            \
	X("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", i[0], i[1],     \
		i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9], i[10], i[11],  \
		i[12], i[13], i[14], i[15])

#endif
