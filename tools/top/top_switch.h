/*
 * The level, and whether anything is recorded, in all programs that binlog-top
 * shows, as binlog-ctl switches them; in a directory also in those that start
 * later.  Called by top_keys.c; says in one sentence what came of it.
 */
#ifndef TOOLS_TOP_TOP_SWITCH_H
#define TOOLS_TOP_TOP_SWITCH_H

#include "tools/live/words.h"
#include "tools/top/top_captures.h"

/* `word` is one of words.def that changes something, `value` its value or
 * null. */
void top_switch(const struct top_captures *captures, enum word word,
	const char *value, char *sentence, size_t size);

#endif
