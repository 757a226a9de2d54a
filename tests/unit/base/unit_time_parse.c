#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/time_parse.h"

#define SECOND 1000000000u
#define MINUTE (60u * (uint64_t)SECOND)
#define HOUR (60u * MINUTE)
#define DAY (24u * HOUR)
/* 2023-11-14 22:13:20 UTC, and a bit. */
#define NOW (1700000000u * (uint64_t)SECOND + 5)
#define TODAY (NOW - NOW % DAY)

static void in_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static void expect(const char *text, uint64_t wanted)
{
	uint64_t moment = 1;

	if (!time_parse(text, NOW, false, &moment) || moment != wanted)
		print_error("of \"%s\": %llu, not %llu\n", text,
			(unsigned long long)moment, (unsigned long long)wanted);
	assert_int_equal(moment, wanted);
}

static void refuse(const char *text)
{
	uint64_t moment;

	if (time_parse(text, NOW, false, &moment))
		fail_msg("\"%s\" was taken", text);
}

static void a_date_may_have_a_time_with_nanoseconds(void **state)
{
	(void)state;
	in_zone("UTC");
	expect("2023-11-14", TODAY);
	expect("2023-11-14 22:13", TODAY + 22 * HOUR + 13 * MINUTE);
	expect("2023-11-14 22:13:20", NOW - 5);
	expect("2023-11-14T22:13:20", NOW - 5);
	expect("2023-11-14 22:13:20.000000005", NOW);
	expect("2023-11-14 22:13:20.5", NOW - 5 + SECOND / 2);
	expect("1970-01-01", 0);
	expect("2000-02-29", 951782400u * (uint64_t)SECOND);
}

static void a_time_alone_is_of_today(void **state)
{
	(void)state;
	in_zone("UTC");
	expect("17:00", TODAY + 17 * HOUR);
	expect("7:05:09.25", TODAY + 7 * HOUR + 5 * MINUTE +
				     9 * (uint64_t)SECOND + SECOND / 4);
}

static void days_have_names(void **state)
{
	(void)state;
	in_zone("UTC");
	expect("now", NOW);
	expect("today", TODAY);
	expect("yesterday", TODAY - DAY);
	expect("tomorrow", TODAY + DAY);
	expect("yesterday 17:00", TODAY - DAY + 17 * HOUR);
}

static void what_is_relative_counts_from_now(void **state)
{
	(void)state;
	expect("-5min", NOW - 5 * MINUTE);
	expect("+5min", NOW + 5 * MINUTE);
	expect("10 min ago", NOW - 10 * MINUTE);
	expect("1h 30min ago", NOW - 90 * MINUTE);
	expect("-2h30min", NOW - 150 * MINUTE);
	expect("-1.5s", NOW - 3 * (uint64_t)SECOND / 2);
	expect("-3", NOW - 3 * (uint64_t)SECOND);
	expect("-1ns", NOW - 1);
	expect("-2us", NOW - 2000);
	expect("-7ms", NOW - 7000000);
	expect("2 days ago", NOW - 2 * DAY);
	expect("1 week ago", NOW - 7 * DAY);
	expect("-100y", 0);
}

static void seconds_since_1970_follow_an_at(void **state)
{
	(void)state;
	expect("@0", 0);
	expect("@1700000000", NOW - 5);
	expect("@1700000000.000000005", NOW);
	expect("@1700000000.0000000059", NOW);
	expect("@99999999999999", UINT64_MAX);
}

static void dates_are_of_the_zone(void **state)
{
	uint64_t moment;

	(void)state;
	in_zone("XYZ-5"); /* five hours ahead; there the 15th has begun */
	expect("2023-11-15 03:13:20", NOW - 5);
	expect("today", TODAY + 19 * HOUR);
	expect("2023-11-14 22:13:20 UTC", NOW - 5);
	expect("2023-11-14T22:13:20Z", NOW - 5);
	expect("22:13:20 UTC", NOW - 5);
	assert_true(time_parse("2023-11-14 22:13:20", NOW, true, &moment));
	assert_int_equal(moment, NOW - 5);
}

/* As POSIX has it: the clock goes back at 3:00 on the last Sunday of October.
 */
static void days_may_have_25_hours(void **state)
{
	const uint64_t midnight = 1698530400u * (uint64_t)SECOND;
	uint64_t moment;

	(void)state;
	in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	expect("2023-10-29", midnight);
	expect("2023-10-30", midnight + 25 * HOUR);
	assert_true(
		time_parse("yesterday", midnight + 26 * HOUR, false, &moment));
	assert_int_equal(moment, midnight);
}

static void what_is_no_time_is_refused(void **state)
{
	static const char *const none[] = {"", " ", "foo", "5", "5min",
		"2023-13-01", "2023-02-29", "2023-11-1", "2023-11-14 25:00",
		"12:60", "12:00:60", "12", "12:", "@", "@x", "@5x", "-", "-5q",
		"ago", "yesterdays", "2023-11-14 22:13:20 CET", "12:00:00.",
		"-5min ago", "2023-11-14x", "99999999999999999999 ago",
		"-999999999999y", "17:00 17:00", "\xff"};
	size_t i;

	(void)state;
	in_zone("UTC");
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		refuse(none[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_date_may_have_a_time_with_nanoseconds),
		cmocka_unit_test(a_time_alone_is_of_today),
		cmocka_unit_test(days_have_names),
		cmocka_unit_test(what_is_relative_counts_from_now),
		cmocka_unit_test(seconds_since_1970_follow_an_at),
		cmocka_unit_test(dates_are_of_the_zone),
		cmocka_unit_test(days_may_have_25_hours),
		cmocka_unit_test(what_is_no_time_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
