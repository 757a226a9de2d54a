/*
 * Files without a name, for what does not fit into memory.  Used by whoever
 * outside keeps something back, or needs to read it again.
 */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

/* $TMPDIR, or else /tmp. */
const char *temporary_directory(void);

/* A new file there, to read and to write.  -1: errno says why not. */
int temporary_file(void);

#endif
