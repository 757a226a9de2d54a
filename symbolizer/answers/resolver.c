#include "symbolizer/answers/resolver.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/answers/symbolmodule.h"
#include "symbolizer/dwarf/debugunit.h"
#include "symbolizer/dwarf/functionname.h"
#include "symbolizer/elf/elffile.h"

/*
 * The code through which a signal handler returns: libc has no symbol for it
 * when it is stripped, and every stack of a handler goes through it.  Called
 * for addresses that no symbol names.  Promises to know it by its
 * instructions, which debuggers rely on and which never change.
 */

/* As libc calls it. */
#define TRAMPOLINE_NAME "__restore_rt"

static const struct code {
	uint8_t bytes[12];
	size_t count;
} codes[] = {
	/* x86-64: mov $SYS_rt_sigreturn, %rax (gcc) or %eax (musl); syscall */
	{{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}, 9},
	{{0xb8, 15, 0, 0, 0, 0x0f, 0x05}, 7},
	/* aarch64: mov x8, #SYS_rt_sigreturn; svc #0 */
	{{0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4}, 8},
};

static bool begins_with(struct elffile *file,
	const struct elffile_section *section, uint64_t address,
	const struct code *code)
{
	uint64_t at = address - section->address;
	bool same;
	void *bytes;

	if (section->bytes - at < code->count)
		return false;
	bytes = elffile_read(file, section->offset + at, code->count);
	same = bytes && memcmp(bytes, code->bytes, code->count) == 0;
	free(bytes);
	return same;
}

/* Whether it begins at `address`. */
static bool trampoline_is_at(struct elffile *file, uint64_t address)
{
	size_t index = elffile_section_at(file, address);
	const struct elffile_section *section;
	size_t i;

	if (index == ELFFILE_NONE)
		return false;
	section = &file->sections[index];
	if (section->type == SHT_NOBITS || !(section->flags & SHF_EXECINSTR) ||
		section->flags & SHF_COMPRESSED)
		return false;
	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (begins_with(file, section, address, &codes[i]))
			return true;
	return false;
}

/*
 * The frames at one address, put together from debug information and symbols.
 * Called by the symbolizer for an address that it has not answered lately.
 * Promises the functions, files and lines of `addr2line -if`.
 */

struct answer {
	struct symbolizer_frame *frames; /* innermost first */
	size_t count;			 /* at least 1 */
	size_t room;
	/* A file that would have told more; null: none is missing. */
	const char *missing;
};

static void answer_free(struct answer *answer);

/*
 * Functions that are missing from a stack since their last call was a jump
 * (DWARF 5, section 3.4.1).  Asked by the resolver about two frames, one of
 * which has not called the other.  Promises to tell nothing where more than
 * one way leads from the one to the other, and to end.
 */

/* More jumps in a row are not looked for. */
#define TAILCALLS_MAX 8

/* An address in the instruction of each jump, the last jump first. */
struct tailcalls {
	uint64_t addresses[TAILCALLS_MAX];
	size_t count;
};

/* Jumps, the first one first. */
struct way {
	const uint8_t *function[TAILCALLS_MAX]; /* that each of them is in */
	uint64_t address[TAILCALLS_MAX];
	size_t count;
	bool given; /* one of them hands on the constant that was asked for */
};

struct search {
	struct symbolmodule *module;
	const struct symbolizer_gap *gap;
	struct functionname_table names;
	const char *wanted; /* name of the function that was reached; or null */
	const uint8_t *reached; /* null: it is in another file */
	uint64_t entries;
	uint64_t tried;
	bool limited;	/* what was not looked at may be another way */
	struct way way; /* that is being followed */
	struct way first;
	struct way first_given;
	size_t ways;
	size_t ways_given;
};

static const char *tailcalls_name_of(
	struct search *search, const struct dwarf_entry *function)
{
	return functionname_of(&search->names, function).text;
}

/* False when there have been too many. */
static bool count_one(
	struct search *search, uint64_t *count, enum readlimit limit)
{
	if (++*count <= readlimits_of(limit))
		return true;
	if (!search->limited)
		readlimits_note(limit, search->module->name);
	search->limited = true;
	return false;
}

