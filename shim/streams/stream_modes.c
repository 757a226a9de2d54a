#include "shim/streams/stream_modes.h"

#include <sys/stat.h>

/* makedev(1, 3), Documentation/admin-guide/devices.txt of the kernel */
#define NULL_DEVICE 0x103

static enum policy_mode set[SWITCH_STREAMS] = {
	[SWITCH_STDOUT] = POLICY_AUTO,
	[SWITCH_STDERR] = POLICY_AUTO,
	[SWITCH_SYSLOG] = POLICY_REPLACE,
};
static uint8_t switched[SWITCH_STREAMS];
static bool switched_off;

void stream_modes_configure(const char *value)
{
	struct policy_item item;

	while (value && policy_next(&value, &item)) {
		if (item.wrong)
			continue;
		if (item.streams & POLICY_STDOUT)
			set[SWITCH_STDOUT] = item.mode;
		if (item.streams & POLICY_STDERR)
			set[SWITCH_STDERR] = item.mode;
		if (item.streams & POLICY_SYSLOG)
			set[SWITCH_SYSLOG] = item.mode;
	}
}

void stream_modes_switch(const uint8_t modes[SWITCH_STREAMS], bool off)
{
	for (unsigned i = 0; i < SWITCH_STREAMS; i++)
		switched[i] = modes[i] <= 1 + POLICY_PASS ? modes[i] : 0;
	switched_off = off;
}

static enum policy_mode now(enum switch_stream which, enum policy_mode mode)
{
	if (switched_off)
		return POLICY_PASS;
	return switched[which] ? (enum policy_mode)(switched[which] - 1) : mode;
}

enum policy_mode stream_modes_of(enum switch_stream which)
{
	enum policy_mode mode = now(which, set[which]);

	/* There is no file behind it to decide by. */
	return which == SWITCH_SYSLOG && mode == POLICY_AUTO ? POLICY_REPLACE
							     : mode;
}

enum policy_mode stream_modes_of_file(enum policy_mode mode)
{
	if (mode != POLICY_REPLACE && mode != POLICY_TEE)
		return mode;
	mode = now(SWITCH_FILES, mode);
	return mode == POLICY_AUTO ? POLICY_TEE : mode;
}

enum policy_mode stream_modes_automatic(const struct stat *st, bool terminal)
{
	if (S_ISFIFO(st->st_mode))
		return POLICY_TEE;
	if (S_ISREG(st->st_mode) || S_ISSOCK(st->st_mode))
		return POLICY_REPLACE;
	if (S_ISCHR(st->st_mode) && (st->st_rdev == NULL_DEVICE || terminal))
		return POLICY_REPLACE;
	return POLICY_PASS;
}
