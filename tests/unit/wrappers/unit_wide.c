/*
 * Calls of wide output beside libc's own: two FILEs are given the same, one by
 * libc, one by the library; what was recorded, or written because it could not
 * be, is the same bytes, and so is what the call has returned.
 */
#include "tests/unit/world/wide_world.h"

#include <sys/resource.h>

#include "tests/support/codecvt.h"

/* ---- formats ---- */

static void formats_are_recorded_with_types(void **state)
{
	(void)state;
	assert_int_equal(prints(L"plain\n"), 't');
	assert_int_equal(prints(L"%d %5.2f %Lg %s|%ls|%c%lc\n", -7, 3.25, 1.5L,
				 "bytes", L"wide", 'x', L'y'),
		't');
	assert_int_equal(prints(L"%m %jd %p\n", (intmax_t)-1, NULL), 't');
	assert_int_equal(prints(L"%s %ls\n", NULL, NULL), 't');
	assert_int_equal(prints(L"%.*s %.*ls\n", 2, "abc", -1, L"abc"), 't');
	assert_int_equal(prints(L"%*d\n", 4, 12), 't');
	assert_int_equal(
		prints(L"h\u00e9 %s %ls %lc\n", "\u20ac", L"\u20ac", L'\u20ac'),
		't');
}

/* A width counts characters here, and bytes there. */
static void what_a_narrow_printf_makes_otherwise_is_bytes(void **state)
{
	(void)state;
	assert_int_equal(prints(L"%5s|\n", "\u20ac"), 'b');
	assert_int_equal(prints(L"%5ls|\n", L"\u20ac"), 'b');
	assert_int_equal(prints(L"%5lc|\n", L'\u20ac'), 'b');
	assert_int_equal(prints(L"%'d %Id\n", 1000, 1), 'b');
	assert_int_equal(prints(L"%2$d %1$d\n", 1, 2), 'b');
	assert_int_equal(prints(L"%c|\n", 0x41), 't');
}

static void what_is_no_utf8_is_as_libc_takes_it(void **state)
{
	static const char *const strings[] = {"\x80", "\xc1\xbf",
		"\xf8\x88\x80\x80\x80", "\xc3", "\xc3x", "\xe0\x80\x80",
		"\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x8f\xbf\xbf",
		"\xf4\x90\x80\x80", "\xf7\xbf\xbf\xbf"};

	(void)state;
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		prints(L"[%s]\n", strings[i]);
	assert_int_equal(prints(L"%s\n", "\xf4\x8f\xbf\xbf"), 't');
	assert_int_not_equal(prints(L"%s\n", "\xf4\x90\x80\x80"), 't');
	assert_int_not_equal(prints(L"%s\n", "\xe0\x80\x80"), 't');
	assert_int_not_equal(prints(L"%ls\n", L"\xd800"), 't');
	assert_int_not_equal(prints(L"%lc\n", (wint_t)0xd800), 't');
	prints(L"%c\n", 0xe9);
}

static int print_only(const wchar_t *format, ...)
{
	va_list ap;
	int result;

	va_start(ap, format);
	result = wide_print(&call, file, 0, format, ap);
	va_end(ap);
	return result;
}

/* A text of two gigabytes, which a width may ask for, has no length. */
static void what_fails_with_types_has_failed(void **state)
{
	(void)state;
	assert_int_equal(prints(L"%2147483648d\n", 1), 'b');
	world.print_fails = true;
	assert_int_equal(print_only(L"\u20ac%*d\n", INT_MAX, 1), -1);
	assert_int_equal(world.typed, 1);
}

static void long_formats_are_not_remembered(void **state)
{
	wchar_t format[600];

	(void)state;
	wmemset(format, L'f', 599);
	wmemcpy(format + 501, L"%d", 3);
	assert_int_equal(prints(format, 1), 'b');
	wmemcpy(format + 498, L"%d", 3);
	assert_int_equal(prints(format, 1), 't');
}

/* More than there is room for, so that each place is asked for by several. */
static void any_number_of_formats_may_be_met(void **state)
{
	unsigned typed = 0;
	wchar_t format[40];

	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		swprintf(format, 40, L"%u %%d\n", i);
		typed += prints(format, i) == 't';
	}
	assert_in_range(typed, 1000, 3999);
}

