#include "decoder/render/render_directive.h"

#include <string.h>

const struct render_locale render_directive_c = {".", "", ""};

/* The argument at the index, NULL if there is none of this kind. */
static const struct render_argument *find_argument(
	struct render_call *call, int index, enum binlog_argument kind)
{
	size_t at = (size_t)index;

	if (at >= call->count || call->arguments[at].kind != kind)
		return NULL;
	if (at >= call->used)
		call->used = at + 1;
	return &call->arguments[at];
}

static bool take_errno(struct render_call *call)
{
	if (call->errno_taken)
		return true;
	if (call->count <= call->used ||
		call->arguments[call->count - 1].kind != BINLOG_ARG_I32)
		return false;
	call->error = call->arguments[--call->count].i32;
	call->errno_taken = true;
	return true;
}

static bool is_float(const struct render_piece *piece)
{
	return strchr("eEfFgGaA", piece->conversion) != NULL;
}

/* Resolves what "*" stands for. */
static bool take_stars(
	struct render_call *call, const struct format_directive *directive)
{
	const struct render_argument *star;
	struct render_piece *piece = &call->piece;

	if (directive->width_argument != FORMAT_NONE) {
		star = find_argument(
			call, directive->width_argument, BINLOG_ARG_I32);
		if (star == NULL)
			return false;
		piece->width = star->i32;
		if (piece->width < 0) {
			piece->width = -piece->width;
			piece->flags |= FORMAT_MINUS;
			/* The second parser of glibc lets a '0' stand for */
			/* the floats, which then put it behind them. */
			if (call->general && is_float(piece) &&
				(directive->flags &
					(FORMAT_ZERO | FORMAT_MINUS)) ==
					FORMAT_ZERO)
				piece->behind = '0';
		}
	}
	if (directive->precision_argument != FORMAT_NONE) {
		star = find_argument(
			call, directive->precision_argument, BINLOG_ARG_I32);
		if (star == NULL)
			return false;
		piece->precision = star->i32;
	}
	return true;
}

