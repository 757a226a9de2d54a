/*
 * What may happen to a capture file: it is cut off, replaced, full; who makes
 * it longer is killed; no call may be made any more; the disk is nearly full,
 * and takes less than it is given.
 */
#include "tests/unit/world/capture_life.h"

#include <sys/vfs.h>

#include "record/file_growth.h"
#include "record/prepared.h"
#include "shim/file/growth.h"
#include "shim/host/sys.h"

static const struct place usual = {.max_bytes = 64 * MIB, .alone = true};

static bool create(void)
{
	const struct binlog_header header = {.magic = BINLOG_MAGIC};

	return capture_file_create(path, usual.max_bytes, &header);
}

static struct binlog_prepared *prepared(void)
{
	return prepared_of(capture_file_header);
}

static void mend(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (!capture_file_mend(info->si_addr))
		_exit(KILLED);
}

/* What is stored where nothing is any more is lost, and does no harm. */
static enum wrong be_cut_off(void)
{
	const struct sigaction action = {
		.sa_sigaction = mend, .sa_flags = SA_SIGINFO};
	char *block;

	sigaction(SIGBUS, &action, NULL);
	if (!create() || !(block = capture_file_claim(65536)))
		return NOT_MADE;
	if (capture_file_mend(&block))
		return OUTSIDE;
	memset(block, 'a', 65536);
	if (truncate(path, 8192) != 0)
		return NOT_MADE;
	memset(block + 10000, 'b', 40000);
	if (!is_filled((unsigned char *)block + 12288, 30000, 'b'))
		return NOT_STORED;
	if (capture_file_header->dropped != 1)
		return FORGOTTEN;
	if (capture_file_claim(4096) || capture_file_claim(LARGE))
		return OUTSIDE;
	if (truncate(path, 0) != 0)
		return NOT_MADE;
	capture_file_header->passed++;
	return capture_file_header->passed == 1 ? RIGHT : NOT_STORED;
}

static void a_file_that_is_cut_off_takes_no_more(void **state)
{
	(void)state;
	happens_to(&usual, be_cut_off);
}

static enum wrong be_cut_off_without_memory(void)
{
	char *block;

	if (!create() || !(block = capture_file_claim(65536)) ||
		truncate(path, 8192) != 0)
		return NOT_MADE;
	inject_calls_begin(1, true);
	return capture_file_mend(block + 20000) ? NOT_STORED : RIGHT;
}

static void without_memory_it_is_told_that_nothing_was_mended(void **state)
{
	(void)state;
	happens_to(&usual, be_cut_off_without_memory);
}

/* What is put by: a seccomp filter may kill who makes a call. */
static enum wrong be_forbidden(void)
{
	uint32_t size = 4096;
	char *block;

	capture_file_stock();
	growth_reach_all();
	if (capture_file_claim(4096) || capture_file_note(1, 1, NULL))
		return OUTSIDE;
	if (!create())
		return NOT_MADE;
	capture_file_stock();
	capture_file_stock(); /* once is enough */
	inject_calls_begin(0, false);
	sys_forbidden = true;
	while ((block = capture_file_claim(size)) != NULL) {
		add(block, size);
		size = size == 65536 ? 4096 : size * 2;
	}
	sys_forbidden = false;
	inject_calls_end();
	if (inject_calls.made > 0)
		return OUTSIDE;
	return block_count < 10 ? NOT_MADE : use_all();
}

static void what_is_put_by_can_be_had_without_a_call(void **state)
{
	(void)state;
	happens_to(&usual, be_forbidden);
}

static enum wrong be_forbidden_without_stock(void)
{
	if (!create())
		return NOT_MADE;
	sys_forbidden = true;
	return capture_file_claim(4096) ? OUTSIDE : RIGHT;
}

static void what_is_not_put_by_cannot_be_had(void **state)
{
	(void)state;
	happens_to(&usual, be_forbidden_without_stock);
}

/* Somebody was killed while he made the file longer. */
static enum wrong be_stuck(void)
{
	struct file_growth *growth;

	if (!create())
		return NOT_MADE;
	growth = file_growth_of(capture_file_header);
	growth->goal++;
	if (capture_file_claim(BINLOG_BLOCK_MAX) || growth->stuck == 0)
		return OUTSIDE;
	inject_calls_begin(0, false);
	for (int i = 0; i < 100; i++)
		growth_reach(4 * MIB);
	if (inject_calls.made > 0 || growth_size() >= 4 * MIB)
		return OUTSIDE;
	growth->goal--;
	inject_calls_end();
	return growth_reach(4 * MIB) && growth_size() >= 4 * MIB ? RIGHT
								 : NOT_MADE;
}

