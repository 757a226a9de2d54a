#include "decoder/stats/spans.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/limits.h"
#include "base/pool.h"
#include "base/seeded_hash.h"
#include "base/suggest.h"
#include "decoder/message/fields.h"
#include "decoder/query/span_rule.h"

/*
 * The spans that are open: found by their rule and key, the innermost first,
 * and listed by their age.  Used by spans.c, which bounds how many there are.
 */

/* Values with a NUL between them. */
struct span_key {
	struct span_key *collides;
	struct span_open *innermost;
	uint64_t hash;
	size_t rule;
	size_t size;
	char bytes[];
};

struct span_open {
	struct span_open *older; /* of all */
	struct span_open *newer;
	struct span_open *outer; /* of the same key */
	struct span_open *inner;
	struct span_open *around; /* of the same thread, begun before */
	struct span_open *within; /* and after */
	struct span_key *key;
	struct span_key *thread; /* the key of these */
	uint64_t number;
	struct span_end begin;
	const char *stack;
	size_t stack_bytes;
	size_t text_bytes;
	char text[];
};

/* All zeros is an empty one. */
struct span_table {
	struct span_key **keys; /* chains */
	size_t mask;		/* their number, a power of two, minus 1 */
	size_t key_count;
	struct span_open *oldest;
	struct span_open *newest;
	size_t count;
	size_t bytes; /* of all that is allocated for spans and keys */
};

#define KEYS_FIRST ((size_t)1024)
/* Instead of a rule: threads that have begun what is open. */
#define OF_THREADS SPAN_RULES_MAX

static uint64_t hash_of(size_t rule, const void *key, size_t bytes)
{
	return seeded_hash(seeded_hash_start ^ rule, key, bytes);
}

static struct span_key *find_key(const struct span_table *table, uint64_t hash,
	size_t rule, const void *bytes, size_t size)
{
	struct span_key *key =
		table->keys ? table->keys[hash & table->mask] : NULL;

	while (key &&
		(key->hash != hash || key->rule != rule || key->size != size ||
			memcmp(key->bytes, bytes, size) != 0))
		key = key->collides;
	return key;
}

/* At least as many chains as keys. */
static bool make_room(struct span_table *table)
{
	size_t room = table->keys ? 2 * (table->mask + 1) : KEYS_FIRST;
	struct span_key **keys;
	size_t i;

	if (table->keys && table->key_count <= table->mask)
		return true;
	keys = calloc(room, sizeof(struct span_key *));
	if (!keys)
		return false;
	for (i = 0; table->keys && i <= table->mask; i++) {
		struct span_key *key = table->keys[i];

		while (key) {
			struct span_key *next = key->collides;
			struct span_key **chain = &keys[key->hash & (room - 1)];

			key->collides = *chain;
			*chain = key;
			key = next;
		}
	}
	free(table->keys);
	table->keys = keys;
	table->mask = room - 1;
	return true;
}

static struct span_key *add_key(struct span_table *table, uint64_t hash,
	size_t rule, const void *bytes, size_t size)
{
	struct span_key *key;
	struct span_key **chain;

	if (!make_room(table))
		return NULL;
	key = malloc(sizeof(*key) + size);
	if (!key)
		return NULL;
	chain = &table->keys[hash & table->mask];
	*key = (struct span_key){
		.collides = *chain,
		.hash = hash,
		.rule = rule,
		.size = size,
	};
	memcpy(key->bytes, bytes, size);
	*chain = key;
	table->key_count++;
	table->bytes += sizeof(*key) + size;
	return key;
}

static void drop_key(struct span_table *table, struct span_key *key)
{
	struct span_key **link = &table->keys[key->hash & table->mask];

	while (*link != key)
		link = &(*link)->collides;
	*link = key->collides;
	table->key_count--;
	table->bytes -= sizeof(*key) + key->size;
	free(key);
}

static void link_by_age(struct span_table *table, struct span_open *open)
{
	open->older = table->newest;
	if (table->newest)
		table->newest->newer = open;
	else
		table->oldest = open;
	table->newest = open;
}

static void link_by_key(struct span_key *key, struct span_open *open)
{
	open->key = key;
	open->outer = key->innermost;
	if (key->innermost)
		key->innermost->inner = open;
	key->innermost = open;
}

static struct span_key *key_of(
	struct span_table *table, size_t rule, const void *bytes, size_t size)
{
	uint64_t hash = hash_of(rule, bytes, size);
	struct span_key *key = find_key(table, hash, rule, bytes, size);

