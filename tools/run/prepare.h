/*
 * Makes blocks of one capture ready before the program that grows it needs
 * them: claims them like a writer, backs them with disk, and hands them over
 * (record/prepared.h).  Run by the companion in a process of its own for each
 * capture that grows fast.  Promises that the program never waits for it, loses
 * nothing when it is killed, and gets the disk back that it has not used.
 */
#ifndef TOOLS_RUN_PREPARE_H
#define TOOLS_RUN_PREPARE_H

#include <stdbool.h>

/*
 * Whether a process is left that could grow the capture behind `fd`, which is
 * open for reading, and which we have not open for writing.  Where the kernel
 * does not say, it is the process that has made the file that counts.
 */
bool prepare_has_users(int fd);

/*
 * Serves the capture behind `fd`, which is open for reading, until no process
 * is left that could grow it, or there is something in the way of it.  A signal
 * with a handler makes it look at once whether there is one.
 */
void prepare_serve(int fd);

#endif
