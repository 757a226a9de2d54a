/*
 * What binlog-ctl does with programs while they run, word by word.  Called by
 * main; says itself what comes of it.  Promises that nothing is switched if
 * any of the words has no meaning.
 */
#ifndef TOOLS_CTL_RUNNING_H
#define TOOLS_CTL_RUNNING_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/ctl/status.h"

/* `place` is the number of a process or a directory. */
enum exit_status running_obey(
	const char *place, char *const *arguments, size_t count, bool json);

#endif
