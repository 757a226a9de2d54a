#include "symbolizer/dwarfentry.h"

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

void dwarfentry_skip_children(struct dwarfentry_walk *walk)
{
	struct dwarfvalue value;
	struct dwarfunit *in;
	const uint8_t *sibling;

	if (!walk->entry.kind->children)
		return;
	value = dwarfentry_value(&walk->entry, DWARF_AT_SIBLING);
	sibling = dwarfunit_reference(walk->entry.unit, &value, &in);
	/* one that is not behind the entry would be a loop */
	if (!sibling || in != walk->entry.unit || sibling < walk->cursor.at)
		return;
	walk->cursor.at = sibling;
	walk->next_depth = walk->depth;
	walk->ended = walk->depth == 0;
}

bool dwarfentry_has(const struct dwarfentry *entry, uint16_t attribute)
{
	const struct dwarfabbrev_attribute *attributes =
		entry->unit->abbreviations->attributes + entry->kind->first;
	uint32_t i;

	for (i = 0; i < entry->kind->count; i++)
		if (attributes[i].name == attribute)
			return true;
	return false;
}

struct dwarfvalue dwarfentry_value(
	const struct dwarfentry *entry, uint16_t attribute)
{
	const struct dwarfunit *unit = entry->unit;
	const struct dwarfabbrev_attribute *attributes =
		unit->abbreviations->attributes + entry->kind->first;
	struct dwarfcursor cursor = {
		.at = entry->attributes,
		.end = unit->object->sections[DWARFOBJECT_INFO].data +
		       unit->end,
	};
	uint32_t i;

	for (i = 0; i < entry->kind->count && !cursor.damaged; i++) {
		if (attributes[i].name == attribute)
			return dwarfform_read(&cursor, attributes[i].form,
				attributes[i].constant, &unit->encoding);
		dwarfform_skip(&cursor, attributes[i].form, &unit->encoding);
	}
	return (struct dwarfvalue){.form = DWARF_FORM_NONE};
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
	return dwarfentry_has(entry, DWARF_AT_LOW_PC) ||
	       dwarfentry_has(entry, DWARF_AT_RANGES);
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
