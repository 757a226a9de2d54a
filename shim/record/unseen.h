/*
 * What has come to the run's own outputs, where these are files, by ways that
 * nobody sees: system calls without libc, libraries that are loaded past us,
 * programs without us.  Each byte is told of once in the run, as an event, by
 * whoever ends, executes another program, or closes the file.  Called by all
 * that sees the process end.  Async-signal-safe.
 */
#ifndef SHIM_UNSEEN_H
#define SHIM_UNSEEN_H

#include "shim/record/capture.h"

/* At an end; also of a program that has said nothing, but for its children. */
void unseen_tell(const struct call *call);

/* Before a descriptor is closed, or becomes another one. */
void unseen_tell_descriptor(const struct call *call, int fd);

#endif
