/*
 * Any words as the command line of binlog-show: it is taken, or what
 * is wrong is told in a sentence.
 */
#include <getopt.h>
#include <string.h>

#include "decoder/output/options.h"
#include "tests/fuzz/costly_pattern.h"
#include "tests/fuzz/fuzz.h"

#define WORDS_MAX 12
#define BYTES_MAX 512u

static void free_options(struct options *options)
{
	filter_rules_free(&options->rules);
	for (size_t i = 0; i < options->spans.count; i++) {
		free(options->spans.all[i].start);
		free(options->spans.all[i].done);
	}
	for (size_t i = 0; i < options->rules.glob_count; i++)
		free(options->rules.globs[i].real);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char name[] = "binlog-show";
	static struct options options;
	char bytes[BYTES_MAX + 1];
	char *words[WORDS_MAX + 2] = {name};
	enum options_action action;
	int count = 1;

	if (size > BYTES_MAX)
		return -1;
	memcpy(bytes, data, size);
	bytes[size] = '\0';
	for (char *at = bytes; at < bytes + size && count <= WORDS_MAX;
		at += strlen(at) + 1) {
		if (pattern_is_costly(at))
			return -1;
		words[count++] = at;
	}
	optind = 0; /* from the beginning again */
	action = options_parse(&options, count, words);
	if (action == OPTIONS_WRONG)
		FUZZ_CHECK(strstr(options.problem, ": "));
	else
		FUZZ_CHECK(options.problem[0] == '\0');
	FUZZ_CHECK(options.style);
	FUZZ_CHECK(options.path_count <= WORDS_MAX);
	free_options(&options);
	return 0;
}
