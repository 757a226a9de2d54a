#include "symbolizer/code/callsites.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/code/codetrace.h"
#include "symbolizer/code/imports.h"
#include "symbolizer/code/sayers.h"
#include "symbolizer/symbolizer.h"

/*
 * Jumps to functions that print, by the text that they hand on.  Asked by
 * tailcalls where the debug information does not list the calls of a function.
 * Promises to read the code of a file once.
 */

/* `said`: also those that functions say which do not pass them on. */
static const char *list(struct elffile *file, bool said,
	callsites_take *take, void *closure);

static void take_call(void *closure, const struct symbolizer_call *call)
{
	struct codejumps *jumps = closure;
	uint8_t *text;

	if (call->next != 0 || call->more || call->text_count != 1 ||
		call->texts[0].wide)
		return;
	if (!array_reserve(jumps->jumps, jumps->room, jumps->count + 1))
		return;
	text = malloc(call->texts[0].count + 1);
	if (!text)
		return;
	memcpy(text, call->texts[0].bytes, call->texts[0].count);
	jumps->jumps[jumps->count++] = (struct codejumps_jump){
		.address = call->address,
		.text = text,
		.bytes = call->texts[0].count,
	};
}

void codejumps_each(struct codejumps *jumps, struct elffile *file,
	uint64_t argument, void (*take)(void *closure, uint64_t address),
	void *closure)
{
	struct constantdata data;
	const uint8_t *text;
	size_t bytes;
	size_t i;

	if (!constantdata_open(&data, file))
		return;
	text = constantdata_string(&data, argument, &bytes);
	if (text && !jumps->loaded) {
		jumps->loaded = true;
		list(file, false, take_call, jumps);
	}
	for (i = 0; text && i < jumps->count; i++)
		if (jumps->jumps[i].bytes == bytes &&
			memcmp(jumps->jumps[i].text, text, bytes) == 0)
			take(closure, jumps->jumps[i].address);
	constantdata_close(&data);
}

void codejumps_free(struct codejumps *jumps)
{
	while (jumps->count > 0)
		free(jumps->jumps[--jumps->count].text);
	free(jumps->jumps);
	memset(jumps, 0, sizeof(*jumps));
}

/*
 * The texts that one call of a function that prints may be given.  Called by
 * callsites.c for each such call.  Promises texts that are constant in the
 * file, and to notice when the caller passes on what it is given itself.
 */

/* A function that prints. */
struct calltexts_printer {
	const char *name; /* null: it is in this file, at: */
	uint64_t address;
	uint8_t what;  /* enum imports_what */
	bool has_list; /* takes a format, but a va_list: surely it is for that
			*/
	int8_t text;   /* which arguments: see printers.def */
	int8_t size;
	int8_t count;
	uint64_t factor; /* the number of bytes is so many times `size` */
};

struct calltexts {
	struct codeflow *flow; /* stays the caller's */
	/* The last answer: */
	struct symbolizer_text texts[CODETRACE_VALUES_MAX];
	size_t count;
	bool more;
	/* The function that the call is in, if that passes on its arguments; */
	/* else with the address 0. */
	struct calltexts_printer caller;
	/* What characters in `texts` are. */
	uint8_t character;
	uint32_t wide_character;
};

/* An imported function as such a printer. */
static struct calltexts_printer calltexts_imported(
	const struct imports_function *function)
{
	const char *name = function->name;

	while (*name == '_')
		name++;
	return (struct calltexts_printer){
		.name = function->name,
		.what = function->what,
		.has_list = *name == 'v',
		.text = function->text,
		.size = function->size,
		.count = function->count,
		.factor = 1,
	};
}

static void trace(const struct calltexts *texts, uint64_t address, int argument,
	struct codetrace_values *values)
{
	codetrace_register(texts->flow, address,
		texts->flow->machine->arguments[argument], values);
}

/* Which argument of the caller it is, or IMPORTS_NONE. */
static int8_t parameter_of(
	const struct calltexts *texts, const struct codetrace_values *values)
{
	const struct machine *machine = texts->flow->machine;
	int8_t i;

	for (i = 0; values->is_parameter && i < machine->argument_count; i++)
		if (machine->arguments[i] == values->number)
			return i;
	return IMPORTS_NONE;
}

/* Null bytes: one that is not known. */
static void add(struct calltexts *texts, const struct symbolizer_text *text)
{
	if (text->bytes)
		texts->texts[texts->count++] = *text;
	else
		texts->more = true;
}

