/*
 * Random formats with random arguments: the renderer against the snprintf of
 * this libc.  `fuzz_render [SEED [COUNT]]`; prints the seed and the first
 * mismatches, exits with 1 if there were any.  LC_NUMERIC of the environment
 * counts (for "%'d"), which must be one of UTF-8.
 */
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <wchar.h>

#include "decoder/render.h"
#include "record/format.h"
#include "tests/libc_print.h"
#include "tests/random_value.h"

#define FORMAT_BYTES 400
#define TEXT_BYTES (1u << 20)
#define MISMATCHES_MAX 5
#define HOSTILE_LIMIT 4000u
/* Padding and text up to the limit, the strings, and one long number. */
#define HOSTILE_TEXT_MAX (2 * HOSTILE_LIMIT + 8 * RANDOM_BYTES + 8000u)
/* An address that is also a harmless width, precision and string. */
#define LOW_ADDRESS 0x10000ul
#define LOW_BYTES 65536u

static _Alignas(16) uint64_t slots[LIBC_SLOTS];
static char expected[TEXT_BYTES];
static _Alignas(16) char strings[FORMAT_ARGUMENTS_MAX][RANDOM_BYTES];
static char *low_memory;

/* A format and what libc and the renderer are given for it. */
struct sample {
	char format[FORMAT_BYTES];
	size_t length;
	struct render_argument arguments[FORMAT_ARGUMENTS_MAX + 1];
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	char roles[FORMAT_ARGUMENTS_MAX + 1]; /* conversion, or '*' */
	int count;
	bool has_errno;
};

/* The value of an int, by what uses it. */
static int32_t random_int(char role)
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

static void fill_argument(struct sample *sample, int index)
{
	struct render_argument *argument = &sample->arguments[index];
	char *data = strings[index % FORMAT_ARGUMENTS_MAX];
	char role = sample->roles[index];

	memset(argument, 0, sizeof(*argument));
	argument->kind = sample->kinds[index];
	argument->binary128 = LIBC_BINARY128;
	switch (argument->kind) {
	case BINLOG_ARG_I32:
		argument->i32 = random_int(role);
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

static void note_role(struct sample *sample, int index, char role)
{
	if (index == FORMAT_NONE || sample->roles[index] == '*' ||
		sample->roles[index] == 'n')
		return;
	sample->roles[index] = role;
}

static void fill_arguments(struct sample *sample)
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
		note_role(sample, directive.width_argument, '*');
		note_role(sample, directive.precision_argument, '*');
		note_role(sample, directive.argument,
			wide ? 'C' : directive.conversion);
	}
	if (sample->has_errno)
		sample->roles[sample->count - 1] = 'm';
	for (i = 0; i < sample->count; i++)
		fill_argument(sample, i);
}

static void add(struct sample *sample, const char *text)
{
	size_t size = strlen(text);

	if (sizeof(sample->format) - sample->length <= size)
		return;
	memcpy(sample->format + sample->length, text, size + 1);
	sample->length += size;
}

static void add_number(struct sample *sample, unsigned int number)
{
	char text[12];

	snprintf(text, sizeof(text), "%u", number);
	add(sample, text);
}

static void add_one_of(struct sample *sample, const char *characters)
{
	char text[2] = {characters[below((unsigned)strlen(characters))], 0};

	add(sample, text);
}

static void add_position(struct sample *sample, bool numbered)
{
	if (!numbered)
		return;
	add_number(sample, 1 + below(3));
	add(sample, "$");
}

static void add_size(struct sample *sample)
{
	static const char *const sizes[] = {
		"h", "hh", "l", "ll", "q", "L", "j", "z", "Z", "t"};

	if (one_in(2))
		add(sample, sizes[below(sizeof(sizes) / sizeof(*sizes))]);
}

