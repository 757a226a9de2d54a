#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "decoder/output/style.h"
#include "decoder/runs/coverage.h"

struct lcov {
	struct style_settings settings;
	struct coverage *coverage;
};

void *style_lcov_begin(const struct style_settings *settings)
{
	struct lcov *lcov = calloc(1, sizeof(*lcov));

	if (!lcov)
		return NULL;
	lcov->settings = *settings;
	lcov->coverage = coverage_new(settings);
	if (lcov->coverage)
		return lcov;
	free(lcov);
	return NULL;
}

void style_lcov_message(void *state, const struct message *message)
{
	struct lcov *lcov = state;

	coverage_message(lcov->coverage, message);
}

static void put_number(
	struct render_buffer *out, const char *before, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	render_buffer_put_string(out, before);
	render_buffer_put_string(out, text);
}

/* Of one line; what it is not known of has no place in the format. */
static size_t put_line(const struct coverage_statement *at, size_t left,
	struct render_buffer *out, bool *known, bool *hit)
{
	uint64_t count = 0;
	size_t i = 0;

	*known = false;
	do {
		count += at[i].of.count;
		*known = *known || at[i].of.known || at[i].of.count > 0;
	} while (++i < left && at[i].of.file &&
		 strcmp(at[i].of.file, at->of.file) == 0 &&
		 at[i].of.line == at->of.line);
	*hit = count > 0;
	if (*known) {
		put_number(out, "DA:", at->of.line);
		put_number(out, ",", count);
		render_buffer_put_string(out, "\n");
	}
	return i;
}

/* Returns how many statements the file has. */
static size_t put_file(const struct coverage_statement *at, size_t left,
	struct render_buffer *out)
{
	uint64_t lines = 0;
	uint64_t hits = 0;
	size_t i = 0;

	render_buffer_put_string(out, "TN:\nSF:");
	/* The format has no way of its own to write a newline in a name. */
	escape_put(out, at->of.file, strlen(at->of.file), ESCAPE_NEWLINE);
	render_buffer_put_string(out, "\n");
	while (i < left && at[i].of.file &&
		strcmp(at[i].of.file, at->of.file) == 0) {
		bool known;
		bool hit;

		i += put_line(&at[i], left - i, out, &known, &hit);
		lines += known;
		hits += hit;
	}
	put_number(out, "LF:", lines);
	put_number(out, "\nLH:", hits);
	render_buffer_put_string(out, "\nend_of_record\n");
	return i;
}

void style_lcov_end(void *state)
{
	struct lcov *lcov = state;
	struct output *output = lcov->settings.output;
	const struct coverage_statement *statements;
	size_t count;
	size_t i = 0;

	statements = coverage_list(lcov->coverage, &count);
	while (i < count) {
		if (!statements[i].of.file) {
			i++;
			continue;
		}
		i += put_file(&statements[i], count - i, &output->text);
		output_settle(output);
	}
	if (!coverage_is_whole(lcov->coverage) && output->failed == 0)
		output->failed = ENOMEM;
	coverage_free(lcov->coverage);
	free(lcov);
}
