#include <unistd.h>

#include "sandbox/sandbox.h"
#include "symbolizer/files/openfile.h"
#include "symbolizer/symbolizer.h"
#include "symbolizer/worker/cachefile.h"

void symbolizer_add_needs(
	const struct symbolizer_options *options, struct sandbox_needs *needs)
{
	int cache =
		options->cache ? cachedirectory_open(options->cache, true) : -1;

	needs->needs |= SANDBOX_WORKER;
	if (options->sysroot) {
		needs->needs |= SANDBOX_ROOTED;
		openfile_hold_root(options->sysroot);
	}
	if (options->debuginfod)
		needs->needs |= SANDBOX_DOWNLOADS;
	if (cache < 0)
		return;
	close(cache);
	needs->needs |= SANDBOX_KEEPS;
	sandbox_allow_below(needs, options->cache);
}
