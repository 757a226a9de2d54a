#include "shim/writer/position.h"

#include <sys/mman.h>

#include "record/hash.h"
#include "shim/control/process.h"
#include "shim/file/capture_file.h"
#include "shim/host/bytes.h"
#include "shim/host/sys.h"
#include "shim/streams/held.h"
#include "shim/writer/writer.h"

/* In place of the number of an open file: the end of the file, and, of no file,
 * the number that was given last; and with it: where the real one stood when it
 * was last looked at. */
#define END ~(uint64_t)0
#define NUMBERS ~(uint64_t)1
/* Likewise: how long the file itself was when it was last looked at. */
#define SIZE ~(uint64_t)2
#define SIZE_IGNORED ~(uint64_t)0
#define REAL ((uint64_t)1 << 32)
#define REAL_END ((uint64_t)1 << 33)

/*
 * An open file is marked in the kernel, where programs that are executed find
 * it, by the signal that it would send if it were one that can: a regular file
 * never sends it.  fcntl(2), F_SETSIG.
 */
#define NUMBER_MAX 64u

static struct binlog_position own[BINLOG_POSITIONS];
static struct binlog_position *positions = own;

static void forget_recent(void);

void position_found(struct binlog_header *header)
{
	positions = (struct binlog_position *)((char *)header +
					       BINLOG_POSITIONS_OFFSET);
	forget_recent();
}

bool position_is_in(const struct binlog_header *header)
{
	return (const char *)positions ==
	       (const char *)header + BINLOG_POSITIONS_OFFSET;
}

/* The name comes out of the environment, where anything may be. */
static bool is_of_our_run(const struct binlog_header *header)
{
	return bytes_starts((const char *)header->magic, BINLOG_MAGIC) &&
	       header->version == BINLOG_VERSION &&
	       header->run == capture_file_header->run;
}

void position_join(const char *path)
{
	long fd = SYS4(openat, AT_FDCWD, path,
		O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0);
	struct stat st;
	long page = -EINVAL;

	if (sys_failed(fd))
		return;
	if (!sys_failed(SYS2(fstat, fd, &st)) && S_ISREG(st.st_mode) &&
		st.st_size >= BINLOG_PAGE)
		page = SYS6(mmap, 0, BINLOG_PAGE, PROT_READ | PROT_WRITE,
			MAP_SHARED, fd, 0);
	SYS1(close, fd);
	if (sys_failed(page))
		return;
	if (is_of_our_run((struct binlog_header *)page))
		position_found((struct binlog_header *)page);
	else
		SYS2(munmap, page, BINLOG_PAGE);
}

