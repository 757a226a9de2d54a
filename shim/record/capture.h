/*
 * Recording a call.  Called by the wrappers, with the stream that the policy
 * has chosen; writes one record (more for a very long text) into the calling
 * thread's block.  No allocation, lock, system call or loader call unless a
 * block is full or the call is seen for the first time; errno is kept.
 * Budget: the time stamp itself, plus what hides behind it (make bench).
 */
#ifndef SHIM_CAPTURE_H
#define SHIM_CAPTURE_H

#include "shim/writer/memo.h"
#include "shim/writer/writer.h"

/* The registers of the caller of the wrapper that uses this. */
#define CAPTURE_CALL(name, its_turn) CAPTURE_CALL_OF(name, its_turn, ENTRY_NONE)
#define CAPTURE_CALL_OF(name, its_turn, its_entry)                             \
	{                                                                      \
		.pc = (uintptr_t)__builtin_return_address(0),                  \
		.sp = (uintptr_t)__builtin_dwarf_cfa(),                        \
		.fp = *(const uintptr_t *)__builtin_frame_address(0),          \
		.function = (name), .turn = (its_turn), .entry = (its_entry),  \
	}

/* Nothing was recorded: make the call natively. */
#define CAPTURE_PASS INT_MIN

/* What a text begins with before its format: see record/text.def. */
struct capture_prefix {
	uint8_t kind; /* BINLOG_ARG_I32 or BINLOG_ARG_STRING */
	int32_t number;
	const char *string;
	/* If not null, in place of `number`: of the time of the record. */
	int32_t (*number_at)(uint64_t ticks);
};

#define CAPTURE_PREFIX_MAX 4

struct capture_text {
	unsigned stream;
	unsigned text;	   /* enum binlog_text */
	int chk;	   /* the flag of a _chk function, or 0 */
	unsigned prefixes; /* of `prefix`, at most CAPTURE_PREFIX_MAX */
	const struct capture_prefix *prefix;
	bool permanent; /* the format is ours and stays where it is */
};

/*
 * A call with a format (null only where text.def says that it may be
 * missing); `arguments` are left as they are.  Returns what printf would: the
 * length of the formatted part, or -1; or CAPTURE_PASS.
 */
int capture_format(const struct call *call, const struct capture_text *how,
	const char *format, va_list arguments);

/*
 * A call that writes bytes as they are; `text` is BINLOG_TEXT_BYTES or
 * BINLOG_TEXT_BYTES_LINE.  False: nothing was recorded.
 */
bool capture_bytes(const struct call *call, unsigned stream, unsigned text,
	const void *bytes, size_t size);

/*
 * The same of bytes that the kernel would have read, which need not be there:
 * as many are recorded as can be read, and the kernel would have written.
 * Returns how many; 0: nothing was recorded; CAPTURE_FAULT: none can be read.
 */
#define CAPTURE_FAULT (-1)
ssize_t capture_given(const struct call *call, unsigned stream,
	const void *bytes, size_t size);

/*
 * The `size` bytes (not 0) of a vector, which can be read, as one text.  False:
 * nothing was recorded.
 */
bool capture_vector(const struct call *call, unsigned stream,
	const struct iovec *v, size_t size);

/* A call that writes one byte. */
bool capture_character(const struct call *call, unsigned stream, int byte);

/*
 * A call that writes bytes to a place in a file, wherever its open file
 * stands.  Returns how many of them were recorded.
 */
size_t capture_bytes_at(const struct call *call, unsigned stream,
	int64_t offset, const void *bytes, size_t size);

/*
 * An event: a kind of text.def from BINLOG_EVENT_FIRST on.  `stream` 0: it is
 * about all of them.
 */
bool capture_event(
	const struct call *call, unsigned stream, unsigned text, int64_t value);

#endif
