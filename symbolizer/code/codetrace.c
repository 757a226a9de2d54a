#include "symbolizer/code/codetrace.h"

#include <string.h>

#define STEPS_MAX 20000
#define CALLS_STEPS_MAX 1500
#define PLACES_MAX 256
/* That are compared in the time of a step. */
#define PLACES_PER_STEP 16
#define WORD 8

/*
 * What is wanted: the value of a register before the instruction at `address`,
 * or of the variable on the stack at `number` + `offset`; plus `addend`.
 */
struct place {
	uint64_t address;
	uint64_t addend;
	uint64_t offset;
	uint8_t number;
	bool variable;
	bool loaded; /* what is wanted is where to load from */
	bool translated;
};

struct trace {
	struct codeflow *flow;
	struct codetrace_values *values;
	struct place places[PLACES_MAX]; /* to go back from; those before */
	size_t count;			 /* `done` have been */
	size_t done;
	unsigned steps; /* that may still be taken */
};

static bool is_same(const struct place *a, const struct place *b)
{
	return a->address == b->address && a->addend == b->addend &&
	       a->offset == b->offset && a->number == b->number &&
	       a->variable == b->variable && a->loaded == b->loaded &&
	       a->translated == b->translated;
}

static void give_up(struct trace *trace)
{
	trace->values->more = true;
}

static void add_place(struct trace *trace, const struct place *place)
{
	size_t i;

	for (i = 0; i < trace->count; i++)
		if (is_same(&trace->places[i], place))
			return;
	if (trace->count == PLACES_MAX)
		give_up(trace);
	else
		trace->places[trace->count++] = *place;
}

static void add_value(
	struct trace *trace, const struct place *place, uint64_t value)
{
	struct codetrace_values *values = trace->values;
	const struct codetrace_value found = {
		value + place->addend, place->loaded, place->translated};
	size_t i;

	for (i = 0; i < values->count; i++)
		if (values->values[i].value == found.value &&
			values->values[i].loaded == found.loaded)
			return;
	if (values->count == CODETRACE_VALUES_MAX)
		give_up(trace);
	else
		values->values[values->count++] = found;
}

/* False: the way back ends here.  So of all that follow. */
static bool pass_call(
	struct trace *trace, struct place *place, const struct instruction *in)
{
	const struct machine *machine = trace->flow->machine;
	const struct imports_function *called;
	struct place other;

	if (place->variable || !(machine->clobbered >> place->number & 1))
		return true;
	called = imports_called(trace->flow->imports, in);
	if (!called || called->what != IMPORTS_TRANSLATION ||
		place->number != machine->result || place->loaded ||
		place->addend != 0) {
		give_up(trace);
		return false;
	}
	place->translated = true;
	if (called->size != IMPORTS_NONE) {
		other = *place;
		other.number = machine->arguments[called->size];
		add_place(trace, &other);
	}
	place->number = machine->arguments[called->text];
	return true;
}

static bool pass_load(struct trace *trace, struct place *place,
	const struct instruction *in, uint64_t offset)
{
	const struct machine *machine = trace->flow->machine;

	if (in->from == machine->stack || in->from == machine->frame) {
		place->variable = true;
		place->number = in->from;
		place->offset = offset;
		return true;
	}
	if (place->loaded || place->addend != 0) {
		give_up(trace);
		return false;
	}
	place->loaded = true;
	if (in->from == INSTRUCTION_NO_REGISTER) {
		add_value(trace, place, offset);
		return false;
	}
	place->number = in->from;
	place->addend = offset;
	return true;
}

static bool pass_select(
	struct trace *trace, struct place *place, const struct instruction *in)
{
	struct place other = *place;

	other.number = in->other;
	add_place(trace, &other);
	place->number = in->from;
	return true;
}