bool position_mend(const void *address)
{
	const char *page = (const char *)positions - BINLOG_POSITIONS_OFFSET;

	if (positions == own ||
		(uintptr_t)address - (uintptr_t)page >= BINLOG_PAGE)
		return false;
	positions = own;
	forget_recent();
	return !sys_failed(SYS6(mmap, page, BINLOG_PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
}

bool position_matters(unsigned stream)
{
	return stream > STREAM_SYSLOG && !streams[stream].tee &&
	       S_ISREG(streams[stream].mode);
}

/* Says little: in place of an entry where all are taken. */
static uint64_t none;

/*
 * Where keys were found lately: all of a key but its lowest bits, and in these
 * the place of its entry; where all are taken, which they remain, ALL_TAKEN.
 * Nothing is ever taken away, and who thinks that he has found an entry looks
 * whether it has his key: with thousands of log files nearly all have none.
 */
#define RECENT 4096u
#define ALL_TAKEN 0xffu
_Static_assert(BINLOG_POSITIONS < ALL_TAKEN, "");

static uint64_t recent[RECENT];
static bool some_recent; /* or its pages need not be looked at */

static void forget_recent(void)
{
	for (unsigned i = 0; some_recent && i < RECENT; i++)
		__atomic_store_n(&recent[i], 0, __ATOMIC_RELAXED);
}

/* Most are where they are looked for first, or next to it. */
#define NEAR 4u

static unsigned place_of(uint64_t key, unsigned i)
{
	return (unsigned)((key / 2 + i) % BINLOG_POSITIONS);
}

static unsigned search(uint64_t key, unsigned most)
{
	for (unsigned i = 0; i < most; i++) {
		unsigned place = place_of(key, i);
		struct binlog_position *at = &positions[place];
		uint64_t expected = 0;

		if (__atomic_load_n(&at->key, __ATOMIC_ACQUIRE) == key ||
			__atomic_compare_exchange_n(&at->key, &expected, key,
				false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
			expected == key)
			return place;
	}
	return ALL_TAKEN;
}

static bool is_at(unsigned place, uint64_t key)
{
	return place == ALL_TAKEN ||
	       (place < BINLOG_POSITIONS &&
		       __atomic_load_n(
			       &positions[place].key, __ATOMIC_ACQUIRE) == key);
}

static unsigned search_far(uint64_t key)
{
	uint64_t *near = &recent[(key >> 8) % RECENT];
	uint64_t seen = __atomic_load_n(near, __ATOMIC_RELAXED);
	unsigned place = (uint8_t)seen;

	if ((seen ^ key) >> 8 != 0 || !is_at(place, key)) {
		place = search(key, BINLOG_POSITIONS);
		__atomic_store_n(&some_recent, true, __ATOMIC_RELAXED);
		__atomic_store_n(near, (key & ~(uint64_t)0xff) | place,
			__ATOMIC_RELAXED);
	}
	return place;
}

static uint64_t *entry(const struct stream *stream, uint64_t number)
{
	uint64_t key = binlog_hash_word(
		binlog_hash_word(
			binlog_hash_word(3, stream->device), stream->inode),
		number);
	unsigned place;

	key |= 1;
	place = search(key, NEAR);
	if (place == ALL_TAKEN)
		place = search_far(key);
	return place == ALL_TAKEN ? &none : &positions[place].value;
}

/* An entry's value, set to `first` before its first use. */
static uint64_t *known(uint64_t *value, uint64_t first)
{
	uint64_t unknown = 0;

	__atomic_compare_exchange_n(value, &unknown, first + 1, false,
		__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return value;
}

/* Of one that appends the text goes elsewhere than where it stands. */
static uint64_t first_offset(const struct stream *stream)
{
	long offset = stream->flags & BINLOG_STREAM_APPEND
			      ? SYS3(lseek, stream->fd, 0, SEEK_CUR)
			      : (long)stream->position;

	return sys_failed(offset) ? 0 : (uint64_t)offset;
}

static uint64_t *offset_of(const struct stream *stream)
{
	uint64_t *offset = entry(stream, stream->description);

	return __atomic_load_n(offset, __ATOMIC_ACQUIRE)
		       ? offset
		       : known(offset, first_offset(stream));
}

/* As the file itself says: what was there before, or was passed natively. */
static uint64_t real_end(const struct stream *stream)
{
	struct stat st;

	if (sys_failed(SYS2(fstat, stream->fd, &st)) ||
		st.st_dev != stream->device || st.st_ino != stream->inode)
		return 0;
	return (uint64_t)st.st_size;
}

/* What was passed to a file that appends is counted as it is found: it has made
 * the file longer since the first use. */
static uint64_t first_end(const struct stream *stream)
{
	uint64_t end = real_end(stream);

	return stream->flags & BINLOG_STREAM_APPEND && writer_some_passed() &&
			       stream->position < end
		       ? stream->position
		       : end;
}

static uint64_t *end_of(const struct stream *stream)
{
	uint64_t *end = entry(stream, END);

	return __atomic_load_n(end, __ATOMIC_ACQUIRE)
		       ? end
		       : known(end, first_end(stream));
}

static void raise_to(uint64_t *value, uint64_t least)
{
	uint64_t now = __atomic_load_n(value, __ATOMIC_ACQUIRE);

	while (now < least + 1 &&
		!__atomic_compare_exchange_n(value, &now, least + 1, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

static void advance(const struct stream *stream, uint64_t bytes)
{
	uint64_t *offset = offset_of(stream);
	uint64_t *end = end_of(stream);
	uint64_t now;

	if (stream->flags & BINLOG_STREAM_APPEND) {
		now = __atomic_add_fetch(end, bytes, __ATOMIC_ACQ_REL);
		__atomic_store_n(offset, now, __ATOMIC_RELEASE);
		return;
	}
	now = __atomic_add_fetch(offset, bytes, __ATOMIC_ACQ_REL);
	raise_to(end, now - 1);
}

/* Where text that is passed goes to. */
static uint64_t real_offset(const struct stream *stream)
{
	long offset;

	if (stream->flags & BINLOG_STREAM_APPEND)
		return real_end(stream);
	offset = SYS3(lseek, stream->fd, 0, SEEK_CUR);
	return sys_failed(offset) ? 0 : (uint64_t)offset;
}

static uint64_t *real_of(const struct stream *stream)
{
	uint64_t kind = stream->flags & BINLOG_STREAM_APPEND ? REAL_END : REAL;

	return known(
		entry(stream, kind | stream->description), stream->position);
}

/* How far the real file has moved, by what was passed since the last look. */
static uint64_t passed_bytes(const struct stream *stream)
{
	uint64_t *seen;
	uint64_t now, before;

	if (likely(!writer_some_passed()))
		return 0;
	seen = real_of(stream);
	now = real_offset(stream) + 1;
	before = __atomic_load_n(seen, __ATOMIC_ACQUIRE);
	while (before < now &&
		!__atomic_compare_exchange_n(seen, &before, now, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return before < now ? now - before : 0;
}

static void settle(unsigned number)
{
	struct stream *stream = &streams[number];
	uint64_t said = __atomic_load_n(&stream->said, __ATOMIC_ACQUIRE);
	uint64_t bytes = 0;

	/* Before each fork; a store would give the child a page of its own. */
	if (said != __atomic_load_n(&stream->counted, __ATOMIC_ACQUIRE))
		bytes = said - __atomic_exchange_n(&stream->counted, said,
				       __ATOMIC_ACQ_REL);
	if (bytes > 0 && !stream->tee && stream->file)
		bytes = held_take(number, bytes);
	if (!position_matters(number))
		return;
	/* There may be thousands of log files: they are looked at if asked. */
	if (stream->flags & (BINLOG_STREAM_STDOUT | BINLOG_STREAM_STDERR))
		bytes += passed_bytes(stream);
	if (bytes > 0)
		advance(stream, bytes);
}

/* Whoever interrupts this finds its bit still there, and does the same. */
static void settle_grown(unsigned number)
{
	settle(number);
	stream_bit_clear(streams_grown, number);
	if (__atomic_load_n(&streams[number].said, __ATOMIC_SEQ_CST) !=
		__atomic_load_n(&streams[number].counted, __ATOMIC_SEQ_CST))
		stream_bit_set(streams_grown, number);
}

static void settle_all(void)
{
	unsigned words = streams_count() / 64 + 1;

	for (unsigned word = 0; word < words; word++) {
		uint64_t grown =
			__atomic_load_n(&streams_grown[word], __ATOMIC_SEQ_CST);
		uint64_t all =
			grown | __atomic_load_n(&streams_of_outputs[word],
					__ATOMIC_ACQUIRE);

		for (; all != 0; all &= all - 1) {
			unsigned bit = (unsigned)__builtin_ctzll(all);

			if (word * 64 + bit <= STREAM_SYSLOG)
				continue;
			if (grown >> bit & 1)
				settle_grown(word * 64 + bit);
			else
				settle(word * 64 + bit);
		}
	}
}

void position_settle(void)
{
	writer_add_up();
	settle_all();
}

void position_add(unsigned stream, size_t bytes)
{
	streams_count_bytes(stream, bytes);
}

static void settle_for(unsigned stream)
{
	uint64_t passed;

	position_settle();
	passed = passed_bytes(&streams[stream]);
	if (passed > 0)
		advance(&streams[stream], passed);
}

int64_t position_now(unsigned stream)
{
	settle_for(stream);
	return (int64_t)(*offset_of(&streams[stream]) - 1);
}

int64_t position_end(unsigned stream)
{
	uint64_t *end;

	settle_for(stream);
	end = end_of(&streams[stream]);
	raise_to(end, real_end(&streams[stream]));
	return (int64_t)(*end - 1);
}

void position_move(unsigned stream, int64_t offset)
{
	__atomic_store_n(offset_of(&streams[stream]), (uint64_t)offset + 1,
		__ATOMIC_RELEASE);
}

/* What is recorded is taken to come before what is passed. */
void position_move_passed(unsigned stream, int64_t offset)
{
	int64_t end = position_end(stream);
	int64_t real = (int64_t)real_end(&streams[stream]);
	int64_t to = offset >= end - real ? offset - (end - real) : real;

	if (streams[stream].flags & BINLOG_STREAM_APPEND)
		return;
	if (!sys_failed(SYS3(lseek, streams[stream].fd, to, SEEK_SET)))
		__atomic_store_n(real_of(&streams[stream]), (uint64_t)to + 1,
			__ATOMIC_RELEASE);
}

/* ---- the files themselves ---- */

void position_begin(const struct stream_output *output)
{
	const struct stream stream = {
		.device = output->device, .inode = output->inode};

	if (output->known && S_ISREG(output->mode))
		known(entry(&stream, SIZE), output->size);
}

void position_ignore(unsigned stream)
{
	__atomic_store_n(
		entry(&streams[stream], SIZE), SIZE_IGNORED, __ATOMIC_RELEASE);
}

void position_lengthen(unsigned stream)
{
	const struct stream *it = &streams[stream];
	uint64_t *size = entry(it, SIZE);
	uint64_t before = __atomic_load_n(size, __ATOMIC_ACQUIRE);
	uint64_t end = (uint64_t)position_end(stream);
	uint64_t now = real_end(it);

	if (now < end && !sys_failed(SYS2(ftruncate, it->fd, end)) &&
		before != 0 && before != SIZE_IGNORED)
		__atomic_fetch_add(size, end - now, __ATOMIC_ACQ_REL);
}

int64_t position_real_end(unsigned stream)
{
	return (int64_t)real_end(&streams[stream]);
}

int64_t position_unseen(unsigned stream)
{
	const struct stream *it = &streams[stream];
	uint64_t *size = entry(it, SIZE);
	uint64_t before = __atomic_load_n(size, __ATOMIC_ACQUIRE);
	struct stat st;
	uint64_t now;

	if (size == &none || before == 0 || before == SIZE_IGNORED ||
		sys_failed(SYS2(fstat, it->fd, &st)) ||
		st.st_dev != it->device || st.st_ino != it->inode)
		return -1;
	now = (uint64_t)st.st_size + 1;
	if (now == before || !__atomic_compare_exchange_n(size, &before, now,
				     false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return 0;
	return now > before ? (int64_t)(now - before) : 0;
}

bool position_has_grown(int fd, const struct stream_output *output)
{
	const struct stream stream = {
		.device = output->device, .inode = output->inode};
	struct stat st;
	uint64_t before;

	if (!output->known || sys_failed(SYS2(fstat, fd, &st)) ||
		!S_ISREG(st.st_mode) || st.st_dev != output->device ||
		st.st_ino != output->inode)
		return false;
	before = __atomic_load_n(entry(&stream, SIZE), __ATOMIC_ACQUIRE);
	return before != 0 && before != SIZE_IGNORED &&
	       (uint64_t)st.st_size + 1 > before;
}

void position_unsee(unsigned stream, int64_t bytes)
{
	__atomic_fetch_sub(entry(&streams[stream], SIZE), (uint64_t)bytes,
		__ATOMIC_ACQ_REL);
}

void position_seen(unsigned stream, uint64_t bytes)
{
	uint64_t *size = entry(&streams[stream], SIZE);
	uint64_t now = __atomic_load_n(size, __ATOMIC_ACQUIRE);

	while (now != 0 && now != SIZE_IGNORED &&
		!__atomic_compare_exchange_n(size, &now, now + bytes, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

/* What is cut off is not there any more: what comes is new. */
static void lower_size(unsigned stream, uint64_t size)
{
	uint64_t *known_size = entry(&streams[stream], SIZE);
	uint64_t now = __atomic_load_n(known_size, __ATOMIC_ACQUIRE);

	while (now != SIZE_IGNORED && now > size + 1 &&
		!__atomic_compare_exchange_n(known_size, &now, size + 1, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

void position_cut(unsigned stream, int64_t size)
{
	lower_size(stream, (uint64_t)size);
	__atomic_store_n(
		end_of(&streams[stream]), (uint64_t)size + 1, __ATOMIC_RELEASE);
}

void position_reach(unsigned stream, int64_t end)
{
	raise_to(end_of(&streams[stream]), (uint64_t)end);
}

/* ---- FILEs ---- */

static FILE *file_of(unsigned stream)
{
	return (FILE *)(uintptr_t)streams[stream].file;
}

static void release(unsigned stream, FILE *file)
{
	uint64_t bytes = held_release(file);

	if (bytes > 0 && position_matters(stream))
		advance(&streams[stream], bytes);
}

void position_flushed(unsigned stream)
{
	writer_add_up_own();
	settle_all();
	release(stream, file_of(stream));
}

void position_flushed_all(void)
{
	unsigned used = streams_count();

	position_settle();
	/* It may be another stream's by now; one that is closed holds nothing.
	 */
	for (unsigned i = STREAM_SYSLOG + 1; i < used; i++)
		if (streams[i].file && held_bytes(streams[i].file) > 0)
			release(streams_of_any_file(streams[i].file),
				file_of(i));
}

void position_purged(unsigned stream)
{
	position_settle();
	held_purge(file_of(stream));
}

/* ---- files that the program has opened itself ---- */

/*
 * They are given in turn to all processes of the run, and begin elsewhere in
 * those that know of no others.
 */
static uint32_t new_number(void)
{
	static const struct stream no_file;
	uint64_t *count = known(
		entry(&no_file, NUMBERS), binlog_hash_word(4, process.pid) / 2);

	return (uint32_t)(__atomic_add_fetch(count, 1, __ATOMIC_ACQ_REL) %
			  NUMBER_MAX) +
	       1;
}

/* It may have the number of one that is gone. */
static void begin(unsigned stream)
{
	if (!position_matters(stream))
		return;
	position_move(stream, (int64_t)first_offset(&streams[stream]));
	if (writer_some_passed())
		__atomic_store_n(real_of(&streams[stream]),
			real_offset(&streams[stream]) + 1, __ATOMIC_RELEASE);
}

unsigned position_opened(int fd)
{
	unsigned stream;

	position_settle();
	SYS3(fcntl, fd, F_SETSIG, new_number());
	streams_forget(fd);
	stream = streams_of(fd);
	begin(stream);
	return stream;
}
