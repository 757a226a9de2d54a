/*
 * The stack of a message as lines of text, frame by frame, with the names that
 * locations.h knows.  Asked by the styles when stacks are wanted; every stack
 * is resolved once and kept with its context.
 */
#ifndef DECODER_STACK_H
#define DECODER_STACK_H

#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/names/locations.h"

struct stack;

/*
 * Shows at most `depth` frames of each stack; `locations` stays the caller's.
 * Null: out of memory.
 */
struct stack *stack_new(struct locations *locations, size_t depth);

/*
 * From here on the frames with which libc starts a program or a thread, last in
 * a stack, are one line: "    #2 to #4: libc, starting the program".
 */
void stack_fold_start(struct stack *stack);

/*
 * Appends a line for each frame, innermost first, escaped, each of them
 * "    #N " and what is known: "function at file:line", marked if inlined or
 * left by a jump, or "function+0x12 in file", or "file+0x1234", or
 * "function+0x12" for code that is in no file, or the address alone.
 */
void stack_put(struct stack *stack, const struct message *message,
	struct render_buffer *out);

/*
 * Appends whom the thread was created by, and with which stack, its creator's
 * creator and so on: for each a line "    created by thread 4711 (name):", and
 * those of its stack.  Nothing if that is not known.
 */
void stack_put_origin(struct stack *stack, const struct message *message,
	struct render_buffer *out);

/* Null is fine. */
void stack_free(struct stack *stack);

#endif