/* A child of fork finds its memory empty, and what pointed there. */
static void a_child_learns_formats_anew(void **state)
{
	size_t used;

	(void)state;
	assert_int_equal(prints(L"before %d\n", 1), 't');
	memset(arena, 0, sizeof(arena));
	used = arena_used;
	assert_int_equal(prints(L"before %d\n", 2), 't');
	assert_true(arena_used > used);
	used = arena_used;
	assert_int_equal(prints(L"before %d\n", 3), 't');
	assert_int_equal(arena_used, used);
}

static void without_memory_formats_are_bytes(void **state)
{
	(void)state;
	world.arena_fails = true;
	assert_int_equal(prints(L"without memory %d\n", 1), 'b');
	world.arena_fails = false;
	assert_int_equal(prints(L"without memory %d\n", 2), 't');
}

static void directives_of_the_program_are_libcs(void **state)
{
	(void)state;
	plan_always_at_once = true;
	assert_int_equal(prints(L"%d\n", 1), 'b');
}

/* ---- locales ---- */

static void in_the_c_locale_ascii_is_alike(void **state)
{
	end(state);
	begin_in("C");
	assert_int_equal(prints(L"%s %ls %c\n", "bytes", L"wide", 'c'), 't');
	assert_int_equal(prints(L"h\u00e9\n"), 'b');
	assert_int_equal(prints(L"%ls\n", L"h\u00e9"), 'b');
	assert_int_not_equal(prints(L"%s\n", "h\xc3\xa9"), 't');
	assert_int_equal(puts_wide(L"\u20ac\n"), 'b');
}

static const char *names[] = {"C", ".", "ANSI_X3.4-1968"};

static char *forged_locale(nl_item item)
{
	static char answer[32];
	const char *name = names[item == RADIXCHAR ? 1
				 : item == CODESET ? 2
						   : 0];

	return name ? strcpy(answer, name) : NULL;
}

static void locales_are_known_by_name(void **state)
{
	static const struct {
		const char *name, *language;
		bool english;
	} rows[] = {
		{NULL, NULL, true},
		{"C", "de", true},
		{"POSIX", "de", true},
		{"C.UTF-8", NULL, true},
		{"C.UTF-8", "", true},
		{"C.UTF-8", "de", false},
		{"de_DE.UTF-8", NULL, false},
		{"Czech", NULL, false},
	};

	(void)state;
	host_nl_langinfo = forged_locale;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		names[0] = rows[i].name;
		world.language = rows[i].language;
		assert_int_equal(locale_ask_english(), rows[i].english);
	}
	assert_true(locale_ask_point());
	names[1] = ",";
	assert_false(locale_ask_point());
	names[1] = ".,";
	assert_false(locale_ask_point());
	assert_false(locale_ask_utf8());
	names[2] = "UTF-8";
	assert_true(locale_ask_utf8());
	names[2] = "UTF-8-MAC";
	assert_false(locale_ask_utf8());
	host_nl_langinfo = ask_locale;
}

/* ---- texts ---- */

static void long_texts_are_recorded_whole(void **state)
{
	(void)state;
	assert_int_equal(puts_wide(many(L'a', 500)), 'b');
	assert_int_equal(puts_wide(many(L'a', 60000)), 'b');
	assert_int_equal(puts_wide(many(L'\u20ac', 60000)), 'b');
	plan_always_at_once = true;
	assert_int_equal(prints(L"%ls", many(L'\u20ac', 60000)), 'b');
	assert_int_equal(prints(L"%.150s|%.150s", "x", "y"), 'b');
}

/* What it is for input only, so that libc itself goes on writing. */
static void without_its_conversion_a_text_is_made_natively(void **state)
{
	(void)state;
	file->_codecvt->in.data.__flags ^= __GCONV_TRANSLIT;
	assert_int_equal(puts_wide(L"short\n"), 'n');
	assert_int_equal(puts_wide(many(L'l', 3000)), 'n');
	assert_int_equal(prints(L"%d\n", 1), 'n');
	file->_codecvt->in.data.__flags ^= __GCONV_TRANSLIT;
	assert_int_equal(puts_wide(L"short\n"), 'b');
}

