#include "shim/unwind/cfi_program.h"

#define STATES_MAX 4

/* DW_CFA_*: the upper two bits, or all of them. */
enum {
	OP_ADVANCE = 0x40,
	OP_OFFSET = 0x80,
	OP_RESTORE = 0xc0,
	OP_OPERAND = 0x3f,

	OP_NOP = 0x00,
	OP_SET_LOC = 0x01,
	OP_ADVANCE1 = 0x02,
	OP_ADVANCE2 = 0x03,
	OP_ADVANCE4 = 0x04,
	OP_OFFSET_EXTENDED = 0x05,
	OP_RESTORE_EXTENDED = 0x06,
	OP_UNDEFINED = 0x07,
	OP_SAME_VALUE = 0x08,
	OP_REGISTER = 0x09,
	OP_REMEMBER_STATE = 0x0a,
	OP_RESTORE_STATE = 0x0b,
	OP_DEF_CFA = 0x0c,
	OP_DEF_CFA_REGISTER = 0x0d,
	OP_DEF_CFA_OFFSET = 0x0e,
	OP_DEF_CFA_EXPRESSION = 0x0f,
	OP_EXPRESSION = 0x10,
	OP_OFFSET_EXTENDED_SF = 0x11,
	OP_DEF_CFA_SF = 0x12,
	OP_DEF_CFA_OFFSET_SF = 0x13,
	OP_VAL_OFFSET = 0x14,
	OP_VAL_OFFSET_SF = 0x15,
	OP_VAL_EXPRESSION = 0x16,
	OP_AARCH64_SIGNED_WITH_PC = 0x2c,
	OP_AARCH64_SIGNED = 0x2d,
	OP_GNU_ARGS_SIZE = 0x2e,
	OP_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

struct machine {
	const struct cfi_common *common;
	struct cfi_bytes code;
	uintptr_t location; /* never beyond pc */
	uintptr_t pc;
	bool found; /* the next row is beyond pc */
	uint8_t states;
	struct cfi_row row;
	struct cfi_row initial; /* after the CIE's program */
	struct cfi_row state[STATES_MAX];
	struct cfi_place ignored;
};

static struct cfi_place *place_in(
	struct machine *m, struct cfi_row *row, uint64_t number)
{
	switch (number) {
	case CFI_REGISTER_SP:
		return &row->sp;
	case CFI_REGISTER_FP:
		return &row->fp;
	case CFI_REGISTER_RA:
		return &row->ra;
	}
	return &m->ignored;
}

static void advance(struct machine *m, uint64_t units)
{
	uintptr_t left = m->pc - m->location;
	uintptr_t delta;

	if (__builtin_mul_overflow(units, m->common->code_factor, &delta) ||
		delta > left)
		m->found = true;
	else
		m->location += delta;
}

static void set_location(struct machine *m)
{
	uintptr_t location =
		cfi_bytes_pointer(&m->code, m->common->encoding, 0);

	if (location > m->pc)
		m->found = true;
	else
		m->location = location;
}

static int64_t take_factored(struct machine *m)
{
	return (int64_t)((uint64_t)cfi_bytes_sleb(&m->code) *
			 (uint64_t)m->common->data_factor);
}

static int64_t take_unsigned_factored(struct machine *m)
{
	return (int64_t)(cfi_bytes_uleb(&m->code) *
			 (uint64_t)m->common->data_factor);
}

static void set_offset(struct cfi_place *place, int64_t offset)
{
	place->how = CFI_HOW_OFFSET;
	place->offset = offset;
}

static void set_expression(struct machine *m, struct cfi_place *place)
{
	struct cfi_bytes block =
		cfi_bytes_part(&m->code, cfi_bytes_uleb(&m->code));

	if (cfi_bytes_left(&block) > UINT32_MAX)
		cfi_bytes_fail(&m->code);
	place->how = CFI_HOW_EXPRESSION;
	place->size = (uint32_t)cfi_bytes_left(&block);
	place->expression = block.at;
}

/* The rest of an instruction that sets the CFA; false if it is none. */
static bool execute_cfa(struct machine *m, uint8_t op)
{
	struct cfi_row *row = &m->row;

	switch (op) {
	case OP_DEF_CFA:
		row->cfa_register = cfi_bytes_uleb(&m->code);
		set_offset(&row->cfa, (int64_t)cfi_bytes_uleb(&m->code));
		return true;
	case OP_DEF_CFA_SF:
		row->cfa_register = cfi_bytes_uleb(&m->code);
		set_offset(&row->cfa, take_factored(m));
		return true;
	case OP_DEF_CFA_REGISTER:
		row->cfa_register = cfi_bytes_uleb(&m->code);
		return true;
	case OP_DEF_CFA_OFFSET:
		set_offset(&row->cfa, (int64_t)cfi_bytes_uleb(&m->code));
		return true;
	case OP_DEF_CFA_OFFSET_SF:
		set_offset(&row->cfa, take_factored(m));
		return true;
	case OP_DEF_CFA_EXPRESSION:
		set_expression(m, &row->cfa);
		return true;
	}
	return false;
}

/* The rest of an instruction about one register; others are damage. */
static void execute_register(struct machine *m, uint8_t op)
{
	uint64_t number = cfi_bytes_uleb(&m->code);
	struct cfi_place *place = place_in(m, &m->row, number);

	switch (op) {
	case OP_OFFSET_EXTENDED:
		set_offset(place, take_unsigned_factored(m));
		break;
	case OP_OFFSET_EXTENDED_SF:
		set_offset(place, take_factored(m));
		break;
	case OP_GNU_NEGATIVE_OFFSET_EXTENDED:
		set_offset(
			place, (int64_t) - (uint64_t)take_unsigned_factored(m));
		break;
	case OP_RESTORE_EXTENDED:
		*place = *place_in(m, &m->initial, number);
		break;
	case OP_UNDEFINED:
		place->how = CFI_HOW_UNDEFINED;
		break;
	case OP_SAME_VALUE:
		place->how = CFI_HOW_SAME;
		break;
	case OP_EXPRESSION:
		set_expression(m, place);
		break;
	case OP_VAL_EXPRESSION:
		set_expression(m, place);
		place->how = CFI_HOW_OTHER;
		break;
	case OP_REGISTER:
	case OP_VAL_OFFSET:
	case OP_VAL_OFFSET_SF:
		cfi_bytes_uleb(&m->code);
		place->how = CFI_HOW_OTHER;
		break;
	default:
		cfi_bytes_fail(&m->code);
	}
}

/* The rest of an instruction about locations and states, or others. */
static void execute_extended(struct machine *m, uint8_t op)
{
	switch (op) {
	case OP_NOP:
		break;
#if defined(__aarch64__)
	/* A signature is taken off wherever there is one. */
	case OP_AARCH64_SIGNED_WITH_PC:
	case OP_AARCH64_SIGNED:
		break;
#endif
	case OP_SET_LOC:
		set_location(m);
		break;
	case OP_ADVANCE1:
		advance(m, cfi_bytes_take(&m->code, 1));
		break;
	case OP_ADVANCE2:
		advance(m, cfi_bytes_take(&m->code, 2));
		break;
	case OP_ADVANCE4:
		advance(m, cfi_bytes_take(&m->code, 4));
		break;
	case OP_REMEMBER_STATE:
		if (m->states == STATES_MAX)
			cfi_bytes_fail(&m->code);
		else
			m->state[m->states++] = m->row;
		break;
	case OP_RESTORE_STATE:
		if (m->states == 0)
			cfi_bytes_fail(&m->code);
		else
			m->row = m->state[--m->states];
		break;
	case OP_GNU_ARGS_SIZE:
		cfi_bytes_uleb(&m->code);
		break;
	default:
		if (!execute_cfa(m, op))
			execute_register(m, op);
	}
}

/* Every instruction takes at least one byte, so this comes to an end. */
static bool execute(struct machine *m, struct cfi_bytes program)
{
	m->code = program;
	while (!m->found && cfi_bytes_left(&m->code) > 0) {
		uint8_t op = (uint8_t)cfi_bytes_take(&m->code, 1);
		uint8_t operand = op & OP_OPERAND;
		struct cfi_place *place;

		switch (op & ~OP_OPERAND) {
		case OP_ADVANCE:
			advance(m, operand);
			break;
		case OP_OFFSET:
			place = place_in(m, &m->row, operand);
			set_offset(place, take_unsigned_factored(m));
			break;
		case OP_RESTORE:
			place = place_in(m, &m->row, operand);
			*place = *place_in(m, &m->initial, operand);
			break;
		default:
			execute_extended(m, op);
		}
	}
	return !m->code.bad;
}

bool cfi_program_run(const struct cfi_common *common, struct cfi_bytes program,
	uintptr_t start, uintptr_t pc, struct cfi_row *row)
{
	struct machine m;

	m.common = common;
	m.location = 0;
	m.pc = UINTPTR_MAX;
	m.found = false;
	m.states = 0;
	m.row = m.initial = (struct cfi_row){0};
	if (!execute(&m, common->program))
		return false;
	m.initial = m.row;
	m.location = start;
	m.pc = pc;
	m.found = false;
	if (!execute(&m, program))
		return false;
	*row = m.row;
	return true;
}
