#include "decoder/pack/pack_frames.h"

#include <string.h>

#include "decoder/capture/recording.h"
#include "decoder/pack/pack_content.h"
#include "decoder/pack/pack_value.h"
#include "record/hash.h"

/* Fewer frames in common are not worth being told apart. */
#define SHARED_LEAST 2u

static uint64_t magic_of(const void *build_id, size_t build_id_bytes,
	uint64_t file_bytes, uint64_t content_hash)
{
	uint64_t hash = binlog_hash(build_id, build_id_bytes);

	return binlog_hash_word(
		binlog_hash_word(hash, file_bytes), content_hash);
}

uint64_t pack_frames_magic(const struct pack_entry *module)
{
	const struct pack_module_content *head = pack_content(module);

	return magic_of(head + 1, head->build_id_bytes, head->file_bytes,
		head->content_hash);
}

/* Null: it has not been described. */
static const struct program *founder_of(const struct recording *capture)
{
	const struct program *program = capture->programs.elsewhere;

	if (program)
		return program;
	program = capture->programs.newest;
	while (program &&
		(program->pid != capture->header.pid || program->process != 0))
		program = program->older;
	return program;
}

static const struct program_module *executable_of(const struct program *program)
{
	size_t length = program->executable ? strlen(program->executable) : 0;
	size_t i;

	for (i = 0; length > 0 && i < program->module_count; i++) {
		const struct program_module *module = &program->modules[i];

		if (module->path_bytes == length &&
			memcmp(module->path, program->executable, length) == 0)
			return module;
	}
	return NULL;
}

static void put_executable(
	struct frame_write *frame, const struct program *program)
{
	const struct program_module *module = executable_of(program);

	if (program->executable)
		frame_write_text(frame, PACKED_PREAMBLE_EXECUTABLE,
			program->executable, strlen(program->executable));
	if (!module)
		return;
	frame_write_uint(frame, PACKED_PREAMBLE_MAGIC,
		magic_of(module->build_id, module->build_id_bytes,
			module->file_bytes, module->content_hash));
	frame_write_some(frame, PACKED_PREAMBLE_FILE_BYTES, module->file_bytes);
	frame_write_some(
		frame, PACKED_PREAMBLE_CONTENT_HASH, module->content_hash);
	if (module->build_id_bytes > 0)
		frame_write_binary(frame, PACKED_PREAMBLE_BUILD_ID,
			module->build_id, module->build_id_bytes);
}

static void put_start(
	struct frame_write *frame, const struct binlog_anchor *start)
{
	struct render_buffer *list =
		frame_write_list(frame, PACKED_PREAMBLE_START, 4);

	pack_value_uint(list, start->ticks);
	pack_value_uint(list, start->realtime);
	pack_value_uint(list, start->monotonic);
	pack_value_uint(list, start->boottime);
}

void pack_frames_preamble(struct pack_define *define, struct pack_entry *entry,
	struct recording *capture)
{
	const struct binlog_header *header = &capture->header;
	const struct pack_capture_content *head = pack_content(entry);
	const struct binlog_founder founder = liveness_founder(capture);
	const struct program *program = founder_of(capture);
	struct frame_write *frame = define->frame;

	entry->part = define->part;
	frame_write_begin(frame, PACKED_PREAMBLE);
	frame_write_uint(frame, PACKED_PREAMBLE_ID, entry->id);
	frame_write_uint(frame, PACKED_PREAMBLE_VERSION, PACKED_VERSION);
	if (program)
		put_executable(frame, program);
	frame_write_text(frame, PACKED_PREAMBLE_NAME, head + 1,
		entry->size - sizeof(*head));
	frame_write_uint(frame, PACKED_PREAMBLE_NONCE, header->nonce);
	frame_write_uint(frame, PACKED_PREAMBLE_RUN, header->run);
	frame_write_binary(frame, PACKED_PREAMBLE_BOOT_ID, header->boot_id,
		sizeof(header->boot_id));
	frame_write_uint(frame, PACKED_PREAMBLE_CLOCK, header->clock);
	frame_write_some(frame, PACKED_PREAMBLE_MACHINE, header->machine);
	frame_write_some(frame, PACKED_PREAMBLE_PID, header->pid);
	put_start(frame, &header->start);
	frame_write_some(frame, PACKED_PREAMBLE_PPID, founder.ppid);
	frame_write_some(frame, PACKED_PREAMBLE_ANCESTOR, founder.ancestor);
	frame_write_some(
		frame, PACKED_PREAMBLE_PID_NAMESPACE, founder.pid_namespace);
	frame_write_some(frame, PACKED_PREAMBLE_LIBC, founder.libc);
	frame_write_some(frame, PACKED_PREAMBLE_BEFORE, capture->spill.before);
	frame_write_some(
		frame, PACKED_PREAMBLE_BEFORE_NUMBER, capture->spill.process);
	frame_write_some(
		frame, PACKED_PREAMBLE_BEFORE_SPOKE, capture->spill.spoke);
	frame_write_end(frame);
}