/* The function with code at an address; false when there is none. */
static bool function_at(
	struct search *search, uint64_t address, struct dwarf_entry *function)
{
	struct debuginfo_place place;

	return debuginfo_find(search->module->debuginfo, address, &place) &&
	       place.body &&
	       dwarf_entry_read(
		       function, place.unit, place.body->calls[0].entry);
}

static bool is_call(const struct dwarf_entry *entry)
{
	return entry->tag == DW_TAG_call_site ||
	       entry->tag == DW_TAG_GNU_call_site;
}

static bool is_jump(const struct dwarf_entry *call)
{
	return dwarf_entry_number(call, DW_AT_call_tail_call) ||
	       dwarf_entry_number(call, DW_AT_GNU_tail_call);
}

/* Some tell where the instruction is, others where the next one is. */
static bool place_of(const struct dwarf_entry *call, uint64_t *inside)
{
	if (dwarf_entry_address(call, DW_AT_call_pc, inside))
		return true;
	if (!dwarf_entry_address(call, DW_AT_call_return_pc, inside) &&
		!dwarf_entry_address(call, DW_AT_low_pc, inside))
		return false;
	*inside -= 1;
	return true;
}

/* False for a call through a pointer. */
static bool target_of(
	const struct dwarf_entry *call, struct dwarf_entry *target)
{
	return dwarf_entry_follow(call, DW_AT_call_origin, target) ||
	       dwarf_entry_follow(call, DW_AT_abstract_origin, target);
}

/*
 * Of functions with the same code the linker or the compiler may keep one,
 * under all of their names.
 */
static bool is_wanted(struct search *search, const struct dwarf_entry *function)
{
	const char *name = tailcalls_name_of(search, function);
	struct dwarf_entry other;
	uint64_t address;

	if (!name || !search->wanted)
		return false;
	if (strcmp(name, search->wanted) == 0)
		return true;
	return search->reached && !function->has_code &&
	       symtab_address_of(&search->module->symtab, name, &address) &&
	       function_at(search, address, &other) &&
	       other.at == search->reached;
}

static void follow(struct search *search, const struct dwarf_entry *function);

/* A function that is looked for in a unit by its name. */
struct namesake {
	struct search *search;
	const char *name;
	bool found;
};

static enum dwarf_step take_namesake(
	void *closure, const struct dwarf_entry *entry, unsigned depth)
{
	struct namesake *namesake = closure;
	struct search *search = namesake->search;
	const char *its_name;

	(void)depth;
	if (!count_one(search, &search->entries, READLIMIT_TAIL_ENTRIES))
		return DWARF_STOP;
	if (entry->tag != DW_TAG_subprogram || !entry->has_code)
		return DWARF_GO_ON;
	its_name = tailcalls_name_of(search, entry);
	if (its_name && strcmp(its_name, namesake->name) == 0) {
		follow(search, entry);
		namesake->found = true;
	}
	return DWARF_SKIP_CHILDREN;
}

/*
 * All code of a function of which a unit has the declaration too: there may be
 * several, made for different callers.  False when there is none.
 */
static bool follow_in_unit(
	struct search *search, struct dwarf_unit *unit, const char *name)
{
	struct namesake namesake = {search, name, false};

	dwarf_walk(unit, NULL, take_namesake, &namesake);
	return namesake.found;
}

static void follow_target(
	struct search *search, const struct dwarf_entry *target)
{
	const char *name = tailcalls_name_of(search, target);
	struct dwarf_entry function;
	uint64_t address;

	if (target->has_code)
		follow(search, target);
	else if (name && !follow_in_unit(search, target->unit, name) &&
		 symtab_address_of(&search->module->symtab, name, &address) &&
		 function_at(search, address, &function))
		follow(search, &function);
}

struct looked_for {
	uint64_t inside;
	bool found;
};

static bool compare_site(void *closure, const struct debugcalls_site *site)
{
	struct looked_for *jump = closure;

	jump->found = site->pc == jump->inside || site->pc == jump->inside + 1;
	return !jump->found;
}

static bool hands_on(const struct search *search, uint64_t inside)
{
	struct looked_for jump = {.inside = inside};

	if (search->gap->argument)
		debuginfo_call_sites(search->module->debuginfo,
			search->gap->argument, inside, compare_site, &jump);
	return jump.found;
}

