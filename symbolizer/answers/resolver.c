#include "symbolizer/answers/resolver.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "symbolizer/answers/answer.h"
#include "symbolizer/elf/unpack.h"

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
	functionname_free(&resolver->demangled, true);
	free(resolver->modules);
	free(resolver->sentence);
	free(resolver);
}

bool resolver_open(struct resolver *resolver,
	const struct symbolizer_module *wanted, enum symtab_sources sources)
{
	struct symbolmodule **modules =
		array_grow(resolver->modules, &resolver->module_room,
			resolver->module_count, sizeof(struct symbolmodule *));
	struct symbolmodule *module;

	if (!modules)
		return false;
	resolver->modules = modules;
	module = symbolmodule_new(wanted, &resolver->options, sources);
	if (module)
		modules[resolver->module_count++] = module;
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
