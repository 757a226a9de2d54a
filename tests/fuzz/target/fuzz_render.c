/*
 * Formats with arguments as the input decides: the renderer's text is that of
 * the snprintf of this libc, for whose version it renders.  LC_NUMERIC of the
 * environment counts (for
 * "%'d"), which must be one of UTF-8.
 */
/* A fortified libc aborts at "%n" in a format that is not constant. */
#undef _FORTIFY_SOURCE
#include <limits.h>
#include <locale.h>
#include <sys/mman.h>
#include <wchar.h>

#include "decoder/render/render.h"
#include "record/format.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/libc_print.h"
#include "tests/support/random_format.h"

#define TEXT_BYTES (1u << 20)
/* An address that is also a harmless width, precision and string. */
#define LOW_ADDRESS 0x10000ul
#define LOW_BYTES 65536u

static _Alignas(16) uint64_t slots[LIBC_SLOTS];
static char expected[TEXT_BYTES];
static struct render_buffer rendered;
static struct render_locale locale;
static char *low_memory;

/* ASan would look at arguments where an ordinary caller has put them. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "check_printf=0";
}

static void show(const char *name, const char *text, size_t size)
{
	size_t i;

	fprintf(stderr, "  %s: \"", name);
	for (i = 0; i < size && i < 1000; i++) {
		if (text[i] >= ' ' && text[i] <= '~')
			fputc(text[i], stderr);
		else
			fprintf(stderr, "\\x%02x", (unsigned char)text[i]);
	}
	fprintf(stderr, "\"%s (%zu bytes)\n", i < size ? "..." : "", size);
}

static void complain(
	const struct random_sample *sample, int result, int outcome)
{
	size_t size = result < 0 ? strlen(expected) : (size_t)result;

	show("format", sample->format, sample->length);
	fprintf(stderr, "  libc returned %d, the outcome was %d\n", result,
		outcome);
	show("libc", expected, size < TEXT_BYTES ? size : TEXT_BYTES);
	show("render", rendered.data, rendered.length);
	FUZZ_CHECK(!"libc makes another text");
}

static bool same_text(size_t size)
{
	return rendered.length == size &&
	       (size == 0 || memcmp(rendered.data, expected, size) == 0);
}

/* A text with a zero byte in it cannot be measured after a failure. */
static bool same_broken_text(void)
{
	return same_text(strlen(expected)) ||
	       (rendered.length > 0 &&
		       memchr(rendered.data, '\0', rendered.length) != NULL);
}

/* A format that format_arguments() accepts. */
static void check_defined(struct random_sample *sample)
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
	outcome = render_format(&rendered, sample->format, sample->length,
		sample->arguments, (size_t)sample->count, &locale, libc_here());
	if (result < 0 ? outcome != RENDER_BROKEN || !same_broken_text()
		       : outcome != RENDER_COMPLETE ||
				 !same_text((size_t)result))
		complain(sample, result, outcome);
}

/* What format_next() stops at is what libc repeats verbatim or fails on. */
static void check_undefined(struct random_sample *sample)
{
	struct format_directive directive;
	struct format_cursor cursor;
	int result;
	size_t i;

	format_begin_for(&cursor, sample->format, sample->length, libc_here());
	while (format_next(&cursor, &directive))
		;
	/* A width that the second parser of glibc ignores stops us too. */
	if (cursor.at == cursor.end ||
		(cursor.general &&
			random_has_number(cursor.at, 1u + INT_MAX, ULLONG_MAX)))
		return;
	/* Libc reads a pointer that is also numbered as an int by half. */
	if (strchr(sample->format, '$') != NULL &&
		strpbrk(sample->format, "nsS") != NULL)
		return;
	for (i = 0; i < LIBC_SLOTS; i++)
		slots[i] = LOW_ADDRESS;
	memset(low_memory, 0, 8);
	memset(low_memory, 'x', 4);
	result = libc_print_slots(
		expected, TEXT_BYTES, sample->format, slots, 0);
	if (result >= 0 && memchr(expected, '%', (size_t)result) == NULL)
		complain(sample, result, FORMAT_NONE);
}

/* Characters and digits of C.UTF-8, numbers as the environment says. */
static void set_locale(void)
{
	const struct lconv *found;

	FUZZ_CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
	setlocale(LC_NUMERIC, "");
	found = localeconv();
	locale.decimal_point = found->decimal_point;
	locale.thousands = found->thousands_sep;
	locale.grouping = found->grouping;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	void *memory = mmap((void *)LOW_ADDRESS, LOW_BYTES,
		PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	(void)argc;
	(void)argv;
	set_locale();
	low_memory = memory == MAP_FAILED ? NULL : memory;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct random_sample sample;

	random_from(data, size);
	random_any_format(&sample);
	rendered.length = 0;
	if (sample.count != FORMAT_NONE)
		check_defined(&sample);
	else if (low_memory)
		check_undefined(&sample);
	return 0;
}
