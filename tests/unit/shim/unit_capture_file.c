/*
 * A capture file is made and filled while the k-th system call fails, or that
 * and all that follow, for every k: what is handed out is zeros, nobody else's,
 * in the file, and can be stored to; what cannot be had is refused.  Where no
 * file can be made none is left.
 */
#include "tests/unit/world/capture_life.h"

#define STEPS_MOST 1000

/* Names that readers look for, or any. */
static bool is_left(const char *suffix)
{
	char name[CAPTURE_FILE_PATH + 8];
	struct stat st;

	strcat(strcpy(name, path), suffix);
	return stat(name, &st) == 0;
}

static bool has_left(void)
{
	return is_left("") ||
	       (is_left(".new") && inject_calls.failed != SYS_unlinkat &&
		       !inject_calls.for_ever);
}

/* A file and blocks in it, and a note. */
static bool fill(const struct place *place)
{
	const struct binlog_header header = {
		.magic = BINLOG_MAGIC, .nonce = 77, .pid = (uint32_t)getpid()};
	const struct timespec pause = {0, 5000000};
	uint64_t at;
	char *note;

	if (!capture_file_create(path, place->max_bytes, &header))
		return false;
	for (const uint32_t *size = place->sizes; *size; size++) {
		char *block = capture_file_claim(*size);

		add(block, *size);
		/* what has failed is not tried again for a moment */
		if (!block)
			nanosleep(&pause, NULL);
	}
	note = capture_file_note(BINLOG_RULES, 10000, &at);
	if (note)
		memset(note, 'n', 10000);
	return true;
}

/* Only its user may read it. */
static bool is_private(void)
{
	char name[sizeof(directory) + 8];
	struct stat file, in;

	strcat(strcpy(name, directory), "/data");
	return stat(path, &file) == 0 && stat(name, &in) == 0 &&
	       (file.st_mode & ALLPERMS) == 0600 &&
	       (in.st_mode & ALLPERMS) == 0700;
}

static long refuse_unnamed(const struct seccomp_data *call)
{
	return call->nr == SYS_openat &&
			       (call->args[2] & O_TMPFILE) == O_TMPFILE &&
			       access((const char *)(uintptr_t)call->args[1],
				       F_OK) == 0
		       ? -EOPNOTSUPP
		       : INJECT_NONE;
}

/* What is wrong, of those that may be. */
static enum wrong live(const struct place *place, unsigned long k, bool always)
{
	bool made;

	make_place(place);
	if (!inject_calls_prepare(calls, LENGTH(calls)))
		return IMPOSSIBLE;
	if (place->named)
		inject_calls.instead = refuse_unnamed;
	inject_calls_begin(k, always);
	made = fill(place);
	inject_calls_end();
	if (k > 0 && inject_calls.made < k)
		return OVER;
	if (!made)
		return has_left() ? LEFT_BEHIND : k > 0 ? RIGHT : NOT_MADE;
	if (k == 0 && (block_count == 0 || !is_private()))
		return NOT_MADE;
	return use_all();
}

static enum wrong live_apart(
	const struct place *place, unsigned long k, bool always)
{
	pid_t pid;

	make_directory();
	pid = fork();
	if (pid == 0)
		_exit((int)live(place, k, always));
	return end_of(pid);
}

/* Every k, or every seventh of what are many. */
static void try_all(const struct place *place)
{
	enum wrong wrong = live_apart(place, 0, false);
	unsigned long k;

	if (wrong == IMPOSSIBLE)
		skip();
	assert_int_equal(wrong, RIGHT);
	for (k = 1; k < STEPS_MOST; k += k < 50 ? 1 : 7) {
		for (int always = 0; always < 2; always++) {
			wrong = live_apart(place, k, always);
			if (wrong == OVER)
				break;
			if (wrong)
				fail_msg("call %lu, %s: %d", k,
					always ? "for ever" : "once", wrong);
		}
		if (wrong == OVER)
			break;
	}
	assert_in_range(k, 10, STEPS_MOST);
}

static const uint32_t small[] = {4096, 4096, 16384, 65536, 65536, 8192, 0};
static const uint32_t large[] = {LARGE, 1 << 20, LARGE, 1 << 20, 1 << 20,
	1 << 20, LARGE, LARGE, 4096, LARGE, LARGE, LARGE, LARGE, 1 << 20,
	1 << 20, 1 << 20, LARGE, 0};

static void alone_each_call_may_fail(void **state)
{
	(void)state;
	try_all(&(struct place){
		.sizes = small, .max_bytes = 64 * MIB, .alone = true});
}

static void beside_threads_each_call_may_fail(void **state)
{
	(void)state;
	try_all(&(struct place){.sizes = small, .max_bytes = 64 * MIB});
}

static void without_unnamed_files_each_call_may_fail(void **state)
{
	(void)state;
	try_all(&(struct place){.sizes = small,
		.max_bytes = 64 * MIB,
		.alone = true,
		.named = true});
}

static void in_a_crowded_directory_each_call_may_fail(void **state)
{
	(void)state;
	try_all(&(struct place){.sizes = small,
		.max_bytes = 4 * MIB,
		.alone = true,
		.crowded = true,
		.mask = 0377});
}

static void large_blocks_are_whole_or_refused(void **state)
{
	(void)state;
	try_all(&(struct place){
		.sizes = large, .max_bytes = 64 * MIB, .alone = true});
}

static void with_limits_each_call_may_fail(void **state)
{
	(void)state;
	try_all(&(struct place){
		.sizes = small, .max_bytes = 64 * MIB, .file_limit = 150000});
}

/* In front of a limit of addresses a program has most of them left. */
static void a_limit_of_addresses_is_left_to_the_program(void **state)
{
	(void)state;
	try_all(&(struct place){.sizes = small,
		.max_bytes = 64 * MIB,
		.alone = true,
		.address_limit = 400 * MIB});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone_each_call_may_fail),
		cmocka_unit_test(beside_threads_each_call_may_fail),
		cmocka_unit_test(without_unnamed_files_each_call_may_fail),
		cmocka_unit_test(in_a_crowded_directory_each_call_may_fail),
		cmocka_unit_test(large_blocks_are_whole_or_refused),
		cmocka_unit_test(with_limits_each_call_may_fail),
		cmocka_unit_test(a_limit_of_addresses_is_left_to_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
