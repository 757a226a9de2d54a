/*
 * Where fast_x86_64.S goes on in C with functions that print bytes: the memo is
 * found and the writer is ours.  The same as
 * fast_record_bytes() and fast_record_constant() of fast.h, but without a call
 * on the way, so that no register has to be saved.  Returns to the caller of
 * the function, or begins from the beginning.
 */
#include "shim/stdio/fast.h"

#if FAST_CODE
/* Longer ones begin from the beginning. */
#define BYTES_MAX 256u
#define NOT_HERE SIZE_MAX
#define INLINE static inline __attribute__((always_inline))

/* Room for `bytes`, less than WRITER_MARGIN, and time; null: not here. */
INLINE char *begin(struct writer *w)
{
	char *to = w->cursor;
	uint32_t low, high;

	if (unlikely(to > w->limit))
		return NULL;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	*(uint32_t *)(to + 4) = low;
	return likely(high == w->epoch && *w->core_now == w->core) ? to + 8
								   : NULL;
}

/* False: others have written to the stream, or flushed it. */
INLINE bool publish(
	struct writer *w, struct memo *memo, char *end, uint32_t first)
{
	writer_commit(w, end, first);
	w->last = memo;
	return likely(w->said_key == streams_key(memo->stream));
}

INLINE size_t finish(struct writer *w, size_t said, size_t result)
{
	writer_count_said(w, said);
	writer_leave(w);
	return result;
}

/* Publishes a record and leaves; `result` is what the function returns. */
INLINE size_t commit(struct writer *w, struct memo *memo, char *end,
	uint32_t first, size_t said, size_t result)
{
	if (!publish(w, memo, end, first))
		return fast_code_said_as(w, memo, said, result);
	return finish(w, said, result);
}

/* Like commit(), of what others may go on with. */
INLINE size_t commit_piece(struct writer *w, struct memo *memo, char *end,
	uint32_t first, size_t said, size_t result)
{
	if (!publish(w, memo, end, first))
		return fast_code_said_as(w, memo, said, result);
	w->open = end;
	if (!(first & BINLOG_CONTINUES))
		w->other_context = 0;
	else if (w->open_context != memo->context)
		w->other_context = w->open_context;
	w->open_context = memo->context;
	return finish(w, said, result);
}

INLINE char *store(char *to, const char *bytes, size_t size)
{
	size_t padded = (size + 3) & ~(size_t)3;

	*(uint32_t *)(to + padded - 4) = 0;
	if (size < 16) {
		bytes_copy(to, bytes, size);
		return to + padded;
	}
	for (size_t i = 0; i + 16 < size; i += 16)
		__builtin_memcpy(to + i, bytes + i, 16);
	__builtin_memcpy(to + size - 16, bytes + size - 16, 16);
	return to + padded;
}

/* After the time of the record. */
INLINE char *store_timed(char *to, const char *bytes, size_t size)
{
	if (size <= BINLOG_SHORT_MAX) {
		*(uint32_t *)to = fast_short_word((const void *)bytes, size);
		return to + 4;
	}
	*(uint32_t *)to = (uint32_t)size;
	return store(to + 4, bytes, size);
}

/* As one word, if it may be; see record/layout.h.  0: no. */
INLINE uint32_t short_piece(const struct writer *w, const struct memo *memo,
	const char *s, size_t size)
{
	uint32_t word = BINLOG_CONTINUES;

	if (w->open_context != memo->context) {
		if (w->other_context != memo->context)
			return 0;
		word |= BINLOG_OTHER;
	}
	return word | fast_short_word((const void *)s, size);
}

INLINE bool may_be_piece(const struct memo *memo, const FILE *file, char last)
{
	return memo->holds_back && last != '\n' &&
	       !(file->_flags2 & LIBIO_NEEDS_LOCK);
}

INLINE bool goes_on(const struct writer *w, const struct memo *memo)
{
	return w->open == w->cursor && w->said_key == streams_key(memo->stream);
}

/* Constant bytes; CAPTURE_PASS: not here. */
INLINE size_t constant(struct writer *w, struct memo *memo, const FILE *file,
	char last, size_t said, size_t result)
{
	bool is_piece = may_be_piece(memo, file, last);
	char *to;

	if (is_piece && goes_on(w, memo) && w->cursor <= w->limit)
		return commit_piece(w, memo, w->cursor + 4,
			memo->context | BINLOG_CONTINUES, said, result);
	to = begin(w);
	if (unlikely(!to))
		return NOT_HERE;
	return is_piece ? commit_piece(w, memo, to, memo->context, said, result)
			: commit(w, memo, to, memo->context, said, result);
}

INLINE size_t timed(struct writer *w, struct memo *memo, const char *s,
	size_t size, size_t said, size_t result)
{
	char *to = begin(w);

	return likely(to != NULL) ? commit(w, memo, store_timed(to, s, size),
					    memo->context, said, result)
				  : NOT_HERE;
}

