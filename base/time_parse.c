#include "base/time_parse.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define NS 1000000000
#define DAY (86400LL * NS)
/* Further away than this nothing can be counted. */
#define SECONDS_MAX (INT64_MAX / NS - 1)

struct unit {
	const char *name;
	int64_t nanoseconds;
};

/* Months and years as systemd.time(7) has them. */
static const struct unit units[] = {
	{"ns", 1},
	{"nsec", 1},
	{"us", 1000},
	{"usec", 1000},
	{"ms", 1000000},
	{"msec", 1000000},
	{"", NS},
	{"s", NS},
	{"sec", NS},
	{"second", NS},
	{"seconds", NS},
	{"m", 60LL * NS},
	{"min", 60LL * NS},
	{"minute", 60LL * NS},
	{"minutes", 60LL * NS},
	{"h", 3600LL * NS},
	{"hr", 3600LL * NS},
	{"hour", 3600LL * NS},
	{"hours", 3600LL * NS},
	{"d", DAY},
	{"day", DAY},
	{"days", DAY},
	{"w", 7 * DAY},
	{"week", 7 * DAY},
	{"weeks", 7 * DAY},
	{"M", 2629800LL * NS},
	{"month", 2629800LL * NS},
	{"months", 2629800LL * NS},
	{"y", 31557600LL * NS},
	{"year", 31557600LL * NS},
	{"years", 31557600LL * NS},
};

static void skip_spaces(const char **at)
{
	while (**at == ' ' || **at == '\t')
		++*at;
}

static bool skip_word(const char **at, const char *word)
{
	size_t length = strlen(word);

	if (strncasecmp(*at, word, length) != 0 ||
		isalnum((unsigned char)(*at)[length]))
		return false;
	*at += length;
	return true;
}

/* `least` to `most` digits. */
static bool take_digits(const char **at, int least, int most, int64_t *number)
{
	int digits = 0;

	*number = 0;
	while (digits < most && isdigit((unsigned char)**at)) {
		*number = *number * 10 + (*(*at)++ - '0');
		digits++;
	}
	return digits >= least && !isdigit((unsigned char)**at);
}

/* `.5` as nanoseconds, if there is one; what is smaller is cut off. */
static bool take_fraction(const char **at, int64_t *nanoseconds)
{
	int64_t place = NS;

	*nanoseconds = 0;
	if (**at != '.')
		return true;
	if (!isdigit((unsigned char)*++*at))
		return false;
	for (; isdigit((unsigned char)**at); ++*at) {
		place /= 10;
		*nanoseconds += place * (**at - '0');
	}
	return true;
}

static const struct unit *take_unit(const char **at)
{
	size_t length = 0;
	size_t i;

	while (isalpha((unsigned char)(*at)[length]))
		length++;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) != length ||
			memcmp(units[i].name, *at, length) != 0)
			continue;
		*at += length;
		return &units[i];
	}
	return NULL;
}

/* A sum of numbers with units: `1h 30min`. */
static bool take_span(const char **at, int64_t *span)
{
	const char *word;

	*span = 0;
	do {
		const struct unit *unit;
		int64_t number;
		int64_t fraction;
		int64_t part;

		if (!take_digits(at, 1, 18, &number) ||
			!take_fraction(at, &fraction))
			return false;
		skip_spaces(at);
		word = *at;
		unit = skip_word(&word, "ago") ? &units[6] : take_unit(at);
		if (!unit ||
			__builtin_mul_overflow(
				number, unit->nanoseconds, &part) ||
			__builtin_add_overflow(*span, part, span) ||
			__builtin_add_overflow(*span,
				(int64_t)((long double)fraction *
					  (long double)unit->nanoseconds / NS),
				span))
			return false;
		skip_spaces(at);
	} while (isdigit((unsigned char)**at));
	return true;
}

static uint64_t shifted(uint64_t moment, int64_t span)
{
	uint64_t distance = span < 0 ? -(uint64_t)span : (uint64_t)span;

	if (span < 0)
		return distance > moment ? 0 : moment - distance;
	return distance > UINT64_MAX - moment ? UINT64_MAX : moment + distance;
}

/* `-5min`, `+5min`, `5min ago`. */
static bool parse_relative(const char *text, uint64_t now, uint64_t *moment)
{
	char sign = *text == '-' || *text == '+' ? *text++ : 0;
	int64_t span;

	if (!take_span(&text, &span))
		return false;
	if (sign == 0) {
		if (!skip_word(&text, "ago"))
			return false;
		sign = '-';
	}
	skip_spaces(&text);
	*moment = shifted(now, sign == '-' ? -span : span);
	return *text == '\0';
}

