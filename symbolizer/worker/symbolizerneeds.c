#include <unistd.h>

#include "confine/confine.h"
#include "symbolizer/symbolizer.h"
#include "symbolizer/worker/cachefile.h"

void symbolizer_add_needs(
	const struct symbolizer_options *options, struct confine_needs *needs)
{
	int cache =
		options->cache ? cachedirectory_open(options->cache, true) : -1;

	needs->needs |= CONFINE_WORKER;
	if (options->sysroot)
		needs->needs |= CONFINE_ROOTED;
	if (options->debuginfod)
		needs->needs |= CONFINE_DOWNLOADS;
	if (cache < 0)
		return;
	close(cache);
	needs->needs |= CONFINE_KEEPS;
	confine_allow_below(needs, options->cache);
}
