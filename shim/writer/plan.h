/*
 * A plan: a format, parsed once, as the list of what a call with it has to
 * copy, and of how to tell the length of its text without making the text.
 * Made on the slow path, read on the hot one.
 */
#ifndef SHIM_PLAN_H
#define SHIM_PLAN_H

#include "record/format.h"

/* How an argument adds to the length of the text. */
enum plan_measure {
	MEASURE_NOTHING,   /* measured by libc, or errno */
	MEASURE_WIDTH,	   /* a "*": sets the width of the next one */
	MEASURE_PRECISION, /* a ".*" */
	MEASURE_SIGNED,
	MEASURE_UNSIGNED,
	MEASURE_HEX,
	MEASURE_OCTAL,
	MEASURE_POINTER,
	MEASURE_CHARACTER,
	MEASURE_STRING,
	MEASURE_FIXED, /* %f */
};

/* How an argument is copied: the frequent cases, and all others. */
enum plan_step {
	STEP_GENERAL,
	STEP_SIGNED,	    /* an int, "%d" or "%5d" */
	STEP_UNSIGNED,	    /* an unsigned int, "%u" */
	STEP_HEX,	    /* "%x" or "%02x" */
	STEP_LONG,	    /* 64 bits, "%ld" */
	STEP_LONG_UNSIGNED, /* "%zu" */
	STEP_CHARACTER,	    /* "%c" */
	STEP_STRING,	    /* "%s" or "%-10s" */
	STEP_FIXED,	    /* a double, "%f" or "%.3f" */
};

/* Whether what a format makes ends in a newline. */
enum plan_ending {
	ENDING_UNKNOWN, /* it may, or has one in its middle */
	ENDING_PIECE,	/* no: it is a piece of a line */
	ENDING_LAST,	/* if the last string or character among its */
			/* arguments does */
};

struct plan_argument {
	uint8_t step;	 /* enum plan_step */
	uint8_t kind;	 /* enum binlog_argument */
	uint8_t measure; /* enum plan_measure */
	uint8_t flags;	 /* enum format_flag */
	uint8_t bits;	 /* of an integer: 8, 16, 32, 64 */
	uint32_t least;	 /* bytes of an integer's text, by its width */
	int32_t width;	 /* FORMAT_NONE: none */
	int32_t precision;
	/* A string that is constant and defined: recorded by its id. */
	uint32_t constant_id;
	uint32_t constant_bytes;
	const char *constant;
};

struct fast_step;

/* What fast_code.c makes of it, by how many arguments have names, and whether
 * it is a piece of a line. */
struct plan_made {
	const struct fast_step *steps[3][2];
	uint32_t literal[3][2];
};

struct plan {
	struct plan_made *made; /* null: there was no memory for it */
	uint32_t literal;	/* bytes of plain text */
	uint32_t fixed;		/* bytes of the arguments in a record, with */
				/* the length words of strings */
	uint16_t count;		/* of arguments */
	bool at_once;		/* cannot be captured with types */
	bool measured;		/* false: libc has to tell the length */
	bool has_errno;		/* one I32 after the arguments */
	bool has_decimal;	/* depends on the locale's decimal point */
	bool has_wide;		/* depends on the locale's character set */
	bool has_string;	/* of bytes */
	bool plain;		/* none of these */
	uint8_t ending;		/* enum plan_ending */
	bool has_secret;	/* by its name: see rules/rule_redact.h */
	struct plan_argument argument[];
};

/* The program has directives of its own (register_printf_specifier). */
extern bool plan_always_at_once;

/* The plan for a format; null when there is no memory. */
struct plan *plan_make(const char *format, uint32_t length);

/* Writes the kinds of all arguments, errno included; returns their number. */
unsigned plan_kinds(
	const struct plan *plan, uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1]);

#endif
