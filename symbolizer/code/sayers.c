#include "symbolizer/code/sayers.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/code/callvalues.h"
#include "symbolizer/code/handed.h"

/* Calls from a function that says something to one that prints. */
#define REACH_MAX 3
/* Different texts with directives that make an argument a format, and which
 * part of all its texts look like some, in percent. */
#define FORMATS_MIN 3
#define FORMATS_MIN_IMPORTED 8
#define FORMATS_SHARE 60
#define ROUNDS_MAX 16
/* Calls after one that formats, of which one may print that. */
#define LATER_MAX 64
/* For each byte of the file: what calls are given. */
#define BYTES_PER_GIVEN 8
#define GIVEN_FREE ((size_t)1 << 16)

/* What an argument of a function is. */
enum argument_is {
	IS_FORMAT = 1, /* a format, whatever comes of it */
	IS_SAID = 2,   /* and printed */
	IS_PART = 4,   /* printed in a text of another format */
};

/* One of the file, or an imported one. */
struct function {
	uint64_t at; /* where it begins, or the pointer that leads to it */
	const struct imports_slot *import; /* null: it is one of the file */
	uint8_t reach;	/* how many calls to one that prints; 0: many */
	uint16_t reads; /* a bit for each argument that is on the stack */
	uint8_t arguments[CALLVALUES_ARGUMENTS]; /* enum argument_is */
};

enum given_kind {
	GIVEN_TEXT,	 /* at `value` */
	GIVEN_PARAMETER, /* the caller's argument number `value` */
	GIVEN_PLACE,	 /* a variable of the caller, or of the file */
};

struct given {
	uint64_t value;
	uint32_t call;
	uint8_t argument;
	uint8_t kind; /* enum given_kind */
	bool translated;
};

struct call {
	uint64_t address;
	uint64_t next;	 /* 0: a jump */
	uint64_t caller; /* where that begins */
	uint64_t callee; /* as in struct function; 0: not known */
	uint32_t given;	 /* first of what it is given */
};

/* Of a call of one function in another. */
struct edge {
	uint64_t from, to;
};

struct sayers {
	struct codeflow *flow;
	struct function *functions; /* by `at` */
	size_t count, room;
	struct call *calls;
	size_t call_count, call_room;
	struct given *given;
	size_t given_count, given_room;
	size_t given_most;
	struct edge *edges; /* by `to` */
	size_t edge_count, edge_room;
	bool failed;
};

/*
 * What the code does.
 */

static void add_function(struct sayers *sayers, const struct function *function)
{
	if (array_reserve(sayers->functions, sayers->room, sayers->count + 1))
		sayers->functions[sayers->count++] = *function;
	else
		sayers->failed = true;
}

static struct function *caller_of(
	struct sayers *sayers, const struct codeflow_region *region)
{
	const struct function function = {.at = region->start};

	if (sayers->count == 0 ||
		sayers->functions[sayers->count - 1].at != region->start)
		add_function(sayers, &function);
	return sayers->failed ? NULL : &sayers->functions[sayers->count - 1];
}

static void add_edge(struct sayers *sayers, uint64_t from, uint64_t to)
{
	if (array_reserve(
		    sayers->edges, sayers->edge_room, sayers->edge_count + 1))
		sayers->edges[sayers->edge_count++] = (struct edge){from, to};
	else
		sayers->failed = true;
}

static void add_given(struct sayers *sayers, const struct given *given)
{
	if (sayers->given_count >= sayers->given_most)
		return;
	if (array_reserve(
		    sayers->given, sayers->given_room, sayers->given_count + 1))
		sayers->given[sayers->given_count++] = *given;
	else
		sayers->failed = true;
}

static void take_value(struct sayers *sayers, struct given *given,
	const struct callvalue *value)
{
	size_t count;

	given->value = value->value;
	given->translated = value->translated;
	switch (value->kind) {
	case CALLVALUE_PARAMETER:
		given->kind = GIVEN_PARAMETER;
		break;
	case CALLVALUE_STACK:
		given->kind = GIVEN_PLACE;
		break;
	default:
		given->kind = GIVEN_TEXT;
		if (callvalues_pointer(sayers->flow, value, &given->value) &&
			handed_text(sayers->flow->data, given->value, &count))
			break;
		if (value->kind != CALLVALUE_CONSTANT ||
			elffile_section_at(sayers->flow->data->file,
				given->value) == ELFFILE_NONE)
			return;
		given->kind = GIVEN_PLACE;
	}
	add_given(sayers, given);
}

