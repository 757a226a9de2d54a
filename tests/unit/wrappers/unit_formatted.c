/*
 * Texts that are put together: libc's own vsnprintf() is asked for the whole
 * at once.  Where a part is missing, that is told, and the rest is as it was.
 */
#include "shim/host/inside.h"

#include <locale.h>
#include <wchar.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "wrappers/handlers.h"
#include "wrappers/formatted.h"
#include "wrappers/next.h"

/* ---- what the library would be ---- */

bool sys_forbidden;
int (*next_fputws)(const wchar_t *, FILE *);
size_t (*next_fwrite)(const void *, size_t, size_t, FILE *);
size_t (*host_mbrtowc)(wchar_t *, const char *, size_t, mbstate_t *) = mbrtowc;

static int *where_errno_is(void) __attribute__((const));
static int *where_errno_is(void)
{
	return __errno_location();
}

int *(*host_errno)(void)__attribute__((const)) = where_errno_is;

static bool grows; /* what is printed, from one time to the next */
static wchar_t wide_said[2000];
static char said[2000];

int pass_on_vsnprintf(
	char *to, size_t size, int chk, const char *format, va_list arguments)
{
	va_list again;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(to, size, format, again);
	va_end(again);
	(void)chk;
	errno = ENOENT;
	return grows && size > 512 ? length + (int)size : length;
}

int wide_string(const struct call *call, const wchar_t *text, FILE *file,
	int (*next)(const wchar_t *, FILE *))
{
	(void)call;
	(void)file;
	(void)next;
	wcscat(wide_said, text);
	return 1;
}

size_t put_block(const struct call *call, const void *p, size_t size, size_t n,
	FILE *file, size_t (*next)(const void *, size_t, size_t, FILE *))
{
	(void)call;
	(void)size;
	(void)file;
	(void)next;
	strncat(said, p, n);
	return n;
}

/* ---- the tests ---- */

static struct formatted formatted;

static int begin(void **state)
{
	(void)state;
	sys_forbidden = grows = false;
	wide_said[0] = L'\0';
	said[0] = '\0';
	formatted_start(&formatted);
	return 0;
}

static int end(void **state)
{
	(void)state;
	sys_forbidden = false;
	formatted_end(&formatted);
	return 0;
}

static void format(const char *text, ...)
{
	va_list ap;

	va_start(ap, text);
	formatted_print(&formatted, text, ap);
	va_end(ap);
}

/* As libc does it at once. */
static size_t print(char *to, const char *text, ...)
{
	va_list ap;
	int length;

	va_start(ap, text);
	length = vsnprintf(to, 200000, text, ap);
	va_end(ap);
	return (size_t)length;
}

static void is_whole(const char *wanted)
{
	assert_false(formatted.failed);
	assert_string_equal(formatted.text, wanted);
	assert_int_equal(formatted.length, strlen(wanted));
}

static void parts_follow_each_other_whatever_their_size(void **state)
{
	static const int sizes[] = {
		0, 1, 100, 400, 511, 512, 513, 5000, 100000};
	static char wanted[400000], pad[100001];
	size_t length = 0;

	(void)state;
	memset(pad, 'p', sizeof(pad) - 1);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		errno = EACCES;
		format("%.*s %d %m|", sizes[i], pad, sizes[i]);
		errno = EACCES;
		length += print(wanted + length, "%.*s %d %m|", sizes[i], pad,
			sizes[i]);
		is_whole(wanted);
		formatted_put(&formatted, "");
	}
	formatted_number(&formatted, UINT64_MAX);
	assert_string_equal(formatted.text + length, "18446744073709551615");
}

static void without_memory_what_was_made_stays(void **state)
{
	static char large[1000];

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	formatted_put(&formatted, "before");
	sys_forbidden = true;
	formatted_put(&formatted, large);
	assert_true(formatted.failed);
	assert_string_equal(formatted.text, "before");
	formatted.failed = false;
	format("%s", large);
	assert_true(formatted.failed);
	assert_string_equal(formatted.text, "before");
	assert_int_equal(formatted.length, 6);
	formatted.failed = false;
	format(" and %s", "after");
	is_whole("before and after");
}

static void what_cannot_be_printed_is_told(void **state)
{
	(void)state;
	formatted_put(&formatted, "before");
	format("%ls", L"\x20ac"); /* EILSEQ */
	assert_true(formatted.failed);
	assert_string_equal(formatted.text, "before");
}

static void what_grows_meanwhile_is_told(void **state)
{
	static char large[1000];

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	formatted_put(&formatted, "before");
	grows = true;
	format("%s", large);
	assert_true(formatted.failed);
	assert_string_equal(formatted.text, "before");
}

static void a_wide_file_gets_wide_text(void **state)
{
	static FILE wide = {._mode = 1}, narrow = {._mode = -1};
	static char long_text[601];

	(void)state;
	formatted_say(NULL, &narrow, "narrow", 6);
	formatted_say(NULL, &wide, "", 0);
	assert_string_equal(said, "narrow");
	assert_int_equal(wcslen(wide_said), 0);
	memset(long_text, 'w', 600);
	formatted_say(NULL, &wide, long_text, 600);
	assert_int_equal(wcslen(wide_said), 600);
	wide_said[0] = L'\0';
	assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
	formatted_say(
		NULL, &wide, "\xe2\x82\xac and \xe2\x82\xac\xff no more", 19);
	assert_int_equal(wcscmp(wide_said, L"\x20ac and \x20ac"), 0);
	wide_said[0] = L'\0';
	formatted_say(NULL, &wide, "cut \xe2\x82", 6);
	assert_int_equal(wcscmp(wide_said, L"cut "), 0);
	setlocale(LC_ALL, "C");
	assert_string_equal(said, "narrow");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(parts_follow_each_other_whatever_their_size),
		TEST(without_memory_what_was_made_stays),
		TEST(what_cannot_be_printed_is_told),
		TEST(what_grows_meanwhile_is_told),
		TEST(a_wide_file_gets_wide_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
