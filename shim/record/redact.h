/*
 * Arguments that rules leave out of the capture.  In their places stand texts
 * that say how long they were, or a hash; what they were is never stored in
 * memory that is written out, not even for a moment.  The hash is keyed: equal
 * values of one run of a program, its forked children included, have equal
 * hashes, and nobody who has but the capture can try values out.  Called by
 * site.c and by the slow way to record a call; async-signal-safe.
 */
#ifndef SHIM_REDACT_H
#define SHIM_REDACT_H

#include "shim/record/arguments.h"
#include "shim/record/site.h"
#include "shim/streams/streams.h"

struct redaction {
	uint64_t mask; /* of arguments, as of struct rule_decision; 0: none */
	bool hash;
	/* The format with "%s" in the places of those; null: the whole text has
	 * to be left out. */
	char *format;
	uint32_t length;
	const struct plan *plan; /* of the format as it was */
	uint8_t kinds_count;
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1]; /* of what is stored */
	uint8_t roles[FORMAT_ARGUMENTS_MAX];	 /* of the arguments */
};

/* Once, in startup_arm(): reads BINLOG_REDACT. */
void redact_begin(void);

/* Nobody has said otherwise: of texts that are written as well, what the names
 * of arguments say to be secrets is left out. */
extern HIDDEN bool redact_copies;

static inline bool redact_is_copy(unsigned stream)
{
	return redact_copies && streams[stream].tee;
}

/* By the decisions of the site: sets site->redaction. */
void redact_prepare(struct site *site, const struct site_call *call);

/* In place of arguments_store(); the length of the text is not added up. */
char *redact_store(struct writer *w, char *to,
	const struct redaction *redaction, struct arguments_list *list,
	struct arguments_sum *sum);

/* What stands for a whole text of so many bytes, with its newline if it ends
 * in one. */
#define REDACT_TEXT 64u
void redact_length(char text[REDACT_TEXT], size_t size, bool ends_line);
void redact_text(char text[REDACT_TEXT], const void *bytes, size_t size);

#endif
