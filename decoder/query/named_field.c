#include "decoder/query/named_field.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/query/column_values.h"

#define NUMBER_DIGITS_MAX 4

/* Of `arg3`; 0: it is another name. */
static size_t number_of(const char *name)
{
	size_t digits;

	if (strncmp(name, "arg", 3) != 0)
		return 0;
	digits = strspn(name + 3, "0123456789");
	if (name[3 + digits] != '\0' || digits > NUMBER_DIGITS_MAX)
		return 0;
	return strtoul(name + 3, NULL, 10);
}

const struct field *named_field(const struct message *message, const char *name)
{
	const struct fields *fields = fields_of(message);
	size_t number = number_of(name);
	size_t argument =
		definition_arguments_before(message->context) + number - 1;
	size_t i;

	for (i = 0; i < fields->count; i++)
		if (number > 0 ? fields->all[i].argument == argument
			       : strcmp(fields->all[i].name, name) == 0)
			return &fields->all[i];
	return NULL;
}

const struct field *named_field_number(
	const struct message *message, const char *name)
{
	const struct field *field = named_field(message, name);

	return field && field->type != FIELD_TEXT ? field : NULL;
}

const char *named_field_check(const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			break;
	if (i == 0 || name[i] || isdigit((unsigned char)name[0]))
		return "not an argument: give the word before its directive, "
		       "as size in \"size=%d\", or arg1";
	return NULL;
}

struct named_field_value named_field_value(
	const struct field *field, const struct message *message)
{
	struct field_value value = field_value(field, message, NULL);
	struct named_field_value number = {.known = value.known};

	if (field->type == FIELD_FLOAT) {
		number.fractional = true;
		number.number = value.f64;
	} else if (column_values_are_signed(field->conversion)) {
		number.number = value.i64;
	} else {
		number.number = value.u64;
	}
	return number;
}
