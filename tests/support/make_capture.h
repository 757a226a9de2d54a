/*
 * Builds capture files in memory, byte by byte as record/layout.h has them.
 * For tests of everything that reads captures; asserts on misuse.  Time in
 * such a capture: tick 0 is MAKE_EPOCH, and a tick is a nanosecond.
 */
#ifndef TESTS_MAKE_CAPTURE_H
#define TESTS_MAKE_CAPTURE_H

#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/layout.h"

#define MAKE_EPOCH 1700000000000000000u /* 2023-11-14 22:13:20 UTC */
#define MAKE_NONCE 0x1122334455667788u
#define MAKE_PID 100u

struct make_capture {
	uint8_t *bytes;
	size_t size;
};

/* Offsets, since the capture's bytes move when it grows. */
struct make_block {
	struct make_capture *capture;
	size_t start;
	size_t at; /* of the next record */
	size_t end;
};

static inline struct binlog_anchor make_anchor(uint64_t ticks)
{
	return (struct binlog_anchor){ticks, MAKE_EPOCH + ticks, ticks, ticks};
}

static inline struct binlog_header *make_header(struct make_capture *capture)
{
	return (struct binlog_header *)(void *)capture->bytes;
}

static inline void make_grow(struct make_capture *capture, size_t size)
{
	size_t rounded = (size + BINLOG_PAGE - 1) & -(size_t)BINLOG_PAGE;

	capture->bytes = realloc(capture->bytes, rounded);
	assert(capture->bytes);
	memset(capture->bytes + capture->size, 0, rounded - capture->size);
	capture->size = rounded;
	if (make_header(capture)->next < rounded)
		make_header(capture)->next = rounded;
}

static inline struct make_capture make_capture(void)
{
	struct make_capture capture = {0};
	struct binlog_header *header;

	capture.bytes = calloc(1, BINLOG_PAGE);
	assert(capture.bytes);
	capture.size = BINLOG_PAGE;
	header = make_header(&capture);
	memcpy(header->magic, BINLOG_MAGIC, sizeof(header->magic));
	header->version = BINLOG_VERSION;
	header->byte_order = BINLOG_BYTE_ORDER;
	header->nonce = MAKE_NONCE;
	header->next = BINLOG_PAGE;
	header->clock = BINLOG_CLOCK_MONOTONIC;
	header->start = make_anchor(0);
	memset(header->boot_id, 7, sizeof(header->boot_id));
	header->pid = MAKE_PID;
	header->machine = 62; /* x86-64 */
	return capture;
}

/* A block of `size` bytes after all others. */
static inline struct make_block make_block(struct make_capture *capture,
	uint32_t writer, uint32_t sequence, uint32_t size, uint64_t ticks)
{
	struct make_block block = {capture, capture->size, 0, 0};
	struct binlog_block *head;

	block.at = block.start + sizeof(struct binlog_block);
	block.end = block.start + size;
	make_grow(capture, block.end);
	make_header(capture)->published += size;
	head = (struct binlog_block *)(void *)(capture->bytes + block.start);
	*head = (struct binlog_block){
		.magic = BINLOG_BLOCK_MAGIC,
		.size = size,
		.nonce = make_header(capture)->nonce,
		.pid = MAKE_PID,
		.tid = MAKE_PID + writer,
		.writer = writer,
		.sequence = sequence,
		.anchor = make_anchor(ticks),
	};
	return block;
}

static inline struct binlog_block *make_block_head(
	const struct make_block *block)
{
	return (struct binlog_block *)(void *)(block->capture->bytes +
					       block->start);
}

/* Appends bytes and zeros up to a multiple of 4. */
static inline void make_bytes(
	struct make_block *block, const void *bytes, size_t size)
{
	assert(block->end - block->at >= ((size + 3) & ~(size_t)3));
	memcpy(block->capture->bytes + block->at, bytes, size);
	block->at += (size + 3) & ~(size_t)3;
}

static inline void make_u32(struct make_block *block, uint32_t value)
{
	make_bytes(block, &value, sizeof(value));
}

static inline void make_u64(struct make_block *block, uint64_t value)
{
	make_bytes(block, &value, sizeof(value));
}

/* A string argument. */
static inline void make_text(struct make_block *block, const char *text)
{
	make_u32(block, (uint32_t)strlen(text));
	make_bytes(block, text, strlen(text));
}

