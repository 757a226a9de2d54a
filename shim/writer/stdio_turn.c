#include "shim/writer/stdio_turn.h"

#include "shim/host/above.h"
#include "shim/host/host.h"
#include "shim/streams/streams.h"

uint8_t stdio_turn_matters;
uint32_t stdio_turn_drained;

void stdio_turn_begin(void)
{
	if (likely(stdio_turn_is_on()))
		return;
	__atomic_fetch_or(
		&stdio_turn_matters, STDIO_TURN_LOCKS, __ATOMIC_SEQ_CST);
	streams_changed();
}

COLD bool stdio_turn_is_others_slow(const struct stdio_lock *lock)
{
	return !host_knows_files ||
	       lock->owner != (const void *)host_pthread_self();
}

COLD void stdio_turn_order(uint64_t *ticks)
{
	static uint64_t latest;
	uint64_t last = __atomic_load_n(&latest, __ATOMIC_ACQUIRE);

	do {
		if (*ticks <= last)
			*ticks = last + 1;
	} while (!__atomic_compare_exchange_n(&latest, &last, *ticks, false,
		__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

/* The call does not come back: the thread is cancelled, or jumps. */
static void abandon(void *argument)
{
	struct call_turn *turn = argument;
	FILE *file = turn->held;

	turn->held = NULL;
	if (turn->settles)
		above.file_left(file);
	host_funlockfile(file);
}

/*
 * As stdio has it, which needs no code of the language's: the handler is called
 * when the stack is unwound to there, also by longjmp().
 */
COLD void stdio_turn_take(struct call_turn *turn)
{
	int kept = errno;

	if (turn->held && turn->held != turn->file)
		stdio_turn_give_back(turn);
	if (!turn->held) {
		host_flockfile(turn->file);
		turn->held = turn->file;
		host__pthread_cleanup_push(&turn->cleanup, abandon, turn);
	}
	errno = kept;
}

COLD void stdio_turn_give_back(struct call_turn *turn)
{
	int kept = errno;

	host__pthread_cleanup_pop(&turn->cleanup, 0);
	host_funlockfile(turn->held);
	turn->held = NULL;
	errno = kept;
}
