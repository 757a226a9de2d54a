/*
 * Random formats with random arguments: the renderer against the snprintf of
 * this libc.  `fuzz_render [SEED [COUNT]]`; prints the seed and the first
 * mismatches, exits with 1 if there were any.  LC_NUMERIC of the environment
 * counts (for "%'d"), which must be one of UTF-8.
 */
/* A fortified libc aborts at "%n" in a format that is not constant. */
#undef _FORTIFY_SOURCE
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <wchar.h>

#include "decoder/pool.h"
#include "decoder/render.h"
#include "decoder/render_plan.h"
#include "record/format.h"
#include "tests/libc_print.h"
#include "tests/random_format.h"

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
static char *low_memory;

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

static bool complain(const struct random_sample *sample, int result,
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

/* By a plan it is the same text, with the same outcome. */
static bool check_plan(const struct random_sample *sample, size_t limit)
{
	static struct render_buffer wanted, out;
	struct render_plan *plan = NULL;
	struct pool pool = {0};
	int planned = RENDER_COMPLETE;
	int outcome;
	int i;

	wanted.length = 0;
	wanted.limit = out.limit = limit;
	outcome = render_format(&wanted, sample->format, sample->length,
		sample->arguments, (size_t)sample->count, NULL);
	for (i = 0; i <= RENDER_PLAN_USES; i++) {
		out.length = 0;
		planned = render_plan_put(&plan, &pool, &out, sample->format,
			sample->length, sample->arguments,
			(size_t)sample->count);
	}
	pool_free(&pool);
	if (planned == outcome && out.length == wanted.length &&
		(out.length == 0 ||
			memcmp(out.data, wanted.data, out.length) == 0))
		return true;
	show("by a plan", out.data, out.length);
	return complain(sample, FORMAT_NONE, &wanted, outcome);
}

/* A format that format_arguments() accepts. */
static bool check_defined(struct random_sample *sample,
	struct render_buffer *out, const struct render_locale *locale)
{
	int error = 0;
	int outcome;
	int result;

	random_arguments(sample);
	libc_print_fill(slots, sample->arguments, (size_t)sample->count);
	if (sample->has_errno)
		error = sample->arguments[sample->count - 1].i32;
	result = libc_print_slots(
		expected, TEXT_BYTES, sample->format, slots, error);
	outcome = render_format(out, sample->format, sample->length,
		sample->arguments, (size_t)sample->count, locale);
	/* A text with a zero byte in it cannot be measured after a failure. */
	if (!check_plan(sample, 0))
		return false;
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
static bool check_hostile(struct random_sample *sample,
	struct render_buffer *out, const struct render_locale *locale)
{
	int outcome;

	sample->count = (int)below(8);
	for (int i = 0; i < sample->count; i++)
		sample->kinds[i] = (uint8_t)(1 + below(6));
	memset(sample->roles, 0, sizeof(sample->roles));
	for (int i = 0; i < sample->count; i++)
		random_argument(sample, i);
	out->length = 0;
	out->limit = HOSTILE_LIMIT;
	outcome = render_format(out, sample->format, sample->length,
		sample->arguments, (size_t)sample->count, locale);
	out->limit = 0;
	if (out->length > HOSTILE_TEXT_MAX)
		return complain(sample, FORMAT_NONE, out, outcome);
	return check_plan(sample, HOSTILE_LIMIT);
}

/* What format_next() stops at is what libc repeats verbatim or fails on. */
static bool check_undefined(
	struct random_sample *sample, struct render_buffer *out)
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
		(cursor.general &&
			random_has_number(cursor.at, 1u + INT_MAX, ULLONG_MAX)))
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
	static struct random_sample sample;

	if (one_in(5)) {
		/* A larger one could number an argument beyond our slots. */
		do
			random_soup(&sample);
		while (random_has_number(sample.format, 1000, INT_MAX));
	} else {
		random_format(&sample);
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
