#include "decoder/show/show_sandbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/temporary.h"
#include "base/text_width.h"
#include "decoder/output/last_lines.h"
#include "sandbox/sandbox.h"

_Static_assert(SANDBOX_DIRECTORIES_MAX >= OUTPUTS_MAX + 2, "");

/* More of it than fits into memory may have to wait. */
static bool is_spooled(const struct outputs_one *one)
{
	const struct options *options = one->options;

	return options->as_written || options->reverse || options->follow ||
	       options->lines != LAST_LINES_ALL || one->split;
}

/* The directory of a file that is removed if it is not to be shown; the
 * caller's.  Null: there is none, or no memory to remove it. */
static char *parent_of(const struct outputs_one *one)
{
	const char *path = one->output.where;
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (one->held < 0 || !one->made)
		return NULL;
	if (!slash)
		return strdup(".");
	return slash > path ? strndup(path, (size_t)(slash - path))
			    : strdup("/");
}

static void add_outputs(struct sandbox_needs *needs,
	const struct outputs *outputs, char *const *parents)
{
	bool spooled = false;
	size_t i;

	for (i = 0; i < outputs->count; i++) {
		const struct outputs_one *one = &outputs->all[i];

		spooled |= is_spooled(one) || parents[i];
		if (one->split)
			sandbox_allow_below(needs, one->output.where);
		sandbox_allow_below(needs, parents[i]);
	}
	if (!spooled)
		return;
	needs->needs |= SANDBOX_WRITES;
	sandbox_allow_below(needs, temporary_directory());
}

const char *show_sandbox(const struct options *options,
	const struct outputs *outputs, bool places)
{
	struct symbolizer_options symbols = options->symbols;
	struct sandbox_needs needs = {0};
	char *parents[OUTPUTS_MAX] = {NULL};
	const char *wrong;
	size_t i;
	char *cache = places ? symbolizer_usual_cache() : NULL;

	symbols.cache = cache;
	text_width_prepare();
	if (!options->recover)
		symbolizer_add_needs(&symbols, &needs);
	for (i = 0; outputs && i < outputs->count; i++)
		parents[i] = parent_of(&outputs->all[i]);
	if (outputs)
		add_outputs(&needs, outputs, parents);
	wrong = sandbox_enter(&needs);
	for (i = 0; i < OUTPUTS_MAX; i++)
		free(parents[i]);
	free(cache);
	return wrong;
}
