/*
 * How each stream is to be treated: as BINLOG_STREAMS says, or as it has been
 * switched from outside since (record/switches.h).  Asked by streams.c when it
 * decides what a descriptor is.
 */
#ifndef SHIM_STREAM_MODES_H
#define SHIM_STREAM_MODES_H

#include "record/switches.h"
#include "rules/policy.h"
#include "shim/host/sys.h"

/* From the value of BINLOG_STREAMS, or null. */
void stream_modes_configure(const char *value);

void stream_modes_switch(const uint8_t modes[SWITCH_STREAMS], bool off);

/* Of standard output, standard error and syslog. */
enum policy_mode stream_modes_of(enum switch_stream which);

struct stat;

/* The rule `auto` for a run's own output. */
enum policy_mode stream_modes_automatic(const struct stat *st, bool terminal);

/* Of a file that was asked for with this mode. */
enum policy_mode stream_modes_of_file(enum policy_mode mode);

#endif
