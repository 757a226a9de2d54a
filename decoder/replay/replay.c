#include "decoder/replay/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id_map.h"
#include "base/limits.h"
#include "decoder/output/spool.h"
#include "decoder/replay/stdio_model.h"
#include "record/layout.h"
#include "record/libc.h"

/*
 * The files that text would have landed in, as far as they are wanted, put
 * together write by write: each write goes to where the open file stood, and
 * an earlier one may be overwritten, as by zip, which comes back to its
 * headers.  Used by `--as-written`; given out at the end, file by file.  What
 * does not fit in memory is in temporary files without a name.  One thread.
 */

struct written_file {
	uint64_t device;
	uint64_t inode;
	uint64_t base; /* offset of its first byte that is known */
	bool seekable; /* otherwise all goes to its end */
	uint64_t put;  /* bytes, all writes together */
	struct spool spool;
	struct written_target *targets;
	struct written_file *next;
	struct written_file *same_hash;
};

struct written_target {
	struct written_file *file;
	uint32_t description;
	bool appends;
	uint64_t position; /* from base */
	struct written_target *next;
};

struct written {
	struct written_file *first;
	struct written_file **end;
	size_t count;
	struct id_map files; /* by hash */
};

struct written *written_new(void)
{
	struct written *written = calloc(1, sizeof(*written));

	if (written)
		written->end = &written->first;
	return written;
}

static uint32_t hash_of(const struct definition_stream *stream)
{
	uint64_t hash = seeded_hash_word(seeded_hash_start, stream->inode);

	return (uint32_t)seeded_hash_word(hash, stream->device);
}

static struct written_file *find_file(struct written *written,
	const struct definition_stream *stream, bool *full)
{
	struct written_file *others =
		id_map_find(&written->files, hash_of(stream));
	struct written_file *file = others;

	while (file && (file->device != stream->device ||
			       file->inode != stream->inode))
		file = file->same_hash;
	if (file)
		return file;
	*full = limits_reached(LIMIT_WRITTEN_FILES, written->count);
	file = *full ? NULL : calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->device = stream->device;
	file->inode = stream->inode;
	file->seekable = S_ISREG(stream->mode);
	file->base = stream->description ? 0 : stream->position;
	file->same_hash = others;
	spool_init(&file->spool);
	if (!id_map_set(&written->files, hash_of(stream), file)) {
		free(file);
		return NULL;
	}
	*written->end = file;
	written->end = &file->next;
	written->count++;
	return file;
}

static uint64_t first_position(
	const struct written_file *file, const struct definition_stream *stream)
{
	return stream->position > file->base ? stream->position - file->base
					     : 0;
}

static struct written_target *add_target(
	struct written_file *file, const struct definition_stream *stream)
{
	struct written_target *target = calloc(1, sizeof(*target));

	if (!target)
		return NULL;
	target->file = file;
	target->description = stream->description;
	target->position = first_position(file, stream);
	target->next = file->targets;
	file->targets = target;
	return target;
}

struct written_target *written_find(struct written *written,
	const struct definition_stream *stream, bool *full)
{
	struct written_file *file = find_file(written, stream, full);
	struct written_target *target = file ? file->targets : NULL;

	while (target && target->description != stream->description)
		target = target->next;
	if (!file)
		return NULL;
	if (!target)
		target = add_target(file, stream);
	/* Another open file may have the number of one that is gone. */
	if (target)
		target->appends = stream->flags & BINLOG_STREAM_APPEND;
	return target;
}

void written_put(struct written_target *target, const char *bytes, size_t size)
{
	struct spool *spool = &target->file->spool;

	if (target->appends || !target->file->seekable)
		target->position = spool->size;
	spool_put(spool, target->position, bytes, size);
	target->file->put += size;
	target->position += size;
}

static uint64_t from_base(const struct written_file *file, int64_t offset)
{
	return offset > 0 && (uint64_t)offset > file->base
		       ? (uint64_t)offset - file->base
		       : 0;
}

static bool is_near(const struct written_file *file, uint64_t position)
{
	return position <= file->put ||
	       position - file->put <= limits_of(LIMIT_HOLES);
}

