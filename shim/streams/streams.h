/*
 * The policy: where text to a descriptor goes.  Decided per underlying file
 * by BINLOG_STREAMS and the rule `auto` (binlog-run(1)), remembered per
 * descriptor until something changes it.  Called by every wrapper; a lookup
 * is two loads.  Lock-free, async-signal-safe; one state for all threads.
 */
#ifndef SHIM_STREAMS_H
#define SHIM_STREAMS_H

#include "record/layout.h"
#include "rules/policy.h"
#include "shim/control/control.h"
#include "shim/host/entry.h"
#include "shim/host/libio.h"
#include "shim/streams/drops.h"

/* What a descriptor is: one of these, or a number of a recorded stream. */
enum {
	STREAM_UNKNOWN = 0,
	STREAM_PASS = 1,
	STREAM_FIRST = 2,
	STREAM_SYSLOG = 2, /* always there */
	STREAM_FULL = 3,   /* there is no number left: nothing can be */
			   /* recorded, calls are passed and counted */
	STREAMS_MAX = 4095,
};

/* Whether text may be held back that has not been written yet. */
enum stream_pending {
	PENDING_NOTHING,
	PENDING_SOMETHING, /* perhaps */
	PENDING_NEVER,	   /* it is written at once */
};

/*
 * A file, and the way to it: a descriptor, or a FILE, which holds text back.
 * Of each there is a stream of its own.
 */
struct stream {
	uint64_t device;
	uint64_t inode;
	uint64_t position; /* at first use: see record/layout.h */
	const FILE *file;  /* null: a descriptor */
	const char *path;  /* of a file that was asked for, else null */
	uint32_t mode;	   /* st_mode */
	uint32_t flags;	   /* BINLOG_STREAM_... */
	int32_t fd;
	uint16_t buffering;    /* BINLOG_BUFFER_... */
	uint16_t order;	       /* of flushing: stream_order.h */
	uint32_t buffer_bytes; /* its size; that of a FILE to come */
	uint32_t description;  /* 0: inherited, else number of the open() */
	union {
		struct {
			bool terminal;
			bool tee;
			bool watched; /* a FILE that has a shadow: held.h */
			bool moves;   /* one whose number is exchanged */
		};
		uint32_t unusual; /* any of these: not for fast.c */
	};
	uint32_t serial;  /* differs if the number is used again */
	bool retired;	  /* not to be found any more: streams.c */
	uint8_t pending;  /* enum stream_pending */
	uint64_t said;	  /* bytes, less what writers have not added yet */
	uint64_t counted; /* of these: by position.c */
};

/*
 * Some streams, a bit for each: there may be thousands, of which a call has to
 * look at few.
 */
#define STREAM_WORDS ((STREAMS_MAX + 1) / 64)