static void find_strings(struct calltexts *texts, uint64_t address,
	const struct calltexts_printer *printer)
{
	bool wide = printer->what == IMPORTS_WIDE;
	struct codetrace_values values;
	size_t i;

	trace(texts, address, printer->text, &values);
	texts->more = values.more;
	texts->caller.text = parameter_of(texts, &values);
	texts->caller.address = values.entry;
	for (i = 0; i < values.count; i++) {
		struct constantdata *data = texts->flow->data;
		struct symbolizer_text text = {
			.wide = wide,
			.translated = values.values[i].translated,
		};
		uint64_t at;

		if (codetrace_pointer(texts->flow, &values.values[i], &at))
			text.bytes =
				wide ? constantdata_wide(data, at, &text.count)
				     : constantdata_string(
					       data, at, &text.count);
		add(texts, &text);
	}
}

/*
 * Multiplies caller.factor by what the argument surely is.  False: it is not
 * known, or it is what the caller is given as the argument caller.size.
 */
static bool multiply(struct calltexts *texts, uint64_t address, int argument)
{
	struct calltexts_printer *caller = &texts->caller;
	struct codetrace_values values;

	if (argument == IMPORTS_NONE)
		return true;
	trace(texts, address, argument, &values);
	if (values.count == 1 && !values.more && !values.values[0].loaded)
		return !__builtin_mul_overflow(caller->factor,
			values.values[0].value, &caller->factor);
	if (values.count == 0 && caller->size == IMPORTS_NONE)
		caller->size = parameter_of(texts, &values);
	else
		caller->size = IMPORTS_NONE;
	if (caller->size == IMPORTS_NONE)
		caller->what = IMPORTS_OTHER;
	return false;
}

static void find_bytes(struct calltexts *texts, uint64_t address,
	const struct calltexts_printer *printer)
{
	struct calltexts_printer *caller = &texts->caller;
	struct codetrace_values values;
	bool known;
	size_t i;

	known = multiply(texts, address, printer->size);
	known &= multiply(texts, address, printer->count);
	trace(texts, address, printer->text, &values);
	texts->more = values.more || !known;
	if (caller->what != IMPORTS_OTHER)
		caller->text = parameter_of(texts, &values);
	caller->address = values.entry;
	for (i = 0; known && i < values.count; i++) {
		struct symbolizer_text text = {.count = caller->factor};
		size_t left = 0;
		uint64_t at;

		if (codetrace_pointer(texts->flow, &values.values[i], &at))
			text.bytes =
				constantdata_at(texts->flow->data, at, &left);
		if (left < text.count)
			text.bytes = NULL;
		add(texts, &text);
	}
}

static void find_character(struct calltexts *texts, uint64_t address,
	const struct calltexts_printer *printer)
{
	struct symbolizer_text text = {
		.bytes = &texts->character,
		.count = sizeof(texts->character),
	};
	struct codetrace_values values;

	trace(texts, address, printer->text, &values);
	texts->caller.text = parameter_of(texts, &values);
	texts->caller.address = values.entry;
	texts->more = values.more || values.count != 1;
	if (values.count != 1 || values.values[0].loaded)
		return;
	texts->character = (uint8_t)values.values[0].value;
	texts->wide_character = (uint32_t)values.values[0].value;
	if (printer->what == IMPORTS_WIDE_CHARACTER)
		text = (struct symbolizer_text){
			.bytes = (const uint8_t *)&texts->wide_character,
			.count = sizeof(texts->wide_character),
			.wide = true,
		};
	add(texts, &text);
}

/* What the call at `address` gives `printer`. */
static void calltexts_find(struct calltexts *texts, uint64_t address,
	const struct calltexts_printer *printer)
{
	texts->count = 0;
	texts->more = false;
	texts->caller = *printer;
	texts->caller.name = NULL;
	texts->caller.text = IMPORTS_NONE;
	texts->caller.size = IMPORTS_NONE;
	texts->caller.count = IMPORTS_NONE;
	switch (printer->what) {
	case IMPORTS_TEXT:
	case IMPORTS_WIDE:
		find_strings(texts, address, printer);
		break;
	case IMPORTS_BYTES:
		find_bytes(texts, address, printer);
		break;
	default:
		find_character(texts, address, printer);
	}
	if (texts->caller.text == IMPORTS_NONE)
		texts->caller.address = 0;
}

/* A call that is to be traced. */
struct found {
	uint64_t address;
	uint64_t next;
	struct calltexts_printer printer; /* without a name and an address, */
	uint8_t number;			  /* what this register holds */
};

