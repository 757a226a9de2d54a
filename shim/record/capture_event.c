#include "shim/host/bytes.h"
#include "shim/record/capture_slow.h"
#include "shim/record/redact.h"
#include "shim/record/site.h"
#include "shim/record/terminal.h"
#include "shim/writer/define.h"

/* The context of an event that comes once: not remembered, which would touch
 * pages of the memos at the end of each process. */
static uint32_t context_once(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, const uint8_t *kind)
{
	const struct unwind_start start = {call->pc, call->sp, call->fp};
	const struct define_context context = {
		.text = text,
		.stream = stream,
		.kinds = kind,
		.kinds_count = 1,
	};

	unwind_walk(&start, control_depth(process.depth), w->unwind_cache,
		w->trace);
	return define_context(w, call, &context);
}

/* 0: it could not be defined. */
static uint32_t context_of(struct writer *w, const struct call *call,
	unsigned stream, unsigned text)
{
	static const uint8_t kind = BINLOG_ARG_I64;
	uint32_t tag = memo_tag(call, stream, text);
	const struct memo *memo;

	if (text == BINLOG_TEXT_EXIT || text == BINLOG_TEXT_UNSEEN)
		return context_once(w, call, stream, text, &kind);
	memo = memo_find(writer_memo_set(w, call, 0, tag), call, 0, tag);
	if (!memo)
		memo = capture_first_number(w, call, stream, text, kind);
	return memo ? memo->context : 0;
}

bool capture_event_inside(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, int64_t value)
{
	uint32_t context = context_of(w, call, stream, text);
	uint64_t ticks;

	if (!context || !writer_begin(w, 16, &ticks))
		return false;
	*(uint32_t *)(w->cursor + 4) = (uint32_t)ticks;
	bytes_copy(w->cursor + 8, &value, sizeof(value));
	writer_commit(w, w->cursor + 16, context);
	return true;
}

bool capture_event(
	const struct call *call, unsigned stream, unsigned text, int64_t value)
{
	struct writer *w = writer_enter(call->sp);
	bool done;

	if (text == BINLOG_TEXT_FLUSH || text == BINLOG_TEXT_EXIT)
		terminal_flushed(stream);
	if (unlikely(!w))
		return false;
	done = capture_event_inside(w, call, stream, text, value);
	writer_leave(w);
	return done;
}

/* At least one byte. */
static bool put_at(struct writer *w, const struct call *call, unsigned stream,
	int64_t offset, const void *bytes, uint32_t size)
{
	static const uint8_t kinds[] = {BINLOG_ARG_I64, BINLOG_ARG_STRING};
	uint32_t tag = memo_tag(call, stream, BINLOG_TEXT_BYTES_AT);
	uint32_t padded = (size + 3) & ~3u;
	const struct memo *memo =
		memo_find(writer_memo_set(w, call, 0, tag), call, 0, tag);
	uint64_t ticks;
	char *to;

	if (!memo)
		memo = capture_first_kinds(
			w, call, stream, BINLOG_TEXT_BYTES_AT, kinds, 2);
	if (!memo || !writer_begin(w, 20 + padded, &ticks))
		return false;
	to = w->cursor;
	*(uint32_t *)(to + 4) = (uint32_t)ticks;
	bytes_copy(to + 8, &offset, sizeof(offset));
	*(uint32_t *)(to + 16) = size;
	*(uint32_t *)(to + 16 + padded) = 0;
	bytes_copy(to + 20, bytes, size);
	writer_commit(w, to + 20 + padded, memo->context);
	return true;
}

static size_t put_all_at(struct writer *w, const struct call *call,
	unsigned stream, int64_t offset, const void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t part = size - done < CAPTURE_CHUNK ? size - done
							  : CAPTURE_CHUNK;

		if (!put_at(w, call, stream, offset + (int64_t)done,
			    (const char *)bytes + done, (uint32_t)part))
			break;
		done += part;
	}
	return done;
}

/* By rules; of bytes that are left out, as many are recorded as were there. */
static size_t put_as_asked(struct writer *w, const struct call *call,
	unsigned stream, int64_t offset, const void *bytes, size_t size)
{
	char text[REDACT_TEXT];

	switch (site_ask(w, call, stream)) {
	case SITE_RECORD:
		return put_all_at(w, call, stream, offset, bytes, size);
	case SITE_HIDE:
		redact_text(text, bytes, size);
		return put_all_at(w, call, stream, offset, text,
			       bytes_length(text)) > 0
			       ? size
			       : 0;
	case SITE_DROP:
		return size;
	default:
		return 0;
	}
}

size_t capture_bytes_at(const struct call *call, unsigned stream,
	int64_t offset, const void *bytes, size_t size)
{
	struct writer *w = writer_enter(call->sp);
	size_t done;

	if (unlikely(!w))
		return 0;
	done = unlikely(control_is_deciding())
		       ? put_as_asked(w, call, stream, offset, bytes, size)
		       : put_all_at(w, call, stream, offset, bytes, size);
	writer_leave(w);
	return done;
}