static void nobody_waits_twice_for_who_was_killed(void **state)
{
	(void)state;
	happens_to(&usual, be_stuck);
}

/* Somebody has put another file there. */
static enum wrong be_replaced(void)
{
	struct stat st;
	int fd;

	if (!create())
		return NOT_MADE;
	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return NOT_MADE;
	if (growth_open() != -ENOENT || growth_bytes() != 0)
		return SHARED;
	if (capture_file_claim(BINLOG_BLOCK_MAX))
		return OUTSIDE;
	return fstat(fd, &st) == 0 && st.st_size == 0 ? RIGHT : SHARED;
}

static void anothers_file_is_left_alone(void **state)
{
	static const struct place threads = {.max_bytes = 64 * MIB};

	(void)state;
	happens_to(&usual, be_replaced);
	happens_to(&threads, be_replaced);
}

/* A large one that fits only where no large one begins. */
static enum wrong be_uneven(void)
{
	const struct binlog_header header = {.magic = BINLOG_MAGIC};
	char *block;

	if (!capture_file_create(path, 8192 + LARGE, &header) ||
		!capture_file_claim(4096))
		return NOT_MADE;
	block = capture_file_claim(LARGE);
	add(block, LARGE);
	return block && capture_file_offset(block) == 8192 ? use_all()
							   : FORGOTTEN;
}

/* What is said to be ready lies behind the end. */
static enum wrong be_misled(void)
{
	char *block;

	if (!create())
		return NOT_MADE;
	prepared_give(prepared(), 1024 * MIB);
	block = capture_file_claim(LARGE);
	add(block, LARGE);
	if (prepared_left(prepared()) != 1 || capture_file_offset(&block) != 0)
		return OUTSIDE;
	return block ? use_all() : NOT_MADE;
}

/* One that somebody else has made ready goes to one claim; and to none once
 * this process has other memory there. */
static enum wrong be_helped(void)
{
	char *first, *second;

	if (!create())
		return NOT_MADE;
	first = capture_file_claim(LARGE);
	prepared_give(prepared(), capture_file_offset(first));
	second = capture_file_claim(LARGE);
	if (second != first)
		return NOT_MADE;
	if (capture_file_claim(LARGE) == first)
		return SHARED;
	prepared_give(prepared(), capture_file_offset(first));
	capture_file_keep_off();
	second = capture_file_claim(LARGE);
	return !second || second == first || !capture_file_keeps_off() ? SHARED
								       : RIGHT;
}

static void what_is_made_ready_is_taken_once(void **state)
{
	(void)state;
	happens_to(&usual, be_helped);
	happens_to(&usual, be_misled);
}

/* The last bytes: small ones after large ones, and one that was freed. */
static enum wrong be_full(void)
{
	const struct binlog_header header = {.magic = BINLOG_MAGIC};
	const struct timespec pause = {0, 5000000};
	char *freed, *block;
	uint64_t at;

	if (!capture_file_create(path, 2 * MIB + 12345, &header))
		return NOT_MADE;
	freed = capture_file_claim(LARGE);
	while ((block = capture_file_claim(LARGE)) != NULL)
		add(block, LARGE);
	if (use_all() || block_count != 6)
		return NOT_MADE;
	while ((block = capture_file_claim(4096)) != NULL)
		add(block, 4096);
	if (capture_file_offset(blocks[block_count - 1].at) + 4096 !=
			2 * MIB + 12288 ||
		capture_file_note(1, 100, &at) ||
		capture_file_note(1, 2 * MIB, &at) ||
		capture_file_place(8 * MIB, 4096) ||
		capture_file_place((uint64_t)1 << 60, 4096))
		return OUTSIDE;
	prepared_give(prepared(), capture_file_offset(freed));
	nanosleep(&pause, NULL);
	return capture_file_claim(16384) == freed ? RIGHT : FORGOTTEN;
}

static void up_to_its_last_byte_a_file_is_used(void **state)
{
	(void)state;
	happens_to(&usual, be_full);
	happens_to(&usual, be_uneven);
}

/* Of a disk: kinds of answers of statfs(2) that there are. */
static unsigned disk;

