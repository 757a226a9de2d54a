/*
 * Globs of rules: rule_glob_matches() agrees with fnmatch(3) where both mean
 * the same, and what rule_glob_may_match() excludes does not match.
 */
#include "rules/rule_tree.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/glob_oracle.h"

static bool is_peculiar(const char *glob)
{
	return glob_oracle_has_peculiar_set(glob) || strstr(glob, "\\n") ||
	       strstr(glob, "\\t") || strstr(glob, "\\[") ||
	       (*glob && glob[strlen(glob) - 1] == '\\');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct glob_oracle oracle;
	struct rule_glob glob;
	struct rule_text text;
	bool matches;

	if (!glob_oracle_read(&oracle, data, size))
		return -1;
	rule_glob_set_text(&text, oracle.text, oracle.text_bytes);
	rule_glob_set_word(&glob, oracle.glob, oracle.glob_bytes);
	if (oracle.glob_bytes > 0 && strstr(oracle.text, oracle.glob))
		FUZZ_CHECK(rule_glob_may_match(&glob, &text));
	if (!rule_glob_set(&glob, oracle.glob, oracle.glob_bytes))
		return 0;
	matches = rule_glob_matches(&glob, oracle.text, oracle.text_bytes);
	FUZZ_CHECK(!matches || rule_glob_may_match(&glob, &text));
	if (!is_peculiar(oracle.glob))
		FUZZ_CHECK(
			matches == (fnmatch(oracle.glob, oracle.text, 0) == 0));
	return 0;
}
