/*
 * Constant texts that the calls of a stack hand on: to the function that is
 * called, to one that was called before it in the same function, or by a jump
 * with which the called one ends.  One of them is what a message was made of,
 * where the call that printed it was given a finished text; decoder/statements
 * finds out which.  Promises texts that the code surely or possibly passes, and
 * an end, whatever the code.
 */
#ifndef SYMBOLIZER_HANDED_H
#define SYMBOLIZER_HANDED_H

#include "symbolizer/code/codeflow.h"
#include "symbolizer/symbolizer.h"

/* All zeros is one of a file that has not been read. */
struct handed {
	bool tried;
	bool ready; /* false: nothing is handed on that could be known */
	struct imports imports;
	struct codestarts starts;
	struct codeflow flow;
};

typedef void handed_take(void *closure, const struct symbolizer_handed *handed);

/*
 * Calls back for each text, the most likely first, none twice; valid until the
 * callback returns.  `next` is a return address as in the ELF file.
 */
void handed_each(struct handed *handed, struct constantdata *data,
	uint64_t next, handed_take *take, void *closure);

/*
 * Calls back for each text of the file that any of its calls hands on, by
 * section and address, and then for those that constant pointers lead to, with
 * the call 0.  A text may come several times.  Leaves out what is no text:
 * tables, single characters.
 */
void handed_list(struct handed *handed, struct constantdata *data,
	handed_take *take, void *closure);

/*
 * The text at an address, with its NUL; null: none that could be a message or
 * a part of one.
 */
const char *handed_text(
	struct constantdata *data, uint64_t address, size_t *count);

void handed_free(struct handed *handed);

#endif
