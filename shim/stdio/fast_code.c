#include "shim/stdio/fast_code.h"

#if FAST_CODE
#include "shim/host/arena.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/locale_state.h"

/* Records with more than this have to be tested for room. */
#define FIXED_MAX 256u
#define ARGUMENTS_MAX 12u
#define TEXT_MAX (1u << 20)
#define REGISTERS 6u /* for integers */
#define FLOATS 8u    /* registers */
#define LOADS 8u     /* of words of the stack */

/* Offsets from fast_code: functions, and pieces of them. */
extern HIDDEN const char fast_code[];
struct way {
	uint32_t miss;
	struct {
		uint32_t check_fp;
		uint32_t words; /* where no word has to be compared any more */
	} check[2];		/* [1]: of a piece of a line */
};
extern HIDDEN const struct way fast_code_ways[ENTRY_COUNT];
extern HIDDEN const uint32_t fast_code_word_bytes;
/* One and two integers: by the register of the first, and what they are. */
enum { NOTHING, SIGNED, UNSIGNED, HEX, KINDS };
extern HIDDEN const uint32_t fast_code_ints[3][KINDS][KINDS];
extern HIDDEN const uint32_t fast_code_steps[STEP_FIXED][2][REGISTERS - 1];
extern HIDDEN const uint32_t fast_code_floats[2][FLOATS]; /* [1]: alone */
extern HIDDEN const uint32_t fast_code_loads[LOADS];
extern HIDDEN const uint32_t fast_code_begin, fast_code_save;
extern HIDDEN const uint32_t fast_code_end[2];

/* Of an argument that is nothing but a number of 32 bits. */
static unsigned kind_of(const struct plan_argument *argument)
{
	if (argument->least)
		return NOTHING;
	switch (argument->step) {
	case STEP_SIGNED:
		return SIGNED;
	case STEP_UNSIGNED:
		return UNSIGNED;
	case STEP_HEX:
		return HEX;
	default:
		return NOTHING;
	}
}

/* The whole of a call with at most two numbers, or null. */
static const char *code_of_ints(const struct plan *plan, unsigned named)
{
	unsigned kind[2] = {NOTHING, NOTHING};

	for (unsigned i = 0; i < plan->count; i++) {
		if (i == 2)
			return NULL;
		kind[i] = kind_of(&plan->argument[i]);
		if (kind[i] == NOTHING)
			return NULL;
	}
	return fast_code + fast_code_ints[named - 1][kind[0]][kind[1]];
}

static bool is_fit(const struct plan *plan)
{
	bool decimal = !plan->has_decimal || (!locale_varies && locale_point);

	return plan->measured && !plan->at_once && !plan->has_errno &&
	       !plan->has_wide && decimal && plan->fixed <= FIXED_MAX &&
	       plan->count <= ARGUMENTS_MAX && plan->literal <= TEXT_MAX;
}

static bool is_fit_step(const struct plan_argument *argument)
{
	if (argument->step == STEP_GENERAL || argument->least > TEXT_MAX ||
		argument->precision > (int32_t)TEXT_MAX)
		return false;
	return argument->step != STEP_FIXED || argument->width == FORMAT_NONE;
}

/* Bytes of the text of a "%f" behind the digits before its point. */
static uint32_t fraction(const struct plan_argument *argument)
{
	int32_t precision = argument->precision < 0 ? 6 : argument->precision;

	return precision > 0 ? 1 + (uint32_t)precision : 0;
}

/* Where the arguments of a call come from. */
struct sources {
	unsigned integers; /* of the registers for them */
	unsigned floats;
	unsigned loads;
	bool only_floats;
	uint32_t literal;
};

static bool add_step(struct fast_step **at,
	const struct plan_argument *argument, struct sources *from)
{
	bool is_float = argument->step == STEP_FIXED;
	unsigned which;
	uint32_t code;

	if (!is_fit_step(argument))
		return false;
	if (is_float) {
		if (from->floats == FLOATS)
			return false;
		code = fast_code_floats[from->only_floats][from->floats++];
		from->literal += fraction(argument);
	} else {
		if (from->integers < REGISTERS) {
			which = from->integers++ - 1;
		} else {
			/* By the first register: its own is copied already. */
			if (from->loads == LOADS)
				return false;
			*(*at)++ = (struct fast_step){
				fast_code + fast_code_loads[from->loads++],
				argument};
			which = 0;
		}
		code = fast_code_steps[argument->step][argument->least > 1]
				      [which];
		if (argument->step == STEP_CHARACTER)
			from->literal += argument->least ? argument->least : 1;
	}
	*(*at)++ = (struct fast_step){fast_code + code, argument};
	return true;
}

