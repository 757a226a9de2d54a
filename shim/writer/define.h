/*
 * Definitions: the records that say what an id means, written into the
 * writer's own blocks before the id is first used, and the writer's tables of
 * what it has already defined.  Slow path only: a call that hits the memo
 * comes nowhere near.  Everything belongs to one writer; lock-free,
 * async-signal-safe; 0 or false when there was no room to write to.
 */
#ifndef SHIM_DEFINE_H
#define SHIM_DEFINE_H

#include "shim/host/intern.h"
#include "shim/writer/memo.h"
#include "shim/writer/writer.h"

/* Empty tables, or null. */
struct define_tables *define_new(void);

/* Longer strings are defined by their beginning. */
#define DEFINE_STRING_MAX                                                      \
	(24576u - (uint32_t)sizeof(struct binlog_string_record))

/*
 * Forgets all that was known by address, and which streams are defined.  What
 * is known by content stays: a library that is loaded again, with what it
 * printed, is defined but once; but plans of a time when directives meant
 * something else (plan_always_at_once) are made anew.
 */
void define_forget(struct define_tables *tables);

/*
 * Nothing is defined, as in fresh tables, and what was found of them does not
 * hold; what is known of formats stays.
 */
void define_begin_anew(struct define_tables *tables);

/*
 * Whether this format, which the program has made, may be defined: it was
 * before, or not many others were, or it was met before.  Others are no more
 * than text: those that never repeat would fill the memory, and a ring.  `hash`
 * is that of its content.
 */
bool define_may_make(struct writer *w, uint64_t hash);

/* How many strings the writer has defined. */
uint32_t define_strings(const struct define_tables *tables);

/*
 * How deep to unwind: `depth`, or 1 for a while if this writer has met too many
 * new stacks in a short time.  What is then not known must not be remembered.
 */
unsigned define_depth(struct writer *w, unsigned depth);

/*
 * The string with this content.  Null: no room.  Good until the next
 * definition.  The entry's plan is its user's to set, if the string serves as
 * a format; its constants are forgotten by define_forget().
 */
struct intern_entry *define_string(
	struct writer *w, const char *text, uint32_t length);

/* What a context is made of; strings by id. */
struct define_context {
	unsigned text;	/* enum binlog_text */
	unsigned flags; /* BINLOG_CONTEXT_... */
	unsigned stream;
	uint32_t format;
	const uint8_t *kinds;
	unsigned kinds_count;
};

/*
 * Unwinds the stack of a call into w->trace, `depth` frames at most, and finds
 * out whose it is, for define_context().
 */
void define_walk(struct writer *w, const struct call *call, unsigned depth);

/*
 * The id of the context of a call with the stack in w->trace, of w->coroutine;
 * defines its modules, stream and function name as well.
 */
uint32_t define_context(struct writer *w, const struct call *call,
	const struct define_context *context);

/*
 * Equal for the same addresses as long as the same modules are there: of those
 * that come and go, the ones that came back to where they were.
 */
uint64_t define_identity(const uintptr_t *pc, unsigned count);

/* How many contexts the writer has defined. */
uint32_t define_contexts(const struct define_tables *tables);

#endif
