#include "symbolizer/answers/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/answers/tailcalls.h"
#include "symbolizer/elf/trampoline.h"

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
	const struct debuginfo_frame *function)
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

static bool may_have_more(
	const struct answer *answer, struct symbolmodule *module)
{
	if (answer->count < readlimits_of(READLIMIT_INLINED))
		return true;
	elffile_meet(&module->file, READLIMIT_INLINED);
	return false;
}

/*
 * The chain from the innermost function outwards; *start is where the last one
 * begins.  Without one, what is known of the line is left in `frame`.
 */
static bool add_functions(struct answer *answer, struct symbolmodule *module,
	struct debuginfo_place *place, struct symbolizer_frame *frame,
	uint64_t *start)
{
	struct debuginfo_frame function;

	while (may_have_more(answer, module)) {
		bool known =
			debuginfo_next(module->debuginfo, place, &function);

		frame->file = function.file;
		frame->line = function.line;
		frame->column = function.column;
		if (!known)
			break;
		frame->function = name_of(module, &function);
		frame->inlined = function.inlined;
		frame->wrapper = function.wrapper;
		*start = function.low;
		if (!add_frame(answer, frame))
			return false;
		if (!function.inlined)
			break;
	}
	if (answer->count > 0)
		answer->frames[answer->count - 1].inlined = false;
	return true;
}

static void measure(struct answer *answer, uint64_t offset)
{
	size_t i;

	for (i = 0; i < answer->count; i++)
		answer->frames[i].offset = offset;
}

/* *start becomes where the outermost function begins, if that is known. */
static bool find_frames(struct answer *answer, struct symbolmodule *module,
	uint64_t address, uint64_t *start)
{
	const struct symtab_symbol *symbol = symbol_at(module, address);
	struct symbolizer_frame frame = {0};
	struct debuginfo_place place;

	/* what is not loaded there has no names, whatever a table says */
	if (module->has_file &&
		elffile_section_at(&module->file, address) == ELFFILE_NONE)
		return add_frame(answer, &frame);
	if (module->debuginfo &&
		debuginfo_find(module->debuginfo, address, &place)) {
		answer->missing = place.missing;
		if (!add_functions(answer, module, &place, &frame, start))
			return false;
	}
	if (symbol)
		*start = symbol->address;
	if (answer->count > 0)
		return true;
	if (symbol) {
		frame.function = symbol->name;
		if (!frame.file)
			frame.file = symbol->file;
	} else if (module->has_file &&
		   trampoline_is_at(&module->file, address)) {
		frame.function = TRAMPOLINE_NAME;
	}
	return add_frame(answer, &frame);
}

bool answer_find(struct answer *answer, struct symbolmodule *module,
	uint64_t address, struct functionname_table *demangled)
{
	uint64_t start = address;
	size_t i;

	if (!find_frames(answer, module, address, &start))
		return false;
	measure(answer, start < address ? address - start : 0);
	for (i = 0; demangled && i < answer->count; i++)
		if (answer->frames[i].function)
			answer->frames[i].function = functionname_demangled(
				demangled, answer->frames[i].function);
	return true;
}

bool answer_between(struct answer *answer, struct symbolmodule *module,
	const struct symbolizer_gap *gap, struct functionname_table *demangled)
{
	const struct symbolizer_frame unknown = {0};
	struct tailcalls jumps;
	bool fine = true;
	size_t i, k;

	tailcalls_find(&jumps, module, gap);
	for (i = 0; fine && i < jumps.count; i++) {
		struct answer one = {0};

		fine = answer_find(&one, module, jumps.addresses[i], demangled);
		for (k = 0; fine && k < one.count; k++)
			fine = add_frame(answer, &one.frames[k]);
		answer_free(&one);
	}
	return fine && (answer->count > 0 || add_frame(answer, &unknown));
}

void answer_free(struct answer *answer)
{
	free(answer->frames);
	memset(answer, 0, sizeof(*answer));
}
