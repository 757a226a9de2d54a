#include "shim/record/result_use.h"

#include "shim/host/module.h"
#include "shim/host/sys.h"

#if defined(__x86_64__)

/* Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2. */

/* Instructions to look at, in all; places to go on from. */
#define STEPS 24u
#define PLACES 4u
#define LONGEST 15u /* bytes of an instruction */

#define RAX 0u

enum outcome {
	NEXT,	  /* says nothing of rax */
	READS,	  /* or may */
	WRITES,	  /* and does not read it before */
	JUMPS,	  /* always */
	BRANCHES, /* or not */
	CALLS
};

struct walk {
	uintptr_t low, high;	      /* of the module */
	const uint8_t *place[PLACES]; /* still to be looked at */
	unsigned places;
	unsigned steps;
};

struct instruction {
	const uint8_t *at;
	bool wide;    /* REX.W */
	bool r, x, b; /* other bits of REX */
	bool rex;
	bool prefixed;
	bool bytes;  /* of operands: 4 is ah without REX, a part of rax */
	bool vector; /* its register field is one of SSE */
	unsigned mod, reg, rm;
	bool memory_by_rax;
	const uint8_t *target;
};

/* ModRM, SIB and displacement. */
static void read_operands(struct instruction *in)
{
	uint8_t modrm = *in->at++;
	unsigned base, index;

	in->mod = modrm >> 6;
	in->reg = (modrm >> 3 & 7) | (unsigned)in->r << 3;
	base = modrm & 7;
	in->rm = base | (unsigned)in->b << 3;
	if (in->bytes && !in->rex && (in->reg == 4 || base == 4))
		in->memory_by_rax = true; /* nearly */
	if (in->mod == 3)
		return;
	if (base == 4) {
		uint8_t sib = *in->at++;

		index = (sib >> 3 & 7) | (unsigned)in->x << 3;
		base = sib & 7;
		in->memory_by_rax |= index == RAX;
		if (base == 5 && in->mod == 0)
			in->at += 4;
		else if ((base | (unsigned)in->b << 3) == RAX)
			in->memory_by_rax = true;
	} else if (base == 5 && in->mod == 0) {
		in->at += 4; /* relative to rip */
	} else {
		in->memory_by_rax |= in->rm == RAX;
	}
	in->at += in->mod == 1 ? 1 : in->mod == 2 ? 4 : 0;
}

static bool is_register(const struct instruction *in, unsigned number)
{
	return in->mod == 3 && in->rm == number;
}

/* The operand in memory, or the register in its place, is read. */
static enum outcome loads(struct instruction *in)
{
	read_operands(in);
	if (in->memory_by_rax || is_register(in, RAX))
		return READS;
	return in->reg == RAX && !in->vector ? WRITES : NEXT;
}

/* It is written, from the other register or from a constant of `bytes`. */
static enum outcome stores(struct instruction *in, bool constant, int bytes)
{
	read_operands(in);
	in->at += bytes;
	if (in->memory_by_rax || (!constant && in->reg == RAX))
		return READS;
	return is_register(in, RAX) ? WRITES : NEXT;
}

/* Both are read. */
static enum outcome looks(struct instruction *in, bool constant, int bytes)
{
	read_operands(in);
	in->at += bytes;
	if (in->memory_by_rax || is_register(in, RAX) ||
		(!constant && !in->vector && in->reg == RAX))
		return READS;
	return NEXT;
}

/* What makes 0 of a register. */
static enum outcome clears(struct instruction *in)
{
	read_operands(in);
	if (in->mod == 3 && in->rm == in->reg)
		return in->rm == RAX ? WRITES : NEXT;
	return in->memory_by_rax || is_register(in, RAX) || in->reg == RAX
		       ? READS
		       : NEXT;
}

static int32_t displacement(struct instruction *in, unsigned bytes)
{
	int32_t value;

	if (bytes == 1) {
		value = (int8_t)*in->at;
	} else {
		__builtin_memcpy(&value, in->at, sizeof(value));
	}
	in->at += bytes;
	return value;
}

static enum outcome jump(
	struct instruction *in, unsigned bytes, enum outcome outcome)
{
	int32_t distance = displacement(in, bytes);

	in->target = in->at + distance;
	return outcome;
}

/* After 0f. */
static enum outcome second_table(struct instruction *in)
{
	uint8_t code = *in->at++;

	if (code >= 0x80 && code <= 0x8f)
		return jump(in, 4, BRANCHES);
	switch (code) {
	case 0x31: /* rdtsc */
		return WRITES;
	case 0x1e: /* endbr64, rdssp */
		return looks(in, false, 0);
	case 0x1f: /* nop */
		read_operands(in);
		return NEXT;
	case 0xb6:
	case 0xb7:
	case 0xbe:
	case 0xbf: /* movzx, movsx */
		in->bytes = !(code & 1);
		return in->prefixed ? READS : loads(in);
	case 0x10:
	case 0x28:
	case 0x57:
	case 0x58:
	case 0x59:
	case 0x5a:
	case 0x5c:
	case 0x5e:
	case 0x6e:
	case 0x6f:
	case 0xef:
	case 0x2a:
	case 0x14:
	case 0x16:
	case 0x2e:
	case 0x2f:
	case 0x6c:
		in->vector = true;
		return loads(in);
	case 0x11:
	case 0x29:
	case 0x7f:
	case 0xd6:
		in->vector = true;
		return looks(in, false, 0);
	default:
		return READS;
	}
}