	return key ? key : add_key(table, hash, rule, bytes, size);
}

/* What the thread of a span has begun before is around it.  False: out of
 * memory. */
static bool link_by_thread(struct span_table *table, struct span_open *open)
{
	const uint64_t thread[] = {(uintptr_t)open->begin.program,
		(uint64_t)open->begin.pid << 32 | open->begin.tid};
	struct span_key *key =
		key_of(table, OF_THREADS, thread, sizeof(thread));

	if (!key)
		return false;
	open->thread = key;
	open->around = key->innermost;
	if (key->innermost)
		key->innermost->within = open;
	key->innermost = open;
	return true;
}

static void unlink_from_thread(struct span_table *table, struct span_open *open)
{
	if (!open->thread)
		return;
	if (open->around)
		open->around->within = open->within;
	if (open->within)
		open->within->around = open->around;
	else
		open->thread->innermost = open->around;
	if (!open->thread->innermost)
		drop_key(table, open->thread);
}

/* Its begin, stack and key are to be filled.  Null: out of memory. */
static struct span_open *span_table_open(struct span_table *table, size_t rule,
	const void *key, size_t key_bytes, const char *text, size_t text_bytes)
{
	struct span_open *open = malloc(sizeof(*open) + text_bytes);
	struct span_key *with;

	if (!open)
		return NULL;
	with = key_of(table, rule, key, key_bytes);
	if (!with) {
		free(open);
		return NULL;
	}
	*open = (struct span_open){.text_bytes = text_bytes};
	if (text_bytes > 0)
		memcpy(open->text, text, text_bytes);
	link_by_age(table, open);
	link_by_key(with, open);
	table->count++;
	table->bytes += sizeof(*open) + text_bytes;
	return open;
}

/*
 * The innermost with this key that the same thread began, else the same
 * process, else anybody.  Of many with one key only the innermost are looked
 * at.  Null: there is none.
 */
static struct span_open *span_table_find(const struct span_table *table,
	size_t rule, const void *key, size_t key_bytes, uint32_t pid,
	uint32_t tid)
{
	uint64_t hash = hash_of(rule, key, key_bytes);
	struct span_key *with = find_key(table, hash, rule, key, key_bytes);
	struct span_open *open = with ? with->innermost : NULL;
	struct span_open *best = open;
	size_t i;

	for (i = 0; open && !limits_reached(LIMIT_SPAN_KEYS, i);
		i++, open = open->outer) {
		if (open->begin.pid != pid)
			continue;
		if (open->begin.tid == tid)
			return open;
		if (best->begin.pid != pid)
			best = open;
	}
	return best;
}

/* It is gone. */
static void span_table_close(struct span_table *table, struct span_open *open)
{
	struct span_key *key = open->key;

	if (open->older)
		open->older->newer = open->newer;
	else
		table->oldest = open->newer;
	if (open->newer)
		open->newer->older = open->older;
	else
		table->newest = open->older;
	if (open->outer)
		open->outer->inner = open->inner;
	if (open->inner)
		open->inner->outer = open->outer;
	else
		key->innermost = open->outer;
	if (!key->innermost)
		drop_key(table, key);
	unlink_from_thread(table, open);
	table->count--;
	table->bytes -= sizeof(*open) + open->text_bytes;
	free(open);
}

/* All are gone; the table is empty and usable again. */
static void span_table_free(struct span_table *table)
{
	struct span_open *open = table->oldest;

	while (open) {
		struct span_open *newer = open->newer;

		span_table_close(table, open);
		open = newer;
	}
	free(table->keys);
	*table = (struct span_table){0};
}

/*
 * Why a rule of --spans has found nothing: no message has such a format, or
 * none of these has such an argument; and what there is instead.  Filled by
 * spans.c once for each context.  Bounded: what is too much is not proposed.
 */

#define SPAN_REMARKS_FORMATS 512
#define SPAN_REMARKS_NAMES 16

/* What was seen of the messages on one side of a rule. */
struct span_side {
	bool matched;
	bool has[SPAN_PARTS_MAX];	       /* what is compared */
	const char *names[SPAN_REMARKS_NAMES]; /* of their arguments */
	size_t name_count;
};

/* All zeros is nothing seen. */
struct span_remarks {
	struct span_side sides[SPAN_RULES_MAX][2]; /* that begin, that end */
	const char *formats[SPAN_REMARKS_FORMATS];
	size_t format_count;
	struct pool pool;
};

