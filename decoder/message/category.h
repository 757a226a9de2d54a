/*
 * What a message is about, in a word: what a rule calls it (binlog-rules(7),
 * `category`), or the name that it was given for syslog, or else the program
 * or library that has made it.  Asked by the column of this name.
 */
#ifndef DECODER_CATEGORY_H
#define DECODER_CATEGORY_H

#include "base/render_buffer.h"
#include "decoder/capture/message.h"

struct category;
struct locations;
struct rules;

/*
 * By these rules, which stay the caller's; null: by those that the message's
 * capture was recorded under.  Without `locations` nothing that rules say of
 * the source holds.  Null: out of memory.
 */
struct category *category_new(
	const struct rules *rules, struct locations *locations);

/* Null is fine. */
void category_free(struct category *category);

/* The last part of the path of what has called; null: not known. */
const char *category_module(const struct message *message);

/* Where in it the call is, as rules have it; only if it is known. */
uint64_t category_offset(const struct message *message);

/* Appends the word, escaped. */
void category_put(struct category *category, const struct message *message,
	struct render_buffer *out);

#endif