static void write_module(struct pack_define *define, uint32_t id)
{
	struct pack_entry *entry = pack_table_entry(&define->modules, id);
	const struct pack_module_content *head = pack_content(entry);
	const char *bytes = (const char *)(head + 1);
	struct frame_write *frame = define->frame;

	if (entry->part == define->part)
		return;
	entry->part = define->part;
	frame_write_begin(frame, PACKED_MODULE);
	frame_write_uint(frame, PACKED_MODULE_ID, id);
	frame_write_text(frame, PACKED_MODULE_PATH,
		bytes + head->build_id_bytes, head->path_bytes);
	if (head->build_id_bytes > 0)
		frame_write_binary(frame, PACKED_MODULE_BUILD_ID, bytes,
			head->build_id_bytes);
	frame_write_some(frame, PACKED_MODULE_FILE_BYTES, head->file_bytes);
	frame_write_some(frame, PACKED_MODULE_CONTENT_HASH, head->content_hash);
	frame_write_uint(frame, PACKED_MODULE_MAGIC, pack_frames_magic(entry));
	frame_write_end(frame);
}

void pack_frames_mapping(struct pack_define *define, uint32_t process,
	uint32_t module, const struct program_module *mapped)
{
	struct frame_write *frame = define->frame;

	write_module(define, module);
	frame_write_begin(frame, PACKED_MAPPING);
	frame_write_uint(frame, PACKED_MAPPING_PROCESS, process);
	frame_write_uint(frame, PACKED_MAPPING_MODULE, module);
	frame_write_some(frame, PACKED_MAPPING_START, mapped->start);
	frame_write_some(frame, PACKED_MAPPING_END, mapped->end);
	frame_write_some(frame, PACKED_MAPPING_BIAS, mapped->bias);
	frame_write_end(frame);
}

/* Of a forked child: when it has claimed its first block. */
static void put_birth(struct frame_write *frame,
	const struct recording *capture, const struct program *program)
{
	const struct binlog_anchor *first = NULL;
	struct render_buffer *list;
	size_t i;

	for (i = 0; i < capture->block_count; i++) {
		const struct recording_block *block = &capture->blocks[i];

		if (block->pid == program->pid &&
			block->process == program->process &&
			(!first || block->anchor.boottime < first->boottime))
			first = &block->anchor;
	}
	if (!first)
		return;
	list = frame_write_list(frame, PACKED_PROCESS_START, 2);
	pack_value_uint(list, first->realtime);
	pack_value_uint(list, first->boottime);
}

void pack_frames_process(struct pack_define *define,
	const struct pack_entry *entry, const struct recording *capture,
	const struct program *program, uint32_t parent)
{
	const struct pack_process_content *content = pack_content(entry);
	struct frame_write *frame = define->frame;

	frame_write_begin(frame, PACKED_PROCESS);
	frame_write_uint(frame, PACKED_PROCESS_ID, entry->id);
	frame_write_uint(frame, PACKED_PROCESS_CAPTURE, content->capture);
	frame_write_some(frame, PACKED_PROCESS_PID, content->pid);
	frame_write_some(frame, PACKED_PROCESS_NUMBER, content->number);
	frame_write_some(frame, PACKED_PROCESS_PPID, program->ppid);
	frame_write_some(frame, PACKED_PROCESS_UID, program->uid);
	frame_write_some(frame, PACKED_PROCESS_FORK, program->fork);
	if (program->executable)
		frame_write_text(frame, PACKED_PROCESS_EXECUTABLE,
			program->executable, strlen(program->executable));
	if (program->directory)
		frame_write_text(frame, PACKED_PROCESS_DIRECTORY,
			program->directory, strlen(program->directory));
	frame_write_some(frame, PACKED_PROCESS_PARENT, parent);
	if (program->arguments)
		frame_write_binary(frame, PACKED_PROCESS_ARGUMENTS,
			program->arguments, program->argument_bytes);
	if (program->host)
		frame_write_text(frame, PACKED_PROCESS_HOST, program->host,
			strlen(program->host));
	if (program->environment)
		frame_write_binary(frame, PACKED_PROCESS_ENVIRONMENT,
			program->environment, program->environment_bytes);
	if (program->pid != capture->header.pid ||
		program_number(&capture->programs, program) != 0)
		put_birth(frame, capture, program);
	frame_write_end(frame);
}