static void note_way(struct search *search)
{
	struct way *way = &search->way;
	size_t i;

	way->given = false;
	for (i = 0; i < way->count && !way->given; i++)
		way->given = hands_on(search, way->address[i]);
	if (search->ways++ == 0)
		search->first = *way;
	if (way->given && search->ways_given++ == 0)
		search->first_given = *way;
}

static bool is_on_way(const struct search *search, const uint8_t *function)
{
	size_t i;

	for (i = 0; i < search->way.count; i++)
		if (search->way.function[i] == function)
			return true;
	return false;
}

static void follow_jump(struct search *search,
	const struct dwarf_entry *function, const struct dwarf_entry *call)
{
	struct way *way = &search->way;
	struct dwarf_entry target;

	if (!target_of(call, &target) ||
		!place_of(call, &way->address[way->count]))
		return;
	way->function[way->count++] = function->at;
	if (is_wanted(search, &target))
		note_way(search);
	else if (way->count < TAILCALLS_MAX)
		follow_target(search, &target);
	way->count--;
}

/* As deep as a way is long. */
/* The jumps of a function are being followed. */
struct jumping {
	struct search *search;
	const struct dwarf_entry *function;
};

static enum dwarf_step take_call(
	void *closure, const struct dwarf_entry *entry, unsigned depth)
{
	struct jumping *jumping = closure;
	struct search *search = jumping->search;

	(void)depth;
	if (!count_one(search, &search->entries, READLIMIT_TAIL_ENTRIES))
		return DWARF_STOP;
	if (is_call(entry) && is_jump(entry))
		follow_jump(search, jumping->function, entry);
	return DWARF_GO_ON;
}

static void follow(struct search *search, const struct dwarf_entry *function)
{
	struct jumping jumping = {search, function};

	if (is_on_way(search, function->at) ||
		!count_one(search, &search->tried, READLIMIT_TAIL_CALLS))
		return;
	dwarf_walk(function->unit, function->at, take_call, &jumping);
}

/* A call that returns to gap->next. */
struct returning {
	struct search *search;
	struct dwarf_entry *target; /* what it has called */
	bool found;
};

static enum dwarf_step take_returning(
	void *closure, const struct dwarf_entry *entry, unsigned depth)
{
	struct returning *returning = closure;
	struct search *search = returning->search;
	uint64_t inside;

	(void)depth;
	if (!count_one(search, &search->entries, READLIMIT_TAIL_ENTRIES))
		return DWARF_STOP;
	if (!is_call(entry) || is_jump(entry) || !place_of(entry, &inside) ||
		inside != search->gap->next - 1)
		return DWARF_GO_ON;
	returning->found = target_of(entry, returning->target);
	return DWARF_STOP;
}

/* What the call that returns to gap->next has called. */
static bool called(struct search *search, struct dwarf_entry *target)
{
	struct returning returning = {search, target, false};
	struct dwarf_entry caller;

	if (!function_at(search, search->gap->next - 1, &caller))
		return false;
	dwarf_walk(caller.unit, caller.at, take_returning, &returning);
	return returning.found;
}

struct own_jumps {
	struct search *search;
	const struct dwarf_entry *function;
	uint64_t address;
	size_t count;
};

static void take_jump(void *closure, uint64_t address)
{
	struct own_jumps *own = closure;
	struct dwarf_entry function;

	if (!function_at(own->search, address, &function) ||
		function.at != own->function->at)
		return;
	own->address = address;
	own->count++;
}

/* The code knows the jumps of the function that was called, if nothing else
 * does: the one that hands on the text. */
static void look_at_code(
	struct search *search, const struct dwarf_entry *function)
{
	struct own_jumps own = {.search = search, .function = function};

	if (!search->module->has_file || !search->gap->argument ||
		!function->has_code)
		return;
	codejumps_each(&search->module->jumps, &search->module->file,
		search->gap->argument, take_jump, &own);
	search->ways_given = own.count;
	search->first_given =
		(struct way){.address = {own.address}, .count = 1};
}

