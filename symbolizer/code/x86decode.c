#include "symbolizer/code/x86decode.h"

#include "symbolizer/code/x86parts.h"

enum register_number {
	RAX,
	RCX,
	RDX,
	RBX,
	RSP,
	RBP,
	RSI,
	RDI,
};
static uint32_t bit(unsigned number)
{
	return number < 16 ? 1u << number : 0;
}

/* Without REX the numbers 4 to 7 of byte registers are ah, ch, dh and bh. */
static bool is_of_bytes(const struct x86parts *p)
{
	uint8_t opcode = p->opcode;

	if (p->vector || p->rex || p->map > MAP_TWO)
		return false;
	if (p->map == MAP_TWO)
		return (opcode & 0xf0) == 0x90 || opcode == 0xb0 ||
		       opcode == 0xc0;
	if ((opcode & 0xf8) == 0xb0)
		return true;
	return !(opcode & 1) &&
	       (opcode < 0x40 || opcode == 0x80 || opcode == 0x86 ||
		       opcode == 0x88 || opcode == 0x8a || opcode == 0xc0 ||
		       opcode == 0xc6 || (opcode & 0xfc) == 0xd0 ||
		       opcode == 0xf6 || opcode == 0xfe);
}

static uint32_t written(const struct x86parts *p)
{
	unsigned low = (p->opcode & 7) | (p->rex << 3 & 8);
	unsigned mask = is_of_bytes(p) ? 3 : 31;
	uint32_t registers = 0;

	if (p->flags & REG)
		registers |= bit(p->reg & mask);
	if (p->flags & RM && !p->memory)
		registers |= bit(p->rm & mask);
	if (p->flags & LOW)
		registers |= bit(low & mask);
	if (p->flags & THIRD)
		registers |= bit(p->third);
	if (p->flags & AX)
		registers |= bit(RAX);
	if (p->flags & BX)
		registers |= bit(RBX);
	if (p->flags & CX)
		registers |= bit(RCX);
	if (p->flags & DX)
		registers |= bit(RDX);
	if (p->flags & SI)
		registers |= bit(RSI) | bit(RDI);
	if (p->flags & SP)
		registers |= bit(RSP);
	if (p->flags & BP)
		registers |= bit(RBP);
	if (p->flags & R11)
		registers |= bit(11);
	return registers;
}

/* A sum of at most one register and a number can be traced. */
static bool is_plain_address(const struct x86parts *p)
{
	return p->memory && !p->indexed && !p->segment && !p->address32;
}

static void set_address(struct instruction *in, const struct x86parts *p,
	uint64_t next, uint8_t *base)
{
	*base = p->rm;
	in->value = (uint64_t)p->displacement + (p->relative ? next : 0);
}

static void set(struct instruction *in, enum instruction_kind kind, unsigned to,
	unsigned from)
{
	in->kind = (uint8_t)kind;
	in->to = (uint8_t)to;
	in->from = (uint8_t)from;
}

static void set_constant(struct instruction *in, unsigned to, uint64_t value)
{
	set(in, INSTRUCTION_CONSTANT, to, INSTRUCTION_NO_REGISTER);
	in->value = value;
}

static uint64_t cut(const struct x86parts *p, int64_t value)
{
	return x86parts_is_wide(p) ? (uint64_t)value : (uint32_t)value;
}

static void understand_lea(
	struct instruction *in, const struct x86parts *p, uint64_t next)
{
	if (!is_plain_address(p) || p->small)
		return;
	set(in, INSTRUCTION_ADD, p->reg, 0);
	set_address(in, p, next, &in->from);
	if (in->from == INSTRUCTION_NO_REGISTER)
		set_constant(in, p->reg, cut(p, (int64_t)in->value));
}

static void understand_mov(
	struct instruction *in, const struct x86parts *p, uint64_t next)
{
	bool to_rm = p->opcode == 0x89;

	if (p->small)
		return;
	if (!p->memory) {
		set(in, INSTRUCTION_COPY, to_rm ? p->rm : p->reg,
			to_rm ? p->reg : p->rm);
	} else if (x86parts_is_wide(p) && is_plain_address(p) && to_rm) {
		set(in, INSTRUCTION_STORE, 0, p->reg);
		set_address(in, p, next, &in->to);
	} else if (x86parts_is_wide(p) && is_plain_address(p)) {
		set(in, INSTRUCTION_LOAD, p->reg, 0);
		set_address(in, p, next, &in->from);
	}
}

