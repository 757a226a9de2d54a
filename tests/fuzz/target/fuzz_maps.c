/*
 * Any text as /proc/PID/maps, whose paths are a stranger's choice: the files
 * that are found are named as captures are, each once, and their mappings
 * take more than nothing.
 */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tools/live/targets.h"

static void check(const struct mapping *mappings, int count)
{
	int i;
	int k;

	for (i = 0; i < count; i++) {
		FUZZ_CHECK(strchr(mappings[i].path, '/'));
		FUZZ_CHECK(strncmp(mappings[i].file, "/proc/1/map_files/",
				   18) == 0);
		for (k = 0; k < i; k++)
			FUZZ_CHECK(mappings[i].inode != mappings[k].inode ||
				   strcmp(mappings[i].path, mappings[k].path));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mapping mappings[LIMITS_PROCESS_CAPTURES];
	static char nothing[1];
	FILE *maps = fmemopen(
		size ? (void *)(uintptr_t)data : nothing, size ? size : 1, "r");
	int count;

	FUZZ_CHECK(maps);
	count = mappings_read(maps, 1, mappings);
	FUZZ_CHECK(count >= 0 && count <= (int)LIMITS_PROCESS_CAPTURES);
	check(mappings, count);
	fclose(maps);
	return 0;
}