static bool parse_seconds(const char *text, uint64_t *moment)
{
	int64_t seconds;
	int64_t fraction;

	if (!take_digits(&text, 1, 18, &seconds) ||
		!take_fraction(&text, &fraction) || *text)
		return false;
	*moment = seconds > SECONDS_MAX
			  ? UINT64_MAX
			  : (uint64_t)seconds * NS + (uint64_t)fraction;
	return true;
}

/* `17:00`, `17:00:05.25`; nothing is midnight. */
static bool take_time(const char **at, struct tm *tm, int64_t *fraction)
{
	int64_t hour;
	int64_t minute;
	int64_t second = 0;

	if (!take_digits(at, 1, 2, &hour) || *(*at)++ != ':' ||
		!take_digits(at, 2, 2, &minute))
		return false;
	if (**at == ':') {
		++*at;
		if (!take_digits(at, 2, 2, &second) ||
			!take_fraction(at, fraction))
			return false;
	}
	tm->tm_hour = (int)hour;
	tm->tm_min = (int)minute;
	tm->tm_sec = (int)second;
	return hour < 24 && minute < 60 && second < 60;
}

static bool take_date(const char **at, struct tm *tm)
{
	int64_t year;
	int64_t month;
	int64_t day;

	if (!take_digits(at, 4, 4, &year) || *(*at)++ != '-' ||
		!take_digits(at, 2, 2, &month) || *(*at)++ != '-' ||
		!take_digits(at, 2, 2, &day))
		return false;
	tm->tm_year = (int)year - 1900;
	tm->tm_mon = (int)month - 1;
	tm->tm_mday = (int)day;
	return true;
}

static bool is_utc(const char *text, bool utc)
{
	size_t length = strlen(text);

	return utc || (length > 1 && text[length - 1] == 'Z') ||
	       (length > 3 && strcmp(text + length - 3, "UTC") == 0);
}

/* Of today, until something else is said. */
static bool begin_day(uint64_t now, bool utc, struct tm *tm)
{
	time_t seconds = (time_t)(now / NS);

	if (!(utc ? gmtime_r(&seconds, tm) : localtime_r(&seconds, tm)))
		return false;
	tm->tm_hour = tm->tm_min = tm->tm_sec = 0;
	return true;
}

/* False: there is no such day. */
static bool take_moment(
	struct tm *tm, int64_t fraction, bool utc, uint64_t *moment)
{
	struct tm made = *tm;
	time_t seconds;

	made.tm_isdst = -1;
	seconds = utc ? timegm(&made) : mktime(&made);
	if (seconds > SECONDS_MAX)
		*moment = UINT64_MAX;
	else
		*moment = seconds < 0
				  ? 0
				  : (uint64_t)seconds * NS + (uint64_t)fraction;
	return made.tm_mday == tm->tm_mday && made.tm_mon == tm->tm_mon;
}

/* The word for a day: how far from today it is. */
static bool take_day(const char **at, int *days)
{
	*days = 0;
	if (skip_word(at, "today"))
		return true;
	*days = -1;
	if (skip_word(at, "yesterday"))
		return true;
	*days = 1;
	return skip_word(at, "tomorrow");
}

static bool take_any_day(const char **at, struct tm *tm)
{
	struct tm noon = *tm;
	int days;

	if (!take_day(at, &days))
		return take_date(at, tm);
	noon.tm_hour = 12; /* there are days without a midnight */
	noon.tm_mday += days;
	timegm(&noon);
	tm->tm_year = noon.tm_year;
	tm->tm_mon = noon.tm_mon;
	tm->tm_mday = noon.tm_mday;
	return true;
}

static bool parse_calendar(
	const char *text, uint64_t now, bool utc, uint64_t *moment)
{
	const char *colon = strchr(text, ':');
	int64_t fraction = 0;
	struct tm tm;

	utc = is_utc(text, utc);
	if (!begin_day(now, utc, &tm))
		return false;
	/* A time alone has its first colon after one or two digits. */
	if (!colon || colon - text > 2) {
		if (!take_any_day(&text, &tm))
			return false;
		if (*text == 'T')
			text++;
		skip_spaces(&text);
	}
	if (isdigit((unsigned char)*text) && !take_time(&text, &tm, &fraction))
		return false;
	skip_spaces(&text);
	if (!skip_word(&text, "UTC"))
		skip_word(&text, "Z");
	skip_spaces(&text);
	return *text == '\0' && take_moment(&tm, fraction, utc, moment);
}

bool time_parse(const char *text, uint64_t now, bool utc, uint64_t *moment)
{
	skip_spaces(&text);
	if (strcmp(text, "now") == 0) {
		*moment = now;
		return true;
	}
	if (*text == '@')
		return parse_seconds(text + 1, moment);
	return parse_relative(text, now, moment) ||
	       parse_calendar(text, now, utc, moment);
}
