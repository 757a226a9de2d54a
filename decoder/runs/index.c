#include "decoder/runs/index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/literal.h"
#include "base/pool.h"
#include "symbolizer/symbolizer.h"

struct statement {
	const char *file; /* null: unknown */
	unsigned line;
	unsigned column;
	uint64_t address;
	uint64_t next;	      /* 0: not known */
	const char *function; /* that it is in; null: unknown */
	const char *call;     /* that it calls; null: unknown, at: */
	uint64_t target;
	const char *texts; /* as they are shown */
};

struct index {
	struct symbolizer_module module;
	const char *name; /* last part of its path */
	struct statement *statements;
	size_t count;
	size_t room;
	struct pool pool;
	struct render_buffer scratch;
	bool failed; /* no memory */
	bool counts; /* messages, by these: */
	struct hits_call *hits;
	size_t hits_count;
	struct index_sum *sum;
	struct output *output;
	void (*take)(void *closure, const struct index_statement *statement);
	void *closure;
	/* Of the statement that is being resolved. */
	struct statement *now;
	bool placed;
};

static void put_escaped(struct render_buffer *out, const char *string)
{
	escape_put(out, string, strlen(string), ESCAPE_NEWLINE);
}

static void put_text(
	struct render_buffer *out, const struct symbolizer_text *text)
{
	if (text->translated)
		render_buffer_put_string(out, "_(");
	if (text->wide)
		literal_put_wide(out, text->bytes, text->count);
	else
		literal_put(out, text->bytes, text->count);
	if (text->translated)
		render_buffer_put_string(out, ")");
}

static const char *describe(
	struct index *index, const struct symbolizer_call *call)
{
	struct render_buffer *out = &index->scratch;
	const char *between = "";
	size_t i;

	out->length = 0;
	for (i = 0; i < call->text_count; i++) {
		render_buffer_put_string(out, between);
		put_text(out, &call->texts[i]);
		between = " | ";
	}
	if (call->more || call->text_count == 0) {
		render_buffer_put_string(out, between);
		render_buffer_put_string(out, "?");
	}
	return pool_copy(&index->pool, out->data, out->length);
}

static const char *copy(struct index *index, const char *string)
{
	return string ? pool_copy(&index->pool, string, strlen(string)) : NULL;
}

static void take_call(void *closure, const struct symbolizer_call *call)
{
	struct index *index = closure;
	const char *texts = describe(index, call);

	if (!texts || index->scratch.failed ||
		!array_reserve(
			index->statements, index->room, index->count + 1)) {
		index->failed = true;
		return;
	}
	index->statements[index->count++] = (struct statement){
		.address = call->address,
		.next = call->next,
		.call = copy(index, call->function),
		.target = call->target,
		.texts = texts,
	};
}

/* With _FORTIFY_SOURCE printf() is an inline function in bits/stdio2.h. */
static bool is_of_libc(const struct symbolizer_frame *frame)
{
	return frame->inlined && frame->file && strstr(frame->file, "/bits/");
}

static void take_frame(void *closure, const struct symbolizer_frame *frame)
{
	struct index *index = closure;
	struct statement *now = index->now;

	if (index->placed || is_of_libc(frame))
		return;
	index->placed = true;
	now->function = copy(index, frame->function);
	if (frame->line == 0)
		return;
	now->file = copy(index, frame->file);
	now->line = frame->line;
	now->column = frame->column;
}

/* The name of the function that is called: the outermost one there. */
static void take_target(void *closure, const struct symbolizer_frame *frame)
{
	struct index *index = closure;

	if (!frame->inlined)
		index->now->call = copy(index, frame->function);
}

static void place_all(struct index *index, struct symbolizer *symbolizer)
{
	const struct symbolizer_module *module = &index->module;
	uint64_t *addresses =
		reallocarray(NULL, index->count + 1, sizeof(*addresses));
	size_t i;

	for (i = 0; addresses && i < index->count; i++)
		addresses[i] = index->statements[i].address;
	if (addresses)
		symbolizer_expect(symbolizer, module, addresses, index->count);
	free(addresses);
	for (i = 0; i < index->count; i++) {
		index->now = &index->statements[i];
		index->placed = false;
		symbolizer_resolve(symbolizer, module, index->now->address,
			take_frame, index);
		if (!index->now->call)
			symbolizer_resolve(symbolizer, module,
				index->now->target, take_target, index);
	}
}

