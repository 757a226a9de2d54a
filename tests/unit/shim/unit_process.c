/*
 * How a process begins: what its settings say, the run that it founds or joins,
 * the name of its capture, and who it says it is.  Each of them in a child, as
 * it begins once; the kernel is asked what is right.
 */
#include <elf.h>

#include "record/file_growth.h"
#include "tests/unit/world/process_world.h"

/* ---- settings ---- */

static const char *value;
static uint64_t wanted;

static void check_size(void)
{
	set(CONFIG_max_size, value);
	set(CONFIG_ring, value);
	set(CONFIG_quota, value);
	begins();
	CHECK(world.max_bytes == (wanted ? wanted : (uint64_t)1 << 30));
	CHECK(world.ring_bytes == wanted);
	CHECK(world.quota == wanted);
}

static void sizes_have_suffixes_and_ends(void **state)
{
	static const struct {
		const char *value;
		uint64_t wanted; /* 0: what is usual */
	} rows[] = {{NULL, 0}, {"", 0}, {"x", 0}, {"512", 512},
		{"64K", 64 << 10}, {"3m", 3 << 20}, {"2G", (uint64_t)2 << 30},
		{"1t", (uint64_t)1 << 40},
		{"8388607T", (uint64_t)8388607 << 40}, {"8388608T", INT64_MAX},
		{"9999999999999999G", INT64_MAX}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		value = rows[i].value;
		wanted = rows[i].wanted;
		in_child(check_size);
	}
}

static void check_depth(void)
{
	set(CONFIG_depth, value);
	begins();
	CHECK(process.depth == wanted);
}

static void depths_are_those_that_can_be(void **state)
{
	static const struct {
		const char *value;
		uint64_t wanted;
	} rows[] = {{NULL, 16}, {"none", 16}, {"0", 1}, {"1", 1}, {"7", 7},
		{"64", 64}, {"65", 64}, {"99999999999", 64}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		value = rows[i].value;
		wanted = rows[i].wanted;
		in_child(check_depth);
	}
}

static void check_off(void)
{
	set(CONFIG_off, value);
	begins();
	CHECK(world.off == wanted);
}

static void check_disabled(void)
{
	set(CONFIG_disable, value);
	if (!wanted)
		begins();
	else
		does_not_begin();
}

static void what_is_off_is_neither_empty_nor_zero(void **state)
{
	static const char *const values[] = {NULL, "", "0", "1", "yes"};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		value = values[i];
		wanted = i > 2;
		in_child(check_off);
		in_child(check_disabled);
	}
}

SCENARIO(a_level_is_one_that_there_is)
{
	set(CONFIG_level, "warning");
	set(CONFIG_unwinder, "libunwind");
	begins();
	CHECK(world.level == 4);
	CHECK(strcmp(world.unwinder, "libunwind") == 0);
}

SCENARIO(no_level_is_all)
{
	set(CONFIG_level, "loud");
	begins();
	CHECK(world.level == LEVEL_LAST);
}

SCENARIO(rules_are_published)
{
	world.rules = "format \"x\" drop\n";
	begins();
	CHECK(world.rules_bytes == strlen(world.rules));
	CHECK(memcmp(world.noted, world.rules, world.rules_bytes) == 0);
	CHECK(switches.rules_wrong == 7);
}

/* ---- where nothing is recorded ---- */

SCENARIO(not_with_another_libc)
{
	host_is_glibc = false;
	does_not_begin();
}

SCENARIO(not_for_who_may_more_than_its_caller)
{
	world.is_secure = true;
	does_not_begin();
}

SCENARIO(not_without_streams)
{
	world.no_streams = true;
	does_not_begin();
}

SCENARIO(not_without_outputs)
{
	world.no_outputs = true;
	does_not_begin();
	CHECK(!*world.founded);
}

SCENARIO(not_without_memory)
{
	world.no_arena = true;
	does_not_begin();
	CHECK(!*world.path);
}

SCENARIO(not_without_a_capture)
{
	world.no_capture = true;
	does_not_begin();
}

SCENARIO(not_where_the_path_is_too_long)
{
	static char dir[CAPTURE_FILE_PATH + 2];

	memset(dir, '/', CAPTURE_FILE_PATH);
	set(CONFIG_dir, dir);
	does_not_begin();
	CHECK(!*world.path);
}

SCENARIO(not_where_there_is_no_directory)
{
	char dir[] = "/tmp/unit_process.XXXXXX";

	CHECK(mkdtemp(dir) && chdir(dir) == 0 && rmdir(dir) == 0);
	set(CONFIG_dir, "captures");
	does_not_begin();
	CHECK(!*world.dir);
}

