#include "shim/stdio_turn.h"

#include "shim/host.h"

bool stdio_turn_matters;

COLD bool stdio_turn_is_others_slow(const struct stdio_lock *lock)
{
	return lock->owner != (const void *)host_pthread_self();
}

COLD void stdio_turn_take(struct call_turn *turn)
{
	int kept = errno;

	if (!turn->held) {
		host_flockfile(turn->file);
		turn->held = turn->file;
	}
	errno = kept;
}

COLD void stdio_turn_give_back(struct call_turn *turn)
{
	host_funlockfile(turn->held);
	turn->held = NULL;
}
