#include "symbolizer/dwarf/functionparameters.h"

#include <string.h>

/* From a name of a type to what it stands for; more are a loop. */
#define TYPES_MAX 16

/* On x86-64 the last one, on aarch64 the one before it. */
static const char *const list_types[] = {"va_list", "__gnuc_va_list",
	"__builtin_va_list", "__va_list", "__va_list_tag"};

static bool is_list_name(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(list_types) / sizeof(list_types[0]); i++)
		if (strcmp(name, list_types[i]) == 0)
			return true;
	return false;
}

/* An array that is a parameter has become a pointer. */
static bool leads_to_list(struct functionparameters_types *types,
	const struct dwarfentry *entry, unsigned steps)
{
	static char is_one, is_none;
	const uint64_t key = (uintptr_t)entry->at;
	const char *known = id_map_find(&types->known, key);
	struct dwarfentry next;
	const char *name;
	bool is;

	if (known)
		return known == &is_one;
	name = dwarfentry_string(entry, DWARF_AT_NAME);
	is = (name && is_list_name(name)) ||
	     (steps < TYPES_MAX &&
		     dwarfentry_follow(entry, DWARF_AT_TYPE, &next) &&
		     leads_to_list(types, &next, steps + 1));
	id_map_set(&types->known, key, is ? &is_one : &is_none);
	return is;
}

static bool is_list(struct functionparameters_types *types,
	const struct dwarfentry *parameter)
{
	struct dwarfentry type;

	return dwarfentry_follow(parameter, DWARF_AT_TYPE, &type) &&
	       leads_to_list(types, &type, 1);
}

bool functionparameters_any(struct functionparameters_types *types,
	const struct dwarfentry *function)
{
	struct dwarfentry_walk walk;
	bool named = false;

	dwarfentry_start(&walk, function->unit, function->at);
	if (!dwarfentry_next(&walk))
		return false;
	while (dwarfentry_next(&walk)) {
		/* some compilers tell of the rest of the parameters last */
		if (walk.depth != 1)
			continue;
		switch (walk.entry.kind->tag) {
		case DWARF_TAG_FORMAL_PARAMETER:
			if (is_list(types, &walk.entry))
				return true;
			named = true;
			break;
		case DWARF_TAG_GNU_TEMPLATE_PARAMETER_PACK:
		case DWARF_TAG_GNU_FORMAL_PARAMETER_PACK:
			return true;
		case DWARF_TAG_UNSPECIFIED_PARAMETERS:
			/* without a named one, C has no prototype */
			return named;
		default:
			dwarfentry_skip_children(&walk);
			break;
		}
	}
	return false;
}

void functionparameters_free(struct functionparameters_types *types)
{
	id_map_free(&types->known);
}
