/*
 * Spans: the time from one message to another that belongs to it, as the rules
 * of --spans say.  Given all messages in their order by whatever shows spans;
 * tells each one when it ends, and at last those that have not.  Promises
 * bounded memory: of too many that are open the oldest are given up, and
 * counted.  One thread.
 */
#ifndef DECODER_SPANS_H
#define DECODER_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/capture/message.h"
#include "decoder/names/stack.h"
#include "decoder/query/span_rule.h"
#include "decoder/stats/numbers.h"

#define SPANS_THREAD_BYTES 16

/* Who said a message, and when. */
struct span_end {
	uint64_t wall; /* nanoseconds since 1970 */
	uint64_t ticks;
	uint32_t pid;
	uint32_t tid;
	const struct program *program;
	char thread[SPANS_THREAD_BYTES]; /* its name, perhaps cut off */
};

/* Texts are as they were said, not escaped, without a last newline. */
struct span {
	size_t rule; /* index */
	struct span_end begin;
	struct span_end end; /* only if it has: */
	bool ended;
	uint64_t duration; /* nanoseconds; 0: it has not ended */
	uint64_t number;   /* in the order in which they began, from 1 */
	/* That of the innermost which the same thread began before and which
	 * is open still at the end of this one; 0: there is none. */
	uint64_t parent;
	const char *key; /* values of `by` with commas between; empty: none */
	size_t key_bytes;
	const char *text; /* of the message that began it */
	size_t text_bytes;
	const char *stack; /* its lines of text, escaped; null: not known */
	size_t stack_bytes;
};

/* What there was by one rule. */
struct span_sum {
	struct numbers durations; /* of those that ended, nanoseconds */
	uint64_t unfinished;	  /* began, and did not end */
	uint64_t unbegun;	  /* the second message without the first */
	uint64_t keyless;	  /* messages without a value to compare */
	uint64_t given_up;	  /* among the unfinished: too many were open */
};

struct spans;

/* A span and its texts are valid during the call. */
typedef void spans_take(void *closure, const struct span *span);

/*
 * The rules, and the stack, which may be null: none are kept, stay the
 * caller's.  Null: out of memory.
 */
struct spans *spans_new(const struct span_rules *rules, struct stack *stack,
	spans_take *take, void *closure);

/* Any message, in the order of the calls. */
void spans_message(struct spans *spans, const struct message *message);

/* After the last one: tells of those that have not ended, the oldest first. */
void spans_finish(struct spans *spans);

/* False: there was no memory for all of them. */
bool spans_are_whole(const struct spans *spans);

/* What there was by the rule with this index, so far. */
const struct span_sum *spans_sum(const struct spans *spans, size_t rule);

/* Appends a sentence for each rule that nothing matches, for people. */
void spans_put_remarks(const struct spans *spans, struct render_buffer *out);

/* Null is fine. */
void spans_free(struct spans *spans);

#endif
