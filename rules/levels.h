/*
 * How important a message is: the names in levels.def, and what a format says
 * of it.  Called by the library, for calls that are not syslog's, and by all
 * tools.  Freestanding: no libc call, no allocation; the time grows with the
 * length of the text.
 */
#ifndef RULES_LEVELS_H
#define RULES_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

enum {
#define LEVEL(name, number, what) LEVEL_##name = number,
#define LEVEL_ALIAS(name, number)
#include "rules/levels.def"
#undef LEVEL
#undef LEVEL_ALIAS
	LEVEL_LAST = LEVEL_library,
};

/*
 * The level that has this name, or another name for it, or number, in capital
 * letters or not: also "none", which is -1.  False: there is none.
 */
bool level_named(const char *text, size_t bytes, int *level);

/* The name of it; null: there is no such level. */
const char *level_name(int level);

/*
 * The level that a text begins with, be it a format or what came of it: `<3>`,
 * `ERROR`, `[warn]`, `error:`, also after a time, brackets and directives.
 * `otherwise` if it says nothing.
 */
int level_of_text(const char *format, size_t bytes, int otherwise);

#endif
