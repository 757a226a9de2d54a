/*
 * What binlog-show says of a message in a Heph trace beside its text and its
 * arguments: attributes that heph_own.def lists, and of a long text the rest.
 * Read here; the style `heph` writes them.
 */
#ifndef DECODER_HEPH_OWN_H
#define DECODER_HEPH_OWN_H

#include "decoder/heph/heph_read.h"
#include "decoder/message/facts.h"

/* Attributes that binlog-show adds in its exports begin so. */
#define HEPH_OWN "binlog."
/* An array of strings: what the description has no room for. */
#define HEPH_OWN_REST HEPH_OWN "rest"

/* A number, 1: the text ends in a newline, which the description leaves out. */
#define HEPH_OWN_NEWLINE HEPH_OWN "newline"

/*
 * Of events that are spans, as the rules of --spans make them: numbers, that of
 * the span, and that of its parent if it has one; texts, the rule and what is
 * compared; a number, 1: the span has not ended.
 */
#define HEPH_OWN_SPAN HEPH_OWN "span"
#define HEPH_OWN_PARENT HEPH_OWN "parent"
#define HEPH_OWN_RULE HEPH_OWN "rule"
#define HEPH_OWN_KEY HEPH_OWN "key"
#define HEPH_OWN_OPEN HEPH_OWN "open"

enum heph_own_name {
#define OWN(name, fact) HEPH_OWN_##name,
#include "decoder/heph/heph_own.def"
#undef OWN
	HEPH_OWN_newline,
	HEPH_OWN_span,
	HEPH_OWN_NAMES
};

/* All but the last two, with what they begin. */
extern const struct fact_wanted heph_own_facts[HEPH_OWN_newline];

struct heph_own_value {
	bool known;
	uint64_t number;
	struct heph_string text;
};

struct heph_own {
	struct heph_own_value values[HEPH_OWN_NAMES];
	size_t arguments;   /* how many attributes stand before them */
	struct cursor rest; /* of the text */
	unsigned rest_count;
};

/* False: the attributes are none of ours, or those of a span. */
bool heph_own_read(struct heph_own *own, struct cursor attributes);

/* After that: they are of a span, whose thread is named. */
static inline bool heph_own_is_span(const struct heph_own *own)
{
	return own->values[HEPH_OWN_span].known &&
	       own->values[HEPH_OWN_pid].known;
}

#endif
