/*
 * Positions of what appends, of open files that are told apart, and in the page
 * that the processes of a run share, which may be anything and be cut.
 */
#include "tests/unit/world/position_world.h"

/* What appends goes elsewhere than where it stands. */
static void what_appends_stands_at_the_end_afterwards(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		int fd = fileno(i ? ours : twin);

		assert_int_equal(pwrite(fd, "0123456789", 10, 0), 10);
		assert_int_equal(lseek(fd, 2, SEEK_SET), 2);
		assert_int_equal(fcntl(fd, F_SETFL, O_APPEND), 0);
	}
	streams[OF_FD].flags = BINLOG_STREAM_APPEND;
	seeks(0, SEEK_CUR);
	say("abc");
	seeks(0, SEEK_CUR);
	is_as_long();
	streams[OF_FD].inode++; /* another file, and no way to it */
	streams[OF_FD].fd = -1;
	assert_int_equal(position_now(OF_FD), 0);
	assert_int_equal(position_end(OF_FD), 0);
}

static void an_open_file_has_a_number(void **state)
{
	int fd = fileno(ours);
	int other = open("/proc/self/exe", O_RDONLY);

	(void)state;
	assert_int_equal(streams_description(fd), 0);
	assert_int_equal(streams_description(-1), 0);
	assert_int_equal(position_opened(fd), OF_FD);
	assert_int_not_equal(streams_description(fd), 0);
	assert_int_equal(position_opened(other), STREAM_PASS);
	assert_int_not_equal(
		streams_description(other), streams_description(fd));
	close(other);
}

static void numbers_are_given_in_turn(void **state)
{
	int fd = fileno(ours);
	uint64_t taken = 0;

	(void)state;
	for (int i = 0; i < 64; i++) {
		position_opened(fd);
		assert_in_range(streams_description(fd), 1, 64);
		taken |= (uint64_t)1 << (streams_description(fd) - 1);
	}
	assert_int_equal(~taken, 0);
}

/* ---- the page that is shared ---- */

static union {
	struct binlog_header header;
	char bytes[BINLOG_PAGE];
} page;

static int page_fd;

/* As the first process of this run has made it. */
static void set_page(void)
{
	memset(&page, 0, sizeof(page));
	memcpy(page.header.magic, BINLOG_MAGIC, sizeof(page.header.magic));
	page.header.version = BINLOG_VERSION;
	page.header.run = header.run;
}

/* So much of it is offered.  True: positions are there. */
static bool is_joined(size_t bytes, bool by_link)
{
	char path[] = "/tmp/unit_position.XXXXXX";
	char link[] = "/tmp/unit_position.XXXXXX";
	char now[BINLOG_PAGE];

	page_fd = mkstemp(path);
	assert_int_equal(write(page_fd, &page, bytes), bytes);
	close(mkstemp(link));
	unlink(link);
	assert_int_equal(symlink(path, link), 0);
	position_join(by_link ? link : path);
	unlink(link);
	unlink(path);
	position_join(path);
	position_move(OF_FD, 5);
	assert_int_equal(position_now(OF_FD), 5);
	assert_int_equal(pread(page_fd, now, bytes, 0), bytes);
	return memcmp(now, &page, bytes) != 0;
}

static void is_refused(size_t bytes, bool by_link)
{
	assert_false(is_joined(bytes, by_link));
	close(page_fd);
	set_page();
}

static void what_is_not_of_the_run_is_not_joined(void **state)
{
	(void)state;
	set_page();
	is_refused(BINLOG_PAGE - 1, false);
	is_refused(BINLOG_PAGE, true);
	page.header.magic[0]++;
	is_refused(BINLOG_PAGE, false);
	page.header.version++;
	is_refused(BINLOG_PAGE, false);
	page.header.run++;
	is_refused(BINLOG_PAGE, false);
	position_join("/dev/zero");
	assert_int_equal(position_now(OF_FD), 5);
	assert_false(position_mend(&page));
}

/* Each byte is told of once, and what is cut off is not there any more. */
static void bytes_that_nobody_saw_are_found(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(position_unseen(OF_FD), -1); /* from where on? */
	fstat(fileno(ours), &st);
	position_begin(&(struct stream_output){
		st.st_dev, st.st_ino, 4, S_IFREG, false});
	assert_int_equal(position_unseen(OF_FD), -1);
	position_begin(&(struct stream_output){
		st.st_dev, st.st_ino, 4, S_IFREG, true});
	assert_int_equal(position_unseen(OF_FD), 0); /* it was cut */
	say("this is not written");
	assert_int_equal(position_unseen(OF_FD), 0);
	assert_int_equal(write(fileno(ours), "0123456789", 10), 10);
	assert_int_equal(position_unseen(OF_FD), 10);
	assert_int_equal(position_unseen(OF_FD), 0);
	position_unsee(OF_FD, 10);
	assert_int_equal(position_unseen(OF_FD), 10);
	assert_int_equal(write(fileno(ours), "recorded, too", 13), 13);
	position_seen(OF_FD, 13);
	assert_int_equal(position_unseen(OF_FD), 0);
	assert_int_equal(ftruncate(fileno(ours), 3), 0);
	position_cut(OF_FD, 3);
	assert_int_equal(write(fileno(ours), "0123456789", 10), 10);
	assert_int_equal(position_unseen(OF_FD), 30); /* there is a hole */
	position_lengthen(OF_FD);
	assert_int_equal(position_unseen(OF_FD), 0);
	assert_int_equal(position_real_end(OF_FD), position_end(OF_FD));
	position_ignore(OF_FD);
	assert_int_equal(write(fileno(ours), "0123456789", 10), 10);
	position_seen(OF_FD, 10);
	assert_int_equal(position_unseen(OF_FD), -1);
	streams[OF_FD].fd = -1;
	assert_int_equal(position_unseen(OF_FD), -1);
}

static char *mended;

static void mend(int signal, siginfo_t *info, void *context)
{
	char *start = (char *)((uintptr_t)info->si_addr & ~(BINLOG_PAGE - 1ul));

	(void)signal;
	(void)context;
	if (position_mend(start - 1) || position_mend(start + BINLOG_PAGE) ||
		!position_mend(info->si_addr))
		_exit(1);
	mended = info->si_addr;
}

/* Somebody has made the capture of the first process shorter. */
static void a_page_that_is_cut_is_mended(void **state)
{
	const struct sigaction to_us = {
		.sa_sigaction = mend, .sa_flags = SA_SIGINFO};
	struct sigaction before;

	(void)state;
	set_page();
	assert_true(is_joined(BINLOG_PAGE, false));
	say("0123456789");
	assert_int_equal(position_now(OF_FD), 15);
	sigaction(SIGBUS, &to_us, &before);
	assert_int_equal(ftruncate(page_fd, 0), 0);
	position_move(OF_FD, 7);
	sigaction(SIGBUS, &before, NULL);
	assert_non_null(mended); /* and what was known is lost */
	position_move(OF_FD, 7);
	say("abc");
	assert_int_equal(position_now(OF_FD), 10);
	assert_false(position_mend(mended));
	close(page_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_appends_stands_at_the_end_afterwards),
		TEST(an_open_file_has_a_number),
		TEST(numbers_are_given_in_turn),
		TEST(what_is_not_of_the_run_is_not_joined),
		TEST(bytes_that_nobody_saw_are_found),
		TEST(a_page_that_is_cut_is_mended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
