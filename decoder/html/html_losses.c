#include "decoder/html/html_losses.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "decoder/capture/recording_ring.h"
#include "decoder/capture/ring_time.h"
#include "decoder/html/html_json.h"
#include "decoder/source/source.h"

/* [path,bytes,passed,dropped,bytes overwritten in its ring] */
static void put_capture(const struct recording *capture, size_t *shown,
	struct render_buffer *out)
{
	if (limits_reached(LIMIT_HTML_CAPTURES, *shown))
		return;
	html_json_put_plain(out, (*shown)++ > 0 ? ",\n[" : "[");
	html_json_put_string(out, capture->path);
	html_json_put_plain(out, ",");
	html_json_put_number(out, capture->size);
	html_json_put_plain(out, ",");
	html_json_put_number(out, capture->passed);
	html_json_put_plain(out, ",");
	html_json_put_number(out, capture->dropped);
	html_json_put_plain(out, ",");
	html_json_put_number(
		out, capture->ring ? capture->ring->head.overwritten : 0);
	html_json_put_plain(out, "]");
}

/* Of the last capture: all have one list. */
static const struct error_list *put_captures(
	const struct style_settings *settings, struct render_buffer *out)
{
	const struct error_list *errors = NULL;
	struct recording *const *packed;
	size_t shown = 0;
	size_t count, i;

	html_json_put_plain(out, "\"captures\":[");
	for (i = 0; i < settings->capture_count; i++) {
		put_capture(settings->captures[i], &shown, out);
		errors = settings->captures[i]->errors;
	}
	packed = source_packed(settings->messages, &count);
	for (i = 0; i < count; i++) {
		put_capture(packed[i], &shown, out);
		errors = packed[i]->errors;
	}
	html_json_put_plain(out, "]");
	return errors;
}

static void put_sentence(
	const char *sentence, size_t *shown, struct render_buffer *out)
{
	html_json_put_plain(out, (*shown)++ > 0 ? ",\n" : "");
	html_json_put_string(out, sentence);
}

static void put_errors(const struct error_list *errors, size_t *shown,
	struct render_buffer *out)
{
	char sentence[4608];
	size_t more = errors->more;
	size_t i;

	for (i = 0; i < errors->count && i < ERROR_KEPT_MAX; i++) {
		error_sentence(&errors->kept[i], sentence, sizeof(sentence));
		put_sentence(sentence, shown, out);
	}
	more += errors->count - i;
	if (more == 0)
		return;
	snprintf(sentence, sizeof(sentence), "and %zu more of this kind", more);
	put_sentence(sentence, shown, out);
}

void html_losses_put(
	const struct style_settings *settings, struct render_buffer *out)
{
	const struct error_list *errors = put_captures(settings, out);
	const char *sentence;
	size_t shown = 0;
	size_t i;

	html_json_put_plain(out, ",\n\"problems\":[");
	if (errors)
		put_errors(errors, &shown, out);
	for (i = 0; settings->places &&
		    (sentence = places_complaint(settings->places, i));
		i++)
		put_sentence(sentence, &shown, out);
	html_json_put_plain(out, "]");
}