static void put_signed(struct render_piece *piece, int64_t value)
{
	if (piece->size == FORMAT_CHAR)
		value = (int8_t)value;
	else if (piece->size == FORMAT_SHORT)
		value = (int16_t)value;
	render_integer_put(piece,
		value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

static void put_unsigned(struct render_piece *piece, uint64_t value)
{
	if (piece->size == FORMAT_CHAR)
		value = (uint8_t)value;
	else if (piece->size == FORMAT_SHORT)
		value = (uint16_t)value;
	else if (piece->size == FORMAT_INT)
		value = (uint32_t)value;
	render_integer_put(piece, value, false);
}

static int put_integer(
	struct render_call *call, const struct format_directive *directive)
{
	bool wide = directive->size == FORMAT_LONG;
	const struct render_argument *argument = find_argument(call,
		directive->argument, wide ? BINLOG_ARG_I64 : BINLOG_ARG_I32);
	int64_t value;

	if (argument == NULL)
		return RENDER_MISMATCH;
	value = wide ? argument->i64 : argument->i32;
	if (directive->conversion == 'd')
		put_signed(&call->piece, value);
	else
		put_unsigned(&call->piece, (uint64_t)value);
	return RENDER_COMPLETE;
}

static int put_float(
	struct render_call *call, const struct format_directive *directive)
{
	const struct render_argument *argument = find_argument(call,
		directive->argument,
		directive->size == FORMAT_LONG_DOUBLE ? BINLOG_ARG_LONG_DOUBLE
						      : BINLOG_ARG_F64);

	if (argument == NULL || (argument->kind == BINLOG_ARG_LONG_DOUBLE &&
					argument->data == NULL))
		return RENDER_MISMATCH;
	render_float_put(&call->piece, argument);
	return RENDER_COMPLETE;
}

static int put_string(
	struct render_call *call, const struct format_directive *directive)
{
	const struct render_argument *argument =
		find_argument(call, directive->argument,
			directive->size == FORMAT_LONG ? BINLOG_ARG_WIDE
						       : BINLOG_ARG_STRING);

	if (argument == NULL)
		return RENDER_MISMATCH;
	return render_text_put_string(&call->piece, argument) ? RENDER_COMPLETE
							      : RENDER_BROKEN;
}

static int put_character(
	struct render_call *call, const struct format_directive *directive)
{
	const struct render_argument *argument =
		find_argument(call, directive->argument, BINLOG_ARG_I32);

	if (argument == NULL)
		return RENDER_MISMATCH;
	return render_text_put_character(&call->piece, argument->i32)
		       ? RENDER_COMPLETE
		       : RENDER_BROKEN;
}

static int put_pointer(
	struct render_call *call, const struct format_directive *directive)
{
	const struct render_pointers *pointers = call->piece.out->pointers;
	const struct render_argument *argument =
		find_argument(call, directive->argument, BINLOG_ARG_I64);

	if (argument == NULL)
		return RENDER_MISMATCH;
	if (directive->conversion == 'n')
		return RENDER_COMPLETE;
	if (argument->i64 == 0)
		render_text_put(&call->piece, "(nil)", 5);
	else
		render_integer_put(
			&call->piece, (uint64_t)argument->i64, false);
	if (pointers)
		pointers->put(pointers->closure, call->piece.out,
			(uint64_t)argument->i64);
	return RENDER_COMPLETE;
}

int render_directive_put(
	struct render_call *call, const struct format_directive *directive)
{
	struct render_piece *piece = &call->piece;

	piece->conversion = directive->conversion;
	piece->flags = directive->flags;
	piece->size = directive->size;
	piece->width = directive->width == FORMAT_NONE ? 0 : directive->width;
	piece->precision = directive->precision;
	piece->behind = ' ';
	if (!take_stars(call, directive))
		return RENDER_MISMATCH;
	switch (directive->conversion) {
	case '%':
		render_buffer_put_byte(piece->out, '%');
		return RENDER_COMPLETE;
	case 'm':
		if (!take_errno(call))
			return RENDER_MISMATCH;
		render_text_put_errno(piece, call->error);
		return RENDER_COMPLETE;
	case 's':
		return put_string(call, directive);
	case 'c':
		return put_character(call, directive);
	case 'p':
	case 'n':
		return put_pointer(call, directive);
	case 'd':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
	case 'b':
	case 'B':
		return put_integer(call, directive);
	default:
		return put_float(call, directive);
	}
}

/*
 * How long the text may get: numbered arguments can be used again and again,
 * so a short format could ask for any amount of it.
 */
static size_t most_text(const struct render_call *call)
{
	size_t most = call->limit + call->length;
	size_t i;

	for (i = 0; i < call->count; i++)
		if (call->arguments[i].kind == BINLOG_ARG_STRING ||
			call->arguments[i].kind == BINLOG_ARG_WIDE)
			most += call->arguments[i].bytes;
	return most;
}

bool render_directive_is_beyond(struct render_call *call)
{
	size_t length = call->piece.out->length - call->start;

	/* The padding has its own limit. */
	if (call->piece.digits > 0 &&
		(length <= call->limit ||
			length - (call->limit - call->piece.fill) <=
				most_text(call)))
		return false;
	call->piece.cut = true;
	return true;
}

int render_directive_end(struct render_call *call, int outcome,
	const char *rest, const char *end)
{
	struct render_buffer *out = call->piece.out;

	if (outcome == RENDER_UNDEFINED || outcome == RENDER_MISMATCH)
		render_buffer_put(out, rest, (size_t)(end - rest));
	if (out->failed)
		return RENDER_NO_MEMORY;
	out->cut |= call->piece.cut;
	if (outcome == RENDER_COMPLETE && call->piece.cut)
		return RENDER_CUT;
	return outcome;
}
