/*
 * Random samples for formats.c: a format and arguments that libc may be given
 * for it, strings in places where nothing may be read behind them.
 */
#ifndef FORMATS_SAMPLE_H
#define FORMATS_SAMPLE_H

#include <sys/mman.h>

#include "tests/support/random_format.h"
#include "tests/victims/formats.h"

#define LONG_BYTES (200u << 10)
#define POOL 20000u /* formats that come again and again */
#define PAGE 65536u /* of the largest kind */
#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))
/* An address that is also a harmless width, precision and string. */
#define LOW_ADDRESS 0x10000ul
#define TARGET_ADDRESS (LOW_ADDRESS + PAGE / 2) /* of "%n" */

static const char *const constant_formats[] = {
	"constant %s\n",
#include FORMATS_TABLE
};
static const char constant_long[] = {[0 ... 5000] = 'c', '\0'};
static _Alignas(16) uint64_t slots[LIBC_SLOTS];
static char *heap_format, *long_text, *regions;

/* What a call may write to, besides its text. */
static uint64_t *written[FORMAT_ARGUMENTS_MAX + 1];
static uint64_t wanted[FORMAT_ARGUMENTS_MAX + 1];
static int written_count;

static void clear_written(void)
{
	for (int k = 0; k < written_count; k++)
		*written[k] = 0x7878787878787878u;
	if (written_count > 0 && (uintptr_t)written[0] == LOW_ADDRESS)
		*written[0] = 0x78787878u; /* as a string it ends */
}

static void note_written(void)
{
	for (int k = 0; k < written_count; k++)
		wanted[k] = *written[k];
}

static bool same_written(void)
{
	for (int k = 0; k < written_count; k++)
		if (*written[k] != wanted[k])
			return false;
	return true;
}

/* How many elements of a string argument may be read; -1: to its end. */
static int64_t readable(const struct random_sample *sample, int index)
{
	struct format_directive directive;
	struct format_cursor cursor;
	int64_t most = 0, precision;

	format_begin(&cursor, sample->format, sample->length);
	while (format_next(&cursor, &directive)) {
		if (directive.argument != index)
			continue;
		precision = directive.precision;
		if (directive.precision_argument != FORMAT_NONE)
			precision =
				sample->arguments[directive.precision_argument]
					.i32;
		if (precision < 0)
			return -1;
		if (precision > most)
			most = precision;
	}
	return most;
}

/* To where the next page cannot be read; without a terminator if possible. */
static void place_at_end(struct random_sample *sample, int index, unsigned unit)
{
	struct render_argument *argument = &sample->arguments[index];
	size_t bytes = argument->bytes + unit;
	int64_t most = readable(sample, index);
	char *to = regions + (size_t)index * 2 * PAGE + PAGE;

	if (most >= 0 && (uint64_t)most * unit < bytes)
		bytes = (size_t)most * unit;
	argument->data = memcpy(to - bytes, argument->data, bytes);
}

/* A wide printf reads so many characters of a string, not bytes. */
static bool has_other_unit(const struct render_argument *argument, bool wide)
{
	const char *s = argument->data;

	for (uint32_t k = 0; wide && k < argument->bytes; k++)
		if (s[k] & 0x80)
			return true;
	return false;
}

static void place_string(struct random_sample *sample, int index, bool wide)
{
	struct render_argument *argument = &sample->arguments[index];

	if (argument->null)
		return;
	if (argument->kind == BINLOG_ARG_WIDE) {
		if (one_in(4))
			argument->data =
				constant_wide[below(COUNT_OF(constant_wide))];
		else if (one_in(3))
			place_at_end(sample, index, sizeof(wchar_t));
		return;
	}
	if (one_in(4))
		argument->data =
			constant_formats[below(COUNT_OF(constant_formats))];
	else if (one_in(1000))
		argument->data = long_text + below(LONG_BYTES / 2);
	else if (one_in(500))
		argument->data = constant_long + below(3000);
	else if (one_in(3) && !has_other_unit(argument, wide))
		place_at_end(sample, index, 1);
}

/*
 * What becomes of WEOF, and of a byte that is no character, depends on how
 * full the buffer of a wide FILE is.
 */
static void clear_weof(struct random_sample *sample)
{
	struct format_directive directive;
	struct format_cursor cursor;
	int32_t *value;

	format_begin(&cursor, sample->format, sample->length);
	while (format_next(&cursor, &directive)) {
		if (directive.conversion != 'c')
			continue;
		value = &sample->arguments[directive.argument].i32;
		if (directive.size != FORMAT_LONG || *value == (int)WEOF)
			*value &= 127;
	}
}