/* Begins a message; its arguments follow. */
static inline void make_message(
	struct make_block *block, uint32_t context, uint64_t ticks)
{
	make_u32(block, context);
	make_u32(block, (uint32_t)ticks);
}

/* A control record: a struct of layout.h and what follows it. */
static inline void make_control(struct make_block *block, uint32_t kind,
	void *record, size_t size, const void *more, size_t more_bytes)
{
	const struct binlog_control_head head = {
		kind, (uint32_t)((size + more_bytes + 3) & ~(size_t)3)};

	memcpy(record, &head, sizeof(head));
	make_bytes(block, record, size);
	make_bytes(block, more, more_bytes);
}

static inline void make_string(
	struct make_block *block, uint32_t id, const char *text)
{
	struct binlog_string_record record = {
		.id = id, .bytes = (uint32_t)strlen(text)};

	make_control(block, BINLOG_STRING, &record, sizeof(record), text,
		strlen(text));
}

static inline void make_stream(
	struct make_block *block, uint32_t id, uint32_t flags, int32_t fd)
{
	struct binlog_stream_record record = {
		.id = id, .flags = flags, .fd = fd, .inode = id};

	make_control(block, BINLOG_STREAM, &record, sizeof(record), "", 0);
}

static inline void make_thread(
	struct make_block *block, uint32_t tid, const char *name)
{
	struct binlog_thread_record record = {.tid = tid};

	memcpy(record.name, name, strlen(name));
	make_control(block, BINLOG_THREAD, &record, sizeof(record), "", 0);
}

static inline void make_clock(
	struct make_block *block, const struct binlog_anchor *anchor)
{
	struct binlog_clock_record record = {.anchor = *anchor};

	make_control(block, BINLOG_CLOCK, &record, sizeof(record), "", 0);
}

static inline void make_process(
	struct make_block *block, uint32_t pid, const char *executable)
{
	char strings[256] = "";
	size_t bytes = strlen(executable) + 1;
	struct binlog_process_record record = {.pid = pid};

	memcpy(strings, executable, bytes);
	strings[bytes++] = '/';
	strings[bytes++] = '\0';
	record.bytes = (uint32_t)bytes;
	make_control(
		block, BINLOG_PROCESS, &record, sizeof(record), strings, bytes);
}

static inline void make_module(struct make_block *block, uint64_t start,
	uint64_t end, uint64_t bias, const char *path)
{
	struct binlog_module_record record = {.start = start,
		.end = end,
		.bias = bias,
		.path_bytes = (uint32_t)strlen(path)};

	make_control(block, BINLOG_MODULE, &record, sizeof(record), path,
		strlen(path));
}

struct make_context {
	uint32_t id;
	uint16_t text; /* enum binlog_text */
	uint16_t flags;
	uint32_t format;
	uint32_t stream;
	const char *kinds;   /* bytes of enum binlog_argument, NUL-terminated */
	uint16_t kind_count; /* of kinds if there is a NUL among them, or 0 */
	const uint64_t *frames;
	uint16_t depth;
};

static inline void make_context(
	struct make_block *block, const struct make_context *context)
{
	const char *kinds = context->kinds ? context->kinds : "";
	size_t count =
		context->kind_count ? context->kind_count : strlen(kinds);
	struct binlog_context_record record = {.id = context->id,
		.text = context->text,
		.flags = context->flags,
		.format = context->format,
		.stream = context->stream,
		.depth = context->depth,
		.arguments = (uint16_t)count};
	size_t frames = context->depth * sizeof(uint64_t);
	uint8_t more[512];

	assert(frames + count <= sizeof(more));
	if (frames > 0)
		memcpy(more, context->frames, frames);
	memcpy(more + frames, kinds, count);
	make_control(block, BINLOG_CONTEXT, &record, sizeof(record), more,
		frames + count);
}

/* The first `size` bytes of the capture as a file. */
static inline void make_file_of(
	const struct make_capture *capture, const char *path, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t written = write(fd, capture->bytes, size);

	assert(written == (ssize_t)size);
	(void)written;
	close(fd);
}

static inline void make_file(
	const struct make_capture *capture, const char *path)
{
	make_file_of(capture, path, capture->size);
}

static inline void make_free(struct make_capture *capture)
{
	free(capture->bytes);
	*capture = (struct make_capture){0};
}

#endif
