/*
 * What perror, warn, err and error have in common: a message on stderr that
 * may end in the name of an error.  Called by their handlers.  A record holds
 * the number of the error, as long as the reader knows the name that libc
 * prints; else the text is made at once, in libc's words.
 */
#ifndef WRAPPERS_NOTICE_H
#define WRAPPERS_NOTICE_H

#include "wrappers/formatted.h"

enum notice_outcome {
	NOTICE_RECORDED,
	NOTICE_NATIVE,	 /* make the call natively (also) */
	NOTICE_IN_PARTS, /* too long for one record: print its parts */
};

#define NOTICE_STRING(s)                                                       \
	{                                                                      \
		.kind = BINLOG_ARG_STRING, .string = (s)                       \
	}
#define NOTICE_NUMBER(n)                                                       \
	{                                                                      \
		.kind = BINLOG_ARG_I32, .number = (n)                          \
	}

/*
 * True if the message may be recorded by its arguments, with the number of an
 * error, null for none; false if its text has to be made.  errno is kept.
 */
bool notice_is_typed(const int *error);

/* Records a message by its arguments; how->stream is filled in. */
enum notice_outcome notice_record(const struct call *call,
	struct capture_text *how, const char *format, va_list ap);

/* The same for a function without a format. */
enum notice_outcome notice_record_plain(
	const struct call *call, struct capture_text *how, ...);

/*
 * Records a message that has been made.  `orients`: as most functions, it
 * makes stderr a stream of bytes.
 */
enum notice_outcome notice_record_formatted(const struct call *call,
	const struct formatted *formatted, bool orients);

/* Appends the name of an error, in the language of the program. */
void notice_make_error(struct formatted *formatted, int number);

/* Parts of a message, each recorded or written as there is room. */
void notice_put(const struct call *call, const char *s);
void notice_put_error(const struct call *call, int number);

/* After one that was recorded: may not come back. */
void notice_offer_cancel(void);

/* After a call that was made natively: what stderr holds back is known. */
void notice_settle(void);

#endif
