#include "symbolizer/dwarf/debugcalls.h"

#include <stdlib.h>
#include <string.h>

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
static bool constant_address(const struct dwarf_unit *unit,
	const struct dwarf_bytes *expression, uint64_t *address)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(expression, 0);
	bool by_index = false;

	switch (dwarf_cursor_byte(&cursor)) {
	case DW_OP_addr:
		*address = dwarf_cursor_fixed(&cursor, 8);
		break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		by_index = true;
		*address = dwarf_cursor_uleb(&cursor);
		break;
	default:
		return false;
	}
	return !cursor.damaged && cursor.at == cursor.end &&
	       (!by_index || dwarf_unit_address(unit, *address, address));
}

static bool argument_of(const struct dwarf_entry *parameter, uint64_t *argument)
{
	struct dwarf_bytes value;

	return (dwarf_entry_block(parameter, DW_AT_call_value, &value) ||
		       dwarf_entry_block(
			       parameter, DW_AT_GNU_call_site_value, &value)) &&
	       constant_address(parameter->unit, &value, argument);
}

/* What the entry of a call says of it; its pc is 0 when that is unknown. */
static struct debugcalls_site site_of(const struct dwarf_entry *call)
{
	static const uint16_t places[] = {
		DW_AT_call_return_pc, DW_AT_low_pc, DW_AT_call_pc};
	struct debugcalls_site site = {0};
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (dwarf_entry_address(call, places[i], &site.pc))
			break;
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

/* The sites of a unit are being listed. */
struct listing {
	struct debugcalls *calls;
	struct debugcalls_site site; /* that was read last */
	bool fine;
};

static enum dwarf_step take_entry(
	void *closure, const struct dwarf_entry *entry, unsigned depth)
{
	struct listing *listing = closure;

	(void)depth;
	switch (entry->tag) {
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		listing->site = site_of(entry);
		break;
	case DW_TAG_call_site_parameter:
	case DW_TAG_GNU_call_site_parameter:
		/* it is below the call that was read last */
		if (listing->site.pc &&
			argument_of(entry, &listing->site.argument))
			listing->fine =
				add_site(listing->calls, &listing->site);
		break;
	default:
		break;
	}
	return listing->fine ? DWARF_GO_ON : DWARF_STOP;
}

bool debugcalls_load(struct debugcalls *calls, struct dwarf_unit *unit)
{
	struct listing listing = {.calls = calls, .fine = true};

	dwarf_walk(unit, NULL, take_entry, &listing);
	if (calls->count > 0)
		qsort(calls->sites, calls->count, sizeof(*calls->sites),
			compare_sites);
	return listing.fine;
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
