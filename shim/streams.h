/*
 * The policy: where text to a descriptor goes.  Decided per underlying file
 * by BINLOG_STREAMS and the rule `auto` (binlog-run(1)), remembered per
 * descriptor until something changes it.  Called by every wrapper; a lookup
 * is two loads.  Lock-free, async-signal-safe; one state for all threads.
 */
#ifndef SHIM_STREAMS_H
#define SHIM_STREAMS_H

#include "record/layout.h"
#include "shim/libio.h"

/* What a descriptor is: one of these, or a number of a recorded stream. */
enum {
	STREAM_UNKNOWN = 0,
	STREAM_PASS = 1,
	STREAM_FIRST = 2,
	STREAM_SYSLOG = 2, /* always there */
	STREAMS_MAX = 255,
};

enum stream_mode {
	MODE_AUTO,
	MODE_REPLACE,
	MODE_TEE,
	MODE_PASS,
};

struct stream {
	uint64_t device;
	uint64_t inode;
	uint32_t mode;	/* st_mode */
	uint32_t flags; /* BINLOG_STREAM_... */
	int32_t fd;
	bool tee;
};

/* One of the run's own outputs: a file, by device and inode. */
struct stream_output {
	uint64_t device;
	uint64_t inode;
	bool known;
};

#define STREAMS_FDS 65536u

extern uint8_t streams_of_fd[STREAMS_FDS];
extern struct stream streams[STREAMS_MAX + 1];

/* Sets the policy up; null strings where a variable is not set. */
void streams_configure(
	const char *modes, const struct stream_output outputs[2]);

/* What is open as `fd` now. */
void streams_identify(int fd, struct stream_output *output);

/* Decides anew what `fd` is. */
unsigned streams_decide(int fd);

/* What `fd` is: STREAM_PASS or a recorded stream. */
static inline unsigned streams_of(int fd)
{
	unsigned stream = STREAM_UNKNOWN;

	if (likely((unsigned)fd < STREAMS_FDS))
		stream = __atomic_load_n(&streams_of_fd[fd], __ATOMIC_RELAXED);
	return likely(stream != STREAM_UNKNOWN) ? stream : streams_decide(fd);
}

/* `fd`, or all from `first` to `last`, may be something else from now on. */
void streams_forget(int fd);
void streams_forget_range(unsigned first, unsigned last);

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
		     file->_mode > 0))
		return -1;
	return file->_fileno;
}

/* What a FILE is. */
static inline unsigned streams_of_file(const FILE *file)
{
	int fd = streams_descriptor(file);

	return likely(fd >= 0) ? streams_of(fd) : STREAM_PASS;
}

#endif
