#include "decoder/query/line_joiner.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/id_map.h"
#include "base/limits.h"
#include "decoder/query/filter.h"
#include "record/layout.h"

/* One thread on one stream. */
struct key {
	const struct program *program;
	uint32_t tid;
	int32_t fd;
	uint64_t device;
	uint64_t inode;
};

struct unfinished {
	struct key key;
	bool busy;    /* has text, or waits for pieces */
	bool partial; /* the next piece of the same call is to come */
	bool syslog;
	bool timely; /* the time of its first piece was asked for */
	bool chosen; /* a piece of it was, for something else */
	struct render_buffer head;
	struct render_buffer tail;
	struct render_buffer text;
};

struct line_joiner {
	struct line_joiner_calls calls;
	struct id_map map;	 /* of hashes of keys */
	struct unfinished **all; /* in the order in which they were made */
	struct unfinished *last; /* the one asked for last, or null */
	size_t count;
	size_t room;
	size_t busy;
	size_t bytes;		      /* of text in all of them */
	struct render_buffer scratch; /* the text of the message */
	bool chosen;		      /* it was asked for */
};

struct line_joiner *line_joiner_new(const struct line_joiner_calls *calls)
{
	struct line_joiner *joiner = calloc(1, sizeof(*joiner));

	if (!joiner)
		return NULL;
	joiner->calls = *calls;
	return joiner;
}

/* Of no thread yet. */
static struct key key_on(const struct definition_stream *stream)
{
	struct key key;

	memset(&key, 0, sizeof(key));
	if (stream) {
		key.fd = stream->fd;
		key.device = stream->device;
		key.inode = stream->inode;
	}
	return key;
}

static struct key key_of(const struct message *message)
{
	struct key key = key_on(message->context->stream);

	key.program = message->program;
	key.tid = message->tid;
	return key;
}

static bool is_key_of(const struct key *key, const struct message *message)
{
	const struct definition_stream *stream = message->context->stream;

	if (key->program != message->program || key->tid != message->tid)
		return false;
	if (!stream)
		return key->fd == 0 && key->device == 0 && key->inode == 0;
	return key->fd == stream->fd && key->device == stream->device &&
	       key->inode == stream->inode;
}

static uint32_t hash_of(const struct key *key)
{
	uint64_t hash =
		seeded_hash_word(seeded_hash_start, (uintptr_t)key->program);

	hash = seeded_hash_word(
		hash, (uint64_t)key->tid << 32 | (uint32_t)key->fd);
	return (uint32_t)seeded_hash_word(hash, key->inode);
}

/* What is to be shown of so many bytes: not the newline at their end. */
static size_t without_end(const char *text, size_t bytes, bool syslog)
{
	if (!syslog)
		return bytes - (bytes > 0 && text[bytes - 1] == '\n');
	while (bytes > 0 &&
		(text[bytes - 1] == '\n' || text[bytes - 1] == '\0'))
		bytes--;
	return bytes;
}

static bool is_asked_for(const struct line_joiner *joiner, bool chosen,
	const char *text, size_t bytes)
{
	const struct filter_rules *rules = joiner->calls.rules;

	return !rules || (chosen && filter_finds(rules, text, bytes));
}

/* The first `bytes` of the text. */
static void give_out(
	struct line_joiner *joiner, struct unfinished *from, size_t bytes)
{
	struct line_joiner_lines lines = {
		.head = from->head.data,
		.head_bytes = from->head.length,
		.tail = from->tail.data,
		.tail_bytes = from->tail.length,
		.text = from->text.data,
		.bytes = without_end(from->text.data, bytes, from->syslog),
	};

	if (is_asked_for(joiner, from->timely && from->chosen, lines.text,
		    lines.bytes))
		joiner->calls.lines(joiner->calls.closure, &lines);
}

static void forget(struct line_joiner *joiner, struct unfinished *from)
{
	if (from->busy)
		joiner->busy--;
	joiner->bytes -= from->text.length;
	from->busy = from->partial = false;
	from->head.length = from->tail.length = from->text.length = 0;
}

