#include "shim/life.h"
#include "shim/ownership.h"
#include "shim/position.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * The ways out of a program that exit() does not take.  Nothing of a record is
 * left to be done; but that the process has taken one, and how much was said,
 * has to be known to others.
 */

/* A child of vfork that goes is not the process that we write for. */
static void note(const struct call *call, unsigned text, int64_t value)
{
	if (streams_have_offsets)
		position_settle();
	streams_share(); /* for whom it has borrowed the memory of */
	if (process_is_borrowed())
		return;
	ownership_wait();
	life_note(text, value);
	if (writer_has_spoken())
		capture_event(call, 0, text, value);
}

/* There is a way back only from a program that could not be executed. */
static int come_back(int result)
{
	int kept = errno;

	if (!process_is_borrowed())
		life_note(0, 0);
	errno = kept;
	return result;
}

_Noreturn void leave_exit(
	const struct call *call, int status, void (*next)(int))
{
	/* A silent child has nothing to note, and should not have to look at
	 * any more of our memory to find that out. */
	if (process_is_itself())
		note(call, BINLOG_TEXT_LEFT, status);
	next(status);
	__builtin_unreachable();
}

int leave_execute(const struct call *call, const char *path, char *const *argv,
	char *const *environment,
	int (*next)(const char *, char *const *, char *const *))
{
	note(call, BINLOG_TEXT_EXECUTE, 0);
	return come_back(next(path, argv, environment));
}

int leave_execute_here(const struct call *call, const char *path,
	char *const *argv, int (*next)(const char *, char *const *))
{
	note(call, BINLOG_TEXT_EXECUTE, 0);
	return come_back(next(path, argv));
}
