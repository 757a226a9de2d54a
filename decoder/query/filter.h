/*
 * Which messages were asked for.  Asked by binlog-show and by the styles, for
 * each message: first who said it, when and where to; then what it says, which
 * those that show lines ask of whole lines.  One thread.
 */
#ifndef DECODER_FILTER_H
#define DECODER_FILTER_H

#include "decoder/capture/definition.h"
#include "decoder/capture/message.h"
#include "decoder/query/filter_rules.h"
#include "decoder/query/grep.h"

/* In the order in which one of several patterns decides. */
enum grep_answer {
	GREP_NEVER,
	GREP_IN_STRING, /* only if the needle is in what a "%s" is given */
	GREP_DEPENDS,	/* on the text */
	GREP_ALWAYS
};

/*
 * Of the texts of messages with this context, with `format` as its format,
 * which may be null: it is not known.  `named`: more follows each %p.
 */
enum grep_answer grep_format_answer(const struct grep *grep,
	const struct definition_context *context,
	const struct definition_string *format, bool named);

/* Whether these texts are whole lines, or texts that count as such. */
bool grep_format_ends_line(const struct definition_context *context,
	const struct definition_string *format);

/*
 * Whether the format is what the call was given, as far as can be told: it
 * takes the arguments that were recorded.  Otherwise it may be found elsewhere.
 */
bool grep_format_is_sound(const struct definition_context *context,
	const struct definition_string *format);

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

/* Whether no message of it is asked for, for what it says. */
static inline bool filter_site_is_hopeless(const struct filter_site *site)
{
	return !site->chosen || site->found == GREP_NEVER;
}

/* Whether messages are left out for these: */
bool filter_asks_for_calls(const struct filter_rules *rules);

/* By its process, thread and stream. */
bool filter_wants(
	const struct filter_rules *rules, const struct message *message);

/* The same by some of these alone. */
bool filter_wants_pid(const struct filter_rules *rules, uint32_t pid);
bool filter_wants_thread(const struct filter_rules *rules, uint32_t pid,
	uint32_t tid, const char *thread, uint64_t coroutine);
bool filter_wants_stream(
	const struct filter_rules *rules, struct definition_context *context);

/* Whether messages are left out for what they say; null: they are not. */
bool filter_asks_for_text(const struct filter_rules *rules);

/* Likewise, or for their time. */
bool filter_asks_for_lines(const struct filter_rules *rules);

/* By its time. */
bool filter_is_timely(
	const struct filter_rules *rules, const struct message *message);

/* By its format, function, level and arguments. */
bool filter_chooses(
	const struct filter_rules *rules, const struct message *message);

/* By the text itself: of a line without its newline. */
bool filter_finds(
	const struct filter_rules *rules, const char *text, size_t bytes);

/* By its time and all that it says: of a message that is shown as this text. */
bool filter_wants_line(const struct filter_rules *rules,
	const struct message *message, const char *text, size_t bytes);

/*
 * By all of these, of this message alone.  One that has no text is not found
 * by what it says.
 */
bool filter_selects(
	const struct filter_rules *rules, const struct message *message);

/*
 * Whether it is known without its text that the message is whole lines which
 * were not asked for, as long as nothing before it waits for the rest of a
 * line.
 */
bool filter_passes_over(
	const struct filter_rules *rules, const struct message *message);

#endif
