/*
 * What those parts of the library that make a capture file find around them,
 * where they are alone in a unit test.  It defines what they need of others:
 * not for more than one file.
 */
#ifndef TESTS_CAPTURE_HOST_H
#define TESTS_CAPTURE_HOST_H

#include "shim/host/above.h"
#include "shim/host/inside.h"

#include "shim/control/control.h"
#include "shim/control/process.h"
#include "shim/control/settings.h"
#include "shim/host/environment.h"
#include "shim/host/host.h"
#include "shim/writer/life.h"

static char capture_host_alone = 1;
static const char *capture_host_trigger;
static bool capture_host_later;
static uint64_t capture_host_namespace;

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

/* The process is not the one that has made the file, but a child of it, in this
 * namespace of processes. */
static inline void capture_host_set_child(uint64_t pid_namespace)
{
	capture_host_later = true;
	capture_host_namespace = pid_namespace;
}

const char *settings_get(enum config_key key)
{
	return key == CONFIG_trigger ? capture_host_trigger : NULL;
}

bool process_is_founder(void)
{
	return !capture_host_later;
}

uint64_t life_pid_namespace(void)
{
	return capture_host_namespace;
}

static void end_header(struct binlog_header *header)
{
	(void)header;
}

static unsigned capture_host_ends;

/* How many times all writers were told that the file is cut. */
static inline unsigned capture_host_told(void)
{
	return capture_host_ends;
}

static void end_file(void)
{
	capture_host_ends++;
}

static uint64_t (*capture_host_cut)(void);

/* Who is asked for blocks that are zeros; null at first: there are none. */
static inline void capture_host_set_cut(uint64_t (*first_cut)(void))
{
	capture_host_cut = first_cut;
}

static uint64_t first_cut(void)
{
	return capture_host_cut ? capture_host_cut() : 0;
}

const struct above above = {
	.header_ends = end_header,
	.file_ends = end_file,
	.first_cut = first_cut,
};

int (*host_clock_gettime)(clockid_t, struct timespec *) = clock_gettime;

#if !defined(__x86_64__)
uint32_t environment_page(void)
{
	return (uint32_t)sysconf(_SC_PAGESIZE);
}
#endif

#endif
