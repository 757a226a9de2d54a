/*
 * What is to be switched, collected from words before any of it is.  Filled by
 * binlog-ctl, obeyed by switching.c and, for programs to come, by
 * changes.c.  Promises that what is in it has a meaning.
 */
#ifndef TOOLS_CTL_CHANGES_H
#define TOOLS_CTL_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/switches.h"
#include "tools/live/words.h"

/* All zeros changes nothing. */
struct changes {
	bool any;
	bool on_known;
	bool on;
	bool level_known;
	int level;
	bool depth_known;
	uint8_t depth; /* 0: as started */
	bool mode_known[SWITCH_STREAMS];
	uint8_t modes[SWITCH_STREAMS];
	bool rules_replaced; /* what was in force is not any more */
	char *rules;	     /* that are added; not terminated, or null */
	size_t rules_bytes;
	bool trigger;
	char sentence[512]; /* what is wrong: why: what can be done */
};

/* Takes a word that changes something.  False: `sentence` says what is wrong,
 * and nothing may be switched. */
bool changes_take(struct changes *changes, const struct word_said *said);

void changes_free(struct changes *changes);

#define CONTROL_FILE_NAME "control.conf"

/* Also of any other configuration. */
#define CONTROL_FILE_MAX ((size_t)2 << 20)

/*
 * All of it, the caller's to free, ending in a NUL that *bytes does not count.
 * Null: errno says why not.
 */
char *control_file_read(const char *path, size_t *bytes);

/*
 * Null, or why not; nothing was changed then.  The file is the directory's
 * owner's, also if root writes it; what others put in its place is refused.
 */
const char *control_file_merge(
	const char *directory, const struct changes *changes);

#endif
