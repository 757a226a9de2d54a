#include "decoder/render/render_plan.h"

#include <string.h>

#include "base/digits.h"
#include "decoder/render/render.h"
#include "decoder/render/render_directive.h"
#include "decoder/render/render_number.h"
#include "record/format.h"

/*
 * A format taken apart: each step is plain text and then a directive, and most
 * directives have a short way into the buffer.  Made by render_plan.c for
 * formats that are used often; the text is that of render_format().
 */

#define RENDER_STEP_WIDTH_MAX 32
#define RENDER_STEP_BYTES 64u /* that a step can have beside its strings */
#define RENDER_STEP_ALL UINT8_MAX
#define RENDER_STEP_CHUNK 16u /* text is copied so many bytes at a time */

enum render_how {
	RENDER_HOW_GENERAL, /* by render_directive.c */
	RENDER_HOW_SIGNED,
	RENDER_HOW_SIGNED_LONG,
	RENDER_HOW_UNSIGNED,
	RENDER_HOW_UNSIGNED_LONG,
	RENDER_HOW_HEX,
	RENDER_HOW_HEX_LONG,
	RENDER_HOW_POINTER,
	RENDER_HOW_STRING,
	RENDER_HOW_STRING_STAR, /* the precision is an argument */
	RENDER_HOW_CHARACTER,
	RENDER_HOW_FIXED,
};

/* Plain text, and then a directive. */
struct render_step {
	uint16_t text;	    /* bytes of it */
	uint16_t directive; /* where it begins in the format */
	uint8_t how;	    /* enum render_how */
	uint8_t argument;
	uint8_t kind;	/* enum binlog_argument, that it must be of */
	uint8_t places; /* behind the point; of a string its precision, or */
			/* RENDER_STEP_ALL, or which argument that is */
	uint8_t width;	/* 0: none */
	uint8_t flags;	/* enum format_flag */
	uint8_t used;	/* arguments before it, as in struct render_call */
	uint8_t next;	/* these as in struct format_cursor */
	bool general;
};

struct render_steps {
	const char *format;
	size_t length;
	size_t end;  /* where what glibc does not define begins */
	size_t room; /* for all text but that of strings and general ones */
	const struct render_step *step;
	size_t count;
	const char *text; /* of all; a chunk more than it can be read */
	size_t rest;	  /* bytes of it after the last directive */
};

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

/*
 * Appends the text of the whole format.  Returns an enum render_outcome;
 * `out` must not want to know its pieces.
 */
