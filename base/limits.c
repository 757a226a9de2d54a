#include "base/limits.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/readlimits.h"
#include "record/format.h"
#include "record/layout.h"
#include "record/packed.h"
#include "rules/rules.h"

/* How many a switch sets. */
enum {
	LIMITS_SET = 0
#define LIMIT(name, word, value, unit, what, seen) +1
#define FORMAT_LIMIT(name, value, unit, what, seen)
#define FIXED_LIMIT(name, word, value, unit, what, seen)
#include "base/limits.def"
#undef LIMIT
#undef FORMAT_LIMIT
#undef FIXED_LIMIT
};

uint64_t limits_values[LIMITS_ROWS] = {
#define LIMIT(name, word, value, unit, what, seen) [LIMIT_##name] = value,
#define FORMAT_LIMIT(name, value, unit, what, seen) [LIMIT_##name] = value,
#define FIXED_LIMIT(name, word, value, unit, what, seen) [LIMIT_##name] = value,
#include "base/limits.def"
#undef LIMIT
#undef FORMAT_LIMIT
#undef FIXED_LIMIT
};

/* As the table has them. */
struct row {
	const char *word; /* null: of a format */
	const char *unit;
	const char *what;
	const char *seen;
};

static const struct row rows[LIMITS_ROWS] = {
#define LIMIT(name, word, value, unit, what, seen) {word, unit, what, seen},
#define FORMAT_LIMIT(name, value, unit, what, seen) {NULL, unit, what, seen},
#define FIXED_LIMIT(name, word, value, unit, what, seen)                       \
	{word, unit, what, seen},
#include "base/limits.def"
#undef LIMIT
#undef FORMAT_LIMIT
#undef FIXED_LIMIT
};

enum met { MET_NOT, MET, MET_TOLD };

/* Set by any thread, told by main. */
static enum met met[LIMITS_ROWS];

/* The rows of the symbolizer, which are in one piece. */
#define OF_SYMBOLS(readlimit) ((enum limit)(LIMIT_SYMBOL_FILE + (readlimit)))
_Static_assert(OF_SYMBOLS(READLIMIT_DEATHS) == LIMIT_SYMBOL_DEATHS &&
		       OF_SYMBOLS(READLIMIT_NAMES) == LIMIT_SYMBOL_NAMES,
	"readlimits.h has them in another order");

/* In which these were met; null: told, or not met. */
static char *files[READLIMIT_ROWS];

void limits_note(enum limit limit)
{
	enum met before = MET_NOT;

	__atomic_compare_exchange_n(&met[limit], &before, MET, false,
		__ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void collect_those_of_symbols(void)
{
	size_t i;

	for (i = 0; i < READLIMIT_ROWS; i++) {
		char *file = readlimits_take((enum readlimit)i);

		if (!file)
			continue;
		files[i] = file;
		limits_note(OF_SYMBOLS(i));
	}
}

/* Where it is about a file: "FILE: ". */
static size_t put_file(enum limit limit, char *sentence, size_t size)
{
	size_t i = (size_t)limit - LIMIT_SYMBOL_FILE;
	int length;

	if (limit < LIMIT_SYMBOL_FILE || i >= READLIMIT_ROWS || !files[i])
		return 0;
	length = snprintf(sentence, size, "%s: ", files[i]);
	free(files[i]);
	files[i] = NULL;
	return (size_t)length < size ? (size_t)length : size;
}

static void put_sentence(enum limit limit, char *sentence, size_t size)
{
	const struct row *row = &rows[limit];
	size_t length = put_file(limit, sentence, size);
	char advice[128] = "nothing raises it, see binlog-limits(7)";

	if ((int)limit < LIMITS_SET)
		snprintf(advice, sizeof(advice),
			"give --limit=%s=N with a larger N", row->word);
	snprintf(sentence + length, size - length,
		"%s: more than %" PRIu64 " %s (%s): %s", row->seen,
		limits_values[limit], row->unit, row->what, advice);
}

bool limits_tell(char *sentence, size_t size)
{
	int i;

	collect_those_of_symbols();
	for (i = 0; i < LIMITS_ROWS; i++) {
		enum met before = MET;

		if (__atomic_compare_exchange_n(&met[i], &before, MET_TOLD,
			    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			put_sentence((enum limit)i, sentence, size);
			return true;
		}
	}
	return false;
}

/* What is shown is short, and nothing of the log is missing. */
static bool is_of_looks(enum limit limit)
{
	return limit == LIMIT_SOURCE_COLUMNS || limit == LIMIT_HTML_VALUE ||
	       limit == LIMIT_HTML_TEXT;
}

bool limits_were_met(void)
{
	int i;

	collect_those_of_symbols();
	for (i = 0; i < LIMITS_ROWS; i++)
		if (__atomic_load_n(&met[i], __ATOMIC_RELAXED) != MET_NOT &&
			!is_of_looks((enum limit)i))
			return true;
	return false;
}

/* The number and what stands behind it.  False: that is none. */
static bool parse_value(const char *text, uint64_t *value)
{
	static const char units[] = "KMG";
	const char *unit;
	unsigned shift;
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || errno != 0)
		return false;
	unit = *end ? strchr(units, *end) : NULL;
	shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	if ((*end && (!unit || end[1])) || *value > UINT64_MAX >> shift)
		return false;
	*value <<= shift;
	if (*value > LIMITS_NONE)
		*value = LIMITS_NONE;
	return true;
}

const char *limits_set(const char *text)
{
	const char *equals = strchr(text, '=');
	size_t bytes = equals ? (size_t)(equals - text) : 0;
	size_t i;

	for (i = 0; i < LIMITS_SET; i++)
		if (strlen(rows[i].word) == bytes &&
			memcmp(rows[i].word, text, bytes) == 0)
			break;
	if (!equals || i == LIMITS_SET)
		return "no limit that can be set: give NAME=N with a name of "
		       "--limit=help";
	if (!parse_value(equals + 1, &limits_values[i]))
		return "not a number: give digits, and K, M or G behind them";
	return NULL;
}

void limits_lift(void)
{
	size_t i;

	for (i = 0; i < LIMITS_SET; i++)
		limits_values[i] = LIMITS_NONE;
}

void limits_for_symbols(uint64_t *memory_bytes, unsigned *seconds_each)
{
	uint64_t seconds = limits_of(LIMIT_SYMBOL_SECONDS);
	size_t i;

	for (i = 0; i < READLIMIT_ROWS; i++)
		readlimits_values[i] = limits_of(OF_SYMBOLS(i));
	/* 0 would be what they are unless set */
	*memory_bytes = limits_of(LIMIT_SYMBOL_MEMORY) | 1;
	*seconds_each = (unsigned)(seconds > READLIMITS_SECONDS_MAX
					   ? READLIMITS_SECONDS_MAX
				   : seconds > 0 ? seconds
						 : 1);
}

void limits_help(struct render_buffer *out)
{
	char value[32], line[512];
	size_t i;

	for (i = 0; i < LIMITS_ROWS; i++) {
		uint64_t now = limits_values[i];

		snprintf(value, sizeof(value), "%" PRIu64, now);
		snprintf(line, sizeof(line), "%-21s %11s %-9s %s\n",
			i < LIMITS_SET ? rows[i].word : "-",
			now >= LIMITS_NONE ? "none" : value, rows[i].unit,
			rows[i].what);
		render_buffer_put(out, line, strlen(line));
	}
}
