/*
 * What those parts of the library that make a capture file find around them,
 * where they are alone in a unit test.  It defines what they need of others:
 * not for more than one file.
 */
#ifndef TESTS_CAPTURE_HOST_H
#define TESTS_CAPTURE_HOST_H

#include "shim/inside.h"

#include "shim/control.h"
#include "shim/environment.h"
#include "shim/host.h"
#include "shim/life.h"
#include "shim/process.h"
#include "shim/settings.h"

static char capture_host_alone = 1;
static const char *capture_host_trigger;

const char *host_single_threaded = &capture_host_alone;
struct process process;

/* Whether the process seems to have one thread; it does at first. */
static inline void capture_host_set_alone(bool is_alone)
{
	capture_host_alone = is_alone;
}

/* What BINLOG_TRIGGER seems to be; null at first. */
static inline void capture_host_set_trigger(const char *value)
{
	capture_host_trigger = value;
}

const char *settings_get(enum config_key key)
{
	return key == CONFIG_trigger ? capture_host_trigger : NULL;
}

bool process_is_founder(void)
{
	return true;
}

uint64_t life_pid_namespace(void)
{
	return 0;
}

void control_end(struct binlog_header *header)
{
	(void)header;
}

int (*host_clock_gettime)(clockid_t, struct timespec *) = clock_gettime;

#if !defined(__x86_64__)
uint32_t environment_page(void)
{
	return (uint32_t)sysconf(_SC_PAGESIZE);
}
#endif

#endif
