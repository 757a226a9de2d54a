#include "symbolizer/answer.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/array.h"

/* Inlining into itself would be damage; this is far beyond all else. */
#define FRAMES_MAX 512

static const struct symtab_symbol *symbol_at(
	const struct symbolmodule *module, uint64_t address)
{
	size_t section = module->has_file
				 ? elffile_section_at(&module->file, address)
				 : ELFFILE_NONE;

	if (section == ELFFILE_NONE)
		return NULL;
	return symtab_find(&module->symtab, section, address);
}

/*
 * A language that mangles leaves some functions unmangled (main, extern "C");
 * then the symbol knows better, as it may be a clone with a name of its own.
 */
static const char *name_of(const struct symbolmodule *module,
	const struct debugunit_function *function)
{
	const struct symtab_symbol *symbol;

	if (function->linkage || function->inlined)
		return function->name;
	symbol = symbol_at(module, function->low);
	if (symbol && symbol->address == function->low)
		return symbol->name;
	return function->name;
}

static bool add_frame(
	struct answer *answer, const struct symbolizer_frame *frame)
{
	struct symbolizer_frame *frames = array_grow(
		answer->frames, &answer->room, answer->count, sizeof(*frames));

	if (!frames)
		return false;
	answer->frames = frames;
	frames[answer->count++] = *frame;
	return true;
}

/* The chain from the innermost function outwards. */
static bool add_functions(struct answer *answer,
	const struct symbolmodule *module, const struct debuginfo_place *place,
	struct symbolizer_frame *frame)
{
	uint32_t index = place->function;

	while (index != DEBUGUNIT_NONE && answer->count < FRAMES_MAX) {
		const struct debugunit_function *function =
			&place->unit->functions[index];

		frame->function = name_of(module, function);
		frame->inlined =
			function->inlined && function->caller != DEBUGUNIT_NONE;
		if (!add_frame(answer, frame))
			return false;
		frame->file = debugunit_path(place->unit, function->call_file);
		frame->line = function->call_line;
		frame->column = function->call_column;
		index = function->caller;
	}
	answer->frames[answer->count - 1].inlined = false;
	return true;
}

static void measure(struct answer *answer, uint64_t offset)
{
	size_t i;

	for (i = 0; i < answer->count; i++)
		answer->frames[i].offset = offset;
}

static bool find_frames(
	struct answer *answer, struct symbolmodule *module, uint64_t address)
{
	const struct symtab_symbol *symbol = symbol_at(module, address);
	struct symbolizer_frame frame = {0};
	struct debuginfo_place place = {.function = DEBUGUNIT_NONE};

	/* what is not loaded there has no names, whatever a table says */
	if (module->has_file &&
		elffile_section_at(&module->file, address) == ELFFILE_NONE)
		return add_frame(answer, &frame);
	if (module->debuginfo &&
		debuginfo_find(module->debuginfo, address, &place) &&
		place.row) {
		frame.file = debugunit_path(place.unit, place.row->file);
		frame.line = place.row->line;
		frame.column = place.row->column;
	}
	if (place.function != DEBUGUNIT_NONE)
		return add_functions(answer, module, &place, &frame);
	if (symbol) {
		frame.function = symbol->name;
		if (!frame.file)
			frame.file = symbol->file;
	}
	return add_frame(answer, &frame);
}

/* Where the outermost function begins when no symbol says it. */
static uint64_t start_by_debuginfo(
	const struct symbolmodule *module, uint64_t address)
{
	struct debuginfo_place place;
	uint32_t index;
	size_t steps;

	if (!module->debuginfo ||
		!debuginfo_find(module->debuginfo, address, &place))
		return address;
	index = place.function;
	for (steps = 0; index != DEBUGUNIT_NONE && steps < FRAMES_MAX;
		steps++) {
		const struct debugunit_function *function =
			&place.unit->functions[index];

		if (function->caller == DEBUGUNIT_NONE)
			return function->low <= address ? function->low
							: address;
		index = function->caller;
	}
	return address;
}

bool answer_find(struct answer *answer, struct symbolmodule *module,
	uint64_t address, struct functionname_table *demangled)
{
	const struct symtab_symbol *symbol = symbol_at(module, address);
	size_t i;

	if (!find_frames(answer, module, address))
		return false;
	measure(answer,
		address - (symbol ? symbol->address
				  : start_by_debuginfo(module, address)));
	for (i = 0; demangled && i < answer->count; i++)
		if (answer->frames[i].function)
			answer->frames[i].function = functionname_demangled(
				demangled, answer->frames[i].function);
	return true;
}

void answer_free(struct answer *answer)
{
	free(answer->frames);
	memset(answer, 0, sizeof(*answer));
}
