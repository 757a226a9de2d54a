/*
 * For tests of how a process begins: the library around shim/start/startup.c,
 * with an environment, settings and a capture that the test has in its hands,
 * and children that begin in it.  It defines functions of the library: not for
 * more than one file of a program.
 */
#ifndef TESTS_PROCESS_WORLD_H
#define TESTS_PROCESS_WORLD_H

#include "shim/host/inside.h"

#include <sys/utsname.h>
#include <sys/wait.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/control/control.h"
#include "shim/control/process.h"
#include "shim/control/settings.h"
#include "shim/file/capture_file.h"
#include "shim/file/growth.h"
#include "shim/file/quota.h"
#include "shim/host/arena.h"
#include "shim/host/clock.h"
#include "shim/host/environment.h"
#include "shim/host/host.h"
#include "shim/record/redact.h"
#include "shim/record/terminal.h"
#include "shim/start/directory.h"
#include "shim/start/startup.h"
#include "shim/streams/streams.h"
#include "shim/writer/life.h"
#include "shim/writer/patience.h"
#include "tests/unit/world/spill_world.h"
#include "shim/writer/position.h"
#include "shim/writer/ring_trigger.h"
#include "shim/writer/writer.h"

/* ---- what the library would be ---- */

#define KEYS 32
#define ARGUMENTS 4000

bool sys_forbidden, clock_is_tsc, streams_reading_shows, streams_have_offsets;
bool host_is_glibc = true, host_resolved = true;
uint32_t host_libc_version = 2036;
pthread_t (*host_pthread_self)(void) = pthread_self;
int (*host_pthread_getcpuclockid)(
	pthread_t, clockid_t *) = pthread_getcpuclockid;
static struct binlog_switches switches;
struct binlog_switches *control_switches = &switches;
static struct binlog_header header;
struct binlog_header *capture_file_header = &header;

static struct {
	const char *settings[KEYS], *run, *unwinder;
	int argc;
	char *argv[ARGUMENTS + 1];
	uint32_t modes[2]; /* of the outputs */
	struct stream_output outputs[2];
	bool is_secure, no_streams, no_outputs, no_arena, no_capture, unmarked;
	int level;
	bool off;
	char path[CAPTURE_FILE_PATH], dir[CAPTURE_FILE_PATH];
	char founded[1024], joined[CAPTURE_FILE_PATH];
	const struct binlog_header *others; /* a page */
	char shared[CAPTURE_FILE_PATH];
	struct binlog_header header;
	uint64_t max_bytes, ring_bytes, quota;
	unsigned looks; /* for what is too much in the directory */
	const char *rules;
	char noted[256];
	size_t rules_bytes;
	unsigned found, followed;
	struct process_self self;
} world = {.level = LEVEL_LAST};

void writer_prepare(void)
{
}

void host_resolve_now(void)
{
}

bool environment_is_secure(void)
{
	return world.is_secure;
}

void settings_read(void)
{
}

const char *settings_get(enum config_key key)
{
	return world.settings[key];
}

size_t settings_rules(char *to, size_t room)
{
	assert_true(strlen(world.rules) <= room);
	memcpy(to, world.rules, strlen(world.rules));
	return strlen(world.rules);
}

size_t settings_rules_bytes(void)
{
	return world.rules ? sizeof(world.noted) : 0;
}

uint32_t settings_rules_wrong(void)
{
	return world.rules ? 7 : 0;
}

void clock_choose(void)
{
}

uint64_t clock_ticks_slow(void)
{
	return 1000;
}

void clock_anchor(struct binlog_anchor *anchor)
{
	anchor->realtime = 1234567890123456789;
}

void control_set_level(int level)
{
	world.level = level;
}

void control_set_off(void)
{
	world.off = true;
}

void control_begin(struct binlog_header *of)
{
	assert_ptr_equal(of, &header);
}

void control_join(struct binlog_header *of)
{
	assert_ptr_equal(of, &header);
}

void control_set_rules(uint64_t at, size_t bytes)
{
	assert_int_equal(at, 4096);
	world.rules_bytes = bytes;
}

void control_follow_fork(void)
{
	world.followed++;
}

void redact_begin(void)
{
}

void life_begin(void)
{
}

void life_join(void)
{
	assert_true(process.joined);
}

uint64_t life_inherit(void)
{
	return 0xe5;
}

void ring_begin(uint64_t bytes, uint64_t max_bytes)
{
	world.ring_bytes = bytes;
	assert_int_equal(max_bytes, world.max_bytes);
}

void patience_begin(const char *value)
{
	assert_ptr_equal(value, world.settings[CONFIG_full]);
}

void ring_trigger_begin(void)
{
}

