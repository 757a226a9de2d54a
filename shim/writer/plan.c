#include "shim/writer/plan.h"

#include "rules/rule_redact.h"
#include "shim/host/arena.h"
#include "shim/host/host.h"

bool plan_always_at_once;

static uint32_t stored_bytes(unsigned kind)
{
	static const int8_t bytes[] = {
#define ARGUMENT(name, number, bytes, comment) [number] = bytes,
#include "record/argument.def"
#undef ARGUMENT
	};

	return bytes[kind] < 0 ? sizeof(uint32_t) : (uint32_t)bytes[kind];
}

static unsigned integer_bits(const struct format_directive *directive)
{
	switch (directive->size) {
	case FORMAT_CHAR:
		return 8;
	case FORMAT_SHORT:
		return 16;
	case FORMAT_INT:
		return 32;
	default:
		return 64;
	}
}

static unsigned measure_of(const struct format_directive *directive)
{
	bool wide = directive->size == FORMAT_LONG;

	switch (directive->conversion) {
	case 'd':
		return MEASURE_SIGNED;
	case 'u':
		return MEASURE_UNSIGNED;
	case 'x':
	case 'X':
		return MEASURE_HEX;
	case 'o':
		return directive->flags & FORMAT_ALTERNATE ? MEASURE_NOTHING
							   : MEASURE_OCTAL;
	case 'p':
		return (directive->flags & (FORMAT_PLUS | FORMAT_SPACE))
			       ? MEASURE_NOTHING
			       : MEASURE_POINTER;
	case 'c':
		return wide ? MEASURE_NOTHING : MEASURE_CHARACTER;
	case 's':
		return wide ? MEASURE_NOTHING : MEASURE_STRING;
	case 'f':
	case 'F':
		return directive->flags & FORMAT_ALTERNATE ? MEASURE_NOTHING
							   : MEASURE_FIXED;
	default:
		return MEASURE_NOTHING;
	}
}

static bool is_floating(char conversion)
{
	static const char conversions[] = "eEfFgGaA";

	for (const char *c = conversions; *c; c++)
		if (*c == conversion)
			return true;
	return false;
}

static unsigned step_of_integer(const struct plan_argument *argument)
{
	bool is_long = argument->kind == BINLOG_ARG_I64;

	switch (argument->measure) {
	case MEASURE_SIGNED:
		return is_long		      ? STEP_LONG
		       : argument->bits == 32 ? STEP_SIGNED
					      : STEP_GENERAL;
	case MEASURE_UNSIGNED:
		return is_long		      ? STEP_LONG_UNSIGNED
		       : argument->bits == 32 ? STEP_UNSIGNED
					      : STEP_GENERAL;
	case MEASURE_HEX:
		return !is_long && argument->bits == 32 ? STEP_HEX
							: STEP_GENERAL;
	case MEASURE_CHARACTER:
		return STEP_CHARACTER;
	default:
		return STEP_GENERAL;
	}
}

/* No more than a width and, for "%f", a precision, both of them numbers. */
static unsigned step_of(const struct format_directive *directive,
	const struct plan_argument *argument)
{
	if (directive->flags & ~(FORMAT_ZERO | FORMAT_MINUS) ||
		directive->width_argument != FORMAT_NONE ||
		directive->precision_argument != FORMAT_NONE)
		return STEP_GENERAL;
	if (argument->measure == MEASURE_FIXED)
		return argument->kind == BINLOG_ARG_F64 ? STEP_FIXED
							: STEP_GENERAL;
	if (directive->precision != FORMAT_NONE)
		return STEP_GENERAL;
	return argument->measure == MEASURE_STRING ? STEP_STRING
						   : step_of_integer(argument);
}

static void note_star(struct plan *plan, int argument, unsigned measure)
{
	if (argument != FORMAT_NONE)
		plan->argument[argument].measure = (uint8_t)measure;
}

/* One directive; false when the text has to be made at once. */
static bool add(struct plan *plan, const struct format_directive *directive)
{
	struct plan_argument *argument;
	bool wide =
		directive->size == FORMAT_LONG &&
		(directive->conversion == 'c' || directive->conversion == 's');

	if (!directive->conversion) {
		plan->literal += (uint32_t)directive->length;
		return true;
	}
	if (directive->conversion == '%') {
		plan->literal++;
		return true;
	}
	/* Groups of digits and the locale's own digits only the host knows;
	 * only it can do what "%n" asks for. */
	if (directive->conversion == 'n' ||
		directive->flags & (FORMAT_GROUP | FORMAT_I18N))
		return false;
	plan->has_wide |= wide;
	plan->has_decimal |= is_floating(directive->conversion);
	if (directive->argument == FORMAT_NONE) { /* %m */
		plan->measured = false;
		return true;
	}
	note_star(plan, directive->width_argument, MEASURE_WIDTH);
	note_star(plan, directive->precision_argument, MEASURE_PRECISION);
	argument = &plan->argument[directive->argument];
	argument->measure = (uint8_t)measure_of(directive);
	argument->flags = directive->flags;
	argument->bits = (uint8_t)integer_bits(directive);
	argument->width = directive->width;
	argument->precision = directive->precision;
	if (directive->width > 0)
		argument->least = (uint32_t)directive->width;
	argument->step = (uint8_t)step_of(directive, argument);
	plan->measured &= argument->measure != MEASURE_NOTHING;
	return true;
}

