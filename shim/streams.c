#include "shim/streams.h"

#include <sys/ioctl.h>

#include "shim/bytes.h"
#include "shim/process.h"
#include "shim/sys.h"

/* makedev(1, 3), Documentation/admin-guide/devices.txt of the kernel */
#define NULL_DEVICE 0x103

uint8_t streams_of_fd[STREAMS_FDS];
struct stream streams[STREAMS_MAX + 1] = {
	[STREAM_SYSLOG] = {.flags = BINLOG_STREAM_SYSLOG, .fd = -1},
};

static unsigned streams_used = STREAM_FIRST + 1;
static struct stream_output outputs[2];
static enum stream_mode mode_of[2] = {MODE_AUTO, MODE_AUTO};
static enum stream_mode mode_of_syslog = MODE_REPLACE;
/* Counts changes, so that a decision overtaken by one is not remembered. */
static unsigned changes;
/* No higher descriptor has been decided on. */
static unsigned highest_known;

static enum stream_mode parse_mode(const char *s)
{
	if (bytes_starts(s, "replace"))
		return MODE_REPLACE;
	if (bytes_starts(s, "tee"))
		return MODE_TEE;
	return bytes_starts(s, "pass") ? MODE_PASS : MODE_AUTO;
}

static void configure_one(const char *item)
{
	if (bytes_starts(item, "stdout=") || bytes_starts(item, "all="))
		mode_of[0] = parse_mode(item + (*item == 'a' ? 4 : 7));
	if (bytes_starts(item, "stderr=") || bytes_starts(item, "all="))
		mode_of[1] = parse_mode(item + (*item == 'a' ? 4 : 7));
	if (bytes_starts(item, "syslog=") || bytes_starts(item, "all="))
		mode_of_syslog = parse_mode(item + (*item == 'a' ? 4 : 7));
}

void streams_configure(const char *modes, const struct stream_output own[2])
{
	outputs[0] = own[0];
	outputs[1] = own[1];
	while (modes && *modes) {
		configure_one(modes);
		while (*modes && *modes != ',')
			modes++;
		modes += *modes == ',';
	}
	streams[STREAM_SYSLOG].tee = mode_of_syslog == MODE_TEE;
}

unsigned streams_syslog(void)
{
	return process_is_recording() && mode_of_syslog != MODE_PASS
		       ? STREAM_SYSLOG
		       : STREAM_PASS;
}

void streams_identify(int fd, struct stream_output *output)
{
	struct stat st;

	output->known = !sys_failed(SYS2(fstat, fd, &st));
	output->device = output->known ? st.st_dev : 0;
	output->inode = output->known ? st.st_ino : 0;
}

static bool is_terminal(int fd)
{
	char settings[256]; /* struct termios of the kernel */

	return !sys_failed(SYS3(ioctl, fd, TCGETS, settings));
}

/* The rule `auto` for a run's own output. */
static enum stream_mode automatic(int fd, const struct stat *st)
{
	if (S_ISFIFO(st->st_mode))
		return MODE_TEE;
	if (S_ISREG(st->st_mode) || S_ISSOCK(st->st_mode))
		return MODE_REPLACE;
	if (S_ISCHR(st->st_mode) &&
		(st->st_rdev == NULL_DEVICE || is_terminal(fd)))
		return MODE_REPLACE;
	return MODE_PASS;
}

static enum stream_mode choose(int fd, const struct stat *st, unsigned flags)
{
	enum stream_mode mode = mode_of[0];

	/* Both outputs one file: that of the descriptor used decides. */
	if (!(flags & BINLOG_STREAM_STDOUT) ||
		((flags & BINLOG_STREAM_STDERR) && fd == 2))
		mode = mode_of[1];
	return mode == MODE_AUTO ? automatic(fd, st) : mode;
}

/* The number of an equal stream, made now if need be. */
static unsigned intern(const struct stream *wanted)
{
	unsigned used = __atomic_load_n(&streams_used, __ATOMIC_ACQUIRE);

	for (unsigned i = STREAM_FIRST + 1; i < used; i++)
		if (streams[i].device == wanted->device &&
			streams[i].inode == wanted->inode &&
			streams[i].fd == wanted->fd &&
			streams[i].flags == wanted->flags &&
			streams[i].tee == wanted->tee)
			return i;
	do {
		if (used > STREAMS_MAX)
			return STREAM_PASS;
	} while (!__atomic_compare_exchange_n(&streams_used, &used, used + 1,
		false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	/* Nobody knows this number before we have returned it, but a search
	 * may meet it half filled: the inode, compared early, comes last. */
	streams[used].device = wanted->device;
	streams[used].mode = wanted->mode;
	streams[used].flags = wanted->flags;
	streams[used].fd = wanted->fd;
	streams[used].tee = wanted->tee;
	__atomic_store_n(&streams[used].inode, wanted->inode, __ATOMIC_RELEASE);
	return used;
}

static unsigned decide(int fd)
{
	struct stat st;
	struct stream wanted = {.fd = fd};
	enum stream_mode mode;
	long access;

	if (!process_is_recording() || sys_failed(SYS2(fstat, fd, &st)))
		return STREAM_PASS;
	for (int i = 0; i < 2; i++)
		if (outputs[i].known && outputs[i].device == st.st_dev &&
			outputs[i].inode == st.st_ino)
			wanted.flags |= i == 0 ? BINLOG_STREAM_STDOUT
					       : BINLOG_STREAM_STDERR;
	access = SYS3(fcntl, fd, F_GETFL, 0);
	if (!wanted.flags || sys_failed(access) ||
		(access & O_ACCMODE) == O_RDONLY)
		return STREAM_PASS;
	mode = choose(fd, &st, wanted.flags);
	if (mode == MODE_PASS)
		return STREAM_PASS;
	wanted.device = st.st_dev;
	wanted.inode = st.st_ino;
	wanted.mode = st.st_mode;
	wanted.tee = mode == MODE_TEE;
	return intern(&wanted);
}

COLD unsigned streams_decide(int fd)
{
	unsigned before = __atomic_load_n(&changes, __ATOMIC_ACQUIRE);
	unsigned stream = decide(fd);

	/* A child of vfork has its own descriptors but our memory. */
	if ((unsigned)fd < STREAMS_FDS && process_is_armed() &&
		!sys_forbidden && !process_is_borrowed() &&
		before == __atomic_load_n(&changes, __ATOMIC_ACQUIRE)) {
		if ((unsigned)fd > highest_known)
			__atomic_store_n(
				&highest_known, (unsigned)fd, __ATOMIC_RELEASE);
		__atomic_store_n(
			&streams_of_fd[fd], (uint8_t)stream, __ATOMIC_RELAXED);
	}
	return stream;
}

void streams_forget(int fd)
{
	streams_forget_range((unsigned)fd, (unsigned)fd);
}

void streams_forget_range(unsigned first, unsigned last)
{
	unsigned highest = __atomic_load_n(&highest_known, __ATOMIC_ACQUIRE);

	for (unsigned fd = first; fd <= last && fd <= highest; fd++)
		if (streams_of_fd[fd] != STREAM_UNKNOWN) {
			__atomic_fetch_add(&changes, 1, __ATOMIC_RELEASE);
			__atomic_store_n(&streams_of_fd[fd], STREAM_UNKNOWN,
				__ATOMIC_RELAXED);
		}
}