/*
 * At this offset, wherever the open file stands and continues to stand.  All
 * holes of a file together are bounded: a damaged offset would fill the disk.
 * What asks for more is left undone and answered by false, here and below.
 */
static bool written_put_at(struct written_target *target, int64_t offset,
	const char *bytes, size_t size)
{
	struct spool *spool = &target->file->spool;
	uint64_t at =
		target->appends ? spool->size : from_base(target->file, offset);

	if (!is_near(target->file, at))
		return false;
	spool_put(spool, at, bytes, size);
	target->file->put += size;
	return true;
}

/* The next write goes to this offset of the file. */
static bool written_seek(struct written_target *target, int64_t offset)
{
	uint64_t at = from_base(target->file, offset);

	if (!is_near(target->file, at))
		return false;
	target->position = at;
	return true;
}

/* The file is cut or extended to this size. */
static bool written_truncate(struct written_target *target, int64_t size)
{
	uint64_t end = from_base(target->file, size);

	if (!is_near(target->file, end))
		return false;
	spool_resize(&target->file->spool, end);
	return true;
}

bool written_give_out(struct written *written, struct output *output)
{
	struct written_file *file;
	int failed = 0;

	for (file = written->first; file; file = file->next)
		if (!spool_give_out(&file->spool, output))
			failed = errno;
	errno = failed;
	return failed == 0;
}

static void free_targets(struct written_target *target)
{
	while (target) {
		struct written_target *next = target->next;

		free(target);
		target = next;
	}
}

void written_free(struct written *written)
{
	while (written && written->first) {
		struct written_file *next = written->first->next;

		free_targets(written->first->targets);
		spool_free(&written->first->spool);
		free(written->first);
		written->first = next;
	}
	if (written)
		id_map_free(&written->files);
	free(written);
}

/* A FILE of a process. */
struct held {
	uint64_t file;		       /* its address */
	struct written_target *target; /* null: not wanted */
	struct stdio_model model;
	/* Of a call in parts the last piece, which the next part may go on
	 * with. */
	struct render_buffer rest;
	enum render_piece_kind kind;
	uint16_t order;
	struct held *next; /* the one that is flushed after it */
};

struct process {
	const struct recording *capture;
	const struct program *program;
	bool exited; /* exit() has written everything, and goes on doing so */
	struct held *held;
	struct process *next; /* another one with the same id in the map */
};

/* What a child of a fork will inherit. */
struct fork {
	const struct recording *capture;
	uint64_t number;
	struct held *held;
	size_t bytes;
	struct fork *next; /* the one before it */
};

struct replay {
	struct written *written;
	struct id_map processes;
	struct process *last; /* the one asked for last, or null */
	struct fork *forks;
	size_t fork_count;
	size_t fork_bytes;
	bool failed; /* no memory: something is missing */
	struct render_buffer text;
	struct render_pieces pieces; /* of `text` */
};

struct replay *replay_new(struct written *written)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (!replay)
		return NULL;
	replay->written = written;
	replay->text.pieces = &replay->pieces;
	return replay;
}

static void free_held(struct held *held)
{
	while (held) {
		struct held *next = held->next;

		stdio_model_free(&held->model);
		render_buffer_free(&held->rest);
		free(held);
		held = next;
	}
}

/* For stdio_model_sink: the closure is a target, or null. */
static void write_out(void *closure, const char *bytes, size_t size)
{
	if (closure)
		written_put(closure, bytes, size);
}

/* In the same order. */
static struct held *copy_held(struct replay *replay, const struct held *from)
{
	struct held *first = NULL;
	struct held **end = &first;

	for (; from; from = from->next) {
		struct held *copy;

		copy = calloc(1, sizeof(*copy));
		if (copy) {
			*copy = *from;
			copy->rest = (struct render_buffer){0};
		}
		if (!copy || !stdio_model_copy(&copy->model, &from->model)) {
			replay->failed = true;
			free(copy);
			break;
		}
		copy->next = NULL;
		*end = copy;
		end = &copy->next;
	}
	return first;
}

