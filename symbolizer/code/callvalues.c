#include "symbolizer/code/callvalues.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/code/codetrace.h"

/* Variables on the stack of one function. */
#define SLOTS_MAX 24
/* Targets of jumps in one region, and of jumps to regions that follow. */
#define TARGETS_MAX 4096
#define OUTER_MAX 64
/* Over a function in which jumps lead back. */
#define PASSES_MAX 3
/* Stack pointers of which nothing is known are so far apart. */
#define FRAME_BYTES ((uint64_t)1 << 32)
#define VALUE_MASK (((uint64_t)1 << 61) - 1)
#define WORD 8
/* Values that are put together with others, at all and for each byte of the
 * file: programs take up to a quarter of that. */
#define WORK_FREE ((uint64_t)1 << 24)
#define WORK_PER_BYTE 64
/* What a copy of a state costs, in the same coin. */
#define WORK_OF_STATE 64

struct slot {
	uint64_t at;
	bool fresh;  /* stored since the last call: may be an argument, */
	bool pushed; /* so may this, until it is taken away */
	struct callvalues values;
};

struct state {
	struct callvalues registers[INSTRUCTION_REGISTERS];
	struct slot slots[SLOTS_MAX];
	size_t slot_count;
};

/* What is known where jumps lead to. */
struct target {
	uint64_t address;
	size_t place;
	bool known; /* false: nothing has led there yet */
	bool loops; /* a jump leads back to it */
	struct state state;
};

struct pass {
	struct codeflow *flow;
	callvalues_take *take;
	void *closure;
	const struct codeflow_region *region;
	struct state now;
	bool live;    /* false: what was before does not lead here */
	bool telling; /* in the last pass over a region */
	bool changed; /* what is known at a place that it has been at */
	uint64_t at;
	uint64_t frames;
	struct state before_switch;
	bool has_switch;
	struct target *targets;
	size_t count, room;
	uint16_t places[2 * TARGETS_MAX]; /* numbers of targets, from 1 */
	struct target *outer;
	size_t outer_count, outer_room;
	uint64_t work; /* that may still be done */
};

static struct callvalue value_of(enum callvalue_kind kind, uint64_t value)
{
	return (struct callvalue){.value = value, .kind = kind};
}

/* Adds what is not there yet, as far as there is room. */
static bool join(struct callvalues *to, const struct callvalues *from)
{
	bool changed = false;
	size_t i, k;

	for (i = 0; i < from->count; i++) {
		const struct callvalue *value = &from->all[i];

		for (k = 0; k < to->count; k++)
			if (to->all[k].value == value->value &&
				to->all[k].kind == value->kind)
				break;
		if (k < to->count || k == CALLVALUES_MAX)
			continue;
		to->all[to->count++] = *value;
		changed = true;
	}
	return changed;
}

static void set_one(struct callvalues *to, struct callvalue value)
{
	to->all[0] = value;
	to->count = 1;
}

static const struct callvalues *register_of(
	const struct state *state, uint8_t number)
{
	static const struct callvalues nothing;

	return number < INSTRUCTION_REGISTERS ? &state->registers[number]
					      : &nothing;
}

/* False: it is not surely an address on the stack. */
static bool is_on_stack(const struct state *state, uint8_t number,
	uint64_t distance, uint64_t *at)
{
	const struct callvalues *base = register_of(state, number);

	if (base->count != 1 || base->all[0].kind != CALLVALUE_STACK)
		return false;
	*at = (base->all[0].value + distance) & VALUE_MASK;
	return true;
}

static bool is_unknown_frame(uint64_t at)
{
	return at >= FRAME_BYTES / 2 && at < VALUE_MASK / 2;
}

static struct slot *slot_at(struct state *state, uint64_t at)
{
	size_t i;

	for (i = 0; i < state->slot_count; i++)
		if (state->slots[i].at == at)
			return &state->slots[i];
	return NULL;
}

static void remove_slot(struct state *state, struct slot *slot)
{
	*slot = state->slots[--state->slot_count];
}

/* When all are taken, one that no call is given makes room. */
static struct slot *make_slot(struct state *state, uint64_t at)
{
	struct slot *slot = slot_at(state, at);
	size_t i;

	if (slot)
		return slot;
	if (state->slot_count == SLOTS_MAX) {
		for (i = 0; i < SLOTS_MAX && state->slots[i].fresh; i++)
			;
		if (i == SLOTS_MAX)
			return NULL;
		remove_slot(state, &state->slots[i]);
	}
	slot = &state->slots[state->slot_count++];
	*slot = (struct slot){.at = at};
	return slot;
}

