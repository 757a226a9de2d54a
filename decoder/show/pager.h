/*
 * The program that shows a long text page by page: begun by the main of a
 * reader whose standard output is a terminal, and waited for at the end.  While
 * it runs standard output leads to it, and whoever interrupts it does not
 * interrupt us; when it is left early, that ends us quietly.
 */
#ifndef DECODER_PAGER_H
#define DECODER_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

struct pager {
	pid_t child;  /* 0: there is none */
	int terminal; /* what standard output was */
};

/*
 * $BINLOG_PAGER, or else $PAGER, or else less, more or cat, whichever there is;
 * an empty one is none.  It goes on without where none can be started, and, if
 * $BINLOG_PAGER names none, on a terminal that can do nothing but print lines.
 */
void pager_begin(struct pager *pager);

/*
 * All was written: waits for the reader to be done with it.  False: there was
 * no such program, which the shell has said.
 */
bool pager_end(struct pager *pager);

#endif