/* add and sub with a number, xor and sub of a register with itself. */
static void understand_sum(struct instruction *in, const struct x86parts *p)
{
	bool same = !p->memory && p->reg == p->rm;
	unsigned which = p->reg & 7;

	if (p->memory || p->small)
		return;
	switch (p->opcode) {
	case 0x29:
	case 0x2b:
	case 0x31:
	case 0x33:
		if (same)
			set_constant(in, p->reg, 0);
		return;
	case 0x81:
	case 0x83:
		if (which != 0 && which != 5)
			return;
		set(in, INSTRUCTION_ADD, p->rm, p->rm);
		in->value =
			(uint64_t)(which == 0 ? p->immediate : -p->immediate);
		return;
	}
}

static void understand_indirect(
	struct instruction *in, const struct x86parts *p, uint64_t next)
{
	bool call = (p->reg & 7) == 2;

	if ((p->reg & 7) != 2 && (p->reg & 7) != 4)
		return;
	set(in, call ? INSTRUCTION_CALL_REGISTER : INSTRUCTION_JUMP_REGISTER, 0,
		p->memory ? INSTRUCTION_NO_REGISTER : p->rm);
	if (!is_plain_address(p))
		return;
	set_address(in, p, next, &in->from);
	in->kind = call ? INSTRUCTION_CALL_LOADED : INSTRUCTION_JUMP_LOADED;
}

static void understand_one_byte(
	struct instruction *in, const struct x86parts *p, uint64_t next)
{
	in->value = next + (uint64_t)p->immediate;
	switch (p->opcode) {
	case 0x8d:
		understand_lea(in, p, next);
		break;
	case 0x89:
	case 0x8b:
		understand_mov(in, p, next);
		break;
	case 0xc7:
		if (!p->memory && !p->small && (p->reg & 7) == 0)
			set_constant(in, p->rm, cut(p, p->immediate));
		break;
	case 0xe8:
		in->kind = INSTRUCTION_CALL;
		break;
	case 0xe9:
	case 0xeb:
		in->kind = INSTRUCTION_JUMP;
		break;
	case 0xff:
		understand_indirect(in, p, next);
		break;
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcc:
	case 0xcf:
	case 0xf4:
		in->kind = INSTRUCTION_END;
		break;
	default:
		if ((p->opcode & 0xf8) == 0xb8 && !p->small)
			set_constant(in, (p->opcode & 7) | (p->rex << 3 & 8),
				cut(p, p->immediate));
		else if ((p->opcode & 0xf0) == 0x70 ||
			 (p->opcode & 0xfc) == 0xe0)
			in->kind = INSTRUCTION_BRANCH;
		else
			understand_sum(in, p);
	}
}

static void understand_two_bytes(
	struct instruction *in, const struct x86parts *p, uint64_t next)
{
	if ((p->opcode & 0xf0) == 0x80) {
		in->kind = INSTRUCTION_BRANCH;
		in->value = next + (uint64_t)p->immediate;
	} else if ((p->opcode & 0xf0) == 0x40 && !p->memory && !p->small) {
		set(in, INSTRUCTION_SELECT, p->reg, p->rm);
		in->other = p->reg;
	} else if (p->opcode == 0x0b || p->opcode == 0xb9 ||
		   p->opcode == 0xff) {
		in->kind = INSTRUCTION_END; /* ud2 and its relatives */
	}
}

bool x86decode(struct instruction *in, const uint8_t *code, size_t left,
	uint64_t address)
{
	struct x86parts p;

	if (!x86parts_take(&p, code, left))
		return false;
	*in = (struct instruction){
		.bytes = (uint8_t)p.at, .written = written(&p)};
	if (!p.vector && p.map == MAP_ONE)
		understand_one_byte(in, &p, address + p.at);
	else if (!p.vector && p.map == MAP_TWO)
		understand_two_bytes(in, &p, address + p.at);
	return true;
}
