/*
 * Asks the file of one_file.h for the names at addresses, as the symbolizer's
 * worker does.  For targets that damage it.
 */
#ifndef TESTS_FUZZ_ASKED_NAMES_H
#define TESTS_FUZZ_ASKED_NAMES_H

#include "symbolizer/answers/resolver.h"
#include "tests/fuzz/one_file.h"

/* Every byte of what an answer says has to be there. */
static inline size_t asked_names_bytes(const struct resolver_answer *answer)
{
	size_t bytes = answer->sentence ? strlen(answer->sentence) : 0;
	size_t i;

	FUZZ_CHECK(answer->count >= 1);
	for (i = 0; i < answer->count; i++) {
		const struct symbolizer_frame *frame = &answer->frames[i];

		bytes += frame->function ? strlen(frame->function) : 0;
		bytes += frame->file ? strlen(frame->file) : 0;
		bytes += frame->line;
	}
	return bytes;
}

/* The answer at an address, which is the same when it is asked for again. */
static inline void asked_names_at(struct resolver *resolver, uint64_t address)
{
	struct resolver_answer answer;
	size_t bytes;

	FUZZ_CHECK(resolver_find(resolver, 0, address, &answer));
	bytes = asked_names_bytes(&answer);
	FUZZ_CHECK(resolver_find(resolver, 0, address, &answer));
	FUZZ_CHECK(asked_names_bytes(&answer) == bytes);
}

static inline void asked_names_between(
	struct resolver *resolver, uint64_t address)
{
	const struct symbolizer_gap inside = {
		.next = address,
		.inside = address + 16,
	};
	const struct symbolizer_gap outside = {
		.next = address + 16,
		.name = "printf",
		.argument = address,
	};
	struct resolver_answer answer;

	FUZZ_CHECK(resolver_between(resolver, 0, &inside, &answer));
	asked_names_bytes(&answer);
	FUZZ_CHECK(resolver_between(resolver, 0, &outside, &answer));
	asked_names_bytes(&answer);
}

static inline struct resolver *asked_names_open(enum symtab_sources sources)
{
	static const struct symbolizer_module wanted = {.path = ONE_FILE_PATH};
	static const struct symbolizer_options options;
	struct resolver *resolver = resolver_new(&options);

	FUZZ_CHECK(resolver);
	FUZZ_CHECK(resolver_open(resolver, &wanted, sources));
	return resolver;
}

#endif
