#include "decoder/stats/anomalies.h"

#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/number_text.h"
#include "decoder/message/fields.h"
#include "decoder/message/message_level.h"
#include "rules/levels.h"

#define NS 1e9
#define TIMES_MOST 1e15 /* always a number */

/* Said so often a statement is not rare, and is compared with others. */
#define OFTEN 20u

/* What one place says in one process, or in one thread of it. */
struct stream_numbers {
	struct stream_numbers *next;
	struct anomaly_site *site;
	struct track *track;
	struct track *thread; /* of the process, while it is the only one */
	struct stream_numbers *process; /* of the thread; null: it is that */
	uint32_t tid;			/* that spoke last */
	bool many;			/* others have spoken, too */
	struct stream_steps {
		struct steps steps;
		uint64_t turns; /* from one thread to another */
		uint64_t kept;	/* at which it went on as always */
	} numbers[];
};

void anomalies_begin(struct anomalies *anomalies, struct locations *locations)
{
	*anomalies = (struct anomalies){0};
	message_sites_begin(
		&anomalies->sites, sizeof(struct anomaly_site), locations);
}

/* Whether the format has a word of its own, and is more than directives. */
static bool has_words(const struct site *site)
{
	size_t i = 0;

	while (i < site->format_bytes) {
		unsigned char c = (unsigned char)site->format[i++];

		if (c == '%') {
			while (i < site->format_bytes &&
				strchr("-+ #0123456789.*'$hlLqjzt",
					site->format[i]))
				i++;
			i++;
		} else if (isalpha(c) || c >= 0x80) {
			return true;
		}
	}
	return false;
}

