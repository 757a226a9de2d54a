#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "decoder/text/text_time.h"

#define SECOND 1000000000u
/* 2023-11-14 22:13:20 UTC */
#define NOW 1700000000
#define LINE_MAX_BYTES 160

static void in_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static void expect(const char *line, uint64_t wanted)
{
	struct text_times times = {.latest = NOW};
	uint64_t wall = 1;

	if (!text_time_read(&times, line, strlen(line), &wall) ||
		wall != wanted)
		print_error("of \"%s\": %llu, not %llu\n", line,
			(unsigned long long)wall, (unsigned long long)wanted);
	assert_int_equal(wall, wanted);
}

static void refuse(const char *line)
{
	struct text_times times = {.latest = NOW};
	uint64_t wall;

	if (text_time_read(&times, line, strlen(line), &wall))
		fail_msg("\"%s\" was taken", line);
}

/* Formats come out of a table, which the compiler need not like. */
static size_t (*const write_time)(char *text, size_t bytes, const char *format,
	const struct tm *tm) = strftime;

/* What libc makes of each moment, in a zone, is read as that moment. */
static void check_moments(const char *format, const char *fraction, bool utc)
{
	struct text_times times = {.utc = utc, .latest = NOW};
	char line[LINE_MAX_BYTES];
	time_t moment;

	/* with steps of two days and a bit, not within the hour of a change */
	for (moment = NOW - 300 * 86400; moment < NOW; moment += 180007) {
		uint64_t wall = 0;
		struct tm tm;
		size_t length;

		assert_non_null(utc ? gmtime_r(&moment, &tm)
				    : localtime_r(&moment, &tm));
		length = write_time(line, sizeof(line), format, &tm);
		assert_true(length > 0);
		if (!text_time_read(&times, line, length, &wall) ||
			wall != (uint64_t)moment * SECOND +
					strtoull(fraction, NULL, 10))
			fail_msg("%s: \"%s\": %llu of %lld", getenv("TZ"), line,
				(unsigned long long)wall, (long long)moment);
	}
}

static void the_forms_of_usual_logs_are_read_as_libc_writes_them(void **state)
{
	static const struct {
		const char *format, *fraction;
	} forms[] = {
		{"%Y-%m-%dT%H:%M:%S%z text", "0"},
		{"%Y-%m-%dT%H:%M:%S.123456%z text", "123456000"},
		{"%Y-%m-%d %H:%M:%S,250 INFO text", "250000000"},
		{"%Y-%m-%d %H:%M:%S.000000001 %Z [12] LOG:  text", "1"},
		{"[%Y-%m-%d %H:%M:%S] text", "0"},
		{"%Y/%m/%d %H:%M:%S [notice] 12#0: text", "0"},
		{"%Y/%m/%d %H:%M:%S.5 text", "500000000"},
		{"%b %e %H:%M:%S host ident[12]: text", "0"},
		{"<34>%b %e %H:%M:%S host ident[12]: text", "0"},
		{"<34>1 %Y-%m-%dT%H:%M:%S.003%z host ident text", "3000000"},
		{"12:M %d %b %Y %H:%M:%S.123 * text", "123000000"},
		{"%d %b %Y %H:%M:%S.123 * text", "123000000"},
		{"%d-%b-%Y %H:%M:%S.123 text", "123000000"},
		{"[%a %b %d %H:%M:%S.123456 %Y] [core:notice] text",
			"123456000"},
		{"%a %b %e %H:%M:%S %Y text", "0"},
		{"1.2.3.4 - - [%d/%b/%Y:%H:%M:%S %z] \"GET /\" 200", "0"},
		{"I%m%d %H:%M:%S.123456   12 file.cc:1] text", "123456000"},
		{"%s: text", "0"},
		{"%s.25: text", "250000000"},
		{"[%s] unbound[12:0] info: text", "0"},
	};
	static const char *const zones[] = {"UTC", "Europe/Berlin",
		"America/St_Johns", "Pacific/Kiritimati"};
	size_t i, k;

	(void)state;
	for (k = 0; k < sizeof(zones) / sizeof(zones[0]); k++) {
		in_zone(zones[k]);
		for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
			check_moments(
				forms[i].format, forms[i].fraction, false);
	}
	in_zone("Europe/Berlin");
	for (i = 0; i < 7; i++)
		if (!strchr(forms[i].format, 'Z') &&
			!strstr(forms[i].format, "%z"))
			check_moments(forms[i].format, forms[i].fraction, true);
}

static void what_says_no_year_is_of_the_last_one_that_can_be(void **state)
{
	(void)state;
	in_zone("UTC");
	expect("Nov 14 22:13:20 text", (uint64_t)NOW * SECOND);
	/* clocks differ: half a day later is of this year, too */
	expect("Nov 15 10:13:20 text", ((uint64_t)NOW + 12 * 3600) * SECOND);
	/* 2022-12-31 23:59:59 */
	expect("Dec 31 23:59:59 text", (uint64_t)1672531199 * SECOND);
}

static void a_zone_that_is_said_counts(void **state)
{
	(void)state;
	in_zone("Asia/Tokyo");
	expect("2023-11-14T22:13:20Z text", (uint64_t)NOW * SECOND);
	expect("2023-11-14 22:13:20 UTC text", (uint64_t)NOW * SECOND);
	expect("2023-11-14T23:43:20+01:30 text", (uint64_t)NOW * SECOND);
	expect("2023-11-14T21:13:20-0100 text", (uint64_t)NOW * SECOND);
	expect("2023-11-14T21:13:20-01 text", (uint64_t)NOW * SECOND);
	expect("2023-11-15 07:13:20 text", (uint64_t)NOW * SECOND);
}

static void what_is_no_time_is_none(void **state)
{
	(void)state;
	in_zone("UTC");
	refuse("");
	refuse("[");
	refuse("text");
	refuse("2023-11-14");
	refuse("2023-11-14 22:13");
	refuse("2023-13-14 22:13:20 text");
	refuse("2023-11-32 22:13:20 text");
	refuse("2023-11-14 24:13:20 text");
	refuse("2023-11-14 22:13:200 text");
	refuse("0000-11-14 22:13:20 text");
	refuse("1700000000 bytes");
	refuse("17000000001: text");
	refuse("Nov 14 22:13 text");
	refuse(" 2023-11-14 22:13:20 text");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_forms_of_usual_logs_are_read_as_libc_writes_them),
		cmocka_unit_test(
			what_says_no_year_is_of_the_last_one_that_can_be),
		cmocka_unit_test(a_zone_that_is_said_counts),
		cmocka_unit_test(what_is_no_time_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
