#include "shim/record/capture_slow.h"

#include "record/libc.h"
#include "rules/rule_redact.h"
#include "shim/host/bytes.h"
#include "shim/host/module.h"
#include "shim/host/sys.h"
#include "shim/record/redact.h"
#include "shim/record/terminal.h"
#include "shim/streams/streams.h"
#include "shim/writer/define.h"
#include "shim/writer/ownership.h"
#include "shim/writer/plan.h"

/* A constant text longer than this is recorded like any other bytes. */
#define CONSTANT_MAX 4096u
/* From so many contexts on, constant texts of a thread are recorded like any
 * other bytes: a table that is printed would define one for each entry. */
#define CONTEXTS_MANY 8192u
/* And from so many strings on, constant arguments are. */
#define STRINGS_MANY 8192u

/* First come, first served: two that took turns would miss every time. */
static void note_caller(struct writer *w, uintptr_t pc)
{
	struct memo_caller *caller = &w->callers[memo_caller_slot(pc)];

	if (caller->pc || !w->trace->caller_offset)
		return;
	caller->offset = w->trace->caller_offset;
	caller->by_fp = w->trace->caller_by_fp;
	SIGNAL_FENCE();
	caller->pc = pc;
}

static void unwind(struct writer *w, const struct call *call)
{
	unsigned depth = w->depth ? w->depth : control_depth(process.depth);
	unsigned now = define_depth(w, depth);

	define_walk(w, call, now);
	if (unlikely(now < depth))
		w->trace->repeatable = false; /* it is another the next time */
	note_caller(w, call->pc);
}

/* Of calls that take turns and are more than there is room for one in so many
 * takes another's place: if all did, none would be there when it comes again. */
#define MEMO_YIELDS 8u

/* Where to remember a call whose stack is in w->trace.  `known`: it is defined,
 * so it was remembered, and is gone; what never comes back needs no larger
 * table. */
static struct memo *make_room(struct writer *w, const struct call *call,
	uintptr_t key, uint32_t tag, bool known)
{
	struct memo *set = writer_memo_room(w, call, key, tag);

	if (!w->trace->repeatable || w->trace->words > MEMO_WORDS)
		return &w->spare;
	if (!memo_is_full(set))
		return memo_replace(set);
	if (++w->memo_losses > w->memo_sets && w->memo_sets < MEMO_SETS_MAX &&
		(known || w->memo_sets < MEMO_SETS_LARGE)) {
		writer_grow_memo(w);
		set = writer_memo_room(w, call, key, tag);
	} else if (known && w->memo_losses % MEMO_YIELDS != 0) {
		return &w->spare;
	}
	return memo_replace(set);
}

static struct memo *remember(struct writer *w, const struct call *call,
	uintptr_t key, const struct define_context *context,
	const struct plan *plan, uint32_t length)
{
	uint32_t tag = memo_tag(call, context->stream, context->text);
	uint32_t contexts = define_contexts(w->tables);
	uint32_t id = define_context(w, call, context);
	struct memo *memo;

	if (!id)
		return NULL;
	memo = make_room(w, call, key, tag,
		define_contexts(w->tables) == contexts);
	/* The entry counts from the moment that it has a pc: a handler may
	 * jump out of here and leave it half filled. */
	memo->pc = 0;
	SIGNAL_FENCE();
	memo->key = key;
	memo->place = call->sp - sizeof(uintptr_t);
	memo->fp = call->fp;
	memo->stream = context->stream;
	memo->plan = plan;
	memo->context = id;
	memo->tag = tag;
	memo->length = length;
	memo->version = 0;
	memo->macros_context = 0;
	memo->needs_fp = w->trace->needs_fp;
	memo->special = w->special;
	memo_set_words(
		memo, w->trace->word, memo == &w->spare ? 0 : w->trace->words);
	memo_prepare(memo, &w->spare);
	SIGNAL_FENCE();
	memo->pc = call->pc;
	return memo;
}

static unsigned prefix_kinds(const struct capture_text *how, uint8_t *kinds)
{
	for (unsigned i = 0; i < how->prefixes; i++)
		kinds[i] = how->prefix[i].kind;
	return how->prefixes;
}

#define KINDS_MAX (CAPTURE_PREFIX_MAX + FORMAT_ARGUMENTS_MAX + 1)

static struct memo *remember_format(struct writer *w, const struct call *call,
	const struct capture_text *how, uintptr_t key, uint32_t format,
	const struct plan *plan)
{
	uint8_t kinds[KINDS_MAX];
	struct define_context context = {
		.text = how->text,
		.stream = how->stream,
		.format = format,
		.kinds = kinds,
	};

	context.kinds_count = prefix_kinds(how, kinds);
	context.kinds_count += plan_kinds(plan, kinds + context.kinds_count);
	return remember(w, call, key, &context, plan, 0);
}