static bool is_among(
	const char *const *texts, size_t count, const char *text, size_t bytes)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strncmp(texts[i], text, bytes) == 0 &&
			texts[i][bytes] == '\0')
			return true;
	return false;
}

static void add(struct pool *pool, const char **texts, size_t *count,
	size_t room, const char *text, size_t bytes)
{
	const char *copy;

	if (*count == room || is_among(texts, *count, text, bytes))
		return;
	copy = pool_copy(pool, text, bytes);
	if (copy)
		texts[(*count)++] = copy;
}

/* A format that there is, without the newline at its end. */
static void span_remarks_add_format(
	struct span_remarks *remarks, const char *format, size_t bytes)
{
	if (bytes > 0 && format[bytes - 1] == '\n')
		bytes--;
	if (bytes <= SUGGEST_LENGTH_MAX)
		add(&remarks->pool, remarks->formats, &remarks->format_count,
			SPAN_REMARKS_FORMATS, format, bytes);
}

/* Messages that match: what they have of the parts, null where not. */
static void span_remarks_add_match(struct span_remarks *remarks, size_t rule,
	bool ends, const struct fields *fields,
	const struct field *const has[SPAN_PARTS_MAX])
{
	struct span_side *side = &remarks->sides[rule][ends];
	size_t i;

	side->matched = true;
	for (i = 0; i < SPAN_PARTS_MAX; i++)
		side->has[i] = side->has[i] || has[i];
	for (i = 0; i < fields->count; i++)
		add(&remarks->pool, side->names, &side->name_count,
			SPAN_REMARKS_NAMES, fields->all[i].name,
			strlen(fields->all[i].name));
}

static void put_quoted(struct render_buffer *out, const char *text)
{
	render_buffer_put_string(out, "'");
	escape_put(out, text, strlen(text), ESCAPE_NEWLINE);
	render_buffer_put_string(out, "'");
}

static void put_unmatched(const struct span_remarks *remarks, const char *glob,
	struct render_buffer *out)
{
	const char *nearest =
		suggest_nearest(glob, remarks->formats, remarks->format_count);

	render_buffer_put_string(
		out, "binlog-show: --spans: no message has the format ");
	put_quoted(out, glob);
	if (nearest) {
		render_buffer_put_string(out, ": did you mean ");
		put_quoted(out, nearest);
		render_buffer_put_string(out, "?\n");
	} else {
		render_buffer_put_string(out,
			": --columns=format shows those that there "
			"are\n");
	}
}

static void put_nameless(const struct span_side *side, const char *glob,
	const struct span_name *name, struct render_buffer *out)
{
	size_t i;

	render_buffer_put_string(
		out, "binlog-show: --spans: messages with the format ");
	put_quoted(out, glob);
	render_buffer_put_string(out, " have no argument ");
	escape_put(out, name->text, name->bytes, ESCAPE_NEWLINE);
	if (side->name_count > 0)
		render_buffer_put_string(out, ": they have ");
	for (i = 0; i < side->name_count; i++) {
		render_buffer_put_string(out, i > 0 ? ", " : "");
		escape_put(out, side->names[i], strlen(side->names[i]),
			ESCAPE_NEWLINE);
	}
	render_buffer_put_string(out, "\n");
}

static void put_side(const struct span_remarks *remarks,
	const struct span_rule *rule, const struct span_side *side, bool ends,
	struct render_buffer *out)
{
	const char *glob = ends ? rule->done : rule->start;
	size_t i;

	if (!side->matched) {
		put_unmatched(remarks, glob, out);
		return;
	}
	for (i = 0; i < rule->part_count; i++)
		if (rule->parts[i].of == SPAN_PART_ARGUMENT && !side->has[i])
			put_nameless(side, glob,
				ends ? &rule->parts[i].done
				     : &rule->parts[i].start,
				out);
}

/* Appends a sentence for each rule and side that found nothing. */
static void span_remarks_put(const struct span_remarks *remarks,
	const struct span_rules *rules, struct render_buffer *out)
{
	size_t i;

	for (i = 0; i < rules->count; i++) {
		put_side(remarks, &rules->all[i], &remarks->sides[i][0], false,
			out);
		put_side(remarks, &rules->all[i], &remarks->sides[i][1], true,
			out);
	}
}

