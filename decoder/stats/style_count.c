#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "decoder/output/style.h"
#include "decoder/query/batch_fold.h"
#include "decoder/stats/sums.h"

struct count {
	struct style_settings settings;
	struct batch_fold fold;
	uint64_t messages;
};

static void take(void *closure, const struct batch_rows *rows)
{
	struct count *count = closure;

	count->messages += rows->chosen_count;
}

void *style_count_begin(const struct style_settings *settings)
{
	struct count *count = calloc(1, sizeof(*count));

	if (!count)
		return NULL;
	count->settings = *settings;
	count->fold = (struct batch_fold){.take = take, .closure = count};
	if (settings->batches)
		settings->batches->fold = &count->fold;
	return count;
}

void style_count_message(void *state, const struct message *message)
{
	struct count *count = state;

	count->messages += !message_is_event(message) && !message->continues;
}

void sums_add_count(void *state, uint64_t messages)
{
	((struct count *)state)->messages += messages;
}

void style_count_end(void *state)
{
	struct count *count = state;
	bool json = count->settings.options->json;
	char text[64];
	int length = snprintf(text, sizeof(text), "%s%" PRIu64 "%s\n",
		json ? "{\"messages\":" : "", count->messages, json ? "}" : "");

	render_buffer_put(&count->settings.output->text, text, (size_t)length);
	free(count);
}