/* FF: inc, dec, call, jmp, push. */
static enum outcome last_group(struct instruction *in)
{
	read_operands(in);
	if (in->memory_by_rax || is_register(in, RAX))
		return READS;
	switch (in->reg & 7) {
	case 2: /* a call, which takes rax only as a number of registers, */
		/* and then the caller has set it */
		return WRITES;
	case 0:
	case 1:
	case 6:
		return NEXT;
	default:
		return READS;
	}
}

static enum outcome first_table(struct instruction *in, uint8_t code)
{
	unsigned number = (code & 7) | (unsigned)in->b << 3;

	if (code >= 0x50 && code <= 0x57)
		return number == RAX ? READS : NEXT;
	if (code >= 0x58 && code <= 0x5f)
		return number == RAX ? WRITES : NEXT;
	if (code >= 0x70 && code <= 0x7f)
		return jump(in, 1, BRANCHES);
	if (code >= 0xb8 && code <= 0xbf) {
		in->at += in->wide ? 8 : 4;
		return number == RAX ? WRITES : NEXT;
	}
	switch (code) {
	case 0x0f:
		return second_table(in);
	case 0x29:
	case 0x2b:
	case 0x31:
	case 0x33:
		return clears(in);
	case 0x38:
	case 0x3a:
	case 0x84:
	case 0x88:
		in->bytes = true;
		return looks(in, false, 0);
	case 0x01:
	case 0x03:
	case 0x09:
	case 0x0b:
	case 0x21:
	case 0x23:
	case 0x39:
	case 0x3b:
	case 0x85:
		return looks(in, false, 0);
	case 0x80:
	case 0xc0:
	case 0xc6:
		in->bytes = true;
		return looks(in, true, 1);
	case 0x83:
	case 0xc1:
		return looks(in, true, 1);
	case 0x81:
		return looks(in, true, 4);
	case 0xd1:
		return looks(in, true, 0);
	case 0x63:
	case 0x8b:
	case 0x8d:
		return loads(in);
	case 0x89:
		return stores(in, false, 0);
	case 0xc7:
		return stores(in, true, 4);
	case 0x90: /* nop; or xchg %r8, %rax */
		return in->b ? READS : NEXT;
	case 0xe8:
		return jump(in, 4, CALLS);
	case 0xe9:
		return jump(in, 4, JUMPS);
	case 0xeb:
		return jump(in, 1, JUMPS);
	case 0xff:
		return last_group(in);
	default:
		return READS; /* a return among them */
	}
}

/* An operand of 16 bits changes lengths, and leaves a part of rax: not known.
 */
static enum outcome step(struct instruction *in)
{
	uint8_t code = *in->at++;

	while (code == 0xf2 || code == 0xf3 || code == 0x66) {
		in->prefixed = true;
		code = *in->at++;
	}
	if (code >= 0x40 && code <= 0x4f) {
		in->wide = code & 8;
		in->r = code & 4;
		in->x = code & 2;
		in->b = code & 1;
		in->rex = true;
		code = *in->at++;
	}
	if (in->prefixed && code != 0x0f && code != 0x90 && code != 0xe8)
		return READS;
	return first_table(in, code);
}

static bool add_place(struct walk *walk, const uint8_t *place)
{
	if (walk->places == PLACES || (uintptr_t)place < walk->low ||
		(uintptr_t)place >= walk->high || !sys_is_readable(place) ||
		!sys_is_readable(place + LONGEST))
		return false;
	walk->place[walk->places++] = place;
	return true;
}

/* An entry of a linkage table, which leads out of the module: endbr64 or not,
 * bnd or not, jmp *...(%rip). */
static bool is_linkage(const uint8_t *at)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	if (memcmp(at, endbr64, sizeof(endbr64)) == 0)
		at += sizeof(endbr64);
	at += *at == 0xf2;
	return at[0] == 0xff && at[1] == 0x25;
}

/*
 * A function of the module need not write rax: whoever has compiled both may
 * know that it does not, and keep something there meanwhile (-fipa-ra).
 */
static bool is_read_by_callee(struct walk *walk, const uint8_t *callee)
{
	if (!add_place(walk, callee))
		return true;
	if (is_linkage(callee))
		walk->places--;
	return false;
}

/* From one place up to where rax is written, or a jump leads elsewhere. */
static bool is_read_from(struct walk *walk, const uint8_t *at)
{
	while (walk->steps++ < STEPS && (uintptr_t)at + LONGEST < walk->high) {
		struct instruction in = {.at = at};

		switch (step(&in)) {
		case NEXT:
			break;
		case READS:
			return true;
		case WRITES:
			return false;
		case JUMPS:
			return !add_place(walk, in.target);
		case BRANCHES:
			if (!add_place(walk, in.target))
				return true;
			break;
		case CALLS:
			return is_read_by_callee(walk, in.target);
		}
		at = in.at;
	}
	return true;
}

bool result_use_is_possible(uintptr_t pc)
{
	struct walk walk = {0};
	struct module module;

	if (!module_find(pc, &module))
		return true;
	walk.low = module.start;
	walk.high = module.end;
	if (!add_place(&walk, (const uint8_t *)pc))
		return true;
	while (walk.places > 0)
		if (is_read_from(&walk, walk.place[--walk.places]))
			return true;
	return false;
}

#else

bool result_use_is_possible(uintptr_t pc)
{
	(void)pc;
	return true;
}

#endif
