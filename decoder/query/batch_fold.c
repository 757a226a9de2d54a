#include "decoder/query/batch_fold.h"

#include <string.h>

#include "decoder/query/expression_columns.h"
#include "decoder/query/filter.h"
#include "decoder/query/filter_batch.h"
#include "record/layout.h"

struct folding {
	const struct filter_rules *rules;
	const struct batch_fold *fold;
	struct packed_body *body;
	const uint8_t *pieces; /* see packed_columns_pieces() */
};

/* All who say something in it, all of the time. */
static bool is_wanted_whole(
	const struct filter_rules *rules, const struct packed_batch *batch)
{
	size_t i;

	if (rules->timed &&
		(batch->first < rules->since || batch->last > rules->until))
		return false;
	for (i = 0; i < batch->writer_count; i++)
		if (!filter_wants_thread(rules, batch->writers[i].pid,
			    batch->writers[i].tid, batch->writers[i].thread,
			    batch->writers[i].coroutine))
			return false;
	return true;
}

/* Of which messages one of the expressions is true.  Null: see below. */
static const uint8_t *choose(const struct folding *folding,
	const struct filter_site *site, size_t place)
{
	const struct filter_rules *rules = folding->rules;
	size_t count = folding->body->batch.sites[place].messages;
	uint8_t *chosen = packed_columns_take(folding->body, count);
	size_t i;

	if (!chosen)
		return NULL;
	memset(chosen, 0, count);
	for (i = 0; i < rules->expression_count; i++)
		if (site->bindings[i] &&
			!expression_columns_choose(rules->expressions[i],
				site->bindings[i], folding->body, place,
				chosen))
			return NULL;
	return chosen;
}

/* Fills in what is chosen of the rows.  False: it needs the messages. */
static bool filter(const struct folding *folding, struct batch_rows *rows)
{
	const struct filter_rules *rules = folding->rules;
	const struct filter_site *site =
		filter_site_find(rows->example.context, rules);
	size_t i;

	rows->chosen_count = rows->count;
	if (!filter_asks_for_text(folding->rules))
		return true;
	if (!site || !site->settled || site->found == GREP_IN_STRING ||
		site->found == GREP_DEPENDS)
		return false;
	if (filter_site_is_hopeless(site)) {
		rows->chosen_count = 0;
		return true;
	}
	if ((rules->levels != 0 && !site->has_level) ||
		rules->categories.count > 0)
		return false;
	if (rules->expression_count == 0)
		return true;
	rows->chosen = choose(folding, site, rows->site);
	rows->chosen_count = 0;
	for (i = 0; rows->chosen && i < rows->count; i++)
		rows->chosen_count += rows->chosen[i];
	return rows->chosen;
}

static bool is_event(const struct definition_context *context)
{
	return context->text >= BINLOG_EVENT_FIRST;
}

/* The rows of the site, all chosen.  False: it has none to be folded. */
static bool find_rows(
	struct packed_body *body, size_t site, struct batch_rows *rows)
{
	const struct packed_site *told = &body->batch.sites[site];

	if (!told->wanted || told->messages == 0 || is_event(told->context))
		return false;
	*rows = (struct batch_rows){
		.example = packed_columns_example(body, site),
		.body = body,
		.site = site,
		.count = told->messages,
	};
	return true;
}

/* False: of some of them messages have to be made. */
static bool filter_all(
	const struct folding *folding, struct batch_rows *all, size_t *count)
{
	struct packed_body *body = folding->body;
	size_t i;

	*count = 0;
	for (i = 0; i < body->batch.site_count; i++) {
		if (!find_rows(body, i, &all[*count]))
			continue;
		if ((folding->pieces && folding->pieces[i]) ||
			!filter(folding, &all[*count]))
			return false;
		*count += all[*count].chosen_count > 0;
	}
	return true;
}

/* Calls that are not given out as messages: of one in pieces the last. */
static uint64_t calls_of(const struct packed_batch *batch)
{
	uint64_t calls = 0;
	size_t i;

	for (i = 0; i < batch->site_count; i++) {
		const struct packed_site *site = &batch->sites[i];

		if (site->wanted && !is_event(site->context) &&
			!(site->context->flags & BINLOG_CONTEXT_PARTIAL))
			calls += site->messages;
	}
	return calls;
}

static void add_times(const struct folding *folding, struct batch_rows *all,
	size_t count, const uint64_t *times)
{
	size_t site = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		for (; site < all[i].site; site++)
			times += folding->body->batch.sites[site].messages;
		all[i].times = times;
	}
}

static bool are_accepted(const struct batch_fold *fold,
	const struct batch_rows *all, size_t count)
{
	size_t i;

	for (i = 0; i < count && fold->accepts; i++)
		if (!fold->accepts(fold->closure, &all[i]))
			return false;
	return true;
}

static bool take_all(
	const struct folding *folding, struct batch_rows *all, size_t count)
{
	const struct batch_fold *fold = folding->fold;
	const uint64_t *times = NULL;
	size_t i;

	if (!are_accepted(fold, all, count))
		return false;
	if (fold->timed) {
		times = packed_columns_times(folding->body);
		if (!times)
			return false;
		add_times(folding, all, count, times);
	}
	for (i = 0; i < count; i++)
		fold->take(fold->closure, &all[i]);
	return true;
}

static bool may_change(
	const struct filter_batch *filter, const struct packed_batch *batch)
{
	size_t i;

	for (i = 0; i < batch->site_count; i++)
		if (batch->sites[i].wanted && filter_batch_may_change(filter,
						      batch->sites[i].context))
			return true;
	return false;
}

bool batch_fold_take(void *closure, struct packed_body *body)
{
	struct filter_batch *batches = closure;
	struct folding folding = {
		.rules = batches->rules, .fold = batches->fold, .body = body};
	struct batch_rows *all;
	size_t count;

	if (may_change(batches, &body->batch) ||
		!is_wanted_whole(folding.rules, &body->batch) ||
		!packed_columns_pieces(body, &folding.pieces))
		return false;
	all = packed_columns_take(
		body, (body->batch.site_count + 1) * sizeof(*all));
	if (!all || !filter_all(&folding, all, &count) ||
		!take_all(&folding, all, count))
		return false;
	batches->passed += calls_of(&body->batch);
	packed_columns_end(body);
	return true;
}
