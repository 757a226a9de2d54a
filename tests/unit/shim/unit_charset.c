/*
 * What is found out about the character set of a FILE: where the conversion is
 * libc's own, what it writes is the oracle; where it is one of the test's, or
 * kept as no libc known keeps it, nothing is taken for granted.
 */
#include "shim/host/inside.h"

#include <locale.h>
#include <sys/mman.h>
#include <wchar.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/host/charset.h"
#include "tests/support/codecvt.h"

bool sys_forbidden;

/* ---- a FILE, and a conversion that is the test's ---- */

static struct {
	FILE *file; /* libc's */
	FILE forged;
	struct _IO_codecvt codecvt;
	struct __gconv_step step;
	int status;	       /* of the conversion */
	unsigned left;	       /* characters that it does not take */
	unsigned bytes;	       /* of each character */
	unsigned char flipped; /* in each byte */
} world;

static int convert(struct __gconv_step *step, struct __gconv_step_data *data,
	const unsigned char **from, const unsigned char *end,
	unsigned char **start, size_t *substituted, int flush, int consume)
{
	const wchar_t *at = (const wchar_t *)(const void *)*from;
	size_t count = (size_t)(end - *from) / sizeof(*at) - world.left;

	(void)step;
	(void)start;
	(void)substituted;
	(void)flush;
	(void)consume;
	data->__statep->__count++;
	for (size_t i = 0; i < count; i++)
		for (unsigned j = 0; j < world.bytes; j++) {
			if (data->__outbuf == data->__outbufend)
				return __GCONV_FULL_OUTPUT;
			*data->__outbuf++ =
				(unsigned char)at[i] ^ world.flipped;
		}
	*from += count * sizeof(*at);
	return world.status;
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
	world.file = fdopen(memfd_create("output", 0), "w+");
	assert_non_null(world.file);
	assert_true(fwide(world.file, 1) > 0);
	world.forged = *world.file;
	world.codecvt = *world.file->_codecvt;
	world.forged._codecvt = &world.codecvt;
	world.step.__fct = convert;
	world.status = __GCONV_EMPTY_INPUT;
	world.bytes = 1;
	return 0;
}

static int end(void **state)
{
	(void)state;
	return fclose(world.file);
}

/* Each of another name, as of another set: what was examined is remembered. */
static void forge(void)
{
	static char name[] = "SET-00//";

	if (++name[5] > '9') {
		name[5] = '0';
		name[4]++;
	}
	world.step.__to_name = name;
	world.codecvt.out.step = &world.step;
}

static enum charset_kind kind(void)
{
	return charset_of(&world.forged);
}

static enum charset_kind examined(void)
{
	forge();
	return kind();
}

static void is_unknown(void)
{
	char bytes[8];

	assert_int_equal(kind(), CHARSET_UNKNOWN);
	assert_int_equal(charset_convert(&world.forged, true, L"a", 1, bytes,
				 sizeof(bytes)),
		CHARSET_FAILED);
}

/* ---- the tests ---- */

static void those_of_libc_are_known(void **state)
{
	static const wchar_t text[] = L"a\u00e9\u20ac\U0001f600";
	char bytes[32], wanted[32];
	ssize_t n;

	assert_int_equal(charset_of(world.file), CHARSET_UTF8);
	assert_int_equal(fputws(text, world.file), 1);
	assert_int_equal(fflush(world.file), 0);
	n = pread(fileno(world.file), wanted, sizeof(wanted), 0);
	assert_int_equal(charset_convert(world.file, false, text, 4, bytes,
				 sizeof(bytes)),
		n);
	assert_memory_equal(bytes, wanted, (size_t)n);
	for (long room = 0; room < n; room++)
		assert_int_equal(charset_convert(world.file, false, text, 4,
					 bytes, (size_t)room),
			CHARSET_NO_ROOM);
	end(state);
	begin(state);
	setlocale(LC_ALL, "C");
	fclose(world.file);
	world.file = fdopen(memfd_create("output", 0), "w+");
	assert_true(fwide(world.file, 1) > 0);
	assert_int_equal(charset_of(world.file), CHARSET_ASCII);
}

