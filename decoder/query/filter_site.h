/*
 * What the rules say of all messages with one context, decided once.  Asked by
 * the filters.
 */
#ifndef DECODER_FILTER_SITE_H
#define DECODER_FILTER_SITE_H

#include "decoder/query/filter_rules.h"
#include "decoder/query/grep_format.h"

struct filter_site {
	const struct filter_rules *rules; /* that say it */
	struct filter_site *next;	  /* what others say of it, or null */
	bool chosen;	/* by what is the same for all of them */
	bool settled;	/* for that no message is needed any more */
	bool has_level; /* each of them has one that was asked for */
	bool ends_line; /* its texts are whole lines */
	enum grep_answer found;
	/* One for each expression; null: it is true of none. */
	const struct expression_binding *bindings[];
};

/* What was decided; null: nothing yet. */
static inline struct filter_site *filter_site_find(
	const struct definition_context *context,
	const struct filter_rules *rules)
{
	struct filter_site *site = context->filter;

	while (site && site->rules != rules)
		site = site->next;
	return site;
}

/*
 * Decides of messages with this context and format, which may be null, and
 * notes it there; from the pool.  Null: out of memory.
 */
struct filter_site *filter_site_new(const struct filter_rules *rules,
	struct definition_context *context,
	const struct definition_string *format, struct pool *pool);

/* Decides what can be known only when there is one of the messages. */
void filter_site_settle(
	struct filter_site *site, const struct message *message);

/* Whether no message of it is asked for, for what it says. */
static inline bool filter_site_is_hopeless(const struct filter_site *site)
{
	return !site->chosen || site->found == GREP_NEVER;
}

#endif