static inline void stream_bit_set(uint64_t bits[STREAM_WORDS], unsigned stream)
{
	uint64_t bit = (uint64_t)1 << stream % 64;

	if (!(__atomic_load_n(&bits[stream / 64], __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(&bits[stream / 64], bit, __ATOMIC_SEQ_CST);
}

static inline void stream_bit_clear(
	uint64_t bits[STREAM_WORDS], unsigned stream)
{
	__atomic_fetch_and(&bits[stream / 64],
		~((uint64_t)1 << stream % 64), __ATOMIC_SEQ_CST);
}

/* One of the run's own outputs: a file, by device and inode. */
struct stream_output {
	uint64_t device;
	uint64_t inode;
	uint64_t size; /* like mode: */
	uint32_t mode; /* 0 where others have told us of it */
	bool known;
};

#define STREAMS_FDS 65536u

/* What is known of a descriptor; each on its own. */
struct stream_slot {
	uint64_t of_stdio; /* the FILE last used with it, and its stream in */
			   /* the lowest bits */
	uint16_t of_fd;	   /* what it is, or STREAM_UNKNOWN */
};
_Static_assert(sizeof(struct stream_slot) == 16, "four to a cache line");

extern HIDDEN struct stream_slot streams_slots[STREAMS_FDS];
#define STREAMS_BITS 12
extern HIDDEN struct stream streams[STREAMS_MAX + 1];

/*
 * Counts whatever may change the answer of fast.c to whether a FILE is one
 * whose text is recorded and nothing else.  First the change, then the count.
 * For each entry (shim/host/entry.h) there is one, and no two are ever the same,
 * nor 0: so what was found for the one is nothing to another.
 */
#define STREAMS_VERSION_STEP 32
extern HIDDEN uint32_t streams_version[ENTRY_COUNT]; /* each of them odd */
_Static_assert(ENTRY_COUNT * 2 <= STREAMS_VERSION_STEP, "no two are the same");

/* The FILE that collects characters as it does now: see stdio_buffer.h. */
extern HIDDEN const FILE *streams_collecting;

static inline void streams_changed(void)
{
	__atomic_store_n(&streams_collecting, NULL, __ATOMIC_RELAXED);
	drops_forget();
	for (unsigned entry = 0; entry < ENTRY_COUNT; entry++)
		__atomic_fetch_add(&streams_version[entry],
			STREAMS_VERSION_STEP, __ATOMIC_SEQ_CST);
}

/*
 * This process has made a child, or runs in one: the moment at which text goes
 * to an output matters, also in the middle of a line.
 */
extern HIDDEN bool streams_are_shared;

static inline void streams_share(void)
{
	if (likely(__atomic_load_n(&streams_are_shared, __ATOMIC_RELAXED)))
		return;
	__atomic_store_n(&streams_are_shared, true, __ATOMIC_RELAXED);
	streams_changed();
}

/* Some output of the run is a regular file: what is opened may be it. */
extern HIDDEN bool streams_have_offsets;

/*
 * Text may go to the outputs themselves because somebody has asked for that:
 * rules, or who switches recording off.
 */
extern HIDDEN bool streams_are_wanted;

static inline void streams_want(void)
{
	if (unlikely(!__atomic_load_n(&streams_are_wanted, __ATOMIC_RELAXED)))
		__atomic_store_n(&streams_are_wanted, true, __ATOMIC_RELAXED);
}

/* Sets the policy up; null strings where a variable is not set.  False: there
 * is no memory for it. */
bool streams_configure(
	const char *modes, const struct stream_output outputs[2]);

/*
 * Switched from outside: the ways to treat each of them from now on (see
 * record/switches.h), or to record none.
 */
void streams_switch(const uint8_t modes[SWITCH_STREAMS], bool off);

/* What is open as `fd` now; false if that cannot be found out. */
bool streams_identify(int fd, struct stream_output *output);

/* What the run's own output of this number is: 1 or 2. */
const struct stream_output *streams_output(int fd);

/*
 * Reading may make text visible, now or later: there is a terminal whose text
 * is recorded, or a FILE that is line-buffered.  All that a function by which
 * programs read has to look at; startup_arm() clears it, the first such text
 * sets it.
 */
extern HIDDEN bool streams_reading_shows;

/* Its text is recorded in place of being shown on a terminal. */
static inline bool streams_replaces_terminal(unsigned stream)
{
	return streams[stream].terminal && !streams[stream].tee;
}

/* The number of the open file of `fd`: 0 unless position_opened() gave one. */
uint32_t streams_description(int fd);

/* Whether a file is one of the run's own outputs. */
bool streams_is_output(const struct stat *st);

/* Decides anew what `fd` is. */
unsigned streams_decide(int fd);

/* What `fd` is: STREAM_PASS or a recorded stream. */
static inline unsigned streams_of(int fd)
{
	unsigned stream = STREAM_UNKNOWN;

	control_look();
	if (likely((unsigned)fd < STREAMS_FDS))
		stream = __atomic_load_n(
			&streams_slots[fd].of_fd, __ATOMIC_ACQUIRE);
	return likely(stream != STREAM_UNKNOWN) ? stream : streams_decide(fd);
}

/* The same, as far as it is known without asking: what the program began with
 * is looked at. */
static inline unsigned streams_known(int fd)
{
	unsigned stream = STREAM_PASS;

	if (fd == STDOUT_FILENO || fd == STDERR_FILENO)
		return streams_of(fd);
	if ((unsigned)fd < STREAMS_FDS)
		stream = __atomic_load_n(
			&streams_slots[fd].of_fd, __ATOMIC_ACQUIRE);
	return stream == STREAM_UNKNOWN ? STREAM_PASS : stream;
}

/*
 * False: this socket is no output, nor is any other.  Outputs that are sockets
 * have the device that all of them have.
 */
bool streams_may_be_socket(int fd);

/* Whether text to `fd` is recorded, and it is a regular file; by asking. */
bool streams_is_recorded_file(int fd);

/* `fd`, or all from `first` to `last`, may be something else from now on, and
 * so may FILEs with these descriptors. */
void streams_forget(int fd);
void streams_forget_range(unsigned first, unsigned last);

/*
 * From here on descriptors may change without our hearing of it: others have
 * the same, or threads have their own.  Each call asks what its own is.
 */
void streams_forget_always(void);

/* The same for all up to `last`, which are what they were: only the numbers of
 * their streams are needed. */
void streams_evict(unsigned last);

/* The way in which a FILE holds back text may be another from now on. */
void streams_forget_file(const FILE *file);

/* STREAM_SYSLOG as BINLOG_STREAMS has it: STREAM_PASS or STREAM_SYSLOG. */
unsigned streams_syslog(void);

/*
 * The descriptor of a FILE that is written through it; -1 for streams in
 * memory, cookies, closed, read-only and wide streams, which all pass.
 */
static inline int streams_descriptor(const FILE *file)
{
	if (unlikely((file->_flags & (LIBIO_IS_FILEBUF | LIBIO_NO_WRITES)) !=
			     LIBIO_IS_FILEBUF ||
		     __atomic_load_n(&file->_mode, __ATOMIC_RELAXED) > 0))
		return -1;
	return file->_fileno;
}

/* Decides anew what `file` is, which is written through `fd`. */
unsigned streams_decide_file(const FILE *file, int fd);

/* What a FILE with this descriptor is, wide or not. */
static inline unsigned streams_of_file_at(const FILE *file, int fd)
{
	uint64_t slot = 0;

	control_look();
	if (likely((unsigned)fd < STREAMS_FDS))
		slot = __atomic_load_n(
			&streams_slots[fd].of_stdio, __ATOMIC_ACQUIRE);
	return likely(slot >> STREAMS_BITS == (uintptr_t)file)
		       ? (unsigned)slot & STREAMS_MAX
		       : streams_decide_file(file, fd);
}

/* What a FILE is for which it does not matter whether it is wide. */
static inline unsigned streams_of_any_file(const FILE *file)
{
	return (file->_flags & (LIBIO_IS_FILEBUF | LIBIO_NO_WRITES)) ==
				       LIBIO_IS_FILEBUF &&
			       file->_fileno >= 0
		       ? streams_of_file_at(file, file->_fileno)
		       : STREAM_PASS;
}

/* What a FILE is. */
static inline unsigned streams_of_file(const FILE *file)
{
	int fd = streams_descriptor(file);

	return likely(fd >= 0) ? streams_of_file_at(file, fd) : STREAM_PASS;
}

/*
 * What has been said is held back from here on, until it is flushed: counts
 * the times that it was, in steps of STREAMS_MAX + 1.  Text that is recorded
 * later makes it pending anew.
 */
extern HIDDEN uint32_t streams_flushes;

/* Of a stream, and of how often there was a flush: which counts by the first
 * number that no stream has. */
static inline uint32_t streams_key(unsigned stream)
{
	return stream | __atomic_load_n(&streams_flushes, __ATOMIC_RELAXED);
}

/* Text of `stream` was recorded.  Only the first after a flush gets here. */
void streams_said(unsigned stream);

/* Streams whose `said` has become more since somebody has cleared their bit,
 * and perhaps others; those of the run's own outputs. */
extern HIDDEN uint64_t streams_grown[STREAM_WORDS];
extern HIDDEN uint64_t streams_of_outputs[STREAM_WORDS];

void streams_count_bytes(unsigned stream, uint64_t bytes);

/* All numbers of streams are less than this. */
unsigned streams_count(void);

/* This FILE has a shadow from now on. */
void streams_watch(const FILE *file);

/* A stream of this FILE that may hold back text, or STREAM_PASS. */
unsigned streams_pending(const FILE *file);

/* Something has been said to this FILE, as far as that is counted by now;
 * perhaps by another number, from before its buffer was changed. */
bool streams_has_said(const FILE *file);

/* Takes note of a flush; true if anything was held back. */
bool streams_flush(unsigned stream);
bool streams_flush_all(void);

/* Anything may be held back. */
bool streams_hold_back(void);

#endif
