/*
 * What the symbolizer's worker does all its life.  Called by worker in the
 * forked process.  Promises never to return, and to open no file itself.
 */
#ifndef SYMBOLIZER_WORKERLOOP_H
#define SYMBOLIZER_WORKERLOOP_H

#include <sys/types.h>

#include "symbolizer/symbolizer.h"

/* With what the process ends. */
enum workerloop_exit {
	WORKERLOOP_DONE = 0,	   /* nobody asks any more */
	WORKERLOOP_NO_MEMORY = 80, /* less than the question took */
	WORKERLOOP_NO_SANDBOX,	   /* the kernel refuses it */
	WORKERLOOP_CONFUSED,	   /* what came is no question */
};

/* `socket` is the end that is not `parent`'s. */
_Noreturn void workerloop_run(
	const struct symbolizer_options *options, int socket, pid_t parent);

#endif