static void add_directive(struct sample *sample, bool numbered)
{
	add(sample, "%");
	add_position(sample, numbered);
	while (one_in(3))
		add_one_of(sample, "-+ #0'I");
	if (one_in(10)) {
		add(sample, "*");
		add_position(sample, numbered);
	} else if (one_in(2)) {
		add_number(sample, 1 + below(one_in(9) ? 400 : 30));
	}
	if (one_in(2)) {
		add(sample, ".");
		if (one_in(6)) {
			add(sample, "*");
			add_position(sample, numbered);
		} else if (!one_in(8)) {
			add_number(sample, below(one_in(999)	? 18000
						   : one_in(20) ? 1200
						   : one_in(9)	? 60
								: 20));
		}
	}
	add_size(sample);
	add_one_of(sample, "diouxXbBeEfFgGaAeEfFgGaAcCsSpnm%fdgsxuo");
}

static void make_format(struct sample *sample)
{
	unsigned int count = 1 + below(4);
	bool numbered = one_in(8);

	sample->length = 0;
	while (count-- > 0) {
		if (one_in(2))
			add(sample, one_in(2) ? " text " : ", \xff=");
		add_directive(sample, numbered);
	}
	if (one_in(2))
		add(sample, "|\n");
}

static bool has_number_between(
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
static void make_soup(struct sample *sample)
{
	unsigned int count = 1 + below(12);

	sample->length = 0;
	add(sample, "%");
	while (count-- > 0) {
		if (one_in(60))
			add(sample, one_in(2) ? "2147483648" : "99999999999");
		else if (one_in(3))
			add_one_of(sample, "diouxXeEfFgGaAcCsSpnm%bB");
		else
			add_one_of(sample, "%%%%%-+ #0'I*.0123459$$hlLqjzZty ");
	}
}

static void show(const char *name, const char *text, size_t size)
{
	size_t i;

	printf("  %s: \"", name);
	for (i = 0; i < size && i < 1000; i++) {
		if (text[i] >= ' ' && text[i] <= '~')
			putchar(text[i]);
		else
			printf("\\x%02x", (unsigned char)text[i]);
	}
	printf("\"%s (%zu bytes)\n", i < size ? "..." : "", size);
}

static bool complain(const struct sample *sample, int result,
	const struct render_buffer *out, int outcome)
{
	size_t size = result < 0 ? strlen(expected) : (size_t)result;

	show("format", sample->format, sample->length);
	printf("  libc returned %d, the outcome was %d\n", result, outcome);
	show("libc", expected, size < TEXT_BYTES ? size : TEXT_BYTES);
	show("render", out->data, out->length);
	return false;
}

static bool same_text(const struct render_buffer *out, size_t size)
{
	return out->length == size &&
	       (size == 0 || memcmp(out->data, expected, size) == 0);
}

/* A format that format_arguments() accepts. */
static bool check_defined(struct sample *sample, struct render_buffer *out,
	const struct render_locale *locale)
{
	int error = 0;
	int outcome;
	int result;

	fill_arguments(sample);
	libc_print_fill(slots, sample->arguments, (size_t)sample->count);
	if (sample->has_errno)
		error = sample->arguments[sample->count - 1].i32;
	result = libc_print_slots(
		expected, TEXT_BYTES, sample->format, slots, error);
	outcome = render_format(out, sample->format, sample->length,
		sample->arguments, (size_t)sample->count, locale);
	/* A text with a zero byte in it cannot be measured after a failure. */
	if (result < 0 && outcome == RENDER_BROKEN &&
		(same_text(out, strlen(expected)) ||
			(out->length > 0 &&
				memchr(out->data, '\0', out->length) != NULL)))
		return true;
	if (result >= 0 && outcome == RENDER_COMPLETE &&
		same_text(out, (size_t)result))
		return true;
	return complain(sample, result, out, outcome);
}

/* Nothing that anybody passes may do more than be reported. */
static bool check_hostile(struct sample *sample, struct render_buffer *out,
	const struct render_locale *locale)
{
	int outcome;

	sample->count = (int)below(8);
	for (int i = 0; i < sample->count; i++)
		sample->kinds[i] = (uint8_t)(1 + below(6));
	memset(sample->roles, 0, sizeof(sample->roles));
	for (int i = 0; i < sample->count; i++)
		fill_argument(sample, i);
	out->length = 0;
	out->limit = HOSTILE_LIMIT;
	outcome = render_format(out, sample->format, sample->length,
		sample->arguments, (size_t)sample->count, locale);
	out->limit = 0;
	return out->length <= HOSTILE_TEXT_MAX ||
	       complain(sample, FORMAT_NONE, out, outcome);
}

/* What format_next() stops at is what libc repeats verbatim or fails on. */
static bool check_undefined(struct sample *sample, struct render_buffer *out)
{
	struct format_directive directive;
	struct format_cursor cursor;
	int result;
	size_t i;

	format_begin(&cursor, sample->format, sample->length);
	while (format_next(&cursor, &directive))
		;
	/* A width that the second parser of glibc ignores stops us too. */
	if (cursor.at == cursor.end ||
		(cursor.general && has_number_between(cursor.at, 1u + INT_MAX,
					   ULLONG_MAX)))
		return true;
	/* Libc reads a pointer that is also numbered as an int by half. */
	if (strchr(sample->format, '$') != NULL &&
		strpbrk(sample->format, "nsS") != NULL)
		return true;
	for (i = 0; i < LIBC_SLOTS; i++)
		slots[i] = LOW_ADDRESS;
	memset(low_memory, 0, 8);
	memset(low_memory, 'x', 4);
	result = libc_print_slots(
		expected, TEXT_BYTES, sample->format, slots, 0);
	if (result < 0 || memchr(expected, '%', (size_t)result) != NULL)
		return true;
	return complain(sample, result, out, FORMAT_NONE);
}

static bool check_one(
	struct render_buffer *out, const struct render_locale *locale)
{
	static struct sample sample;

	if (one_in(5)) {
		/* A larger one could number an argument beyond our slots. */
		do
			make_soup(&sample);
		while (has_number_between(sample.format, 1000, INT_MAX));
	} else {
		make_format(&sample);
	}
	out->length = 0;
	sample.count = format_arguments(
		sample.format, sample.length, sample.kinds, &sample.has_errno);
	if (sample.count != FORMAT_NONE && !one_in(50))
		return check_defined(&sample, out, locale);
	if (!check_hostile(&sample, out, locale))
		return false;
	return low_memory == NULL || check_undefined(&sample, out);
}

/* Characters and digits of C.UTF-8, numbers as the environment says. */
static bool set_locale(struct render_locale *locale)
{
	const struct lconv *found;

	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		return false;
	setlocale(LC_NUMERIC, "");
	found = localeconv();
	locale->decimal_point = found->decimal_point;
	locale->thousands = found->thousands_sep;
	locale->grouping = found->grouping;
	return true;
}

static char *map_low_memory(void)
{
	void *memory = mmap((void *)LOW_ADDRESS, LOW_BYTES,
		PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 200000;
	struct render_buffer out = {0};
	struct render_locale locale;
	int mismatches = 0;
	uint64_t i;

	if (!set_locale(&locale)) {
		puts("skip: no UTF-8 locale");
		return 0;
	}
	low_memory = map_low_memory();
	printf("seed %llu\n", (unsigned long long)seed);
	random_state = seed << 20;
	for (i = 0; i < count && mismatches < MISMATCHES_MAX; i++) {
		if (check_one(&out, &locale))
			continue;
		printf("  ^ case %llu\n", (unsigned long long)i);
		mismatches++;
	}
	printf("%llu cases, %d mismatches\n", (unsigned long long)i,
		mismatches);
	render_buffer_free(&out);
	return mismatches != 0;
}
