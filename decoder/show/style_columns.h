/*
 * Lines in columns: the style `line` with --columns, and the style `timeline`.
 */
#ifndef DECODER_STYLE_COLUMNS_H
#define DECODER_STYLE_COLUMNS_H

#include "decoder/output/style.h"

/* As a style's begin(); `named`: arguments as name(value) in the text. */
void *style_columns_begin_with(const struct style_settings *settings,
	const struct columns *columns, bool named);

/* The rest of such a style. */
void style_columns_message(void *state, const struct message *message);
void style_columns_end(void *state);

#endif
