/* A use of every interposed function, for the programs in this directory. */
#ifndef SNIPPETS_H
#define SNIPPETS_H

/*
 * Runs all snippets of one function, in the order of snippets.def; ends the
 * program with status 99 when there is none.  Results go to descriptor 9, the
 * messages that have to be in the capture as syslog to descriptor 8, and what
 * LOG_PERROR has to print to descriptor 7.
 */
void snippets_run(const char *function);

/* Ends the program with status 99 and says why where results go. */
void snippets_exit_bad(const char *why);

#endif