static void store(struct state *state, uint64_t at,
	const struct callvalues *values, bool pushed)
{
	struct slot *slot;

	if (values->count == 0) {
		slot = slot_at(state, at);
		if (slot)
			remove_slot(state, slot);
		return;
	}
	slot = make_slot(state, at);
	if (!slot)
		return;
	slot->values = *values;
	slot->fresh = true;
	slot->pushed = pushed;
}

static void forget_frame(struct pass *pass)
{
	pass->frames += FRAME_BYTES;
	pass->now.slot_count = 0;
	set_one(&pass->now.registers[pass->flow->machine->stack],
		value_of(CALLVALUE_STACK, pass->frames));
}

static void forget_all(struct pass *pass)
{
	memset(&pass->now, 0, sizeof(pass->now));
	forget_frame(pass);
}

/* A function has been called, or nobody knows what this is. */
static void begin_function(struct pass *pass)
{
	const struct machine *machine = pass->flow->machine;
	unsigned i;

	memset(&pass->now, 0, sizeof(pass->now));
	set_one(&pass->now.registers[machine->stack],
		value_of(CALLVALUE_STACK, 0));
	for (i = 0; i < machine->argument_count; i++)
		set_one(&pass->now.registers[machine->arguments[i]],
			value_of(CALLVALUE_PARAMETER, i));
	for (; i < CALLVALUES_ARGUMENTS; i++) {
		struct slot *slot = &pass->now.slots[pass->now.slot_count++];

		slot->at = machine->returned +
			   (uint64_t)(i - machine->argument_count) * WORD;
		slot->fresh = false;
		set_one(&slot->values, value_of(CALLVALUE_PARAMETER, i));
	}
}

/* The same stack by another name. */
static void move_values(struct callvalues *values, uint64_t distance)
{
	size_t i;

	for (i = 0; i < values->count; i++)
		if (values->all[i].kind == CALLVALUE_STACK)
			values->all[i].value += distance;
}

static void move_frame(struct state *state, uint64_t distance)
{
	size_t i;

	for (i = 0; i < INSTRUCTION_REGISTERS; i++)
		move_values(&state->registers[i], distance);
	for (i = 0; i < state->slot_count; i++) {
		state->slots[i].at =
			(state->slots[i].at + distance) & VALUE_MASK;
		move_values(&state->slots[i].values, distance);
	}
}

static void spend(struct pass *pass, uint64_t work)
{
	pass->work -= work < pass->work ? work : pass->work;
}

static bool join_same_frame(
	struct pass *pass, struct state *to, const struct state *from)
{
	uint64_t work = WORK_OF_STATE;
	bool changed = false;
	size_t i;

	for (i = 0; i < INSTRUCTION_REGISTERS; i++) {
		work += to->registers[i].count * from->registers[i].count;
		changed |= join(&to->registers[i], &from->registers[i]);
	}
	for (i = 0; i < from->slot_count; i++) {
		struct slot *slot = make_slot(to, from->slots[i].at);

		if (!slot)
			continue;
		work += slot->values.count * from->slots[i].values.count;
		changed |= join(&slot->values, &from->slots[i].values);
		slot->fresh |= from->slots[i].fresh;
		slot->pushed |= from->slots[i].pushed;
	}
	spend(pass, work);
	return changed;
}

/* Where two ways meet the stack is the same; one of them may know its start. */
static bool join_state(
	struct pass *pass, struct state *to, const struct state *from)
{
	const uint8_t stack = pass->flow->machine->stack;
	struct state moved;
	uint64_t here, there;

	if (!is_on_stack(to, stack, 0, &here) ||
		!is_on_stack(from, stack, 0, &there) || here == there)
		return join_same_frame(pass, to, from);
	if (is_unknown_frame(here) && !is_unknown_frame(there)) {
		move_frame(to, there - here);
		join_same_frame(pass, to, from);
		return true;
	}
	moved = *from;
	move_frame(&moved, here - there);
	return join_same_frame(pass, to, &moved);
}

static size_t place_of(const struct pass *pass, uint64_t address)
{
	const size_t mask = 2 * TARGETS_MAX - 1;
	size_t at = (address * 0x9e3779b97f4a7c15u >> 40) & mask;

	while (pass->places[at] != 0 &&
		pass->targets[pass->places[at] - 1].address != address)
		at = (at + 1) & mask;
	return at;
}

