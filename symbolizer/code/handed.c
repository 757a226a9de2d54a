#include "symbolizer/code/handed.h"

#include <elf.h>
#include <string.h>

#include "symbolizer/code/callvalues.h"
#include "symbolizer/code/codetrace.h"
#include "symbolizer/code/variadic.h"

/* Calls before a call that are looked at, and jumps out of what it calls. */
#define CALLS_MAX 24
#define JUMPS_MAX 32
/* Texts of one call of a stack, and the longest that may be a format. */
#define TEXTS_MAX 96
#define TEXT_BYTES_MAX 2048
/* Arguments on the stack, and how far before the call they are put there. */
#define STACKED_MAX 32
#define STACKED_STEPS 48
#define STACKED_PATHS 8
/* Before a jump, where its target may come from. */
#define TARGET_STEPS 12
/* Functions that are left by a jump into the next one. */
#define JUMPED_MAX 3
/* Steps for all traces of one question. */
#define PATIENCE ((uint64_t)2 << 20)

struct question {
	struct handed *handed;
	struct constantdata *data;
	handed_take *take;
	void *closure;
	uint64_t told[TEXTS_MAX]; /* addresses of texts */
	size_t count;
	uint8_t argument; /* that is being told, as of a call */
	bool more;
	uint64_t any_call; /* the last one that was asked whether it takes */
	enum symbolizer_answer any; /* any arguments */
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

/* What is known of the call itself. */
static void describe_call(const struct handed *handed,
	const struct codeflow_step *step, struct symbolizer_handed *told)
{
	const struct imports *imports = &handed->imports;
	const struct instruction *in = &step->instruction;
	const struct imports_function *called = imports_called(imports, in);

	if (in->kind < INSTRUCTION_BRANCH)
		told->next = step->address + in->bytes;
	told->target = imports_target(imports, in);
	if (called && imports_prints(called))
		told->use = SYMBOLIZER_USE_PRINTS;
	if (called && called->what == IMPORTS_FORMAT)
		told->use = SYMBOLIZER_USE_MAKES;
}

static enum symbolizer_answer takes_any(
	struct question *question, uint64_t call)
{
	if (question->any_call != call) {
		question->any_call = call;
		question->any = variadic_call(&question->handed->flow, call);
	}
	return question->any;
}

static void tell(struct question *question, uint64_t text,
	enum symbolizer_handing how, uint64_t call)
{
	struct symbolizer_handed handed = {.call = call,
		.how = how,
		.argument = question->argument,
		.more = question->more};
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
	i = codeflow_steps_before(region, call);
	if (i < region->count)
		describe_call(question->handed, &region->steps[i], &handed);
	handed.takes_any = takes_any(question, call);
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
	question->more = values.more;
	for (i = 0; i < values.count; i++)
		if (codetrace_pointer(flow, &values.values[i], &pointer))
			tell(question, pointer, how, call);
		else
			question->more = true;
}

static void tell_registers(
	struct question *question, uint64_t call, enum symbolizer_handing how)
{
	const struct machine *machine = question->handed->flow.machine;
	size_t i;

	for (i = 0; i < machine->argument_count; i++) {
		question->argument = (uint8_t)i;
		tell_register(question, call, machine->arguments[i], how, call);
	}
}

struct stacked {
	struct codeflow_step steps[STACKED_MAX];
	size_t count;
	size_t paths; /* that may still be followed */
};

static bool is_stored(
	const struct codeflow *flow, const struct instruction *instruction)
{
	return instruction->kind == INSTRUCTION_PUSH ||
	       ((instruction->kind == INSTRUCTION_STORE ||
			instruction->kind == INSTRUCTION_STORE_PAIR) &&
		       instruction->to == flow->machine->stack);
}

static void note_stacked(
	struct stacked *stacked, const struct codeflow_step *step)
{
	size_t i;

