#include "tools/live/switching.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rules/rules.h"
#include "tools/live/page_guard.h"
#include "tools/live/words.h"

/* Another one takes a few milliseconds, longer if it writes many rules. */
enum { LOCK_TRIES = 2000, LOCK_PAUSE = 1000 /* microseconds */ };

static const char *const why[] = {
#define OUTCOME(name, sentence) [SWITCHING_##name] = sentence,
#include "tools/live/switching_outcomes.def"
#undef OUTCOME
};

const char *switching_why(enum switching_outcome outcome)
{
	return why[outcome];
}

/* By what is open already: its name may be another file's by now. */
static bool take_up(struct switching *switching, int fd)
{
	char path[40];
	struct stat st;
	void *page;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	switching->writes = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (switching->writes < 0 || fstat(switching->writes, &st) != 0)
		return false;
	if (st.st_size < (off_t)BINLOG_PAGE) {
		errno = ENODATA;
		return false;
	}
	page_guard_begin();
	page = mmap(NULL, BINLOG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		switching->writes, 0);
	if (page == MAP_FAILED)
		return false;
	switching->page = page;
	return true;
}

static enum switching_outcome lock(int fd)
{
	struct flock range = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = BINLOG_SWITCHES_OFFSET,
		.l_len = sizeof(struct binlog_switches),
	};
	int i;

	for (i = 0; i < LOCK_TRIES; i++) {
		if (fcntl(fd, F_OFD_SETLK, &range) == 0)
			return SWITCHING_DONE;
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return SWITCHING_FAILED;
		usleep(LOCK_PAUSE);
	}
	return SWITCHING_BUSY;
}

static void unlock(int fd)
{
	struct flock range = {
		.l_type = F_UNLCK,
		.l_whence = SEEK_SET,
		.l_start = BINLOG_SWITCHES_OFFSET,
		.l_len = sizeof(struct binlog_switches),
	};

	fcntl(fd, F_OFD_SETLK, &range);
}

/* ---- the fields ---- */

static void set_modes(
	struct binlog_switches *switches, const struct changes *changes)
{
	int i;

	for (i = 0; i < SWITCH_STREAMS; i++)
		if (changes->mode_known[i])
			__atomic_store_n(&switches->modes[i], changes->modes[i],
				__ATOMIC_RELEASE);
}

static void set_fields(
	struct binlog_switches *switches, const struct changes *changes)
{
	if (changes->on_known)
		__atomic_store_n(
			&switches->off, !changes->on, __ATOMIC_RELEASE);
	if (changes->level_known) {
		__atomic_store_n(
			&switches->level, changes->level, __ATOMIC_RELEASE);
		__atomic_store_n(&switches->syslog_off,
			switches_syslog_off(changes->level), __ATOMIC_RELEASE);
	}
	if (changes->depth_known)
		__atomic_store_n(
			&switches->depth, changes->depth, __ATOMIC_RELEASE);
	set_modes(switches, changes);
	if (changes->trigger)
		__atomic_fetch_add(&switches->triggers, 1, __ATOMIC_RELEASE);
}

/* ---- rules ---- */

/* What shall be in force, the caller's to free.  Null with *bytes 0: nothing;
 * else errno says why not. */
static char *compose(int fd, const struct binlog_switches *switches,
	const struct changes *changes, size_t *bytes)
{
	size_t before = 0;
	char *old = NULL;
	char *text;

	*bytes = changes->rules_bytes;
	errno = 0;
	if (!changes->rules_replaced)
		old = rules_text_read(fd, switches, &before);
	if (before > RULES_TEXT_MAX - *bytes)
		errno = EFBIG;
	*bytes += before;
	if (errno != 0 || *bytes == 0) {
		free(old);
		return NULL;
	}
	text = realloc(old, *bytes);
	if (text && changes->rules_bytes > 0)
		memcpy(text + before, changes->rules, changes->rules_bytes);
	if (!text)
		free(old);
	return text;
}

