#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <link.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/dwarf/debuginfo.h"

/* A function that the compiler knows nothing of where it is called. */
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

/* gcc alone tells which constants a call is given. */
#if defined(__OPTIMIZE__) && !defined(__clang__)
#define TELLS_ARGUMENTS 1
#else
#define TELLS_ARGUMENTS 0
#endif

/* This program is the file that is asked about. */
#define SELF "/proc/self/exe"

static const char *const no_directories[] = {NULL};
static const struct symbolizer_options options = {
	.debug_directories = no_directories};
static const char called_text[] = "called %d";
static const char jumped_text[] = "jumped %d";
/* Asked for by these: an argument that is a constant would be a site, too. */
static const char *volatile called = called_text;
static const char *volatile jumped = jumped_text;
static uint64_t bias;
static void *returned_to;
static volatile int told;

static int take_bias(struct dl_phdr_info *info, size_t bytes, void *closure)
{
	(void)bytes;
	(void)closure;
	bias = info->dlpi_addr; /* the program itself comes first */
	return 1;
}

/* Logs by any arguments, by a list of them, by a pointer to one; and not. */
static APART int any(const char *format, ...)
{
	returned_to = __builtin_return_address(0);
	return told += format[0];
}

static APART int list(const char *format, va_list arguments)
{
	return told += format[0] + va_arg(arguments, int);
}

static APART int list_at(va_list *arguments)
{
	return told += va_arg(*arguments, int);
}

static APART int plain(const char *format, int number)
{
	return told += format[0] + number;
}

static APART int calls(void)
{
	return any(called_text, 1) + 1;
}

static APART int jumps(void)
{
	return any(jumped_text, 2);
}

static struct debuginfo *opened(void)
{
	struct debuginfo *info;
	struct elffile file;
	const struct debugpaths paths = {
		.options = &options, .file = &file, .program = &file};
	const char *why;

	assert_null(elffile_open(&file, SELF));
	info = debuginfo_open(&file, &paths, &why);
	assert_null(why);
	assert_non_null(info);
	elffile_close(&file);
	return info;
}

static struct debuginfo_frame frame_at(struct debuginfo *info, uint64_t address)
{
	struct debuginfo_frame frame;
	struct debuginfo_place place;

	assert_true(debuginfo_find(info, address, &place));
	assert_true(debuginfo_next(info, &place, &frame));
	assert_false(frame.inlined);
	return frame;
}

static struct debuginfo_frame function(
	struct debuginfo *info, uintptr_t function)
{
	return frame_at(info, function - bias);
}

static void functions_that_log_for_others_are_known(void **state)
{
	struct debuginfo *info = opened();

	(void)state;
	assert_string_equal(function(info, (uintptr_t)any).name, "any");
	assert_true(function(info, (uintptr_t)any).wrapper);
	assert_true(function(info, (uintptr_t)list).wrapper);
	assert_true(function(info, (uintptr_t)list_at).wrapper);
	assert_false(function(info, (uintptr_t)plain).wrapper);
	assert_false(function(info, (uintptr_t)calls).wrapper);
	assert_false(function(info, (uintptr_t)jumps).wrapper);
	debuginfo_close(info);
}

#if TELLS_ARGUMENTS

struct sites {
	struct debugcalls_site site;
	unsigned count;
};

static bool take_site(void *closure, const struct debugcalls_site *site)
{
	struct sites *sites = closure;

	sites->site = *site;
	sites->count++;
	return true;
}

static struct sites sites_of(
	struct debuginfo *info, const char *text, uint64_t within)
{
	struct sites sites = {0};

	assert_true(debuginfo_call_sites(
		info, (uintptr_t)text - bias, within, take_site, &sites));
	return sites;
}

static void a_call_is_found_by_its_format(void **state)
{
	struct debuginfo *info = opened();
	const uint64_t within = (uintptr_t)calls - bias;
	struct sites sites = sites_of(info, called, within);

	(void)state;
	calls();
	assert_int_equal(sites.count, 1);
	assert_int_equal(sites.site.pc, (uintptr_t)returned_to - bias);
	sites = sites_of(info, called + 1, within);
	assert_int_equal(sites.count, 0);
	debuginfo_close(info);
}

static void a_tail_call_is_found_by_its_format(void **state)
{
	struct debuginfo *info = opened();
	struct sites sites =
		sites_of(info, jumped, (uintptr_t)jumps - bias);

	(void)state;
	jumps();
	assert_int_equal(sites.count, 1);
	assert_string_equal(frame_at(info, sites.site.pc - 1).name, "jumps");
	debuginfo_close(info);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_that_log_for_others_are_known),
#if TELLS_ARGUMENTS
		cmocka_unit_test(a_call_is_found_by_its_format),
		cmocka_unit_test(a_tail_call_is_found_by_its_format),
#endif
	};

	dl_iterate_phdr(take_bias, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