static bool is_same_word(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same_statement(const struct site *a, const struct site *b)
{
	return a->text == b->text && a->types == b->types &&
	       a->format_bytes == b->format_bytes &&
	       memcmp(a->format, b->format, a->format_bytes) == 0 &&
	       is_same_word(a->module, b->module) &&
	       is_same_word(a->function, b->function);
}

/*
 * Compilers make several calls of one, for some of the cases that it is for:
 * what a program says with the same words is one statement.
 */
static struct anomaly_site *statement_of(
	struct anomalies *anomalies, struct anomaly_site *new)
{
	const struct site *site = new->site.site;
	struct anomaly_site *found = NULL;
	uint64_t hash;

	if (site && site->format && has_words(site)) {
		hash = seeded_hash(
			site->types, site->format, site->format_bytes);
		found = id_map_find(&anomalies->statements, hash);
		if (!found && !id_map_set(&anomalies->statements, hash, new))
			anomalies->failed = true;
	}
	if (found && is_same_statement(found->site.site, site))
		return found;
	anomalies->statement_count++;
	return new;
}

static bool is_of(const struct track *track, const struct message *message)
{
	return track && track->pid == message->pid &&
	       track->program == message->program &&
	       track->boot == message->capture->header.nonce;
}

/* Sets those of the message; null: they are too many to be told apart. */
static void find_tracks(
	struct anomalies *anomalies, const struct message *message)
{
	bool named;

	if (!is_of(anomalies->process, message))
		anomalies->process = track_table_process(
			&anomalies->tracks, message, &named);
	if (!is_of(anomalies->thread, message) ||
		anomalies->thread->tid != message->tid)
		anomalies->thread =
			track_table_thread(&anomalies->tracks, message, &named);
}

/* The number of who speaks. */
static uint32_t speak(struct anomalies *anomalies, uint64_t wall)
{
	size_t number = anomalies->process ? anomalies->process->number : 0;
	struct speaker *speaker;

	if (number >= anomalies->speaker_count) {
		if (!array_reserve(anomalies->speakers, anomalies->speaker_room,
			    number + 1)) {
			anomalies->failed = true;
			return 0;
		}
		memset(anomalies->speakers + anomalies->speaker_count, 0,
			(number + 1 - anomalies->speaker_count) *
				sizeof(*anomalies->speakers));
		anomalies->speaker_count = number + 1;
	}
	speaker = &anomalies->speakers[number];
	if (speaker->messages++ == 0)
		speaker->first = wall;
	if (wall > speaker->last)
		speaker->last = wall;
	return (uint32_t)number;
}

/*
 * Adds the time since the last one, as far as a process that might have said
 * it is known to have lived then.
 */
static void note_gap(struct anomalies *anomalies, struct anomaly_site *site,
	uint32_t number, uint64_t wall)
{
	const struct speaker *before = &anomalies->speakers[site->speaker];
	const struct speaker *now = &anomalies->speakers[number];
	uint64_t from = site->last;
	uint64_t to = wall;

	if (wall <= site->last)
		return;
	if (number != site->speaker) {
		if (before->last < to)
			to = before->last;
		if (now->first > from)
			from = now->first;
		if (to - site->last > wall - from)
			from = site->last;
		else
			to = wall;
	}
	peaks_add(&site->gaps, (double)(to - from), from, to);
}

static bool is_number(const struct field *field)
{
	return field->type == FIELD_INTEGER || field->type == FIELD_UNSIGNED ||
	       field->type == FIELD_FLOAT;
}

/* Hexadecimal numbers are names and bits, and errno is no quantity. */
static bool is_quantity(const struct field *field)
{
	return field->conversion == 'd' || field->conversion == 'u' ||
	       field->type == FIELD_FLOAT;
}

static bool make_values(struct anomalies *anomalies, struct anomaly_site *site,
	const struct fields *fields)
{
	size_t bytes;
	size_t i;

	for (i = 0; i < fields->count; i++)
		site->number_count += is_number(&fields->all[i]);
	if (site->number_count > ANOMALIES_NUMBERS)
		site->number_count = ANOMALIES_NUMBERS;
	if (site->number_count == 0)
		return false;
	if (limits_exceeded(LIMIT_ANOMALY_NUMBERS,
		    anomalies->numbers + site->number_count)) {
		site->number_count = 0;
		return false;
	}
	anomalies->numbers += site->number_count;
	bytes = site->number_count * sizeof(*site->values);
	site->values = pool_take(&anomalies->pool, bytes);
	if (!site->values) {
		site->number_count = 0;
		anomalies->failed = true;
		return false;
	}
	memset(site->values, 0, bytes);
	return true;
}

/* Null: there are too many, or out of memory. */
static struct stream_numbers *make_stream(struct anomalies *anomalies,
	struct anomaly_site *site, struct track *track,
	struct stream_numbers *process, uint64_t id, uint32_t tid)
{
	size_t bytes = sizeof(struct stream_numbers) +
		       site->number_count * sizeof(struct stream_steps);
	struct stream_numbers *stream;

	if (limits_exceeded(LIMIT_ANOMALY_NUMBERS,
		    anomalies->numbers + site->number_count))
		return NULL;
	anomalies->numbers += site->number_count;
	stream = pool_take(&anomalies->pool, bytes);
	if (!stream || !id_map_set(&anomalies->streams, id, stream)) {
		anomalies->failed = true;
		return NULL;
	}
	memset(stream, 0, bytes);
	stream->site = site;
	stream->track = track;
	stream->tid = tid;
	stream->process = process;
	stream->thread = anomalies->thread;
	stream->next = anomalies->all_streams;
	anomalies->all_streams = stream;
	return stream;
}

static struct stream_numbers *find_stream(struct anomalies *anomalies,
	struct anomaly_site *site, struct track *track,
	struct stream_numbers *process, uint32_t tid)
{
	uint64_t id;
	struct stream_numbers *stream;

	if (!track)
		return NULL;
	id = (uint64_t)site->site.site->number << 32 | (uint32_t)track->number;
	stream = id_map_find(&anomalies->streams, id);
	return stream ? stream
		      : make_stream(anomalies, site, track, process, id, tid);
}

static double number_of(
	const struct field *field, const struct field_value *value)
{
	if (field->type == FIELD_FLOAT)
		return value->f64;
	return field->type == FIELD_INTEGER ? (double)value->i64
					    : (double)value->u64;
}

static void add_step(
	struct stream_steps *number, int64_t value, uint64_t wall, bool turns)
{
	uint64_t hits = number->steps.hits;

	steps_add(&number->steps, value, wall);
	number->turns += turns;
	number->kept += turns && number->steps.hits > hits;
}

static void add_numbers(struct anomalies *anomalies, struct anomaly_site *site,
	const struct message *message, struct stream_numbers *stream,
	struct stream_numbers *thread, bool turns)
{
	const struct fields *fields = fields_of(message);
	size_t number = 0;
	size_t i;

	for (i = 0; i < fields->count && number < site->number_count; i++) {
		const struct field *field = &fields->all[i];
		struct anomaly_values *values = &site->values[number];
		struct field_value value;
		double amount;

		if (!is_number(field))
			continue;
		number++;
		value = field_value(field, message, &anomalies->scratch);
		if (!value.known)
			continue;
		if (!values->name) {
			values->name = pool_copy(&anomalies->pool, field->name,
				strlen(field->name));
			values->type = field->type;
			values->is_quantity = is_quantity(field);
		}
		if (field->type != FIELD_FLOAT && stream)
			add_step(&stream->numbers[number - 1], value.i64,
				message->wall, turns);
		if (field->type != FIELD_FLOAT && thread)
			add_step(&thread->numbers[number - 1], value.i64,
				message->wall, false);
		if (!values->is_quantity)
			continue;
		amount = number_of(field, &value);
		spread_add(&values->spread, amount);
		if (amount > 0 && amount <= DBL_MAX)
			peaks_add(&values->peaks, amount, message->wall,
				message->wall);
		else
			values->peaks.count++;
	}
}

/* What its only thread has said so far, another one will go on without. */
static void part_first(struct anomalies *anomalies, struct anomaly_site *site,
	struct stream_numbers *stream)
{
	struct stream_numbers *first = find_stream(
		anomalies, site, stream->thread, stream, stream->tid);

	if (first && first != stream) /* whose tid may be forged */
		memcpy(first->numbers, stream->numbers,
			site->number_count * sizeof(*first->numbers));
	stream->many = true;
}

/* Of a process whose threads take turns a thread may count by itself. */
static void follow_numbers(struct anomalies *anomalies,
	struct anomaly_site *site, const struct message *message)
{
	struct stream_numbers *stream = site->latest;
	struct stream_numbers *thread = NULL;
	bool turns = false;

	if (site->messages == 1 &&
		!make_values(anomalies, site, fields_of(message)))
		return;
	if (site->number_count == 0)
		return;
	if (!stream || stream->track != anomalies->process)
		stream = find_stream(anomalies, site, anomalies->process, NULL,
			message->tid);
	if (stream) {
		turns = stream->tid != message->tid;
		if (turns && !stream->many)
			part_first(anomalies, site, stream);
		stream->tid = message->tid;
		if (stream->many)
			thread = find_stream(anomalies, site, anomalies->thread,
				stream, message->tid);
	}
	site->latest = stream;
	add_numbers(anomalies, site, message, stream, thread, turns);
}

void anomalies_message(
	struct anomalies *anomalies, const struct message *message)
{
	struct anomaly_site *site;
	uint64_t wall = message->wall;
	uint64_t offset;
	uint32_t number;

	if (message_is_event(message) || message->continues)
		return;
	site = message_sites_find(&anomalies->sites, message);
	if (!site) {
		anomalies->failed = true;
		return;
	}
	if (!site->statement)
		site->statement = statement_of(anomalies, site);
	site = site->statement;
	find_tracks(anomalies, message);
	number = speak(anomalies, wall);
	if (anomalies->messages++ == 0)
		anomalies->start = wall;
	offset = wall > anomalies->start ? wall - anomalies->start : 0;
	anomalies->shift = windows_shift(anomalies->shift, offset);
	windows_add(&anomalies->windows, offset, anomalies->shift);
	if (!site->site.site || anomalies->speaker_count == 0)
		return;
	windows_add(&site->windows, offset, anomalies->shift);
	if (site->messages < ANOMALIES_RARE) {
		int level = message_level(message);

		if (site->messages == 0 || level < site->level)
			site->level = level;
		site->rare[site->messages] = (struct rare_message){
			wall, anomalies->speakers[number].messages, number};
	}
	if (site->messages++ == 0)
		site->first = wall;
	else
		note_gap(anomalies, site, number, wall);
	if (wall > site->last)
		site->last = wall;
	site->speaker = number;
	follow_numbers(anomalies, site, message);
}

/* ---- at the end ---- */

__attribute__((format(printf, 7, 8))) static void add(
	struct anomalies *anomalies, const struct anomaly_site *site,
	const char *kind, uint64_t from, uint64_t to, double times,
	const char *format, ...)
{
	char why[512];
	va_list arguments;
	struct anomaly *found;

	va_start(arguments, format);
	vsnprintf(why, sizeof(why), format, arguments);
	va_end(arguments);
	if (!array_reserve(
		    anomalies->found, anomalies->room, anomalies->count + 1)) {
		anomalies->failed = true;
		return;
	}
	found = &anomalies->found[anomalies->count];
	*found = (struct anomaly){.site = site,
		.kind = kind,
		.from = from,
		.to = to,
		.times = times < TIMES_MOST ? times : TIMES_MOST,
		.why = pool_copy(&anomalies->pool, why, strlen(why))};
	anomalies->failed |= !found->why;
	anomalies->count += found->why != NULL;
}

static bool is_error(const struct anomaly_site *site)
{
	return site->level <= LEVEL_err;
}

static struct anomaly_site *site_at(
	const struct anomalies *anomalies, size_t index)
{
	return (struct anomaly_site *)anomalies->sites.all[index];
}

/*
 * What is said as a process begins or ends is said once: that is the first and
 * last hundredth of its time, and of its messages, but at least 20, and at most
 * a tenth.
 */
static bool is_of_edge(
	const struct anomalies *anomalies, const struct rare_message *message)
{
	const struct speaker *speaker = &anomalies->speakers[message->speaker];
	uint64_t moment = (speaker->last - speaker->first) / 100;
	uint64_t all = speaker->messages;
	uint64_t edge = all / 100 > OFTEN ? all / 100 : OFTEN;

	if (edge > (all + 9) / 10)
		edge = (all + 9) / 10;
	return message->number <= edge || message->number > all - edge ||
	       message->wall <= speaker->first + moment ||
	       message->wall >= speaker->last - moment;
}

static bool is_rare(
	const struct anomalies *anomalies, const struct anomaly_site *site)
{
	uint64_t times = is_error(site) ? 100 : 1000;
	size_t i;

	if (site->messages == 0 || site->messages > ANOMALIES_RARE ||
		anomalies->messages / times < site->messages)
		return false;
	for (i = 0; i < site->messages && !is_error(site); i++)
		if (is_of_edge(anomalies, &site->rare[i]))
			return false;
	return true;
}

static const char *so_often(uint64_t messages)
{
	static const char *const words[] = {"once", "twice", "three times"};

	return words[messages - 1];
}

/* Where many are rare it is no news but of errors. */
static void find_rare(struct anomalies *anomalies)
{
	size_t sites = anomalies->sites.count;
	size_t often = 0;
	size_t rare = 0;
	size_t i;

	for (i = 0; i < sites; i++) {
		const struct anomaly_site *site = site_at(anomalies, i);

		often += site->messages >= OFTEN;
		rare += !is_error(site) && is_rare(anomalies, site);
	}
	for (i = 0; i < sites && often > 0; i++) {
		const struct anomaly_site *site = site_at(anomalies, i);

		if (!is_rare(anomalies, site) ||
			(!is_error(site) && rare > 3 && rare > often / 2))
			continue;
		add(anomalies, site, "rare", site->first, site->last,
			(double)anomalies->messages /
				(double)anomalies->statement_count /
				(double)site->messages,
			"said only %s among %" PRIu64
			" messages of %zu statements",
			so_often(site->messages), anomalies->messages,
			anomalies->statement_count);
	}
}

static struct number_text seconds(double nanoseconds)
{
	return number_text_rounded((long double)nanoseconds / NS);
}

/* What passes from one message to the next where the longest are left out. */
struct pace {
	uint64_t count;
	double mean;
	double longest;
};

static struct pace pace_without(const struct peaks *gaps, unsigned longest)
{
	struct pace pace = {.count = gaps->count - longest,
		.longest = gaps->top[longest].value};
	double sum = gaps->sum;
	unsigned i;

	for (i = 0; i < longest; i++)
		sum -= gaps->top[i].value;
	pace.mean = pace.count > 0 ? sum / (double)pace.count : 0;
	return pace;
}

/* How many are silences: if one is, all that are longer are. */
static unsigned silences_of(
	const struct anomaly_site *site, struct pace *otherwise)
{
	const struct peaks *gaps = &site->gaps;
	unsigned count = peaks_apart(gaps, 4);

	for (; count > 0; count--) {
		*otherwise = pace_without(gaps, count);
		if (peaks_is_silence(gaps->top[count - 1].value,
			    otherwise->longest, otherwise->mean,
			    otherwise->count))
			return count;
	}
	*otherwise = pace_without(gaps, 0);
	return 0;
}

static void find_silences(
	struct anomalies *anomalies, const struct anomaly_site *site)
{
	struct pace otherwise;
	unsigned count = silences_of(site, &otherwise);
	unsigned i;

	for (i = 0; i < count; i++) {
		const struct peak *gap = &site->gaps.top[i];

		add(anomalies, site, "silence", gap->from, gap->to,
			gap->value / otherwise.longest,
			"not said for %s s; otherwise at most %s s passed "
			"from one to the next",
			seconds(gap->value).text,
			seconds(otherwise.longest).text);
	}
}

/* By who spoke last, then by when they began. */
static int compare_begins(const void *one, const void *other)
{
	const struct anomaly_site *a = *(struct anomaly_site *const *)one;
	const struct anomaly_site *b = *(struct anomaly_site *const *)other;

	if (a->speaker != b->speaker)
		return a->speaker < b->speaker ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* `lasting` is how long others of its process went on that began in time. */
static void find_end(struct anomalies *anomalies,
	const struct anomaly_site *site, uint64_t lasting)
{
	uint64_t end = anomalies->speakers[site->speaker].last;
	uint64_t time = end - site->last;
	struct pace before;

	silences_of(site, &before);
	if (time > site->last - site->first ||
		lasting < site->last + time / 2 ||
		!peaks_is_silence((double)time, before.longest, before.mean,
			before.count))
		return;
	add(anomalies, site, "stopped", site->last, end,
		(double)time / before.longest,
		"not said any more in the last %s s, though others are; before "
		"that at most %s s passed from one to the next",
		seconds((double)time).text, seconds(before.longest).text);
}

/*
 * Statements that were regular and have ended, while another one, which was
 * there in the first half of their time, went on: otherwise the program has
 * come to something else.
 */
static void find_ends(struct anomalies *anomalies)
{
	size_t sites = anomalies->sites.count;
	struct anomaly_site **often = calloc(sites + 1, sizeof(*often));
	uint64_t *lasting = calloc(sites + 1, sizeof(*lasting));
	size_t count = 0;
	size_t i;

	for (i = 0; i < sites && often && lasting; i++)
		if (site_at(anomalies, i)->messages >= OFTEN)
			often[count++] = site_at(anomalies, i);
	if (count > 0)
		qsort(often, count, sizeof(*often), compare_begins);
	for (i = 0; i < count; i++) {
		bool alone =
			i == 0 || often[i]->speaker != often[i - 1]->speaker;

		lasting[i] = alone || often[i]->last > lasting[i - 1]
				     ? often[i]->last
				     : lasting[i - 1];
	}
	for (i = 0; i < count; i++) {
		const struct anomaly_site *site = often[i];
		uint64_t middle = site->first + (site->last - site->first) / 2;
		size_t low = i;
		size_t high = count;

		while (low + 1 < high) {
			size_t at = low + (high - low) / 2;

			if (often[at]->speaker == site->speaker &&
				often[at]->first <= middle)
				low = at;
			else
				high = at;
		}
		find_end(anomalies, site, lasting[low]);
	}
	anomalies->failed |= !often || !lasting;
	free(often);
	free(lasting);
}

static bool is_silent_within(const struct anomalies *anomalies,
	const struct anomaly_site *site, uint64_t from, uint64_t to)
{
	size_t i;

	for (i = anomalies->count; i-- > 0;) {
		const struct anomaly *found = &anomalies->found[i];

		if (found->site != site)
			break;
		if (found->from < to && found->to > from)
			return true;
	}
	return false;
}

static unsigned window_of(const struct anomalies *anomalies, uint64_t wall)
{
	return wall > anomalies->start ? (unsigned)((wall - anomalies->start) >>
						    anomalies->shift)
				       : 0;
}

/* After the silences of the site. */
static void find_changes(struct anomalies *anomalies, struct anomaly_site *site)
{
	struct windows_change changes[2 * WINDOWS_CHANGES];
	double window = (double)((uint64_t)1 << anomalies->shift) / NS;
	size_t count;
	size_t i;

	windows_widen(&site->windows, anomalies->shift);
	count = windows_changes(&site->windows, &anomalies->windows,
		window_of(anomalies, site->first),
		window_of(anomalies, site->last), changes);
	for (i = 0; i < count; i++) {
		const struct windows_change *change = &changes[i];
		uint64_t from = anomalies->start +
				((uint64_t)change->begin << anomalies->shift);
		uint64_t to = anomalies->start +
			      ((uint64_t)change->end << anomalies->shift);
		double length = window * (change->end - change->begin);

		if (!change->more &&
			is_silent_within(anomalies, site, from, to))
			continue;
		add(anomalies, site, change->more ? "burst" : "slump", from, to,
			change->times,
			"said %" PRIu64 " times in %s s, %s %s a second; "
			"before that it was at %s %s",
			change->count, number_text_rounded(length).text,
			change->more ? "up to" : "down to",
			number_text_rounded(change->most / window).text,
			change->more ? "most" : "least",
			number_text_rounded(change->before / window).text);
	}
}

/* Numbers of whatever sign, as the argument is printed. */
static double distance(const struct steps *steps, const struct steps_break *one)
{
	double way = (double)one->to - (double)one->from;
	double step = steps_are_even(steps) ? (double)steps->step : 1;

	if (way == 0)
		return 1;
	return way / step < 0 ? -way / step : way / step;
}

/* As its directive prints it. */
static struct number_text word_of(int64_t number, enum field_type type)
{
	return number_text_value(type == FIELD_UNSIGNED
					 ? (long double)(uint64_t)number
					 : (long double)number,
		false);
}

static void find_breaks(struct anomalies *anomalies,
	const struct stream_numbers *stream, size_t number)
{
	const struct steps *steps = &stream->numbers[number].steps;
	const struct anomaly_values *values = &stream->site->values[number];
	bool even = steps_are_even(steps);
	struct steps_break breaks[STEPS_KEPT];
	size_t count =
		even || values->is_quantity ? steps_unusual(steps, breaks) : 0;
	char usual[96] = "where it otherwise rises";
	size_t i;

	if (even)
		snprintf(usual, sizeof(usual),
			"where it otherwise goes %s by %" PRIu64,
			steps->step < 0 ? "down" : "up",
			steps->step < 0 ? -(uint64_t)steps->step
					: (uint64_t)steps->step);
	for (i = 0; i < count; i++) {
		const struct steps_break *one = &breaks[i];
		struct number_text from = word_of(one->from, values->type);
		struct number_text to = word_of(one->to, values->type);
		double times = distance(steps, one);
		bool back = even && steps->step < 0 ? one->to > one->from
						    : one->to < one->from;

		if (one->to == one->from)
			add(anomalies, stream->site, "repeat", one->wall,
				one->wall, times, "%s is %s once more, %s",
				values->name, to.text, usual);
		else
			add(anomalies, stream->site, back ? "back" : "jump",
				one->wall, one->wall, times,
				"%s goes %s from %s to %s, %s", values->name,
				back ? "back" : "on", from.text, to.text,
				usual);
	}
}

/* That of a process whose threads count each by itself is none. */
static bool counts(const struct stream_steps *number)
{
	return number->kept * 2 >= number->turns &&
	       (steps_are_even(&number->steps) || steps_rise(&number->steps));
}

/* Of threads only where they do not count together. */
static void find_jumps(struct anomalies *anomalies)
{
	struct stream_numbers *stream;
	size_t i;

	for (stream = anomalies->all_streams; stream; stream = stream->next) {
		for (i = 0; i < stream->site->number_count; i++) {
			if (!counts(&stream->numbers[i]))
				continue;
			stream->site->values[i].counts = true;
			if (stream->process &&
				counts(&stream->process->numbers[i]))
				continue;
			find_breaks(anomalies, stream, i);
		}
	}
}

#define VALUES_LEAST 50u
#define VALUE_TIMES 4
#define MIDDLE_TIMES 50

/* If one is far from all others, all that are larger are. */
static void find_far(struct anomalies *anomalies,
	const struct anomaly_site *site, const struct anomaly_values *values)
{
	const struct peaks *peaks = &values->peaks;
	bool fractional = values->type == FIELD_FLOAT;
	double middle = spread_middle(&values->spread, peaks->count);
	unsigned count = peaks_apart(peaks, VALUE_TIMES);
	double most = 0;
	double next = 0;
	unsigned i;

	if (values->counts || peaks->count < VALUES_LEAST)
		return;
	if (middle <= 0 && !fractional)
		middle = 1;
	for (; count > 0; count--) {
		double value = peaks->top[count - 1].value;

		next = peaks->top[count].value;
		most = fractional || next > 1 ? next : 1;
		if (middle <= 0 || middle > most)
			middle = most;
		if (most > 0 && value >= VALUE_TIMES * most &&
			value >= MIDDLE_TIMES * middle)
			break;
	}
	for (i = 0; i < count; i++)
		add(anomalies, site, "far", peaks->top[i].from,
			peaks->top[i].to, peaks->top[i].value / most,
			"%s is %s, where it is otherwise at most %s",
			values->name,
			number_text_value(peaks->top[i].value, fractional).text,
			number_text_value(next, fractional).text);
}

static void find_far_values(
	struct anomalies *anomalies, const struct anomaly_site *site)
{
	size_t i;

	for (i = 0; i < site->number_count; i++)
		find_far(anomalies, site, &site->values[i]);
}

/* Errors first, then what is most unusual; always in the same order. */
static int compare_found(const void *one, const void *other)
{
	const struct anomaly *a = one;
	const struct anomaly *b = other;

	if (is_error(a->site) != is_error(b->site))
		return is_error(a->site) ? -1 : 1;
	if (a->times != b->times)
		return a->times > b->times ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->site != b->site)
		return message_sites_compare(&a->site->site, &b->site->site);
	return strcmp(a->why, b->why);
}

static int compare_times(const void *one, const void *other)
{
	const struct anomaly *a = one;
	const struct anomaly *b = other;
	int order = strcmp(a->kind, b->kind);

	if (order != 0)
		return order;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return compare_found(one, other);
}

/* Of one kind, and half of the longer is in both. */
static bool is_at_once(const struct anomaly *a, const struct anomaly *b)
{
	uint64_t from = a->from > b->from ? a->from : b->from;
	uint64_t to = a->to < b->to ? a->to : b->to;
	uint64_t one = a->to - a->from;
	uint64_t other = b->to - b->from;

	return a->kind == b->kind && from < to &&
	       to - from >= (one > other ? one : other) / 2;
}

/* What happens to many statements at a time is told once, of the first. */
static void join(struct anomalies *anomalies)
{
	struct anomaly *found = anomalies->found;
	size_t kept = 0;
	size_t i;

	if (anomalies->count > 0)
		qsort(found, anomalies->count, sizeof(*found), compare_times);
	for (i = 0; i < anomalies->count; i++) {
		struct anomaly *before = kept ? &found[kept - 1] : NULL;
		size_t others;

		if (!before || before->site == found[i].site ||
			!is_at_once(before, &found[i])) {
			found[kept++] = found[i];
			continue;
		}
		others = before->others + 1;
		if (compare_found(&found[i], before) < 0)
			*before = found[i];
		before->others = others;
	}
	anomalies->count = kept;
	if (kept > 0)
		qsort(found, kept, sizeof(*found), compare_found);
}

void anomalies_find(struct anomalies *anomalies)
{
	size_t i;

	find_rare(anomalies);
	find_jumps(anomalies);
	for (i = 0; i < anomalies->sites.count; i++) {
		struct anomaly_site *site = site_at(anomalies, i);

		if (site->messages < OFTEN)
			continue;
		find_silences(anomalies, site);
		find_changes(anomalies, site);
		find_far_values(anomalies, site);
	}
	find_ends(anomalies);
	join(anomalies);
}

void anomalies_end(struct anomalies *anomalies)
{
	message_sites_end(&anomalies->sites);
	track_table_free(&anomalies->tracks);
	id_map_free(&anomalies->statements);
	id_map_free(&anomalies->streams);
	pool_free(&anomalies->pool);
	free(anomalies->speakers);
	free(anomalies->found);
	render_buffer_free(&anomalies->scratch);
}