/* A process that looks meanwhile sees none, or all. */
static void point_to(
	struct binlog_switches *switches, uint64_t at, size_t bytes)
{
	__atomic_store_n(&switches->rules_wrong, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&switches->rules_bytes, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&switches->rules_at, at, __ATOMIC_SEQ_CST);
	__atomic_store_n(
		&switches->rules_bytes, (uint32_t)bytes, __ATOMIC_SEQ_CST);
}

static enum switching_outcome outcome_of(int reason)
{
	switch (reason) {
	case EFBIG:
		return SWITCHING_LONG;
	case ENOSPC:
	case EDQUOT:
	case EBUSY:
		return SWITCHING_ROOM;
	default:
		return SWITCHING_FAILED;
	}
}

static enum switching_outcome set_rules(
	struct switching *switching, const struct changes *changes)
{
	struct binlog_switches *switches = switches_of(switching->page);
	uint64_t at = 0;
	size_t bytes;
	char *text = compose(switching->writes, switches, changes, &bytes);
	int reason = errno;
	bool good = bytes == 0 || text != NULL;

	if (text) {
		good = rules_text_write(
			switching->writes, switching->page, text, bytes, &at);
		reason = errno;
	}
	free(text);
	if (good) {
		point_to(switches, at, bytes);
		return SWITCHING_DONE;
	}
	errno = reason;
	return outcome_of(reason);
}

/* ---- all together ---- */

static enum switching_outcome change(
	struct switching *switching, const struct changes *changes)
{
	struct binlog_switches *switches = switches_of(switching->page);
	enum switching_outcome outcome = SWITCHING_DONE;

	if (changes->rules_replaced || changes->rules_bytes > 0)
		outcome = set_rules(switching, changes);
	if (outcome != SWITCHING_DONE)
		return outcome;
	set_fields(switches, changes);
	switches_tell(switches);
	switching->version =
		__atomic_load_n(&switches->version, __ATOMIC_ACQUIRE);
	return outcome;
}

/* Not interrupted: who is stopped on the way to a longer file is waited for. */
static enum switching_outcome change_alone(
	struct switching *switching, const struct changes *changes)
{
	int cut = page_guard_count();
	enum switching_outcome outcome;
	sigset_t all, before;
	int reason;

	outcome = lock(switching->writes);
	if (outcome != SWITCHING_DONE)
		return outcome;
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	sigprocmask(SIG_BLOCK, &all, &before);
	outcome = change(switching, changes);
	reason = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	unlock(switching->writes);
	errno = reason;
	return page_guard_count() == cut ? outcome : SWITCHING_CUT;
}

/* For looking alone: as long as it is open for writing, it looks as if somebody
 * might go on. */
static void let_go(struct switching *switching, int fd)
{
	void *page = mmap(NULL, BINLOG_PAGE, PROT_READ, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return;
	munmap(switching->page, BINLOG_PAGE);
	close(switching->writes);
	switching->page = page;
	switching->writes = -1;
}

enum switching_outcome switching_begin(struct switching *switching,
	const struct target *target, const struct changes *changes)
{
	enum switching_outcome outcome;

	*switching = (struct switching){.writes = -1};
	if (!target->in_use)
		return SWITCHING_ENDED;
	if (!take_up(switching, target->fd))
		return errno == EACCES || errno == EPERM ? SWITCHING_FOREIGN
							 : SWITCHING_FAILED;
	if (__atomic_load_n(&switches_of(switching->page)->generation,
		    __ATOMIC_ACQUIRE) == 0)
		return SWITCHING_OLD;
	outcome = change_alone(switching, changes);
	if (outcome == SWITCHING_DONE)
		let_go(switching, target->fd);
	return outcome;
}

bool switching_is_applied(const struct switching *switching)
{
	uint32_t applied = __atomic_load_n(
		&switches_of(switching->page)->applied, __ATOMIC_ACQUIRE);

	return (int32_t)(applied - switching->version) >= 0;
}

uint32_t switching_wrong_line(const struct switching *switching)
{
	return __atomic_load_n(
		&switches_of(switching->page)->rules_wrong, __ATOMIC_ACQUIRE);
}

void switching_end(struct switching *switching)
{
	if (switching->page)
		munmap(switching->page, BINLOG_PAGE);
	if (switching->writes >= 0)
		close(switching->writes);
	*switching = (struct switching){.writes = -1};
}
