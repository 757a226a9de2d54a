/*
 * A format taken apart: each step is plain text and then a directive, and most
 * directives have a short way into the buffer.  Made by render_plan.c for
 * formats that are used often; the text is that of render_format().
 */
#ifndef DECODER_RENDER_STEP_H
#define DECODER_RENDER_STEP_H

#include "decoder/render/render.h"

#define RENDER_STEP_WIDTH_MAX 32
#define RENDER_STEP_BYTES 64u /* that a step can have beside its strings */
#define RENDER_STEP_ALL UINT8_MAX
#define RENDER_STEP_CHUNK 16u /* text is copied so many bytes at a time */

enum render_how {
	RENDER_HOW_GENERAL, /* by render_directive.c */
	RENDER_HOW_SIGNED,
	RENDER_HOW_SIGNED_LONG,
	RENDER_HOW_UNSIGNED,
	RENDER_HOW_UNSIGNED_LONG,
	RENDER_HOW_HEX,
	RENDER_HOW_HEX_LONG,
	RENDER_HOW_POINTER,
	RENDER_HOW_STRING,
	RENDER_HOW_STRING_STAR, /* the precision is an argument */
	RENDER_HOW_CHARACTER,
	RENDER_HOW_FIXED,
};

/* Plain text, and then a directive. */
struct render_step {
	uint16_t text;	    /* bytes of it */
	uint16_t directive; /* where it begins in the format */
	uint8_t how;	    /* enum render_how */
	uint8_t argument;
	uint8_t kind;	/* enum binlog_argument, that it must be of */
	uint8_t places; /* behind the point; of a string its precision, or */
			/* RENDER_STEP_ALL, or which argument that is */
	uint8_t width;	/* 0: none */
	uint8_t flags;	/* enum format_flag */
	uint8_t used;	/* arguments before it, as in struct render_call */
	uint8_t next;	/* these as in struct format_cursor */
	bool general;
};

struct render_steps {
	const char *format;
	size_t length;
	size_t end;  /* where what glibc does not define begins */
	size_t room; /* for all text but that of strings and general ones */
	const struct render_step *step;
	size_t count;
	const char *text; /* of all; a chunk more than it can be read */
	size_t rest;	  /* bytes of it after the last directive */
};

/*
 * Appends the text of the whole format.  Returns an enum render_outcome;
 * `out` must not want to know its pieces.
 */
int render_step_put_all(const struct render_steps *steps,
	struct render_buffer *out, const struct render_argument *arguments,
	size_t count, uint32_t libc);

#endif
