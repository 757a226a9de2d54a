#include "decoder/show/show_tail.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/output/columns.h"
#include "decoder/output/last_lines.h"

/* Messages that are read at first, for each line that is shown, and besides. */
#define MESSAGES_A_LINE 2u
#define MESSAGES_LEAST 4096u
/* Likewise bytes of blocks of captures. */
#define BYTES_A_LINE 512u
#define BYTES_LEAST ((uint64_t)2 << 20)
/* How many times as many if these are too few; and all, if that would be more
 * than the same share of all: so what was read in vain is no more than that. */
#define MESSAGES_GROWTH 8u

/* No column says of a line what has been long before it. */
static bool is_of_lines(const struct options *options)
{
	return !columns_have(&options->columns, COLUMN_SEQUENCE) &&
	       !columns_have(&options->columns, COLUMN_THREAD_CYCLES) &&
	       !columns_have(&options->columns, COLUMN_LAG);
}

static bool is_possible(const struct options *options,
	const struct outputs *outputs, const struct capture_list *list)
{
	const enum style_reads reads = outputs->all[0].style->reads;
	size_t i;

	for (i = 0; i < list->packed_count; i++)
		if (strcmp(list->packed[i], PACKED_FILE_STDIN) == 0)
			return false;
	for (i = 0; i < list->count; i++)
		if (list->captures[i]->ring)
			return false;
	return outputs->count == 1 && !options->strict && !options->follow &&
	       !options->config && !options->around && list->text_count == 0 &&
	       (list->count == 0) != (list->packed_count == 0) &&
	       (reads == STYLE_READS_LINES || reads == STYLE_READS_WANTED) &&
	       is_of_lines(options);
}

/* The log cannot be read from its end: all of it is. */
static void give_up(struct capture_list *list, size_t i)
{
	packed_tail_free(list->tails[i]);
	list->tails[i] = NULL;
}

static void open_tails(struct capture_list *list)
{
	size_t i;

	list->tails = calloc(list->packed_count, sizeof(*list->tails));
	for (i = 0; list->tails && i < list->packed_count; i++) {
		list->tails[i] = packed_tail_new(list->packed[i]);
		if (list->tails[i] && packed_tail_last(list->tails[i]) == 0)
			give_up(list, i);
	}
}

/* Of those that were not taken the log that ends last; how many there are:
 * none is left. */
static size_t find_latest(const struct capture_list *list, const bool *taken)
{
	size_t latest = list->packed_count;
	size_t i;

	for (i = 0; i < list->packed_count; i++)
		if (list->tails[i] && !taken[i] &&
			(latest == list->packed_count ||
				packed_tail_last(list->tails[i]) >
					packed_tail_last(list->tails[latest])))
			latest = i;
	return latest;
}

/* Wants so many messages of the log, and a run before them, by which it is
 * known what lines have begun there.  When the messages are from. */
static uint64_t want_last(
	struct capture_list *list, size_t i, uint64_t messages)
{
	struct packed_tail *tail = list->tails[i];

	if (!packed_tail_want(tail, messages, 0) ||
		!packed_tail_want(tail, tail->messages + 1, 0)) {
		give_up(list, i);
		return 0;
	}
	return tail->runs[tail->wanted > 1 ? tail->wanted - 2 : 0].first;
}

/* When the last so many messages begin, about.  0: that is all there is. */
static uint64_t find_from(struct capture_list *list, uint64_t messages)
{
	bool *taken = calloc(list->packed_count, sizeof(*taken));
	uint64_t from = UINT64_MAX;
	size_t latest;

	while (taken && messages > 0) {
		uint64_t first;

		latest = find_latest(list, taken);
		if (latest == list->packed_count)
			break;
		taken[latest] = true;
		first = want_last(list, latest, messages);
		if (!list->tails[latest])
			continue;
		if (first < from)
			from = first;
		messages -= list->tails[latest]->messages < messages
				    ? list->tails[latest]->messages
				    : messages;
	}
	free(taken);
	return messages > 0 ? 0 : from;
}

