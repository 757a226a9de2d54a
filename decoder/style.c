#include "decoder/style.h"

#include <string.h>

const struct style style_all[] = {
#define STYLE(name, reads, what)                                               \
	{#name, what, STYLE_READS_##reads, style_##name##_begin,               \
		style_##name##_message, style_##name##_end},
#include "decoder/styles.def"
#undef STYLE
	{NULL, NULL, STYLE_READS_NOTHING, NULL, NULL, NULL}};

const struct style *style_find(const char *name)
{
	const struct style *style;

	for (style = style_all; style->name; style++)
		if (strcmp(style->name, name) == 0)
			return style;
	return NULL;
}
