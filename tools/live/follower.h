/*
 * The binlog-pack that follows a directory.  Called by running.c; found by the
 * lock that it holds on the directory.
 */
#ifndef TOOLS_CTL_FOLLOWER_H
#define TOOLS_CTL_FOLLOWER_H

#include <sys/types.h>

/* Its number; 0: nobody follows the directory, or it cannot be told. */
pid_t follower_of(const char *directory);

/* Null, or why it will not begin another log. */
const char *follower_rotate(const char *directory);

#endif
