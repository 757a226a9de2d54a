#include "shim/writer/ring_owner.h"

#include "shim/control/process.h"
#include "shim/file/capture_file.h"
#include "shim/host/clock.h"
#include "shim/host/sys.h"
#include "shim/writer/life.h"
#include "shim/writer/ring.h"
#include "shim/writer/ring_place.h"

/* Of all places at once. */
#define SEEN_MOST 1024u

/* Numbers of threads mean the same to all processes of one namespace. */
static bool is_at_home(void)
{
	const struct binlog_founder *founder =
		(const void *)((const char *)capture_file_header +
			       BINLOG_FOUNDER_OFFSET);
	static uint32_t asked; /* as which process */
	static bool home;

	if (asked != process.pid) {
		home = process_is_founder() ||
		       (founder->pid_namespace != 0 && !sys_forbidden &&
			       life_pid_namespace() == founder->pid_namespace);
		asked = process.pid;
	}
	return home;
}

void ring_owner_set(struct binlog_ring_place *place, uint32_t tid)
{
	__atomic_store_n(
		&place->owner, is_at_home() ? tid : 0, __ATOMIC_RELEASE);
}

void ring_owner_clear(struct binlog_ring_place *place)
{
	__atomic_store_n(&place->owner, 0, __ATOMIC_RELEASE);
}

bool ring_owner_take_back(struct binlog_ring_place *place, uint64_t owner)
{
	return __atomic_compare_exchange_n(&place->owner, &owner, 0, false,
		__ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static bool is_gone(uint64_t owner)
{
	return owner != 0 && SYS2(tkill, owner, 0) == -ESRCH;
}

/* Whoever fills it, and will not come back, has finished. */
static bool finish_for(
	struct binlog_ring *ring, struct binlog_ring_place *place)
{
	uint64_t state = ring_place_state(place);
	uint64_t owner = __atomic_load_n(&place->owner, __ATOMIC_ACQUIRE);
	uint64_t writer = ring_place_writer(state);

	/* Another thread may go on with it. */
	if ((state & RING_STATE) != RING_OPEN || !is_gone(owner) ||
		!ring_owner_take_back(place, owner))
		return false;
	place->until = clock_ticks();
	return ring_place_change(
		place, state, ring_place_state_for(ring, writer, RING_DONE));
}

/* Looks at some, in turns.  True: there is one more that can be taken. */
bool ring_owner_find_gone(uint32_t asked)
{
	static uint32_t cursor;
	struct binlog_ring *ring = ring_of(capture_file_header);
	uint32_t count = ring_place_count(ring);
	uint32_t seen = count < SEEN_MOST ? count : SEEN_MOST;
	bool any = false;

	if (sys_forbidden || count == 0 || !is_at_home())
		return false;
	for (; asked > 0 && seen > 0; seen--) {
		uint32_t i = __atomic_fetch_add(&cursor, 1, __ATOMIC_RELAXED);
		struct binlog_ring_place *place = &ring_places[i % count];

		if ((ring_place_state(place) & RING_STATE) != RING_OPEN)
			continue;
		any |= finish_for(ring, place);
		asked--;
	}
	return any;
}
