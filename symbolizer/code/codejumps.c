#include "symbolizer/code/codejumps.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/code/callsites.h"
#include "symbolizer/code/imports.h"

static void take_call(void *closure, const struct symbolizer_call *call)
{
	struct codejumps *jumps = closure;
	struct codejumps_jump *grown;
	uint8_t *text;

	if (call->next != 0 || call->more || call->text_count != 1 ||
		call->texts[0].wide)
		return;
	grown = array_grow(
		jumps->jumps, &jumps->room, jumps->count, sizeof(*grown));
	if (!grown)
		return;
	jumps->jumps = grown;
	text = malloc(call->texts[0].count + 1);
	if (!text)
		return;
	memcpy(text, call->texts[0].bytes, call->texts[0].count);
	grown[jumps->count++] = (struct codejumps_jump){
		.address = call->address,
		.text = text,
		.bytes = call->texts[0].count,
	};
}

void codejumps_each(struct codejumps *jumps, struct elffile *file,
	uint64_t argument, void (*take)(void *closure, uint64_t address),
	void *closure)
{
	struct constantdata data;
	const uint8_t *text;
	size_t bytes;
	size_t i;

	if (!constantdata_open(&data, file))
		return;
	text = constantdata_string(&data, argument, &bytes);
	if (text && !jumps->loaded) {
		jumps->loaded = true;
		callsites_list(file, take_call, jumps);
	}
	for (i = 0; text && i < jumps->count; i++)
		if (jumps->jumps[i].bytes == bytes &&
			memcmp(jumps->jumps[i].text, text, bytes) == 0)
			take(closure, jumps->jumps[i].address);
	constantdata_close(&data);
}

void codejumps_free(struct codejumps *jumps)
{
	while (jumps->count > 0)
		free(jumps->jumps[--jumps->count].text);
	free(jumps->jumps);
	memset(jumps, 0, sizeof(*jumps));
}
