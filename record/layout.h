/*
 * The capture file, format version 2: what the preloaded library writes and
 * every reader reads.  It is defined here, in the .def files beside this one,
 * and nowhere else; man/binlog.5 says the same in prose.
 *
 * The rule for changing it.  A reader of version 2 meets files of every later
 * 2-compatible writer, so within version 2: fields are only added where a
 * reserved one is, kinds of records and of arguments only get new numbers,
 * and a control record that a reader does not know is skipped by its size.
 * What cannot be said in that way gets a new version number, and readers keep
 * reading the old one.  Version 1 had neither BINLOG_CONTINUES nor
 * BINLOG_SHORT, and nothing else was different.  Every byte is little-endian
 * and of fixed width; there are no pointers that a reader may trust, only
 * addresses to be displayed.
 *
 *	file    = header page, blocks at multiples of BINLOG_PAGE
 *	block   = struct binlog_block, records, zeros up to its size
 *	record  = u32 context >= BINLOG_CONTEXT_FIRST, u32 ticks, arguments
 *	        | u32 context | BINLOG_CONTINUES..., arguments
 *	        | u32 kind < BINLOG_CONTEXT_FIRST, u32 size, payload
 *
 * Who writes.  A *writer* is one thread at one level of nesting (a signal
 * handler that logs while its thread is inside a call is a writer of its
 * own).  A block belongs to one writer for ever; `sequence` orders a writer's
 * blocks.  Ids of contexts, strings and streams count within one writer, and
 * each is defined in the writer's own records before its first use.
 *
 * Commit.  The first word of a record is stored last, after its arguments
 * and after a zero where the next record will begin.  So a reader, at any
 * moment and also after SIGKILL, sees whole records followed by a zero word:
 * a zero word ends the block.
 *
 * Forked children write into the file of their parent: they claim blocks of
 * their own in it through `next` of the header page, which all of them share.
 * So a child can log after chroot, setuid or a full descriptor table, and one
 * that is silent leaves no trace.  So may programs that these execute
 * (BINLOG_CAPTURES=run).
 */
#ifndef RECORD_LAYOUT_H
#define RECORD_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* Its end is not marked: gcc 15 wants to be told. */
#if __has_attribute(nonstring)
#define BINLOG_NO_STRING __attribute__((nonstring))
#else
#define BINLOG_NO_STRING
#endif

#define BINLOG_MAGIC                                                           \
	"\x8a"                                                                 \
	"binlog\n"
#define BINLOG_VERSION 2u
#define BINLOG_PAGE 4096u	       /* blocks begin at multiples of this */
#define BINLOG_BLOCK_MAGIC 0x4b424c42u /* "BLBK" */
#define BINLOG_BLOCK_MAX (1u << 20)    /* no block is larger, bytes */
#define BINLOG_BYTE_ORDER 0x01020304u
#define BINLOG_SUFFIX ".binlog" /* of the name of a capture file */

/* What `ticks` counts. */
enum binlog_clock {
	BINLOG_CLOCK_TSC = 1,	    /* rdtsc, invariant, one for all cores */
	BINLOG_CLOCK_MONOTONIC = 2, /* CLOCK_MONOTONIC, nanoseconds */
};

/* In what may be a record: these begin at multiples of 4. */
typedef uint64_t binlog_u64 __attribute__((aligned(4)));

/* One moment, read from all clocks at once.  Nanoseconds but for `ticks`. */
struct binlog_anchor {
	binlog_u64 ticks;
	binlog_u64 realtime;
	binlog_u64 monotonic;
	binlog_u64 boottime;
};

/* At offset 0.  The rest of the page is zero. */
struct binlog_header {
	BINLOG_NO_STRING uint8_t magic[8];
	uint32_t version;
	uint32_t byte_order;  /* BINLOG_BYTE_ORDER as the writer stores it */
	uint64_t nonce;	      /* random; repeated in every block */
	uint64_t run;	      /* random; equal for all processes of a run */
	uint64_t next;	      /* live: where the next block will be claimed */
	uint32_t next_writer; /* live: the id of the next writer */
	uint32_t clock;	      /* enum binlog_clock */
	struct binlog_anchor start;
	uint8_t boot_id[16]; /* of the kernel: equal ticks mean equal time */
	uint64_t passed;  /* live: calls passed on by threads without a block */
	uint64_t dropped; /* live: calls lost by threads without a block */
	uint32_t pid;	  /* of the process that made the file */
	uint32_t machine; /* e_machine of ELF */
	uint64_t published; /* live: bytes of all blocks that were begun; */
			    /* a file with less of them has been cut */
};