static void give_out_all(struct line_joiner *joiner, struct unfinished *from)
{
	if (from->busy)
		give_out(joiner, from, from->text.length);
	forget(joiner, from);
}

/* Gives out and frees everything. */
static void empty(struct line_joiner *joiner)
{
	size_t i;

	for (i = 0; i < joiner->count; i++) {
		struct unfinished *from = joiner->all[i];

		give_out_all(joiner, from);
		render_buffer_free(&from->head);
		render_buffer_free(&from->tail);
		render_buffer_free(&from->text);
		free(from);
	}
	joiner->count = 0;
	joiner->last = NULL;
	id_map_free(&joiner->map);
}

/* The same before the lines have ended: a limit says so. */
static void empty_early(
	struct line_joiner *joiner, const struct message *message)
{
	if (joiner->busy > 0)
		recording_report(message->capture, ERROR_LINE_PARTS,
			message->offset, joiner->busy);
	empty(joiner);
}

/* The one that this message's key has; null: there is none. */
static struct unfinished *look_up(
	struct line_joiner *joiner, const struct message *message)
{
	struct key key = key_of(message);
	struct unfinished *found = id_map_find(&joiner->map, hash_of(&key));

	if (found && memcmp(&found->key, &key, sizeof(key)) != 0) {
		give_out_all(joiner, found);
		found->key = key;
	}
	return found;
}

static struct unfinished *find(
	struct line_joiner *joiner, const struct message *message)
{
	struct unfinished *found = joiner->last;

	if (!found || !is_key_of(&found->key, message))
		found = look_up(joiner, message);
	if (!found)
		return NULL;
	joiner->last = found;
	if (found->partial && !message->continues)
		give_out_all(joiner, found);
	return found;
}

static struct unfinished *find_or_make(
	struct line_joiner *joiner, const struct message *message)
{
	struct unfinished *made = find(joiner, message);

	if (made)
		return made;
	if (joiner->count >= limits_size(LIMIT_OPEN_LINES))
		empty_early(joiner, message);
	made = array_reserve(joiner->all, joiner->room, joiner->count + 1)
		       ? calloc(1, sizeof(*made))
		       : NULL;
	if (!made)
		return NULL;
	made->key = key_of(message);
	if (!id_map_set(&joiner->map, hash_of(&made->key), made)) {
		free(made);
		return NULL;
	}
	joiner->all[joiner->count++] = made;
	return made;
}

static bool is_timely(
	const struct line_joiner *joiner, const struct message *message)
{
	const struct filter_rules *rules = joiner->calls.rules;

	return !rules || filter_is_timely(rules, message);
}

static void describe(struct line_joiner *joiner, const struct message *message,
	struct unfinished *into)
{
	into->syslog = message->context->text == BINLOG_TEXT_SYSLOG;
	into->timely = is_timely(joiner, message);
	into->head.length = into->tail.length = 0;
	joiner->calls.describe(
		joiner->calls.closure, message, &into->head, &into->tail);
}

/* How much of the text is whole lines, if none ends before `from`. */
static size_t whole_lines(
	const struct render_buffer *text, size_t from, bool syslog)
{
	const char *newline;

	if (text->length == from)
		return syslog ? from : 0;
	if (syslog || text->data[text->length - 1] == '\n')
		return text->length;
	newline = memrchr(text->data + from, '\n', text->length - from);
	return newline ? (size_t)(newline + 1 - text->data) : 0;
}

static void put_text(struct line_joiner *joiner, const struct message *message,
	struct render_buffer *text)
{
	size_t start;

	if (joiner->calls.prepare)
		joiner->calls.prepare(joiner->calls.closure, message, text);
	start = text->length;
	message_text(message, text);
	if (joiner->calls.bare)
		message_strip_prefix(message, text, start);
}

/* Keeps the text of the message but for its first `done` bytes. */
static void keep_rest(
	struct line_joiner *joiner, const struct message *message, size_t done)
{
	const struct render_buffer *text = &joiner->scratch;
	struct unfinished *rest = find_or_make(joiner, message);

