#include "decoder/packed/packed_symbol.h"

#include <string.h>

#include "base/limits.h"

#define INLINED 1u
#define WRAPPER 2u

/* Strings of a record have no NUL. */
struct names {
	char text[LIMITS_ADDRESS_NAMES];
	size_t used;
};

/* Null: there is none, or no room for it. */
static const char *name_of(struct names *names, struct packed_bytes bytes)
{
	char *name = names->text + names->used;

	if (bytes.size == 0 || memchr(bytes.data, '\0', bytes.size) ||
		limits_reached(LIMIT_ADDRESS_NAMES, names->used + bytes.size))
		return NULL;
	memcpy(name, bytes.data, bytes.size);
	name[bytes.size] = '\0';
	names->used += bytes.size + 1;
	return name;
}

/* Element `i` of a list that may be missing or shorter. */
static const msgpack_object *element(
	const struct packed_record *record, enum packed_field field, size_t i)
{
	const msgpack_object_array *list = packed_record_list(record, field);

	return list && i < list->size ? &list->ptr[i] : NULL;
}

static struct symbolizer_frame frame_at(
	const struct packed_record *record, struct names *names, size_t i)
{
	uint64_t flags =
		packed_object_number(element(record, PACKED_SYMBOL_FLAGS, i));

	return (struct symbolizer_frame){
		.function = name_of(names,
			packed_object_bytes(
				element(record, PACKED_SYMBOL_FUNCTIONS, i))),
		.file = name_of(names, packed_object_bytes(element(record,
					       PACKED_SYMBOL_FILES, i))),
		.line = packed_object_id(
			element(record, PACKED_SYMBOL_LINES, i)),
		.column = packed_object_id(
			element(record, PACKED_SYMBOL_COLUMNS, i)),
		.offset = packed_object_number(
			element(record, PACKED_SYMBOL_OFFSETS, i)),
		.inlined = flags & INLINED,
		.wrapper = flags & WRAPPER,
	};
}

bool packed_symbol_take(
	struct packed_log *log, const struct packed_record *record)
{
	const msgpack_object_array *functions =
		packed_record_list(record, PACKED_SYMBOL_FUNCTIONS);
	struct symbolizer_frame frames[LIMITS_INLINED];
	struct names names = {.used = 0};
	struct symbol_question question = {
		.module = id_map_find(&log->modules,
			packed_record_id(record, PACKED_SYMBOL_MODULE)),
		.address = packed_record_number(record, PACKED_SYMBOL_OFFSET),
		.between = packed_record_number(record, PACKED_SYMBOL_BETWEEN),
		.inside = packed_record_number(record, PACKED_SYMBOL_INSIDE),
		.argument =
			packed_record_number(record, PACKED_SYMBOL_ARGUMENT),
		.name = name_of(&names,
			packed_record_bytes(record, PACKED_SYMBOL_NAME)),
	};
	size_t i;

	if (!functions || functions->size > LIMITS_INLINED)
		return false;
	if (!question.module) /* its definition is lost */
		return true;
	for (i = 0; i < functions->size; i++)
		frames[i] = frame_at(record, &names, i);
	symbol_answers_add(
		&log->all_captures->names, &question, frames, functions->size);
	return true;
}