	for (i = 0; i < stacked->count; i++)
		if (stacked->steps[i].address == step->address)
			return;
	if (stacked->count < STACKED_MAX)
		stacked->steps[stacked->count++] = *step;
}

/* Calls that are alike may share their ends, and are jumped to. */
static void find_stacked(struct codeflow *flow, uint64_t next, unsigned steps,
	struct stacked *stacked)
{
	struct codeflow_step step;

	for (; steps > 0 && stacked->count < STACKED_MAX; steps--) {
		uint64_t from[STACKED_PATHS];
		struct codeflow_region *region = codeflow_region_at(flow, next);
		const struct codeflow_edge *edges;
		size_t count = 0;
		size_t i;

		if (!region)
			return;
		edges = codeflow_inner_edges(region, next, &count);
		if (count > stacked->paths)
			count = stacked->paths;
		stacked->paths -= count;
		for (i = 0; i < count; i++)
			from[i] = edges[i].from;
		for (i = 0; i < count; i++)
			find_stacked(flow, from[i], steps - 1, stacked);
		if (!codeflow_step_before(flow, next, &step) ||
			(step.instruction.kind >= INSTRUCTION_CALL &&
				step.instruction.kind != INSTRUCTION_BRANCH))
			return;
		next = step.address;
		if (is_stored(flow, &step.instruction))
			note_stacked(stacked, &step);
	}
}

/* Arguments that are put onto the stack right before the call. */
static void tell_stacked(struct question *question, uint64_t address,
	enum symbolizer_handing how)
{
	struct codeflow *flow = &question->handed->flow;
	struct stacked stacked = {.paths = STACKED_PATHS};
	size_t i;

