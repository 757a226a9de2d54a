#include "symbolizer/symbolizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/answer.h"
#include "symbolizer/array.h"

/* Backtraces come back to few addresses often. */
#define RECENT_BITS 14
#define RECENT ((size_t)1 << RECENT_BITS)

struct recent {
	const struct symbolmodule *module; /* null: unused */
	uint64_t address;
	struct answer answer;
};

struct symbolizer {
	struct symbolizer_options options;
	struct symbolmodule **modules;
	size_t module_count;
	size_t module_room;
	size_t last; /* index of the module asked for last */
	struct functionname_table demangled;
	struct recent *recent;
	char *sentence; /* about the last question */
};

struct symbolizer *symbolizer_new(const struct symbolizer_options *options)
{
	struct symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));

	if (!symbolizer)
		return NULL;
	symbolizer->options = *options;
	symbolizer->recent = calloc(RECENT, sizeof(*symbolizer->recent));
	if (!symbolizer->recent) {
		free(symbolizer);
		return NULL;
	}
	return symbolizer;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	size_t i;

	if (!symbolizer)
		return;
	for (i = 0; i < RECENT; i++)
		answer_free(&symbolizer->recent[i].answer);
	for (i = 0; i < symbolizer->module_count; i++)
		symbolmodule_free(symbolizer->modules[i]);
	functionname_free(&symbolizer->demangled, true);
	free(symbolizer->modules);
	free(symbolizer->recent);
	free(symbolizer->sentence);
	free(symbolizer);
}

static struct symbolmodule *add_module(
	struct symbolizer *symbolizer, const struct symbolizer_module *wanted)
{
	struct symbolmodule **modules = array_grow(symbolizer->modules,
		&symbolizer->module_room, symbolizer->module_count,
		sizeof(struct symbolmodule *));
	struct symbolmodule *module;

	if (!modules)
		return NULL;
	symbolizer->modules = modules;
	module = symbolmodule_new(wanted, &symbolizer->options);
	if (!module)
		return NULL;
	symbolizer->last = symbolizer->module_count;
	modules[symbolizer->module_count++] = module;
	return module;
}

static struct symbolmodule *module_for(
	struct symbolizer *symbolizer, const struct symbolizer_module *wanted)
{
	size_t i;

	if (symbolizer->last < symbolizer->module_count &&
		symbolmodule_is(symbolizer->modules[symbolizer->last], wanted))
		return symbolizer->modules[symbolizer->last];
	for (i = 0; i < symbolizer->module_count; i++) {
		if (!symbolmodule_is(symbolizer->modules[i], wanted))
			continue;
		symbolizer->last = i;
		return symbolizer->modules[i];
	}
	return add_module(symbolizer, wanted);
}

static const struct answer *answer_for(struct symbolizer *symbolizer,
	struct symbolmodule *module, uint64_t address)
{
	uint64_t hash =
		(address ^ (uintptr_t)module >> 4) * 0x9e3779b97f4a7c15u;
	struct recent *recent = &symbolizer->recent[hash >> (64 - RECENT_BITS)];

	if (recent->module == module && recent->address == address)
		return &recent->answer;
	answer_free(&recent->answer);
	recent->module = NULL;
	if (!answer_find(&recent->answer, module, address,
		    symbolizer->options.mangled ? NULL
						: &symbolizer->demangled)) {
		answer_free(&recent->answer);
		return NULL;
	}
	recent->module = module;
	recent->address = address;
	return &recent->answer;
}

static const char *sentence_about(struct symbolizer *symbolizer,
	const struct symbolmodule *module, const struct answer *answer,
	uint64_t address)
{
	if (module->complaint && !answer->frames[0].line)
		return module->complaint;
	if (answer->frames[0].function)
		return NULL;
	free(symbolizer->sentence);
	if (asprintf(&symbolizer->sentence, "%s+0x%llx: no name: %s: %s",
		    module->name, (unsigned long long)address,
		    module->debuginfo || module->symtab.count > 0
			    ? "no function of the file is there"
			    : "the file has no symbols",
		    module->debuginfo || module->symtab.count > 0
			    ? "check the address"
			    : "install its debug file") < 0) {
		symbolizer->sentence = NULL;
		return "out of memory";
	}
	return symbolizer->sentence;
}

const char *symbolizer_resolve(struct symbolizer *symbolizer,
	const struct symbolizer_module *wanted, uint64_t address,
	void (*frame)(void *closure, const struct symbolizer_frame *frame),
	void *closure)
{
	const struct symbolizer_frame nothing = {0};
	struct symbolmodule *module = module_for(symbolizer, wanted);
	const struct answer *answer =
		module ? answer_for(symbolizer, module, address) : NULL;
	size_t i;

	if (!answer) {
		frame(closure, &nothing);
		return "out of memory";
	}
	for (i = 0; i < answer->count; i++)
		frame(closure, &answer->frames[i]);
	return sentence_about(symbolizer, module, answer, address);
}
