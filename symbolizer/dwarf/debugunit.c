#include "symbolizer/dwarf/debugunit.h"

#include <stdlib.h>

#include "base/array.h"

/* What the ranges of an entry are added to. */
struct adding {
	struct spanmap *spans;
	uint64_t *low; /* null: nobody asks where it begins */
};

static bool take_range(void *closure, uint64_t low, uint64_t high)
{
	struct adding *adding = closure;

	if (adding->low && *adding->low == 0 && low < high &&
		low >= adding->spans->floor)
		*adding->low = low;
	return spanmap_add(adding->spans, low, high);
}

/*
 * Each range takes at least two bytes of one of the sections.  Damaged units
 * can refer to the same list again and again.
 */
static size_t most_ranges(const struct dwarfunit *unit)
{
	return (unit->end - unit->offset +
		       unit->home->sections[DWARFOBJECT_RANGES].bytes +
		       unit->object->sections[DWARFOBJECT_RNGLISTS].bytes) /
		       2 +
	       1;
}

static bool add_function(
	struct debugunit *contents, const struct dwarfentry *entry)
{
	struct adding adding = {.spans = &contents->spans};

	if (contents->function_count >= SPANMAP_NONE)
		return false;
	if (!array_reserve(contents->functions, contents->function_room,
		    contents->function_count + 1))
		return false;
	contents->functions[contents->function_count] =
		(struct debugunit_function){.entry = entry->at};
	spanmap_begin(&contents->spans, (uint32_t)contents->function_count++);
	return dwarfentry_ranges(entry, take_range, &adding);
}

static bool is_declaration(const struct dwarfentry *entry)
{
	return dwarfentry_has(entry, DWARF_AT_DECLARATION);
}

bool debugunit_load(
	struct debugunit *contents, struct dwarfunit *unit, uint64_t floor)
{
	const struct dwarfbytes *info =
		&unit->object->sections[DWARFOBJECT_INFO];
	struct dwarfentry_walk walk;
	bool going = true;

	contents->unit = unit;
	contents->spans.floor = floor;
	contents->spans.piece_max = most_ranges(unit);
	dwarfentry_start(&walk, unit, info->data + unit->entries);
	while (going && dwarfentry_next(&walk))
		switch (walk.entry.kind->tag) {
		case DWARF_TAG_SUBPROGRAM:
		case DWARF_TAG_ENTRY_POINT:
			if (dwarfentry_has_code(&walk.entry))
				going = add_function(contents, &walk.entry);
			else if (is_declaration(&walk.entry))
				dwarfentry_skip_children(&walk);
			break;
		case DWARF_TAG_ARRAY_TYPE:
		case DWARF_TAG_ENUMERATION_TYPE:
		case DWARF_TAG_SUBROUTINE_TYPE:
			dwarfentry_skip_children(&walk);
			break;
		default:
			break;
		}
	return spanmap_finish(&contents->spans) && going;
}

static void free_body(struct debugunit_body *body)
{
	if (!body)
		return;
	free(body->calls);
	spanmap_free(&body->spans);
	free(body);
}

void debugunit_free(struct debugunit *contents)
{
	size_t i;

	for (i = 0; i < contents->function_count; i++)
		free_body(contents->functions[i].body);
	free(contents->functions);
	spanmap_free(&contents->spans);
	memset(contents, 0, sizeof(*contents));
}

static bool add_call(struct debugunit_body *body, uint32_t caller,
	const struct dwarfentry_walk *walk)
{
	struct adding adding = {.spans = &body->spans};

	if (body->call_count >= SPANMAP_NONE)
		return false;
	if (!array_reserve(body->calls, body->call_room, body->call_count + 1))
		return false;
	adding.low = &body->calls[body->call_count].low;
	body->calls[body->call_count] = (struct debugunit_call){
		.entry = walk->entry.at,
		.caller = caller,
		.depth = walk->depth,
	};
	spanmap_begin(&body->spans, (uint32_t)body->call_count++);
	return dwarfentry_ranges(&walk->entry, take_range, &adding);
}

/* Functions that are nested in this one are found for themselves. */
static void skip_entry(struct dwarfentry_walk *walk, bool *more)
{
	unsigned depth = walk->depth;

	do
		*more = dwarfentry_next(walk);
	while (*more && walk->depth > depth);
}

static bool read_calls(
	struct debugunit_body *body, struct dwarfentry_walk *walk)
{
	bool more = dwarfentry_next(walk);
	uint32_t caller = SPANMAP_NONE;

	if (!more || !add_call(body, caller, walk))
		return false;
	caller = 0;
	more = dwarfentry_next(walk);
	while (more) {
		/* what is not below the last call is outside of it */
		while (body->calls[caller].depth >= walk->depth)
			caller = body->calls[caller].caller;
		switch (walk->entry.kind->tag) {
		case DWARF_TAG_SUBPROGRAM:
			skip_entry(walk, &more);
			continue;
		case DWARF_TAG_INLINED_SUBROUTINE:
			if (!add_call(body, caller, walk))
				return false;
			caller = (uint32_t)body->call_count - 1;
			break;
		default:
			break;
		}
		more = dwarfentry_next(walk);
	}
	return true;
}

static struct debugunit_body *load_body(
	const struct debugunit *contents, const uint8_t *entry)
{
	struct debugunit_body *body = calloc(1, sizeof(*body));
	struct dwarfentry_walk walk;

	if (!body)
		return NULL;
	body->spans.floor = contents->spans.floor;
	body->spans.piece_max = contents->spans.piece_max;
	dwarfentry_start(&walk, contents->unit, entry);
	if (read_calls(body, &walk) && spanmap_finish(&body->spans))
		return body;
	free_body(body);
	return NULL;
}

const struct debugunit_body *debugunit_body_at(
	struct debugunit *contents, uint64_t address)
{
	uint32_t index = spanmap_at(&contents->spans, address);
	struct debugunit_function *function;

	if (index == SPANMAP_NONE)
		return NULL;
	function = &contents->functions[index];
	if (!function->body)
		function->body = load_body(contents, function->entry);
	return function->body;
}
