/*
 * What tools say to people on standard error, a sentence at a time.  Called by
 * mains and what speaks for them; promises that whatever a sentence quotes,
 * names of files, options, text out of a log, stays text within its one line:
 * it is shown by escape.h.
 */
#ifndef BASE_SENTENCE_H
#define BASE_SENTENCE_H

/*
 * As printf(3), and a newline; written at once.  When there is no memory for
 * it, nothing is said.
 */
void sentence_say(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif
