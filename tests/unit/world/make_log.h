/*
 * Builds packed logs record by record and reads them back, for tests of what
 * records that come late, twice, or make no sense do.
 */
#ifndef TESTS_MAKE_LOG_H
#define TESTS_MAKE_LOG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/limits.h"
#include "decoder/pack/frame_write.h"
#include "decoder/pack/pack_value.h"
#include "decoder/packed/packed_reader.h"

struct make_log {
	struct frame_write frame;
	struct error_list errors;
	struct render_buffer text; /* of all messages, a line each */
	size_t captures;	   /* that were read */
	char program[32];	   /* of the last message */
	uint64_t called_at;	   /* the first frame of the last message, or 0 */
	packed_fold *fold;	   /* see packed_reader.h */
	void *closure;
};

static inline void make_log_begin(struct make_log *log, enum packed_tag tag)
{
	frame_write_begin(&log->frame, tag);
}

static inline void make_log_number(
	struct make_log *log, unsigned field, uint64_t value)
{
	frame_write_uint(&log->frame, field, value);
}

static inline void make_log_text(
	struct make_log *log, unsigned field, const char *value)
{
	frame_write_text(&log->frame, field, value, strlen(value));
}

static inline void make_log_list(struct make_log *log, unsigned field,
	size_t count, const uint64_t *values)
{
	struct render_buffer *out = frame_write_list(&log->frame, field, count);

	while (count-- > 0)
		pack_value_uint(out, *values++);
}

static inline void make_log_end(struct make_log *log)
{
	frame_write_end(&log->frame);
}

static inline void make_log_string(
	struct make_log *log, uint64_t id, const char *value, uint64_t module)
{
	make_log_begin(log, PACKED_STRING);
	make_log_number(log, PACKED_STRING_ID, id);
	make_log_text(log, PACKED_STRING_TEXT, value);
	frame_write_some(&log->frame, PACKED_STRING_MODULE, module);
	make_log_end(log);
}

static inline void make_log_module(
	struct make_log *log, uint64_t id, const char *path)
{
	make_log_begin(log, PACKED_MODULE);
	make_log_number(log, PACKED_MODULE_ID, id);
	make_log_text(log, PACKED_MODULE_PATH, path);
	make_log_end(log);
}

static inline void make_log_process(
	struct make_log *log, uint64_t id, uint64_t pid)
{
	make_log_begin(log, PACKED_PROCESS);
	make_log_number(log, PACKED_PROCESS_ID, id);
	make_log_number(log, PACKED_PROCESS_CAPTURE, 1);
	make_log_number(log, PACKED_PROCESS_PID, pid);
	make_log_end(log);
}

static inline void make_log_thread(
	struct make_log *log, uint64_t id, uint64_t process)
{
	make_log_begin(log, PACKED_THREAD);
	make_log_number(log, PACKED_THREAD_ID, id);
	make_log_number(log, PACKED_THREAD_PROCESS, process);
	make_log_number(log, PACKED_THREAD_TID, 42);
	make_log_end(log);
}

static inline void make_log_trace(struct make_log *log, uint64_t id,
	size_t modules, size_t offsets, uint64_t like, uint64_t shared)
{
	static const uint64_t values[LIMITS_DEPTH + 1] = {7};

	make_log_begin(log, PACKED_BACKTRACE);
	make_log_number(log, PACKED_BACKTRACE_ID, id);
	make_log_list(log, PACKED_BACKTRACE_MODULES, modules, values);
	make_log_list(log, PACKED_BACKTRACE_OFFSETS, offsets, values);
	make_log_number(log, PACKED_BACKTRACE_LIKE, like);
	make_log_number(log, PACKED_BACKTRACE_SHARED, shared);
	make_log_end(log);
}

static inline void make_log_site(
	struct make_log *log, uint64_t id, const char *kinds, size_t count)
{
	make_log_begin(log, PACKED_SITE);
	make_log_number(log, PACKED_SITE_ID, id);
	make_log_number(log, PACKED_SITE_TEXT, BINLOG_TEXT_FORMAT);
	make_log_number(log, PACKED_SITE_FORMAT, id);
	make_log_number(log, PACKED_SITE_BACKTRACE, id);
	frame_write_binary(&log->frame, PACKED_SITE_KINDS, kinds, count);
	make_log_end(log);
}

static inline void make_log_say(
	struct make_log *log, uint64_t nth, uint64_t site, uint64_t value)
{
	make_log_begin(log, PACKED_DATA);
	make_log_number(log, PACKED_DATA_NUMBER, nth);
	make_log_number(log, PACKED_DATA_SITE, site);
	make_log_number(log, PACKED_DATA_THREAD, 1);
	make_log_list(log, PACKED_DATA_ARGUMENTS, 1, &value);
	make_log_end(log);
}

static inline size_t make_log_read(struct make_log *log)
{
	struct packed_readers readers = {.captures.errors = &log->errors,
		.fold = log->fold,
		.closure = log->closure};
	const struct message *message;
	struct packed_reader *reader;
	size_t messages = 0;
	char path[32];
	int fd = memfd_create("log", MFD_CLOEXEC);

	assert_int_equal(write(fd, log->frame.out.data, log->frame.out.length),
		log->frame.out.length);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	reader = packed_reader_new(path, &readers);
	assert_non_null(reader);
	for (; (message = packed_reader_next(reader)); messages++) {
		message_text(message, &log->text);
		snprintf(log->program, sizeof(log->program), "%s",
			message->program->name);
		log->called_at = message->context->depth > 0
				     ? message->context->frames[0]
				     : 0;
	}
	log->captures = readers.captures.count;
	packed_reader_free(reader);
	packed_inflate_free(&readers.inflate);
	packed_captures_free(&readers.captures);
	close(fd);
	return messages;
}

static inline const char *make_log_said(struct make_log *log)
{
	render_buffer_put_byte(&log->text, '\0');
	return log->text.data;
}

static inline size_t make_log_told(
	const struct make_log *log, enum error_code code)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < log->errors.count && i < ERROR_KEPT_MAX; i++)
		count += log->errors.kept[i].code == code;
	return count;
}

static inline void make_log_free(struct make_log *log)
{
	frame_write_free(&log->frame);
	render_buffer_free(&log->text);
}

/* A record without anything but the id of something else. */
static inline void make_log_refer(
	struct make_log *log, enum packed_tag tag, unsigned field, uint64_t id)
{
	make_log_begin(log, tag);
	make_log_number(log, field, id);
	make_log_end(log);
}

#endif