static void what_is_kept_otherwise_is_not_trusted(void **state)
{
	(void)state;
	assert_int_equal(kind(), CHARSET_UTF8);
	world.forged._mode = 0;
	is_unknown();
	world.forged._mode = 1;
	world.forged._codecvt = NULL;
	is_unknown();
	world.forged._codecvt = &world.codecvt;
	world.codecvt.out.step = NULL;
	is_unknown();
	world.codecvt = *world.file->_codecvt;
	world.codecvt.in.data.__flags = 0;
	is_unknown();
	world.codecvt = *world.file->_codecvt;
	world.codecvt.out.data.__flags = __GCONV_IS_LAST;
	is_unknown();
	world.codecvt = *world.file->_codecvt;
	world.codecvt.out.data.__internal_use = 0;
	is_unknown();
	world.codecvt = *world.file->_codecvt;
	world.codecvt.out.data.__statep = NULL;
	is_unknown();
	world.codecvt = *world.file->_codecvt;
	assert_int_equal(kind(), CHARSET_UTF8);
}

static void others_are_asked_for_every_ascii_character(void **state)
{
	(void)state;
	assert_int_equal(examined(), CHARSET_ASCII);
	world.status = __GCONV_OK;
	assert_int_equal(examined(), CHARSET_ASCII);
	world.flipped = 0x40;			 /* as EBCDIC would */
	assert_int_equal(kind(), CHARSET_ASCII); /* it is remembered */
	assert_int_equal(examined(), CHARSET_OTHER);
	world.flipped = 0;
	world.bytes = 2;
	assert_int_equal(examined(), CHARSET_OTHER);
	world.bytes = 5; /* more than there is room for */
	assert_int_equal(examined(), CHARSET_OTHER);
	world.bytes = 1;
	world.step.__stateful = 1;
	assert_int_equal(examined(), CHARSET_OTHER);
	world.step.__stateful = 0;
	world.step.__to_name = NULL;
	assert_int_equal(kind(), CHARSET_OTHER);
}

static void a_conversion_that_fails_is_unknown(void **state)
{
	static const int statuses[] = {__GCONV_ILLEGAL_INPUT,
		__GCONV_INCOMPLETE_INPUT, __GCONV_NOCONV};

	(void)state;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
		world.status = statuses[i];
		assert_int_equal(examined(), CHARSET_UNKNOWN);
	}
	world.status = __GCONV_EMPTY_INPUT;
	world.left = 1;
	assert_int_equal(examined(), CHARSET_UNKNOWN);
	world.left = 0;
	world.step.__fct = NULL;
	assert_int_equal(examined(), CHARSET_UNKNOWN);
}

/* Only for a text that the FILE itself will not be given. */
static void the_state_of_an_encoding_goes_on(void **state)
{
	mbstate_t before = *world.codecvt.out.data.__statep;
	char bytes[8];

	(void)state;
	forge();
	for (int consumes = 0; consumes < 2; consumes++) {
		assert_int_equal(charset_convert(&world.forged, consumes != 0,
					 L"ab", 2, bytes, sizeof(bytes)),
			2);
		assert_int_equal(world.codecvt.out.data.__statep->__count,
			before.__count + consumes);
	}
	assert_int_equal(
		charset_convert(&world.forged, true, L"ab", 2, bytes, 1),
		CHARSET_NO_ROOM);
	assert_int_equal(
		world.codecvt.out.data.__statep->__count, before.__count + 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(those_of_libc_are_known),
		TEST(what_is_kept_otherwise_is_not_trusted),
		TEST(others_are_asked_for_every_ascii_character),
		TEST(a_conversion_that_fails_is_unknown),
		TEST(the_state_of_an_encoding_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
