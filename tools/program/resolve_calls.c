#include "tools/program/resolve_calls.h"

#include <stdlib.h>
#include <string.h>

struct calls {
	struct resolve_call *calls;
	size_t count;
	size_t room;
	bool failed; /* no memory */
};

static bool make_room(struct calls *calls)
{
	size_t room = calls->room ? calls->room * 2 : 64;
	struct resolve_call *grown;

	if (calls->count < calls->room)
		return true;
	grown = reallocarray(calls->calls, room, sizeof(*grown));
	if (!grown)
		return false;
	calls->calls = grown;
	calls->room = room;
	return true;
}

/* A process knows a call by the byte before the one it returns to. */
static void take_call(void *closure, const struct symbolizer_call *call)
{
	struct calls *calls = closure;

	if (!make_room(calls)) {
		calls->failed = true;
		return;
	}
	calls->calls[calls->count++] = (struct resolve_call){
		.address = call->address,
		.offset = call->function && call->next ? call->next - 1 : 0,
		.through = call->function ? 0 : call->target,
	};
}

static bool expect(const struct calls *calls, struct symbolizer *symbolizer,
	const struct symbolizer_module *module)
{
	uint64_t *addresses =
		reallocarray(NULL, calls->count + 1, sizeof(*addresses));

	if (!addresses)
		return false;
	for (size_t i = 0; i < calls->count; i++)
		addresses[i] = calls->calls[i].address;
	symbolizer_expect(symbolizer, module, addresses, calls->count);
	free(addresses);
	return true;
}

const char *resolve_calls_watch(const char *path, struct symbolizer *symbolizer,
	const struct resolve_watch *watch)
{
	const struct symbolizer_module module = {.path = path};
	struct calls calls = {0};
	const char *why = symbolizer_calls(path, take_call, &calls);

	if (!why && (calls.failed || !expect(&calls, symbolizer, &module)))
		why = "out of memory";
	for (size_t i = 0; !why && i < calls.count; i++) {
		symbolizer_resolve(symbolizer, &module, calls.calls[i].address,
			watch->frame, watch->closure);
		watch->call(watch->closure, &calls.calls[i]);
	}
	free(calls.calls);
	return why;
}
