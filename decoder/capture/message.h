/*
 * A message: one record together with everything that its ids stand for, and
 * the text that it makes.  Yielded by writer streams and by the merge, read by
 * the styles.  Valid until the stream that it came from moves on.
 */
#ifndef DECODER_MESSAGE_H
#define DECODER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/capture/definition.h"
#include "decoder/capture/recording.h"
#include "decoder/capture/wall_clock.h"
#include "decoder/render/render.h"
#include "record/layout.h"

/* Who has created a thread, or the process that it was the first one of. */
struct message_creator {
	/* Its stack then, and what it has called; null: not known. */
	struct definition_context *context;
	struct pool *pool; /* lives as long as that context */
	uint32_t pid;
	uint32_t tid;
	char name[17]; /* may be empty; ends in NUL */
};

/* The creator of a thread, that one's creator, and so on. */
struct message_origin {
	size_t count;
	uint64_t hash; /* of what is known of all of them */
	struct message_creator *by;
};

/*
 * Where a message comes from, for --explain: kept for each definition, block
 * and batch, and for no message.
 */
struct message_place {
	/* Of a capture, whose offsets these are; 0: not known, but the block.
	 */
	const struct recording_block *block;
	const struct definition_table *definitions;
	uint64_t anchor;  /* of the CLOCK record or the block that has it */
	uint64_t thread;  /* of the THREAD record */
	uint64_t process; /* of the PROCESS record, if this writer has it */
	/* Of a packed log. */
	const char *log; /* its path; null: of none */
	uint64_t part;
	uint64_t number;      /* of the batch's first message in the log */
	const uint32_t *next; /* one more than the row; null: no batch */
	size_t bytes;	      /* of the frame, its head included */
	uint64_t unpacked;    /* bytes of the columns */
};

struct message {
	uint64_t ticks;
	uint64_t wall;			    /* nanoseconds since 1970 */
	const struct wall_segment *segment; /* that it was told by */
	uint32_t pid;
	uint32_t tid;
	uint32_t core;	    /* one more than the number; 0: not known */
	const char *thread; /* its name, may be empty; ends in NUL */
	const struct message_origin *origin; /* of it; null: not known */
	uint64_t coroutine; /* of the process, on whose stack it was said; 0: */
			    /* on the thread's own, or not known */
	struct program *program;
	struct definition_context *context;
	struct pool *pool; /* lives as long as the context */
	bool continues;	   /* the piece before this was of the same call */
	bool partial;	   /* the next piece will be */
	uint64_t offset;   /* of the record in its file, for errors */
	struct recording *capture;
	size_t count;
	struct render_argument *arguments;
	/* What message_text() makes of it, if somebody has that already: as
	 * long as the arguments.  Null: it is made anew. */
	const struct render_buffer *text;
	const struct message_place *place; /* null: not known */
};

/* There is room for one more, which follows those that are there. */
void message_origin_add(
	struct message_origin *origin, const struct message_creator *creator);

/*
 * As a message of one of the creators: its stack is that which the thread was
 * created with.  Its context must be known.
 */
struct message message_of_creator(
	const struct message *message, const struct message_creator *creator);

/* Creator `i` is of another process than whom it has created. */
static inline bool message_was_forked(const struct message *message, size_t i)
{
	const struct message_creator *by = message->origin->by;

	return by[i].pid != (i > 0 ? by[i - 1].pid : message->pid);
}

/* What a syslog message carries beside its text. */
struct message_syslog {
	uint32_t priority;  /* with facility */
	uint32_t pid;	    /* 0: not to be shown */
	int32_t utc_offset; /* seconds east of UTC */
	const char *ident;  /* not terminated; null: none */
	size_t ident_bytes;
};

/* It has no text: see record/text.def. */
static inline bool message_is_event(const struct message *message)
{
	return message->context->text >= BINLOG_EVENT_FIRST;
}

/* What an event says beside its kind. */
int64_t message_event_value(const struct message *message);

/* An event that says what is missing adds it to the errors of its capture. */
void message_report_slow(const struct message *message);

static inline void message_report(const struct message *message)
{
	if (message->context->text == BINLOG_TEXT_UNSEEN)
		message_report_slow(message);
}

/* BINLOG_STREAM_... of the stream that the text belongs to. */
uint32_t message_stream(const struct message *message);

/* True, and fills *syslog, for messages to syslog. */
bool message_is_syslog(
	const struct message *message, struct message_syslog *syslog);

/*
 * The format that the text is made with, read out of the program where its
 * definition is damaged.  Null: it is lost.
 */
const struct definition_string *message_format(const struct message *message);

/* What its author has written: the statement, else the format.  Null: likewise.
 */
static inline const struct definition_string *message_statement(
	const struct message *message)
{
	return message->context->statement ? message->context->statement->format
					   : message_format(message);
}

/*
 * Appends the text: for syslog what comes after `ident[pid]: `, otherwise all
 * bytes that the call would have written, where `out` knows pieces also those
 * that vfprintf() has lost as the call failed.  What is missing in the file is
 * shown as such and reported to the message's capture.
 */
void message_text(const struct message *message, struct render_buffer *out);

/*
 * Takes from the text of the message, which begins at `start` of `text`, what
 * the program has put before its statement; nothing if it has none.
 */
void message_strip_prefix(const struct message *message,
	struct render_buffer *text, size_t start);

/*
 * Appends `<PRI>Mmm dd hh:mm:ss ident[pid]: ` as syslog() of glibc sends
 * it, in the time zone of the process.
 */
void message_syslog_head(const struct message *message,
	const struct message_syslog *syslog, struct render_buffer *out);

#endif
