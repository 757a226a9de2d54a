#include "decoder/render/render_step.h"

#include <string.h>

#include "base/digits.h"
#include "decoder/render/render_directive.h"
#include "decoder/render/render_fixed.h"

/* May read and write RENDER_STEP_CHUNK - 1 bytes more. */
static char *copy_text(char *to, const char *text, size_t size)
{
	size_t done = 0;

	do {
		memcpy(to + done, text + done, RENDER_STEP_CHUNK);
		done += RENDER_STEP_CHUNK;
	} while (done < size);
	return to + size;
}

static char *write_signed(char *to, int64_t value)
{
	if (value >= 0)
		return digits_write(to, (uint64_t)value);
	*to = '-';
	return digits_write(to + 1, -(uint64_t)value);
}

static char *write_hex(char *to, uint64_t value)
{
	unsigned int bits = 64 - (unsigned int)__builtin_clzll(value | 1);
	char *end = to + (bits + 3) / 4;
	char *at = end;

	do {
		*--at = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (at > to);
	return end;
}

/* Null: it needs the general way. */
static char *write_fixed(char *to, double value, unsigned int places)
{
	struct render_fixed fixed;
	uint64_t mantissa;
	int exponent;

	memcpy(&mantissa, &value, sizeof(mantissa));
	exponent = (int)(mantissa >> 52 & 0x7ff);
	if (exponent == 0x7ff)
		return NULL;
	if (mantissa >> 63)
		*to++ = '-';
	mantissa &= ((uint64_t)1 << 52) - 1;
	if (exponent != 0)
		mantissa |= (uint64_t)1 << 52;
	else
		exponent = 1;
	if (!render_fixed_split(&fixed, mantissa, exponent - 1075, places))
		return NULL;
	to = digits_write(to, fixed.integer);
	if (places == 0)
		return to;
	/* The digit before the places makes room for the point. */
	digits_write_last(to, fixed.fraction, places + 1);
	*to = '.';
	return to + 1 + places;
}

/* Makes the text from `begin` on as wide as the step has it. */
static char *widen(char *begin, char *end, const struct render_step *step)
{
	size_t size = (size_t)(end - begin);
	size_t padding = step->width - size;
	size_t sign = size > 0 && *begin == '-';

	if (step->flags & FORMAT_MINUS) {
		memset(end, ' ', padding);
	} else if (step->flags & FORMAT_ZERO) {
		memmove(begin + sign + padding, begin + sign, size - sign);
		memset(begin + sign, '0', padding);
	} else {
		memmove(begin + padding, begin, size);
		memset(begin, ' ', padding);
	}
	return end + padding;
}

/* One use of a plan. */
struct use {
	const struct render_steps *steps;
	struct render_call call;
	char *at; /* where the text goes on; the buffer has room for it */
};

/* The text ends at `at`. */
static void settle(struct use *use)
{
	struct render_buffer *out = use->call.piece.out;

	out->length = (size_t)(use->at - out->data);
}

/* Room for all that is to come and so much more. */
static bool make_room(struct use *use, size_t more)
{
	struct render_buffer *out = use->call.piece.out;

	if (!render_buffer_reserve(out, use->steps->room + more))
		return false;
	use->at = out->data + out->length;
	return true;
}

static char *write_pointer(struct use *use, uint64_t value)
{
	if (value == 0 || use->call.piece.out->pointers)
		return NULL;
	memcpy(use->at, "0x", 2);
	return write_hex(use->at + 2, value);
}

static char *write_string(
	struct use *use, const struct render_argument *argument, size_t most)
{
	size_t size = argument->bytes < most ? argument->bytes : most;

	if (argument->null || !argument->data)
		return NULL;
	settle(use);
	if (!make_room(use, size))
		return NULL;
	memcpy(use->at, argument->data, size);
	return use->at + size;
}

static char *write_clipped(struct use *use, const struct render_step *step,
	const struct render_argument *argument)
{
	const struct render_argument *star =
		step->places < use->call.count
			? &use->call.arguments[step->places]
			: NULL;

	if (!star || star->kind != BINLOG_ARG_I32)
		return NULL;
	return write_string(
		use, argument, star->i32 < 0 ? SIZE_MAX : (size_t)star->i32);
}

/* Null: it needs the general way. */
static char *write_argument(struct use *use, const struct render_step *step,
	const struct render_argument *argument)
{
	switch (step->how) {
	case RENDER_HOW_SIGNED:
		return write_signed(use->at, argument->i32);
	case RENDER_HOW_SIGNED_LONG:
		return write_signed(use->at, argument->i64);
	case RENDER_HOW_UNSIGNED:
		return digits_write(use->at, (uint32_t)argument->i32);
	case RENDER_HOW_UNSIGNED_LONG:
		return digits_write(use->at, (uint64_t)argument->i64);
	case RENDER_HOW_HEX:
		return write_hex(use->at, (uint32_t)argument->i32);
	case RENDER_HOW_HEX_LONG:
		return write_hex(use->at, (uint64_t)argument->i64);
	case RENDER_HOW_POINTER:
		return write_pointer(use, (uint64_t)argument->i64);
	case RENDER_HOW_STRING:
		return write_string(use, argument,
			step->places == RENDER_STEP_ALL ? SIZE_MAX
							: step->places);
	case RENDER_HOW_STRING_STAR:
		return write_clipped(use, step, argument);
	case RENDER_HOW_CHARACTER:
		*use->at = (char)argument->i32;
		return use->at + 1;
	default: /* RENDER_HOW_FIXED */
		return write_fixed(use->at, argument->f64, step->places);
	}
}

/* False: the general way must be taken. */
static bool put_shortly(struct use *use, const struct render_step *step)
{
	const struct render_call *call = &use->call;
	size_t width = step->width;
	char *end;

	if (step->how == RENDER_HOW_GENERAL || step->argument >= call->count ||
		call->arguments[step->argument].kind != step->kind ||
		width > call->piece.fill)
		return false;
	end = write_argument(use, step, &call->arguments[step->argument]);
	if (!end)
		return false;
	if (width > (size_t)(end - use->at)) {
		use->call.piece.fill -= width - (size_t)(end - use->at);
		end = widen(use->at, end, step);
	}
	use->at = end;
	return true;
}

static int put_generally(struct use *use, const struct render_step *step)
{
	const struct render_steps *steps = use->steps;
	struct format_cursor cursor = {
		.at = steps->format + step->directive,
		.end = steps->format + steps->length,
		.next_argument = step->next,
		.general = step->general,
		.libc = LIBC_ANY,
	};
	struct format_directive directive;
	int outcome;

	format_next(&cursor, &directive);
	use->call.general = cursor.general;
	use->call.used = step->used;
	settle(use);
	outcome = render_directive_put(&use->call, &directive);
	return make_room(use, 0) ? outcome : RENDER_NO_MEMORY;
}

static bool is_beyond(struct use *use)
{
	const struct render_call *call = &use->call;
	const char *start = call->piece.out->data + call->start;

	if ((size_t)(use->at - start) <= call->limit && call->piece.digits > 0)
		return false;
	settle(use);
	return render_directive_is_beyond(&use->call);
}

/* *rest: where the format could not be followed any more. */
static int put_steps(struct use *use, const char **rest)
{
	const struct render_steps *steps = use->steps;
	const char *text = steps->text;
	size_t i;

	*rest = steps->format + steps->end;
	for (i = 0; i < steps->count; i++) {
		const struct render_step *step = &steps->step[i];
		int outcome = RENDER_COMPLETE;

		use->at = copy_text(use->at, text, step->text);
		text += step->text;
		if (!put_shortly(use, step))
			outcome = put_generally(use, step);
		if (outcome != RENDER_COMPLETE) {
			*rest = steps->format + step->directive;
			return outcome;
		}
		if (is_beyond(use))
			return RENDER_COMPLETE;
	}
	use->at = copy_text(use->at, text, steps->rest);
	return steps->end == steps->length ? RENDER_COMPLETE : RENDER_UNDEFINED;
}

int render_step_put_all(const struct render_steps *steps,
	struct render_buffer *out, const struct render_argument *arguments,
	size_t count, uint32_t libc)
{
	struct use use = {
		.steps = steps,
		.call = render_directive_begin(
			out, steps->length, arguments, count, NULL, libc),
	};
	const char *rest;
	int outcome;

	if (!make_room(&use, 0))
		return RENDER_NO_MEMORY;
	outcome = put_steps(&use, &rest);
	if (outcome != RENDER_NO_MEMORY)
		settle(&use);
	return render_directive_end(
		&use.call, outcome, rest, steps->format + steps->length);
}