static void find_ways(struct search *search)
{
	struct dwarf_entry reached;
	struct dwarf_entry target;

	search->wanted = search->gap->name;
	if (search->gap->inside &&
		function_at(search, search->gap->inside, &reached)) {
		search->wanted = tailcalls_name_of(search, &reached);
		search->reached = reached.at;
	}
	if (!called(search, &target) || is_wanted(search, &target))
		return;
	follow_target(search, &target);
	if (search->ways != 1 && search->ways_given != 1)
		look_at_code(search, &target);
}

/* None are found when memory is out. */
static void tailcalls_find(struct tailcalls *found, struct symbolmodule *module,
	const struct symbolizer_gap *gap)
{
	struct search search = {.module = module, .gap = gap};
	const struct way *way = NULL;

	found->count = 0;
	if (!module->debuginfo)
		return;
	find_ways(&search);
	if (search.ways == 1)
		way = &search.first;
	else if (search.ways_given == 1)
		way = &search.first_given;
	if (way && !search.limited)
		while (found->count < way->count) {
			found->addresses[found->count] =
				way->address[way->count - 1 - found->count];
			found->count++;
		}
	functionname_free(&search.names);
}

static const struct symtab_symbol *symbol_at(
	const struct symbolmodule *module, uint64_t address)
{
	size_t section = module->has_file
				 ? elffile_section_at(&module->file, address)
				 : ELFFILE_NONE;

	if (section == ELFFILE_NONE)
		return NULL;
	return symtab_find(&module->symtab, section, address);
}

/*
 * A language that mangles leaves some functions unmangled (main, extern "C");
 * then the symbol knows better, as it may be a clone with a name of its own.
 */
static const char *name_of(const struct symbolmodule *module,
	const struct debuginfo_frame *function)
{
	const struct symtab_symbol *symbol;

	if (function->linkage || function->inlined)
		return function->name;
	symbol = symbol_at(module, function->low);
	if (symbol && symbol->address == function->low)
		return symbol->name;
	return function->name;
}

static bool add_frame(
	struct answer *answer, const struct symbolizer_frame *frame)
{
	if (!array_reserve(answer->frames, answer->room, answer->count + 1))
		return false;
	answer->frames[answer->count++] = *frame;
	return true;
}

static bool may_have_more(
	const struct answer *answer, struct symbolmodule *module)
{
	if (answer->count < readlimits_of(READLIMIT_INLINED))
		return true;
	elffile_note(&module->file, READLIMIT_INLINED);
	return false;
}

/*
 * The chain from the innermost function outwards; *start is where the last one
 * begins.  Without one, what is known of the line is left in `frame`.
 */
static bool add_functions(struct answer *answer, struct symbolmodule *module,
	struct debuginfo_place *place, struct symbolizer_frame *frame,
	uint64_t *start)
{
	struct debuginfo_frame function;

	while (may_have_more(answer, module)) {
		bool known =
			debuginfo_next(module->debuginfo, place, &function);

		frame->file = function.file;
		frame->line = function.line;
		frame->column = function.column;
		if (!known)
			break;
		frame->function = name_of(module, &function);
		frame->inlined = function.inlined;
		frame->wrapper = function.wrapper;
		*start = function.low;
		if (!add_frame(answer, frame))
			return false;
		if (!function.inlined)
			break;
	}
	if (answer->count > 0)
		answer->frames[answer->count - 1].inlined = false;
	return true;
}

static void measure(struct answer *answer, uint64_t offset)
{
	size_t i;

	for (i = 0; i < answer->count; i++)
		answer->frames[i].offset = offset;
}

/* *start becomes where the outermost function begins, if that is known. */
static bool find_frames(struct answer *answer, struct symbolmodule *module,
	uint64_t address, uint64_t *start)
{
	const struct symtab_symbol *symbol = symbol_at(module, address);
	struct symbolizer_frame frame = {0};
	struct debuginfo_place place;

	/* what is not loaded there has no names, whatever a table says */
	if (module->has_file &&
		elffile_section_at(&module->file, address) == ELFFILE_NONE)
		return add_frame(answer, &frame);
	if (module->debuginfo &&
		debuginfo_find(module->debuginfo, address, &place)) {
		answer->missing = place.missing;
		if (!add_functions(answer, module, &place, &frame, start))
			return false;
	}
	if (symbol)
		*start = symbol->address;
	if (answer->count > 0)
		return true;
	if (symbol) {
		frame.function = symbol->name;
		if (!frame.file)
			frame.file = symbol->file;
	} else if (module->has_file &&
		   trampoline_is_at(&module->file, address)) {
		frame.function = TRAMPOLINE_NAME;
	}
	return add_frame(answer, &frame);
}