struct memo *capture_first_redacted(struct writer *w, const struct call *call,
	const struct capture_text *how, const struct redaction *redaction)
{
	struct intern_entry *string =
		define_string(w, redaction->format, redaction->length);
	uint8_t kinds[KINDS_MAX];
	struct define_context context = {
		.text = how->text,
		.stream = how->stream,
		.format = string ? string->id : 0,
		.kinds = kinds,
		.kinds_count = prefix_kinds(how, kinds),
	};

	if (!string)
		return NULL;
	bytes_copy(kinds + context.kinds_count, redaction->kinds,
		redaction->kinds_count);
	context.kinds_count += redaction->kinds_count;
	unwind(w, call);
	return remember(w, call, (uintptr_t)redaction->format, &context,
		redaction->plan, 0);
}

static void note_constant(
	struct writer *w, struct plan_argument *argument, const char *s)
{
	struct intern_entry *string;
	size_t length;

	if (argument->precision != FORMAT_NONE || s == argument->constant ||
		define_strings(w->tables) >= STRINGS_MANY ||
		!module_is_constant(s, 1))
		return;
	length = bytes_length_limited(s, CONSTANT_MAX);
	if (length == CONSTANT_MAX || !module_is_constant(s, length + 1))
		return;
	string = define_string(w, s, (uint32_t)length);
	if (!string)
		return;
	argument->constant = NULL;
	SIGNAL_FENCE();
	argument->constant_id = string->id;
	argument->constant_bytes = (uint32_t)length;
	SIGNAL_FENCE();
	argument->constant = s;
}

/* Defines the string arguments that are constant, to name them by their id. */
static void note_constants(
	struct writer *w, struct plan *plan, va_list arguments)
{
	va_list copy;
	bool limited = false; /* by a ".*" */

	va_copy(copy, arguments);
	for (unsigned i = 0; i < plan->count; i++) {
		struct plan_argument *argument = &plan->argument[i];

		if (argument->kind == BINLOG_ARG_I32)
			(void)va_arg(copy, int);
		else if (argument->kind == BINLOG_ARG_F64)
			(void)va_arg(copy, double);
		else if (argument->kind == BINLOG_ARG_LONG_DOUBLE)
			(void)va_arg(copy, long double);
		else if (argument->kind != BINLOG_ARG_STRING || limited)
			(void)va_arg(copy, void *);
		else
			note_constant(w, argument, va_arg(copy, const char *));
		limited = argument->measure == MEASURE_PRECISION;
	}
	va_end(copy);
}

/* A format that is too long to be defined in full is not read by its id. */
static struct plan *make_plan(const char *format, uint32_t length)
{
	struct plan *plan = plan_make(format, length);

	if (plan && length > DEFINE_STRING_MAX) {
		plan->at_once = true;
		plan->plain = false;
	}
	return plan;
}

/* The format's definition and plan; false: there is no room for them. */
static bool define_format(struct writer *w, const char *format, uint32_t length,
	struct writer_format *met)
{
	struct intern_entry *string = define_string(w, format, length);

	if (string && !string->plan)
		string->plan = make_plan(format, length);
	if (!string || !string->plan)
		return false;
	met->plan = string->plan;
	met->id = string->id;
	return true;
}

/* For the next time that it is met, at another place or with another stack. */
static void keep_near(struct writer_format *near, const char *format,
	const struct writer_format *met)
{
	near->format = NULL;
	SIGNAL_FENCE();
	near->plan = met->plan;
	near->id = met->id;
	SIGNAL_FENCE();
	near->format = format;
}

static bool is_made(struct writer *w, const struct call *call,
	const char *format, size_t length)
{
	if (writer_is_made(w, call->sp, format))
		return true;
	if (module_is_constant(format, length + 1))
		return false;
	w->made_page = (uintptr_t)format / SYS_PAGE;
	return true;
}

/*
 * A format that the program has made.  Without directives it is text like any
 * other.  Whether it is known is asked of a small table before the large one of
 * memos, which those that never repeat would look for in vain.  False: it is
 * not to be defined.
 */
static bool first_made(struct writer *w, const struct capture_text *how,
	const char *format, size_t length, uintptr_t *key)
{
	bool directs = bytes_have(format, length, '%');
	uint64_t hash;

	if (directs && format != w->refused) {
		hash = binlog_hash(format, length);
		*key = hash | CAPTURE_KEY_OF_CONTENT;
		if (define_may_make(w, hash))
			return true;
	}
	w->refused = NULL;
	w->has_secret =
		directs && !w->decided && redact_is_copy(how->stream) &&
		rule_redact_usual(format, length, RULE_USUAL_COPIES) != 0;
	if (!w->has_secret)
		w->fleeting = directs ? FLEETING_MADE : FLEETING_PLAIN;
	return false;
}