const char *environment_get(const char *name)
{
	return strcmp(name, "BINLOG_RUN") == 0 ? world.run : NULL;
}

int environment_argc(void)
{
	return world.argc;
}

char **environment_argv(void)
{
	return world.argv;
}

void environment_set(const char *name, const char *value)
{
	strcpy(strcmp(name, "BINLOG_RUN=") == 0 ? world.founded : world.dir,
		value);
}

bool streams_identify(int fd, struct stream_output *output)
{
	*output = (struct stream_output){.device = 0xd,
		.inode = 0xe0 + (unsigned)fd,
		.mode = world.modes[fd - 1],
		.known = true};
	return !world.no_outputs;
}

bool streams_configure(const char *modes, const struct stream_output outputs[2])
{
	assert_ptr_equal(modes, world.settings[CONFIG_streams]);
	memcpy(world.outputs, outputs, sizeof(world.outputs));
	return !world.no_streams;
}

void unwind_select(const char *name)
{
	world.unwinder = name;
}

bool arena_open(void)
{
	return !world.no_arena;
}

bool arena_is_marked(void)
{
	return !world.unmarked;
}

void arena_mark(void)
{
	world.unmarked = false;
}

void *arena_root(void)
{
	return &world.self;
}

bool capture_file_create(
	char *path, uint64_t max_bytes, const struct binlog_header *made)
{
	strcpy(world.path, path);
	world.max_bytes = max_bytes;
	world.header = *made;
	return !world.no_capture;
}

bool capture_file_join(char *path, uint64_t max_bytes,
	bool (*fits)(const struct binlog_header *header))
{
	strcpy(world.shared, path);
	world.max_bytes = max_bytes;
	if (!world.others || !fits(world.others))
		return false;
	world.header = *world.others;
	return true;
}

/* Nothing goes on in another capture. */
struct binlog_header *capture_file_prepare(
	char *path, uint64_t max_bytes, const struct binlog_header *made)
{
	(void)path;
	(void)max_bytes;
	(void)made;
	return NULL;
}

bool capture_file_may_begin(const char *directory, uint64_t bytes)
{
	(void)directory;
	(void)bytes;
	return false;
}

void capture_file_is_child(void)
{
}

const char *growth_path(void)
{
	return "/";
}

bool quota_makes_room(const char *path, uint64_t bytes)
{
	(void)path;
	(void)bytes;
	return false;
}

void capture_file_make_room(char *path)
{
	(void)path;
	world.looks++;
}

void quota_set(uint64_t bytes)
{
	world.quota = bytes;
}

/* There is none of the places where captures go that nobody has asked for. */
bool directory_elsewhere(
	unsigned place, const char *asked, bool make, char *path, size_t size)
{
	(void)place;
	(void)asked;
	(void)make;
	(void)path;
	(void)size;
	return false;
}

void directory_leave(char *path)
{
	(void)path;
}

void capture_file_make_directory(const char *path)
{
	(void)path;
}

char *capture_file_note(uint32_t kind, size_t bytes, uint64_t *at)
{
	assert_int_equal(kind, BINLOG_RULES);
	assert_int_equal(bytes, sizeof(world.noted));
	*at = 4096;
	return world.noted;
}

void position_found(struct binlog_header *of)
{
	assert_ptr_equal(of, &header);
	world.found++;
}

void position_begin(const struct stream_output *output)
{
	(void)output;
}

void position_join(const char *path)
{
	strcpy(world.joined, path);
}

/* ---- children ---- */

/* In a child nobody catches what cmocka throws. */
#define CHECK(condition)                                                       \
	do {                                                                   \
		if (condition)                                                 \
			break;                                                 \
		dprintf(2, "line %d: not so: %s\n", __LINE__, #condition);     \
		_exit(1);                                                      \
	} while (0)

static void in_child(void (*scenario)(void))
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		scenario();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void set(enum config_key key, const char *value)
{
	world.settings[key] = value;
}

static void begins(void)
{
	CHECK(!startup_begun);
	CHECK(!process_is_armed());
	set(CONFIG_dir, world.settings[CONFIG_dir] ? world.settings[CONFIG_dir]
						   : "/captures");
	startup();
	CHECK(process_is_armed());
	CHECK(process_is_recording());
}

static void does_not_begin(void)
{
	startup();
	CHECK(startup_begun);
	CHECK(!process_is_recording());
	CHECK(!process_is_borrowed());
}

#define SCENARIO(name)                                                         \
	static void name##_there(void);                                        \
	static void name(void **state)                                         \
	{                                                                      \
		(void)state;                                                   \
		in_child(name##_there);                                        \
	}                                                                      \
	static void name##_there(void)

#endif