/* Of each log what was said from then on. */
static void want_since(struct capture_list *list, uint64_t from)
{
	size_t i;

	for (i = 0; i < list->packed_count; i++)
		if (list->tails[i] &&
			packed_tail_last(list->tails[i]) >= from &&
			!packed_tail_want(list->tails[i], 1, from))
			give_up(list, i);
}

static bool is_all(const struct capture_list *list)
{
	size_t i;

	for (i = 0; i < list->packed_count; i++)
		if (list->tails[i] && !packed_tail_is_all(list->tails[i]))
			return false;
	return true;
}

/* What is wanted is more than a small share of it all. */
static bool is_much(const struct capture_list *list)
{
	uint64_t wanted = 0, all = 0;
	size_t i;

	for (i = 0; i < list->packed_count; i++) {
		const struct packed_tail *tail = list->tails[i];

		if (!tail)
			return true;
		all += tail->size;
		if (tail->wanted > 0)
			wanted += tail->size -
				  tail->runs[tail->wanted - 1].offset;
	}
	return wanted > all / MESSAGES_GROWTH;
}

static void want_all(struct show_tail *tail)
{
	size_t i;

	for (i = 0; i < tail->list->packed_count; i++)
		give_up(tail->list, i);
	tail->all = true;
}

static void want(struct show_tail *tail)
{
	tail->reached = false;
	tail->before = 0;
	tail->from = tail->since;
	if (tail->lines != LAST_LINES_ALL) {
		uint64_t from = find_from(tail->list, tail->messages);

		if (from > tail->from)
			tail->from = from;
	}
	want_since(tail->list, tail->from);
	tail->all = is_all(tail->list);
}

void show_tail_begin(struct show_tail *tail, const struct options *options,
	const struct outputs *outputs, struct capture_list *list)
{
	const struct filter_rules *rules = &options->rules;

	*tail = (struct show_tail){
		.list = list,
		.lines = options->lines,
		.since = rules->since_text ? rules->since : 0,
		.messages = MESSAGES_LEAST +
			    (uint64_t)MESSAGES_A_LINE * options->lines,
	};
	if ((tail->lines == LAST_LINES_ALL && tail->since == 0) ||
		!is_possible(options, outputs, list))
		return;
	tail->of_captures = list->count > 0;
	/* where lines are chosen most texts are not made anyway */
	if (tail->of_captures && (filter_asks_for_calls(rules) ||
					 filter_rules_ask_for_text(rules)))
		return;
	if (tail->of_captures) {
		tail->messages =
			BYTES_LEAST + (uint64_t)BYTES_A_LINE * options->lines;
		tail->used = tail->lines != LAST_LINES_ALL;
		return;
	}
	open_tails(list);
	tail->used = list->tails;
	if (tail->used)
		want(tail);
}

void show_tail_source(struct show_tail *tail, struct source *source)
{
	if (!tail->used || !tail->of_captures)
		return;
	tail->reached = false;
	tail->before = 0;
	tail->from = source_hide(source, tail->messages);
	tail->all = tail->from == 0;
}

bool show_tail_is_enough(struct show_tail *tail, const struct outputs *outputs,
	const struct source *source)
{
	const struct last_lines *lines = outputs->all[0].output.lines;

	if (!tail->used || tail->all || tail->lines == LAST_LINES_ALL ||
		(!tail->of_captures && tail->from <= tail->since) ||
		(tail->reached &&
			last_lines_added(lines) - tail->before > tail->lines &&
			!(tail->of_captures && source_was_by_wall(source))))
		return true;
	if (tail->of_captures) {
		tail->messages = UINT64_MAX;
		return false;
	}
	tail->messages *= MESSAGES_GROWTH;
	want(tail);
	if (is_much(tail->list))
		want_all(tail);
	return false;
}

bool show_tail_left_out(const struct show_tail *tail)
{
	return tail->used && !tail->all && !tail->of_captures;
}

void show_tail_end(struct show_tail *tail)
{
	struct capture_list *list = tail->list;
	size_t i;

	for (i = 0; list && list->tails && i < list->packed_count; i++)
		packed_tail_free(list->tails[i]);
	if (list)
		free(list->tails);
	if (list)
		list->tails = NULL;
}
