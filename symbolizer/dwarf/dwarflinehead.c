#include "symbolizer/dwarf/dwarflinehead.h"

#include <stdlib.h>

#include "base/array.h"

/* DW_LNCT_..., section 6.2.4.1. */
enum content { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };

/* What the entries of a table of files consist of; 1 byte says how many. */
struct format {
	struct {
		uint64_t content;
		uint16_t form;
	} fields[256];
	unsigned count;
};

/* A header that is being read. */
struct head {
	struct dwarfline *line;
	const struct dwarfunit *unit;
	struct dwarfform_encoding encoding;
	struct dwarfcursor cursor;
	const char **directories;
	size_t directory_count, directory_room;
};

bool dwarflinehead_add_file(
	struct dwarfline *line, const char *name, const char *directory)
{
	if (!array_reserve(line->files, line->file_room, line->file_count + 1))
		return false;
	line->files[line->file_count++] =
		(struct dwarfline_file){.name = name, .directory = directory};
	return true;
}

static bool add_directory(struct head *head, const char *name)
{
	if (!array_reserve(head->directories, head->directory_room,
		    head->directory_count + 1))
		return false;
	head->directories[head->directory_count++] = name;
	return true;
}

/* Null: there is none, or it is the directory of the unit. */
static const char *directory_of(const struct head *head, uint64_t index)
{
	return index < head->directory_count ? head->directories[index] : NULL;
}

/* Before version 5: strings; files with three numbers; both end with 0. */
static bool read_old_tables(struct head *head)
{
	struct dwarfcursor *cursor = &head->cursor;
	bool fine = add_directory(head, NULL);
	const char *name;

	head->line->first_file = 1;
	while (fine && (name = dwarfcursor_string(cursor)) && *name)
		fine = add_directory(head, name);
	while (fine && (name = dwarfcursor_string(cursor)) && *name) {
		uint64_t directory = dwarfcursor_uleb(cursor);

		dwarfcursor_uleb(cursor); /* when it was modified */
		dwarfcursor_uleb(cursor); /* its size */
		fine = dwarflinehead_add_file(
			head->line, name, directory_of(head, directory));
	}
	return fine;
}

/* Each field takes room, else it is damage. */
static void read_format(struct head *head, struct format *format)
{
	unsigned i;

	format->count = dwarfcursor_byte(&head->cursor);
	for (i = 0; i < format->count; i++) {
		format->fields[i].content = dwarfcursor_uleb(&head->cursor);
		format->fields[i].form =
			(uint16_t)dwarfcursor_uleb(&head->cursor);
		if (dwarfform_bytes(format->fields[i].form, &head->encoding) ==
			0)
			dwarfcursor_fail(&head->cursor);
	}
}

/* How many entries follow; each takes room, else it is damage. */
static uint64_t read_count(struct head *head, const struct format *format)
{
	uint64_t count = dwarfcursor_uleb(&head->cursor);

	if (format->count == 0)
		return 0;
	if (count > dwarfcursor_left(&head->cursor))
		dwarfcursor_fail(&head->cursor);
	return count;
}

static void read_fields(struct head *head, const struct format *format,
	const char **name, uint64_t *directory)
{
	unsigned i;

	*name = NULL;
	*directory = 0;
	for (i = 0; i < format->count; i++) {
		struct dwarfvalue value = dwarfform_read(&head->cursor,
			format->fields[i].form, 0, &head->encoding);

		if (format->fields[i].content == CONTENT_PATH)
			*name = dwarfunit_string(head->unit, &value);
		else if (format->fields[i].content == CONTENT_DIRECTORY)
			*directory = value.number;
	}
}

static bool read_new_tables(struct head *head)
{
	struct format format;
	const char *name;
	uint64_t directory;
	uint64_t left;

	read_format(head, &format);
	for (left = read_count(head, &format);
		left > 0 && !head->cursor.damaged; left--) {
		read_fields(head, &format, &name, &directory);
		if (!add_directory(head, name))
			return false;
	}
	read_format(head, &format);
	for (left = read_count(head, &format);
		left > 0 && !head->cursor.damaged; left--) {
		read_fields(head, &format, &name, &directory);
		if (!dwarflinehead_add_file(
			    head->line, name, directory_of(head, directory)))
			return false;
	}
	return true;
}

static void read_rules(struct head *head)
{
	struct dwarfline_rules *rules = &head->line->rules;
	struct dwarfcursor *cursor = &head->cursor;

	rules->version = head->encoding.version;
	rules->step = dwarfcursor_byte(cursor);
	if (rules->version >= 4)
		dwarfcursor_byte(cursor); /* operations of an instruction: 1 */
	dwarfcursor_byte(cursor);	  /* whether rows begin statements */
	rules->line_base = (int8_t)dwarfcursor_byte(cursor);
	rules->line_range = dwarfcursor_byte(cursor);
	rules->opcode_base = dwarfcursor_byte(cursor);
	rules->operands = cursor->at;
	if (rules->opcode_base > 0)
		dwarfcursor_skip(cursor, rules->opcode_base - 1);
	if (rules->line_range == 0 || rules->opcode_base == 0)
		dwarfcursor_fail(cursor);
	else
		rules->line_inverse =
			(65536 + rules->line_range - 1) / rules->line_range;
}

/* Up to the rules; false when there is no table of a known version. */
static bool read_start(struct head *head)
{
	struct dwarfcursor *cursor = &head->cursor;
	struct dwarfbytes *program = &head->line->program;
	struct dwarfobject *object = head->unit->object;
	uint64_t bytes;

	if (dwarfobject_exhausted(object, DWARFOBJECT_LINE) ||
		!dwarfcursor_unit(cursor, &head->encoding.offset_bytes))
		return false;
	dwarfobject_spend(object, DWARFOBJECT_LINE, dwarfcursor_left(cursor));
	head->encoding.version = (unsigned)dwarfcursor_fixed(cursor, 2);
	if (head->encoding.version < 2 || head->encoding.version > 5)
		return false;
	if (head->encoding.version >= 5)
		dwarfcursor_skip(cursor, 2); /* sizes of an address */
	bytes = dwarfcursor_fixed(cursor, head->encoding.offset_bytes);
	if (cursor->damaged || dwarfcursor_left(cursor) < bytes)
		return false;
	program->data = cursor->at + bytes;
	program->bytes = dwarfcursor_left(cursor) - bytes;
	cursor->end = program->data;
	return true;
}

bool dwarflinehead_read(struct dwarfline *line, const struct dwarfunit *unit)
{
	struct head head = {
		.line = line,
		.unit = unit,
		.cursor = dwarfcursor_at(
			&unit->object->sections[DWARFOBJECT_LINE], unit->lines),
	};
	bool fine = true;

	if (!read_start(&head))
		return true;
	read_rules(&head);
	if (head.cursor.damaged)
		line->program.bytes = 0;
	else if (head.encoding.version >= 5)
		fine = read_new_tables(&head);
	else
		fine = read_old_tables(&head);
	free(head.directories);
	return fine;
}
