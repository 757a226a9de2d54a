#include "decoder/capture/liveness.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/in_use.h"

#define NS 1000000000u

/* Fields of /proc/PID/stat, proc(5), counted from the state on. */
enum { STATE = 0, THREADS = 17, START = 19 };

/* -1: there is none. */
static ssize_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n;
}

static const char *field(const char *text, unsigned number)
{
	for (; text && number > 0; number--) {
		text = strchr(text, ' ');
		text += text != NULL;
	}
	return text;
}

/*
 * Whoever has the number now has had it since before `boottime`.  A process
 * whose first thread has ended looks like a dead one, but has others.
 */
static bool has_it_since(uint32_t pid, uint64_t boottime)
{
	uint64_t hertz = (uint64_t)sysconf(_SC_CLK_TCK);
	const char *state, *threads, *start;
	char path[32];
	char text[1024];

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return false;
	/* the name may have any byte in it */
	state = field(strrchr(text, ')'), 1);
	threads = field(state, THREADS);
	start = field(state, START);
	if (!state || !threads || !start)
		return false;
	if (strchr("ZXx", *state) && strtol(threads, NULL, 10) <= 1)
		return false;
	return strtoull(start, NULL, 10) <= boottime / (NS / hertz);
}

/* Where we are: 0 is not known. */
static struct {
	bool asked;
	uint8_t boot_id[sizeof(((struct binlog_header *)0)->boot_id)];
	uint64_t pid_namespace;
} here;

static void ask(void)
{
	char text[64];
	size_t nibble = 0;
	struct stat st;
	const char *at;

	here.asked = true;
	if (stat("/proc/self/ns/pid", &st) == 0)
		here.pid_namespace = st.st_ino;
	read_file("/proc/sys/kernel/random/boot_id", text, sizeof(text));
	for (at = text; *at && nibble < 2 * sizeof(here.boot_id); at++) {
		const char digit[] = {*at, '\0'};

		if (!isxdigit((unsigned char)*at))
			continue;
		here.boot_id[nibble / 2] |= (uint8_t)(strtoul(digit, NULL, 16)
						      << (nibble % 2 ? 0 : 4));
		nibble++;
	}
}

/* Only what both know can differ. */
static bool is_other_boot(const struct binlog_header *header)
{
	static const uint8_t unknown[sizeof(here.boot_id)];

	return memcmp(header->boot_id, unknown, sizeof(unknown)) != 0 &&
	       memcmp(here.boot_id, unknown, sizeof(unknown)) != 0 &&
	       memcmp(header->boot_id, here.boot_id, sizeof(unknown)) != 0;
}

bool liveness_is_here(const struct recording *capture)
{
	static const uint8_t unknown[sizeof(here.boot_id)];

	if (!here.asked)
		ask();
	return memcmp(here.boot_id, unknown, sizeof(unknown)) != 0 &&
	       memcmp(capture->header.boot_id, here.boot_id, sizeof(unknown)) ==
		       0;
}

static bool is_other_namespace(uint64_t pid_namespace)
{
	return pid_namespace != 0 && here.pid_namespace != 0 &&
	       pid_namespace != here.pid_namespace;
}

/* Numbers mean nothing here; but somebody may have the file open. */
static enum liveness ask_the_file(const struct recording *capture)
{
	int fd = open(capture->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	enum in_use use = fd < 0 ? IN_USE_UNKNOWN : in_use_hold(fd);

	if (fd >= 0)
		close(fd);
	return use == IN_USE_NO	   ? LIVENESS_GONE
	       : use == IN_USE_YES ? LIVENESS_ALIVE
				   : LIVENESS_UNKNOWN;
}

struct binlog_founder liveness_founder(struct recording *capture)
{
	struct binlog_founder founder;

	if (capture->packed)
		return capture->founder;
	if (recording_read(capture, capture->header_at + BINLOG_FOUNDER_OFFSET,
		    &founder, sizeof(founder)) < sizeof(founder))
		return (struct binlog_founder){0};
	return founder;
}

enum liveness liveness_of(
	struct recording *capture, uint32_t pid, uint64_t boottime)
{
	if (!here.asked)
		ask();
	if (is_other_boot(&capture->header))
		return LIVENESS_GONE;
	if (is_other_namespace(liveness_founder(capture).pid_namespace))
		return capture->packed ? LIVENESS_UNKNOWN
				       : ask_the_file(capture);
	return has_it_since(pid, boottime) ? LIVENESS_ALIVE : LIVENESS_GONE;
}
