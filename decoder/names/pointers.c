#include "decoder/names/pointers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define NAME_BYTES_MAX 256

struct pointers {
	struct locations *locations;
	struct render_pointers hook;
	const struct message *message;
	struct render_buffer name; /* of what the last pointer points to */
};

/* The outermost place is the last: what is inlined has no address. */
static void take(void *closure, const struct location *location)
{
	struct pointers *pointers = closure;
	const char *name =
		location->function ? location->function : location->module;
	uint64_t offset =
		location->function ? location->offset : location->address;
	char number[32] = "";

	pointers->name.length = 0;
	if (!name)
		return;
	if (offset > 0)
		snprintf(number, sizeof(number), "+0x%" PRIx64, offset);
	escape_put(&pointers->name, name, strnlen(name, NAME_BYTES_MAX),
		ESCAPE_NEWLINE);
	render_buffer_put(&pointers->name, number, strlen(number));
}

static void put(void *closure, struct render_buffer *out, uint64_t pointer)
{
	struct pointers *pointers = closure;

	pointers->name.length = 0;
	locations_find(pointers->locations, pointers->message, pointer, take,
		pointers);
	if (pointers->name.length == 0)
		return;
	render_buffer_put(out, " <", 2);
	render_buffer_put(out, pointers->name.data, pointers->name.length);
	render_buffer_put_byte(out, '>');
}

struct pointers *pointers_new(struct locations *locations)
{
	struct pointers *pointers = calloc(1, sizeof(*pointers));

	if (!pointers)
		return NULL;
	pointers->locations = locations;
	pointers->hook = (struct render_pointers){put, pointers};
	return pointers;
}

void pointers_show(struct pointers *pointers, const struct message *message,
	struct render_buffer *out)
{
	pointers->message = message;
	out->pointers = &pointers->hook;
}

void pointers_free(struct pointers *pointers)
{
	if (!pointers)
		return;
	render_buffer_free(&pointers->name);
	free(pointers);
}
