/*
 * How many files may be open.  Raised by tools that follow captures, each of
 * which has a descriptor while it grows.
 */
#ifndef DECODER_DESCRIPTORS_H
#define DECODER_DESCRIPTORS_H

/* Up to what the system allows this process (RLIMIT_NOFILE); a failure changes
 * nothing. */
void descriptors_raise_limit(void);

#endif