/*
 * At BINLOG_FOUNDER_OFFSET: the process that made the file, which may say
 * nothing at all.  Zeros where the writer did not know of this.
 */
struct binlog_founder {
	uint32_t ppid;
	uint32_t ancestor;	/* the nearest that made a capture; 0: none */
	uint64_t pid_namespace; /* its inode; 0: not known */
	uint64_t end_value;	/* live: of the event `end` */
	uint32_t end;  /* live: EXIT, LEFT, EXECUTE or SIGNAL of text.def, */
		       /* when that is about to happen; else 0 */
	uint32_t libc; /* glibc that it prints with, see libc.h; 0: 2.36 */
};

#define BINLOG_FOUNDER_OFFSET 128u

/*
 * Live, at the end of the header page: where an open file behind an output
 * stands, or where that file ends, had all text been written.  Those of a run
 * are in the capture of its first process.  No business of readers.
 */
struct binlog_position {
	uint64_t key;	/* of the open file, or of the end; 0: free */
	uint64_t value; /* one more than the offset; 0: not known yet */
};

#define BINLOG_POSITIONS 176u
#define BINLOG_POSITIONS_OFFSET                                                \
	(BINLOG_PAGE - BINLOG_POSITIONS * sizeof(struct binlog_position))

/*
 * At BINLOG_SPILL_OFFSET: a process whose capture has no room goes on in one of
 * its own beside it (BINLOG_FULL=spill).  Zeros where none did, or where the
 * writer did not know of this.
 */
struct binlog_spill {
	uint64_t before;  /* nonce of the capture that it comes from; 0: this */
			  /* one was begun with the program */
	uint32_t process; /* `process` in the blocks there; 0 if it has said */
			  /* nothing there, or is the one that made it */
	uint32_t spoke;	  /* 1: it has said something there */
	uint32_t left;	  /* live: processes that have gone on elsewhere */
	uint32_t refused; /* live: enum binlog_spill_refused, the latest */
};

enum binlog_spill_refused {
	BINLOG_SPILL_FINE,
	BINLOG_SPILL_QUOTA, /* BINLOG_QUOTA leaves no room for another */
	BINLOG_SPILL_DISK,
	BINLOG_SPILL_OTHER, /* the file could not be made, or not be mapped */
};

#define BINLOG_SPILL_OFFSET (BINLOG_POSITIONS_OFFSET - sizeof(struct binlog_spill))

/*
 * At BINLOG_PREPARED_OFFSET, live: blocks that were claimed and backed by disk
 * before anybody needs them, see record/prepared.h.  No business of readers,
 * to whom they are zeros.
 */
#define BINLOG_PREPARED_BLOCK (256u << 10)
#define BINLOG_PREPARED_RANGES 5u

struct binlog_prepared {
	/* 0, or offset / BINLOG_PAGE << 16 | pages: so many, in a row. */
	uint64_t pages;
	/* 0, or offset / BINLOG_PAGE << 16 | blocks: so many, in a row. */
	uint64_t ranges[BINLOG_PREPARED_RANGES];
};

#define BINLOG_PREPARED_OFFSET                                                 \
	(BINLOG_FOUNDER_OFFSET + sizeof(struct binlog_founder))

/* Behind it, live: how large the file shall be and is, as those who make it
 * larger agree upon.  No business of readers. */
#define BINLOG_GROWTH_OFFSET                                                   \
	(BINLOG_PREPARED_OFFSET + sizeof(struct binlog_prepared))
#define BINLOG_GROWTH_BYTES 32u

/*
 * Behind it, live: what binlog-pack has freed.  The blocks of a writer are
 * packed and freed in their order, so none is missing between others.  Zeros
 * where nothing was.
 */
struct binlog_packed {
	uint64_t bytes; /* of blocks that are not there any more */
	uint64_t log;	/* not 0: the number of the log (LOG of packed.h) */
};

#define BINLOG_PACKED_OFFSET (BINLOG_GROWTH_OFFSET + BINLOG_GROWTH_BYTES)

/* Behind it, live, up to the positions: what can be switched from outside, see
 * record/switches.h, and the ring, see struct binlog_ring.  Zeros where the
 * writer did not know of this. */

