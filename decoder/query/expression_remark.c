#include "decoder/query/expression_remark.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "record/argument_name.h"
#include "record/format.h"
#include "record/word.h"

/* It is nearer than what was the nearest so far. */
static void compare(struct expression_remark *remark,
	const struct expression_name *name, const char *word)
{
	char meant[SUGGEST_LENGTH_MAX + 1];
	size_t distance;

	snprintf(meant, sizeof(meant), "%.*s",
		name->bytes > SUGGEST_LENGTH_MAX ? 0 : (int)name->bytes,
		name->text);
	distance = suggest_distance(meant, word);
	if (!suggest_nearest(meant, &word, 1) ||
		(remark->distance > 0 && remark->distance <= distance))
		return;
	remark->distance = distance;
	snprintf(remark->nearest, sizeof(remark->nearest), "%s", word);
}

/* The name that the text before a directive gives it: the word at its end. */
static void offer(const struct expression *expression,
	const struct format_directive *before)
{
	size_t end = argument_name_end(before->text, before->length);
	size_t start = end;
	char word[SUGGEST_LENGTH_MAX + 1];
	size_t i;

	while (start > 0 && word_has(before->text[start - 1]))
		start--;
	if (start == end || end - start > SUGGEST_LENGTH_MAX)
		return;
	memcpy(word, before->text + start, end - start);
	word[end - start] = '\0';
	for (i = 0; i < expression->name_count; i++)
		if (!expression->remarks[i].met &&
			expression->names[i].number == 0)
			compare(&expression->remarks[i], &expression->names[i],
				word);
}

void expression_remark_note(const struct expression *expression,
	const struct definition_string *format,
	const struct expression_binding *binding)
{
	struct format_directive directive;
	struct format_directive before = {.text = ""};
	struct format_cursor cursor;
	bool all = true;
	size_t i;

	for (i = 0; i < expression->name_count; i++) {
		expression->remarks[i].met |= binding->references[i].kind != 0;
		all = all && expression->remarks[i].met;
	}
	if (all)
		return;
	format_begin(&cursor, format->bytes, format->length);
	while (format_next(&cursor, &directive)) {
		if (directive.conversion)
			offer(expression, &before);
		before = directive;
		if (directive.conversion)
			before.length = 0;
	}
}

void expression_remarks(
	const struct expression *expression, struct render_buffer *out)
{
	size_t i;

	for (i = 0; i < expression->name_count; i++) {
		const struct expression_name *name = &expression->names[i];
		const struct expression_remark *remark =
			&expression->remarks[i];
		char text[256];

		if (remark->met)
			continue;
		snprintf(text, sizeof(text),
			"--where: no message has an argument \"%.*s\": "
			"%s%s%s",
			name->bytes > 64 ? 64 : (int)name->bytes, name->text,
			remark->distance > 0 ? "did you mean " : "",
			remark->distance > 0
				? remark->nearest
				: "--columns=args,message shows their names",
			remark->distance > 0 ? "?" : "");
		escape_put(out, text, strlen(text), ESCAPE_NEWLINE);
		render_buffer_put_byte(out, '\n');
	}
}
