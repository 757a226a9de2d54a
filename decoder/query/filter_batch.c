#include "decoder/query/filter_batch.h"

#include "decoder/message/event_words.h"
#include "decoder/query/batch_fold.h"
#include "decoder/query/filter.h"
#include "decoder/query/line_joiner.h"
#include "record/layout.h"

/* Streams on which a line may wait for its rest; more: any may. */
#define UNFINISHED_MAX 64

struct unfinished {
	const struct definition_stream *streams[UNFINISHED_MAX];
	size_t count;
	bool any;
};

static bool is_timely(
	const struct filter_rules *rules, const struct packed_batch *batch)
{

	return !rules->timed ||
	       (batch->last >= rules->since && batch->first <= rules->until);
}

static bool is_anybody_wanted(
	const struct filter_rules *rules, const struct packed_batch *batch)
{
	size_t i;

	for (i = 0; i < batch->writer_count; i++)
		if (filter_wants_thread(rules, batch->writers[i].pid,
			    batch->writers[i].tid, batch->writers[i].thread,
			    batch->writers[i].coroutine))
			return true;
	return false;
}

/* Null: not known before a message is there. */
static const struct filter_site *decide(const struct filter_rules *rules,
	struct definition_context *context, struct pool *pool)
{
	const struct filter_site *site = filter_site_find(context, rules);

	if (!site && (context->restored ||
			     grep_format_is_sound(context, context->format)))
		site = filter_site_new(rules, context, context->format, pool);
	return site;
}

static bool is_event(const struct definition_context *context)
{
	return context->text >= BINLOG_EVENT_FIRST;
}

static void add_unfinished(
	struct unfinished *unfinished, const struct definition_stream *stream)
{
	size_t i;

	for (i = 0; i < unfinished->count; i++)
		if (line_joiner_is_same(unfinished->streams[i], stream))
			return;
	if (unfinished->count == UNFINISHED_MAX)
		unfinished->any = true;
	else
		unfinished->streams[unfinished->count++] = stream;
}

/* Whether a message on the stream may come after a piece of a line. */
static bool may_continue(const struct unfinished *unfinished,
	const struct definition_stream *stream)
{
	size_t i;

	for (i = 0; i < unfinished->count; i++)
		if (line_joiner_is_same(unfinished->streams[i], stream))
			return true;
	return unfinished->any;
}

/* What the batch itself, or what came before, may leave without a newline. */
static void find_unfinished(const struct filter_batch *filter,
	const struct packed_batch *batch, struct unfinished *unfinished)
{
	const struct filter_site *site;
	size_t i;

	for (i = 0; i < batch->site_count; i++) {
		struct definition_context *context = batch->sites[i].context;

		if (!batch->sites[i].wanted || is_event(context))
			continue;
		site = decide(filter->rules, context, batch->pool);
		if (!site || !site->ends_line)
			add_unfinished(unfinished, context->stream);
	}
	for (i = 0; i < batch->site_count; i++) {
		const struct definition_stream *stream =
			batch->sites[i].context->stream;

		if (line_joiner_awaits(filter->joiner, stream))
			add_unfinished(unfinished, stream);
	}
}

/* Of lines, only those are left out that no piece is part of. */
static bool is_needed(const struct filter_batch *filter,
	struct definition_context *context, struct pool *pool,
	const struct unfinished *unfinished, bool timely)
{
	const struct filter_site *site;

	if (is_event(context))
		return filter->joiner && event_words_may_be(context->text);
	site = decide(filter->rules, context, pool);
	if (!site || (timely && !filter_site_is_hopeless(site)))
		return true;
	return filter->joiner &&
	       (!site->ends_line || may_continue(unfinished, context->stream));
}

static void choose_sites(
	const struct filter_batch *filter, struct packed_batch *batch)
{
	const struct filter_rules *rules = filter->rules;
	bool timely = is_timely(rules, batch);
	struct unfinished unfinished = {0};
	size_t i;

	for (i = 0; i < batch->site_count; i++)
		batch->sites[i].wanted =
			filter_wants_stream(rules, batch->sites[i].context);
	if (timely && !filter_asks_for_text(rules))
		return;
	if (filter->joiner)
		find_unfinished(filter, batch, &unfinished);
	for (i = 0; i < batch->site_count; i++)
		batch->sites[i].wanted =
			batch->sites[i].wanted &&
			(filter_batch_may_change(
				 filter, batch->sites[i].context) ||
				is_needed(filter, batch->sites[i].context,
					batch->pool, &unfinished, timely));
}

/* Of who adds up. */
static bool is_of_use(const struct batch_fold *fold,
	const struct packed_batch *batch, struct definition_context *context)
{
	const struct message example = {
		.context = context,
		.program = batch->writers[0].program,
		.capture = batch->writers[0].capture,
		.thread = "",
		.pool = batch->pool,
	};

	return !fold->needs || is_event(context) ||
	       fold->needs(fold->closure, &example);
}

bool filter_batch_wants(void *closure, struct packed_batch *batch)
{
	struct filter_batch *filter = closure;
	bool any = is_anybody_wanted(filter->rules, batch);
	bool wanted = false;
	size_t i;

	if (any)
		choose_sites(filter, batch);
	for (i = 0; i < batch->site_count; i++) {
		struct definition_context *context = batch->sites[i].context;

		batch->sites[i].wanted =
			any && batch->sites[i].wanted &&
			(!filter->fold ||
				filter_batch_may_change(filter, context) ||
				is_of_use(filter->fold, batch, context));
		if (batch->sites[i].wanted)
			wanted = true;
		else if (!is_event(context) &&
			 !(context->flags & BINLOG_CONTEXT_PARTIAL))
			filter->passed += batch->sites[i].messages;
	}
	return wanted;
}
