#include "shim/writer/patience.h"

#include "shim/host/bytes.h"
#include "shim/host/signal_mask.h"
#include "shim/host/sys.h"

#define USUAL_NS ((uint64_t)1000000000)
#define MOST_NS ((uint64_t)3600 * 1000000000)
/* Longer than what has failed is not tried again: see capture_file.c. */
#define MOMENT_NS 5000000

static uint64_t longest; /* ns */
static bool in_vain;
static __thread bool hurries;
/* Of the wait that this thread is in; one that a handler has jumped out of
 * lasts as long as it would have. */
static __thread uint64_t waits_until;

void patience_begin(const char *value)
{
	if (!value || !bytes_starts(value, "block"))
		return;
	value += sizeof("block") - 1;
	longest =
		*value == '=' ? bytes_duration(value + 1, USUAL_NS) : USUAL_NS;
	if (longest > MOST_NS)
		longest = MOST_NS;
}

void patience_suspend(bool suspended)
{
	hurries = suspended;
}

/* 0: nobody tells us. */
static uint64_t now(void)
{
	struct timespec time = {0};

	SYS2(clock_gettime, CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t pending(void)
{
	uint64_t signals = 0;

	SYS2(rt_sigpending, &signals, SIGNAL_MASK_BYTES);
	return signals;
}

/* As by signal_mask_block(): at the birth of a writer. */
static bool all_are_blocked(void)
{
	const uint64_t some = SIGNAL_MASK_BIT(SIGTERM) |
			      SIGNAL_MASK_BIT(SIGINT) | SIGNAL_MASK_BIT(SIGHUP);
	uint64_t signals = 0;

	SYS4(rt_sigprocmask, SIG_SETMASK, NULL, &signals, SIGNAL_MASK_BYTES);
	return (signals & some) == some;
}

void patience_ends(void)
{
	waits_until = 0;
}

/* In a handler that interrupts a wait it is not waited once more. */
bool patience_starts(struct patience *patience)
{
	uint64_t begin;

	if (longest == 0 || hurries ||
		__atomic_load_n(&in_vain, __ATOMIC_RELAXED))
		return false;
	begin = now();
	if (begin < waits_until)
		return false;
	patience->until = waits_until = begin + longest;
	patience->pending = all_are_blocked() ? pending() : ~(uint64_t)0;
	return true;
}

bool patience_lasts(const struct patience *patience)
{
	static const struct timespec moment = {0, MOMENT_NS};
	long slept = SYS2(nanosleep, &moment, NULL);

	if (pending() & ~patience->pending)
		return false;
	if ((slept == 0 || slept == -EINTR) && now() < patience->until)
		return true;
	__atomic_store_n(&in_vain, true, __ATOMIC_RELAXED);
	return false;
}

void patience_ends_well(void)
{
	if (unlikely(__atomic_load_n(&in_vain, __ATOMIC_RELAXED)))
		__atomic_store_n(&in_vain, false, __ATOMIC_RELAXED);
}