	if (!rest)
		return;
	if (!rest->busy) {
		describe(joiner, message, rest);
		rest->busy = true;
		rest->chosen = false;
		joiner->busy++;
	}
	rest->chosen = rest->chosen || joiner->chosen;
	if (done < text->length)
		render_buffer_put(
			&rest->text, text->data + done, text->length - done);
	joiner->bytes += text->length - done;
	rest->partial = message->partial;
}

/* There is nothing yet that this message could continue. */
static void add_first(struct line_joiner *joiner, const struct message *message)
{
	struct render_buffer *text = &joiner->scratch;
	bool syslog = message->context->text == BINLOG_TEXT_SYSLOG;
	size_t whole, bytes;

	text->length = 0;
	put_text(joiner, message, text);
	whole = message->partial ? 0 : whole_lines(text, 0, syslog);
	bytes = without_end(text->data, whole, syslog);
	if ((whole > 0 || (syslog && !message->partial)) &&
		is_asked_for(joiner,
			joiner->chosen && is_timely(joiner, message),
			text->data, bytes))
		joiner->calls.whole(
			joiner->calls.closure, message, text->data, bytes);
	if (whole < text->length || message->partial)
		keep_rest(joiner, message, whole);
}

static void add_more(struct line_joiner *joiner, const struct message *message,
	struct unfinished *old)
{
	size_t before = old->text.length;
	size_t from = old->partial ? 0 : before;
	size_t whole;

	if (joiner->calls.more)
		joiner->calls.more(joiner->calls.closure, message, &old->tail);
	put_text(joiner, message, &old->text);
	joiner->bytes += old->text.length - before;
	old->partial = message->partial;
	old->chosen = old->chosen || joiner->chosen;
	if (message->partial)
		return;
	whole = whole_lines(&old->text, from, old->syslog);
	if (whole == 0 && !old->syslog)
		return;
	give_out(joiner, old, whole);
	if (whole == old->text.length) {
		forget(joiner, old);
		return;
	}
	joiner->bytes -= whole;
	old->text.length -= whole;
	memmove(old->text.data, old->text.data + whole, old->text.length);
	old->chosen = joiner->chosen;
	describe(joiner, message, old);
}

void line_joiner_add(struct line_joiner *joiner, const struct message *message)
{
	struct unfinished *old =
		joiner->busy > 0 ? find(joiner, message) : NULL;
	const struct filter_rules *rules = joiner->calls.rules;

	if (rules && !(old && old->busy) && filter_passes_over(rules, message))
		return;
	joiner->chosen = !rules || filter_chooses(rules, message);
	if (old && old->busy)
		add_more(joiner, message, old);
	else
		add_first(joiner, message);
	if (joiner->bytes > limits_size(LIMIT_OPEN_LINE_BYTES))
		empty_early(joiner, message);
}

bool line_joiner_is_same(const struct definition_stream *one,
	const struct definition_stream *other)
{
	struct key first = key_on(one);
	struct key second = key_on(other);

	return memcmp(&first, &second, sizeof(first)) == 0;
}

bool line_joiner_awaits(const struct line_joiner *joiner,
	const struct definition_stream *stream)
{
	struct key key = key_on(stream);
	size_t i;

	for (i = 0; joiner->busy > 0 && i < joiner->count; i++) {
		const struct unfinished *old = joiner->all[i];

		if (old->busy && old->key.fd == key.fd &&
			old->key.device == key.device &&
			old->key.inode == key.inode)
			return true;
	}
	return false;
}

void line_joiner_end_process(
	struct line_joiner *joiner, const struct message *message)
{
	size_t i;

	for (i = 0; joiner->busy > 0 && i < joiner->count; i++)
		if (joiner->all[i]->key.program == message->program)
			give_out_all(joiner, joiner->all[i]);
}

void line_joiner_end(struct line_joiner *joiner)
{
	empty(joiner);
	free(joiner->all);
	render_buffer_free(&joiner->scratch);
	free(joiner);
}
