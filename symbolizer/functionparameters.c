#include "symbolizer/functionparameters.h"

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
static bool is_list(const struct dwarfentry *parameter)
{
	struct dwarfentry type = *parameter;
	unsigned i;

	for (i = 0; i < TYPES_MAX; i++) {
		const char *name;

		if (!dwarfentry_follow(&type, DWARF_AT_TYPE, &type))
			return false;
		name = dwarfentry_string(&type, DWARF_AT_NAME);
		if (name && is_list_name(name))
			return true;
	}
	return false;
}

bool functionparameters_any(const struct dwarfentry *function)
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
			if (is_list(&walk.entry))
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
