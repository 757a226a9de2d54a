#include "shim/bytes.h"
#include "shim/capture_slow.h"
#include "shim/terminal.h"

bool capture_event(
	const struct call *call, unsigned stream, unsigned text, int64_t value)
{
	struct writer *w = writer_enter(call->sp);
	uint32_t tag = memo_tag(call, stream, text);
	const struct memo *memo;
	uint64_t ticks;
	bool done = false;

	if (text == BINLOG_TEXT_FLUSH || text == BINLOG_TEXT_EXIT)
		terminal_flushed(stream);
	if (unlikely(!w))
		return false;
	memo = memo_find(writer_memo_set(w, call, 0, tag), call, 0, tag);
	if (!memo)
		memo = capture_meet_number(
			w, call, stream, text, BINLOG_ARG_I64);
	if (memo && writer_begin(w, 16, &ticks)) {
		*(uint32_t *)(w->cursor + 4) = (uint32_t)ticks;
		bytes_copy(w->cursor + 8, &value, sizeof(value));
		writer_commit(w, w->cursor + 16, memo->context);
		done = true;
	}
	writer_leave(w);
	return done;
}

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
		memo = capture_meet_kinds(
			w, call, stream, BINLOG_TEXT_BYTES_AT, kinds, 2);
	if (!memo || !writer_begin(w, 20 + padded, &ticks))
		return false;
	to = w->cursor;
	*(uint32_t *)(to + 4) = (uint32_t)ticks;
	bytes_copy(to + 8, &offset, sizeof(offset));
	*(uint32_t *)(to + 16) = size;
	if (padded)
		*(uint32_t *)(to + 16 + padded) = 0;
	bytes_copy(to + 20, bytes, size);
	writer_commit(w, to + 20 + padded, memo->context);
	return true;
}

size_t capture_bytes_at(const struct call *call, unsigned stream,
	int64_t offset, const void *bytes, size_t size)
{
	struct writer *w = writer_enter(call->sp);
	size_t done = 0;

	if (unlikely(!w))
		return 0;
	while (done < size) {
		size_t part = size - done < CAPTURE_CHUNK ? size - done
							  : CAPTURE_CHUNK;

		if (!put_at(w, call, stream, offset + (int64_t)done,
			    (const char *)bytes + done, (uint32_t)part))
			break;
		done += part;
	}
	writer_leave(w);
	return done;
}
