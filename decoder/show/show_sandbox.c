#include "decoder/show/show_sandbox.h"

#include <stdlib.h>

#include "decoder/output/last_lines.h"
#include "decoder/output/spool.h"
#include "sandbox/sandbox.h"

_Static_assert(SANDBOX_DIRECTORIES_MAX >= OUTPUTS_MAX + 2, "");

/* More of it than fits into memory may have to wait. */
static bool is_spooled(const struct outputs_one *one)
{
	const struct options *options = one->options;

	return options->as_written || options->reverse || options->follow ||
	       options->lines != LAST_LINES_ALL || one->split;
}

static void add_outputs(
	struct sandbox_needs *needs, const struct outputs *outputs)
{
	bool spooled = false;
	size_t i;

	for (i = 0; i < outputs->count; i++) {
		const struct outputs_one *one = &outputs->all[i];

		spooled |= is_spooled(one);
		if (one->split)
			sandbox_allow_below(needs, one->output.where);
	}
	if (!spooled)
		return;
	needs->needs |= SANDBOX_WRITES;
	sandbox_allow_below(needs, spool_directory());
}

const char *show_sandbox(const struct options *options,
	const struct outputs *outputs, bool places)
{
	struct symbolizer_options symbols = options->symbols;
	struct sandbox_needs needs = {0};
	const char *wrong;
	char *cache = places ? symbolizer_usual_cache() : NULL;

	symbols.cache = cache;
	if (!options->recover)
		symbolizer_add_needs(&symbols, &needs);
	if (outputs)
		add_outputs(&needs, outputs);
	wrong = sandbox_enter(&needs);
	free(cache);
	return wrong;
}