static struct target *target_at(struct pass *pass, uint64_t address)
{
	uint16_t number = pass->places[place_of(pass, address)];

	return number ? &pass->targets[number - 1] : NULL;
}

/* False: out of memory.  Null: these are too many. */
static bool make_target(
	struct pass *pass, uint64_t address, struct target **target)
{
	const size_t place = place_of(pass, address);

	*target = NULL;
	if (pass->places[place]) {
		*target = &pass->targets[pass->places[place] - 1];
		return true;
	}
	if (pass->count == TARGETS_MAX)
		return true;
	if (!array_reserve(pass->targets, pass->room, pass->count + 1))
		return false;
	*target = &pass->targets[pass->count++];
	(*target)->address = address;
	(*target)->place = place;
	(*target)->known = (*target)->loops = false;
	pass->places[place] = (uint16_t)pass->count;
	return true;
}

static void forget_targets(struct pass *pass)
{
	while (pass->count > 0)
		pass->places[pass->targets[--pass->count].place] = 0;
}

static bool add_target(
	struct pass *pass, uint64_t address, const struct state *state)
{
	struct target *target;
	bool changed = true;

	if (!make_target(pass, address, &target))
		return false;
	if (!target)
		return true;
	if (target->known)
		changed = join_state(pass, &target->state, state);
	else
		target->state = *state;
	spend(pass, WORK_OF_STATE);
	target->known = true;
	pass->changed |= changed && address <= pass->at;
	return true;
}

/* What is known where a jump leads to in code that follows this region. */
static bool add_outer(struct pass *pass, uint64_t address)
{
	size_t i;

	if (!pass->telling || address < pass->region->end)
		return true;
	for (i = 0; i < pass->outer_count; i++)
		if (pass->outer[i].address == address) {
			join_state(pass, &pass->outer[i].state, &pass->now);
			return true;
		}
	if (pass->outer_count == OUTER_MAX)
		return true;
	if (!array_reserve(
		    pass->outer, pass->outer_room, pass->outer_count + 1))
		return false;
	pass->outer[pass->outer_count].address = address;
	pass->outer[pass->outer_count++].state = pass->now;
	return true;
}

/* Those that have been waiting for this region; later ones cannot be. */
static bool take_outer(struct pass *pass)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < pass->outer_count; i++) {
		const struct target *target = &pass->outer[i];

		if (target->address >= pass->region->end)
			pass->outer[kept++] = *target;
		else if (target->address > pass->region->start &&
			 !add_target(pass, target->address, &target->state))
			return false;
	}
	pass->outer_count = kept;
	return true;
}

static bool is_inside(const struct codeflow_region *region, uint64_t address)
{
	return address >= region->start && address < region->end;
}

static bool tell(struct pass *pass, const struct codeflow_step *step)
{
	const struct machine *machine = pass->flow->machine;
	const bool jumps = step->instruction.kind >= INSTRUCTION_BRANCH;
	struct callvalues arguments[CALLVALUES_ARGUMENTS];
	const struct callvalues_call call = {
		.region = pass->region, .step = step, .arguments = arguments};
	const struct slot *slot;
	uint64_t at;
	unsigned i;

	if (!pass->telling)
		return true;
	for (i = 0; i < machine->argument_count; i++)
		arguments[i] = pass->now.registers[machine->arguments[i]];
	for (; i < CALLVALUES_ARGUMENTS; i++) {
		const uint64_t distance =
			(uint64_t)(i - machine->argument_count) * WORD +
			(jumps ? machine->returned : 0);

		slot = is_on_stack(&pass->now, machine->stack, distance, &at)
			       ? slot_at(&pass->now, at)
			       : NULL;
		arguments[i].count = 0;
		if (slot && (slot->fresh || jumps))
			arguments[i] = slot->values;
	}
	return pass->take(pass->closure, &call);
}

static bool tell_leaving(struct pass *pass, const struct codeflow_step *step)
{
	const struct callvalues_call call = {
		.region = pass->region, .step = step};

	return !pass->telling || pass->take(pass->closure, &call);
}

/* The text that a function for that gives back in another language. */
static void translate(struct pass *pass,
	const struct imports_function *function, struct callvalues *result)
{
	const struct machine *machine = pass->flow->machine;
	size_t i;

	*result = pass->now.registers[machine->arguments[function->text]];
	if (function->size != IMPORTS_NONE)
		join(result, &pass->now.registers
				      [machine->arguments[function->size]]);
	for (i = 0; i < result->count; i++)
		result->all[i].translated = true;
}

