/*
 * What the user has set: BINLOG_... in the environment, in the file that
 * BINLOG_CONFIG names, and what binlog-ctl has left in the directory of the
 * captures for programs that start later (control.conf).  The last goes before
 * the first, and that before the second.  Read while arming only.
 */
#ifndef SHIM_SETTINGS_H
#define SHIM_SETTINGS_H

#include "rules/config.h"

/* Of captures, in the working directory, where none is set. */
#define SETTINGS_DIRECTORY "binlog.data"

/*
 * Reads the files; what is wrong in them is passed over: binlog-run(1) says
 * so.  Of rules among which one is wrong those count that redact something.
 */
void settings_read(void);

/* Null: not set. */
const char *settings_get(enum config_key key);

/*
 * The rules of all, one below the other, into `to`, of `room` bytes.  Returns
 * how many bytes they are, 0 if there are none, or if there is not enough room.
 */
size_t settings_rules(char *to, size_t room);

/* The most that settings_rules() may need. */
size_t settings_rules_bytes(void);

/* The line, of its text, of a rule that is wrong; 0: none is. */
uint32_t settings_rules_wrong(void);

#endif
