/*
 * Globs of paths: path_glob_matches() agrees with fnmatch(3) where both mean
 * the same, a glob's plain directory begins all paths that it matches.
 */
#include "rules/path_glob.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/glob_oracle.h"

/* A relative glob is tried on each component that the path ends with. */
static bool libc_matches(const char *glob, const char *path)
{
	const char *at = path;

	if (*glob == '/')
		return fnmatch(glob, path, FNM_PATHNAME) == 0;
	do {
		at += *at == '/';
		if (fnmatch(glob, at, FNM_PATHNAME) == 0)
			return true;
		at = strchr(at, '/');
	} while (at);
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct glob_oracle oracle;
	size_t directory;
	bool matches;

	if (!glob_oracle_read(&oracle, data, size) || *oracle.text != '/')
		return -1;
	matches =
		path_glob_matches(oracle.glob, oracle.glob_bytes, oracle.text);
	directory = path_glob_directory(oracle.glob, oracle.glob_bytes);
	FUZZ_CHECK(directory <= oracle.glob_bytes);
	if (matches && *oracle.glob == '/')
		FUZZ_CHECK(strncmp(oracle.glob, oracle.text, directory) == 0);
	if (oracle.glob_bytes > 0 && !glob_oracle_is_peculiar(oracle.glob))
		FUZZ_CHECK(matches == libc_matches(oracle.glob, oracle.text));
	return 0;
}