struct callsites {
	struct elffile *file;
	const struct machine *machine;
	struct constantdata data;
	struct imports imports;
	struct codestarts starts;
	struct codeflow flow;
	struct calltexts texts;
	unsigned round;
	/* Functions of this file that were found to print: */
	struct calltexts_printer *printers;
	size_t printer_count;
	size_t printer_room;
	size_t printers_sought; /* whose calls have been told; those before */
	size_t printers_sorted; /* are being sought, in the order of addresses
				 */
	struct found *found;	/* in this round */
	size_t count;
	size_t room;
	uint64_t *told; /* addresses of calls, by round, then ascending */
	size_t told_count;
	size_t told_room;
	callsites_take *take;
	void *closure;
};

static bool is_call(const struct instruction *in)
{
	return in->kind == INSTRUCTION_CALL ||
	       in->kind == INSTRUCTION_CALL_LOADED ||
	       in->kind == INSTRUCTION_CALL_REGISTER;
}

static bool add_found(struct callsites *sites, const struct codeflow_step *step,
	const struct calltexts_printer *printer)
{
	if (!array_reserve(sites->found, sites->room, sites->count + 1))
		return false;
	sites->found[sites->count] = (struct found){
		.address = step->address,
		.number = step->instruction.from,
	};
	if (is_call(&step->instruction))
		sites->found[sites->count].next =
			step->address + step->instruction.bytes;
	if (printer)
		sites->found[sites->count].printer = *printer;
	sites->count++;
	return true;
}