static void drop_below(struct state *state, uint64_t least)
{
	size_t i;

	for (i = state->slot_count; i-- > 0;)
		if ((int64_t)(state->slots[i].at << 3) < (int64_t)(least << 3))
			remove_slot(state, &state->slots[i]);
}

/* False: that is enough. */
static bool pass_call(struct pass *pass, const struct codeflow_step *step)
{
	const struct machine *machine = pass->flow->machine;
	const struct imports_function *called =
		imports_called(pass->flow->imports, &step->instruction);
	struct callvalues result = {.count = 0};
	uint64_t least;
	size_t i;

	if (!tell(pass, step))
		return false;
	if ((called && called->ends) ||
		codeflow_ends(pass->flow, imports_target(pass->flow->imports,
						  &step->instruction))) {
		pass->live = false;
		return true;
	}
	if (called && called->what == IMPORTS_TRANSLATION)
		translate(pass, called, &result);
	for (i = 0; i < INSTRUCTION_REGISTERS; i++)
		if (machine->clobbered >> i & 1)
			pass->now.registers[i].count = 0;
	pass->now.registers[machine->result] = result;
	for (i = 0; i < pass->now.slot_count; i++)
		pass->now.slots[i].fresh = pass->now.slots[i].pushed;
	if (is_on_stack(&pass->now, machine->stack, 0, &least))
		drop_below(&pass->now, least);
	return true;
}

static bool pass_jump(struct pass *pass, const struct codeflow_step *step)
{
	const struct instruction *in = &step->instruction;
	const bool inside = is_inside(pass->region, in->value);

	if (in->kind != INSTRUCTION_BRANCH)
		pass->live = false;
	switch (in->kind) {
	case INSTRUCTION_JUMP_LOADED:
		if (in->from == INSTRUCTION_NO_REGISTER)
			return tell(pass, step);
		return true;
	case INSTRUCTION_JUMP_REGISTER:
		if (!pass->has_switch)
			pass->before_switch = pass->now;
		else
			join_state(pass, &pass->before_switch, &pass->now);
		pass->has_switch = true;
		return true;
	case INSTRUCTION_JUMP:
		if (!inside && codeflow_is_entry(pass->flow, in->value))
			return tell(pass, step);
		break;
	}
	if (inside)
		return add_target(pass, in->value, &pass->now);
	return tell_leaving(pass, step) && add_outer(pass, in->value);
}

static void shift(struct callvalues *values, uint64_t distance)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < values->count; i++) {
		struct callvalue value = values->all[i];

		if (distance != 0 && (value.kind == CALLVALUE_LOADED ||
					     value.kind == CALLVALUE_PARAMETER))
			continue;
		value.value += distance;
		values->all[kept++] = value;
	}
	values->count = kept;
}

/* False: that is enough. */
static bool tell_parameters(struct pass *pass, const struct codeflow_step *step,
	const struct callvalues *values)
{
	struct callvalues_call call = {.region = pass->region, .step = step};
	size_t i;

	for (i = 0; pass->telling && i < values->count; i++) {
		call.parameter = (uint8_t)values->all[i].value;
		if (values->all[i].kind == CALLVALUE_PARAMETER &&
			call.parameter >= pass->flow->machine->argument_count &&
			!pass->take(pass->closure, &call))
			return false;
	}
	return true;
}

static void load(struct pass *pass, const struct instruction *in,
	uint64_t distance, struct callvalues *values)
{
	const struct callvalues *base = register_of(&pass->now, in->from);
	const struct slot *slot;
	uint64_t at;
	size_t i;

	if (in->from == INSTRUCTION_NO_REGISTER) {
		set_one(values, value_of(CALLVALUE_LOADED, distance));
	} else if (is_on_stack(&pass->now, in->from, distance, &at)) {
		slot = slot_at(&pass->now, at);
		if (slot)
			*values = slot->values;
	} else {
		for (i = 0; i < base->count; i++)
			if (base->all[i].kind == CALLVALUE_CONSTANT)
				values->all[values->count++] =
					value_of(CALLVALUE_LOADED,
						base->all[i].value + distance);
	}
}

