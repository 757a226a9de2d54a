#include "decoder/render/render_plan.h"

#include <string.h>

#include "decoder/render/render_fixed.h"
#include "decoder/render/render_step.h"
#include "record/format.h"

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