/* At the start of each block; `magic` is stored last. */
struct binlog_block {
	uint32_t magic;
	uint32_t size;	/* of the block, bytes, this header included */
	uint64_t nonce; /* of the file: a block copied into a string */
			/* argument of another file is not a block */
	uint32_t pid;
	uint32_t tid; /* of the thread that claimed it */
	uint32_t writer;
	uint32_t sequence; /* from 0, per writer, without gaps */
	/* Also the base of the ticks that follow. */
	struct binlog_anchor anchor;
	uint32_t core;
	uint32_t process; /* 0: that which has made the file; of others one */
			  /* more than the id of its first writer: a pid may */
			  /* have been used twice */
	uint64_t passed;  /* live: calls made natively, not recorded */
	uint64_t dropped; /* live: calls neither made nor recorded */
};

/* Smaller first words are kinds of control records. */
#define BINLOG_CONTEXT_FIRST 16u

/*
 * In the first word of a record: it has no ticks, since it goes on with the
 * line that the record right before it has left unfinished, on the same
 * stream, which is fully buffered, in a process with one thread and without
 * children.  Its time is that of the record before; what begins a line and
 * what ends one always have their own.  Never first in a
 * block.  If its only argument is a string, the number of its bytes may be in
 * the first word, from bit BINLOG_LENGTH_SHIFT on, instead of a length word.
 *
 * With BINLOG_REPEATS as well, the context is also that of the record before,
 * which has a string as its only argument, and the rest of the word is that
 * string as after BINLOG_SHORT.  With BINLOG_OTHER, too, it is the last other
 * context since the last record that had ticks.
 */
#define BINLOG_CONTINUES 0x80000000u
#define BINLOG_REPEATS 0x40000000u
#define BINLOG_OTHER 0x04000000u
#define BINLOG_LENGTH_SHIFT 22
#define BINLOG_LENGTH_MAX 255u

/* Kinds of control records: record/control.def. */
enum binlog_control {
#define CONTROL(name, number, comment) BINLOG_##name = number,
#include "record/control.def"
#undef CONTROL
};

/* Kinds of texts from here on are events: they have no text. */
#define BINLOG_EVENT_FIRST 32u

/* How the text of a call is made of its format and arguments. */
enum binlog_text {
#define TEXT(name, number, comment) BINLOG_TEXT_##name = number,
#include "record/text.def"
#undef TEXT
};

/* Kinds of arguments: record/argument.def. */
enum binlog_argument {
#define ARGUMENT(name, number, bytes, comment) BINLOG_ARG_##name = number,
#include "record/argument.def"
#undef ARGUMENT
};

/*
 * The length word before the bytes of a string argument: a number of bytes,
 * or BINLOG_NULL for a null pointer, or BINLOG_STRING_ID plus the id of a
 * string defined earlier, with no bytes following.
 */
#define BINLOG_NULL 0xffffffffu
#define BINLOG_STRING_ID 0x80000000u
/*
 * With it, and without BINLOG_STRING_ID, the word is the string itself: up to
 * three bytes from the lowest on, and their number from bit 24 on.
 */
#define BINLOG_SHORT 0x40000000u
#define BINLOG_SHORT_MAX 3u

/* Every control record begins with this; `size` counts it, multiple of 4. */
struct binlog_control_head {
	uint32_t kind;
	uint32_t size;
};

/* BINLOG_CLOCK: the upper half of the ticks or the core has changed. */
struct binlog_clock_record {
	struct binlog_control_head head;
	struct binlog_anchor anchor;
	uint32_t core;
	uint32_t reserved;
};

/*
 * BINLOG_PROCESS: first record of the first writer of each process.  After it
 * come, each with its NUL: the path of the executable, the working directory,
 * and the words of argv; then, but for forked children, and unless there was no
 * room or the writer is an older one, the name of the host, and NAME=VALUE of
 * the variables of record/environment.def.
 */
struct binlog_process_record {
	struct binlog_control_head head;
	uint32_t pid;
	uint32_t ppid;
	uint32_t uid;
	uint32_t argc;
	uint32_t bytes;	 /* of the strings that follow */
	uint32_t parent; /* of a forked child: `process` in the blocks of */
			 /* its parent, or of the nearest that has any, or 0; */
			 /* its own: it was executed, or that is not known */
	/* Value of the FORK event before its birth, or 0: it inherited nothing
	 * that was not written yet. */
	binlog_u64 fork;
};

/* BINLOG_THREAD: whom the writer serves from here on. */
struct binlog_thread_record {
	struct binlog_control_head head;
	uint32_t tid;
	uint32_t nesting; /* 0, or how many calls of this thread it has */
			  /* interrupted, as a signal handler */
	char name[16];	  /* comm, NUL-padded */
};

