#include "shim/position.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * The ways out of a program that exit() does not take.  Nothing of a record is
 * left to be done; but how much was said has to be known to the others of the
 * run whose outputs it shares.
 */

static void count(void)
{
	if (streams_have_offsets)
		position_settle();
}

_Noreturn void leave_exit(int status, void (*next)(int))
{
	count();
	next(status);
	__builtin_unreachable();
}

int leave_execute(const char *path, char *const *argv, char *const *environment,
	int (*next)(const char *, char *const *, char *const *))
{
	count();
	return next(path, argv, environment);
}

int leave_execute_here(const char *path, char *const *argv,
	int (*next)(const char *, char *const *))
{
	count();
	return next(path, argv);
}
