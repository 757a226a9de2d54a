/*
 * What is known of a message beside its text and its arguments: who has said
 * it, when, where to, how important it is, and from which place.  facts.def
 * lists it; columns and all exports take it from here, under these names.  One
 * thread.
 */
#ifndef DECODER_FACTS_H
#define DECODER_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"
#include "decoder/capture/message.h"

struct locations;

enum fact_name {
#define FACT(name, kind, what) FACT_##name,
#include "decoder/message/facts.def"
#undef FACT
	FACT_NAMES
};

enum fact_kind { FACT_NUMBER, FACT_TEXT };

/* By enum fact_name. */
extern const struct fact_kinds {
	enum fact_kind kind;
	const char *what; /* it says */
} facts_all[FACT_NAMES];

/* Known to be; the text, which may be any bytes, is good until the next one. */
struct fact {
	enum fact_kind kind;
	uint64_t number;
	const char *text;
	size_t bytes;
};

/* A fact, and what it is called by who asks for it. */
struct fact_wanted {
	enum fact_name name;
	const char *key;
};

/* Under its own name. */
#define FACT_WANTED(name)                                                      \
	{                                                                      \
		FACT_##name, #name                                             \
	}

typedef void facts_take(
	void *closure, const char *key, const struct fact *fact);

/*
 * Calls back for each of `count` facts that is known of the message, in their
 * order.  Without `locations` nothing is known of the place of the call.  The
 * scratch is emptied.
 */
void facts_each(const struct fact_wanted *wanted, size_t count,
	struct locations *locations, const struct message *message,
	struct render_buffer *scratch, facts_take *take, void *closure);

/* One of them; false: it is not known. */
bool facts_find(enum fact_name name, struct locations *locations,
	const struct message *message, struct render_buffer *scratch,
	struct fact *fact);

/* What json and msgpack tell of every message, of every call, of its place. */
extern const struct fact_wanted facts_of_origin[7];
extern const struct fact_wanted facts_of_call[7];
extern const struct fact_wanted facts_of_location[3];

#define FACTS_COUNT(list) (sizeof(list) / sizeof((list)[0]))

#endif