/*
 * BINLOG_ORIGIN: who has created the thread `tid`, which this writer serves or
 * will serve.  Generation 0 is its creator, 1 that one's, and so on, in this
 * order; generation 0 makes what was said of another thread void.
 */
#define BINLOG_ORIGIN_GENERATIONS 8u

struct binlog_origin_record {
	struct binlog_control_head head;
	uint32_t tid;
	uint32_t generation;
	uint32_t context; /* its stack then: that of a context of text */
			  /* CREATED; 0: not known */
	uint32_t creator_pid;
	uint32_t creator_tid;
	char name[16]; /* comm of the creator then, NUL-padded */
};

#define BINLOG_CONSTANT_SEGMENTS 4

/*
 * BINLOG_MODULE: addresses from `start` to `end` belong to this file from
 * here on.  After it come build_id_bytes bytes and path_bytes bytes (no NUL).
 */
struct binlog_module_record {
	struct binlog_control_head head;
	binlog_u64 start;
	binlog_u64 end;
	binlog_u64 bias; /* run-time address minus address in the ELF */
	/* Both only where there is no build-id, otherwise 0. */
	binlog_u64 file_bytes; /* size of the file, 0 when unknown */
	/* binlog_hash(), record/hash.h, of the first executable segment; where
	 * there are segments that are only read, that of the hashes of it and
	 * of the first BINLOG_CONSTANT_SEGMENTS of these (once: of it alone) */
	binlog_u64 content_hash;
	uint32_t build_id_bytes;
	uint32_t path_bytes;
};

/* BINLOG_STRING: a format, a literal text, a name.  Then `bytes` bytes. */
struct binlog_string_record {
	struct binlog_control_head head;
	uint32_t id;
	uint32_t bytes;
	binlog_u64 address; /* where it was, 0 when nowhere of interest */
};

/* Which of the run's own outputs a stream is; both after 2>&1. */
#define BINLOG_STREAM_STDOUT 1u
#define BINLOG_STREAM_STDERR 2u
#define BINLOG_STREAM_SYSLOG 4u
#define BINLOG_STREAM_FILE 8u	 /* an ordinary file that was asked for */
#define BINLOG_STREAM_APPEND 16u /* opened with O_APPEND */
#define BINLOG_STREAM_USED 32u	 /* the FILE has been used before the fork */

/* How text is held back before it is written: setvbuf(3). */
#define BINLOG_BUFFER_NONE 0u
#define BINLOG_BUFFER_LINE 1u
#define BINLOG_BUFFER_FULL 2u

/*
 * BINLOG_STREAM: the file that the text would have landed in, and the way
 * there.  After it come path_bytes bytes (no NUL): the path of the file, for
 * BINLOG_STREAM_FILE.
 */
struct binlog_stream_record {
	struct binlog_control_head head;
	uint32_t id;
	uint32_t flags; /* BINLOG_STREAM_... */
	int32_t fd;	/* the descriptor it was used through, or -1 */
	uint32_t mode;	/* st_mode */
	binlog_u64 device;
	binlog_u64 inode;
	binlog_u64 file;       /* address of the FILE, 0: a descriptor */
	binlog_u64 position;   /* offset of a regular file at first use */
	uint16_t buffering;    /* BINLOG_BUFFER_... of the FILE */
	uint16_t order;	       /* of FILEs: a higher one is flushed before */
	uint32_t buffer_bytes; /* size of its buffer */
	uint32_t path_bytes;
	uint32_t description; /* 0: the open file that was inherited; else */
			      /* one that this program has opened: its number */
};

#define BINLOG_CONTEXT_TEE 1u	  /* the call was also made natively */
#define BINLOG_CONTEXT_PARTIAL 2u /* more of the same call follows */
#define BINLOG_CONTEXT_ESCAPED 4u /* libc has written it to the file itself */
#define BINLOG_CONTEXT_FAILED 8u  /* the call has failed at its end, so what */
				  /* vfprintf() had not handed on to the FILE */
				  /* is lost: BUFFERS of libc_changes.def */
/* From this bit on, four bits: one more than the level that a rule gave the
 * call, of rules/levels.def; 0: none did. */
#define BINLOG_CONTEXT_LEVEL_SHIFT 4
#define BINLOG_CONTEXT_LEVEL_BITS 0xfu

/*
 * BINLOG_CONTEXT: what all calls from one place with one stack share.  After
 * it come `depth` program counters (u64, innermost first: the call site), then
 * `arguments` bytes of enum binlog_argument.  A program counter is the address
 * after an instruction: a return address, or one more than the address of the
 * instruction at which a signal has interrupted the frame.
 */