/* The wanted register is what the instruction sets. */
static bool pass_setting(
	struct trace *trace, struct place *place, const struct instruction *in)
{
	switch (in->kind) {
	case INSTRUCTION_CONSTANT:
		add_value(trace, place, in->value);
		return false;
	case INSTRUCTION_COPY:
		place->number = in->from;
		return true;
	case INSTRUCTION_ADD:
		place->number = in->from;
		place->addend += in->value;
		return true;
	case INSTRUCTION_SELECT:
		return pass_select(trace, place, in);
	case INSTRUCTION_LOAD:
		return pass_load(trace, place, in, in->value);
	default:
		give_up(trace);
		return false;
	}
}

/* False: what is wanted is a number. */
static bool pass_store(struct place *place, const struct instruction *in,
	uint64_t offset, uint8_t from)
{
	if (!place->variable || in->to != place->number ||
		offset != place->offset)
		return true;
	place->variable = false;
	place->number = from;
	return from != INSTRUCTION_NO_REGISTER;
}

/* Goes back over one instruction. */
static bool pass(
	struct trace *trace, struct place *place, const struct instruction *in)
{
	switch (in->kind) {
	case INSTRUCTION_CALL:
	case INSTRUCTION_CALL_LOADED:
	case INSTRUCTION_CALL_REGISTER:
		return pass_call(trace, place, in);
	case INSTRUCTION_STORE:
		return pass_store(place, in, in->value, in->from);
	case INSTRUCTION_STORE_PAIR:
		return pass_store(place, in, in->value, in->from) &&
		       pass_store(place, in, in->value + WORD, in->other);
	}
	if (!(in->written >> place->number & 1))
		return true;
	if (!place->variable && in->kind == INSTRUCTION_LOAD_PAIR)
		return pass_load(trace, place, in,
			in->to == place->number ? in->value : in->value + WORD);
	if (!place->variable && in->to == place->number)
		return pass_setting(trace, place, in);
	give_up(trace);
	return false;
}

/* False: all traces together take too long. */
static bool spend(struct trace *trace, uint64_t steps)
{
	struct codeflow *flow = trace->flow;

	if (flow->patience < steps) {
		flow->patience = 0;
		return false;
	}
	flow->patience -= steps;
	return true;
}

static void add_edges(struct trace *trace, const struct place *place,
	const struct codeflow_edge *edges, size_t count)
{
	struct place before = *place;
	size_t i;

	/* each is counted, and compared with the places there are */
	if (!spend(trace, count * (1 + trace->count / PLACES_PER_STEP))) {
		give_up(trace);
		return;
	}
	for (i = 0; i < count; i++) {
		before.address = edges[i].from;
		add_place(trace, &before);
	}
}

/* Jumps to the place.  False: there are none, or callers that nobody knows. */
static bool follow_jumps(struct trace *trace, struct codeflow_region *region,
	const struct place *place)
{
	const struct codeflow_edge *edges;
	size_t inner;
	size_t outer = 0;

	edges = codeflow_inner_edges(region, place->address, &inner);
	add_edges(trace, place, edges, inner);
	if (codeflow_is_called(trace->flow, place->address))
		return false;
	edges = codeflow_outer_edges(trace->flow, place->address, &outer);
	add_edges(trace, place, edges, outer);
	return inner + outer > 0;
}

static bool goes_on(
	const struct codeflow *flow, const struct codeflow_step *step)
{
	const struct imports_function *called;

	switch (step->instruction.kind) {
	case INSTRUCTION_JUMP:
	case INSTRUCTION_JUMP_LOADED:
	case INSTRUCTION_JUMP_REGISTER:
	case INSTRUCTION_END:
	case INSTRUCTION_RETURN:
		return false;
	case INSTRUCTION_CALL:
	case INSTRUCTION_CALL_LOADED:
		called = imports_called(flow->imports, &step->instruction);
		return !called || !called->ends;
	default:
		return true;
	}
}

