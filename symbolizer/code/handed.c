#include "symbolizer/code/handed.h"

#include <string.h>

#include "symbolizer/code/codetrace.h"

/* Calls before a call that are looked at, and jumps out of what it calls. */
#define CALLS_MAX 24
#define JUMPS_MAX 32
/* Texts of one call of a stack, and the longest that may be a format. */
#define TEXTS_MAX 96
#define TEXT_BYTES_MAX 2048
/* Arguments on the stack, and how far before the call they are put there. */
#define STACKED_MAX 12
#define STACKED_STEPS 48
/* Steps for all traces of one question. */
#define PATIENCE ((uint64_t)2 << 20)

struct question {
	struct handed *handed;
	struct constantdata *data;
	handed_take *take;
	void *closure;
	uint64_t told[TEXTS_MAX]; /* addresses of texts */
	size_t count;
};

static bool note(void *closure, struct codeflow_region *region)
{
	struct handed *handed = closure;

	return codeflow_note(&handed->flow, region);
}

static bool prepare(struct handed *handed, struct constantdata *data)
{
	const struct machine *machine = machine_of(data->file);

	return machine && data->file->section_count > 0 &&
	       imports_load(&handed->imports, data, machine->decode) &&
	       codestarts_load(&handed->starts, data) &&
	       codeflow_open(&handed->flow, machine, data, &handed->starts,
		       &handed->imports) &&
	       codeflow_each(&handed->flow, note, handed);
}

static void tell(struct question *question, uint64_t text,
	enum symbolizer_handing how, uint64_t call)
{
	struct symbolizer_handed handed = {.call = call, .how = how};
	const struct codeflow_region *region;
	size_t i;

	for (i = 0; i < question->count; i++)
		if (question->told[i] == text)
			return;
	if (question->count == TEXTS_MAX)
		return;
	handed.bytes = (const char *)constantdata_string(
		question->data, text, &handed.count);
	if (!handed.bytes || handed.count == 0 || handed.count > TEXT_BYTES_MAX)
		return;
	region = codeflow_region_at(&question->handed->flow, call);
	if (!region)
		return;
	handed.begin = region->start;
	handed.end = region->end;
	question->told[question->count++] = text;
	question->take(question->closure, &handed);
}

/* What a register may hold before the step at `address`. */
static void tell_register(struct question *question, uint64_t address,
	uint8_t number, enum symbolizer_handing how, uint64_t call)
{
	struct codeflow *flow = &question->handed->flow;
	struct codetrace_values values;
	uint64_t pointer;
	size_t i;

	codetrace_register(flow, address, number, &values);
	for (i = 0; i < values.count; i++)
		if (codetrace_pointer(flow, &values.values[i], &pointer))
			tell(question, pointer, how, call);
}

static void tell_registers(
	struct question *question, uint64_t call, enum symbolizer_handing how)
{
	const struct machine *machine = question->handed->flow.machine;
	size_t i;

	for (i = 0; i < MACHINE_ARGUMENTS; i++)
		tell_register(question, call, machine->arguments[i], how, call);
}

/* Arguments that are put onto the stack right before the call. */
static void tell_stacked(struct question *question, uint64_t address,
	enum symbolizer_handing how)
{
	struct codeflow *flow = &question->handed->flow;
	struct codeflow_step stored[STACKED_MAX];
	struct codeflow_step step;
	uint64_t next = address;
	unsigned steps;
	size_t count = 0;
	size_t i;

	for (steps = 0; steps < STACKED_STEPS && count < STACKED_MAX; steps++) {
		if (!codeflow_step_before(flow, next, &step) ||
			(step.instruction.kind >= INSTRUCTION_CALL &&
				step.instruction.kind != INSTRUCTION_BRANCH))
			break;
		next = step.address;
		if (step.instruction.kind == INSTRUCTION_PUSH ||
			(step.instruction.kind == INSTRUCTION_STORE &&
				step.instruction.to == flow->machine->stack))
			stored[count++] = step;
	}
	for (i = 0; i < count; i++) {
		if (stored[i].instruction.from == INSTRUCTION_NO_REGISTER)
			tell(question, stored[i].instruction.value, how,
				address);
		else
			tell_register(question, stored[i].address,
				stored[i].instruction.from, how, address);
	}
}

static void tell_arguments(
	struct question *question, uint64_t call, enum symbolizer_handing how)
{
	tell_registers(question, call, how);
	tell_stacked(question, call, how);
}

static void tell_before(struct question *question, uint64_t address,
	enum symbolizer_handing how)
{
	uint64_t calls[CALLS_MAX];
	size_t count = codetrace_calls(
		&question->handed->flow, address, calls, CALLS_MAX);
	size_t i;

	for (i = 0; i < count; i++)
		tell_arguments(question, calls[i], how);
}

/* Where the function that begins at `start` leaves by a jump. */
static void tell_jumps(struct question *question, uint64_t start)
{
	const struct codeflow_region *region =
		start ? codeflow_region_at(&question->handed->flow, start)
		      : NULL;
	uint64_t jumps[JUMPS_MAX];
	size_t count = 0;
	size_t i;

	for (i = 0; region && i < region->count && count < JUMPS_MAX; i++) {
		const struct instruction *in = &region->steps[i].instruction;

		if (in->kind == INSTRUCTION_JUMP_LOADED ||
			(in->kind == INSTRUCTION_JUMP &&
				(in->value < region->start ||
					in->value >= region->end)))
			jumps[count++] = region->steps[i].address;
	}
	for (i = 0; i < count; i++) {
		tell_arguments(question, jumps[i], SYMBOLIZER_HANDED_BY_JUMP);
		tell_before(question, jumps[i], SYMBOLIZER_HANDED_BY_JUMP);
	}
}

static void answer(struct question *question, uint64_t next)
{
	struct codeflow *flow = &question->handed->flow;
	struct codeflow_step step;

	if (!codeflow_step_before(flow, next, &step))
		return;
	tell_arguments(question, step.address, SYMBOLIZER_HANDED_BY_CALL);
	tell_jumps(question, imports_target(flow->imports, &step.instruction));
	tell_before(question, step.address, SYMBOLIZER_HANDED_BEFORE);
}

void handed_each(struct handed *handed, struct constantdata *data,
	uint64_t next, handed_take *take, void *closure)
{
	struct question question = {
		.handed = handed,
		.data = data,
		.take = take,
		.closure = closure,
	};

	if (!handed->tried)
		handed->ready = prepare(handed, data);
	if (!handed->tried && handed->ready)
		codeflow_settle(&handed->flow);
	handed->tried = true;
	if (!handed->ready)
		return;
	handed->flow.patience = PATIENCE;
	answer(&question, next);
}

void handed_free(struct handed *handed)
{
	codeflow_close(&handed->flow);
	codestarts_free(&handed->starts);
	imports_free(&handed->imports);
}
