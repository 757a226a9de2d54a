#include "symbolizer/dwarf/debugcalls.h"

#include <stdlib.h>

#include "base/array.h"

static bool add_site(
	struct debugcalls *calls, const struct debugcalls_site *site)
{
	if (!array_reserve(calls->sites, calls->room, calls->count + 1))
		return false;
	calls->sites[calls->count++] = *site;
	return true;
}

/* False when the expression is anything but one address. */
static bool constant_address(const struct dwarfunit *unit,
	const struct dwarfvalue *expression, uint64_t *address)
{
	struct dwarfvalue value = {.form = DWARF_FORM_ADDRX};
	struct dwarfcursor cursor;

	if (!expression->block || expression->form == DWARF_FORM_STRING)
		return false;
	cursor = (struct dwarfcursor){
		.at = expression->block,
		.end = expression->block + expression->number,
	};
	switch (dwarfcursor_byte(&cursor)) {
	case DWARF_OP_ADDR:
		value.form = DWARF_FORM_ADDR;
		value.number = dwarfcursor_fixed(&cursor, 8);
		break;
	case DWARF_OP_ADDRX:
	case DWARF_OP_GNU_ADDR_INDEX:
		value.number = dwarfcursor_uleb(&cursor);
		break;
	default:
		return false;
	}
	return !cursor.damaged && cursor.at == cursor.end &&
	       dwarfunit_address(unit, &value, address);
}

static bool argument_of(const struct dwarfentry *parameter, uint64_t *argument)
{
	struct dwarfvalue value =
		dwarfentry_value(parameter, DWARF_AT_CALL_VALUE);

	if (value.form == DWARF_FORM_NONE)
		value = dwarfentry_value(
			parameter, DWARF_AT_GNU_CALL_SITE_VALUE);
	return constant_address(parameter->unit, &value, argument);
}

/* What the entry of a call says of it; its pc is 0 when that is unknown. */
static struct debugcalls_site site_of(const struct dwarfentry *call)
{
	static const uint16_t places[] = {
		DWARF_AT_CALL_RETURN_PC, DWARF_AT_LOW_PC, DWARF_AT_CALL_PC};
	struct debugcalls_site site = {0};
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct dwarfvalue value = dwarfentry_value(call, places[i]);

		if (dwarfunit_address(call->unit, &value, &site.pc))
			break;
	}
	return site;
}

static int compare_sites(const void *left, const void *right)
{
	const struct debugcalls_site *a = left;
	const struct debugcalls_site *b = right;

	if (a->argument != b->argument)
		return a->argument < b->argument ? -1 : 1;
	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

bool debugcalls_load(struct debugcalls *calls, struct dwarfunit *unit)
{
	struct debugcalls_site site = {0};
	struct dwarfentry_walk walk;

	dwarfentry_start(&walk, unit,
		unit->object->sections[DWARFOBJECT_INFO].data + unit->entries);
	while (dwarfentry_next(&walk))
		switch (walk.entry.kind->tag) {
		case DWARF_TAG_CALL_SITE:
		case DWARF_TAG_GNU_CALL_SITE:
			site = site_of(&walk.entry);
			break;
		case DWARF_TAG_CALL_SITE_PARAMETER:
		case DWARF_TAG_GNU_CALL_SITE_PARAMETER:
			/* it is below the call that was read last */
			if (site.pc &&
				argument_of(&walk.entry, &site.argument) &&
				!add_site(calls, &site))
				return false;
			break;
		default:
			break;
		}
	if (calls->count > 0)
		qsort(calls->sites, calls->count, sizeof(*calls->sites),
			compare_sites);
	return true;
}

void debugcalls_free(struct debugcalls *calls)
{
	free(calls->sites);
	memset(calls, 0, sizeof(*calls));
}

bool debugcalls_each(const struct debugcalls *calls, uint64_t argument,
	debugcalls_take *take, void *closure)
{
	size_t low = 0;
	size_t high = calls->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (calls->sites[middle].argument < argument)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < calls->count; low++) {
		if (calls->sites[low].argument != argument)
			break;
		if (!take(closure, &calls->sites[low]))
			return false;
	}
	return true;
}
