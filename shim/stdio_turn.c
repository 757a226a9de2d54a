#include "shim/stdio_turn.h"

#include "shim/host.h"
#include "shim/streams.h"

bool stdio_turn_matters;
uint32_t stdio_turn_drained;

void stdio_turn_begin(void)
{
	if (likely(stdio_turn_is_on()))
		return;
	__atomic_store_n(&stdio_turn_matters, true, __ATOMIC_SEQ_CST);
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
