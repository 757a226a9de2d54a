#include "decoder/stats/span_remarks.h"

#include <string.h>

#include "base/escape.h"
#include "base/suggest.h"

static bool is_among(
	const char *const *texts, size_t count, const char *text, size_t bytes)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strncmp(texts[i], text, bytes) == 0 &&
			texts[i][bytes] == '\0')
			return true;
	return false;
}

static void add(struct pool *pool, const char **texts, size_t *count,
	size_t room, const char *text, size_t bytes)
{
	const char *copy;

	if (*count == room || is_among(texts, *count, text, bytes))
		return;
	copy = pool_copy(pool, text, bytes);
	if (copy)
		texts[(*count)++] = copy;
}

void span_remarks_add_format(
	struct span_remarks *remarks, const char *format, size_t bytes)
{
	if (bytes > 0 && format[bytes - 1] == '\n')
		bytes--;
	if (bytes <= SUGGEST_LENGTH_MAX)
		add(&remarks->pool, remarks->formats, &remarks->format_count,
			SPAN_REMARKS_FORMATS, format, bytes);
}

void span_remarks_add_match(struct span_remarks *remarks, size_t rule,
	bool ends, const struct fields *fields,
	const struct field *const has[SPAN_PARTS_MAX])
{
	struct span_side *side = &remarks->sides[rule][ends];
	size_t i;

	side->matched = true;
	for (i = 0; i < SPAN_PARTS_MAX; i++)
		side->has[i] = side->has[i] || has[i];
	for (i = 0; i < fields->count; i++)
		add(&remarks->pool, side->names, &side->name_count,
			SPAN_REMARKS_NAMES, fields->all[i].name,
			strlen(fields->all[i].name));
}

static void put_string(struct render_buffer *out, const char *string)
{
	render_buffer_put(out, string, strlen(string));
}

static void put_quoted(struct render_buffer *out, const char *text)
{
	put_string(out, "'");
	escape_put(out, text, strlen(text), ESCAPE_NEWLINE);
	put_string(out, "'");
}

static void put_unmatched(const struct span_remarks *remarks, const char *glob,
	struct render_buffer *out)
{
	const char *nearest =
		suggest_nearest(glob, remarks->formats, remarks->format_count);

	put_string(out, "binlog-show: --spans: no message has the format ");
	put_quoted(out, glob);
	if (nearest) {
		put_string(out, ": did you mean ");
		put_quoted(out, nearest);
		put_string(out, "?\n");
	} else {
		put_string(out, ": --columns=format shows those that there "
				"are\n");
	}
}

static void put_nameless(const struct span_side *side, const char *glob,
	const struct span_name *name, struct render_buffer *out)
{
	size_t i;

	put_string(out, "binlog-show: --spans: messages with the format ");
	put_quoted(out, glob);
	put_string(out, " have no argument ");
	escape_put(out, name->text, name->bytes, ESCAPE_NEWLINE);
	if (side->name_count > 0)
		put_string(out, ": they have ");
	for (i = 0; i < side->name_count; i++) {
		put_string(out, i > 0 ? ", " : "");
		escape_put(out, side->names[i], strlen(side->names[i]),
			ESCAPE_NEWLINE);
	}
	put_string(out, "\n");
}

static void put_side(const struct span_remarks *remarks,
	const struct span_rule *rule, const struct span_side *side, bool ends,
	struct render_buffer *out)
{
	const char *glob = ends ? rule->done : rule->start;
	size_t i;

	if (!side->matched) {
		put_unmatched(remarks, glob, out);
		return;
	}
	for (i = 0; i < rule->part_count; i++)
		if (rule->parts[i].of == SPAN_PART_ARGUMENT && !side->has[i])
			put_nameless(side, glob,
				ends ? &rule->parts[i].done
				     : &rule->parts[i].start,
				out);
}

void span_remarks_put(const struct span_remarks *remarks,
	const struct span_rules *rules, struct render_buffer *out)
{
	size_t i;

	for (i = 0; i < rules->count; i++) {
		put_side(remarks, &rules->all[i], &remarks->sides[i][0], false,
			out);
		put_side(remarks, &rules->all[i], &remarks->sides[i][1], true,
			out);
	}
}

void span_remarks_free(struct span_remarks *remarks)
{
	pool_free(&remarks->pool);
	*remarks = (struct span_remarks){0};
}
