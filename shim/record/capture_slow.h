/*
 * The slow half of capture.h: calls met for the first time in a thread, with
 * another stack than the last time, or whose text has to be made on the spot.
 * Called by capture.c only, inside the writer.  capture_slow.c has the first
 * two, capture_once.c the third.
 */
#ifndef SHIM_CAPTURE_SLOW_H
#define SHIM_CAPTURE_SLOW_H

#include "record/hash.h"
#include "shim/host/host.h"
#include "shim/record/capture.h"

struct redaction;

/* The arguments cannot be captured: record the text that they make. */
#define CAPTURE_AT_ONCE (INT_MIN + 1)

/* Longer byte strings are recorded in pieces of this size. */
#define CAPTURE_CHUNK 16384u

/* The kind of text when the bytes of BYTES or BYTES_LINE are constant. */
#define CAPTURE_CONSTANT(text)                                                 \
	((text) == BINLOG_TEXT_BYTES ? BINLOG_TEXT_LITERAL                     \
				     : BINLOG_TEXT_LITERAL_LINE)

/*
 * Unwinds, defines what has to be, and remembers it.  The entry is good until
 * the next call of any of these; null when there was no room to write to, or
 * the call has to be decided first (w->has_secret), or it is to be recorded
 * by capture_fleeting() (w->fleeting).
 */
struct memo *capture_first_format(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments);
struct memo *capture_first_redacted(struct writer *w, const struct call *call,
	const struct capture_text *how, const struct redaction *redaction);
struct memo *capture_first_bytes(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, const void *bytes, size_t size);
struct memo *capture_first_text(struct writer *w, const struct call *call,
	unsigned stream, uint32_t shown);
struct memo *capture_first_number(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, uint8_t kind);
struct memo *capture_first_kinds(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, const uint8_t *kinds, unsigned count);

/* capture_format() for who is inside the writer already. */
int capture_inside(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments);

/* The same, without those of the arguments; also CAPTURE_AT_ONCE. */
int capture_redacted(struct writer *w, const struct call *call,
	const struct capture_text *how, const struct redaction *redaction,
	const char *format, va_list arguments);

/* The same of bytes. */
bool capture_bytes_inside(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, const void *bytes, size_t size);

/* Of text that was made at once: about it nothing is to be decided.  `shown` is
 * the id of its format, or 0; at most CAPTURE_CHUNK bytes. */
bool capture_text_inside(struct writer *w, const struct call *call,
	unsigned stream, uint32_t shown, const void *bytes, size_t size);

/* An event, likewise. */
bool capture_event_inside(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, int64_t value);

/* What the host's printf would return. */
int capture_measure(const char *format, va_list arguments);

/* Records the text that the host's printf makes; returns what it returns. */
int capture_at_once(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments);

/* Of a vector, as one text: see capture_vector(). */
bool capture_vector_inside(struct writer *w, const struct call *call,
	unsigned stream, const struct iovec *v, size_t size);

/* The same of a format that is not worth a definition, and is not shown. */
int capture_fleeting(struct writer *w, const struct call *call,
	const struct capture_text *how, enum writer_fleeting what,
	const char *format, va_list arguments);

/* What a format has been made into. */
struct capture_formatted {
	uint32_t format; /* id of a string, or 0: the bytes are as they came */
	bool failed;	 /* the call has, behind them */
};

/* Any number of bytes. */
bool capture_chunks(struct writer *w, const struct call *call, unsigned stream,
	unsigned text, const struct capture_formatted *formatted,
	const void *bytes, size_t size);

/* Of a vector. */
bool capture_chunks_of(struct writer *w, const struct call *call,
	unsigned stream, unsigned text,
	const struct capture_formatted *formatted, const struct iovec *v,
	size_t size);

/* The key of a format that is not constant: no user address has this bit. */
#define CAPTURE_KEY_OF_CONTENT ((uint64_t)1 << 63)

static inline uint64_t capture_content_key(const char *format, size_t length)
{
	return binlog_hash(format, length) | CAPTURE_KEY_OF_CONTENT;
}

#endif