/* The kernel says "(unreachable)" before it. */
SCENARIO(not_where_the_directory_is_outside)
{
	char dir[] = "/tmp/unit_process.XXXXXX", name[4096];

	CHECK(mkdtemp(dir) && chdir("/") == 0);
	if (chroot(dir) != 0 && rmdir(dir) == 0)
		return; /* it is not allowed */
	CHECK(syscall(SYS_getcwd, name, sizeof(name)) > 0 && *name != '/');
	does_not_begin();
	CHECK(chroot(".") == 0 && rmdir(dir) == 0);
}

/* ---- names ---- */

SCENARIO(a_relative_directory_is_of_the_current_one)
{
	char cwd[4096], wish[4200];

	CHECK(getcwd(cwd, sizeof(cwd)));
	strcat(strcpy(wish, cwd), "/some/captures");
	set(CONFIG_dir, "some/captures");
	begins();
	CHECK(strcmp(world.dir, wish) == 0);
	CHECK(strncmp(world.path, wish, strlen(wish)) == 0);
}

SCENARIO(no_directory_is_the_usual_one)
{
	char cwd[4096];

	CHECK(getcwd(cwd, sizeof(cwd)));
	set(CONFIG_dir, "");
	begins();
	CHECK(strcmp(strcat(strcat(cwd, "/"), SETTINGS_DIRECTORY), world.dir) ==
		0);
}

/* program-pid-start-random.binlog */
SCENARIO(a_capture_is_named_after_who_makes_it)
{
	char program[64], rest[64];
	unsigned long pid, start, nonce;

	begins();
	CHECK(!*world.dir); /* it was absolute */
	CHECK(sscanf(world.path, "/captures/%60[a-z_]-%lu-%lu-%lx%60s", program,
		      &pid, &start, &nonce, rest) == 5);
	CHECK(strcmp(program, program_invocation_short_name) == 0);
	CHECK(pid == (unsigned long)getpid());
	CHECK(start == 1234567890);
	CHECK(nonce == world.header.nonce);
	CHECK(strcmp(rest, BINLOG_SUFFIX) == 0);
}

SCENARIO(a_capture_knows_the_boot)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	CHECK(file);
	begins();
	for (int i = 0; i < 16; i++) {
		unsigned byte;

		CHECK(fscanf(file, "%2x%*[-]", &byte) == 1);
		CHECK(world.header.boot_id[i] == byte);
	}
}

/* ---- runs ---- */

SCENARIO(who_is_first_founds_a_run)
{
	char wish[64];

	begins();
	CHECK(sscanf(world.founded, "%[0-9a-f]:d:e1:d:e2", wish) == 1);
	CHECK(strtoull(wish, NULL, 16) == world.header.run);
	CHECK(strncmp(world.founded + strlen(wish), ":d:e1:d:e2:2:", 13) == 0);
	CHECK(strlen(world.founded) == strlen(wish) + 13 + 32);
	CHECK(world.found == 0 && !streams_have_offsets);
	CHECK(world.outputs[1].inode == 0xe2 && world.outputs[1].known);
}

static void check_regular(void)
{
	world.modes[value != NULL] = S_IFREG | 0644;
	begins();
	CHECK(strcmp(strrchr(world.founded, ':') + 1,
		      strrchr(world.path, '/') + 1) == 0);
	CHECK(world.found == 1 && streams_have_offsets);
}

static void with_a_regular_output_others_find_the_capture(void **state)
{
	(void)state;
	value = NULL;
	in_child(check_regular);
	value = "";
	in_child(check_regular);
}

#define CLOCK_AND_BOOT "2:000102030405060708090a0b0c0d0e0f"

SCENARIO(others_join_it)
{
	world.run = "1a:2:3:4:0:" CLOCK_AND_BOOT ":1:0:first.binlog";
	begins();
	CHECK(world.header.run == 0x1a);
	CHECK(world.outputs[0].device == 2 && world.outputs[0].inode == 3);
	CHECK(world.outputs[0].known && !world.outputs[1].known);
	CHECK(strcmp(world.joined, "/captures/first.binlog") == 0);
	CHECK(streams_have_offsets);
	CHECK(!*world.founded && !*world.shared);
	CHECK(!clock_is_tsc && world.header.boot_id[15] == 15);
	/* One of 32 looks whether there is too much. */
	CHECK(world.looks == (world.header.nonce % 32 == 0));
}

SCENARIO(there_may_be_no_first_capture)
{
	world.run = "1a:2:3:4:5:" CLOCK_AND_BOOT;
	begins();
	CHECK(world.outputs[1].known);
	CHECK(!*world.joined && !streams_have_offsets);
}