static void set_arguments(struct random_sample *sample, bool wide, int *error)
{
	random_arguments(sample);
	if (wide)
		clear_weof(sample);
	written_count = 0;
	for (int k = 0; k < sample->count; k++) {
		if (sample->kinds[k] == BINLOG_ARG_STRING ||
			sample->kinds[k] == BINLOG_ARG_WIDE)
			place_string(sample, k, wide);
		if (sample->roles[k] != 'n')
			continue;
		/* At a place that is the same in every run: the address may
		 * be printed as well. */
		written[written_count] = (uint64_t *)TARGET_ADDRESS + k;
		sample->arguments[k].i64 = (intptr_t)written[written_count++];
	}
	libc_print_fill(slots, sample->arguments, (size_t)sample->count);
	if (sample->has_errno)
		*error = sample->arguments[sample->count - 1].i32;
}

/* Formats that leave open what their arguments are: what libc does. */
static bool set_any_arguments(const struct random_sample *sample)
{
	/* What one number with two types prints is chance; what "%n" writes,
	 * the same slot would print; and "*" is many blanks. */
	if (strchr(sample->format, '$') != NULL ||
		(strchr(sample->format, 'n') != NULL &&
			strpbrk(sample->format, "sS") != NULL) ||
		(strchr(sample->format, '*') != NULL && !one_in(20)))
		return false;
	for (unsigned k = 0; k < LIBC_SLOTS; k++)
		slots[k] = LOW_ADDRESS;
	written[0] = (uint64_t *)LOW_ADDRESS;
	written_count = 1;
	return true;
}

/* One of the formats of the pool, or a new one. */
static void any_format(struct random_sample *sample)
{
	uint64_t state = next_random();

	if (!one_in(50))
		random_state = one_in(2) ? below(POOL) : below(POOL / 100);
	if (one_in(8)) {
		do
			random_soup(sample);
		while (random_has_number(sample->format, 1000, INT_MAX));
	} else {
		random_format(sample);
	}
	random_state = state;
}

/* Null: it is not in constant memory. */
static const char *choose_format(struct random_sample *sample)
{
	unsigned count = COUNT_OF(constant_formats);
	const char *constant;

	if (!one_in(3)) {
		any_format(sample);
		return NULL;
	}
	/* A few of them often. */
	constant =
		constant_formats[below(one_in(2) && count > 50 ? 50 : count)];
	sample->length = strlen(constant);
	memcpy(sample->format, constant, sample->length + 1);
	return constant;
}

/* Where it then is. */
static const char *random_sample(
	struct random_sample *sample, bool wide, int *error)
{
	static char elsewhere[RANDOM_FORMAT_BYTES];
	const char *format;

	do {
		format = choose_format(sample);
		sample->count =
			format_arguments_for(sample->format, sample->length,
				sample->kinds, &sample->has_errno, libc_here());
		if (sample->count != FORMAT_NONE)
			set_arguments(sample, wide, error);
	} while (sample->count == FORMAT_NONE && !set_any_arguments(sample));
	if (format == NULL)
		format = memcpy(one_in(3) ? elsewhere : heap_format,
			sample->format, sample->length + 1);
	return format;
}

/* A fortified libc aborts at "%n", and at gaps in the numbers. */
static bool passes_checks(const struct random_sample *sample)
{
	struct format_directive directive;
	struct format_cursor cursor;

	if (strchr(sample->format, 'n') != NULL)
		return false;
	if (strchr(sample->format, '$') == NULL)
		return true;
	/* "%3$m" counts as an argument that nothing uses. */
	format_begin(&cursor, sample->format, sample->length);
	while (format_next(&cursor, &directive))
		if (directive.conversion != 0 &&
			directive.argument == FORMAT_NONE)
			return false;
	return true;
}

/* The same for a wide printf; what is not ASCII becomes any character. */
static void widen(const struct random_sample *sample, wchar_t *wide)
{
	size_t k;

	for (k = 0; k < sample->length; k++) {
		wide[k] = (unsigned char)sample->format[k];
		if (wide[k] >= 0x80)
			wide[k] = (wchar_t)(0x80 | random_wide_character());
	}
	wide[k] = 0;
}

static void make_places(void)
{
	char *low = mmap((void *)LOW_ADDRESS, PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	size_t size = (FORMAT_ARGUMENTS_MAX + 1) * 2 * (size_t)PAGE;

	regions = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (low == MAP_FAILED || regions == MAP_FAILED)
		abort();
	for (size_t at = PAGE; at < size; at += 2 * PAGE)
		mprotect(regions + at, PAGE, PROT_NONE);
	heap_format = malloc(RANDOM_FORMAT_BYTES);
	long_text = malloc(LONG_BYTES);
	for (unsigned k = 0; k < LONG_BYTES; k++)
		long_text[k] = (char)('a' + k % 23);
	long_text[LONG_BYTES - 1] = '\0';
}

#endif