struct memo *capture_first_format(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments)
{
	static const struct plan nothing = {.measured = true};
	uint32_t tag = memo_tag(call, how->stream, how->text);
	struct writer_format *near = writer_format_at(w, format);
	struct writer_format met = *near;
	uintptr_t key = (uintptr_t)format;
	struct memo *memo;
	size_t length;

	if (!format) {
		unwind(w, call);
		return remember_format(w, call, how, 0, 0, &nothing);
	}
	if (met.format != format) {
		length = bytes_length(format);
		if (length > INT_MAX)
			return NULL;
		if (!how->permanent && is_made(w, call, format, length)) {
			if (!first_made(w, how, format, length, &key))
				return NULL;
			memo = writer_memo(w, call, key, tag);
			if (memo)
				return memo;
		}
		if (!define_format(w, format, (uint32_t)length, &met))
			return NULL;
		if (key == (uintptr_t)format)
			keep_near(near, format, &met);
	}
	if (unlikely(met.plan->has_secret) && !w->decided &&
		redact_is_copy(how->stream)) {
		w->has_secret = true;
		return NULL;
	}
	if (!met.plan->at_once && met.plan->has_string)
		note_constants(w, met.plan, arguments);
	unwind(w, call);
	return remember_format(w, call, how, key, met.id, met.plan);
}

static struct memo *first_constant(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, const void *bytes, uint32_t size)
{
	struct define_context context = {
		.text = CAPTURE_CONSTANT(text), .stream = stream};
	struct intern_entry *string = define_string(w, bytes, size);

	if (!string)
		return NULL;
	context.format = string->id;
	unwind(w, call);
	return remember(w, call, (uintptr_t)bytes, &context, NULL, size);
}

struct memo *capture_first_bytes(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, const void *bytes, size_t size)
{
	static const uint8_t kind = BINLOG_ARG_STRING;
	const struct define_context context = {.text = text,
		.stream = stream,
		.kinds = &kind,
		.kinds_count = 1};

	if (text != BINLOG_TEXT_CHARACTERS && size > 0 &&
		size <= CONSTANT_MAX &&
		define_contexts(w->tables) < CONTEXTS_MANY &&
		module_is_constant(bytes, size))
		return first_constant(
			w, call, stream, text, bytes, (uint32_t)size);
	unwind(w, call);
	return remember(w, call, 0, &context, NULL, 0);
}

struct memo *capture_first_text(struct writer *w, const struct call *call,
	unsigned stream, uint32_t shown)
{
	static const uint8_t kind = BINLOG_ARG_STRING;
	const struct define_context context = {.text = BINLOG_TEXT_BYTES,
		.stream = stream,
		.format = shown,
		.kinds = &kind,
		.kinds_count = 1};

	unwind(w, call);
	return remember(w, call, shown, &context, NULL, 0);
}

struct memo *capture_first_kinds(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, const uint8_t *kinds, unsigned count)
{
	const struct define_context context = {
		.text = text,
		.stream = stream,
		.kinds = kinds,
		.kinds_count = count,
	};

	unwind(w, call);
	return remember(w, call, 0, &context, NULL, 0);
}

struct memo *capture_first_number(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, uint8_t kind)
{
	return capture_first_kinds(w, call, stream, text, &kind, 1);
}

/* A text in pieces; `done` bytes of the first one are taken. */
struct pieces {
	const struct iovec *v;
	size_t done;
};

/* The next bytes, `most` of them or less, of one piece. */
static const char *take(struct pieces *from, size_t most, size_t *taken)
{
	const char *at;

	while (from->done == from->v->iov_len) {
		from->v++;
		from->done = 0;
	}
	at = (const char *)from->v->iov_base + from->done;
	*taken = from->v->iov_len - from->done;
	if (*taken > most)
		*taken = most;
	from->done += *taken;
	return at;
}

/* `said` of the bytes reach the file. */
static bool write_chunk(struct writer *w, unsigned stream, uint32_t context,
	struct pieces *bytes, uint32_t size, size_t said)
{
	uint32_t padded = (size + 3) & ~3u;
	uint64_t ticks;
	size_t part;
	char *to;

