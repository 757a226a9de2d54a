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

/* An address on the stack: `at` from one of the places where it has been. */
struct spot {
	uint64_t at;
	unsigned base; /* 0: it is none */
};

struct prologue {
	const struct machine *machine;
	struct spot spots[INSTRUCTION_REGISTERS];
	unsigned bases;
	uint32_t changed;    /* registers that are not as they were */
	struct spot kept[2]; /* the last two arguments, */
	bool keeps_vector;   /* the last one that is passed as a vector */
};

static struct spot spot_of(
	const struct prologue *prologue, uint8_t number, uint64_t distance)
{
	struct spot spot = {0};

	if (number < INSTRUCTION_REGISTERS)
		spot = prologue->spots[number];
	spot.at += distance;
	return spot;
}

static void keep(struct prologue *prologue, uint8_t from, uint8_t base,
	uint64_t distance)
{
	const struct machine *machine = prologue->machine;
	const uint8_t *last = &machine->arguments[machine->argument_count - 2];
	size_t i;

	for (i = 0; i < 2; i++)
		if (from == last[i] && !(prologue->changed >> from & 1))
			prologue->kept[i] = spot_of(prologue, base, distance);
}

static void note_step(struct prologue *prologue, const struct instruction *in)
{
	const uint8_t stack = prologue->machine->stack;
	struct spot spot = {0};
	size_t i;

	if (in->kind == INSTRUCTION_STORE_PAIR)
		keep(prologue, in->other, in->to, in->value + WORD);
	if (in->kind == INSTRUCTION_STORE || in->kind == INSTRUCTION_STORE_PAIR)
		keep(prologue, in->from, in->to, in->value);
	if (in->kind == INSTRUCTION_STORE_VECTOR)
		prologue->keeps_vector |= in->from == VECTORS_MAX - 1 ||
					  in->other == VECTORS_MAX - 1;
	if (in->kind == INSTRUCTION_ADD || in->kind == INSTRUCTION_COPY)
		spot = spot_of(prologue, in->from, in->value);
	prologue->changed |= in->written;
	for (i = 0; i < INSTRUCTION_REGISTERS; i++)
		if (in->written >> i & 1)
			prologue->spots[i] =
				i == in->to ? spot : (struct spot){0};
	if (prologue->spots[stack].base == 0)
		prologue->spots[stack].base = ++prologue->bases;
}

/* Of the last two it is the last one alone, where the other has a name. */
static bool keeps_last(const struct prologue *prologue)
{
	if (prologue->keeps_vector && prologue->kept[1].base != 0)
		return true;
	return prologue->kept[0].base != 0 &&
	       prologue->kept[0].base == prologue->kept[1].base &&
	       prologue->kept[0].at + WORD == prologue->kept[1].at;
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
	const struct codeflow_region *region = codeflow_region_at(flow, start);
	struct prologue prologue = {.machine = flow->machine, .bases = 1};
	size_t i, end;

	if (!region || start < region->start)
		return SYMBOLIZER_UNKNOWN;
	prologue.spots[flow->machine->stack].base = 1;
	i = codeflow_steps_before(region, start);
	end = region->count - i < STEPS_MAX ? region->count : i + STEPS_MAX;
	for (; i < end; i++) {
		const struct instruction *in = &region->steps[i].instruction;

		if (in->kind == INSTRUCTION_JUMP && jumped < JUMPED_MAX &&
			prologue.kept[1].base == 0)
			return keeps_arguments(flow, in->value, jumped + 1);
		if (in->kind == INSTRUCTION_JUMP_REGISTER)
			return SYMBOLIZER_UNKNOWN; /* it only jumps on */
		if (in->kind >= INSTRUCTION_CALL)
			break;
		note_step(&prologue, in);
	}
	return keeps_last(&prologue) ? SYMBOLIZER_YES : SYMBOLIZER_NO;
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