/* "%2$s": arguments are not met in order. */
static bool in_order(const char *format, uint32_t length)
{
	struct format_cursor cursor;
	struct format_directive directive;
	int next = 0;

	format_begin_for(&cursor, format, length, host_libc_version);
	while (format_next(&cursor, &directive)) {
		if (directive.width_argument != FORMAT_NONE &&
			directive.width_argument != next++)
			return false;
		if (directive.precision_argument != FORMAT_NONE &&
			directive.precision_argument != next++)
			return false;
		if (directive.argument != FORMAT_NONE &&
			directive.argument != next++)
			return false;
	}
	return true;
}

/* Each argument has one directive, and that no other: then the order does not
 * matter for how long the text is. */
static bool each_once(const char *format, uint32_t length, unsigned count)
{
	struct format_cursor cursor;
	struct format_directive directive;
	uint64_t met = 0;

	format_begin_for(&cursor, format, length, host_libc_version);
	while (format_next(&cursor, &directive)) {
		uint64_t bit;

		if (directive.width_argument != FORMAT_NONE ||
			directive.precision_argument != FORMAT_NONE)
			return false;
		if (directive.argument == FORMAT_NONE)
			continue;
		if (directive.argument >= 64)
			return false;
		bit = (uint64_t)1 << directive.argument;
		if (met & bit)
			return false;
		met |= bit;
	}
	return count < 64 && met == ((uint64_t)1 << count) - 1;
}

/* `before` is what follows the directive before. */
static bool is_secret(const char *before,
	const struct format_directive *directive, const char *end)
{
	const char *text = directive->text;
	const char *after = text + directive->length;

	return directive->conversion == 's' &&
	       rule_redact_is_usual(before, (size_t)(text - before),
		       after < end ? *after : '\0');
}

static void fill(struct plan *plan, const char *format, uint32_t length)
{
	struct format_cursor cursor;
	struct format_directive directive;
	const char *before = format;
	bool limits_strings = false; /* some "%.*s" */

	plan->at_once = true; /* unless we get to the end */
	plan->measured = true;
	format_begin_for(&cursor, format, length, host_libc_version);
	while (format_next(&cursor, &directive)) {
		limits_strings |= directive.conversion == 's' &&
				  directive.precision_argument != FORMAT_NONE;
		plan->has_secret |=
			is_secret(before, &directive, format + length);
		if (directive.conversion)
			before = directive.text + directive.length;
		if (!add(plan, &directive))
			return;
	}
	plan->at_once = false;
	if (in_order(format, length))
		return;
	/* What ends the text is not what is stored last. */
	plan->ending = ENDING_UNKNOWN;
	if (each_once(format, length, plan->count))
		return;
	/* Left to libc: how much of a string may be read is then not known
	 * from its argument alone. */
	plan->measured = false;
	for (unsigned i = 0; i < plan->count; i++) {
		plan->argument[i].step = STEP_GENERAL;
		/* A "*" is not for the argument after it. */
		plan->argument[i].measure = MEASURE_NOTHING;
		if (plan->argument[i].kind >= BINLOG_ARG_STRING &&
			(plan->argument[i].precision != FORMAT_NONE ||
				limits_strings))
			plan->at_once = true;
	}
}

/* Of what cannot be taken apart in full. */
static void look_for_secrets(
	struct plan *plan, const char *format, uint32_t length)
{
	plan->has_secret =
		rule_redact_usual(format, length, RULE_USUAL_COPIES) != 0;
}

static unsigned find_ending(const char *format, uint32_t length)
{
	struct format_cursor cursor;
	struct format_directive last = {0};

	for (uint32_t i = 0; i < length; i++)
		if (format[i] == '\n')
			return ENDING_UNKNOWN;
	format_begin_for(&cursor, format, length, host_libc_version);
	while (format_next(&cursor, &last))
		;
	if (last.conversion == 's' || last.conversion == 'c')
		return last.size == FORMAT_LONG || last.width > 0
			       ? ENDING_UNKNOWN
			       : ENDING_LAST;
	return last.conversion == 'm' ? ENDING_UNKNOWN : ENDING_PIECE;
}

struct plan *plan_make(const char *format, uint32_t length)
{
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	bool has_errno = false;
	int count = format_arguments_for(
		format, length, kinds, &has_errno, host_libc_version);
	int own = count - has_errno;
	struct plan *plan;

	if (own < 0)
		own = 0;
	plan = arena_take(
		sizeof(*plan) + (size_t)own * sizeof(*plan->argument));
	if (!plan)
		return NULL;
	plan->at_once = count == FORMAT_NONE || plan_always_at_once;
	if (plan->at_once) {
		look_for_secrets(plan, format, length);
		return plan;
	}
	for (int i = 0; i < own; i++) {
		plan->argument[i].kind = kinds[i];
		plan->argument[i].width = FORMAT_NONE;
		plan->argument[i].precision = FORMAT_NONE;
		plan->fixed += stored_bytes(kinds[i]);
		plan->has_string |= kinds[i] == BINLOG_ARG_STRING;
	}
	plan->made = arena_take(sizeof(*plan->made));
	plan->count = (uint16_t)own;
	plan->has_errno = has_errno;
	plan->fixed += has_errno ? (uint32_t)sizeof(int32_t) : 0;
	plan->ending = (uint8_t)find_ending(format, length);
	fill(plan, format, length);
	if (plan->at_once)
		look_for_secrets(plan, format, length);
	plan->plain = plan->measured && !plan->at_once && !plan->has_errno &&
		      !plan->has_decimal && !plan->has_wide;
	return plan;
}

unsigned plan_kinds(
	const struct plan *plan, uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1])
{
	for (unsigned i = 0; i < plan->count; i++)
		kinds[i] = plan->argument[i].kind;
	if (plan->has_errno)
		kinds[plan->count] = BINLOG_ARG_I32;
	return plan->count + (plan->has_errno ? 1u : 0u);
}