/* The more often, the later; it is said once. */
static void a_call_that_others_come_between_begins_anew(void **state)
{
	(void)state;
	world.losses = 2;
	assert_int_equal(puts_wide(L"text\n"), 'b');
	assert_int_equal(world.losses, 0);
	world.losses = 2;
	assert_int_equal(prints(L"%d\n", 5), 't');
	assert_int_equal(world.losses, 0);
}

static void what_cannot_be_recorded_is_made_natively(void **state)
{
	(void)state;
	world.capture_fails = true;
	assert_int_equal(puts_wide(L"short\n"), 'n');
	assert_int_equal(puts_wide(many(L'l', 5000)), 'n');
	assert_int_equal(prints(L"%d\n", 5), 'n');
	plan_always_at_once = true;
	assert_int_equal(prints(L"%d\n", 5), 'n');
	assert_int_equal(prints(L"%ls", many(L'l', 5000)), 'n');
	world.capture_fails = false;
	world.print_fails = true;
	assert_int_equal(prints(L"%d\n", 6), 'n');
}

static void without_mappings_long_texts_are_made_natively(void **state)
{
	struct rlimit limit, none = {0};

	(void)state;
	puts_wide(L"so that both FILEs have their buffers\n");
	getrlimit(RLIMIT_AS, &limit);
	none.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_AS, &none);
	assert_int_equal(puts_wide(many(L'l', 3000)), 'n');
	plan_always_at_once = true;
	assert_int_equal(prints(L"%ls", many(L'l', 3000)), 'n');
	setrlimit(RLIMIT_AS, &limit);
}

static const wchar_t *noted;

static int note_string(const wchar_t *s, FILE *to)
{
	(void)to;
	noted = s;
	return 77;
}

#define HUGE ((size_t)513 << 20)
#define PIECE ((size_t)1 << 20)

/* Of one piece of memory, over and over. */
static void texts_of_half_a_gigabyte_are_made_natively(void **state)
{
	int fd = memfd_create("piece", 0);
	char *text = mmap(NULL, HUGE + PIECE, PROT_READ,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	wchar_t *piece;

	(void)state;
	assert_ptr_not_equal(text, MAP_FAILED);
	assert_int_equal(ftruncate(fd, PIECE), 0);
	piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(piece, MAP_FAILED);
	wmemset(piece, L'x', PIECE / sizeof(*piece));
	for (size_t at = 0; at < HUGE; at += PIECE)
		assert_ptr_equal(mmap(text + at, PIECE, PROT_READ,
					 MAP_SHARED | MAP_FIXED, fd, 0),
			text + at);
	assert_int_equal(
		wide_string(&call, (wchar_t *)(void *)text, file, note_string),
		77);
	assert_ptr_equal(noted, text);
	assert_int_equal(world.passed, 1);
	assert_int_equal(world.bytes, 0);
	munmap(text, HUGE + PIECE);
	munmap(piece, PIECE);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(formats_are_recorded_with_types),
		TEST(what_a_narrow_printf_makes_otherwise_is_bytes),
		TEST(what_is_no_utf8_is_as_libc_takes_it),
		TEST(what_fails_with_types_has_failed),
		TEST(long_formats_are_not_remembered),
		TEST(a_child_learns_formats_anew),
		TEST(without_memory_formats_are_bytes),
		TEST(directives_of_the_program_are_libcs),
		TEST(in_the_c_locale_ascii_is_alike),
		TEST(locales_are_known_by_name),
		TEST(long_texts_are_recorded_whole),
		TEST(without_its_conversion_a_text_is_made_natively),
		TEST(a_call_that_others_come_between_begins_anew),
		TEST(what_cannot_be_recorded_is_made_natively),
		TEST(without_mappings_long_texts_are_made_natively),
		TEST(texts_of_half_a_gigabyte_are_made_natively),
		TEST(any_number_of_formats_may_be_met), /* no other, then */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
