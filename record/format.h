/*
 * The syntax of a printf format, as glibc reads it: one directive after the
 * other, and which arguments they take.  Called by the capturing side to
 * learn what to copy and by the reading side to render it, so both always
 * agree.  Freestanding: no libc call, no allocation, no lock, safe in signal
 * handlers; never reads beyond the format's end.
 */
#ifndef RECORD_FORMAT_H
#define RECORD_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/layout.h"
#include "record/libc.h"

/* More arguments than this are not captured with their types. */
#define FORMAT_ARGUMENTS_MAX 64
/* Those of a format and, before them, those that text.def adds. */
#define FORMAT_KINDS_MAX (FORMAT_ARGUMENTS_MAX + 8)

enum format_flag {
	FORMAT_MINUS = 1,
	FORMAT_PLUS = 2,
	FORMAT_SPACE = 4,
	FORMAT_ALTERNATE = 8, /* # */
	FORMAT_ZERO = 16,
	FORMAT_GROUP = 32, /* ' */
	FORMAT_I18N = 64,  /* I: the locale's own digits */
};

enum format_size {
	FORMAT_INT,	    /* no modifier */
	FORMAT_CHAR,	    /* hh */
	FORMAT_SHORT,	    /* h */
	FORMAT_LONG,	    /* l ll q j z Z t w64: all 64 bits here */
	FORMAT_LONG_DOUBLE, /* L, or ll and q before a floating conversion */
};

#define FORMAT_NONE (-1)

/* One "%..." of a format, or the plain text before the next one. */
struct format_directive {
	const char *text; /* where it begins, '%' included */
	size_t length;	  /* bytes of it */
	char conversion;  /* one of "duoxXbBeEfFgGaAcspnm"; 'C' and 'S' come */
			  /* as 'c', 's' with FORMAT_LONG; 'i' as 'd'; '%' */
			  /* for "%%"; 0 for plain text */
	uint8_t flags;	  /* enum format_flag */
	uint8_t size;	  /* enum format_size */
	int width;	  /* FORMAT_NONE: not given, or by argument */
	int precision;	  /* likewise; "%.d" has 0 */
	int width_argument;	/* indices into the argument list, */
	int precision_argument; /* or FORMAT_NONE */
	int argument;		/* FORMAT_NONE for "%%", "%m" and plain text */
};

/* Walks a format; keep it to yourself, set up by format_begin(). */
struct format_cursor {
	const char *at;
	const char *end;
	int next_argument; /* of the unnumbered style */
	bool general;	   /* glibc's second parser has taken over */
	uint32_t libc;	   /* whose conversions there are: record/libc.h */
};

/*
 * To capture a format is to read it as the libc does that will print it.  What
 * has been captured with types was defined there, so whoever reads that may
 * take every conversion for known.
 */
void format_begin_for(struct format_cursor *cursor, const char *format,
	size_t length, uint32_t libc);
void format_begin(
	struct format_cursor *cursor, const char *format, size_t length);

/*
 * The next piece of the format into *directive.  False at the end, or when
 * the next piece is not something that glibc defines (unknown conversion,
 * trailing '%', width beyond INT_MAX, number 0 in "%0$d", %w12d); then
 * `cursor->at` is still before the end.
 */
bool format_next(
	struct format_cursor *cursor, struct format_directive *directive);

/*
 * The kinds (enum binlog_argument) of the arguments that a call with this
 * format takes, in the order of the call; FORMAT_ARGUMENTS_MAX fit.  Each
 * "*" is an I32.  "%n" takes a pointer (I64).  If the format has "%m", one
 * I32 follows after all of them: errno at the call; *has_errno says so.
 * Returns the number of kinds including that one, or FORMAT_NONE when the
 * format cannot be captured with types: not defined (see format_next()),
 * numbered and unnumbered styles mixed, gaps in the numbers, one number used
 * with two kinds, or too many arguments.
 */
int format_arguments_for(const char *format, size_t length,
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1], bool *has_errno,
	uint32_t libc);
int format_arguments(const char *format, size_t length,
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1], bool *has_errno);

#endif
