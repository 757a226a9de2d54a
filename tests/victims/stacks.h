/*
 * say(): prints the number of a message, and, to the FILE `oracle`, which is
 * none of the run's outputs, what glibc's backtrace() says of the stack:
 * "number object+offset object+offset ...", the innermost frame that of the
 * caller, offsets as in the ELF file.
 */
#ifndef VICTIMS_STACKS_H
#define VICTIMS_STACKS_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

extern FILE *oracle;
extern int messages;

void note_stack(int number);
int in_library(int depth);

/* The call of printf and that of backtrace() have the same callers. */
#define say()                                                                  \
	do {                                                                   \
		note_stack(messages);                                          \
		printf("message %d\n", messages++);                            \
	} while (0)

#ifdef __cplusplus
}
#endif

#endif
