#include "shim/streams/streams.h"

#include <sys/ioctl.h>

#include "shim/control/log_files.h"
#include "shim/control/process.h"
#include "shim/host/above.h"
#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/streams/held.h"
#include "shim/streams/stream_modes.h"
#include "shim/streams/stream_order.h"

/*
 * Numbers of streams that can be used again.  A program may open more log files
 * in its life than there are numbers, or have more descriptors of one output;
 * called by streams.c when half of them and when all of them are given out.
 * What was recorded keeps its meaning: a number is defined anew before it is
 * used again.  Lock-free, async-signal-safe.
 *
 * It is done in rounds, since a thread may have been told a number that no
 * descriptor remembers yet: what is not open when a round begins is not found
 * any more, and given out in the next round if it still is not open.
 */

/* How often a thread looks again while another one begins a round. */
#define TRIES 100

static bool is_vacant[STREAMS_MAX + 1];
static bool is_busy;
static bool is_scarce; /* not only log files come and go */

static unsigned take(void)
{
	for (unsigned i = STREAM_FULL + 1; i <= STREAMS_MAX; i++)
		if (__atomic_load_n(&is_vacant[i], __ATOMIC_RELAXED) &&
			__atomic_exchange_n(
				&is_vacant[i], false, __ATOMIC_ACQ_REL))
			return i;
	return STREAM_FULL;
}

/* Which numbers are those of files that are over. */
static void find_over(bool is_over[STREAMS_MAX + 1], unsigned highest)
{
	for (unsigned i = 0; i <= STREAMS_MAX; i++)
		is_over[i] = i > STREAM_FULL && i < streams_count() &&
			     (streams[i].path || is_scarce) && !is_vacant[i] &&
			     streams[i].pending != PENDING_SOMETHING;
	for (unsigned fd = 0; fd <= highest; fd++) {
		is_over[streams_slots[fd].of_fd & STREAMS_MAX] = false;
		is_over[streams_slots[fd].of_stdio & STREAMS_MAX] = false;
	}
}

/* Those that were over in the last round and are so still. */
static void vacate(const bool is_over[STREAMS_MAX + 1])
{
	if (is_scarce)
		above.streams_end(); /* what was said counts by the number */
	/* Memos, definitions and what writers have said of them are void. */
	__atomic_fetch_add(&streams_flushes, STREAMS_MAX + 1, __ATOMIC_SEQ_CST);
	process_changed();
	for (unsigned i = STREAM_FULL + 1; i <= STREAMS_MAX; i++)
		if (is_over[i] && streams[i].retired)
			__atomic_store_n(&is_vacant[i], true, __ATOMIC_RELEASE);
}

static void retire(const bool is_over[STREAMS_MAX + 1])
{
	for (unsigned i = STREAM_FULL + 1; i <= STREAMS_MAX; i++)
		if (is_over[i])
			__atomic_store_n(
				&streams[i].retired, true, __ATOMIC_RELEASE);
}

static void begin_round(unsigned highest)
{
	static bool is_over[STREAMS_MAX + 1]; /* of whoever is busy */

	if (__atomic_exchange_n(&is_busy, true, __ATOMIC_ACQUIRE))
		return;
	find_over(is_over, highest);
	vacate(is_over);
	retire(is_over);
	__atomic_store_n(&is_busy, false, __ATOMIC_RELEASE);
}

/* Begins the first round; descriptors up to `highest` are known. */
static COLD void stream_reuse_begin(unsigned highest)
{
	begin_round(highest);
}

/* Ways to one output differ only by their numbers, and those that are open may
 * all be in use.  So these are forgotten in turn, where they hold nothing back:
 * each that is used again is decided on anew, and gets another number. */
static COLD void stream_reuse_evict(unsigned highest)
{
	__atomic_store_n(&is_scarce, true, __ATOMIC_RELAXED);
	streams_evict(highest);
	begin_round(highest);
}

/* A number that is free again; STREAM_FULL if there is none. */
static COLD unsigned stream_reuse_number(unsigned highest)
{
	unsigned number = take();

	if (number != STREAM_FULL)
		return number;
	begin_round(highest);
	number = take();
	/* Not for long: we may be a handler that has interrupted it. */
	for (int i = 0; number == STREAM_FULL && i < TRIES &&
			__atomic_load_n(&is_busy, __ATOMIC_ACQUIRE);
		i++) {
		SYS0(sched_yield);
		number = take();
	}
	if (number == STREAM_FULL)
		number = take();
	/* All are in use. */
	for (int i = 0; number == STREAM_FULL && i < 2; i++) {
		stream_reuse_evict(highest);
		number = take();
	}
	return number;
}

