/*
 * What may happen to a capture file: it is cut off, also while it is made
 * longer; it is replaced, full; who makes it longer is killed; no call may be
 * made any more; the disk is nearly full, and takes less than it is given.
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
	if (capture_file_header->dropped != 1 || capture_host_told() != 1)
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

/* How long it is now, by the kernel. */
static uint64_t bytes_of_file(void)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_size : UINT64_MAX;
}

static void mend_what_is_cut(void)
{
	const struct sigaction action = {
		.sa_sigaction = mend, .sa_flags = SA_SIGINFO};

	sigaction(SIGBUS, &action, NULL);
}

static const struct place with_threads = {.max_bytes = 64 * MIB};

/* Before anybody stores to it: to `cut_to` bytes. */
static uint64_t cut_to;

static enum wrong be_cut_before(void)
{
	mend_what_is_cut();
	if (!create() || !capture_file_claim(65536) ||
		truncate(path, (off_t)cut_to) != 0)
		return NOT_MADE;
	/* Room behind what the file had, and room that it had. */
	if (capture_file_claim(BINLOG_BLOCK_MAX) || capture_file_claim(16384))
		return OUTSIDE;
	if (bytes_of_file() != cut_to)
		return SHARED;
	if (cut_to >= BINLOG_PAGE &&
		(capture_file_header->dropped != 1 || capture_host_told() != 1))
		return FORGOTTEN;
	return !growth_reach(8 * MIB) && growth_was_cut() &&
			       bytes_of_file() == cut_to
		       ? RIGHT
		       : NOT_STORED;
}

/* And that of the room which it had. */
static enum wrong be_cut_within(void)
{
	mend_what_is_cut();
	if (!create() || !capture_file_claim(4096) ||
		truncate(path, (off_t)cut_to) != 0)
		return NOT_MADE;
	if (capture_file_claim(16384))
		return OUTSIDE;
	return bytes_of_file() == cut_to ? RIGHT : SHARED;
}

static void nobody_makes_a_file_longer_that_was_cut(void **state)
{
	static const uint64_t sizes[] = {0, 1000, 4096, 20000};

	(void)state;
	for (size_t i = 0; i < LENGTH(sizes); i++) {
		cut_to = sizes[i];
		happens_to(&usual, be_cut_before);
		happens_to(&with_threads, be_cut_before);
		happens_to(&usual, be_cut_within);
		happens_to(&with_threads, be_cut_within);
	}
}

/* It is cut when all have looked at it, and before it is made longer. */
static int cut_at_call;

static long cut_now(const struct seccomp_data *call)
{
	if (call->nr == cut_at_call) {
		cut_at_call = -1;
		if (truncate(path, (off_t)cut_to) != 0)
			return -EIO;
	}
	return INJECT_NONE;
}

/* What writers would find. */
static char *at_stake;

static uint64_t find_zeros(void)
{
	return *at_stake == 0 ? capture_file_offset(at_stake) : 0;
}

static enum wrong claim_when_it_is_cut(uint32_t size)
{
	char *block;

	mend_what_is_cut();
	if (!create() || !capture_file_claim(4096) ||
		!(block = capture_file_claim(4096)))
		return NOT_MADE;
	memset(block, 1, 4096);
	at_stake = block;
	capture_host_set_cut(find_zeros);
	inject_calls.instead = cut_now;
	inject_calls_begin(0, false);
	block = capture_file_claim(size);
	inject_calls_end();
	if (cut_at_call != -1)
		return NOT_MADE;
	return !block && growth_was_cut() && bytes_of_file() == cut_to &&
			       !capture_file_claim(4096)
		       ? RIGHT
		       : SHARED;
}

static enum wrong be_cut_while_it_grows(void)
{
	return claim_when_it_is_cut(BINLOG_BLOCK_MAX);
}

static enum wrong be_cut_while_it_is_filled(void)
{
	return claim_when_it_is_cut(16384);
}

static void who_has_made_one_longer_just_then_cuts_it_again(void **state)
{
	static const uint64_t sizes[] = {0, 4096};

	(void)state;
	for (size_t i = 0; i < LENGTH(sizes); i++) {
		cut_to = sizes[i];
		cut_at_call = SYS_ftruncate;
		happens_to(&usual, be_cut_while_it_grows);
		if (cut_to == 0) { /* else its writer looks itself */
			cut_at_call = SYS_pwritev;
			happens_to(&usual, be_cut_while_it_is_filled);
		}
		cut_at_call = SYS_truncate;
		happens_to(&with_threads, be_cut_while_it_grows);
	}
}

/* Which has zeros where blocks were: others are told by SIGBUS, as ever. */
static enum wrong be_found_cut(void)
{
	char *first, *second, *third;

	mend_what_is_cut();
	if (!create() || !(first = capture_file_claim(4096)) ||
		!(second = capture_file_claim(65536)) ||
		!(third = capture_file_claim(65536)))
		return NOT_MADE;
	memset(first, 1, 4096);
	memset(second, 2, 65536);
	memset(third, 3, 65536);
	cut_to = capture_file_offset(second) + 10000;
	if (truncate(path, (off_t)cut_to) != 0 || truncate(path, 1 << 20) != 0)
		return NOT_MADE;
	capture_file_was_cut(
		capture_file_number + 1, capture_file_offset(third));
	if (bytes_of_file() != 1 << 20)
		return SHARED;
	capture_file_was_cut(capture_file_number, capture_file_offset(third));
	/* What there is of the second stays, and no page more. */
	if (bytes_of_file() != ((cut_to + 4095) & ~(uint64_t)4095) ||
		capture_file_header->dropped != 1 || capture_host_told() != 1 ||
		capture_file_claim(4096))
		return OUTSIDE;
	third[0] = 3;
	return is_filled((unsigned char *)second, 10000, 2) ? RIGHT
							    : NOT_STORED;
}

static void what_was_cut_and_made_longer_is_cut_again(void **state)
{
	(void)state;
	happens_to(&usual, be_found_cut);
	happens_to(&with_threads, be_found_cut);
}

/* Nothing but the path leads to it, which others can change. */
static enum wrong be_found_cut_among_others(void)
{
	char *first;

	if (!create() || !(first = capture_file_claim(65536)))
		return NOT_MADE;
	capture_file_was_cut(capture_file_number, capture_file_offset(first));
	return bytes_of_file() == usual.max_bytes && !capture_file_claim(4096)
		       ? RIGHT
		       : SHARED;
}

static void where_a_path_cannot_be_relied_upon_nothing_is_cut(void **state)
{
	static const struct place crowded = {
		.max_bytes = 64 * MIB, .crowded = true};

	(void)state;
	happens_to(&crowded, be_found_cut_among_others);
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
		cmocka_unit_test(nobody_makes_a_file_longer_that_was_cut),
		cmocka_unit_test(
			who_has_made_one_longer_just_then_cuts_it_again),
		cmocka_unit_test(what_was_cut_and_made_longer_is_cut_again),
		cmocka_unit_test(
			where_a_path_cannot_be_relied_upon_nothing_is_cut),
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
