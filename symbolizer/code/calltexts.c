#include "symbolizer/code/calltexts.h"

#include <string.h>

struct calltexts_printer calltexts_imported(
	const struct imports_function *function)
{
	const char *name = function->name;

	while (*name == '_')
		name++;
	return (struct calltexts_printer){
		.name = function->name,
		.what = function->what,
		.has_list = *name == 'v',
		.text = function->text,
		.size = function->size,
		.count = function->count,
		.factor = 1,
	};
}

static void trace(const struct calltexts *texts, uint64_t address, int argument,
	struct codetrace_values *values)
{
	codetrace_register(texts->flow, address,
		texts->flow->machine->arguments[argument], values);
}

/* Which argument of the caller it is, or IMPORTS_NONE. */
static int8_t parameter_of(
	const struct calltexts *texts, const struct codetrace_values *values)
{
	const struct machine *machine = texts->flow->machine;
	int8_t i;

	for (i = 0; values->is_parameter && i < MACHINE_ARGUMENTS; i++)
		if (machine->arguments[i] == values->number)
			return i;
	return IMPORTS_NONE;
}

/* The number itself, or the pointer that is stored there. */
static bool pointer_of(const struct calltexts *texts,
	const struct codetrace_value *value, uint64_t *pointer)
{
	const struct imports_slot *slot;
	const uint8_t *bytes;
	size_t left;

	*pointer = value->value;
	if (!value->loaded)
		return true;
	slot = imports_slot_at(texts->flow->imports, value->value);
	if (slot) {
		*pointer = slot->value;
		return !slot->function;
	}
	bytes = constantdata_at(texts->flow->data, value->value, &left);
	if (!bytes || left < sizeof(*pointer))
		return false;
	memcpy(pointer, bytes, sizeof(*pointer));
	return true;
}

/* Null bytes: one that is not known. */
static void add(struct calltexts *texts, const struct symbolizer_text *text)
{
	if (text->bytes)
		texts->texts[texts->count++] = *text;
	else
		texts->more = true;
}

static void find_strings(struct calltexts *texts, uint64_t address,
	const struct calltexts_printer *printer)
{
	bool wide = printer->what == IMPORTS_WIDE;
	struct codetrace_values values;
	size_t i;

	trace(texts, address, printer->text, &values);
	texts->more = values.more;
	texts->caller.text = parameter_of(texts, &values);
	texts->caller.address = values.entry;
	for (i = 0; i < values.count; i++) {
		struct constantdata *data = texts->flow->data;
		struct symbolizer_text text = {
			.wide = wide,
			.translated = values.values[i].translated,
		};
		uint64_t at;

		if (pointer_of(texts, &values.values[i], &at))
			text.bytes =
				wide ? constantdata_wide(data, at, &text.count)
				     : constantdata_string(
					       data, at, &text.count);
		add(texts, &text);
	}
}

/*
 * Multiplies caller.factor by what the argument surely is.  False: it is not
 * known, or it is what the caller is given as the argument caller.size.
 */
static bool multiply(struct calltexts *texts, uint64_t address, int argument)
{
	struct calltexts_printer *caller = &texts->caller;
	struct codetrace_values values;

	if (argument == IMPORTS_NONE)
		return true;
	trace(texts, address, argument, &values);
	if (values.count == 1 && !values.more && !values.values[0].loaded)
		return !__builtin_mul_overflow(caller->factor,
			values.values[0].value, &caller->factor);
	if (values.count == 0 && caller->size == IMPORTS_NONE)
		caller->size = parameter_of(texts, &values);
	else
		caller->size = IMPORTS_NONE;
	if (caller->size == IMPORTS_NONE)
		caller->what = IMPORTS_OTHER;
	return false;
}

static void find_bytes(struct calltexts *texts, uint64_t address,
	const struct calltexts_printer *printer)
{
	struct calltexts_printer *caller = &texts->caller;
	struct codetrace_values values;
	bool known;
	size_t i;

	known = multiply(texts, address, printer->size);
	known &= multiply(texts, address, printer->count);
	trace(texts, address, printer->text, &values);
	texts->more = values.more || !known;
	if (caller->what != IMPORTS_OTHER)
		caller->text = parameter_of(texts, &values);
	caller->address = values.entry;
	for (i = 0; known && i < values.count; i++) {
		struct symbolizer_text text = {.count = caller->factor};
		size_t left = 0;
		uint64_t at;

		if (pointer_of(texts, &values.values[i], &at))
			text.bytes =
				constantdata_at(texts->flow->data, at, &left);
		if (left < text.count)
			text.bytes = NULL;
		add(texts, &text);
	}
}

static void find_character(struct calltexts *texts, uint64_t address,
	const struct calltexts_printer *printer)
{
	struct symbolizer_text text = {
		.bytes = &texts->character,
		.count = sizeof(texts->character),
	};
	struct codetrace_values values;

	trace(texts, address, printer->text, &values);
	texts->caller.text = parameter_of(texts, &values);
	texts->caller.address = values.entry;
	texts->more = values.more || values.count != 1;
	if (values.count != 1 || values.values[0].loaded)
		return;
	texts->character = (uint8_t)values.values[0].value;
	texts->wide_character = (uint32_t)values.values[0].value;
	if (printer->what == IMPORTS_WIDE_CHARACTER)
		text = (struct symbolizer_text){
			.bytes = (const uint8_t *)&texts->wide_character,
			.count = sizeof(texts->wide_character),
			.wide = true,
		};
	add(texts, &text);
}

void calltexts_find(struct calltexts *texts, uint64_t address,
	const struct calltexts_printer *printer)
{
	texts->count = 0;
	texts->more = false;
	texts->caller = *printer;
	texts->caller.name = NULL;
	texts->caller.text = IMPORTS_NONE;
	texts->caller.size = IMPORTS_NONE;
	texts->caller.count = IMPORTS_NONE;
	switch (printer->what) {
	case IMPORTS_TEXT:
	case IMPORTS_WIDE:
		find_strings(texts, address, printer);
		break;
	case IMPORTS_BYTES:
		find_bytes(texts, address, printer);
		break;
	default:
		find_character(texts, address, printer);
	}
	if (texts->caller.text == IMPORTS_NONE)
		texts->caller.address = 0;
}