/* Not before BYTES_MAX and WRITER_MARGIN have been compared. */
static __attribute__((noinline)) size_t piece(struct writer *w,
	struct memo *memo, const char *s, size_t size, size_t result)
{
	uint32_t first = memo->context;
	char *to;

	if (!goes_on(w, memo)) {
		to = begin(w);
		return likely(to != NULL)
			       ? commit_piece(w, memo, store_timed(to, s, size),
					 first, size, result)
			       : NOT_HERE;
	}
	to = w->cursor;
	if (unlikely(to > w->limit))
		return NOT_HERE;
	if (size <= BINLOG_SHORT_MAX) {
		uint32_t word = short_piece(w, memo, s, size);

		if (word)
			return commit_piece(
				w, memo, to + 4, word, size, result);
		*(uint32_t *)(to + 4) = fast_short_word((const void *)s, size);
		return commit_piece(w, memo, to + 8, first | BINLOG_CONTINUES,
			size, result);
	}
	first |= BINLOG_CONTINUES | (uint32_t)size << BINLOG_LENGTH_SHIFT;
	return commit_piece(
		w, memo, store(to + 4, s, size), first, size, result);
}

INLINE size_t bytes(struct writer *w, struct memo *memo, const FILE *file,
	const char *s, size_t size, size_t result)
{
	if (unlikely(size - 1 >= BYTES_MAX))
		return NOT_HERE;
	if (memo->key)
		return memo->length == size && memo->key == (uintptr_t)s
			       ? constant(w, memo, file, s[size - 1], size,
					 result)
			       : NOT_HERE;
	return may_be_piece(memo, file, s[size - 1])
		       ? piece(w, memo, s, size, result)
		       : timed(w, memo, s, size, size, result);
}

INLINE bool is_empty(const FILE *file)
{
	return likely(file->_IO_write_ptr == file->_IO_write_base);
}

/*
 * fast_found_NAME() with what it has in common: what is in the buffer comes
 * first, and who cannot do it here begins from the beginning.  `found` are the
 * parameters of the function, and ours; `arguments` and `all` the same without
 * types.
 */
#define FOUND(returns, name, parameters, arguments, found, all)                \
	returns portable_##name parameters;                                    \
	returns fast_found_##name found;                                       \
	static size_t record_##name found;                                     \
	static __attribute__((noinline)) returns drain_##name found            \
	{                                                                      \
		if (memo->macros_context &&                                    \
			fast_drain(w, memo, 0,                                 \
				(uintptr_t)__builtin_dwarf_cfa(), 0, file))    \
			return fast_found_##name all;                          \
		writer_leave(w);                                               \
		return portable_##name arguments;                              \
	}                                                                      \
	returns fast_found_##name found                                        \
	{                                                                      \
		size_t result;                                                 \
                                                                               \
		if (!is_empty(file))                                           \
			return drain_##name all;                               \
		result = record_##name all;                                    \
		if (likely(result != NOT_HERE))                                \
			return (returns)result;                                \
		writer_leave(w);                                               \
		return portable_##name arguments;                              \
	}                                                                      \
	INLINE size_t record_##name found

FOUND(int, puts, (const char *s), (s),
	(const char *s, FILE *file, struct writer *w, struct memo *memo),
	(s, file, w, memo))
{
	size_t size;

	if (memo->key != 0 && memo->key == (uintptr_t)s)
		return constant(w, memo, file, '\n', memo->length + 1,
			memo->length + 1);
	size = bytes_length(s) + 1;
	return likely(memo->key == 0 && size - 2 < BYTES_MAX)
		       ? timed(w, memo, s, size - 1, size, size)
		       : NOT_HERE;
}

#define FPUTS(name)                                                            \
	FOUND(int, name, (const char *s, FILE *file), (s, file),               \
		(const char *s, FILE *file, struct writer *w,                  \
			struct memo *memo),                                    \
		(s, file, w, memo))                                            \
	{                                                                      \
		size_t size = memo->key ? memo->length : bytes_length(s);      \
                                                                               \
		return bytes(w, memo, file, s, size, 1);                       \
	}
FPUTS(fputs)
FPUTS(fputs_unlocked)

#define FWRITE(name)                                                           \
	FOUND(size_t, name,                                                    \
		(const void *p, size_t size, size_t n, FILE *file),            \
		(p, size, n, file),                                            \
		(const void *p, size_t size, size_t n, FILE *file,             \
			struct writer *w, struct memo *memo),                  \
		(p, size, n, file, w, memo))                                   \
	{                                                                      \
		return likely((size | n) < FAST_BYTES_MAX &&                   \
			       (memo->key || fast_is_there(memo, file, p,      \
						     size * n)))               \
			       ? bytes(w, memo, file, p, size * n, n)          \
			       : NOT_HERE;                                     \
	}
FWRITE(fwrite)
FWRITE(fwrite_unlocked)
#endif
