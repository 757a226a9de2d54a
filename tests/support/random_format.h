/*
 * Random formats for printf, and arguments of the types that they take: the
 * common ones, the odd ones, and what only happens to begin with a "%".  For
 * tests; the same random_state gives the same samples.
 */
#ifndef TESTS_RANDOM_FORMAT_H
#define TESTS_RANDOM_FORMAT_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/format.h"
#include "tests/support/libc_print.h"
#include "tests/support/random_value.h"

#define RANDOM_FORMAT_BYTES 400

/* A format and what libc and others are given for it. */
struct random_sample {
	char format[RANDOM_FORMAT_BYTES];
	size_t length;
	struct render_argument arguments[FORMAT_ARGUMENTS_MAX + 1];
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	char roles[FORMAT_ARGUMENTS_MAX + 1]; /* conversion, or '*' */
	int count;
	bool has_errno;
};

/* What the arguments point to, by their index. */
static _Alignas(16) char random_strings[FORMAT_ARGUMENTS_MAX][RANDOM_BYTES];

/* The value of an int, by what uses it. */
static inline int32_t random_argument_int(char role)
{
	if (role == '*')
		return one_in(30) ? (int)below(600) - 300 : (int)below(60) - 20;
	if (role == 'C')
		return (int32_t)random_wide_character();
	if (role == 'm')
		return one_in(20) ? (int32_t)random_integer()
				  : (int)below(140) - 2;
	return (int32_t)random_integer();
}

static inline void random_argument(struct random_sample *sample, int index)
{
	struct render_argument *argument = &sample->arguments[index];
	char *data = random_strings[index % FORMAT_ARGUMENTS_MAX];
	char role = sample->roles[index];

	memset(argument, 0, sizeof(*argument));
	argument->kind = sample->kinds[index];
	argument->binary128 = LIBC_BINARY128;
	switch (argument->kind) {
	case BINLOG_ARG_I32:
		argument->i32 = random_argument_int(role);
		return;
	case BINLOG_ARG_I64:
		argument->i64 = role == 'n'  ? (intptr_t)data
				: one_in(10) ? 0
					     : (int64_t)random_integer();
		return;
	case BINLOG_ARG_F64:
		argument->f64 = random_double();
		return;
	case BINLOG_ARG_LONG_DOUBLE:
		random_long_double(data);
		break;
	case BINLOG_ARG_STRING:
		argument->bytes = random_string(data);
		break;
	case BINLOG_ARG_WIDE:
		argument->bytes = random_wide_string(data);
		break;
	}
	argument->data = data;
	if (argument->kind != BINLOG_ARG_LONG_DOUBLE && one_in(12)) {
		argument->null = true;
		argument->bytes = 0;
		argument->data = NULL;
	}
}

static inline void random_note_role(
	struct random_sample *sample, int index, char role)
{
	if (index == FORMAT_NONE || sample->roles[index] == '*' ||
		sample->roles[index] == 'n')
		return;
	sample->roles[index] = role;
}

static inline void random_arguments(struct random_sample *sample)
{
	struct format_directive directive;
	struct format_cursor cursor;
	bool wide;
	int i;

	memset(sample->roles, 0, sizeof(sample->roles));
	format_begin(&cursor, sample->format, sample->length);
	while (format_next(&cursor, &directive)) {
		wide = directive.conversion == 'c' &&
		       directive.size == FORMAT_LONG;
		random_note_role(sample, directive.width_argument, '*');
		random_note_role(sample, directive.precision_argument, '*');
		random_note_role(sample, directive.argument,
			wide ? 'C' : directive.conversion);
	}
	if (sample->has_errno)
		sample->roles[sample->count - 1] = 'm';
	for (i = 0; i < sample->count; i++)
		random_argument(sample, i);
}

static inline void random_add(struct random_sample *sample, const char *text)
{
	size_t size = strlen(text);

	if (sizeof(sample->format) - sample->length <= size)
		return;
	memcpy(sample->format + sample->length, text, size + 1);
	sample->length += size;
}