/* The fork with this number, taken out of the list. */
static struct fork *take_fork(
	struct replay *replay, const struct recording *capture, uint64_t number)
{
	struct fork **place = &replay->forks;
	struct fork *found;

	while (*place &&
		((*place)->number != number || (*place)->capture != capture))
		place = &(*place)->next;
	found = *place;
	if (found) {
		*place = found->next;
		replay->fork_count--;
		replay->fork_bytes -= found->bytes;
	}
	return found;
}

static void inherit(struct replay *replay, struct process *child,
	const struct message *message)
{
	uint64_t number = message->program->fork;
	const struct recording *capture = child->capture;
	struct fork *fork = take_fork(replay, capture, number);

	/* It may have said nothing in the capture in which it was born. */
	while (!fork && capture->before) {
		capture = capture->before;
		fork = take_fork(replay, capture, number);
	}

	if (!fork) {
		recording_report(message->capture, ERROR_INHERITED,
			message->offset, number);
		return;
	}
	child->held = fork->held;
	free(fork);
}

/* An id for the map, of few of them the same: programs lie side by side. */
static uint32_t id_of(const struct program *program)
{
	return (uint32_t)((uintptr_t)program / sizeof(*program));
}

static struct process *make_process(
	struct replay *replay, const struct message *message)
{
	uint32_t id = id_of(message->program);
	struct process *others = id_map_find(&replay->processes, id);
	struct process *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->capture = message->capture;
	made->program = message->program;
	made->next = others;
	if (!id_map_set(&replay->processes, id, made)) {
		free(made);
		return NULL;
	}
	if (message->program->fork)
		inherit(replay, made, message);
	return made;
}

static struct process *process_of(
	struct replay *replay, const struct message *message)
{
	struct process *found = replay->last;

	if (found && found->program == message->program)
		return found;
	found = id_map_find(&replay->processes, id_of(message->program));
	while (found && found->program != message->program)
		found = found->next;
	if (!found)
		found = make_process(replay, message);
	replay->last = found;
	return found;
}

/* Among those of the process, which are flushed in this order. */
static void put_in_order(
	struct process *process, struct held *held, uint16_t order)
{
	struct held **place = &process->held;

	while (*place && *place != held)
		place = &(*place)->next;
	if (*place)
		*place = held->next;
	held->order = order;
	place = &process->held;
	while (*place && (*place)->order > order)
		place = &(*place)->next;
	held->next = *place;
	*place = held;
}

static struct held *held_of(struct process *process,
	const struct definition_stream *stream, struct written_target *target)
{
	struct held *held = process->held;
	bool made = false;

	while (held && held->file != stream->file)
		held = held->next;
	if (!held) {
		held = calloc(1, sizeof(*held));
		if (!held)
			return NULL;
		held->file = stream->file;
		made = true;
	}
	/* It may have been opened anew, or be another at its address. */
	if (!made && held->order != stream->order) {
		const struct stdio_model_sink sink = {write_out, held->target};

		stdio_model_reopen(&held->model, &sink);
	}
	if (made || held->order != stream->order)
		put_in_order(process, held, stream->order);
	held->target = target;
	stdio_model_set(&held->model, stream->buffering, stream->buffer_bytes);
	if (stream->flags & BINLOG_STREAM_USED)
		stdio_model_used(&held->model);
	return held;
}

static void flush(struct held *held)
{
	const struct stdio_model_sink sink = {write_out, held->target};

	stdio_model_flush(&held->model, &sink);
}

static void replace_buffer(struct held *held)
{
	const struct stdio_model_sink sink = {write_out, held->target};

	stdio_model_replace_buffer(&held->model, &sink);
}

/* As libc goes through its FILEs. */
static void flush_all(struct process *process)
{
	struct held *held;

	for (held = process->held; held; held = held->next)
		flush(held);
}

static void forget_oldest_fork(struct replay *replay)
{
	struct fork **place = &replay->forks;

	while ((*place)->next)
		place = &(*place)->next;
	replay->fork_bytes -= (*place)->bytes;
	replay->fork_count--;
	free_held((*place)->held);
	free(*place);
	*place = NULL;
}

