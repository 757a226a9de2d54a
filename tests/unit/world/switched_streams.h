/*
 * For tests around a part of the library: what inline functions of streams.h
 * and control.h look at, without streams and with nothing switched.  It defines
 * variables of the library: not for more than one file of a program.
 */
#ifndef TESTS_SWITCHED_STREAMS_H
#define TESTS_SWITCHED_STREAMS_H

#include "shim/control/control.h"
#include "shim/streams/streams.h"

static struct binlog_switches switches;
struct binlog_switches *control_switches = &switches;
uint32_t control_seen;
struct stream streams[STREAMS_MAX + 1];
struct stream_slot streams_slots[STREAMS_FDS];

#endif
