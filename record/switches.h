/*
 * Live control: what can be switched from outside in a running process, on the
 * header page of its capture, which the process has mapped.  Written by
 * binlog-ctl, read by the library at each call: in force at the next one, in
 * the process that made the capture and all its forked children, without a
 * signal or a system call in them.
 *
 * To change something: store the field, release; then switches_tell().
 * Everything that was decided about a call is then forgotten and decided anew.
 * Who switches has locked these bytes of the capture meanwhile (fcntl(2),
 * F_OFD_SETLK), so that there is one at a time.  Whatever stands in a field is
 * obeyed as far as it has a meaning, and else ignored: the page may be damaged.
 */
#ifndef RECORD_SWITCHES_H
#define RECORD_SWITCHES_H

#include "record/layout.h"

/* Of a stream: what BINLOG_STREAMS says. */
enum { SWITCH_AS_STARTED = 0 }; /* else 1 + enum policy_mode */

/* Which of them; see POLICY_STDOUT... of policy.h. */
enum switch_stream {
	SWITCH_STDOUT,
	SWITCH_STDERR,
	SWITCH_SYSLOG,
	SWITCH_FILES,
	SWITCH_STREAMS,
};

/* Who speaks: one thread, by its number, or several. */
enum { SPEAKER_NOBODY = 0 };
#define SPEAKER_MANY (~(uint32_t)0)

struct binlog_switches {
	union {
		struct {
			uint32_t generation; /* odd; its own business but for */
					     /* switches_tell() */
			uint32_t speaker;    /* of the processes alone */
		};
		uint64_t turn; /* both, for who compares them */
	};
	int32_t level; /* the lowest that is recorded: levels.def */
	uint8_t off;   /* not 0: nothing is recorded, calls pass */
	uint8_t depth; /* frames of backtrace; 0: as it was started */
	uint8_t modes[SWITCH_STREAMS];
	uint8_t reserved[2];
	uint32_t version;  /* raised with each change, by switches_tell() */
	uint32_t triggers; /* raised: keep what the ring holds */
	/* Of rules, as text: where in the file.  A text is never changed once
	 * it is here; a new one has another place. */
	uint32_t rules_bytes; /* 0: none */
	uint64_t rules_at;
	/* What became of calls, as counted by the processes. */
	uint64_t suppressed;  /* neither recorded nor made: level, rules */
	uint64_t redacted;    /* recorded, without some of their arguments */
	uint32_t applied;     /* the last version that some process has seen */
	uint32_t rules_wrong; /* line of the text at which it was refused, or 0
			       */
	uint32_t syslog_off;  /* bit n: messages of priority n are dropped; */
	/* follows from `level` */
	uint32_t telling; /* enum switch_telling: how far it is */
};

/*
 * At the end of a program that binlog-run(1) has started on a terminal: what
 * was recorded is told there before whoever waits for the program goes on.  The
 * program stores ENDS and waits a moment; who watches it answers.  A futex(2).
 */
enum switch_telling {
	TELLING_NOT,
	TELLING_ENDS, /* by the program */
	TELLING_SEEN, /* by who watches, as the next one */
	TELLING_DONE,
};

#define BINLOG_SWITCHES_OFFSET                                                 \
	(BINLOG_PACKED_OFFSET + sizeof(struct binlog_packed))
#define BINLOG_SWITCHES_ROOM 512u

_Static_assert(sizeof(struct binlog_switches) <= BINLOG_SWITCHES_ROOM, "");

static inline struct binlog_switches *switches_of(struct binlog_header *header)
{
	return (struct binlog_switches *)((char *)header +
					  BINLOG_SWITCHES_OFFSET);
}

/* Priorities that are less important than that. */
static inline uint32_t switches_syslog_off(int level)
{
	return level >= 7 ? 0 : level < 0 ? 0xff : 0xffu << (level + 1) & 0xff;
}

/* After a change: at its next call each process decides anew. */
static inline void switches_tell(struct binlog_switches *switches)
{
	__atomic_fetch_add(&switches->version, 1, __ATOMIC_RELEASE);
	__atomic_fetch_add(&switches->generation, 2, __ATOMIC_SEQ_CST);
}

#endif