	if (!writer_begin(w, 12 + padded, &ticks))
		return false;
	*(uint32_t *)(w->cursor + 4) = (uint32_t)ticks;
	*(uint32_t *)(w->cursor + 8) = size;
	if (padded)
		*(uint32_t *)(w->cursor + 8 + padded) = 0;
	to = w->cursor + 12;
	for (size_t rest = size; rest > 0; rest -= part, to += part) {
		const char *at = take(bytes, rest, &part);

		bytes_copy(to, at, part);
	}
	writer_commit(w, w->cursor + 12 + padded, context);
	writer_said(w, stream, said);
	return true;
}

/*
 * Of the end of a text: a FILE whose buffer is not filled by it takes nothing
 * of a call that fails, and where it is filled only the replay knows.
 */
static size_t said_of(
	const struct capture_formatted *formatted, unsigned stream, size_t size)
{
	if (!formatted->failed)
		return size;
	return streams[stream].buffering == BINLOG_BUFFER_FULL
		       ? 0
		       : libc_handed_on(size, LIBC_STAGE);
}

static bool write_all(int fd, const char *at, size_t size)
{
	while (size > 0) {
		long n = SYS3(write, fd, at, size);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

static bool write_pieces(int fd, struct pieces *from, size_t size)
{
	size_t part;

	for (; size > 0; size -= part) {
		const char *at = take(from, size, &part);

		if (!write_all(fd, at, part))
			return false;
	}
	return true;
}

/*
 * The room has run out in the middle of a text: what is left goes to where it
 * would have gone, but not what is recorded already.
 */
static void write_rest(const struct stream *stream, unsigned text,
	struct pieces *from, size_t size)
{
	size_t newline = text == BINLOG_TEXT_BYTES_LINE;

	if (stream->tee || (write_pieces(stream->fd, from, size) &&
				   write_all(stream->fd, "\n", newline)))
		writer_count_passed();
	else
		writer_count_dropped();
}

static void show(unsigned stream, const struct iovec *v, size_t size, bool line)
{
	size_t part;

	do {
		part = v->iov_len < size ? v->iov_len : size;
		size -= part;
		terminal_bytes(stream, v->iov_base, part, line && size == 0);
		v++;
	} while (size > 0);
}

/* Of all pieces but the last one, if there are others, and of that. */
static bool define_pieces(struct writer *w, const struct call *call,
	struct define_context *context, unsigned text, bool several,
	uint32_t contexts[2])
{
	const uint16_t flags = context->flags;

	unwind(w, call);
	contexts[0] = 0;
	if (several) {
		context->text = BINLOG_TEXT_BYTES;
		context->flags = flags | BINLOG_CONTEXT_PARTIAL;
		contexts[0] = define_context(w, call, context);
	}
	context->text = text;
	context->flags = flags;
	contexts[1] = define_context(w, call, context);
	return contexts[1] && (contexts[0] || !several);
}

bool capture_chunks_of(struct writer *w, const struct call *call,
	unsigned stream, unsigned text,
	const struct capture_formatted *formatted, const struct iovec *v,
	size_t size)
{
	static const uint8_t kind = BINLOG_ARG_STRING;
	struct define_context context = {
		.flags = formatted->failed ? BINLOG_CONTEXT_FAILED : 0,
		.stream = stream,
		.format = formatted->format,
		.kinds = &kind,
		.kinds_count = 1};
	struct pieces from = {v, 0};
	size_t whole = said_of(formatted, stream, size), all = size;
	uint32_t contexts[2];

	if (!define_pieces(
		    w, call, &context, text, size > CAPTURE_CHUNK, contexts))
		return false;
	for (; size > CAPTURE_CHUNK; size -= CAPTURE_CHUNK) {
		/* It may have no room in one capture; but what it was made of
		 * is named in the first. */
		if (unlikely(ownership_follows(w)) &&
			(context.format = 0,
				!define_pieces(w, call, &context, text, true,
					contexts)))
			break;
		if (!write_chunk(w, stream, contexts[0], &from, CAPTURE_CHUNK,
			    CAPTURE_CHUNK))
			break;
	}
	if (size <= CAPTURE_CHUNK &&
		write_chunk(w, stream, contexts[1], &from, (uint32_t)size,
			said_of(formatted, stream, size))) {
		if (streams_replaces_terminal(stream))
			show(stream, v, whole, text == BINLOG_TEXT_BYTES_LINE);
		return true;
	}
	if (size == all)
		return false;
	write_rest(&streams[stream], text, &from, size);
	return true;
}

bool capture_chunks(struct writer *w, const struct call *call, unsigned stream,
	unsigned text, const struct capture_formatted *formatted,
	const void *bytes, size_t size)
{
	const struct iovec all = {(void *)(uintptr_t)bytes, size};

	return capture_chunks_of(w, call, stream, text, formatted, &all, size);
}