/* What has no place comes after what has one. */
static int compare(const void *left, const void *right)
{
	const struct statement *a = left;
	const struct statement *b = right;
	int order;

	if (!a->file != !b->file)
		return a->file ? -1 : 1;
	order = a->file ? strcmp(a->file, b->file) : 0;
	if (order != 0)
		return order;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	order = a->file ? strcmp(a->texts, b->texts) : 0;
	if (order != 0)
		return order;
	return a->address < b->address ? -1 : a->address > b->address;
}

/* Compilers copy code: the same statement may be at several addresses. */
static bool is_same(const struct statement *a, const struct statement *b)
{
	return a->file && b->file && strcmp(a->file, b->file) == 0 &&
	       a->line == b->line && a->column == b->column &&
	       a->target == b->target && strcmp(a->texts, b->texts) == 0;
}

static void put_number(struct render_buffer *out, const char *before,
	uint64_t number, bool hexadecimal)
{
	char digits[24];

	snprintf(digits, sizeof(digits), hexadecimal ? "%" PRIx64 : "%" PRIu64,
		number);
	render_buffer_put_string(out, before);
	render_buffer_put_string(out, digits);
}

static uint64_t messages_at(const struct index *index, uint64_t next)
{
	size_t low = 0;
	size_t high = index->hits_count;
	uint64_t count = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->hits[middle].next < next)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < index->hits_count && index->hits[low].next == next; low++)
		count += index->hits[low].count;
	return count;
}

/* Those that have returned there, and those that are known by their text. */
static uint64_t messages_of(
	const struct index *index, const struct statement *statement)
{
	uint64_t count = messages_at(index, statement->address + 1);

	if (statement->next)
		count += messages_at(index, statement->next);
	return count;
}

/* Of the copies of a statement together; false: there may be more. */
static bool count_copies(const struct index *index,
	const struct statement *statement, size_t copies, uint64_t *count)
{
	bool known = true;
	size_t i;

	*count = 0;
	for (i = 0; i < copies; i++) {
		known &= statement[i].next != 0;
		*count += messages_of(index, &statement[i]);
	}
	return known;
}

static void put_count(const struct index *index,
	const struct statement *statement, size_t copies,
	struct render_buffer *out)
{
	uint64_t count;
	bool known = count_copies(index, statement, copies, &count);
	char text[32];

	if (known || count > 0)
		snprintf(text, sizeof(text), "%8" PRIu64 " ", count);
	else
		snprintf(text, sizeof(text), "%8s ", "?");
	render_buffer_put_string(out, text);
	index->sum->statements++;
	index->sum->hits += count > 0;
	index->sum->unknown += count == 0 && !known;
}

/* One line for the first `count` of these. */
static void put_statement(const struct index *index,
	const struct statement *statement, size_t count)
{
	struct render_buffer *out = &index->output->text;
	size_t i;

	if (index->counts)
		put_count(index, statement, count, out);
	put_escaped(out, statement->file ? statement->file : index->name);
	if (statement->file)
		put_number(out, ":", statement->line, false);
	else
		put_number(out, "+0x", statement->address, true);
	render_buffer_put_string(out, ": ");
	put_escaped(out, statement->function ? statement->function : "?");
	for (i = 0; i < count; i++)
		put_number(out, i == 0 ? ": 0x" : ",0x", statement[i].address,
			true);
	render_buffer_put_string(out, " ");
	if (statement->call)
		put_escaped(out, statement->call);
	else
		put_number(out, "0x", statement->target, true);
	render_buffer_put_string(out, " ");
	render_buffer_put_string(out, statement->texts);
	render_buffer_put_string(out, "\n");
	output_settle(index->output);
}

static void tell_statement(const struct index *index,
	const struct statement *statement, size_t count)
{
	struct index_statement told = {
		.file = statement->file,
		.line = statement->line,
		.address = statement->address,
		.function = statement->function,
		.call = statement->call,
		.texts = statement->texts,
	};

	told.known = count_copies(index, statement, count, &told.count);
	index->take(index->closure, &told);
}