/* Err() and the like do not print what they are given by others. */
static bool is_output(const struct imports_function *function)
{
	return function && !function->ends &&
	       (imports_prints(function) || function->what == IMPORTS_OUTPUT);
}

static bool is_known(const struct imports_function *function)
{
	return imports_prints(function) || function->what == IMPORTS_FORMAT;
}

static void take_arguments(struct sayers *sayers,
	const struct callvalues_call *from, struct call *call)
{
	struct given given = {.call = (uint32_t)sayers->call_count};
	size_t k;

	call->given = (uint32_t)sayers->given_count;
	for (; given.argument < CALLVALUES_ARGUMENTS; given.argument++) {
		const struct callvalues *values =
			&from->arguments[given.argument];

		for (k = 0; k < values->count; k++)
			take_value(sayers, &given, &values->all[k]);
	}
	if (sayers->given_count == call->given)
		return;
	if (call->given < UINT32_MAX / 2 &&
		array_reserve(sayers->calls, sayers->call_room,
			sayers->call_count + 1))
		sayers->calls[sayers->call_count++] = *call;
	else
		sayers->failed = true;
}

static bool take_call(void *closure, const struct callvalues_call *from)
{
	struct sayers *sayers = closure;
	const struct instruction *in = &from->step->instruction;
	struct function *caller = caller_of(sayers, from->region);
	struct call call = {
		.address = from->step->address,
		.caller = from->region->start,
	};
	const struct imports_slot *slot;

	if (!caller)
		return false;
	if (from->parameter)
		caller->reads |= (uint16_t)(1u << from->parameter);
	if (!from->arguments && !from->parameter) {
		if (in->kind < INSTRUCTION_END)
			add_edge(sayers, caller->at, in->value);
	}
	if (!from->arguments)
		return !sayers->failed;
	slot = imports_slot_of(sayers->flow->imports, in);
	if (slot && is_output(slot->function))
		caller->reach = 1;
	if (slot && slot->value == 0)
		call.callee = slot->address;
	else
		call.callee = imports_target(sayers->flow->imports, in);
	if (!slot && call.callee)
		add_edge(sayers, caller->at, call.callee);
	if (slot && slot->function && !is_known(slot->function))
		return !sayers->failed;
	if (in->kind < INSTRUCTION_BRANCH)
		call.next = call.address + in->bytes;
	take_arguments(sayers, from, &call);
	return !sayers->failed;
}

/*
 * Which functions say something.
 */

static int compare_functions(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	return a->at < b->at ? -1 : a->at > b->at;
}

static struct function *function_at(const struct sayers *sayers, uint64_t at)
{
	const struct function wanted = {.at = at};

	if (at == 0 || sayers->count == 0)
		return NULL;
	return bsearch(&wanted, sayers->functions, sayers->count,
		sizeof(wanted), compare_functions);
}

