#include "decoder/html/html_spans.h"

#include <stdlib.h>

#include "base/escape.h"
#include "base/limits.h"
#include "decoder/html/html_json.h"
#include "decoder/html/html_rows.h"
#include "decoder/query/filter.h"
#include "decoder/stats/spans.h"

#define SPANS 16384u

struct html_spans {
	const struct options *options;
	struct html_index *index;
	struct html_page *page;
	struct spans *spans;
	uint32_t count; /* in this chunk */
	uint64_t wall;	/* of the one before in it, or 0 */
	struct render_buffer values;
	struct render_buffer key;
};

static void put_chunk(struct html_spans *spans)
{
	struct render_buffer chunk = {0};

	html_rows_put_number(&chunk, spans->count);
	render_buffer_put(&chunk, spans->values.data, spans->values.length);
	chunk.failed = chunk.failed || spans->values.failed;
	html_page_put_chunk(spans->page, "spans", &chunk, 1);
	render_buffer_free(&chunk);
	spans->values.length = 0;
	spans->count = 0;
	spans->wall = 0;
}

/* Those that have not ended have no length. */
static void take(void *closure, const struct span *span)
{
	struct html_spans *spans = closure;
	struct render_buffer *out = &spans->values;

	if (!span->ended)
		return;
	html_rows_put_signed(out, span->begin.wall - spans->wall);
	spans->wall = span->begin.wall;
	html_rows_put_number(out, span->duration);
	html_rows_put_number(out, span->rule);
	html_rows_put_number(
		out, html_index_thread_of(spans->index, span->begin.program,
			     span->begin.tid));
	spans->key.length = 0;
	escape_put(&spans->key, span->key,
		limits_cut(LIMIT_HTML_TEXT, span->key_bytes), ESCAPE_NEWLINE);
	html_rows_put_number(out, spans->key.length);
	render_buffer_put(out, spans->key.data, spans->key.length);
	if (++spans->count == SPANS)
		put_chunk(spans);
}

struct html_spans *html_spans_new(const struct style_settings *settings,
	struct html_index *index, struct html_page *page, bool *failed)
{
	const struct span_rules *rules = &settings->options->spans;
	struct html_spans *spans;

	*failed = false;
	if (rules->count == 0)
		return NULL;
	spans = calloc(1, sizeof(*spans));
	if (spans) {
		spans->options = settings->options;
		spans->index = index;
		spans->page = page;
		spans->spans = spans_new(rules, NULL, take, spans);
	}
	if (spans && spans->spans)
		return spans;
	*failed = true;
	free(spans);
	return NULL;
}

void html_spans_message(struct html_spans *spans, const struct message *message)
{
	if (spans && filter_selects(&spans->options->rules, message))
		spans_message(spans->spans, message);
}

/* [rule,how many have ended,how many have not] */
static void put_rules(const struct html_spans *spans,
	const struct span_rules *rules, struct render_buffer *out)
{
	size_t i;

	for (i = 0; i < rules->count; i++) {
		const struct span_sum *sum = spans_sum(spans->spans, i);

		html_json_put_plain(out, i > 0 ? ",[" : "[");
		html_json_put_string(out, rules->all[i].text);
		html_json_put_plain(out, ",");
		html_json_put_number(out, sum->durations.count);
		html_json_put_plain(out, ",");
		html_json_put_number(out, sum->unfinished);
		html_json_put_plain(out, "]");
	}
}

void html_spans_end(struct html_spans *spans,
	const struct style_settings *settings, struct render_buffer *out)
{
	html_json_put_plain(out, "\"spans\":[");
	if (spans) {
		spans_finish(spans->spans);
		if (spans->count > 0)
			put_chunk(spans);
		put_rules(spans, &settings->options->spans, out);
	}
	html_json_put_plain(out, "]");
}

void html_spans_free(struct html_spans *spans)
{
	if (!spans)
		return;
	spans_free(spans->spans);
	render_buffer_free(&spans->values);
	render_buffer_free(&spans->key);
	free(spans);
}