static void each(struct index *index,
	void (*take)(const struct index *index,
		const struct statement *statement, size_t count))
{
	const struct statement *at = index->statements;
	size_t left = index->count;
	size_t same;

	if (left > 0)
		qsort(index->statements, left, sizeof(*at), compare);
	for (; left > 0; at += same, left -= same) {
		for (same = 1; same < left && is_same(at, &at[same]); same++)
			;
		take(index, at, same);
	}
}

static void complain(struct render_buffer *complaint, const char *path,
	const char *why, const char *advice)
{
	put_escaped(complaint, path);
	render_buffer_put_string(complaint, ": no list of statements: ");
	render_buffer_put_string(complaint, why);
	render_buffer_put_string(complaint, ": ");
	render_buffer_put_string(complaint, advice);
	render_buffer_put_string(complaint, "\n");
}

/* Which of the statements have led to messages. */
static void count_messages(struct index *index, const struct hits *hits,
	const struct symbolizer_options *options,
	struct render_buffer *complaint)
{
	char *sentence;

	index->counts = true;
	index->hits = hits_calls(hits, index->module.path, options,
		&index->hits_count, &sentence);
	if (!index->hits)
		index->failed = true;
	if (sentence) {
		put_escaped(complaint, sentence);
		render_buffer_put_string(complaint, "\n");
	}
	free(sentence);
}

static void free_index(struct index *index)
{
	free(index->statements);
	free(index->hits);
	pool_free(&index->pool);
	render_buffer_free(&index->scratch);
}

bool index_put(const char *path, const struct symbolizer_options *options,
	const struct hits *hits, struct index_sum *sum, struct output *output,
	struct render_buffer *complaint)
{
	struct symbolizer *symbolizer = symbolizer_new(options);
	const char *slash = strrchr(path, '/');
	struct index index = {
		.module = {.path = path},
		.name = slash ? slash + 1 : path,
		.sum = sum,
		.output = output,
	};
	const char *why = symbolizer_calls(path, take_call, &index);

	if (!why && hits)
		count_messages(&index, hits, options, complaint);
	if (why)
		complain(complaint, path, why,
			"give an executable or a library");
	else if (index.failed || !symbolizer)
		complain(complaint, path, "out of memory", "free some");
	else
		place_all(&index, symbolizer);
	if (!why)
		each(&index, put_statement);
	symbolizer_free(symbolizer);
	free_index(&index);
	return !why && !index.failed;
}

/* Null, or why there is no list. */
static char *list_recorded(struct index *index,
	const struct symbolizer_options *options, const struct hits *hits,
	const struct program_module *module)
{
	struct symbolizer_program *program;
	const char *why = NULL;
	char *sentence;

	program = symbolizer_program_open(options, &index->module, &sentence);
	if (!program)
		return sentence ? sentence : strdup("out of memory");
	why = symbolizer_program_calls(program, take_call, index);
	if (why)
		sentence = strdup(why);
	symbolizer_program_close(program);
	index->hits = hits_calls_in(hits, module, &index->hits_count);
	if (!index->hits || index->failed) {
		free(sentence);
		sentence = strdup("out of memory");
	}
	return sentence;
}

char *index_each(const struct program_module *module, const char *path,
	const struct symbolizer_options *options, const struct hits *hits,
	void (*take)(void *closure, const struct index_statement *statement),
	void *closure)
{
	struct symbolizer *symbolizer = symbolizer_new(options);
	struct index index = {
		.module =
			{
				.path = path,
				.build_id = module->build_id_bytes > 0
						    ? module->build_id
						    : NULL,
				.build_id_bytes = module->build_id_bytes,
				.file_bytes = module->file_bytes,
				.content_hash = module->content_hash,
			},
		.take = take,
		.closure = closure,
	};
	char *why = symbolizer ? list_recorded(&index, options, hits, module)
			       : strdup("out of memory");

	if (!why) {
		place_all(&index, symbolizer);
		each(&index, tell_statement);
	}
	symbolizer_free(symbolizer);
	free_index(&index);
	return why;
}