/* The one that the code there is of. */
static struct function *function_of(const struct sayers *sayers, uint64_t at)
{
	size_t low = 0;
	size_t high = sayers->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sayers->functions[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &sayers->functions[low - 1] : NULL;
}

static void add_imports(struct sayers *sayers)
{
	const struct imports *imports = sayers->flow->imports;
	size_t i;

	for (i = 0; i < imports->count && !sayers->failed; i++) {
		const struct imports_slot *slot = &imports->slots[i];
		const struct imports_function *known = slot->function;
		struct function function = {
			.at = slot->address, .import = slot};

		if (!known && !slot->name)
			continue;
		if (known && is_known(known) && known->what != IMPORTS_OTHER)
			function.arguments[known->text] =
				known->what == IMPORTS_FORMAT
					? IS_FORMAT
					: IS_FORMAT | IS_SAID;
		add_function(sayers, &function);
	}
}

static int compare_edges(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

/* From who prints to who calls that; what never returns says its own. */
static void find_reach(struct sayers *sayers)
{
	unsigned reach;
	size_t i;

	if (sayers->edge_count > 0)
		qsort(sayers->edges, sayers->edge_count, sizeof(struct edge),
			compare_edges);
	for (reach = 1; reach < REACH_MAX; reach++)
		for (i = 0; i < sayers->edge_count; i++) {
			const struct edge *edge = &sayers->edges[i];
			const struct function *to =
				function_of(sayers, edge->to);
			struct function *from = function_of(sayers, edge->from);

			if (to && from && to->reach == reach &&
				!codeflow_ends(sayers->flow, to->at) &&
				from->reach == 0)
				from->reach = (uint8_t)(reach + 1);
		}
}

static bool has_directive(const char *text, size_t count)
{
	size_t i;

	for (i = 0; i + 1 < count; i++) {
		if (text[i] != '%')
			continue;
		if (strchr("-+#'.*0123456789", text[i + 1]) ||
			(text[i + 1] >= 'a' && text[i + 1] <= 'z') ||
			(text[i + 1] >= 'A' && text[i + 1] <= 'Z'))
			return true;
		i++;
	}
	return false;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (unsigned char)c >= 0x80;
}

/* Two words. */
static bool is_sentence(const char *text, size_t count)
{
	size_t i;

	for (i = 1; i + 2 < count; i++)
		if (text[i] == ' ' && text[i + 1] != '-' &&
			(is_letter(text[i - 1]) ||
				strchr("',.:;)", text[i - 1])) &&
			(is_letter(text[i + 1]) ||
				strchr("%'\"(", text[i + 1])))
			return true;
	return false;
}

/* A text that is given to an argument of a function. */
struct use {
	uint64_t callee;
	uint64_t text;
	uint8_t argument;
};

static int compare_uses(const void *left, const void *right)
{
	const struct use *a = left, *b = right;

	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	if (a->argument != b->argument)
		return a->argument < b->argument ? -1 : 1;
	return a->text < b->text ? -1 : a->text > b->text;
}

static struct use *list_uses(const struct sayers *sayers, size_t *count)
{
	struct use *uses =
		reallocarray(NULL, sayers->given_count + 1, sizeof(*uses));
	size_t i;

	*count = 0;
	for (i = 0; uses && i < sayers->given_count; i++) {
		const struct given *given = &sayers->given[i];

		if (given->kind == GIVEN_TEXT)
			uses[(*count)++] = (struct use){
				.callee = sayers->calls[given->call].callee,
				.text = given->value,
				.argument = given->argument,
			};
	}
	if (*count > 0)
		qsort(uses, *count, sizeof(*uses), compare_uses);
	return uses;
}

/* What is on the stack may be for another call. */
static bool takes(const struct sayers *sayers, const struct function *function,
	uint8_t argument)
{
	return argument < sayers->flow->machine->argument_count ||
	       function->reads >> argument & 1;
}

/* By what all callers give it, an argument is a format. */
static void judge(
	const struct sayers *sayers, const struct use *uses, size_t count)
{
	struct function *function = function_at(sayers, uses->callee);
	size_t formats = 0;
	size_t like = 0;
	size_t all = 0;
	size_t i, bytes;

	if (!function || !takes(sayers, function, uses->argument))
		return;
	for (i = 0; i < count; i++) {
		const char *text;

		if (i > 0 && uses[i].text == uses[i - 1].text)
			continue;
		text = handed_text(sayers->flow->data, uses[i].text, &bytes);
		if (!text)
			continue;
		all++;
		if (has_directive(text, bytes))
			formats++;
		else if (is_sentence(text, bytes))
			like++;
	}
	if (formats < (function->import ? FORMATS_MIN_IMPORTED : FORMATS_MIN) ||
		(formats + like) * 100 < all * FORMATS_SHARE)
		return;
	function->arguments[uses->argument] |= IS_FORMAT;
	/* what another file does with it can be told from that alone */
	if (function->import && !function->import->function)
		function->arguments[uses->argument] |= IS_SAID;
}

static void judge_all(struct sayers *sayers)
{
	size_t count, same;
	struct use *uses = list_uses(sayers, &count);
	const struct use *at = uses;

	sayers->failed |= !uses;
	for (; count > 0; at += same, count -= same) {
		for (same = 1; same < count && at[same].callee == at->callee &&
			       at[same].argument == at->argument;
			same++)
			;
		judge(sayers, at, same);
	}
	free(uses);
}

static size_t given_end(const struct sayers *sayers, size_t call)
{
	return call + 1 < sayers->call_count ? sayers->calls[call + 1].given
					     : sayers->given_count;
}

/* Directives alone: its texts are what it is given. */
static bool is_frame(const char *text, size_t count)
{
	size_t letters = 0;
	bool inside = false; /* a directive */
	size_t i;

	for (i = 0; i < count; i++) {
		if (text[i] == '%')
			inside = !inside;
		else if (is_letter(text[i]) && !inside)
			letters++;
		else if (is_letter(text[i]))
			inside = text[i] == 'l' || text[i] == 'z' ||
				 text[i] == 'h';
	}
	return letters == 0;
}

/*
 * A constant format comes before this argument, which is put into its text: all
 * of the text, if that is not printed at once.
 */
static bool is_put_into_text(const struct sayers *sayers, size_t call,
	const struct function *caller, const struct function *callee,
	uint8_t argument)
{
	size_t i, bytes;

	for (i = sayers->calls[call].given; i < given_end(sayers, call); i++) {
		const struct given *given = &sayers->given[i];
		const uint8_t is = callee->arguments[given->argument];
		const char *text;

		if (given->argument >= argument)
			return false;
		if (given->kind != GIVEN_TEXT || !(is & IS_FORMAT) ||
			(!caller->reach && !(is & IS_SAID)))
			continue;
		text = handed_text(sayers->flow->data, given->value, &bytes);
		return text && ((callee->import && is & IS_SAID) ||
				       is_frame(text, bytes));
	}
	return false;
}

/* What the caller's parameter is, since it is given to that argument. */
static uint8_t passed_on(const struct sayers *sayers, size_t call,
	const struct function *caller, const struct function *callee,
	uint8_t argument)
{
	const uint8_t is = callee->arguments[argument];

	if (is & IS_SAID)
		return is;
	if (is & IS_FORMAT)
		return caller->reach ? IS_FORMAT | IS_SAID : IS_FORMAT;
	if (is & IS_PART)
		return is;
	return is_put_into_text(sayers, call, caller, callee, argument)
		       ? IS_PART
		       : 0;
}

static bool spread(struct sayers *sayers)
{
	bool changed = false;
	size_t call, i;

	for (call = 0; call < sayers->call_count; call++) {
		const struct call *at = &sayers->calls[call];
		struct function *caller = function_at(sayers, at->caller);
		const struct function *callee = function_at(sayers, at->callee);

		for (i = at->given;
			caller && callee && i < given_end(sayers, call); i++) {
			const struct given *given = &sayers->given[i];
			uint8_t *is = &caller->arguments[given->value %
							 CALLVALUES_ARGUMENTS];
			uint8_t now;

			if (given->kind != GIVEN_PARAMETER)
				continue;
			now = *is | passed_on(sayers, call, caller, callee,
					    given->argument);
			changed |= now != *is;
			*is = now;
		}
	}
	return changed;
}

/* A format of its own formatter, near to where it is printed, is said. */
static void say_formats(struct sayers *sayers)
{
	size_t i, k;

	for (i = 0; i < sayers->count; i++)
		for (k = 0; k < CALLVALUES_ARGUMENTS; k++) {
			struct function *function = &sayers->functions[i];

			if (!function->import && function->reach &&
				function->arguments[k] & IS_FORMAT)
				function->arguments[k] |= IS_SAID;
		}
}

static void find_sayers(struct sayers *sayers)
{
	unsigned rounds;

	add_imports(sayers);
	if (sayers->failed || sayers->count == 0)
		return;
	qsort(sayers->functions, sayers->count, sizeof(struct function),
		compare_functions);
	find_reach(sayers);
	judge_all(sayers);
	say_formats(sayers);
	for (rounds = 0; rounds < ROUNDS_MAX; rounds++)
		if (!spread(sayers))
			break;
}

/*
 * What they say.
 */

/* It is formatted into a place that the same function then prints. */
static bool is_printed_later(const struct sayers *sayers, size_t call)
{
	const struct call *at = &sayers->calls[call];
	size_t later, i, k;

	for (later = call + 1;
		later < sayers->call_count && later - call <= LATER_MAX &&
		sayers->calls[later].caller == at->caller;
		later++) {
		const struct function *callee =
			function_at(sayers, sayers->calls[later].callee);

		for (i = sayers->calls[later].given;
			callee && i < given_end(sayers, later); i++) {
			const struct given *given = &sayers->given[i];

			if (given->kind != GIVEN_PLACE ||
				!(callee->arguments[given->argument] ||
					(callee->import &&
						is_output(callee->import
								  ->function))))
				continue;
			if (callee->arguments[given->argument] == IS_FORMAT)
				continue; /* into the next one */
			for (k = at->given; k < given_end(sayers, call); k++)
				if (sayers->given[k].kind == GIVEN_PLACE &&
					sayers->given[k].value == given->value)
					return true;
		}
	}
	return false;
}

/* Which argument of the call is a statement, or CALLVALUES_ARGUMENTS. */
static uint8_t statement_of(
	const struct sayers *sayers, size_t call, const struct function *callee)
{
	uint8_t part = CALLVALUES_ARGUMENTS;
	uint8_t format = CALLVALUES_ARGUMENTS;
	size_t i, bytes;

	for (i = sayers->calls[call].given; i < given_end(sayers, call); i++) {
		const struct given *given = &sayers->given[i];
		const uint8_t is = callee->arguments[given->argument];
		const char *text;

		if (given->kind != GIVEN_TEXT)
			continue;
		if (is & IS_SAID)
			return given->argument;
		if (is & IS_FORMAT && format == CALLVALUES_ARGUMENTS)
			format = given->argument;
		if (!(is & IS_PART) || part < CALLVALUES_ARGUMENTS)
			continue;
		text = handed_text(sayers->flow->data, given->value, &bytes);
		if (text && is_sentence(text, bytes))
			part = given->argument;
	}
	if (format < CALLVALUES_ARGUMENTS && is_printed_later(sayers, call))
		return format;
	return part;
}

static void tell(struct sayers *sayers, size_t call,
	void (*take)(void *closure, const struct symbolizer_call *call),
	void *closure)
{
	const struct call *at = &sayers->calls[call];
	const struct function *callee = function_at(sayers, at->callee);
	struct symbolizer_text texts[CALLVALUES_MAX];
	struct symbolizer_call told = {
		.address = at->address,
		.next = at->next,
		.texts = texts,
		.said = true,
	};
	uint8_t argument = callee ? statement_of(sayers, call, callee)
				  : CALLVALUES_ARGUMENTS;
	size_t i;

	if (argument == CALLVALUES_ARGUMENTS)
		return;
	for (i = at->given; i < given_end(sayers, call); i++) {
		const struct given *given = &sayers->given[i];
		struct symbolizer_text *text = &texts[told.text_count];

		if (given->kind != GIVEN_TEXT || given->argument != argument ||
			told.text_count == CALLVALUES_MAX)
			continue;
		*text = (struct symbolizer_text){
			.translated = given->translated};
		text->bytes = (const uint8_t *)handed_text(
			sayers->flow->data, given->value, &text->count);
		told.text_count += text->bytes != NULL;
	}
	if (callee->import)
		told.function = callee->import->function
					? callee->import->function->name
					: callee->import->name;
	else
		told.target = callee->at;
	take(closure, &told);
}

bool sayers_each(struct codeflow *flow,
	void (*take)(void *closure, const struct symbolizer_call *call),
	void *closure)
{
	struct sayers sayers = {
		.flow = flow,
		.given_most = GIVEN_FREE +
			      flow->data->file->bytes_on_disk / BYTES_PER_GIVEN,
	};
	size_t i;

	if (callvalues_each(flow, take_call, &sayers))
		find_sayers(&sayers);
	else
		sayers.failed = true;
	for (i = 0; !sayers.failed && i < sayers.call_count; i++)
		tell(&sayers, i, take, closure);
	free(sayers.functions);
	free(sayers.calls);
	free(sayers.given);
	free(sayers.edges);
	return !sayers.failed;
}