static void span_remarks_free(struct span_remarks *remarks)
{
	pool_free(&remarks->pool);
	*remarks = (struct span_remarks){0};
}

/* What messages with one context are to one rule. */
struct span_role {
	struct span_role *next;
	size_t rule;
	bool begins;
	bool keyless; /* they have not all that is to be compared */
	const struct field *fields[SPAN_PARTS_MAX]; /* null: no argument */
};

/* What is known of a context. */
struct span_site {
	const struct spans *owner;
	struct span_site *next;	 /* of another owner */
	struct span_role *roles; /* those that end spans first; or null */
	const char *stack;	 /* null: not asked yet, or not kept */
	size_t stack_bytes;
};

struct spans {
	const struct span_rules *rules;
	struct stack *stack;
	spans_take *take;
	void *closure;
	struct span_table open;
	struct span_sum sums[SPAN_RULES_MAX];
	struct numbers_room room; /* of these */
	struct span_remarks remarks;
	struct pool stacks;
	uint64_t begun;
	struct render_buffer key;
	struct render_buffer text;
	struct render_buffer scratch;
	bool failed;
};

struct spans *spans_new(const struct span_rules *rules, struct stack *stack,
	spans_take *take, void *closure)
{
	struct spans *spans = calloc(1, sizeof(*spans));

	if (!spans || !render_buffer_reserve(&spans->key, LIMITS_SPAN_KEY)) {
		free(spans);
		return NULL;
	}
	spans->rules = rules;
	spans->stack = stack;
	spans->take = take;
	spans->closure = closure;
	spans->room = numbers_room();
	return spans;
}

/* With or without the newline at its end. */
static bool is_format(const struct definition_string *format, const char *glob)
{
	bool found;
	char *line;

	if (fnmatch(glob, format->bytes, 0) == 0)
		return true;
	if (format->length == 0 || format->bytes[format->length - 1] != '\n')
		return false;
	line = strndup(format->bytes, format->length - 1);
	found = line && fnmatch(glob, line, 0) == 0;
	free(line);
	return found;
}

static const struct field *field_of(
	const struct message *message, const struct span_name *name)
{
	const struct fields *fields = fields_of(message);
	size_t before = definition_arguments_before(message->context);
	size_t i;

	for (i = 0; i < fields->count; i++) {
		const struct field *field = &fields->all[i];

		if (field->argument + 1u == before + name->number ||
			(name->number == 0 &&
				strlen(field->name) == name->bytes &&
				memcmp(field->name, name->text, name->bytes) ==
					0))
			return field;
	}
	return NULL;
}

static bool add_role(struct span_site *site, const struct span_rule *rule,
	size_t number, bool begins, const struct message *message)
{
	struct span_role *role = pool_take(message->pool, sizeof(*role));
	size_t i;

	if (!role)
		return false;
	*role = (struct span_role){
		.next = site->roles,
		.rule = number,
		.begins = begins,
	};
	for (i = 0; i < rule->part_count; i++) {
		const struct span_part *part = &rule->parts[i];

		if (part->of != SPAN_PART_ARGUMENT)
			continue;
		role->fields[i] =
			field_of(message, begins ? &part->start : &part->done);
		role->keyless = role->keyless || !role->fields[i];
	}
	site->roles = role;
	return true;
}

/* A message may end one span and begin the next. */
static bool add_roles(struct spans *spans, struct span_site *site,
	const struct message *message, bool begins)
{
	const struct definition_string *format = message_statement(message);
	size_t i;

	for (i = 0; format && format->bytes && i < spans->rules->count; i++) {
		const struct span_rule *rule = &spans->rules->all[i];

		if (!is_format(format, begins ? rule->start : rule->done))
			continue;
		if (!add_role(site, rule, i, begins, message))
			return false;
		span_remarks_add_match(&spans->remarks, i, !begins,
			fields_of(message), site->roles->fields);
	}
	return true;
}

/* Null: out of memory. */
static struct span_site *site_of(
	struct spans *spans, const struct message *message)
{
	struct span_site *site = message->context->spans;
	const struct definition_string *format;

	while (site && site->owner != spans)
		site = site->next;
	if (site)
		return site;
	site = pool_take(message->pool, sizeof(*site));
	if (!site)
		return NULL;
	*site = (struct span_site){
		.owner = spans,
		.next = message->context->spans,
	};
	if (!add_roles(spans, site, message, true) ||
		!add_roles(spans, site, message, false))
		return NULL;
	message->context->spans = site;
	format = message_statement(message);
	if (format && format->bytes)
		span_remarks_add_format(
			&spans->remarks, format->bytes, format->length);
	return site;
}

