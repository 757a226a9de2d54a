#include "symbolizer/code/variadic.h"

#include <elf.h>

#include "symbolizer/code/codetrace.h"

/* Registers in which floating-point numbers are passed. */
#define VECTORS_MAX 8
/* At the start of a function, before anything is called. */
#define STEPS_MAX 64
/* Functions that are nothing but a jump to the next one. */
#define JUMPED_MAX 3
#define WORD 8
#define NOWHERE 255

/*
 * On x86-64 such a function is told in a register how many floating-point
 * numbers there are.
 */
static enum symbolizer_answer counts_vectors(
	struct codeflow *flow, uint64_t call)
{
	struct codetrace_values values;

	codetrace_register(flow, call, flow->machine->result, &values);
	return values.count == 1 && !values.more && !values.values[0].loaded &&
			       values.values[0].value <= VECTORS_MAX
		       ? SYMBOLIZER_YES
		       : SYMBOLIZER_NO;
}

/* Where the last two arguments are kept. */
struct kept {
	uint8_t base[2];
	uint64_t at[2];
};

static void note_store(const struct codeflow *flow, struct kept *kept,
	uint8_t base, uint64_t at, uint8_t from)
{
	const struct machine *machine = flow->machine;
	const uint8_t *last = &machine->arguments[machine->argument_count - 2];
	size_t i;

	for (i = 0; i < 2; i++)
		if (from == last[i]) {
			kept->base[i] = base;
			kept->at[i] = at;
		}
}

/*
 * On aarch64 the caller says nothing.  But such a function puts all registers
 * that may be arguments into memory, one behind the other, before it does
 * anything else; what just runs out of registers has them the other way round,
 * or not side by side.
 */
static enum symbolizer_answer keeps_arguments(
	struct codeflow *flow, uint64_t start, unsigned jumped)
{
	const struct codeflow_region *region =
		codeflow_region_at(flow, start);
	struct kept kept = {.base = {NOWHERE, NOWHERE}};
	size_t i, end;

	if (!region || start < region->start)
		return SYMBOLIZER_UNKNOWN;
	i = codeflow_steps_before(region, start);
	end = region->count - i < STEPS_MAX ? region->count : i + STEPS_MAX;
	for (; i < end; i++) {
		const struct instruction *in = &region->steps[i].instruction;

		if (in->kind == INSTRUCTION_JUMP && jumped < JUMPED_MAX &&
			kept.base[1] == NOWHERE)
			return keeps_arguments(flow, in->value, jumped + 1);
		if (in->kind == INSTRUCTION_JUMP_REGISTER)
			return SYMBOLIZER_UNKNOWN; /* a stub */
		if (in->kind >= INSTRUCTION_CALL)
			break;
		if (in->kind == INSTRUCTION_STORE_PAIR)
			note_store(flow, &kept, in->to, in->value + WORD,
				in->other);
		if (in->kind == INSTRUCTION_STORE ||
			in->kind == INSTRUCTION_STORE_PAIR)
			note_store(flow, &kept, in->to, in->value, in->from);
	}
	return kept.base[0] != NOWHERE && kept.base[0] == kept.base[1] &&
			       kept.at[0] + WORD == kept.at[1]
		       ? SYMBOLIZER_YES
		       : SYMBOLIZER_NO;
}

enum symbolizer_answer variadic_call(struct codeflow *flow, uint64_t call)
{
	const struct codeflow_region *region = codeflow_region_at(flow, call);
	size_t i = region ? codeflow_steps_before(region, call) : 0;
	uint64_t called;

	if (flow->machine->number == EM_X86_64)
		return counts_vectors(flow, call);
	if (!region || i >= region->count)
		return SYMBOLIZER_UNKNOWN;
	called = imports_target(flow->imports, &region->steps[i].instruction);
	return called ? keeps_arguments(flow, called, 0) : SYMBOLIZER_UNKNOWN;
}