/* The step that is executed before that of index `i`, or null. */
static const struct codeflow_step *step_before(const struct codeflow *flow,
	const struct codeflow_region *region, size_t i, uint64_t address)
{
	const struct codeflow_step *step;

	if (i == 0)
		return NULL;
	step = &region->steps[i - 1];
	if (step->address + step->instruction.bytes != address ||
		!goes_on(flow, step))
		return NULL;
	return step;
}

/* Nothing leads to the place but, maybe, calls. */
static void end_at_entry(struct trace *trace,
	const struct codeflow_region *region, const struct place *place)
{
	struct codetrace_values *values = trace->values;

	values->more = true;
	if (place->address != region->start || place->variable ||
		place->loaded || place->addend != 0)
		return;
	values->is_parameter = true;
	values->entry = place->address;
	values->number = place->number;
}

/* False: it takes too long. */
static bool take_step(struct trace *trace)
{
	if (trace->steps == 0 || !spend(trace, 1))
		return false;
	trace->steps--;
	return true;
}

static void go_back(struct trace *trace, struct place place)
{
	struct codeflow_region *region =
		codeflow_region_at(trace->flow, place.address);
	size_t i = region ? codeflow_steps_before(region, place.address) : 0;

	for (; region && take_step(trace); i--) {
		bool reached = follow_jumps(trace, region, &place);
		const struct codeflow_step *step =
			step_before(trace->flow, region, i, place.address);

		if (!step) {
			if (!reached)
				end_at_entry(trace, region, &place);
			return;
		}
		place.address = step->address;
		if (!pass(trace, &place, &step->instruction))
			return;
	}
	give_up(trace);
}

void codetrace_register(struct codeflow *flow, uint64_t address, uint8_t number,
	struct codetrace_values *values)
{
	struct trace trace = {
		.flow = flow, .values = values, .steps = STEPS_MAX};
	const struct place first = {.address = address, .number = number};

	*values = (struct codetrace_values){0};
	add_place(&trace, &first);
	while (trace.done < trace.count)
		go_back(&trace, trace.places[trace.done++]);
}

bool codetrace_pointer(struct codeflow *flow,
	const struct codetrace_value *value, uint64_t *pointer)
{
	const struct imports_slot *slot;
	const uint8_t *bytes;
	size_t left;

	*pointer = value->value;
	if (!value->loaded)
		return true;
	slot = imports_slot_at(flow->imports, value->value);
	if (slot) {
		*pointer = slot->value;
		return slot->value != 0;
	}
	bytes = constantdata_at(flow->data, value->value, &left);
	if (!bytes || left < sizeof(*pointer))
		return false;
	memcpy(pointer, bytes, sizeof(*pointer));
	return true;
}

static bool is_call(const struct codeflow_step *step)
{
	return step->instruction.kind == INSTRUCTION_CALL ||
	       step->instruction.kind == INSTRUCTION_CALL_LOADED ||
	       step->instruction.kind == INSTRUCTION_CALL_REGISTER;
}

static size_t add_call(
	uint64_t *calls, size_t count, size_t room, uint64_t address)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (calls[i] == address)
			return count;
	if (count < room)
		calls[count++] = address;
	return count;
}

size_t codetrace_calls(
	struct codeflow *flow, uint64_t address, uint64_t *calls, size_t room)
{
	struct codetrace_values values = {0};
	struct trace trace = {
		.flow = flow, .values = &values, .steps = CALLS_STEPS_MAX};
	const struct place first = {.address = address};
	size_t count = 0;

	add_place(&trace, &first);
	while (trace.done < trace.count && count < room) {
		struct place place = trace.places[trace.done++];
		struct codeflow_region *region =
			codeflow_region_at(flow, place.address);
		size_t i = region ? codeflow_steps_before(region, place.address) : 0;

		for (; region && count < room && take_step(&trace); i--) {
			const struct codeflow_step *step;

			follow_jumps(&trace, region, &place);
			step = step_before(flow, region, i, place.address);
			if (!step)
				break;
			place.address = step->address;
			if (is_call(step))
				count = add_call(
					calls, count, room, step->address);
		}
	}
	return count;
}
