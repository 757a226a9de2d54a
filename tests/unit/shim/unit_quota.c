/*
 * What goes where a directory has a quota, while the k-th system call fails, or
 * that and all that follow, for every k: never what is in use or no capture of
 * ours, nothing but the oldest, and no descriptor stays open.
 */
#include "tests/unit/world/capture_life.h"

#include <dirent.h>

#include "shim/file/quota.h"

#define STEPS_MOST 1000
#define CAPTURE_BYTES 16384u
#define QUOTA ((uint64_t)2 * CAPTURE_BYTES)

static const struct inject_call quota_calls[] = {
	{SYS_openat, EMFILE},
	{SYS_flock, EWOULDBLOCK},
	{SYS_getdents64, EIO},
	{SYS_newfstatat, EACCES},
	{SYS_fstat, EIO},
	{SYS_pread64, EIO},
	{SYS_fcntl, EINVAL},
	{SYS_unlinkat, EACCES},
	{SYS_mmap, ENOMEM},
	{SYS_close, EIO},
};

/* From the oldest on. */
static const struct {
	const char *name;
	bool is_capture; /* its header says what its name says */
	bool in_use;
} files[] = {
	{"used-5-1000-a1.binlog", true, true},
	{"first-5-1000-a2.binlog", true, false},
	{"other-6-1000-a2.binlog", false, false},
	{"other-5-1001-a2.binlog", false, false},
	{"other-5-1000-a3.binlog", false, false},
	{"5-1000-a2.binlog", false, false},
	{"second-5-1000-a2.binlog", true, false},
	{"with-dash-5-1000-a2.binlog", true, false},
	{"last-5-1000-a2.binlog", true, false},
};

/* One has no name that could be a capture's. */
enum { FILES = LENGTH(files), COUNTED = FILES - 1 };

static void place_of(size_t i, char name[128])
{
	strcat(strcat(strcpy(name, directory), "/"), files[i].name);
}

static void make_file(size_t i)
{
	const struct binlog_header header = {.magic = BINLOG_MAGIC,
		.nonce = i == 0 ? 0xa1 : 0xa2,
		.pid = 5,
		.start = {.realtime = (uint64_t)1000 * 1000000000 + 999}};
	static const char text[CAPTURE_BYTES - sizeof(header)] = "x";
	const struct timespec times[2] = {
		{1000000 + (time_t)i, 0}, {1000000 + (time_t)i, 0}};
	char name[128];
	int fd;

	place_of(i, name);
	fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_int_equal(
		write(fd, &header, sizeof(header)), (ssize_t)sizeof(header));
	assert_int_equal(write(fd, text, sizeof(text)), (ssize_t)sizeof(text));
	futimens(fd, times);
	/* By a mapping alone, as of a program. */
	if (files[i].in_use)
		assert_ptr_not_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					     MAP_SHARED, fd, 0),
			MAP_FAILED);
	close(fd);
}

static bool is_there(size_t i)
{
	char name[128];
	struct stat st;

	place_of(i, name);
	return stat(name, &st) == 0;
}

static unsigned count_descriptors(void)
{
	DIR *open = opendir("/proc/self/fd");
	unsigned count = 0;

	while (readdir(open))
		count++;
	closedir(open);
	return count;
}

/* The other files of such names count, and stay: so all that may go has to. */
static enum wrong look_back(unsigned descriptors, bool failed)
{
	if (count_descriptors() != descriptors)
		return LEFT_BEHIND;
	for (size_t i = 0; i < FILES; i++) {
		if (!files[i].is_capture || files[i].in_use) {
			if (!is_there(i))
				return FORGOTTEN;
		} else if (!failed && is_there(i)) {
			return NOT_MADE;
		}
	}
	return RIGHT;
}

static enum wrong live(unsigned long k, bool always)
{
	unsigned descriptors;

	for (size_t i = 0; i < FILES; i++)
		make_file(i);
	strcat(strcpy(path, directory), "/new-1-1-1.binlog");
	quota_set(QUOTA);
	if (!inject_calls_prepare(quota_calls, LENGTH(quota_calls)))
		return IMPOSSIBLE;
	descriptors = count_descriptors();
	inject_calls_begin(k, always);
	quota_fit(path);
	inject_calls_end();
	if (k > 0 && inject_calls.made < k)
		return OVER;
	/* That it is not closed is then no fault of ours. */
	if (always || inject_calls.failed == SYS_close)
		descriptors = count_descriptors();
	return look_back(descriptors, k > 0);
}

static enum wrong live_apart(unsigned long k, bool always)
{
	pid_t pid;

	make_directory();
	pid = fork();
	if (pid == 0)
		_exit((int)live(k, always));
	return end_of(pid);
}

static void each_call_may_fail(void **state)
{
	enum wrong wrong = live_apart(0, false);
	unsigned long k;

	(void)state;
	if (wrong == IMPOSSIBLE)
		skip();
	assert_int_equal(wrong, RIGHT);
	for (k = 1; k < STEPS_MOST; k++) {
		for (int always = 0; always < 2; always++) {
			wrong = live_apart(k, always);
			if (wrong == OVER)
				break;
			if (wrong)
				fail_msg("call %lu, %s: %d", k,
					always ? "for ever" : "once", wrong);
		}
		if (wrong == OVER)
			break;
	}
	assert_in_range(k, 20, STEPS_MOST);
}

/* ---- which of them ---- */

static void fill_directory(void)
{
	make_directory();
	strcat(strcpy(path, directory), "/new-1-1-1.binlog");
	for (size_t i = 0; i < FILES; i++)
		make_file(i);
}

/* All that are named so count. */
static void the_oldest_go_and_no_more_than_it_takes(void **state)
{
	static const size_t removable[] = {1, 6, 7, 8};

	(void)state;
	for (size_t gone = 0; gone <= LENGTH(removable); gone++) {
		fill_directory();
		quota_set((COUNTED - gone) * (uint64_t)CAPTURE_BYTES);
		quota_fit(path);
		for (size_t i = 0; i < LENGTH(removable); i++)
			assert_int_equal(is_there(removable[i]), i >= gone);
		assert_true(is_there(0));
		clean_up();
	}
}

static void beside_threads_growth_removes_nothing(void **state)
{
	(void)state;
	fill_directory();
	quota_set(1);
	capture_host_set_alone(false);
	quota_lengthened(path, 8 * MIB);
	assert_true(is_there(1));
	capture_host_set_alone(true);
	quota_lengthened(path, 8 * MIB);
	assert_false(is_there(1));
	clean_up();
}

static void growth_is_a_reason_once(void **state)
{
	(void)state;
	fill_directory();
	quota_set(1);
	quota_lengthened(path, 8 * MIB); /* as before */
	assert_true(is_there(1));
	quota_set(100 * MIB);
	quota_lengthened(path, 16 * MIB);
	quota_set(1);
	quota_lengthened(path, 16 * MIB);
	assert_true(is_there(1));
	quota_lengthened(path, 32 * MIB);
	assert_false(is_there(1));
	clean_up();
}

static void without_a_quota_nothing_goes(void **state)
{
	(void)state;
	fill_directory();
	quota_set(0);
	quota_fit(path);
	quota_lengthened(path, 64 * MIB);
	for (size_t i = 0; i < FILES; i++)
		assert_true(is_there(i));
	clean_up();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_may_fail),
		cmocka_unit_test(the_oldest_go_and_no_more_than_it_takes),
		cmocka_unit_test(beside_threads_growth_removes_nothing),
		cmocka_unit_test(growth_is_a_reason_once),
		cmocka_unit_test(without_a_quota_nothing_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