static int compare_printers(const void *left, const void *right)
{
	const struct calltexts_printer *a = left;
	const struct calltexts_printer *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* One of those that are sought in this round. */
static const struct calltexts_printer *printer_at(
	const struct callsites *sites, uint64_t address)
{
	const struct calltexts_printer wanted = {.address = address};

	if (address == 0 || sites->printers_sorted == sites->printers_sought)
		return NULL;
	return bsearch(&wanted, sites->printers + sites->printers_sought,
		sites->printers_sorted - sites->printers_sought, sizeof(wanted),
		compare_printers);
}

static bool loads_printer(
	const struct callsites *sites, const struct instruction *in)
{
	const struct imports_slot *slot;

	if (in->kind != INSTRUCTION_LOAD || in->from != INSTRUCTION_NO_REGISTER)
		return false;
	slot = imports_slot_at(&sites->imports, in->value);
	return slot && slot->function && imports_prints(slot->function);
}

/* Jumps inside of a function are no calls. */
static bool may_call(
	const struct codeflow_region *region, const struct instruction *in)
{
	switch (in->kind) {
	case INSTRUCTION_JUMP:
	case INSTRUCTION_BRANCH:
		return in->value < region->start || in->value >= region->end;
	case INSTRUCTION_CALL:
	case INSTRUCTION_CALL_LOADED:
	case INSTRUCTION_JUMP_LOADED:
		return true;
	default:
		return false;
	}
}

/* Imported functions in the first round, then those of this file. */
static bool check_call(
	struct callsites *sites, const struct codeflow_step *step)
{
	const struct instruction *in = &step->instruction;
	const struct calltexts_printer *printer;
	const struct imports_function *function;
	struct calltexts_printer imported;

	if (sites->round > 0) {
		printer =
			printer_at(sites, imports_target(&sites->imports, in));
		return !printer || add_found(sites, step, printer);
	}
	function = imports_called(&sites->imports, in);
	if (!function || !imports_prints(function))
		return true;
	imported = calltexts_imported(function);
	return add_found(sites, step, &imported);
}

static bool scan_region(
	struct callsites *sites, const struct codeflow_region *region)
{
	bool in_register = false; /* a function that prints may be */
	size_t i;

	for (i = 0; i < region->count; i++) {
		const struct codeflow_step *step = &region->steps[i];
		const struct instruction *in = &step->instruction;

		if (may_call(region, in) && !check_call(sites, step))
			return false;
		in_register |= sites->round == 0 && loads_printer(sites, in);
		if (in_register && in->kind == INSTRUCTION_CALL_REGISTER &&
			in->from != INSTRUCTION_NO_REGISTER &&
			!add_found(sites, step, NULL))
			return false;
	}
	return true;
}

static bool scan_code(void *closure, struct codeflow_region *region)
{
	struct callsites *sites = closure;

	return scan_region(sites, region) &&
	       (sites->round > 0 || codeflow_note(&sites->flow, region));
}

static bool scan(struct callsites *sites)
{
	sites->count = 0;
	if (!codeflow_each(&sites->flow, scan_code, sites))
		return false;
	if (sites->round == 0)
		codeflow_settle(&sites->flow);
	return true;
}

/* False: what the register holds is no function that prints. */
static bool find_printer(struct callsites *sites, struct found *found)
{
	struct codetrace_values values;
	const struct imports_slot *slot;

	if (found->printer.name || found->printer.address)
		return true;
	codetrace_register(
		&sites->flow, found->address, found->number, &values);
	if (values.count == 0 || !values.values[0].loaded)
		return false;
	slot = imports_slot_at(&sites->imports, values.values[0].value);
	if (!slot || !slot->function || !imports_prints(slot->function))
		return false;
	found->printer = calltexts_imported(slot->function);
	return true;
}

/*
 * The function that the last call is in prints what it is given.  If it prints
 * several things, a format is more than a text that may be a name.
 */
static bool add_printer(struct callsites *sites)
{
	const struct calltexts_printer *caller = &sites->texts.caller;
	size_t i;

	for (i = 0; i < sites->printer_count; i++) {
		if (sites->printers[i].address != caller->address)
			continue;
		if (i >= sites->printers_sorted && caller->has_list &&
			!sites->printers[i].has_list)
			sites->printers[i] = *caller;
		return true;
	}
	if (!array_reserve(sites->printers, sites->printer_room,
		    sites->printer_count + 1))
		return false;
	sites->printers[sites->printer_count++] = *caller;
	return true;
}

static bool tell(struct callsites *sites)
{
	struct calltexts *texts = &sites->texts;
	size_t i;

	for (i = 0; i < sites->count; i++) {
		struct found *found = &sites->found[i];
		struct symbolizer_call call = {
			.address = found->address,
			.next = found->next,
		};

		if (!find_printer(sites, found))
			continue;
		calltexts_find(texts, found->address, &found->printer);
		if (texts->caller.address && !add_printer(sites))
			return false;
		call.function = found->printer.name;
		call.target = found->printer.address;
		call.texts = texts->texts;
		call.text_count = texts->count;
		call.more = texts->more;
		if (!array_reserve(sites->told, sites->told_room,
			    sites->told_count + 1))
			return false;
		sites->told[sites->told_count++] = call.address;
		sites->take(sites->closure, &call);
	}
	return true;
}

static int compare_addresses(const void *left, const void *right)
{
	const uint64_t *a = left;
	const uint64_t *b = right;

	return *a < *b ? -1 : *a > *b;
}

static void take_said(void *closure, const struct symbolizer_call *call)
{
	struct callsites *sites = closure;

	if (sites->told_count == 0 ||
		!bsearch(&call->address, sites->told, sites->told_count,
			sizeof(*sites->told), compare_addresses))
		sites->take(sites->closure, call);
}

/* Those of functions that do not pass on what they say. */
static bool tell_said(struct callsites *sites)
{
	if (sites->told_count > 0)
		qsort(sites->told, sites->told_count, sizeof(*sites->told),
			compare_addresses);
	return sayers_each(&sites->flow, take_said, sites);
}

/* Those that were found in the last round are what the next one seeks. */
static bool begin_round(struct callsites *sites)
{
	sites->printers_sought = sites->printers_sorted;
	sites->printers_sorted = sites->printer_count;
	if (sites->printers_sorted == sites->printers_sought)
		return false;
	qsort(sites->printers + sites->printers_sought,
		sites->printers_sorted - sites->printers_sought,
		sizeof(*sites->printers), compare_printers);
	if (++sites->round < readlimits_of(READLIMIT_ROUNDS))
		return true;
	elffile_note(sites->file, READLIMIT_ROUNDS);
	return false;
}

/* False when out of memory. */
static bool find_all(struct callsites *sites)
{
	if (!sites->imports.print)
		return true;
	do {
		if (!scan(sites) || !tell(sites))
			return false;
	} while (begin_round(sites));
	return true;
}

static bool prepare(struct callsites *sites)
{
	sites->texts.flow = &sites->flow;
	return constantdata_open(&sites->data, sites->file) &&
	       imports_load(
		       &sites->imports, &sites->data, sites->machine->decode) &&
	       codestarts_load(&sites->starts, &sites->data) &&
	       codeflow_open(&sites->flow, sites->machine, &sites->data,
		       &sites->starts, &sites->imports);
}

static const char *list(struct elffile *file, bool said,
	callsites_take *take, void *closure)
{
	struct callsites sites = {
		.file = file,
		.machine = machine_of(file),
		.take = take,
		.closure = closure,
	};
	const char *why = NULL;

	if (!sites.machine)
		return "its processor is not one that can be read";
	if (file->section_count == 0)
		return "it has no section headers";
	if (!prepare(&sites) || !find_all(&sites) ||
		(said && !tell_said(&sites)))
		why = "out of memory";
	free(sites.found);
	free(sites.printers);
	free(sites.told);
	codeflow_close(&sites.flow);
	codestarts_free(&sites.starts);
	imports_free(&sites.imports);
	constantdata_close(&sites.data);
	return why;
}

const char *callsites_list(
	struct elffile *file, callsites_take *take, void *closure)
{
	return list(file, true, take, closure);
}
