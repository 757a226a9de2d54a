#include "symbolizer/code/handed.h"

#include <string.h>

#include "symbolizer/code/codetrace.h"

/* Calls before a call that are looked at, and jumps out of what it calls. */
#define CALLS_MAX 24
#define JUMPS_MAX 32
/* Texts of one call of a stack, and the longest that may be a format. */
#define TEXTS_MAX 96
#define TEXT_BYTES_MAX 2048
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
	question->told[question->count++] = text;
	question->take(question->closure, &handed);
}

/* What the registers for arguments may hold before the step at `address`. */
static void tell_arguments(struct question *question, uint64_t address,
	enum symbolizer_handing how)
{
	struct codeflow *flow = &question->handed->flow;
	struct codetrace_values values;
	uint64_t pointer;
	size_t i, k;

	for (i = 0; i < MACHINE_ARGUMENTS; i++) {
		codetrace_register(
			flow, address, flow->machine->arguments[i], &values);
		for (k = 0; k < values.count; k++)
			if (codetrace_pointer(
				    flow, &values.values[k], &pointer))
				tell(question, pointer, how, address);
	}
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
	for (i = 0; i < count; i++)
		tell_arguments(question, jumps[i], SYMBOLIZER_HANDED_BY_JUMP);
}

static void answer(struct question *question, uint64_t next)
{
	struct codeflow *flow = &question->handed->flow;
	struct codeflow_step step;
	uint64_t calls[CALLS_MAX];
	size_t count, i;

	if (!codeflow_step_before(flow, next, &step))
		return;
	tell_arguments(question, step.address, SYMBOLIZER_HANDED_BY_CALL);
	tell_jumps(question, imports_target(flow->imports, &step.instruction));
	count = codetrace_calls(flow, step.address, calls, CALLS_MAX);
	for (i = 0; i < count; i++)
		tell_arguments(question, calls[i], SYMBOLIZER_HANDED_BEFORE);
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
