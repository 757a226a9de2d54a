/*
 * What is known of an address in a recorded process: function and line through
 * the symbolizer, or what a virtual machine has written down.  Asked for
 * stacks, pointers and source lines, which share one.  Promises to remember
 * which files could not be used, in sentences for the user.
 */
#ifndef DECODER_PLACES_H
#define DECODER_PLACES_H

#include "decoder/capture/message.h"
#include "decoder/names/symbol_answers.h"
#include "symbolizer/symbolizer.h"

/* More complaints than these are not kept. */
#define PLACES_COMPLAINTS_MAX 32

/* The function of the frame between a signal handler and what it interrupted.
 */
#define PLACES_SIGNAL "<signal handler called>"

/* Strings are valid until the next question. */
struct place {
	const char *module;   /* last part of its path; null: in no file */
	uint64_t address;     /* in the file, or in the process */
	const char *function; /* null: unknown */
	const char *file;     /* null: unknown */
	unsigned line;
	uint64_t offset; /* behind the start of the function */
	bool inlined;	 /* into the next one */
	bool wrapper;	 /* its caller is who prints */
	bool jumped;	 /* its last call was a jump: it is not on the stack */
};

struct places;

/* The options' strings stay the caller's.  Null: out of memory. */
struct places *places_new(const struct symbolizer_options *options);

/*
 * Who is told of everything that the symbolizer is asked and answers, for
 * others who will not have the files: first the question, then the frames, the
 * innermost first.  Strings are valid during the call.
 */
struct places_witness {
	void (*question)(void *closure, const struct symbol_question *question);
	void (*frame)(void *closure, const struct symbolizer_frame *frame);
	void *closure;
};

/* It stays the caller's; null: nobody. */
void places_tell(struct places *places, const struct places_witness *witness);

/* Null is fine. */
void places_free(struct places *places);

/*
 * Calls back for what is at an address of the message's process, the
 * innermost inlined function first, at least once.
 */
void places_find(struct places *places, const struct message *message,
	uint64_t address,
	void (*take)(void *closure, const struct place *place), void *closure);

/* As struct symbolizer_gap, with addresses in the process. */
struct places_gap {
	uint64_t next;
	uint64_t inside;  /* 0: `name` tells the function */
	const char *name; /* null: unknown */
	uint64_t argument;
};

/*
 * Calls back for each frame that is missing between two, the innermost first;
 * not at all if there is none, or none is known.
 */
void places_between(struct places *places, const struct message *message,
	const struct places_gap *gap,
	void (*take)(void *closure, const struct place *place), void *closure);

/* One sentence each, without control characters; null: there are no more. */
const char *places_complaint(const struct places *places, size_t index);

#endif