static bool has_only_floats(const struct plan *plan)
{
	unsigned i = 0;

	while (i < plan->count && plan->argument[i].step == STEP_FIXED)
		i++;
	return i == plan->count;
}

/* The steps of a plan whose first `named` arguments have names; or null. */
static const struct fast_step *make_steps(const struct plan *plan,
	unsigned named, bool is_piece, uint32_t *literal)
{
	struct sources from = {
		.integers = named, .only_floats = has_only_floats(plan)};
	struct fast_step steps[2 * ARGUMENTS_MAX + 2], *at = steps, *made;

	if (!from.only_floats)
		*at++ = (struct fast_step){fast_code + fast_code_save, NULL};
	for (unsigned i = 0; i < plan->count; i++)
		if (!add_step(&at, &plan->argument[i], &from))
			return NULL;
	*at++ = (struct fast_step){fast_code + fast_code_end[is_piece], NULL};
	made = arena_take((size_t)((char *)at - (char *)steps));
	if (made)
		__builtin_memcpy(
			made, steps, (size_t)((char *)at - (char *)steps));
	*literal += from.literal;
	return made;
}

static bool prepare_steps(struct memo *memo, unsigned named, bool is_piece)
{
	const struct plan *plan = memo->plan;
	const struct fast_step **steps = &plan->made->steps[named][is_piece];
	uint32_t *literal = &plan->made->literal[named][is_piece];

	if (!*steps) {
		*literal = plan->literal;
		*steps = make_steps(plan, named + 1, is_piece, literal);
	}
	memo->steps = *steps;
	memo->literal = *literal;
	memo->record = fast_code + fast_code_begin;
	return memo->steps != NULL;
}

static bool is_piece(const struct memo *memo)
{
	return memo_entry(memo) <= ENTRY_FPRINTF_CHK && memo->holds_back &&
	       memo->plan->ending == ENDING_PIECE;
}

static bool prepare_format(struct memo *memo)
{
	static const uint8_t named_by_entry[ENTRY_COUNT] = {
		[ENTRY_PRINTF] = 1,
		[ENTRY_FPRINTF] = 2,
		[ENTRY_PRINTF_CHK] = 2,
		[ENTRY_FPRINTF_CHK] = 3,
	};
	unsigned named = named_by_entry[memo_entry(memo)];
	const struct plan *plan = memo->plan;

	if (!plan->made || !is_fit(plan) ||
		(memo->holds_back && plan->ending == ENDING_LAST))
		return false;
	memo->literal = plan->literal;
	memo->record = is_piece(memo) ? NULL : code_of_ints(plan, named);
	return memo->record || prepare_steps(memo, named - 1, is_piece(memo));
}

void fast_code_prepare(struct memo *memo)
{
	const struct way *way = &fast_code_ways[memo_entry(memo)];
	bool other =
		stdio_buffer_collects && stdio_buffer_collects != memo->file;
	unsigned check;

	if (memo_entry(memo) == ENTRY_NONE)
		return;
	memo->miss = fast_code + way->miss;
	memo->check = memo->miss;
	if (other || !clock_is_tsc ||
		(memo_entry(memo) <= ENTRY_FPRINTF_CHK &&
			(!memo->plan || !prepare_format(memo))))
		return;
	check = is_piece(memo);
	memo->check_words =
		fast_code + way->check[check].words -
		(size_t)(MEMO_WORDS - memo->first) * fast_code_word_bytes;
	memo->check = memo->needs_fp ? fast_code + way->check[check].check_fp
				     : memo->check_words;
}

size_t fast_code_said_as(
	struct writer *w, struct memo *memo, size_t length, size_t result)
{
	writer_said_slow(w, memo_stream(memo));
	writer_count_said(w, length);
	writer_leave(w);
	return result;
}

int fast_code_said(struct writer *w, struct memo *memo, uint32_t length)
{
	return (int)fast_code_said_as(w, memo, length, length);
}
#endif