struct binlog_context_record {
	struct binlog_control_head head;
	uint32_t id;
	uint16_t text;	   /* enum binlog_text */
	uint16_t flags;	   /* BINLOG_CONTEXT_... */
	uint32_t format;   /* id of a string, 0 for none */
	uint32_t function; /* id of a string: the name that was called */
	uint32_t stream;   /* id of a stream */
	uint16_t depth;
	uint16_t arguments;
};

/*
 * BINLOG_COROUTINE: calls of a context are made on a stack that the program has
 * made a context of its own on (makecontext), from here on by its coroutine
 * `number`.  Those of a context of which nothing is said are the thread's.
 */
struct binlog_coroutine_record {
	struct binlog_control_head head;
	uint32_t context; /* id, defined before */
	uint32_t reserved;
	binlog_u64 number; /* counts from 1 in a process; 0: the thread's */
};

_Static_assert(sizeof(struct binlog_anchor) == 32, "");
_Static_assert(sizeof(struct binlog_header) == 128, "");
_Static_assert(offsetof(struct binlog_header, next) == 32, "");
_Static_assert(offsetof(struct binlog_header, start) == 48, "");
_Static_assert(offsetof(struct binlog_header, boot_id) == 80, "");
_Static_assert(offsetof(struct binlog_header, passed) == 96, "");
_Static_assert(offsetof(struct binlog_header, pid) == 112, "");
_Static_assert(offsetof(struct binlog_header, published) == 120, "");
_Static_assert(sizeof(struct binlog_founder) == 32, "");
_Static_assert(offsetof(struct binlog_founder, end) == 24, "");
_Static_assert(offsetof(struct binlog_founder, libc) == 28, "");
_Static_assert(sizeof(struct binlog_spill) == 24, "");
_Static_assert(sizeof(struct binlog_prepared) == 48, "");
_Static_assert(BINLOG_PREPARED_OFFSET == 160, "");
_Static_assert(sizeof(struct binlog_position) == 16, "");
_Static_assert(BINLOG_POSITIONS_OFFSET == 1280, "");
_Static_assert(BINLOG_SPILL_OFFSET == 1256, "");
_Static_assert(sizeof(struct binlog_packed) == 16, "");
_Static_assert(BINLOG_PACKED_OFFSET + sizeof(struct binlog_packed) == 256, "");
_Static_assert(sizeof(struct binlog_block) == 88, "");
_Static_assert(offsetof(struct binlog_block, nonce) == 8, "");
_Static_assert(offsetof(struct binlog_block, pid) == 16, "");
_Static_assert(offsetof(struct binlog_block, anchor) == 32, "");
_Static_assert(offsetof(struct binlog_block, core) == 64, "");
_Static_assert(offsetof(struct binlog_block, passed) == 72, "");
_Static_assert(sizeof(struct binlog_control_head) == 8, "");
_Static_assert(sizeof(struct binlog_clock_record) == 48, "");
_Static_assert(_Alignof(struct binlog_clock_record) == 4, "");
_Static_assert(_Alignof(struct binlog_process_record) == 4, "");
_Static_assert(_Alignof(struct binlog_module_record) == 4, "");
_Static_assert(_Alignof(struct binlog_string_record) == 4, "");
_Static_assert(_Alignof(struct binlog_stream_record) == 4, "");
_Static_assert(sizeof(struct binlog_process_record) == 40, "");
_Static_assert(offsetof(struct binlog_process_record, fork) == 32, "");
_Static_assert(sizeof(struct binlog_thread_record) == 32, "");
_Static_assert(sizeof(struct binlog_origin_record) == 44, "");
_Static_assert(sizeof(struct binlog_coroutine_record) == 24, "");
_Static_assert(sizeof(struct binlog_module_record) == 56, "");
_Static_assert(offsetof(struct binlog_module_record, content_hash) == 40, "");
_Static_assert(sizeof(struct binlog_string_record) == 24, "");
_Static_assert(sizeof(struct binlog_stream_record) == 72, "");
_Static_assert(offsetof(struct binlog_stream_record, device) == 24, "");
_Static_assert(offsetof(struct binlog_stream_record, file) == 40, "");
_Static_assert(sizeof(struct binlog_context_record) == 32, "");
_Static_assert(offsetof(struct binlog_context_record, format) == 16, "");
_Static_assert(offsetof(struct binlog_context_record, depth) == 28, "");

#endif
