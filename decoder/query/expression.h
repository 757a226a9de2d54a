/*
 * Conditions on the arguments of calls: `size > 4096 && arg2 == "eth0"`.
 * Parsed once, bound to the format of each context once, then asked for each
 * message, whose text need not be made.  Of what a message does not have
 * nothing is true, nor is its contrary.  One thread.
 */
#ifndef DECODER_EXPRESSION_H
#define DECODER_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "base/render_buffer.h"
#include "decoder/capture/definition.h"
#include "decoder/capture/message.h"

/* An expression names no more arguments than this. */
#define EXPRESSION_NAMES_MAX 32

struct expression;
struct expression_binding;

/*
 * An expression is made of comparisons (== != < <= > >=, and ~ !~ with a
 * regular expression), &&, ||, ! and parentheses.  Each side of a comparison
 * is a number, a 'c'haracter, a "text", or an argument of the format: arg1,
 * arg2... or the word that stands before its directive, as in "size=%d".
 * `text` stays the caller's.  Null: it is none; where and why is in `problem`.
 */
struct expression *expression_new(const char *text, char *problem, size_t size);

/* Null is fine. */
void expression_free(struct expression *expression);

/*
 * Which arguments are meant in messages with this context, whose format is
 * `format`, which may be null.  From the pool.  Null: it is true of none of
 * them.
 */
const struct expression_binding *expression_bind(
	const struct expression *expression,
	const struct definition_context *context,
	const struct definition_string *format, struct pool *pool);

/* Whether it is true of the message, with what was bound to its context. */
bool expression_is_true(const struct expression *expression,
	const struct expression_binding *binding,
	const struct message *message);

/*
 * Appends a sentence for each name in it that none of the formats has which it
 * was bound to.
 */
void expression_remarks(
	const struct expression *expression, struct render_buffer *out);

#endif