uint32_t streams_flushes;

void streams_said(unsigned stream)
{
	if (__atomic_load_n(&streams[stream].pending, __ATOMIC_RELAXED) ==
		PENDING_NOTHING)
		__atomic_store_n(&streams[stream].pending, PENDING_SOMETHING,
			__ATOMIC_RELEASE);
}

static bool flush_one(unsigned stream)
{
	uint8_t expected = PENDING_SOMETHING;

	if (!__atomic_compare_exchange_n(&streams[stream].pending, &expected,
		    PENDING_NOTHING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return false;
	__atomic_fetch_add(&streams_flushes, STREAMS_MAX + 1, __ATOMIC_SEQ_CST);
	return true;
}

uint64_t streams_grown[STREAM_WORDS];
uint64_t streams_of_outputs[STREAM_WORDS];

void streams_count_bytes(unsigned stream, uint64_t bytes)
{
	__atomic_fetch_add(&streams[stream].said, bytes, __ATOMIC_SEQ_CST);
	stream_bit_set(streams_grown, stream);
}

/*
 * The streams of a FILE: those whose FILEs have, or had, this hash.
 */
#define FILE_HASHES 1024u

static uint64_t of_files[FILE_HASHES][STREAM_WORDS];

static uint64_t *of_file(const FILE *file)
{
	return of_files[(uintptr_t)file * 0x9e3779b97f4a7c15u >> 54];
}

/* The first one from `i` on; as many as there are streams: none. */
static unsigned next_of_file(const FILE *file, unsigned i, unsigned used)
{
	const uint64_t *bits = of_file(file);

	while (i < used) {
		uint64_t rest =
			__atomic_load_n(&bits[i / 64], __ATOMIC_ACQUIRE) >>
			i % 64;

		if (rest == 0) {
			i = (i / 64 + 1) * 64;
			continue;
		}
		i += (unsigned)__builtin_ctzll(rest);
		if (i < used && streams[i].file == file)
			return i;
		i++;
	}
	return used;
}

#define EACH_OF_FILE(i, file, used)                                            \
	unsigned i = next_of_file(file, STREAM_FIRST, used);                   \
	i < (used);                                                            \
	i = next_of_file(file, i + 1, used)

unsigned streams_pending(const FILE *file)
{
	unsigned used = streams_count();

	for (EACH_OF_FILE(i, file, used))
		if (__atomic_load_n(&streams[i].pending, __ATOMIC_ACQUIRE) ==
			PENDING_SOMETHING)
			return i;
	return STREAM_PASS;
}

bool streams_has_said(const FILE *file)
{
	unsigned used = streams_count();

	for (EACH_OF_FILE(i, file, used))
		if (streams[i].said > 0)
			return true;
	return false;
}

/* A FILE may have held back text before its descriptor became another's. */
bool streams_flush(unsigned stream)
{
	unsigned used = streams_count();
	const FILE *file = streams[stream].file;
	bool any = false;

	if (!file)
		return flush_one(stream);
	for (EACH_OF_FILE(i, file, used))
		any |= flush_one(i);
	return any;
}

bool streams_flush_all(void)
{
	unsigned used = streams_count();
	bool any = false;

	for (unsigned i = STREAM_FIRST; i < used; i++)
		any |= flush_one(i);
	return any;
}

bool streams_hold_back(void)
{
	unsigned used = streams_count();

	for (unsigned i = STREAM_FIRST; i < used; i++)
		if (__atomic_load_n(&streams[i].pending, __ATOMIC_ACQUIRE) ==
			PENDING_SOMETHING)
			return true;
	return false;
}

/* Of the numbers: how many files that were asked for never get. */
#define STREAMS_FOR_OUTPUTS 64u

struct stream_slot streams_slots[STREAMS_FDS];
uint32_t streams_version[ENTRY_COUNT] = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19};
const FILE *streams_collecting;
bool streams_are_shared;
bool streams_have_offsets;
bool streams_are_wanted;
struct stream streams[STREAMS_MAX + 1]; /* large: not in the file */

static unsigned streams_used = STREAM_FULL + 1;
static struct stream_output outputs[2];
static bool syslog_is_recorded;
/* Counts changes of some descriptors, so that a decision overtaken by one is
 * not remembered. */
static unsigned changes[64];
/* Decisions are not remembered any more. */
static bool forgets;
/* No higher descriptor has been decided on. */
static unsigned highest_known;

/* Until the process is set up every function that reads looks closer. */
bool streams_reading_shows = true;

static void follow_syslog(void)
{
	enum policy_mode mode = stream_modes_of(SWITCH_SYSLOG);

	streams[STREAM_SYSLOG].tee = mode == POLICY_TEE;
	syslog_is_recorded = mode != POLICY_PASS;
}

bool streams_configure(const char *modes, const struct stream_output own[2])
{
	outputs[0] = own[0];
	outputs[1] = own[1];
	if (modes && !log_files_configure(modes))
		return false;
	stream_modes_configure(modes);
	streams[STREAM_SYSLOG] = (struct stream){
		.flags = BINLOG_STREAM_SYSLOG,
		.fd = -1,
		.pending = PENDING_NEVER,
	};
	follow_syslog();
	/* Like those that are also written: what is said to it is written. */
	streams[STREAM_FULL] = (struct stream){
		.fd = -1, .tee = true, .pending = PENDING_NEVER};
	return true;
}

void streams_switch(const uint8_t modes[SWITCH_STREAMS], bool off)
{
	stream_modes_switch(modes, off);
	streams_want();
	follow_syslog();
	streams_forget_range(0, STREAMS_FDS - 1);
	streams_changed();
}

unsigned streams_syslog(void)
{
	control_look();
	return process_is_recording() && syslog_is_recorded ? STREAM_SYSLOG
							    : STREAM_PASS;
}

bool streams_identify(int fd, struct stream_output *output)
{
	struct stat st = {0};
	long result = SYS2(fstat, fd, &st);

	*output = (struct stream_output){st.st_dev, st.st_ino,
		(uint64_t)st.st_size, st.st_mode, !sys_failed(result)};
	return output->known || result == -EBADF;
}

const struct stream_output *streams_output(int fd)
{
	return &outputs[fd - STDOUT_FILENO];
}

uint32_t streams_description(int fd)
{
	long number = SYS3(fcntl, fd, F_GETSIG, 0);

	return sys_failed(number) ? 0 : (uint32_t)number;
}

static bool is_terminal(int fd)
{
	char settings[256]; /* struct termios of the kernel */

	return !sys_failed(SYS3(ioctl, fd, TCGETS, settings));
}

static enum policy_mode choose(
	const struct stream *stream, const struct stat *st)
{
	enum policy_mode mode = stream_modes_of(SWITCH_STDOUT);

	/* Both outputs one file: that of the descriptor used decides. */
	if (!(stream->flags & BINLOG_STREAM_STDOUT) ||
		((stream->flags & BINLOG_STREAM_STDERR) && stream->fd == 2))
		mode = stream_modes_of(SWITCH_STDERR);
	return mode == POLICY_AUTO
		       ? stream_modes_automatic(st, stream->terminal)
		       : mode;
}

/*
 * All text to it goes to its end, wherever the open file stands: so it is the
 * same stream when it is opened anew for each line.  Where text is also
 * written the open file moves, and is the same all the same.
 */
static bool is_log_at_end(const struct stream *stream)
{
	return stream->path && stream->flags & BINLOG_STREAM_APPEND;
}

static bool is_equal(const struct stream *a, const struct stream *b)
{
	return __atomic_load_n(&a->inode, __ATOMIC_ACQUIRE) == b->inode &&
	       a->device == b->device && a->file == b->file && a->fd == b->fd &&
	       a->flags == b->flags && a->buffering == b->buffering &&
	       a->buffer_bytes == b->buffer_bytes &&
	       a->description == b->description && a->tee == b->tee &&
	       a->path == b->path &&
	       (a->order == b->order || is_log_at_end(a)) &&
	       (a->position == b->position || a->tee || is_log_at_end(a));
}

/*
 * A number that nobody has; STREAM_FULL if there is none.  However many log
 * files there are, some are left for the run's own outputs.
 */
static unsigned take_number(bool is_log)
{
	unsigned used = __atomic_load_n(&streams_used, __ATOMIC_ACQUIRE);
	unsigned last = STREAMS_MAX - (is_log ? STREAMS_FOR_OUTPUTS : 0);

	do {
		if (used > last)
			return stream_reuse_number(highest_known);
	} while (!__atomic_compare_exchange_n(&streams_used, &used, used + 1,
		false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	if (used == STREAMS_MAX / 2)
		stream_reuse_begin(highest_known);
	if (used == STREAMS_MAX / 4 * 3)
		stream_reuse_evict(highest_known);
	return used;
}

TSAN_IGNORE static void fill(struct stream *stream, const struct stream *made)
{
	*stream = *made;
}

/* The number of an equal stream, made now if need be. */
static unsigned intern(const struct stream *wanted)
{
	static uint32_t serial;
	unsigned used = __atomic_load_n(&streams_used, __ATOMIC_ACQUIRE);
	struct stream made = *wanted;

	for (unsigned i = used - 1; i > STREAM_FULL; i--)
		if (is_equal(&streams[i], wanted) && !streams[i].retired)
			return i;
	used = take_number(wanted->path);
	if (used == STREAM_FULL)
		return STREAM_FULL;
	/* Nobody knows this number before we have returned it, but a search
	 * may meet it half filled: the inode, compared first, comes last. */
	__atomic_store_n(&streams[used].inode, 0, __ATOMIC_SEQ_CST);
	made.serial = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
	made.retired = false;
	made.inode = 0;
	fill(&streams[used], &made);
	if (made.file)
		stream_bit_set(of_file(made.file), used);
	if (made.flags & (BINLOG_STREAM_STDOUT | BINLOG_STREAM_STDERR))
		stream_bit_set(streams_of_outputs, used);
	__atomic_store_n(&streams[used].inode, wanted->inode, __ATOMIC_RELEASE);
	return used;
}

/* Where the next byte would go in a regular file, which others may share. */
static uint64_t position_of(int fd, const struct stat *st)
{
	long offset = S_ISREG(st->st_mode) ? SYS3(lseek, fd, 0, SEEK_CUR) : 0;

	return sys_failed(offset) ? 0 : (uint64_t)offset;
}

/* Which of the run's own outputs it is. */
static uint32_t output_flags(const struct stat *st)
{
	uint32_t flags = 0;

	for (int i = 0; i < 2; i++)
		if (outputs[i].known && outputs[i].device == st->st_dev &&
			outputs[i].inode == st->st_ino)
			flags |= i == 0 ? BINLOG_STREAM_STDOUT
					: BINLOG_STREAM_STDERR;
	return flags;
}

bool streams_is_output(const struct stat *st)
{
	return output_flags(st) != 0;
}

static enum policy_mode find_mode(
	int fd, struct stream *wanted, const struct stat *st)
{
	wanted->flags = output_flags(st);
	if (!wanted->flags && log_files_any) {
		wanted->flags = BINLOG_STREAM_FILE;
		return stream_modes_of_file(
			log_files_find(fd, st, &wanted->path));
	}
	if (!wanted->flags)
		return POLICY_PASS;
	wanted->terminal = S_ISCHR(st->st_mode) && is_terminal(fd);
	return choose(wanted, st);
}

/*
 * What `fd` is, for intern(); STREAM_PASS: text to it passes; STREAM_FULL: that
 * cannot be found out now.  Its number is -1 if none is open, or we cannot see.
 */
static unsigned describe(int fd, struct stream *wanted)
{
	enum policy_mode mode;
	struct stat st;
	long access, result;

	*wanted = (struct stream){.fd = fd, .pending = PENDING_NEVER};
	if (!process_is_recording())
		return STREAM_PASS;
	result = SYS2(fstat, fd, &st);
	if (sys_failed(result)) {
		wanted->fd = -1;
		return result == -EBADF || sys_forbidden ? STREAM_PASS
							 : STREAM_FULL;
	}
	access = SYS3(fcntl, fd, F_GETFL, 0);
	if (sys_failed(access) || (access & O_ACCMODE) == O_RDONLY)
		return STREAM_PASS;
	mode = find_mode(fd, wanted, &st);
	if (mode == POLICY_AUTO)
		wanted->fd = -1;
	if (mode == POLICY_PASS || mode == POLICY_AUTO)
		return mode == POLICY_PASS ? STREAM_PASS : STREAM_FULL;
	if (access & O_APPEND)
		wanted->flags |= BINLOG_STREAM_APPEND;
	wanted->device = st.st_dev;
	wanted->inode = st.st_ino;
	wanted->mode = st.st_mode;
	wanted->position = (access & O_APPEND) ? (uint64_t)st.st_size
					       : position_of(fd, &st);
	wanted->description = S_ISREG(st.st_mode) && !is_log_at_end(wanted)
				      ? streams_description(fd)
				      : 0;
	wanted->tee = mode == POLICY_TEE;
	/* As libc chooses it: _IO_file_doallocate() of glibc. */
	wanted->buffer_bytes = st.st_blksize > 0 && st.st_blksize < BUFSIZ
				       ? (uint32_t)st.st_blksize
				       : BUFSIZ;
	return STREAM_UNKNOWN;
}

static unsigned changes_of(int fd)
{
	return __atomic_load_n(&changes[(unsigned)fd % 64], __ATOMIC_ACQUIRE);
}

static unsigned of_fd(int fd)
{
	return __atomic_load_n(&streams_slots[fd].of_fd, __ATOMIC_ACQUIRE);
}

static void note_highest(unsigned fd)
{
	unsigned known = __atomic_load_n(&highest_known, __ATOMIC_RELAXED);

	while (known < fd &&
		!__atomic_compare_exchange_n(&highest_known, &known, fd, false,
			__ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* Whether a decision begun when `before` was the count still holds. */
static bool may_remember(int fd, unsigned before)
{
	/* A child of vfork has its own descriptors but our memory. */
	if ((unsigned)fd >= STREAMS_FDS || !process_is_armed() ||
		__atomic_load_n(&forgets, __ATOMIC_RELAXED) || sys_forbidden ||
		process_is_borrowed() || before != changes_of(fd))
		return false;
	note_highest((unsigned)fd);
	return true;
}

static void remember(int fd, unsigned before, unsigned stream)
{
	/* What the number means comes first. */
	if (may_remember(fd, before))
		__atomic_store_n(&streams_slots[fd].of_fd, (uint16_t)stream,
			__ATOMIC_RELEASE);
}

bool streams_may_be_socket(int fd)
{
	enum { UNKNOWN, NONE, SOME };
	static int found = UNKNOWN;
	int now = __atomic_load_n(&found, __ATOMIC_RELAXED);
	struct stat st;

	if (likely(now != UNKNOWN))
		return now == SOME;
	if (!process_is_recording() || sys_failed(SYS2(fstat, fd, &st)) ||
		!S_ISSOCK(st.st_mode))
		return false;
	now = NONE;
	for (int i = 0; i < 2; i++)
		if (outputs[i].known && outputs[i].device == st.st_dev)
			now = SOME;
	__atomic_store_n(&found, now, __ATOMIC_RELAXED);
	return now == SOME;
}

COLD bool streams_is_recorded_file(int fd)
{
	unsigned before = changes_of(fd);
	struct stream found;
	unsigned stream = describe(fd, &found);

	if (stream == STREAM_UNKNOWN)
		return S_ISREG(found.mode);
	if (found.fd >= 0)
		remember(fd, before, stream);
	return false;
}

COLD unsigned streams_decide(int fd)
{
	unsigned before = changes_of(fd);
	struct stream wanted;
	unsigned stream = describe(fd, &wanted);

	if (stream == STREAM_UNKNOWN)
		stream = intern(&wanted);
	/* A number that is not in use may become anything without our help. */
	if (wanted.fd >= 0)
		remember(fd, before, stream);
	return stream;
}

/*
 * Some programs store another number into a FILE that is open.  No call says
 * so; but once it was seen, each call to that FILE looks.
 */
static bool moves(const FILE *file, int fd)
{
	static struct {
		const FILE *file;
		int fd;
		bool moves;
	} seen[64];
	unsigned i = (unsigned)((uintptr_t)file * 0x9e3779b97f4a7c15u >> 58);
	unsigned before = (unsigned)seen[i].fd;

	if (seen[i].file != file)
		seen[i].moves = false;
	else if (before != (unsigned)fd && before < STREAMS_FDS &&
		 __atomic_load_n(
			 &streams_slots[before].of_stdio, __ATOMIC_RELAXED) >>
				 STREAMS_BITS ==
			 (uintptr_t)file)
		seen[i].moves = true;
	seen[i].file = file;
	seen[i].fd = fd;
	return seen[i].moves;
}

/* All that is known of it. */
static void note_moves(const FILE *file)
{
	unsigned used = streams_count();

	for (unsigned i = STREAM_FIRST; i < used; i++)
		if (streams[i].file == file)
			streams[i].moves = true;
}

/* How a FILE will hold back text, as far as it does not know itself yet. */
static void describe_buffer(struct stream *stream, const FILE *file)
{
	bool has_buffer = file->_IO_buf_base != NULL;

	stream->buffering = BINLOG_BUFFER_FULL;
	if (file->_flags & LIBIO_UNBUFFERED)
		stream->buffering = BINLOG_BUFFER_NONE;
	else if (file->_flags & LIBIO_LINE_BUFFERED ||
		 (stream->terminal && !has_buffer))
		stream->buffering = BINLOG_BUFFER_LINE;
	if (has_buffer)
		stream->buffer_bytes =
			(uint32_t)(file->_IO_buf_end - file->_IO_buf_base);
	stream->pending = stream->buffering == BINLOG_BUFFER_NONE
				  ? PENDING_NEVER
				  : PENDING_NOTHING;
}

/*
 * What `fd` is as a stream that a FILE is made from.  A file that was asked for
 * gets no number of its own for that: there may be thousands of them.
 */
static unsigned find_way(int fd, struct stream *wanted)
{
	unsigned stream = STREAM_UNKNOWN;

	if ((unsigned)fd < STREAMS_FDS)
		stream = of_fd(fd);
	if (stream == STREAM_UNKNOWN && log_files_any &&
		describe(fd, wanted) == STREAM_UNKNOWN && wanted->path)
		return STREAM_UNKNOWN;
	stream = streams_of(fd);
	*wanted = streams[stream];
	return stream;
}

COLD unsigned streams_decide_file(const FILE *file, int fd)
{
	unsigned before = changes_of(fd);
	struct stream wanted;
	unsigned stream;
	bool is_moving;

	/* libc's own for the time of a dprintf(), of which only functions of
	 * register_printf_specifier() hear: what they say is part of its text.
	 */
	if (unlikely(!file->_lock))
		return STREAM_PASS;
	stream = find_way(fd, &wanted);
	is_moving = moves(file, fd);
	if (stream != STREAM_PASS && stream != STREAM_FULL) {
		wanted.said = wanted.counted = 0;
		wanted.file = file;
		wanted.order = stream_order_of(file);
		describe_buffer(&wanted, file);
		wanted.watched = held_shadow(file) != NULL;
		stream = intern(&wanted);
	}
	if (unlikely(is_moving))
		note_moves(file);
	if (may_remember(fd, before) &&
		(stream > STREAM_FULL || of_fd(fd) == stream)) {
		__atomic_store_n(&streams_slots[fd].of_stdio,
			(uint64_t)(uintptr_t)file << STREAMS_BITS | stream,
			__ATOMIC_RELEASE);
		streams_changed();
	}
	return stream;
}

unsigned streams_count(void)
{
	return __atomic_load_n(&streams_used, __ATOMIC_ACQUIRE);
}

void streams_watch(const FILE *file)
{
	unsigned used = streams_count();

	for (unsigned i = STREAM_FIRST; i < used; i++)
		if (streams[i].file == file)
			streams[i].watched = true;
	streams_changed();
}

void streams_forget_file(const FILE *file)
{
	unsigned fd = (unsigned)file->_fileno;

	if (fd < STREAMS_FDS)
		__atomic_store_n(
			&streams_slots[fd].of_stdio, 0, __ATOMIC_RELAXED);
	streams_changed();
}

void streams_forget(int fd)
{
	streams_forget_range((unsigned)fd, (unsigned)fd);
}

void streams_forget_always(void)
{
	__atomic_store_n(&forgets, true, __ATOMIC_RELEASE);
	streams_forget_range(0, UINT_MAX);
	streams_changed();
}

/* False: nothing was known of it. */
static bool forget(unsigned fd)
{
	struct stream_slot *slot = &streams_slots[fd];

	if (of_fd((int)fd) == STREAM_UNKNOWN &&
		__atomic_load_n(&slot->of_stdio, __ATOMIC_RELAXED) == 0)
		return false;
	__atomic_fetch_add(&changes[fd % 64], 1, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->of_fd, STREAM_UNKNOWN, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->of_stdio, 0, __ATOMIC_RELAXED);
	return true;
}

void streams_forget_range(unsigned first, unsigned last)
{
	unsigned highest = __atomic_load_n(&highest_known, __ATOMIC_ACQUIRE);

	for (unsigned fd = first; fd <= last && fd <= highest; fd++)
		if (forget(fd))
			streams_changed();
}

void streams_evict(unsigned last)
{
	bool any = false;

	for (unsigned fd = 0; fd <= last; fd++)
		any |= forget(fd);
	if (any)
		streams_changed();
}