/* Numbers in decimal, so that a %d and a %x of one value are the same. */
static bool put_value(struct spans *spans, const struct field *field,
	const struct message *message)
{
	struct field_value value = field_value(field, message, &spans->scratch);
	char number[32];

	if (!value.known)
		return false;
	if (field->type == FIELD_TEXT) {
		if (limits_exceeded(LIMIT_SPAN_KEY, value.bytes))
			return false;
		render_buffer_put(&spans->key, value.text, value.bytes);
		return true;
	}
	if (field->type == FIELD_INTEGER)
		snprintf(number, sizeof(number), "%" PRId64, value.i64);
	else if (field->type == FIELD_FLOAT)
		snprintf(number, sizeof(number), "%.17g", value.f64);
	else
		snprintf(number, sizeof(number), "%" PRIu64, value.u64);
	render_buffer_put(&spans->key, number, strlen(number));
	return true;
}

static void put_id(struct spans *spans, uint32_t id)
{
	char number[16];

	snprintf(number, sizeof(number), "%" PRIu32, id);
	render_buffer_put(&spans->key, number, strlen(number));
}

static bool put_part(struct spans *spans, enum span_part_of of,
	const struct field *field, const struct message *message)
{
	switch (of) {
	case SPAN_PART_PID:
		put_id(spans, message->pid);
		return true;
	case SPAN_PART_TID:
		put_id(spans, message->tid);
		return true;
	case SPAN_PART_THREAD:
		render_buffer_put(
			&spans->key, message->thread, strlen(message->thread));
		return true;
	case SPAN_PART_ARGUMENT:
		break;
	}
	return put_value(spans, field, message);
}

/* False: the message has not all that is to be compared. */
static bool make_key(struct spans *spans, const struct span_role *role,
	const struct message *message)
{
	const struct span_rule *rule = &spans->rules->all[role->rule];
	size_t i;

	spans->key.length = 0;
	if (role->keyless)
		return false;
	if (rule->part_count == 0) {
		render_buffer_put(
			&spans->key, &message->pid, sizeof(message->pid));
		render_buffer_put(
			&spans->key, &message->tid, sizeof(message->tid));
	}
	for (i = 0; i < rule->part_count; i++) {
		if (i > 0)
			render_buffer_put_byte(&spans->key, '\0');
		if (!put_part(
			    spans, rule->parts[i].of, role->fields[i], message))
			return false;
	}
	spans->failed = spans->failed || spans->key.failed;
	return true;
}

static struct span_end end_of(const struct message *message)
{
	struct span_end end = {
		.wall = message->wall,
		.ticks = message->ticks,
		.pid = message->pid,
		.tid = message->tid,
		.program = message->program,
	};

	snprintf(end.thread, sizeof(end.thread), "%s", message->thread);
	return end;
}

/* Clocks may be set back meanwhile. */
static uint64_t duration_of(
	const struct span_end *begin, const struct message *end)
{
	double ticks = (double)(end->ticks - begin->ticks);

	if (end->wall >= begin->wall)
		return end->wall - begin->wall;
	if (end->ticks < begin->ticks || !end->segment ||
		!(ticks * end->segment->rate < 1e18))
		return 0;
	return (uint64_t)(ticks * end->segment->rate);
}

/* The key for people, in place. */
static void tell(struct spans *spans, const struct span_open *open,
	const struct message *end)
{
	const struct span_key *key = open->key;
	struct span span = {
		.rule = key->rule,
		.begin = open->begin,
		.ended = end,
		.number = open->number,
		.parent = open->around ? open->around->number : 0,
		.text = open->text,
		.text_bytes = open->text_bytes,
		.stack = open->stack,
		.stack_bytes = open->stack_bytes,
	};
	size_t i;

	spans->scratch.length = 0;
	if (spans->rules->all[key->rule].part_count > 0)
		render_buffer_put(&spans->scratch, key->bytes, key->size);
	for (i = 0; i < spans->scratch.length; i++)
		if (spans->scratch.data[i] == '\0')
			spans->scratch.data[i] = ',';
	span.key = spans->scratch.length > 0 ? spans->scratch.data : "";
	span.key_bytes = spans->scratch.length;
	if (end) {
		span.end = end_of(end);
		span.duration = duration_of(&open->begin, end);
	}
	spans->take(spans->closure, &span);
}

