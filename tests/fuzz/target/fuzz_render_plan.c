/*
 * Formats with any arguments, those that they take and others: rendered by a
 * plan they make the same text, with the same outcome, as without; and no more
 * of it than the limit allows.
 */
#include "base/pool.h"
#include "decoder/render/render.h"
#include "decoder/render/render_plan.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/random_format.h"

#define HOSTILE_LIMIT 4000u
/* Padding and text up to the limit, the strings, and one long number. */
#define HOSTILE_TEXT_MAX (2 * HOSTILE_LIMIT + 8 * RANDOM_BYTES + 8000u)

static struct render_buffer wanted, out;

static void hostile_arguments(struct random_sample *sample)
{
	sample->count = (int)below(8);
	for (int i = 0; i < sample->count; i++)
		sample->kinds[i] = (uint8_t)(1 + below(6));
	memset(sample->roles, 0, sizeof(sample->roles));
	for (int i = 0; i < sample->count; i++)
		random_argument(sample, i);
}

static void check_plan(const struct random_sample *sample)
{
	struct render_plan *plan = NULL;
	struct pool pool = {0};
	int planned = RENDER_COMPLETE;
	int outcome;
	int i;

	wanted.length = 0;
	outcome = render_format(&wanted, sample->format, sample->length,
		sample->arguments, (size_t)sample->count, NULL, libc_here());
	for (i = 0; i <= RENDER_PLAN_USES; i++) {
		out.length = 0;
		planned = render_plan_put(&plan, &pool, &out, sample->format,
			sample->length, sample->arguments,
			(size_t)sample->count, libc_here());
	}
	pool_free(&pool);
	FUZZ_CHECK(planned == outcome);
	FUZZ_CHECK(out.length == wanted.length);
	FUZZ_CHECK(out.length == 0 ||
		   memcmp(out.data, wanted.data, out.length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct random_sample sample;

	random_from(data, size);
	random_any_format(&sample);
	if (sample.count != FORMAT_NONE && one_in(2)) {
		random_arguments(&sample);
		wanted.limit = out.limit = 0;
		check_plan(&sample);
		return 0;
	}
	hostile_arguments(&sample);
	wanted.limit = out.limit = HOSTILE_LIMIT;
	check_plan(&sample);
	FUZZ_CHECK(out.length <= HOSTILE_TEXT_MAX);
	return 0;
}
