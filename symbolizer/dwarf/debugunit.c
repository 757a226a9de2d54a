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
static size_t most_ranges(const struct dwarf_unit *unit)
{
	return (unit->end - unit->offset +
		       unit->home->sections[DWARF_RANGES].bytes +
		       unit->reader->sections[DWARF_RNGLISTS].bytes) /
		       2 +
	       1;
}

static bool add_function(
	struct debugunit *contents, const struct dwarf_entry *entry)
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
	return dwarf_entry_ranges(entry, take_range, &adding);
}

/* The functions of a unit are being listed. */
struct listing {
	struct debugunit *contents;
	bool fine;
};

static enum dwarf_step take_function(
	void *closure, const struct dwarf_entry *entry, unsigned depth)
{
	struct listing *listing = closure;

	(void)depth;
	switch (entry->tag) {
	case DW_TAG_subprogram:
	case DW_TAG_entry_point:
		if (!entry->has_code)
			/* a declaration has nothing below it that has code */
			return entry->is_declaration ? DWARF_SKIP_CHILDREN
						     : DWARF_GO_ON;
		listing->fine = add_function(listing->contents, entry);
		return listing->fine ? DWARF_GO_ON : DWARF_STOP;
	case DW_TAG_array_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subroutine_type:
		return DWARF_SKIP_CHILDREN;
	default:
		return DWARF_GO_ON;
	}
}

bool debugunit_load(
	struct debugunit *contents, struct dwarf_unit *unit, uint64_t floor)
{
	struct listing listing = {contents, true};

	contents->unit = unit;
	contents->spans.floor = floor;
	contents->spans.piece_max = most_ranges(unit);
	dwarf_walk(unit, NULL, take_function, &listing);
	return spanmap_finish(&contents->spans) && listing.fine;
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
	const struct dwarf_entry *entry, unsigned depth)
{
	struct adding adding = {.spans = &body->spans};

	if (body->call_count >= SPANMAP_NONE)
		return false;
	if (!array_reserve(body->calls, body->call_room, body->call_count + 1))
		return false;
	adding.low = &body->calls[body->call_count].low;
	body->calls[body->call_count] = (struct debugunit_call){
		.entry = entry->at,
		.caller = caller,
		.depth = depth,
	};
	spanmap_begin(&body->spans, (uint32_t)body->call_count++);
	return dwarf_entry_ranges(entry, take_range, &adding);
}

/* The calls that were inlined into a function are being listed. */
struct inlining {
	struct debugunit_body *body;
	uint32_t caller; /* the last one */
	bool fine;
};

static enum dwarf_step take_call(
	void *closure, const struct dwarf_entry *entry, unsigned depth)
{
	struct inlining *inlining = closure;
	struct debugunit_body *body = inlining->body;

	/* what is not below the last call is outside of it */
	while (depth > 0 && body->calls[inlining->caller].depth >= depth)
		inlining->caller = body->calls[inlining->caller].caller;
	if (depth > 0 && entry->tag == DW_TAG_subprogram)
		return DWARF_SKIP_CHILDREN; /* it is found for itself */
	if (depth > 0 && entry->tag != DW_TAG_inlined_subroutine)
		return DWARF_GO_ON;
	inlining->fine = add_call(body, inlining->caller, entry, depth);
	inlining->caller = (uint32_t)body->call_count - 1;
	return inlining->fine ? DWARF_GO_ON : DWARF_STOP;
}

static struct debugunit_body *load_body(
	const struct debugunit *contents, const uint8_t *entry)
{
	struct debugunit_body *body = calloc(1, sizeof(*body));
	struct inlining inlining = {body, SPANMAP_NONE, true};

	if (!body)
		return NULL;
	body->spans.floor = contents->spans.floor;
	body->spans.piece_max = contents->spans.piece_max;
	dwarf_walk(contents->unit, entry, take_call, &inlining);
	if (inlining.fine && body->call_count > 0 &&
		spanmap_finish(&body->spans))
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