static long tell_of_disk(const struct seccomp_data *call)
{
	static const struct statfs disks[] = {
		{0}, /* does not tell */
		{.f_blocks = 1000, .f_bavail = 999, .f_bsize = 4096},
		{.f_blocks = 100000,
			.f_bavail = 3000,
			.f_bsize = 4096,
			.f_frsize = 1024},
	};

	if (call->nr != SYS_statfs && call->nr != SYS_fstatfs)
		return INJECT_NONE;
	*(struct statfs *)(uintptr_t)call->args[1] = disks[disk];
	return 0;
}

static enum wrong be_on_disk(void)
{
	char *block;

	inject_calls.instead = tell_of_disk;
	inject_calls_begin(0, false);
	if (!create())
		return NOT_MADE;
	disk = 1;
	block = capture_file_claim(65536);
	disk = 2;
	return block && !capture_file_claim(65536) ? RIGHT : OUTSIDE;
}

static void a_part_of_the_disk_stays_free(void **state)
{
	(void)state;
	happens_to(&usual, be_on_disk);
}

/* write(2) may be interrupted, and may take less than it is given; and an older
 * kernel knows no other way. */
static long write_less(const struct seccomp_data *call)
{
	static unsigned turn;

	if (call->nr == SYS_madvise)
		return -EINVAL;
	if (call->nr != SYS_pwritev)
		return INJECT_NONE;
	if (turn++ % 2 == 0)
		return -EINTR;
	return pwrite((int)call->args[0],
		((struct iovec *)(uintptr_t)call->args[1])->iov_base, 1000,
		(off_t)call->args[3]);
}

static enum wrong be_interrupted(void)
{
	if (!create())
		return NOT_MADE;
	inject_calls.instead = write_less;
	inject_calls_begin(0, false);
	add(capture_file_claim(4096), 4096); /* born */
	add(capture_file_claim(16384), 16384);
	add(capture_file_claim(65536), 65536);
	inject_calls_end();
	return block_count == 3 ? use_all() : NOT_MADE;
}

static void writes_that_take_less_are_gone_on_with(void **state)
{
	(void)state;
	happens_to(&usual, be_interrupted);
}

/* Processes that share a file, each of which makes it longer. */
#define PROCESSES 4
#define EACH 60

static void claim_many(uint64_t *offsets)
{
	for (int i = 0; i < EACH; i++) {
		uint32_t size = 4096u << i % 5;
		char *block = capture_file_claim(size);

		if (!block)
			_exit(NOT_MADE);
		memset(block, 1, size);
		offsets[i] = capture_file_offset(block) | (unsigned)(i % 5);
	}
	_exit(RIGHT);
}

static bool all_apart(const uint64_t *offsets)
{
	static bool used[64 * MIB / BINLOG_PAGE];

	for (int i = 0; i < PROCESSES * EACH; i++) {
		uint64_t page = offsets[i] / BINLOG_PAGE;

		for (int n = 0; n < 1 << offsets[i] % BINLOG_PAGE; n++) {
			if (used[page + (unsigned)n])
				return false;
			used[page + (unsigned)n] = true;
		}
	}
	return true;
}

static enum wrong be_shared(void)
{
	uint64_t *offsets = mmap(NULL, BINLOG_PAGE, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	if (!create())
		return NOT_MADE;
	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0)
			claim_many(offsets + i * EACH);
	while (wait(&status) > 0)
		if (status != 0)
			return NOT_MADE;
	return all_apart(offsets) ? RIGHT : SHARED;
}

static void processes_share_a_file_and_no_block(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		happens_to(&usual, be_shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_is_cut_off_takes_no_more),
		cmocka_unit_test(
			without_memory_it_is_told_that_nothing_was_mended),
		cmocka_unit_test(what_is_put_by_can_be_had_without_a_call),
		cmocka_unit_test(what_is_not_put_by_cannot_be_had),
		cmocka_unit_test(nobody_waits_twice_for_who_was_killed),
		cmocka_unit_test(anothers_file_is_left_alone),
		cmocka_unit_test(what_is_made_ready_is_taken_once),
		cmocka_unit_test(up_to_its_last_byte_a_file_is_used),
		cmocka_unit_test(a_part_of_the_disk_stays_free),
		cmocka_unit_test(processes_share_a_file_and_no_block),
		cmocka_unit_test(writes_that_take_less_are_gone_on_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
