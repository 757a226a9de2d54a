#include "decoder/text/text_time.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define NS 1000000000
#define DAY 86400
/* A number, a word: longer ones are none. */
#define NUMBER_MAX 10u
#define WORD_MAX 256u

static const char *const forms[] = {
#define TEXT_TIME(form, who) form,
#include "decoder/text/text_times.def"
#undef TEXT_TIME
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* What a line says, as it says it. */
struct said {
	const char *at;
	const char *end;
	int64_t seconds; /* since 1970; -1: it says a date */
	int year;	 /* 0: it says none */
	int month, day, hour, minute, second;
	int nanoseconds;
	bool zoned;
	int64_t offset; /* seconds east of UTC, if `zoned` */
};

static bool is_digit_at(const struct said *said, size_t i)
{
	return (size_t)(said->end - said->at) > i &&
	       (unsigned char)(said->at[i] - '0') < 10;
}

static size_t count_digits(const struct said *said, size_t most)
{
	size_t count = 0;

	while (count < most && is_digit_at(said, count))
		count++;
	return count;
}

static int64_t take_digits(struct said *said, size_t count)
{
	int64_t number = 0;

	for (; count > 0; count--)
		number = number * 10 + (*said->at++ - '0');
	return number;
}

static bool read_number(struct said *said, size_t digits, int *number)
{
	if (count_digits(said, digits) < digits)
		return false;
	*number = (int)take_digits(said, digits);
	return true;
}

/* One of the names, each of three letters; *number counts from 1. */
static bool read_name(struct said *said, const char *names, int *number)
{
	int i;

	if (said->end - said->at < 3)
		return false;
	for (i = 0; names[3 * i] != '\0'; i++)
		if (memcmp(said->at, names + 3 * i, 3) == 0) {
			said->at += 3;
			*number = i + 1;
			return true;
		}
	return false;
}

static bool read_day(struct said *said)
{
	size_t digits = count_digits(said, 2);

	said->day = (int)take_digits(said, digits);
	return digits > 0;
}

static bool read_seconds(struct said *said)
{
	if (count_digits(said, 11) != 10)
		return false;
	said->seconds = take_digits(said, 10);
	return true;
}

/* What is finer than a nanosecond is left out. */
static bool read_fraction(struct said *said)
{
	int unit = NS / 10;

	if (said->end - said->at < 2 ||
		(*said->at != '.' && *said->at != ',') || !is_digit_at(said, 1))
		return false;
	for (said->at++; is_digit_at(said, 0); said->at++, unit /= 10)
		said->nanoseconds += unit * (*said->at - '0');
	return true;
}

/* `+01:00`, `+0100` or `+01`; with a minus likewise. */
static bool read_offset(struct said *said)
{
	const char *begin = said->at;
	bool west = *said->at == '-';
	int hours, minutes = 0;

	said->at++;
	if (!read_number(said, 2, &hours)) {
		said->at = begin;
		return false;
	}
	if (said->at < said->end && *said->at == ':' && is_digit_at(said, 1))
		said->at++;
	if (count_digits(said, 2) == 2)
		read_number(said, 2, &minutes);
	said->offset = (int64_t)hours * 3600 + minutes * 60;
	if (west)
		said->offset = -said->offset;
	said->zoned = true;
	return true;
}

/* Of others than UTC only the zone itself knows what they mean. */
static void read_zone(struct said *said)
{
	const char *begin = said->at;
	size_t letters = 0;

	if (said->at < said->end && *said->at == ' ')
		said->at++;
	if (said->at < said->end && (*said->at == '+' || *said->at == '-')) {
		if (!read_offset(said))
			said->at = begin;
		return;
	}
	while ((size_t)(said->end - said->at) > letters &&
		said->at[letters] >= 'A' && said->at[letters] <= 'Z')
		letters++;
	if ((letters == 1 && *said->at == 'Z') ||
		(letters == 3 && (memcmp(said->at, "UTC", 3) == 0 ||
					 memcmp(said->at, "GMT", 3) == 0)))
		said->zoned = true;
	else if (letters != 3 && letters != 4)
		letters = 0;
	/* `ERROR` or `INFO` is none, but it does not matter here */
	said->at = letters > 0 ? said->at + letters : begin;
}

static bool read_word(struct said *said)
{
	const char *begin = said->at;

	while (said->at < said->end && *said->at != ' ' &&
		said->at - begin < (ptrdiff_t)WORD_MAX)
		said->at++;
	return said->at > begin;
}

static bool read_end(const struct said *said)
{
	return said->at == said->end || !isalnum((unsigned char)*said->at);
}

static bool read_directive(struct said *said, char directive)
{
	int ignored;
	size_t digits;

	switch (directive) {
	case 'Y':
		return read_number(said, 4, &said->year) && said->year > 0;
	case 'm':
		return read_number(said, 2, &said->month);
	case 'd':
		return read_number(said, 2, &said->day);
	case 'e':
		return read_day(said);
	case 'b':
		return read_name(said, "JanFebMarAprMayJunJulAugSepOctNovDec",
			&said->month);
	case 'a':
		return read_name(said, "MonTueWedThuFriSatSun", &ignored);
	case 'H':
		return read_number(said, 2, &said->hour);
	case 'M':
		return read_number(said, 2, &said->minute);
	case 'S':
		return read_number(said, 2, &said->second);
	case 's':
		return read_seconds(said);
	case 'F':
		return read_fraction(said);
	case 'f':
		read_fraction(said);
		return true;
	case 'z':
		read_zone(said);
		return true;
	case 'n':
		digits = count_digits(said, NUMBER_MAX);
		said->at += digits;
		return digits > 0;
	case 'w':
		return read_word(said);
	case 'c':
		return said->at < said->end &&
		       isalpha((unsigned char)*said->at++);
	default:
		return read_end(said);
	}
}

static bool read_blanks(struct said *said)
{
	const char *begin = said->at;

	while (said->at < said->end && *said->at == ' ')
		said->at++;
	return said->at > begin;
}

static bool read_form(struct said *said, const char *form)
{
	for (; *form; form++) {
		if (*form == '%') {
			if (!read_directive(said, *++form))
				return false;
		} else if (*form == ' ') {
			if (!read_blanks(said))
				return false;
		} else if (said->at == said->end || *said->at++ != *form) {
			return false;
		}
	}
	return true;
}

static bool is_sound(const struct said *said)
{
	return said->seconds >= 0 ||
	       (said->month >= 1 && said->month <= 12 && said->day >= 1 &&
		       said->day <= 31 && said->hour <= 23 &&
		       said->minute <= 59 && said->second <= 60);
}

/*
 * From a date to seconds.
 */

/* Days since 1970 of a date in the calendar that is in use. */
static int64_t day_of(int year, int month, int day)
{
	/* years begin in March, so that the leap day is their last one */
	int64_t years = (int64_t)year - (month <= 2);
	int64_t era = years / 400;
	int64_t in_era = years % 400;
	int64_t in_year =
		(153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 +
	       in_year - 719468;
}

/* As a clock there shows it, if that were UTC. */
static int64_t shown(const struct said *said, int year)
{
	return day_of(year, said->month, said->day) * DAY + said->hour * 3600 +
	       said->minute * 60 + said->second;
}

/* Seconds that the local zone is east of UTC at a moment. */
static int64_t offset_at(int64_t seconds)
{
	time_t moment = (time_t)seconds;
	struct tm tm;

	return localtime_r(&moment, &tm) ? tm.tm_gmtoff : 0;
}

/* Of what a clock shows twice the first is meant. */
static int64_t local_offset(struct text_times *times, int64_t clock)
{
	int64_t minute = clock / 60;
	int64_t before, offset;

	if (times->offset != 0 && times->minute == minute)
		return times->offset - 1;
	before = offset_at(clock - DAY);
	offset = offset_at(clock - before) == before
			 ? before
			 : offset_at(clock - offset_at(clock));
	times->minute = minute;
	times->offset = offset + 1;
	return offset;
}

static int64_t moment_of(
	struct text_times *times, const struct said *said, int year)
{
	int64_t clock = shown(said, year);

	if (said->zoned)
		return clock - said->offset;
	return times->utc ? clock : clock - local_offset(times, clock);
}

/* The last one that is not later than may be, but for clocks that differ. */
static int year_of(struct text_times *times, const struct said *said)
{
	time_t latest = (time_t)times->latest;
	struct tm tm;
	int year;

	if (!gmtime_r(&latest, &tm))
		return 1970;
	year = tm.tm_year + 1900 + 1;
	while (year > 1970 &&
		moment_of(times, said, year) > times->latest + DAY)
		year--;
	return year;
}

static bool tell(
	struct text_times *times, const struct said *said, uint64_t *wall)
{
	int64_t seconds = said->seconds;

	if (seconds < 0)
		seconds = moment_of(times, said,
			said->year > 0 ? said->year : year_of(times, said));
	if (seconds < 0 || seconds > INT64_MAX / NS - 1)
		return false;
	*wall = (uint64_t)seconds * NS + (uint64_t)said->nanoseconds;
	return true;
}

static bool is_form(
	const char *form, const char *text, size_t bytes, struct said *said)
{
	*said = (struct said){.at = text, .end = text + bytes, .seconds = -1};
	return read_form(said, form) && is_sound(said);
}

bool text_time_read(struct text_times *times, const char *text, size_t bytes,
	uint64_t *wall)
{
	struct said said;
	size_t i;

	if (bytes > 0 && *text == '[') {
		text++;
		bytes--;
	}
	if (bytes == 0)
		return false;
	if (is_form(forms[times->form], text, bytes, &said))
		return tell(times, &said, wall);
	for (i = 0; i < FORMS; i++)
		if (i != times->form && is_form(forms[i], text, bytes, &said)) {
			times->form = i;
			return tell(times, &said, wall);
		}
	return false;
}