typedef void put_creator(struct frame_write *frame, struct render_buffer *list,
	const struct pack_creator_content *creator);

static void put_creator_site(struct frame_write *frame,
	struct render_buffer *list, const struct pack_creator_content *creator)
{
	(void)frame;
	pack_value_uint(list, creator->site);
}

static void put_creator_pid(struct frame_write *frame,
	struct render_buffer *list, const struct pack_creator_content *creator)
{
	(void)frame;
	pack_value_uint(list, creator->pid);
}

static void put_creator_tid(struct frame_write *frame,
	struct render_buffer *list, const struct pack_creator_content *creator)
{
	(void)frame;
	pack_value_uint(list, creator->tid);
}

static void put_creator_name(struct frame_write *frame,
	struct render_buffer *list, const struct pack_creator_content *creator)
{
	(void)list;
	frame_write_item_text(frame, creator->name,
		strnlen(creator->name, sizeof(creator->name)));
}

static void put_creators(struct frame_write *frame,
	const struct pack_creator_content *creators, size_t count)
{
	static const struct {
		enum packed_field field;
		put_creator *put;
	} lists[] = {
		{PACKED_THREAD_SITES, put_creator_site},
		{PACKED_THREAD_PIDS, put_creator_pid},
		{PACKED_THREAD_TIDS, put_creator_tid},
		{PACKED_THREAD_NAMES, put_creator_name},
	};
	size_t i, j;

	for (i = 0; count > 0 && i < sizeof(lists) / sizeof(*lists); i++) {
		struct render_buffer *list =
			frame_write_list(frame, lists[i].field, count);

		for (j = 0; j < count; j++)
			lists[i].put(frame, list, &creators[j]);
	}
}

void pack_frames_thread(struct pack_define *define, struct pack_entry *entry)
{
	const struct pack_thread_content *content = pack_content(entry);
	struct frame_write *frame = define->frame;

	entry->part = define->part;
	frame_write_begin(frame, PACKED_THREAD);
	frame_write_uint(frame, PACKED_THREAD_ID, entry->id);
	frame_write_uint(frame, PACKED_THREAD_PROCESS, content->process);
	frame_write_some(frame, PACKED_THREAD_TID, content->tid);
	frame_write_text(frame, PACKED_THREAD_NAME, content->name,
		strnlen(content->name, sizeof(content->name)));
	frame_write_some(frame, PACKED_THREAD_COROUTINE, content->coroutine);
	put_creators(frame, (const void *)(content + 1),
		(entry->size - sizeof(*content)) /
			sizeof(struct pack_creator_content));
	frame_write_end(frame);
}

static void write_string(struct pack_define *define, uint32_t id)
{
	struct pack_entry *entry = pack_table_entry(&define->strings, id);
	const struct pack_string_content *head = pack_content(entry);
	struct frame_write *frame = define->frame;

	if (entry->part == define->part)
		return;
	entry->part = define->part;
	if (head->module != 0)
		write_module(define, head->module);
	frame_write_begin(frame, PACKED_STRING);
	frame_write_uint(frame, PACKED_STRING_ID, id);
	if (head->known)
		frame_write_text(frame, PACKED_STRING_TEXT, head + 1,
			entry->size - sizeof(*head));
	frame_write_some(frame, PACKED_STRING_MODULE, head->module);
	frame_write_some(frame, PACKED_STRING_OFFSET, head->offset);
	frame_write_end(frame);
}

/* How many of the outermost frames are the same. */
static size_t shared_frames(
	const struct pack_entry *a, const struct pack_entry *b)
{
	const struct pack_frame_content *x = pack_content(a);
	const struct pack_frame_content *y = pack_content(b);
	size_t m = a->size / sizeof(*x);
	size_t n = b->size / sizeof(*y);
	size_t shared = 0;

	while (shared < m && shared < n &&
		x[m - 1 - shared].module == y[n - 1 - shared].module &&
		x[m - 1 - shared].offset == y[n - 1 - shared].offset)
		shared++;
	return shared;
}

