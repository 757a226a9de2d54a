#include "shim/streams/stream_order.h"

#include "shim/host/host.h"

/* Others are taken to be the newest. */
#define FILES_MAX 16384u

enum { ORDER_STDOUT = 1, ORDER_STDERR = 2 };

/* Those that are open. */
static struct place {
	const FILE *file; /* null: free */
	uint16_t order;	  /* 0: not known yet */
} places[FILES_MAX];
static unsigned places_used;

static const FILE *file_of(const struct place *place)
{
	return __atomic_load_n(&place->file, __ATOMIC_ACQUIRE);
}

static struct place *find(const FILE *file)
{
	unsigned used = __atomic_load_n(&places_used, __ATOMIC_ACQUIRE);

	for (unsigned i = 0; i < used; i++)
		if (file_of(&places[i]) == file)
			return &places[i];
	return NULL;
}

static uint16_t newest(void)
{
	unsigned used = __atomic_load_n(&places_used, __ATOMIC_ACQUIRE);
	uint16_t order = ORDER_STDERR;

	for (unsigned i = 0; i < used; i++)
		if (file_of(&places[i])) {
			uint16_t its = __atomic_load_n(
				&places[i].order, __ATOMIC_RELAXED);

			order = its > order ? its : order;
		}
	return order;
}

static struct place *take(const FILE *file)
{
	for (unsigned i = 0; i < FILES_MAX; i++) {
		unsigned used = __atomic_load_n(&places_used, __ATOMIC_ACQUIRE);
		const FILE *none = NULL;

		if (file_of(&places[i]) ||
			!__atomic_compare_exchange_n(&places[i].file, &none,
				file, false, __ATOMIC_ACQ_REL,
				__ATOMIC_ACQUIRE))
			continue;
		while (used < i + 1 &&
			!__atomic_compare_exchange_n(&places_used, &used, i + 1,
				false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			;
		return &places[i];
	}
	return NULL;
}

/* Not what the one had that was at its address a moment ago, and is closed. */
void stream_order_opened(const FILE *file)
{
	static uint32_t opened;
	uint32_t order = newest() + 1u +
			 __atomic_fetch_add(&opened, 1, __ATOMIC_RELAXED) % 2;
	struct place *place = find(file);

	if (!place)
		place = take(file);
	if (place)
		__atomic_store_n(&place->order,
			order < UINT16_MAX ? (uint16_t)order : UINT16_MAX,
			__ATOMIC_RELEASE);
}

void stream_order_closed(const FILE *file)
{
	struct place *place = find(file);

	if (!place)
		return;
	__atomic_store_n(&place->order, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&place->file, NULL, __ATOMIC_RELEASE);
}

uint16_t stream_order_of(const FILE *file)
{
	const struct place *place = find(file);

	if (!place && (file == host_file_stdout || file == host_file_stderr))
		return file == host_file_stdout ? ORDER_STDOUT : ORDER_STDERR;
	if (!place) {
		stream_order_opened(file);
		place = find(file);
	}
	return place ? __atomic_load_n(&place->order, __ATOMIC_ACQUIRE)
		     : UINT16_MAX;
}
