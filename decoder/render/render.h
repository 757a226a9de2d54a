/*
 * Renders a printf format with captured arguments, byte for byte as the glibc
 * would have printed them that the program ran with, without handing the
 * format to libc.  Called by the reader for each message.  Any format with any
 * arguments is safe: what does not fit is given verbatim and the outcome says
 * so.
 */
#ifndef DECODER_RENDER_H
#define DECODER_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"

struct render_argument {
	uint8_t kind;	/* enum binlog_argument */
	bool null;	/* STRING, WIDE: a null pointer */
	bool binary128; /* LONG_DOUBLE: as aarch64 stores it, */
			/* otherwise as x86-64 does */
	uint32_t bytes; /* STRING, WIDE: of data, no terminator */
	union {
		int32_t i32;
		int64_t i64;
		double f64;
		const void *data; /* STRING, WIDE (4 bytes each, any */
				  /* alignment), LONG_DOUBLE (16 bytes); */
				  /* stays the caller's */
	};
};

/* As localeconv() has them; UTF-8. */
struct render_locale {
	const char *decimal_point;
	const char *thousands;
	const char *grouping;
};

/* In the order of severity; the worst is returned. */
enum render_outcome {
	RENDER_COMPLETE,
	RENDER_CUT,	  /* padding, or the end, beyond the limit left out */
	RENDER_BROKEN,	  /* not a character in %lc or %ls: the text ends */
			  /* there, as that of snprintf(), which returned -1 */
	RENDER_UNDEFINED, /* the format is not defined from some directive */
			  /* on: that and all the rest is given verbatim */
	RENDER_MISMATCH,  /* no such argument, or of another kind than the */
			  /* directive takes: likewise verbatim */
	RENDER_NO_MEMORY, /* something is missing in the buffer */
};

/*
 * Appends to *out the text of format[0..length) with `count` arguments, in
 * the order and of the kinds that format_arguments() tells (the errno for %m
 * last, %n's pointer among them and not printed).  `locale` may be NULL: C.
 * Wide characters become UTF-8.  `libc` is that of the program, record/libc.h.
 * Returns an enum render_outcome.
 */
int render_format(struct render_buffer *out, const char *format, size_t length,
	const struct render_argument *arguments, size_t count,
	const struct render_locale *locale, uint32_t libc);

#endif