	find_stacked(flow, address, STACKED_STEPS, &stacked);
	for (i = 0; i < stacked.count; i++) {
		const struct codeflow_step *step = &stacked.steps[i];
		const struct instruction *in = &step->instruction;

		question->argument =
			(uint8_t)(flow->machine->argument_count + i);
		question->more = false;
		if (in->kind == INSTRUCTION_PUSH &&
			in->from == INSTRUCTION_NO_REGISTER)
			tell(question, in->value, how, address);
		if (in->from != INSTRUCTION_NO_REGISTER)
			tell_register(question, step->address, in->from, how,
				address);
		if (in->kind == INSTRUCTION_STORE_PAIR &&
			in->other != INSTRUCTION_NO_REGISTER)
			tell_register(question, step->address, in->other, how,
				address);
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

/*
 * A jump to where a register leads is one to a function, if that was loaded or
 * given; what is computed is a place in the same one.
 */
static bool is_tail_call(const struct codeflow_region *region, size_t i)
{
	const uint8_t target = region->steps[i].instruction.from;
	const size_t first = i > TARGET_STEPS ? i - TARGET_STEPS : 0;

	if (target >= INSTRUCTION_REGISTERS)
		return false;
	while (i-- > first) {
		const struct instruction *in = &region->steps[i].instruction;

		if (in->written >> target & 1)
			return in->kind == INSTRUCTION_LOAD ||
			       in->kind == INSTRUCTION_LOAD_PAIR ||
			       in->kind == INSTRUCTION_COPY;
		if (in->kind >= INSTRUCTION_CALL &&
			in->kind != INSTRUCTION_BRANCH)
			break;
	}
	return true;
}

/* Where the function that begins at `start` leaves by a jump. */
static void tell_jumps(
	struct question *question, uint64_t start, unsigned jumped)
{
	const struct codeflow_region *region =
		start ? codeflow_region_at(&question->handed->flow, start)
		      : NULL;
	struct codeflow_step jumps[JUMPS_MAX];
	size_t count = 0;
	size_t i;

	for (i = 0; region && i < region->count && count < JUMPS_MAX; i++) {
		const struct instruction *in = &region->steps[i].instruction;

		if (in->kind == INSTRUCTION_JUMP_LOADED ||
			(in->kind == INSTRUCTION_JUMP_REGISTER &&
				is_tail_call(region, i)) ||
			(in->kind == INSTRUCTION_JUMP &&
				(in->value < region->start ||
					in->value >= region->end)))
			jumps[count++] = region->steps[i];
	}
	for (i = 0; i < count; i++) {
		const uint64_t jump = jumps[i].address;

		tell_arguments(question, jump, SYMBOLIZER_HANDED_BY_JUMP);
		tell_before(question, jump, SYMBOLIZER_HANDED_BY_JUMP);
		if (jumps[i].instruction.kind == INSTRUCTION_JUMP &&
			jumped + 1 < JUMPED_MAX)
			tell_jumps(question, jumps[i].instruction.value,
				jumped + 1);
	}
}

static void answer(struct question *question, uint64_t next)
{
	struct codeflow *flow = &question->handed->flow;
	struct codeflow_step step;

	if (!codeflow_step_before(flow, next, &step))
		return;
	tell_arguments(question, step.address, SYMBOLIZER_HANDED_BY_CALL);
	tell_jumps(
		question, imports_target(flow->imports, &step.instruction), 0);
	tell_before(question, step.address, SYMBOLIZER_HANDED_BEFORE);
}

static bool is_ready(struct handed *handed, struct constantdata *data)
{
	if (!handed->tried)
		handed->ready = prepare(handed, data);
	if (!handed->tried && handed->ready)
		codeflow_settle(&handed->flow);
	handed->tried = true;
	return handed->ready;
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

	if (!is_ready(handed, data))
		return;
	handed->flow.patience = PATIENCE;
	answer(&question, next);
}

/*
 * All texts of a file.
 */

/* Bytes of texts that are looked at, for each byte of the file and at all. */
#define LIST_BYTES_PER_BYTE 8
#define LIST_BYTES_MAX ((uint64_t)64 << 20)
/* What it costs to tell one, beside its bytes. */
#define LIST_BYTES_EACH 80
/* Texts that are being translated in one function. */
#define TRANSLATED_MAX 32

/* That is given to a function for translations, and not yet to another. */
struct translated {
	uint64_t text;
	struct symbolizer_handed call;
};

struct list {
	struct handed *handed;
	struct constantdata *data;
	handed_take *take;
	void *closure;
	uint64_t left; /* bytes */
	const struct codeflow_region *region;
	struct translated translated[TRANSLATED_MAX]; /* in this region */
	size_t count;
};

/* Characters, of which one is a letter, as all formats have one. */
static bool is_text(const char *bytes, size_t count)
{
	bool has_letter = false;
	size_t i;

	for (i = 0; i < count; i++) {
		const unsigned char c = (unsigned char)bytes[i];

		if (c == 0x7f || (c < ' ' && !strchr("\a\b\t\n\v\f\r\033", c)))
			return false;
		has_letter |= (c >= 'a' && c <= 'z') ||
			      (c >= 'A' && c <= 'Z') || c >= 0x80;
	}
	return count > 1 && has_letter;
}

/* Or code, which a pointer leads to as well. */
static bool is_code(const struct elffile *file, uint64_t address)
{
	const size_t section = elffile_section_at(file, address);

	return section != ELFFILE_NONE &&
	       file->sections[section].flags & SHF_EXECINSTR;
}

const char *handed_text(
	struct constantdata *data, uint64_t address, size_t *count)
{
	size_t left;
	const uint8_t *bytes = constantdata_at(data, address, &left);

	if (!bytes)
		return NULL;
	if (left > TEXT_BYTES_MAX + 1)
		left = TEXT_BYTES_MAX + 1;
	*count = strnlen((const char *)bytes, left);
	return *count < left && is_text((const char *)bytes, *count) &&
			       !is_code(data->file, address)
		       ? (const char *)bytes
		       : NULL;
}

static void spend(struct list *list, uint64_t bytes)
{
	list->left -= bytes < list->left ? bytes : list->left;
}

/* `call` has what is known of it; all zeros: there is none. */
static void list_text(
	struct list *list, uint64_t text, const struct symbolizer_handed *call)
{
	struct symbolizer_handed handed = *call;

	handed.bytes = handed_text(list->data, text, &handed.count);
	spend(list, handed.count);
	if (!handed.bytes || list->left < LIST_BYTES_EACH)
		return;
	spend(list, LIST_BYTES_EACH);
	if (call->call) {
		handed.begin = list->region->start;
		handed.end = list->region->end;
	}
	list->take(list->closure, &handed);
}

static void give_up_translated(struct list *list, size_t i)
{
	list->translated[i] = list->translated[--list->count];
}

/* Those that were given to nobody else are told all the same. */
static void end_region(struct list *list)
{
	while (list->count > 0) {
		const struct translated *last =
			&list->translated[--list->count];

		list_text(list, last->text, &last->call);
	}
}

static void list_value(struct list *list, const struct symbolizer_handed *call,
	const struct callvalue *value, bool translates)
{
	uint64_t text;
	size_t i;

	if (!callvalues_pointer(&list->handed->flow, value, &text))
		return;
	if (translates && list->count < TRANSLATED_MAX) {
		list->translated[list->count++] =
			(struct translated){text, *call};
		return;
	}
	for (i = list->count; value->translated && i-- > 0;)
		if (list->translated[i].text == text)
			give_up_translated(list, i);
	list_text(list, text, call);
}

static bool list_call(void *closure, const struct callvalues_call *call)
{
	struct list *list = closure;
	const struct imports_function *called = imports_called(
		&list->handed->imports, &call->step->instruction);
	const struct imports_slot *slot = imports_slot_of(
		&list->handed->imports, &call->step->instruction);
	const bool translates = called && called->what == IMPORTS_TRANSLATION;
	const bool jumps = call->step->instruction.kind >= INSTRUCTION_BRANCH;
	/* what is on the stack of those may be there for another call */
	const size_t count =
		slot && slot->value == 0
			? list->handed->flow.machine->argument_count
			: CALLVALUES_ARGUMENTS;
	struct symbolizer_handed told = {
		.call = call->step->address,
		.how = jumps ? SYMBOLIZER_HANDED_BY_JUMP
			     : SYMBOLIZER_HANDED_BY_CALL,
	};
	size_t i, k;

	if (!call->arguments)
		return true;
	if (list->region != call->region)
		end_region(list);
	list->region = call->region;
	describe_call(list->handed, call->step, &told);
	for (i = 0; i < count; i++) {
		told.argument = (uint8_t)i;
		for (k = 0; k < call->arguments[i].count; k++)
			list_value(list, &told, &call->arguments[i].all[k],
				translates);
	}
	return list->left > 0;
}

/* That the loader fills in and makes constant: tables of texts. */
static void list_pointers(struct list *list)
{
	static const struct symbolizer_handed none;
	const struct imports *imports = &list->handed->imports;
	size_t i;

	for (i = 0; i < imports->count && list->left > 0; i++)
		if (!imports->slots[i].function)
			list_text(list, imports->slots[i].value, &none);
}

void handed_list(struct handed *handed, struct constantdata *data,
	handed_take *take, void *closure)
{
	struct list list = {
		.handed = handed,
		.data = data,
		.take = take,
		.closure = closure,
	};

	if (!is_ready(handed, data))
		return;
	list.left = data->file->bytes_on_disk * LIST_BYTES_PER_BYTE;
	if (list.left > LIST_BYTES_MAX)
		list.left = LIST_BYTES_MAX;
	callvalues_each(&handed->flow, list_call, &list);
	end_region(&list);
	list_pointers(&list);
}

void handed_free(struct handed *handed)
{
	codeflow_close(&handed->flow);
	codestarts_free(&handed->starts);
	imports_free(&handed->imports);
}
