#include "shim/unwind/unwind.h"

#include <stddef.h>

#include "shim/unwind/unwind_backend.h"

uintptr_t unwind_library;

const uint32_t unwind_cache_bytes = UNWIND_CACHE_BYTES;

/* Valid before unwind_select(), too: calls come before our constructor. */
static const struct unwind_backend *backend = &unwind_cfi;

static bool is_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

void unwind_select(const char *name)
{
	const struct unwind_backend *chosen = NULL;

	if (name && is_equal(name, "libunwind"))
		chosen = unwind_libunwind_load();
	backend = chosen ? chosen : &unwind_cfi;
}

void unwind_walk(const struct unwind_start *start, unsigned max_depth,
	struct unwind_cache *cache, struct unwind_trace *trace)
{
	backend->walk(start, max_depth, cache, trace);
}

void unwind_forget(struct unwind_cache *cache)
{
	backend->forget(cache);
}

void unwind_leave(struct unwind_cache *cache)
{
	backend->leave(cache);
}