/* False: that is enough. */
static bool push(struct pass *pass, const struct codeflow_step *step)
{
	const struct instruction *in = &step->instruction;
	const uint8_t stack = pass->flow->machine->stack;
	struct callvalues values = {.count = 0};
	uint64_t at;

	if (in->kind == INSTRUCTION_PUSH_LOADED)
		load(pass, in, in->value, &values);
	else if (in->from == INSTRUCTION_NO_REGISTER)
		set_one(&values, value_of(CALLVALUE_CONSTANT, in->value));
	else
		values = *register_of(&pass->now, in->from);
	shift(&pass->now.registers[stack], -(uint64_t)WORD);
	if (is_on_stack(&pass->now, stack, 0, &at))
		store(&pass->now, at, &values, true);
	return in->kind == INSTRUCTION_PUSH ||
	       tell_parameters(pass, step, &values);
}

static void pop(struct pass *pass, struct callvalues *values)
{
	const uint8_t stack = pass->flow->machine->stack;
	struct slot *slot;
	uint64_t at;

	if (is_on_stack(&pass->now, stack, 0, &at)) {
		slot = slot_at(&pass->now, at);
		if (slot) {
			*values = slot->values;
			remove_slot(&pass->now, slot);
		}
	}
	shift(&pass->now.registers[stack], WORD);
}

static void clear_written(struct pass *pass, uint32_t written)
{
	const uint8_t stack = pass->flow->machine->stack;
	uint8_t i;

	for (i = 0; written != 0; i++, written >>= 1) {
		if (!(written & 1))
			continue;
		if (i == stack)
			forget_frame(pass);
		else
			pass->now.registers[i].count = 0;
	}
}

static void store_at(
	struct pass *pass, uint8_t base, uint64_t distance, uint8_t from)
{
	uint64_t at;

	if (is_on_stack(&pass->now, base, distance, &at))
		store(&pass->now, at, register_of(&pass->now, from), false);
}

/* False: that is enough. */
static bool load_pair(struct pass *pass, const struct codeflow_step *step)
{
	const struct instruction *in = &step->instruction;
	struct callvalues first = {.count = 0};
	struct callvalues second = {.count = 0};

	load(pass, in, in->value, &first);
	load(pass, in, in->value + WORD, &second);
	clear_written(pass, in->written);
	if (in->to < INSTRUCTION_REGISTERS)
		pass->now.registers[in->to] = first;
	if (in->other < INSTRUCTION_REGISTERS)
		pass->now.registers[in->other] = second;
	return tell_parameters(pass, step, &first) &&
	       tell_parameters(pass, step, &second);
}

/* What is no call and no jump.  False: that is enough. */
static bool pass_plain(struct pass *pass, const struct codeflow_step *step)
{
	const struct instruction *in = &step->instruction;
	const uint8_t stack = pass->flow->machine->stack;
	struct callvalues values = {.count = 0};
	uint32_t written = in->written;
	uint64_t at;

	switch (in->kind) {
	case INSTRUCTION_CONSTANT:
		set_one(&values, value_of(CALLVALUE_CONSTANT, in->value));
		break;
	case INSTRUCTION_COPY:
		values = *register_of(&pass->now, in->from);
		break;
	case INSTRUCTION_ADD:
		values = *register_of(&pass->now, in->from);
		shift(&values, in->value);
		break;
	case INSTRUCTION_SELECT:
		values = *register_of(&pass->now, in->from);
		join(&values, register_of(&pass->now, in->other));
		break;
	case INSTRUCTION_LOAD:
		load(pass, in, in->value, &values);
		if (!tell_parameters(pass, step, &values))
			return false;
		break;
	case INSTRUCTION_POP:
		pop(pass, &values);
		written &= ~(1u << stack);
		break;
	case INSTRUCTION_PUSH:
	case INSTRUCTION_PUSH_LOADED:
		return push(pass, step);
	case INSTRUCTION_LOAD_PAIR:
		return load_pair(pass, step);
	case INSTRUCTION_STORE_PAIR:
		store_at(pass, in->to, in->value + WORD, in->other);
		/* fall through */
	case INSTRUCTION_STORE:
		store_at(pass, in->to, in->value, in->from);
		clear_written(pass, written);
		return true;
	default:
		clear_written(pass, written);
		return true;
	}
	if (in->to == stack &&
		(values.count != 1 || values.all[0].kind != CALLVALUE_STACK)) {
		clear_written(pass, written);
		return true;
	}
	clear_written(pass, written & ~(1u << (in->to & 31)));
	if (in->to < INSTRUCTION_REGISTERS)
		pass->now.registers[in->to] = values;
	if (in->to == stack && is_on_stack(&pass->now, stack, 0, &at))
		drop_below(&pass->now, at);
	return true;
}