static size_t bytes_of(const struct held *held)
{
	size_t bytes = 0;

	for (; held; held = held->next)
		bytes += sizeof(*held) + held->model.used;
	return bytes;
}

static void remember_fork(
	struct replay *replay, const struct process *process, uint64_t number)
{
	struct fork *fork = calloc(1, sizeof(*fork));

	if (!fork) {
		replay->failed = true;
		return;
	}
	fork->capture = process->capture;
	fork->number = number;
	fork->bytes = bytes_of(process->held);
	if (fork->bytes <= limits_size(LIMIT_FORK_BYTES))
		fork->held = copy_held(replay, process->held);
	fork->next = replay->forks;
	replay->forks = fork;
	replay->fork_bytes += fork->bytes;
	replay->fork_count++;
	while (replay->forks &&
		(replay->fork_count > limits_size(LIMIT_FORKS) ||
			replay->fork_bytes > limits_size(LIMIT_FORK_BYTES)))
		forget_oldest_fork(replay);
}

static void report_position(const struct message *message, int64_t value)
{
	recording_report(message->capture, ERROR_POSITION, message->offset,
		(uint64_t)value);
}

static void replay_event(struct replay *replay, struct process *process,
	const struct message *message, struct written_target *target)
{
	const struct definition_stream *stream = message->context->stream;
	int64_t value = message_event_value(message);
	struct held *held;

	switch (message->context->text) {
	case BINLOG_TEXT_FLUSH:
		held = stream ? held_of(process, stream, target) : NULL;
		if (held && value)
			replace_buffer(held);
		else if (held)
			flush(held);
		else if (!stream)
			flush_all(process);
		break;
	case BINLOG_TEXT_BUFFER:
		if (stream)
			held_of(process, stream, target);
		break;
	case BINLOG_TEXT_FORK:
		remember_fork(replay, process, (uint64_t)value);
		break;
	case BINLOG_TEXT_EXIT:
		flush_all(process);
		process->exited = true;
		break;
	case BINLOG_TEXT_SEEK:
		if (target && !written_seek(target, value))
			report_position(message, value);
		break;
	case BINLOG_TEXT_TRUNCATE:
		if (target && !written_truncate(target, value))
			report_position(message, value);
		break;
	case BINLOG_TEXT_PURGE:
		held = stream ? held_of(process, stream, target) : NULL;
		if (held)
			stdio_model_purge(&held->model);
		break;
	}
}

/* Of so much text for a FILE that has no buffer. */
static size_t handed_on(const struct message *message, size_t size)
{
	return message->context->flags & BINLOG_CONTEXT_FAILED
		       ? libc_handed_on(size, LIBC_STAGE)
		       : size;
}

/* A piece that did not come to an end within a part is not the last one. */
static void give_rest(struct held *held)
{
	const struct stdio_model_sink sink = {write_out, held->target};
	struct render_buffer *rest = &held->rest;

	if (rest->length == 0)
		return;
	if (held->kind == RENDER_PIECE_BLOCK)
		stdio_model_block(
			&held->model, rest->data, rest->length, &sink);
	else
		stdio_model_print(
			&held->model, rest->data, rest->length, false, &sink);
	rest->length = 0;
}

/*
 * A call that is recorded in parts: what is on both sides of a part's end went
 * to libc at once, which writes whole buffers; and how much of a call that
 * fails is handed on shows at its end.
 */
static void replay_part(
	struct replay *replay, struct held *held, const struct message *message)
{
	struct render_buffer *text = &replay->text;
	struct render_pieces *pieces = &replay->pieces;
	struct render_buffer *rest = &held->rest;
	const struct stdio_model_sink sink = {write_out, held->target};
	const size_t before = rest->length;
	size_t start, i;

