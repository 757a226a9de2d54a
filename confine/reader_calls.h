/*
 * The system calls of a reader, by what it needs.  Used by confine.c alone;
 * promises nothing: the lists are the policy, confine.h says what it comes to.
 */
#ifndef CONFINE_READER_CALLS_H
#define CONFINE_READER_CALLS_H

#include <stdbool.h>

/*
 * Sets the filter for these needs (enum confine_need).  False with errno: the
 * kernel gives none.
 */
bool reader_calls_filter(unsigned needs);

#endif