/* ---- that share a capture ---- */

/* As the process that has made it would have left it; `broken` is changed. */
static union {
	struct binlog_header header;
	char bytes[BINLOG_PAGE];
} others;
static size_t broken;
static const char *run;

static void make_others(void)
{
	struct binlog_founder *founder =
		(void *)(others.bytes + BINLOG_FOUNDER_OFFSET);

	others.header = (struct binlog_header){
		.magic = BINLOG_MAGIC,
		.version = BINLOG_VERSION,
		.byte_order = BINLOG_BYTE_ORDER,
		.run = 0x1a,
		.next = 8192,
		.clock = BINLOG_CLOCK_MONOTONIC,
	};
#if defined(__x86_64__)
	others.header.machine = EM_X86_64;
#else
	others.header.machine = EM_AARCH64;
#endif
	for (uint8_t i = 0; i < 16; i++)
		others.header.boot_id[i] = i;
	founder->pid_namespace = 0xe5;
	founder->libc = host_libc_version;
	if (broken)
		others.bytes[broken] ^= 0x40;
}

static void check_shared(void)
{
	make_others();
	world.others = &others.header;
	world.run = run;
	set(CONFIG_captures, "run");
	begins();
	CHECK(process.joined == (broken == 0));
	CHECK(strcmp(world.shared, "/captures/first.binlog") == 0);
	CHECK(!*world.path == process.joined);
}

static void check_own(void)
{
	broken = 0;
	make_others();
	world.others = &others.header;
	world.run = run;
	set(CONFIG_captures, value);
	begins();
	CHECK(!process.joined && !*world.shared && *world.path);
}

#define AT(member) offsetof(struct binlog_header, member)
#define FOUNDER(member)                                                        \
	(BINLOG_FOUNDER_OFFSET + offsetof(struct binlog_founder, member))
#define RUN(more) "1a:2:3:4:0:" CLOCK_AND_BOOT more

static void a_capture_is_shared_that_fits(void **state)
{
	static const size_t all[] = {0, AT(magic) + 1, AT(version),
		AT(byte_order), AT(run), AT(next) + 3, AT(clock), AT(machine),
		AT(boot_id), AT(boot_id) + 15, FOUNDER(libc),
		FOUNDER(pid_namespace),
		BINLOG_GROWTH_OFFSET + offsetof(struct file_growth, stuck)};

	(void)state;
	run = RUN(":1:1:first.binlog");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		broken = all[i];
		in_child(check_shared);
	}
}

static void a_capture_is_shared_by_who_is_asked_to(void **state)
{
	static const char *const runs[] = {RUN(""), RUN(":1:0:first.binlog"),
		RUN(":1:3:first.binlog"), RUN(":1:1:../first.binlog"),
		RUN(":1:1:.binlog"), RUN(":1:1:first"), RUN(":1:1:"),
		RUN(":1:1"), RUN(":first.binlog")};
	static const char *const values[] = {NULL, "", "program", "runs"};

	(void)state;
	value = "run";
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		run = runs[i];
		in_child(check_own);
	}
	run = RUN(":1:1:first.binlog");
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		value = values[i];
		in_child(check_own);
	}
}

static void check_run(void)
{
	world.run = value;
	begins();
	CHECK(world.outputs[0].inode == 0xe1);
	CHECK(*world.founded);
	CHECK(world.looks == 1);
}

static void what_is_no_run_is_not_joined(void **state)
{
	static const char *const values[] = {NULL, "", "run", "1a",
		"1a:x:1:2:3", "1a:2:x:3:4", "1a:2:3:4", "1a:2:3:4:5",
		"1a:2:3:4:5:1", "1a:2:3:4:5:1:0123"};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		value = values[i];
		in_child(check_run);
	}
}

/* ---- who it is ---- */

static union {
	struct binlog_process_record record;
	char bytes[65536];
} described;

static void describe(void)
{
	CHECK(process_describe(&described.record) <= sizeof(described));
	CHECK(described.record.pid == (uint32_t)getpid());
	CHECK(described.record.ppid == (uint32_t)getppid());
	CHECK(described.record.uid == getuid());
}

SCENARIO(it_says_what_it_was_called_with)
{
	char path[4096] = "", cwd[4096];
	const char *at = described.bytes + sizeof(described.record);
	const char *end;
	struct utsname host;

	world.argc = 4; /* of which one has been taken away */
	world.argv[0] = (char[]){"name"};
	world.argv[1] = (char[]){""};
	world.argv[2] = (char[]){"two words"};
	begins();
	describe();
	end = at + described.record.bytes;
	CHECK(readlink("/proc/self/exe", path, sizeof(path)) > 0);
	CHECK(getcwd(cwd, sizeof(cwd)));
	CHECK(strcmp(process_executable(), path) == 0);
	CHECK(strcmp(at, path) == 0);
	at += strlen(at) + 1;
	CHECK(strcmp(at, cwd) == 0);
	at += strlen(at) + 1;
	CHECK(memcmp(at, "name\0\0two words", 16) == 0);
	at += 16;
	CHECK(described.record.argc == 3);
	CHECK(uname(&host) == 0);
	CHECK(strcmp(at, host.nodename) == 0);
	at += strlen(at) + 1;
	while (at < end) {
		CHECK(strchr(at, '='));
		at += strlen(at) + 1;
	}
	CHECK(at == described.bytes + sizeof(described.record) +
			    described.record.bytes);
	CHECK(process_describe(NULL) ==
		sizeof(described.record) +
			((described.record.bytes + 3) & ~3u));
}

SCENARIO(it_may_have_been_called_with_too_much)
{
	static char word[] = "word";

	world.argc = ARGUMENTS;
	for (int i = 0; i < ARGUMENTS; i++)
		world.argv[i] = word;
	begins();
	describe();
	CHECK(described.record.argc > 100);
	CHECK(described.record.argc < ARGUMENTS);
	CHECK(described.record.bytes <= 8192);
	CHECK(described.record.bytes > 8192 - 2 * sizeof(word));
}

SCENARIO(a_child_of_fork_is_another)
{
	begins();
	CHECK(process_is_founder() && process_is_itself());
	CHECK(!process_is_borrowed());
	process_enumerate(1); /* not in a founder */
	CHECK(world.self.number == 0);
	process_follow_fork(); /* there was none */
	CHECK(!process.forked && world.followed == 0);
	process.pid++;
	CHECK(process_is_borrowed() && !process_is_itself());
	world.unmarked = true;
	CHECK(!process_is_borrowed() && !process_is_founder());
	process_follow_fork();
	CHECK(process.pid == (uint32_t)getpid());
	CHECK(process.forked && world.followed == 1);
	CHECK(!process_is_founder());
	process_enumerate(4);
	process_enumerate(5);
	CHECK(world.self.number == 5 && world.self.parent == 0);
	memset(&world.self, 0, sizeof(world.self));
	process_enumerate(8);
	CHECK(world.self.number == 9 && world.self.parent == 5);
}

SCENARIO(who_may_not_ask_the_kernel_is_who_it_was)
{
	begins();
	sys_forbidden = true;
	process.pid++;
	CHECK(process_is_itself() && !process_is_borrowed());
	world.unmarked = true;
	process_follow_fork();
	CHECK(process.pid == (uint32_t)getpid() + 1);
}

SCENARIO(who_asks_first_begins_it)
{
	set(CONFIG_dir, "/captures");
	CHECK(!process_is_recording());
	startup();
	CHECK(process_is_recording());
	*world.path = '\0';
	startup_arm(); /* once */
	CHECK(!*world.path);
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sizes_have_suffixes_and_ends),
		TEST(depths_are_those_that_can_be),
		TEST(what_is_off_is_neither_empty_nor_zero),
		TEST(a_level_is_one_that_there_is),
		TEST(no_level_is_all),
		TEST(rules_are_published),
		TEST(not_with_another_libc),
		TEST(not_for_who_may_more_than_its_caller),
		TEST(not_without_streams),
		TEST(not_without_outputs),
		TEST(not_without_memory),
		TEST(not_without_a_capture),
		TEST(not_where_the_path_is_too_long),
		TEST(not_where_there_is_no_directory),
		TEST(not_where_the_directory_is_outside),
		TEST(a_relative_directory_is_of_the_current_one),
		TEST(no_directory_is_the_usual_one),
		TEST(a_capture_is_named_after_who_makes_it),
		TEST(a_capture_knows_the_boot),
		TEST(who_is_first_founds_a_run),
		TEST(with_a_regular_output_others_find_the_capture),
		TEST(others_join_it),
		TEST(there_may_be_no_first_capture),
		TEST(a_capture_is_shared_that_fits),
		TEST(a_capture_is_shared_by_who_is_asked_to),
		TEST(what_is_no_run_is_not_joined),
		TEST(it_says_what_it_was_called_with),
		TEST(it_may_have_been_called_with_too_much),
		TEST(a_child_of_fork_is_another),
		TEST(who_may_not_ask_the_kernel_is_who_it_was),
		TEST(who_asks_first_begins_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