	if (before > 0 && message->continues && pieces->count > 0 &&
		pieces->ends[0] % RENDER_PIECE_KINDS == held->kind) {
		/* all of it, with what was kept in front */
		render_buffer_put(rest, text->data, text->length);
		replay->failed |= rest->failed;
		text->length = 0;
		text->pieces = NULL; /* what is put is none of its own */
		render_buffer_put(text, rest->data, rest->length);
		text->pieces = pieces;
		for (i = 0; i < pieces->count; i++)
			pieces->ends[i] += before * RENDER_PIECE_KINDS;
		rest->length = 0;
	}
	give_rest(held);
	if (message->partial && pieces->count > 0) {
		held->kind = pieces->ends[pieces->count - 1] %
			     RENDER_PIECE_KINDS;
		start = pieces->count > 1 ? pieces->ends[pieces->count - 2] /
						    RENDER_PIECE_KINDS
					  : 0;
		if (held->kind != RENDER_PIECE_BYTES &&
			text->length - start < limits_size(LIMIT_CALL_TEXT)) {
			render_buffer_put(rest, text->data + start,
				text->length - start);
			replay->failed |= rest->failed;
			text->length = start;
			pieces->count--;
		} else if (held->kind == RENDER_PIECE_FAILED) {
			pieces->ends[pieces->count - 1] +=
				RENDER_PIECE_PRINTED - RENDER_PIECE_FAILED;
		}
	}
	stdio_model_text(&held->model, text, &sink);
}

static void replay_text(struct replay *replay, struct process *process,
	const struct message *message, struct written_target *target)
{
	const struct definition_stream *stream = message->context->stream;
	const struct stdio_model_sink sink = {write_out, target};
	size_t size = replay->text.length;
	struct held *held = NULL;

	if (stream && stream->file && !process->exited)
		held = held_of(process, stream, target);
	if (held && (message->partial || held->rest.length > 0))
		replay_part(replay, held, message);
	else if (held)
		stdio_model_text(&held->model, &replay->text, &sink);
	else
		write_out(target, replay->text.data, handed_on(message, size));
}

/* Past the FILE and the open file. */
static void put_at(struct replay *replay, const struct message *message,
	struct written_target *target)
{
	if (target)
		if (!written_put_at(target, message_event_value(message),
			    replay->text.data, replay->text.length))
			report_position(message, message_event_value(message));
}

void replay_message(
	struct replay *replay, const struct message *message, bool wanted)
{
	const struct definition_stream *stream = message->context->stream;
	struct process *process = process_of(replay, message);
	struct written_target *target = NULL;
	bool full = false;

	if (stream && wanted)
		target = written_find(replay->written, stream, &full);
	replay->failed |= !process || (stream && wanted && !target && !full);
	if (!process || full ||
		message->context->flags & BINLOG_CONTEXT_ESCAPED)
		return;
	if (message_is_event(message)) {
		replay_event(replay, process, message, target);
		return;
	}
	replay->text.length = 0;
	replay->pieces.count = 0;
	message_text(message, &replay->text);
	if (message->context->text == BINLOG_TEXT_BYTES_AT)
		put_at(replay, message, target);
	else if (replay->text.length > 0)
		replay_text(replay, process, message, target);
	replay->failed |= replay->text.failed;
}

bool replay_failed(const struct replay *replay)
{
	return replay->failed;
}

/*
 * A capture that was full has no record of its end, and of no flush before it:
 * what is held back may well have been written.
 */
static void finish(struct process *process)
{
	struct held *held;

	for (held = process->held; held; held = held->next)
		give_rest(held);
	if (process->capture->passed > 0)
		flush_all(process);
	free_held(process->held);
	free(process);
}

static void free_processes(struct replay *replay)
{
	size_t i;

	for (i = 0; replay->processes.slots && i <= replay->processes.mask;
		i++) {
		struct process *process = replay->processes.slots[i].value;

		while (process) {
			struct process *next = process->next;

			finish(process);
			process = next;
		}
	}
	id_map_free(&replay->processes);
}

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	free_processes(replay);
	while (replay->forks) {
		struct fork *next = replay->forks->next;

		free_held(replay->forks->held);
		free(replay->forks);
		replay->forks = next;
	}
	render_buffer_free(&replay->text);
	free(replay->pieces.ends);
	free(replay);
}
