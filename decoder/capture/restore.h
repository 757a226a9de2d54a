/*
 * Formats whose definition is lost or damaged, read out of the program that
 * was recorded.  Asked by messages for the format of a context, once for each.
 * Promises a text that surely was the format, or none; and to use no file but
 * the recorded one, unless that was forced.
 */
#ifndef DECODER_RESTORE_H
#define DECODER_RESTORE_H

#include "decoder/capture/message.h"
#include "symbolizer/symbolizer.h"

/* More complaints than these are not kept. */
#define RESTORE_COMPLAINTS_MAX 32

struct program_file;
struct restore;

/*
 * `executables`: paths of programs that may have been recorded, with a null
 * after them, or null.  All strings stay the caller's.  Null: out of memory.
 */
struct restore *restore_new(const struct symbolizer_options *options,
	const char *const *executables);

/*
 * Keeps what calls of programs hand on for the next run, and uses what former
 * ones have kept.  To be called before it is asked for anything.
 */
void restore_use_cache(struct restore *restore);

/* Null is fine. */
void restore_free(struct restore *restore);

/*
 * The format of the message's context: its definition if that fits the
 * arguments, else what the program has at the address in the definition, else
 * what the program gives to the call.  Null: it cannot be known.
 */
const struct definition_string *restore_format(
	struct restore *restore, const struct message *message);

/*
 * The program or library with an address of the message's process, which
 * becomes the address in it; the restore's own.  Null: it is not to be had,
 * which is a complaint if it `matters`.
 */
struct program_file *restore_file(struct restore *restore,
	const struct message *message, uint64_t *address, bool matters);

/* One sentence each, without control characters; null: there are no more. */
const char *restore_complaint(const struct restore *restore, size_t index);

#endif
