#include "symbolizer/dwarf/dwarfentry.h"

#include <string.h>

bool dwarfentry_read(
	struct dwarfentry *entry, struct dwarfunit *unit, const uint8_t *at)
{
	const struct dwarfbytes *info =
		&unit->object->sections[DWARFOBJECT_INFO];
	struct dwarfcursor cursor = {.at = at, .end = info->data + unit->end};
	uint64_t code = dwarfcursor_uleb(&cursor);

	if (code == 0 || !unit->abbreviations)
		return false;
	entry->unit = unit;
	entry->at = at;
	entry->attributes = cursor.at;
	entry->kind = dwarfabbrev_find(unit->abbreviations, code);
	return entry->kind != NULL;
}

void dwarfentry_start(
	struct dwarfentry_walk *walk, struct dwarfunit *unit, const uint8_t *at)
{
	const struct dwarfbytes *info =
		&unit->object->sections[DWARFOBJECT_INFO];

	*walk = (struct dwarfentry_walk){
		.entry.unit = unit,
		.cursor = {.at = at, .end = info->data + unit->end},
		.ended = !unit->abbreviations,
	};
}

bool dwarfentry_next(struct dwarfentry_walk *walk)
{
	struct dwarfentry *entry = &walk->entry;
	struct dwarfcursor *cursor = &walk->cursor;
	uint64_t code;

	if (walk->ended)
		return false;
	for (;;) {
		entry->at = cursor->at;
		code = dwarfcursor_uleb(cursor);
		if (code != 0)
			break;
		/* an entry of zero ends those of one level */
		if (cursor->damaged || walk->next_depth <= 1) {
			walk->ended = true;
			return false;
		}
		walk->next_depth--;
	}
	entry->attributes = cursor->at;
	entry->kind = dwarfabbrev_find(entry->unit->abbreviations, code);
	if (entry->kind)
		dwarfabbrev_skip(
			entry->unit->abbreviations, entry->kind, cursor);
	if (!entry->kind || cursor->damaged) {
		walk->ended = true;
		return false;
	}
	walk->depth = walk->next_depth;
	walk->next_depth += entry->kind->children;
	walk->ended = walk->next_depth == 0;
	return true;
}

/* Null when it is not known, or in another unit. */
static const uint8_t *sibling_of(const struct dwarfentry *entry)
{
	struct dwarfunit *unit = entry->unit;
	struct dwarfunit *in = unit;
	struct dwarfvalue value;
	const uint8_t *sibling;
	uint32_t offset;

	if (entry->kind->sibling == DWARFABBREV_VARIES) {
		value = dwarfentry_value(entry, DWARF_AT_SIBLING);
		sibling = dwarfunit_reference(unit, &value, &in);
		return in == unit ? sibling : NULL;
	}
	/* almost all are like this, and the walk is behind it already */
	memcpy(&offset, entry->attributes + entry->kind->sibling,
		sizeof(offset));
	if (offset >= unit->end - unit->offset)
		return NULL;
	return unit->object->sections[DWARFOBJECT_INFO].data + unit->offset +
	       offset;
}

void dwarfentry_skip_children(struct dwarfentry_walk *walk)
{
	const uint8_t *sibling;

	if (!walk->entry.kind->children)
		return;
	sibling = sibling_of(&walk->entry);
	/* one that is not behind the entry would be a loop */
	if (!sibling || sibling < walk->cursor.at)
		return;
	walk->cursor.at = sibling;
	walk->next_depth = walk->depth;
	walk->ended = walk->depth == 0;
}

bool dwarfentry_has(const struct dwarfentry *entry, uint16_t attribute)
{
	return dwarfabbrev_attribute(
		entry->unit->abbreviations, entry->kind, attribute);
}

static void skip_to(struct dwarfcursor *cursor, const struct dwarfentry *entry,
	const struct dwarfabbrev_attribute *wanted)
{
	const struct dwarfabbrev_attribute *attribute =
		entry->unit->abbreviations->attributes + entry->kind->first;

	for (; attribute < wanted && !cursor->damaged; attribute++)
		dwarfform_skip(cursor, attribute->form, &entry->unit->encoding);
}

struct dwarfvalue dwarfentry_value(
	const struct dwarfentry *entry, uint16_t attribute)
{
	const struct dwarfunit *unit = entry->unit;
	const struct dwarfabbrev_attribute *found = dwarfabbrev_attribute(
		unit->abbreviations, entry->kind, attribute);
	struct dwarfcursor cursor = {
		.at = entry->attributes,
		.end = unit->object->sections[DWARFOBJECT_INFO].data +
		       unit->end,
	};

	if (found && found->before != DWARFABBREV_VARIES)
		dwarfcursor_skip(&cursor, found->before);
	else if (found)
		skip_to(&cursor, entry, found);
	if (!found || cursor.damaged)
		return (struct dwarfvalue){.form = DWARF_FORM_NONE};
	return dwarfform_read(
		&cursor, found->form, found->constant, &unit->encoding);
}

uint64_t dwarfentry_number(const struct dwarfentry *entry, uint16_t attribute)
{
	return dwarfentry_value(entry, attribute).number;
}

const char *dwarfentry_string(
	const struct dwarfentry *entry, uint16_t attribute)
{
	struct dwarfvalue value = dwarfentry_value(entry, attribute);

	return dwarfunit_string(entry->unit, &value);
}

bool dwarfentry_follow(const struct dwarfentry *entry, uint16_t attribute,
	struct dwarfentry *to)
{
	struct dwarfvalue value = dwarfentry_value(entry, attribute);
	struct dwarfunit *in;
	const uint8_t *at = dwarfunit_reference(entry->unit, &value, &in);

	return at && dwarfentry_read(to, in, at);
}

bool dwarfentry_has_code(const struct dwarfentry *entry)
{
	return entry->kind->has_code;
}

struct dwarfunit_code dwarfentry_code(const struct dwarfentry *entry)
{
	return (struct dwarfunit_code){
		.ranges = dwarfentry_value(entry, DWARF_AT_RANGES),
		.low = dwarfentry_value(entry, DWARF_AT_LOW_PC),
		.high = dwarfentry_value(entry, DWARF_AT_HIGH_PC),
	};
}

bool dwarfentry_ranges(
	const struct dwarfentry *entry, rangelist_take *take, void *closure)
{
	struct dwarfunit_code code = dwarfentry_code(entry);

	return dwarfunit_ranges(entry->unit, &code, take, closure);
}
