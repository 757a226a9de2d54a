#include "shim/start/fatal.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * Each makes the call natively; then our handler takes the place of a default
 * action again, and the program is shown what it would have been told.
 */
int disposition_sigaction(
	int number, const struct sigaction *action, struct sigaction *old)
{
	int result = next_sigaction(number, action, old);

	if (result != 0)
		return result;
	if (old)
		fatal_hide(number, old);
	if (action)
		fatal_adopt(number);
	return result;
}

sighandler_t disposition_signal(int number, sighandler_t handler,
	sighandler_t (*next)(int, sighandler_t))
{
	sighandler_t result = next(number, handler);

	if (result != SIG_ERR)
		fatal_adopt(number);
	return fatal_hide_handler(result);
}

int disposition_siginterrupt(int number, int interrupt)
{
	int result;

	fatal_yield(number);
	result = next_siginterrupt(number, interrupt);
	fatal_adopt(number);
	return result;
}