/*
 * Fills an empty answer.  Names are demangled through `demangled`, or left as
 * they are when that is null.  The strings live in the module and in the
 * table.  False when out of memory.
 */
static bool answer_find(struct answer *answer, struct symbolmodule *module,
	uint64_t address, struct functionname_table *demangled)
{
	uint64_t start = address;
	size_t i;

	if (!find_frames(answer, module, address, &start))
		return false;
	measure(answer, start < address ? address - start : 0);
	for (i = 0; demangled && i < answer->count; i++)
		if (answer->frames[i].function)
			answer->frames[i].function = functionname_demangled(
				demangled, answer->frames[i].function);
	return true;
}

/*
 * The same for what is missing between two frames; nothing but an unknown
 * function when that is not known.
 */
static bool answer_between(struct answer *answer, struct symbolmodule *module,
	const struct symbolizer_gap *gap, struct functionname_table *demangled)
{
	const struct symbolizer_frame unknown = {0};
	struct tailcalls jumps;
	bool fine = true;
	size_t i, k;

	tailcalls_find(&jumps, module, gap);
	for (i = 0; fine && i < jumps.count; i++) {
		struct answer one = {0};

		fine = answer_find(&one, module, jumps.addresses[i], demangled);
		for (k = 0; fine && k < one.count; k++)
			fine = add_frame(answer, &one.frames[k]);
		answer_free(&one);
	}
	return fine && (answer->count > 0 || add_frame(answer, &unknown));
}

static void answer_free(struct answer *answer)
{
	free(answer->frames);
	memset(answer, 0, sizeof(*answer));
}

struct resolver {
	struct symbolizer_options options;
	struct symbolmodule **modules;
	size_t module_count;
	size_t module_room;
	struct functionname_table demangled;
	struct answer answer; /* to the last question */
	char *sentence;
};

struct resolver *resolver_new(const struct symbolizer_options *options)
{
	struct resolver *resolver = calloc(1, sizeof(*resolver));

	if (!resolver)
		return NULL;
	resolver->options = *options;
	unpack_prepare();
	return resolver;
}

void resolver_free(struct resolver *resolver)
{
	size_t i;

	if (!resolver)
		return;
	answer_free(&resolver->answer);
	for (i = 0; i < resolver->module_count; i++)
		symbolmodule_free(resolver->modules[i]);
	functionname_free(&resolver->demangled);
	free(resolver->modules);
	free(resolver->sentence);
	free(resolver);
}

bool resolver_open(struct resolver *resolver,
	const struct symbolizer_module *wanted, enum symtab_sources sources)
{
	struct symbolmodule *module;

	if (!array_reserve(resolver->modules, resolver->module_room,
		    resolver->module_count + 1))
		return false;
	module = symbolmodule_new(wanted, &resolver->options, sources);
	if (module)
		resolver->modules[resolver->module_count++] = module;
	return module != NULL;
}

const char *resolver_name(const struct resolver *resolver, size_t module)
{
	return resolver->modules[module]->name;
}

static const char *sentence_about_missing(
	struct resolver *resolver, const struct symbolmodule *module)
{
	free(resolver->sentence);
	if (asprintf(&resolver->sentence,
		    "%s: not all names: its debug information is in %s, which "
		    "is not there or not of this build: put it there, or a "
		    "package beside the program",
		    module->name, resolver->answer.missing) >= 0)
		return resolver->sentence;
	resolver->sentence = NULL;
	return "out of memory";
}