static void end_span(struct spans *spans, const struct span_role *role,
	const struct message *message)
{
	struct span_sum *sum = &spans->sums[role->rule];
	struct span_open *open = span_table_find(&spans->open, role->rule,
		spans->key.data, spans->key.length, message->pid, message->tid);

	if (!open) {
		sum->unbegun++;
		return;
	}
	numbers_add_integer(&sum->durations, &spans->room,
		duration_of(&open->begin, message), 1);
	tell(spans, open, message);
	span_table_close(&spans->open, open);
}

/* It will not end any more. */
static void give_up(struct spans *spans, struct span_open *open)
{
	spans->sums[open->key->rule].unfinished++;
	tell(spans, open, NULL);
	span_table_close(&spans->open, open);
}

static void keep_bounded(struct spans *spans)
{
	while (spans->open.count > 0 &&
		(limits_reached(LIMIT_SPANS, spans->open.count) ||
			limits_reached(LIMIT_SPAN_BYTES, spans->open.bytes))) {
		spans->sums[spans->open.oldest->key->rule].given_up++;
		give_up(spans, spans->open.oldest);
	}
}

static void add_stack(struct spans *spans, struct span_site *site,
	const struct message *message)
{
	struct render_buffer *lines = &spans->text;

	if (!spans->stack || site->stack ||
		limits_exceeded(LIMIT_SPAN_STACKS, spans->stacks.bytes))
		return;
	lines->length = 0;
	stack_put(spans->stack, message, lines);
	if (lines->length == 0)
		return;
	site->stack = pool_copy(&spans->stacks, lines->data, lines->length);
	site->stack_bytes = site->stack ? lines->length : 0;
}

static void begin_span(struct spans *spans, struct span_site *site,
	const struct span_role *role, const struct message *message)
{
	struct render_buffer *text = &spans->text;
	struct span_open *open;

	keep_bounded(spans);
	add_stack(spans, site, message);
	text->length = 0;
	message_text(message, text);
	if (text->length > 0 && text->data[text->length - 1] == '\n')
		text->length--;
	if (limits_exceeded(LIMIT_SPAN_TEXT, text->length))
		text->length = LIMITS_SPAN_TEXT;
	open = span_table_open(&spans->open, role->rule, spans->key.data,
		spans->key.length, text->data, text->length);
	if (!open) {
		spans->failed = true;
		return;
	}
	open->begin = end_of(message);
	open->number = ++spans->begun;
	spans->failed |= !link_by_thread(&spans->open, open);
	open->stack = site->stack;
	open->stack_bytes = site->stack_bytes;
}

void spans_message(struct spans *spans, const struct message *message)
{
	const struct span_role *role;
	struct span_site *site;

	if (message_is_event(message) || message->continues)
		return;
	site = site_of(spans, message);
	if (!site) {
		spans->failed = true;
		return;
	}
	for (role = site->roles; role; role = role->next) {
		if (!make_key(spans, role, message))
			spans->sums[role->rule].keyless++;
		else if (role->begins)
			begin_span(spans, site, role, message);
		else
			end_span(spans, role, message);
	}
}

void spans_finish(struct spans *spans)
{
	struct span_open *open;

	/* what is within others, knows them still */
	for (open = spans->open.oldest; open; open = open->newer) {
		spans->sums[open->key->rule].unfinished++;
		tell(spans, open, NULL);
	}
	span_table_free(&spans->open);
}

bool spans_are_whole(const struct spans *spans)
{
	return !spans->failed && !spans->text.failed &&
	       !spans->scratch.failed && !spans->room.failed;
}

const struct span_sum *spans_sum(const struct spans *spans, size_t rule)
{
	return &spans->sums[rule];
}

void spans_put_remarks(const struct spans *spans, struct render_buffer *out)
{
	span_remarks_put(&spans->remarks, spans->rules, out);
}

void spans_free(struct spans *spans)
{
	size_t i;

	if (!spans)
		return;
	for (i = 0; i < SPAN_RULES_MAX; i++)
		numbers_free(&spans->sums[i].durations, &spans->room);
	numbers_room_free(&spans->room);
	span_table_free(&spans->open);
	pool_free(&spans->stacks);
	span_remarks_free(&spans->remarks);
	render_buffer_free(&spans->key);
	render_buffer_free(&spans->text);
	render_buffer_free(&spans->scratch);
	free(spans);
}