static int render_step_put_all(const struct render_steps *steps,
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

/*
 * A context takes a few bytes of a file, and its plan many of memory: so one
 * is made only for what has some records, and of what has a usual size.
 */
#define STEPS_MAX 64u
#define FORMAT_MAX 1024u
#define DEFAULT_PLACES 6u
#define NUMBER_MAX 127 /* of an argument; more have no record */

struct render_plan {
	const struct render_steps *steps; /* null: none yet, or never */
	unsigned int uses;		  /* RENDER_PLAN_USES at most */
	bool tried;
};

static uint8_t choose_integer(
	const struct format_directive *directive, uint8_t how)
{
	/* Each way for an int is followed by that for a long. */
	if (directive->size == FORMAT_LONG)
		return (uint8_t)(how + 1);
	return directive->size == FORMAT_INT ? how : RENDER_HOW_GENERAL;
}

static uint8_t choose_fixed(const struct format_directive *directive)
{
	return directive->size != FORMAT_LONG_DOUBLE &&
			       directive->precision <= RENDER_FIXED_PLACES
		       ? RENDER_HOW_FIXED
		       : RENDER_HOW_GENERAL;
}

static uint8_t choose_string(const struct format_directive *directive)
{
	if (directive->size == FORMAT_LONG ||
		directive->precision >= RENDER_STEP_ALL)
		return RENDER_HOW_GENERAL;
	return directive->precision_argument == FORMAT_NONE
		       ? RENDER_HOW_STRING
		       : RENDER_HOW_STRING_STAR;
}

/* Of what has neither a precision nor, but for a width, anything odd. */
static uint8_t choose_plain(const struct format_directive *directive)
{
	switch (directive->conversion) {
	case 'd':
		return choose_integer(directive, RENDER_HOW_SIGNED);
	case 'u':
		return choose_integer(directive, RENDER_HOW_UNSIGNED);
	case 'x':
		return choose_integer(directive, RENDER_HOW_HEX);
	case 'p':
		return directive->flags & FORMAT_ZERO ? RENDER_HOW_GENERAL
						      : RENDER_HOW_POINTER;
	case 'c':
		return directive->size == FORMAT_LONG ? RENDER_HOW_GENERAL
						      : RENDER_HOW_CHARACTER;
	default:
		return RENDER_HOW_GENERAL;
	}
}

/* What has a short way. */
static uint8_t choose(const struct format_directive *directive)
{
	if (directive->flags & (uint8_t) ~(FORMAT_MINUS | FORMAT_ZERO) ||
		directive->width > RENDER_STEP_WIDTH_MAX ||
		directive->width_argument != FORMAT_NONE)
		return RENDER_HOW_GENERAL;
	if (directive->conversion == 's')
		return choose_string(directive);
	if (directive->precision_argument != FORMAT_NONE)
		return RENDER_HOW_GENERAL;
	if (directive->conversion == 'f' || directive->conversion == 'F')
		return choose_fixed(directive);
	return directive->precision == FORMAT_NONE ? choose_plain(directive)
						   : RENDER_HOW_GENERAL;
}

static uint8_t kind_of(uint8_t how)
{
	switch (how) {
	case RENDER_HOW_SIGNED:
	case RENDER_HOW_UNSIGNED:
	case RENDER_HOW_HEX:
	case RENDER_HOW_CHARACTER:
		return BINLOG_ARG_I32;
	case RENDER_HOW_STRING:
	case RENDER_HOW_STRING_STAR:
		return BINLOG_ARG_STRING;
	case RENDER_HOW_FIXED:
		return BINLOG_ARG_F64;
	default:
		return BINLOG_ARG_I64;
	}
}

static uint8_t places_of(const struct format_directive *directive, uint8_t how)
{
	if (how == RENDER_HOW_STRING_STAR)
		return (uint8_t)directive->precision_argument;
	if (directive->precision != FORMAT_NONE)
		return (uint8_t)directive->precision;
	return how == RENDER_HOW_STRING ? RENDER_STEP_ALL : DEFAULT_PLACES;
}

static uint8_t flags_of(const struct format_directive *directive)
{
	uint8_t flags = directive->flags;

	if (flags & FORMAT_MINUS || directive->conversion == 's' ||
		directive->conversion == 'c')
		flags &= (uint8_t)~FORMAT_ZERO;
	return flags;
}

static bool is_percent(const struct format_directive *directive)
{
	return directive->conversion == '%' &&
	       directive->width_argument == FORMAT_NONE &&
	       directive->precision_argument == FORMAT_NONE;
}

/* The highest argument that it takes, plus 1; at least `used`. */
static int highest(const struct format_directive *directive, int used)
{
	if (directive->width_argument >= used)
		used = directive->width_argument + 1;
	if (directive->precision_argument >= used)
		used = directive->precision_argument + 1;
	return directive->argument >= used ? directive->argument + 1 : used;
}

/* A plan that is being made. */
struct draft {
	struct render_steps steps;
	struct render_step step[STEPS_MAX];
	char text[FORMAT_MAX];
	size_t text_bytes;
	int used;
};

static void add_text(struct draft *draft, const char *text, size_t size)
{
	memcpy(draft->text + draft->text_bytes, text, size);
	draft->text_bytes += size;
	draft->steps.rest += size;
}

/* False: this format gets no plan. */
static bool add_directive(struct draft *draft,
	const struct format_directive *directive,
	const struct format_cursor *before)
{
	int used = highest(directive, draft->used);
	uint8_t how = choose(directive);
	struct render_steps *steps = &draft->steps;

	if (steps->count == STEPS_MAX || used > NUMBER_MAX)
		return false;
	draft->step[steps->count++] = (struct render_step){
		.text = (uint16_t)steps->rest,
		.directive = (uint16_t)(directive->text - steps->format),
		.how = how,
		.argument = (uint8_t)(how == RENDER_HOW_GENERAL
					      ? 0
					      : directive->argument),
		.kind = kind_of(how),
		.places = places_of(directive, how),
		.width = (uint8_t)(directive->width > 0 ? directive->width : 0),
		.flags = flags_of(directive),
		.used = (uint8_t)draft->used,
		.next = (uint8_t)before->next_argument,
		.general = before->general,
	};
	steps->rest = 0;
	draft->used = used;
	return true;
}

static bool take_apart(struct draft *draft)
{
	struct render_steps *steps = &draft->steps;
	struct format_directive directive;
	struct format_cursor cursor;
	struct format_cursor before;

	format_begin(&cursor, steps->format, steps->length);
	for (before = cursor; format_next(&cursor, &directive);
		before = cursor) {
		if (directive.conversion == 0)
			add_text(draft, directive.text, directive.length);
		else if (is_percent(&directive))
			add_text(draft, "%", 1);
		else if (!add_directive(draft, &directive, &before))
			return false;
	}
	steps->end = (size_t)(cursor.at - steps->format);
	steps->room = draft->text_bytes + steps->count * RENDER_STEP_BYTES +
		      (size_t)2 * RENDER_STEP_CHUNK;
	return true;
}

/* As it will stay.  Null: no memory. */
static const struct render_steps *keep(
	const struct draft *draft, struct pool *pool)
{
	size_t bytes = draft->steps.count * sizeof(draft->step[0]);
	struct render_steps *steps = pool_take(pool, sizeof(*steps));
	char *memory =
		pool_take(pool, bytes + draft->text_bytes + RENDER_STEP_CHUNK);

	if (!steps || !memory)
		return NULL;
	*steps = draft->steps;
	steps->step = memcpy(memory, draft->step, bytes);
	steps->text = memory + bytes;
	memcpy(memory + bytes, draft->text, draft->text_bytes);
	memset(memory + bytes + draft->text_bytes, 0, RENDER_STEP_CHUNK);
	return steps;
}

/* Null: no memory, or too much of everything. */
static const struct render_steps *make_steps(
	struct pool *pool, const char *format, size_t length)
{
	struct draft draft;

	draft.steps = (struct render_steps){.format = format, .length = length};
	draft.text_bytes = 0;
	draft.used = 0;
	if (length > FORMAT_MAX || !take_apart(&draft))
		return NULL;
	return keep(&draft, pool);
}

static const struct render_steps *find_steps(struct render_plan **plan,
	struct pool *pool, const char *format, size_t length)
{
	if (!*plan) {
		*plan = pool_take(pool, sizeof(**plan));
		if (!*plan)
			return NULL;
		**plan = (struct render_plan){0};
	}
	if ((*plan)->uses < RENDER_PLAN_USES) {
		(*plan)->uses++;
		return NULL;
	}
	if (!(*plan)->tried)
		(*plan)->steps = make_steps(pool, format, length);
	(*plan)->tried = true;
	return (*plan)->steps;
}

int render_plan_put(struct render_plan **plan, struct pool *pool,
	struct render_buffer *out, const char *format, size_t length,
	const struct render_argument *arguments, size_t count, uint32_t libc)
{
	const struct render_steps *steps = *plan ? (*plan)->steps : NULL;

	if (!steps && pool)
		steps = find_steps(plan, pool, format, length);
	/* Only the general way tells the pieces. */
	if (!steps || out->pieces)
		return render_format(
			out, format, length, arguments, count, NULL, libc);
	return render_step_put_all(steps, out, arguments, count, libc);
}
