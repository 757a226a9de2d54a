#include "decoder/line_joiner.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/id_map.h"
#include "record/layout.h"

/* More than this is given out as it is. */
#define UNFINISHED_MAX 4096u
#define UNFINISHED_BYTES_MAX ((size_t)1 << 24)

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
	struct render_buffer head;
	struct render_buffer tail;
	struct render_buffer text;
};

struct line_joiner {
	struct line_joiner_calls calls;
	struct id_map map;	 /* of hashes of keys */
	struct unfinished **all; /* in the order in which they were made */
	size_t count;
	size_t busy;
	size_t bytes;		   /* of text in all of them */
	struct unfinished scratch; /* for what is whole at once */
};

struct line_joiner *line_joiner_new(const struct line_joiner_calls *calls)
{
	struct line_joiner *joiner = calloc(1, sizeof(*joiner));

	if (!joiner)
		return NULL;
	joiner->calls = *calls;
	joiner->all = calloc(UNFINISHED_MAX, sizeof(struct unfinished *));
	if (joiner->all)
		return joiner;
	free(joiner);
	return NULL;
}

static struct key key_of(const struct message *message)
{
	const struct definition_stream *stream = message->context->stream;
	struct key key;

	memset(&key, 0, sizeof(key));
	key.program = message->program;
	key.tid = message->tid;
	if (stream) {
		key.fd = stream->fd;
		key.device = stream->device;
		key.inode = stream->inode;
	}
	return key;
}

static uint32_t hash_of(const struct key *key)
{
	size_t hash = id_map_hash(key->tid) ^ (size_t)key->program;

	hash = id_map_hash((uint32_t)(hash ^ hash >> 32) ^ (uint32_t)key->fd);
	return (uint32_t)id_map_hash((uint32_t)(hash ^ key->inode));
}

/* The first `bytes` of the text, less the newline at their end. */
static void give_out(
	struct line_joiner *joiner, struct unfinished *from, size_t bytes)
{
	struct line_joiner_lines lines = {
		.head = from->head.data,
		.head_bytes = from->head.length,
		.tail = from->tail.data,
		.tail_bytes = from->tail.length,
		.text = from->text.data,
		.bytes = bytes,
	};

	if (from->syslog)
		while (lines.bytes > 0 &&
			(lines.text[lines.bytes - 1] == '\n' ||
				lines.text[lines.bytes - 1] == '\0'))
			lines.bytes--;
	else if (bytes > 0 && lines.text[bytes - 1] == '\n')
		lines.bytes--;
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
	id_map_free(&joiner->map);
}

static struct unfinished *find(
	struct line_joiner *joiner, const struct message *message)
{
	struct key key = key_of(message);
	struct unfinished *found = id_map_find(&joiner->map, hash_of(&key));

	if (!found)
		return NULL;
	if (memcmp(&found->key, &key, sizeof(key)) != 0) {
		give_out_all(joiner, found);
		found->key = key;
	}
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
	if (joiner->count == UNFINISHED_MAX)
		empty(joiner);
	made = calloc(1, sizeof(*made));
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

static void describe(struct line_joiner *joiner, const struct message *message,
	struct unfinished *into)
{
	into->syslog = message->context->text == BINLOG_TEXT_SYSLOG;
	into->head.length = into->tail.length = 0;
	joiner->calls.describe(
		joiner->calls.closure, message, &into->head, &into->tail);
}

/* How much of the text is whole lines. */
static size_t whole_lines(const struct unfinished *from)
{
	const char *newline =
		from->text.length == 0
			? NULL
			: memrchr(from->text.data, '\n', from->text.length);

	if (from->syslog)
		return from->text.length;
	return newline ? (size_t)(newline + 1 - from->text.data) : 0;
}

/* Keeps what comes after the first `done` bytes of `from`. */
static void keep_rest(struct line_joiner *joiner, const struct message *message,
	const struct unfinished *from, size_t done)
{
	struct unfinished *rest = find_or_make(joiner, message);

	if (!rest)
		return;
	if (!rest->busy) {
		describe(joiner, message, rest);
		rest->busy = true;
		joiner->busy++;
	}
	render_buffer_put(
		&rest->text, from->text.data + done, from->text.length - done);
	joiner->bytes += from->text.length - done;
	rest->partial = message->partial;
}

/* There is nothing yet that this message could continue. */
static void add_first(struct line_joiner *joiner, const struct message *message)
{
	struct unfinished *scratch = &joiner->scratch;
	size_t whole;

	scratch->syslog = message->context->text == BINLOG_TEXT_SYSLOG;
	whole = message->partial ? 0 : whole_lines(scratch);
	if (whole > 0 || (scratch->syslog && !message->partial)) {
		describe(joiner, message, scratch);
		give_out(joiner, scratch, whole);
	}
	if (whole < scratch->text.length || message->partial)
		keep_rest(joiner, message, scratch, whole);
}

static void add_more(struct line_joiner *joiner, const struct message *message,
	struct unfinished *old)
{
	const struct render_buffer *more = &joiner->scratch.text;
	size_t whole;

	render_buffer_put(&old->text, more->data, more->length);
	joiner->bytes += more->length;
	old->partial = message->partial;
	whole = whole_lines(old);
	if (message->partial || (whole == 0 && !old->syslog))
		return;
	give_out(joiner, old, whole);
	if (whole == old->text.length) {
		forget(joiner, old);
		return;
	}
	joiner->bytes -= whole;
	old->text.length -= whole;
	memmove(old->text.data, old->text.data + whole, old->text.length);
	describe(joiner, message, old);
}

void line_joiner_add(struct line_joiner *joiner, const struct message *message)
{
	struct unfinished *old =
		joiner->busy > 0 ? find(joiner, message) : NULL;

	joiner->scratch.text.length = 0;
	if (joiner->calls.prepare)
		joiner->calls.prepare(
			joiner->calls.closure, message, &joiner->scratch.text);
	message_text(message, &joiner->scratch.text);
	if (old && old->busy)
		add_more(joiner, message, old);
	else
		add_first(joiner, message);
	if (joiner->bytes > UNFINISHED_BYTES_MAX)
		empty(joiner);
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
	render_buffer_free(&joiner->scratch.head);
	render_buffer_free(&joiner->scratch.tail);
	render_buffer_free(&joiner->scratch.text);
	free(joiner);
}