static void put_frames(struct frame_write *frame,
	const struct pack_frame_content *frames, size_t count)
{
	struct render_buffer *list;
	size_t i;

	list = frame_write_list(frame, PACKED_BACKTRACE_MODULES, count);
	for (i = 0; i < count; i++)
		pack_value_uint(list, frames[i].module);
	list = frame_write_list(frame, PACKED_BACKTRACE_OFFSETS, count);
	for (i = 0; i < count; i++)
		pack_value_uint(list, frames[i].offset);
}

static void write_backtrace(struct pack_define *define, uint32_t id)
{
	struct pack_entry *entry = pack_table_entry(&define->backtraces, id);
	const struct pack_frame_content *frames = pack_content(entry);
	size_t depth = entry->size / sizeof(*frames);
	uint32_t like = define->last_backtrace;
	struct frame_write *frame = define->frame;
	size_t shared = 0;
	size_t i;

	if (entry->part == define->part)
		return;
	entry->part = define->part;
	define->last_backtrace = id;
	if (like != 0)
		shared = shared_frames(
			entry, pack_table_entry(&define->backtraces, like));
	if (shared < SHARED_LEAST)
		shared = 0;
	for (i = 0; i < depth - shared; i++)
		if (frames[i].module != 0)
			write_module(define, (uint32_t)frames[i].module);
	frame_write_begin(frame, PACKED_BACKTRACE);
	frame_write_uint(frame, PACKED_BACKTRACE_ID, id);
	put_frames(frame, frames, depth - shared);
	if (shared > 0) {
		frame_write_uint(frame, PACKED_BACKTRACE_LIKE, like);
		frame_write_uint(frame, PACKED_BACKTRACE_SHARED, shared);
	}
	frame_write_end(frame);
}

static void write_stream(struct pack_define *define, uint32_t id)
{
	struct pack_entry *entry = pack_table_entry(&define->streams, id);
	const struct pack_stream_content *head = pack_content(entry);
	struct frame_write *frame = define->frame;

	if (entry->part == define->part)
		return;
	entry->part = define->part;
	frame_write_begin(frame, PACKED_STREAM);
	frame_write_uint(frame, PACKED_STREAM_ID, id);
	frame_write_some(frame, PACKED_STREAM_FLAGS, head->flags);
	frame_write_int(frame, PACKED_STREAM_FD, (int32_t)head->fd);
	frame_write_some(frame, PACKED_STREAM_MODE, head->mode);
	frame_write_some(frame, PACKED_STREAM_DEVICE, head->device);
	frame_write_some(frame, PACKED_STREAM_INODE, head->inode);
	frame_write_some(frame, PACKED_STREAM_FILE, head->file);
	frame_write_some(frame, PACKED_STREAM_POSITION, head->position);
	frame_write_some(frame, PACKED_STREAM_BUFFERING, head->buffering);
	frame_write_some(frame, PACKED_STREAM_ORDER, head->order);
	frame_write_some(frame, PACKED_STREAM_BUFFER_BYTES, head->buffer_bytes);
	frame_write_some(frame, PACKED_STREAM_DESCRIPTION, head->description);
	if (head->has_path)
		frame_write_text(frame, PACKED_STREAM_PATH, head + 1,
			entry->size - sizeof(*head));
	frame_write_end(frame);
}

void pack_frames_site(struct pack_define *define, struct pack_entry *entry)
{
	const struct pack_site_content *head = pack_content(entry);
	struct frame_write *frame = define->frame;

	entry->part = define->part;
	if (head->format != 0)
		write_string(define, head->format);
	if (head->function != 0)
		write_string(define, head->function);
	if (head->stream != 0)
		write_stream(define, head->stream);
	if (head->backtrace != 0)
		write_backtrace(define, head->backtrace);
	frame_write_begin(frame, PACKED_SITE);
	frame_write_uint(frame, PACKED_SITE_ID, entry->id);
	frame_write_uint(frame, PACKED_SITE_TEXT, head->text);
	frame_write_some(frame, PACKED_SITE_FLAGS, head->flags);
	frame_write_some(frame, PACKED_SITE_FORMAT, head->format);
	frame_write_some(frame, PACKED_SITE_FUNCTION, head->function);
	frame_write_some(frame, PACKED_SITE_STREAM, head->stream);
	frame_write_some(frame, PACKED_SITE_BACKTRACE, head->backtrace);
	if (head->arguments > 0)
		frame_write_binary(
			frame, PACKED_SITE_KINDS, head + 1, head->arguments);
	frame_write_end(frame);
}