static inline void random_add_number(
	struct random_sample *sample, unsigned int number)
{
	char text[12];

	snprintf(text, sizeof(text), "%u", number);
	random_add(sample, text);
}

static inline void random_add_one_of(
	struct random_sample *sample, const char *characters)
{
	char text[2] = {characters[below((unsigned)strlen(characters))], 0};

	random_add(sample, text);
}

static inline void random_add_position(
	struct random_sample *sample, bool numbered)
{
	if (!numbered)
		return;
	random_add_number(sample, 1 + below(3));
	random_add(sample, "$");
}

static inline void random_add_size(struct random_sample *sample)
{
	static const char *const sizes[] = {"h", "hh", "l", "ll", "q", "L", "j",
		"z", "Z", "t", "w8", "w16", "w32", "w64", "wf8", "wf16", "wf32",
		"wf64", "w12", "w"};

	if (one_in(2))
		random_add(
			sample, sizes[below(sizeof(sizes) / sizeof(*sizes))]);
}

static inline void random_add_directive(
	struct random_sample *sample, bool numbered)
{
	random_add(sample, "%");
	random_add_position(sample, numbered);
	while (one_in(3))
		random_add_one_of(sample, "-+ #0'I");
	if (one_in(10)) {
		random_add(sample, "*");
		random_add_position(sample, numbered);
	} else if (one_in(2)) {
		if (one_in(500))
			random_add(sample, "2147483648"); /* too much */
		else
			random_add_number(
				sample, 1 + below(one_in(4000)	? 70000
						    : one_in(9) ? 400
								: 30));
	}
	if (one_in(2)) {
		random_add(sample, ".");
		if (one_in(6)) {
			random_add(sample, "*");
			random_add_position(sample, numbered);
		} else if (!one_in(8)) {
			random_add_number(sample, below(one_in(999)    ? 18000
							  : one_in(20) ? 1200
							  : one_in(9)  ? 60
								       : 20));
		}
	}
	random_add_size(sample);
	random_add_one_of(sample, "diouxXbBeEfFgGaAeEfFgGaAcCsSpnm%fdgsxuo");
}

static inline void random_format(struct random_sample *sample)
{
	static const char *const texts[] = {" text ", " text ", ", ", "=",
		", \xff=", "\xc3\xa4\xe2\x82\xac: "};
	unsigned int count = 1 + below(4);
	bool numbered = one_in(8);

	sample->length = 0;
	while (count-- > 0) {
		if (one_in(2))
			random_add(sample, texts[below(6)]);
		random_add_directive(sample, numbered);
	}
	if (one_in(2))
		random_add(sample, "|\n");
}

static inline bool random_has_number(
	const char *format, uint64_t lowest, uint64_t highest)
{
	uint64_t number;
	char *end;

	while (*(format += strcspn(format, "0123456789")) != '\0') {
		number = strtoull(format, &end, 10);
		if (number >= lowest && number <= highest)
			return true;
		format = end;
	}
	return false;
}

/* Anything that could stand in a format, in any order. */
static inline void random_soup(struct random_sample *sample)
{
	unsigned int count = 1 + below(12);

	sample->length = 0;
	random_add(sample, "%");
	while (count-- > 0) {
		if (one_in(60))
			random_add(sample,
				one_in(2) ? "2147483648" : "99999999999");
		else if (one_in(3))
			random_add_one_of(sample, "diouxXeEfFgGaAcCsSpnm%bB");
		else
			random_add_one_of(
				sample, "%%%%%-+ #0'I*.0123459$$hlLqjzZtyw ");
	}
}

/* One or the other, with what format_arguments() says of it. */
static inline void random_any_format(struct random_sample *sample)
{
	if (one_in(5)) {
		/* A larger one could number an argument beyond our slots. */
		do
			random_soup(sample);
		while (random_has_number(sample->format, 1000, INT_MAX));
	} else {
		random_format(sample);
	}
	sample->count = format_arguments_for(sample->format, sample->length,
		sample->kinds, &sample->has_errno, libc_here());
}

#endif
