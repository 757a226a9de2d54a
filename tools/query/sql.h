/*
 * Words of ClickHouse's SQL that are made of what people have given: texts,
 * numbers and patterns.  Used by conditions.c and ask_sums.c.  Promises that no
 * byte of a text ends it, and of a pattern that what it finds on the server is
 * at least what it finds here.
 */
#ifndef TOOLS_QUERY_SQL_H
#define TOOLS_QUERY_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"

/* In quotes. */
void sql_put_text(struct render_buffer *out, const char *bytes, size_t count);

void sql_put_number(struct render_buffer *out, uint64_t number);
void sql_put_integer(struct render_buffer *out, int64_t number);

/* Without loss, whatever it is. */
void sql_put_float(struct render_buffer *out, double number);

enum sql_pattern {
	SQL_PATTERN_SAME, /* it finds the same */
	SQL_PATTERN_MORE, /* and perhaps more */
	SQL_PATTERN_NONE, /* it cannot be said */
};

/*
 * A POSIX extended regular expression as match() takes it.  `lines`: as of
 * REG_NEWLINE; `folds`: of texts in small letters, and it has no capital ones.
 * Appends it in quotes, unless it cannot be said.
 */
enum sql_pattern sql_put_regex(
	struct render_buffer *out, const char *regex, bool lines, bool folds);

/* Likewise a glob, of the whole text, as of fnmatch(3). */
enum sql_pattern sql_put_glob(struct render_buffer *out, const char *glob);

#endif
