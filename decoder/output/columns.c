#include "decoder/output/columns.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

enum { SIDE_LEFT = 0, SIDE_RIGHT = 1 };

const struct column_kind columns_all[COLUMN_NAMES] = {
#define COLUMN(name, text, side, width, of, fact, what)                        \
	{text, SIDE_##side, COLUMN_OF_##of, FACT_##fact, width, what},
#include "decoder/output/columns.def"
#undef COLUMN
};

/* COLUMN_NAMES: there is none.  Where a name begins with `-` that may be left
 * out. */
static enum column_name find(const char *text, size_t bytes)
{
	size_t i;

	for (i = 0; i < COLUMN_NAMES; i++) {
		const char *name = columns_all[i].text;
		size_t length = strlen(name);

		if (*name == '-' && bytes > 0 && *text != '-') {
			name++;
			length--;
		}
		if (length == bytes && memcmp(name, text, bytes) == 0)
			break;
	}
	return (enum column_name)i;
}

static const char *complain(
	struct columns *columns, const char *text, size_t bytes)
{
	char *problem = columns->problem;
	size_t size = sizeof(columns->problem);
	const char *names[COLUMN_NAMES];
	char given[65];
	const char *near;
	size_t used, i;

	for (i = 0; i < COLUMN_NAMES; i++)
		names[i] = columns_all[i].text;
	snprintf(given, sizeof(given), "%.*s", bytes > 64 ? 64 : (int)bytes,
		text);
	near = suggest_nearest(given, names, COLUMN_NAMES);
	used = (size_t)snprintf(problem, size,
		"\"%s\" is no column: %s%s%sthere are", given,
		near ? "did you mean " : "", near ? near : "",
		near ? "? " : "");
	for (i = 0; i < COLUMN_NAMES && used < size; i++)
		used += (size_t)snprintf(problem + used, size - used, "%s %s",
			i == 0 ? "" : ",", columns_all[i].text);
	return problem;
}

const char *columns_parse(struct columns *columns, const char *list)
{
	columns->count = 0;
	for (;;) {
		size_t blanks = strspn(list, " ");
		size_t length = strcspn(list + blanks, ", ");
		enum column_name name = find(list + blanks, length);

		list += blanks;

		if (name == COLUMN_NAMES)
			return complain(columns, list, length);
		if (columns->count == COLUMNS_MAX)
			return "more columns than a line can have: leave some "
			       "out";
		columns->names[columns->count++] = (uint8_t)name;
		list += length;
		list += strspn(list, " ");
		if (!*list)
			return NULL;
		if (*list++ != ',')
			return "two columns without a comma between them: "
			       "put one there";
	}
}

bool columns_have(const struct columns *columns, enum column_name name)
{
	return memchr(columns->names, (int)name, columns->count);
}

bool columns_ask_for_locations(const struct columns *columns)
{
	size_t i;

	for (i = 0; i < columns->count; i++)
		if (columns_all[columns->names[i]].of == COLUMN_OF_PLACE)
			return true;
	return false;
}

bool columns_ask_for_statements(const struct columns *columns)
{
	size_t i;

	for (i = 0; i < columns->count; i++)
		switch (columns->names[i]) {
		case COLUMN_FORMAT:
		case COLUMN_STATEMENT:
		case COLUMN_LEVEL:
		case COLUMN_ARGUMENTS:
			return true;
		default:
			break;
		}
	return columns_ask_for_locations(columns);
}

void columns_help(struct render_buffer *out)
{
	char line[160];
	size_t i;

	for (i = 0; i < COLUMN_NAMES; i++) {
		const struct column_kind *column = &columns_all[i];

		snprintf(line, sizeof(line), "%-14s %s\n", column->text,
			column->what ? column->what
				     : facts_all[column->fact].what);
		render_buffer_put(out, line, strlen(line));
	}
}
