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
	const struct dwarf_entry *entry, unsigned steps)
{
	static char is_one, is_none;
	const uint64_t key = (uintptr_t)entry->at;
	const char *known = id_map_find(&types->known, key);
	struct dwarf_entry next;
	const char *name;
	bool is;

	if (known)
		return known == &is_one;
	name = dwarf_entry_string(entry, DW_AT_name);
	is = (name && is_list_name(name)) ||
	     (steps < TYPES_MAX &&
		     dwarf_entry_follow(entry, DW_AT_type, &next) &&
		     leads_to_list(types, &next, steps + 1));
	id_map_set(&types->known, key, is ? &is_one : &is_none);
	return is;
}

static bool is_list(struct functionparameters_types *types,
	const struct dwarf_entry *parameter)
{
	struct dwarf_entry type;

	return dwarf_entry_follow(parameter, DW_AT_type, &type) &&
	       leads_to_list(types, &type, 1);
}

/* The parameters of a function are being looked at. */
struct looking {
	struct functionparameters_types *types;
	bool named, any;
};

static enum dwarf_step take_parameter(
	void *closure, const struct dwarf_entry *entry, unsigned depth)
{
	struct looking *looking = closure;

	if (depth == 0)
		return DWARF_GO_ON;
	switch (entry->tag) {
	case DW_TAG_formal_parameter:
		looking->named = true;
		looking->any = is_list(looking->types, entry);
		break;
	case DW_TAG_GNU_template_parameter_pack:
	case DW_TAG_GNU_formal_parameter_pack:
		looking->any = true;
		break;
	case DW_TAG_unspecified_parameters:
		/* without a named one, C has no prototype */
		looking->any = looking->named;
		return DWARF_STOP;
	default:
		break;
	}
	/* some compilers tell of the rest of the parameters last */
	return looking->any ? DWARF_STOP : DWARF_SKIP_CHILDREN;
}

bool functionparameters_any(struct functionparameters_types *types,
	const struct dwarf_entry *function)
{
	struct looking looking = {.types = types};

	dwarf_walk(function->unit, function->at, take_parameter, &looking);
	return looking.any;
}

void functionparameters_free(struct functionparameters_types *types)
{
	id_map_free(&types->known);
}
