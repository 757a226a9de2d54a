#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/calendar.h"
#include "record/layout.h"
#include "record/packed.h"

#define SECOND 1000000000u

struct description {
	enum error_code code;
	enum error_severity severity;
	const char *what;
	const char *why;
	const char *unit;
	const char *advice;
};

static const struct description descriptions[] = {
#define ERROR(name, number, severity, what, why, unit, advice)                 \
	{ERROR_##name, ERROR_SEVERITY_##severity, what, why, unit, advice},
#include "base/errors.def"
#undef ERROR
};

#define DESCRIPTIONS (sizeof(descriptions) / sizeof(descriptions[0]))

/* Never called: a number that two errors have does not compile here. */
static inline void numbers_are_unique(enum error_code code)
{
	switch ((int)code) {
#define ERROR(name, number, severity, what, why, unit, advice) case number:
#include "base/errors.def"
#undef ERROR
		break;
	}
}

static const struct description *describe(enum error_code code)
{
	size_t i;

	for (i = 0; i < DESCRIPTIONS - 1; i++)
		if (descriptions[i].code == code)
			break;
	return &descriptions[i];
}

bool error_is_known(enum error_code code)
{
	return describe(code)->code == code;
}

/* Its number is of bytes that were there, and could not be read. */
static bool is_skipped(enum error_code code)
{
	return code == ERROR_BLOCK || code == ERROR_PAGE_GONE ||
	       code == ERROR_RECORD || code == ERROR_FRAME ||
	       code == ERROR_FRAME_SUM || code == ERROR_FRAME_LENGTH ||
	       code == ERROR_HEPH_PACKET;
}

/* What is wrong is the whole file. */
static bool is_of_file(const struct error *error)
{
	return describe(error->code)->severity == ERROR_SEVERITY_FATAL &&
	       error->offset == 0;
}

bool error_is_same_cause(const struct error *one, const struct error *other)
{
	return one->file && other->file && is_of_file(one) &&
	       is_of_file(other) && one->code == other->code &&
	       (describe(one->code)->why || one->system == other->system) &&
	       (!*describe(one->code)->unit || one->number == other->number);
}

/* Another one before `number` of its cause, or null. */
static struct error *find_alike(
	struct error_list *list, size_t number, const struct error *error)
{
	size_t i;

	for (i = 0; i < number; i++)
		if (error_is_same_cause(&list->kept[i], error))
			return &list->kept[i];
	return NULL;
}

/*
 * There is no room for it: it is counted with one of the same cause, or takes
 * the place of one that is counted so.
 */
static void keep_cause(struct error_list *list, const struct error *error)
{
	struct error *alike = find_alike(list, ERROR_KEPT_MAX, error);
	size_t i;

	for (i = ERROR_KEPT_MAX - 1; i > 0 && !alike; i--) {
		alike = find_alike(list, i, &list->kept[i]);
		if (alike)
			list->kept[i] = *error;
	}
	if (alike)
		alike->others++;
}

void error_add(struct error_list *list, const struct error *error)
{
	if (error->code == ERROR_MORE) {
		list->more += error->number > 0 ? error->number : 1;
	} else {
		if (list->count < ERROR_KEPT_MAX)
			list->kept[list->count] = *error;
		else
			keep_cause(list, error);
		list->count++;
	}
	list->severe[describe(error->code)->severity]++;
	list->incomplete += error->code == ERROR_STRING;
	if (is_skipped(error->code) && __builtin_add_overflow(list->skipped,
					       error->number, &list->skipped))
		list->skipped = UINT64_MAX;
}

size_t error_count(const struct error_list *list, enum error_severity severity)
{
	size_t count = 0;
	size_t i;

	for (i = severity; i < ERROR_SEVERITIES; i++)
		count += list->severe[i];
	return count;
}

static void put_time(char *buffer, size_t size, const char *word, uint64_t time)
{
	char second[CALENDAR_BYTES];
	const size_t length = strlen(buffer);

	if (time == 0)
		return;
	calendar_put(second, time / SECOND, true);
	snprintf(buffer + length, size - length, ", %s %s.%09" PRIu64 " UTC",
		word, second, time % SECOND);
}

/* `file:offset`, `file`, or `file and 3 others`. */
static void put_where(
	const struct error *error, size_t others, char *buffer, size_t size)
{
	const char *file = error->file ? error->file : "-";

	if (others > 0)
		snprintf(buffer, size, "%s and %zu other%s", file, others,
			others > 1 ? "s" : "");
	else if (is_of_file(error))
		snprintf(buffer, size, "%s", file);
	else
		snprintf(buffer, size, "%s:%" PRIu64, file, error->offset);
}

void error_sentence(const struct error *error, char *buffer, size_t size)
{
	error_sentence_of_several(error, 0, buffer, size);
}

void error_sentence_of_several(
	const struct error *error, size_t others, char *buffer, size_t size)
{
	const struct description *known = describe(error->code);
	const char *why = known->why ? known->why : strerror(error->system);
	char number[256] = "";
	size_t length;

	put_where(error, others, buffer, size);
	if (*known->unit) {
		snprintf(number, sizeof(number), " (%s %" PRIu64, known->unit,
			error->number);
		length = strlen(number);
		if (error->first > 0)
			snprintf(number + length, sizeof(number) - length,
				", of numbers %" PRIu64 " to %" PRIu64,
				error->first - 1, error->last - 1);
		put_time(number, sizeof(number), "from", error->since);
		put_time(number, sizeof(number), "to", error->until);
		length = strlen(number);
		snprintf(number + length, sizeof(number) - length, ")");
	}
	length = strlen(buffer);
	snprintf(buffer + length, size - length, ": %s: %s%s: %s", known->what,
		why, number, known->advice);
}
