/*
 * What is known of an address in a recorded process: function and line through
 * the symbolizer, or what a virtual machine has written down.  Asked for
 * stacks, pointers and source lines, which share one.  Promises to remember
 * which files could not be used, in sentences for the user.
 */
#ifndef DECODER_LOCATIONS_H
#define DECODER_LOCATIONS_H

#include "decoder/capture/message.h"
#include "decoder/names/symbol_answers.h"
#include "symbolizer/symbolizer.h"

/* More complaints than these are not kept. */
#define LOCATIONS_COMPLAINTS_MAX 32

/* The function of the frame between a signal handler and what it interrupted.
 */
#define LOCATIONS_SIGNAL "<signal handler called>"

/* Strings are valid until the next question. */
struct location {
	const char *module;   /* last part of its path; null: in no file */
	uint64_t address;     /* in the file, or in the process */
	const char *function; /* null: unknown */
	const char *file;     /* null: unknown */
	unsigned line;
	uint64_t offset; /* behind the start of the function */
	bool inlined;	 /* into the next one */
	bool wrapper;	 /* its caller is who prints */
	bool jumped;	 /* its last call was a jump: it is not on the stack */
	bool handed;	 /* of frames_each(): the statement was only handed */
			 /* through it */
	bool beside;	 /* of frames_each(): told by the text, not a frame */
			 /* of the stack */
};

struct locations;

/* The options' strings stay the caller's.  Null: out of memory. */
struct locations *locations_new(const struct symbolizer_options *options);

/*
 * Paths of programs and libraries that may have been recorded, with a null
 * after them: the names in a module come from that one among them which was
 * recorded, where its own path leads to nothing that was.
 */
void locations_use(struct locations *locations, const char *const *executables);

/*
 * Who is told of everything that the symbolizer is asked and answers, for
 * others who will not have the files: first the question, then the frames, the
 * innermost first.  Strings are valid during the call.
 */
struct locations_witness {
	void (*question)(void *closure, const struct symbol_question *question);
	void (*frame)(void *closure, const struct symbolizer_frame *frame);
	void *closure;
};

/* It stays the caller's; null: nobody. */
void locations_tell(
	struct locations *locations, const struct locations_witness *witness);

/* Null is fine. */
void locations_free(struct locations *locations);

/*
 * Calls back for what is at an address of the message's process, the
 * innermost inlined function first, at least once.
 */
void locations_find(struct locations *locations, const struct message *message,
	uint64_t address,
	void (*take)(void *closure, const struct location *location),
	void *closure);

/* As struct symbolizer_gap, with addresses in the process. */
struct locations_gap {
	uint64_t next;
	uint64_t inside;  /* 0: `name` tells the function */
	const char *name; /* null: unknown */
	uint64_t argument;
};

/*
 * Calls back for each frame that is missing between two, the innermost first;
 * not at all if there is none, or none is known.
 */
void locations_between(struct locations *locations,
	const struct message *message, const struct locations_gap *gap,
	void (*take)(void *closure, const struct location *location),
	void *closure);

/* One sentence each, without control characters; null: there are no more. */
const char *locations_complaint(
	const struct locations *locations, size_t index);

#endif