static const char *sentence_about(struct resolver *resolver,
	const struct symbolmodule *module, uint64_t address)
{
	const struct symbolizer_frame *frame = &resolver->answer.frames[0];
	bool has_names = module->debuginfo || module->symtab.count > 0;

	if (module->complaint && !frame->line)
		return module->complaint;
	if (resolver->answer.missing)
		return sentence_about_missing(resolver, module);
	if (frame->function)
		return NULL;
	free(resolver->sentence);
	if (asprintf(&resolver->sentence, "%s+0x%llx: no name: %s: %s",
		    module->name, (unsigned long long)address,
		    has_names ? "no function of the file is there"
			      : "the file has no symbols",
		    has_names ? "check the address"
			      : "install its debug file") >= 0)
		return resolver->sentence;
	resolver->sentence = NULL;
	return "out of memory";
}

bool resolver_find(struct resolver *resolver, size_t module, uint64_t address,
	struct resolver_answer *answer)
{
	struct symbolmodule *asked = resolver->modules[module];

	answer_free(&resolver->answer);
	if (!answer_find(&resolver->answer, asked, address,
		    resolver->options.mangled ? NULL : &resolver->demangled))
		return false;
	answer->frames = resolver->answer.frames;
	answer->count = resolver->answer.count;
	answer->sentence = sentence_about(resolver, asked, address);
	return true;
}

/* The places of the symbols that a name may mean. */
struct namesakes {
	const char *name;
	uint64_t offset;
	uint64_t address; /* behind the start of the last one */
	size_t count;	  /* of different places */
};

/* Whether frames at `address` would be told as behind the start of `symbol`. */
static bool leads_back(const struct symbolmodule *module,
	const struct symtab_symbol *symbol, uint64_t address)
{
	const struct symtab_symbol *there;

	if (address < symbol->address)
		return false;
	if (address - symbol->address < symbol->bytes)
		return true;
	there = symbol_at(module, address);
	return there && there->address == symbol->address &&
	       there->section == symbol->section;
}

/* `names`: null for the names that linkers read. */
static void find_namesakes(struct namesakes *found,
	const struct symbolmodule *module, struct functionname_table *names)
{
	const struct symtab *symtab = &module->symtab;
	size_t i;

	for (i = 0; i < symtab->count; i++) {
		const struct symtab_symbol *symbol = &symtab->symbols[i];
		const uint64_t address = symbol->address + found->offset;
		const char *name = symbol->name;

		if (names)
			name = functionname_demangled(names, name);
		if (strcmp(name, found->name) != 0 ||
			!leads_back(module, symbol, address))
			continue;
		if (found->count == 0 || found->address != address)
			found->count++;
		found->address = address;
	}
}

/* Null when out of memory. */
static const char *sentence_about_namesakes(struct resolver *resolver,
	const struct symbolmodule *module, const struct namesakes *found)
{
	int made;

	if (module->complaint && module->symtab.count == 0)
		return module->complaint;
	free(resolver->sentence);
	if (found->count > 1)
		made = asprintf(&resolver->sentence,
			"%s: no address: %zu functions of the file are "
			"called %s: ask for the address, which binlog-show "
			"-o json has",
			module->name, found->count, found->name);
	else
		made = asprintf(&resolver->sentence,
			"%s: no address: the file has no function %s that "
			"is so long: give the file that has run",
			module->name, found->name);
	if (made >= 0)
		return resolver->sentence;
	resolver->sentence = NULL;
	return NULL;
}

bool resolver_named(struct resolver *resolver, size_t module,
	const char *function, uint64_t offset, struct resolver_answer *answer)
{
	static const struct symbolizer_frame unknown;
	struct symbolmodule *asked = resolver->modules[module];
	struct namesakes found = {.name = function, .offset = offset};

	find_namesakes(&found, asked, NULL);
	if (found.count == 0)
		find_namesakes(&found, asked, &resolver->demangled);
	if (found.count == 1)
		return resolver_find(resolver, module, found.address, answer);
	answer->frames = &unknown;
	answer->count = 1;
	answer->sentence = sentence_about_namesakes(resolver, asked, &found);
	return answer->sentence;
}

bool resolver_between(struct resolver *resolver, size_t module,
	const struct symbolizer_gap *gap, struct resolver_answer *answer)
{
	answer_free(&resolver->answer);
	if (!answer_between(&resolver->answer, resolver->modules[module], gap,
		    resolver->options.mangled ? NULL : &resolver->demangled))
		return false;
	answer->frames = resolver->answer.frames;
	answer->count = resolver->answer.count;
	answer->sentence = NULL;
	return true;
}