/* Else what was called before has not returned, and this was jumped to. */
static bool is_same_stack(const struct pass *pass, const struct state *state)
{
	const uint8_t stack = pass->flow->machine->stack;
	uint64_t here, there;

	return !is_on_stack(&pass->now, stack, 0, &here) ||
	       !is_on_stack(state, stack, 0, &there) || here == there ||
	       is_unknown_frame(here) || is_unknown_frame(there);
}

/* What is known right before a step. */
static void arrive(struct pass *pass, const struct codeflow_step *step)
{
	struct target *target = target_at(pass, step->address);
	const bool known = target && target->known;

	if (known && pass->live && is_same_stack(pass, &target->state))
		join_state(pass, &pass->now, &target->state);
	else if (known)
		pass->now = target->state;
	else if (!pass->live && pass->has_switch)
		pass->now = pass->before_switch;
	else if (!pass->live)
		forget_all(pass);
	pass->live = true;
	if (target && target->loops) {
		target->state = pass->now;
		target->known = true;
	}
}

/* Between functions and pieces of them, or nothing that matters. */
static bool is_idle(const struct instruction *in)
{
	return in->kind >= INSTRUCTION_END ||
	       (in->kind == INSTRUCTION_OTHER && in->written == 0);
}

static bool take_step(struct pass *pass, const struct codeflow_step *step)
{
	const struct instruction *in = &step->instruction;

	if (is_idle(in) && !pass->live && !target_at(pass, step->address))
		return true;
	pass->at = step->address;
	arrive(pass, step);
	if (in->kind < INSTRUCTION_CALL)
		return pass_plain(pass, step);
	if (in->kind >= INSTRUCTION_END) {
		pass->live = false;
		return tell_leaving(pass, step);
	}
	if (in->kind < INSTRUCTION_BRANCH)
		return pass_call(pass, step);
	return pass_jump(pass, step);
}

static bool pass_over(struct pass *pass, bool telling)
{
	size_t i;

	spend(pass, WORK_OF_STATE);
	pass->telling = telling;
	pass->changed = false;
	pass->live = true;
	pass->frames = 0;
	begin_function(pass);
	for (i = 0; i < pass->region->count && pass->work > 0; i++)
		if (!take_step(pass, &pass->region->steps[i]))
			return false;
	return true;
}

/* False: out of memory. */
static bool find_loops(struct pass *pass, bool *any)
{
	const struct codeflow_region *region = pass->region;
	struct target *target;
	size_t i;

	for (i = 0; i < region->count; i++) {
		const struct codeflow_step *step = &region->steps[i];
		const uint64_t to = step->instruction.value;

		if ((step->instruction.kind != INSTRUCTION_JUMP &&
			    step->instruction.kind != INSTRUCTION_BRANCH) ||
			to > step->address || to < region->start)
			continue;
		if (!make_target(pass, to, &target))
			return false;
		if (target)
			*any = target->loops = true;
	}
	return true;
}

static bool take_region(void *closure, struct codeflow_region *region)
{
	struct pass *pass = closure;
	bool loops = false;
	unsigned passes;

	pass->region = region;
	pass->has_switch = false;
	forget_targets(pass);
	if (!take_outer(pass) || !find_loops(pass, &loops))
		return false;
	for (passes = 0; loops && passes < PASSES_MAX; passes++) {
		if (!pass_over(pass, false))
			return false;
		loops = pass->changed;
	}
	return pass_over(pass, true);
}

bool callvalues_each(
	struct codeflow *flow, callvalues_take *take, void *closure)
{
	struct pass *pass = calloc(1, sizeof(*pass));
	bool good;

	if (!pass)
		return false;
	pass->flow = flow;
	pass->take = take;
	pass->closure = closure;
	pass->work =
		WORK_FREE + flow->data->file->bytes_on_disk * WORK_PER_BYTE;
	good = codeflow_each(flow, take_region, pass);
	free(pass->targets);
	free(pass->outer);
	free(pass);
	return good;
}

bool callvalues_pointer(
	struct codeflow *flow, const struct callvalue *value, uint64_t *pointer)
{
	const struct codetrace_value as = {
		.value = value->value,
		.loaded = value->kind == CALLVALUE_LOADED,
	};

	return value->kind <= CALLVALUE_LOADED &&
	       codetrace_pointer(flow, &as, pointer);
}
