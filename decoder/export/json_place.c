#include "decoder/export/json_place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "decoder/names/frames.h"

static void put_function(
	struct render_buffer *out, const char *name, const struct place *place)
{
	if (!place->function)
		return;
	render_buffer_put(out, name, strlen(name));
	json_text_word(out, place->function);
	render_buffer_put_byte(out, ',');
}

static void put_line(struct render_buffer *out, const struct place *place)
{
	if (!place->file)
		return;
	json_text_put(out, "\"file\":");
	json_text_word(out, place->file);
	json_text_put(out, ",\"line\":");
	json_text_unsigned(out, place->line);
	render_buffer_put_byte(out, ',');
}

static void take_author(void *closure, const struct place *place)
{
	put_function(closure, "\"caller\":", place);
	put_line(closure, place);
}

void json_place_put(struct render_buffer *out, struct places *places,
	const struct message *message)
{
	frames_author(places, message, take_author, out);
}

struct frames {
	struct render_buffer *out;
	size_t left;
	bool any;
};

/* In the file that it is in, or in the process. */
static void put_address(struct render_buffer *out, const struct place *place)
{
	char text[40];

	if (place->module) {
		json_text_put(out, "\"module\":");
		json_text_word(out, place->module);
		render_buffer_put_byte(out, ',');
	}
	snprintf(text, sizeof(text), "\"address\":\"0x%" PRIx64 "\"",
		place->address);
	render_buffer_put(out, text, strlen(text));
}

static bool take_frame(void *closure, const struct place *place)
{
	struct frames *frames = closure;
	struct render_buffer *out = frames->out;

	if (frames->left == 0)
		return false;
	frames->left--;
	if (frames->any)
		render_buffer_put_byte(out, ',');
	frames->any = true;
	render_buffer_put_byte(out, '{');
	put_function(out, "\"function\":", place);
	put_line(out, place);
	put_address(out, place);
	if (place->inlined)
		json_text_put(out, ",\"inlined\":true");
	if (place->jumped)
		json_text_put(out, ",\"tail_call\":true");
	render_buffer_put_byte(out, '}');
	return true;
}

void json_place_stack(struct render_buffer *out, struct places *places,
	const struct message *message, size_t depth)
{
	struct frames frames = {.out = out, .left = depth};

	render_buffer_put_byte(out, '[');
	frames_each(places, message, take_frame, &frames);
	render_buffer_put_byte(out, ']');
}
