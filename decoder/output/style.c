#include "decoder/output/style.h"

#include <string.h>

const struct style style_all[] = {
#define STYLE(name, reads, place, of, what)                                    \
	{#name, what, STYLE_READS_##reads, STYLE_PLACE_##place, STYLE_OF_##of, \
		style_##name##_begin, style_##name##_message,                  \
		style_##name##_end},
#include "decoder/output/styles.def"
#undef STYLE
	{NULL, NULL, STYLE_READS_NOTHING, STYLE_PLACE_TEXT, STYLE_OF_TEXTS,
		NULL, NULL, NULL}};

const struct style *style_find(const char *name)
{
	const struct style *style;

	for (style = style_all; style->name; style++)
		if (strcmp(style->name, name) == 0)
			return style;
	return NULL;
}

const struct style *style_chosen(const struct options *options)
{
	const struct style *style = style_find(options->style);

	if (options->as_written)
		return &style_written;
	if (style && style->begin == style_line_begin &&
		options->columns.count > 0)
		return &style_columns;
	return style;
}
