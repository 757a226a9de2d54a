#include "tools/ship/rows_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/limits.h"
#include "decoder/capture/restore.h"
#include "decoder/fleet/rows.h"
#include "decoder/names/locations.h"
#include "decoder/show/say.h"
#include "decoder/source/capture_list.h"
#include "decoder/source/source.h"
#include "decoder/statements/statements.h"
#include "record/hash.h"
#include "sandbox/sandbox.h"
#include "symbolizer/symbolizer.h"

/* A block of messages ends with as many, or as many bytes. */
#define BLOCK_MESSAGES (1u << 17)
#define BLOCK_BYTES ((size_t)32 << 20)
/* Nothing larger is believed: one text, and a block around it. */
#define FRAME_BYTES_MAX ((uint64_t)1 << 31)
#define ITEMS_MAX (1u << 16)

/*
 * In the process that reads.
 */

struct reading {
	const struct rows_reader_settings *settings;
	int fd;
	struct fleet_rows *rows;
	struct render_buffer block;
	struct rows_reader_item *items; /* of the block, this log's not yet */
	size_t count;
	size_t room;
	size_t log;	 /* its place in the settings */
	uint64_t sent;	 /* messages of it before this one */
	uint64_t number; /* of its next message */
	uint64_t from;	 /* the first of it in the block */
	bool begun;	 /* a call of it is in a row */
	/* Of its messages since `from` those whose time lies ahead: */
	uint64_t ahead;
	uint64_t ahead_from; /* the first */
	uint64_t ahead_time; /* the latest time */
	struct error_list *errors;
};

static bool take(int fd, void *bytes, size_t size)
{
	char *at = bytes;

	while (size > 0) {
		ssize_t n = read(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

static bool put(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

/* Where nobody wants it any more, nothing is left to be done. */
static void give(const struct reading *reading, const void *bytes, size_t size)
{
	if (!put(reading->fd, bytes, size))
		_exit(EXIT_NOTHING);
}

static void give_table(struct reading *reading, enum fleet_table table)
{
	struct native_block *block = fleet_rows_block(reading->rows, table);
	struct rows_reader_frame frame = {
		.kind = ROWS_BLOCK,
		.table = table,
		.rows = block->rows,
		.items = table == FLEET_messages ? reading->count : 0,
	};

	if (frame.rows + frame.items == 0)
		return;
	reading->block.length = 0;
	if (frame.rows > 0)
		native_block_take(block, &reading->block);
	frame.bytes = reading->block.length;
	give(reading, &frame, sizeof(frame));
	if (frame.items > 0)
		give(reading, reading->items,
			frame.items * sizeof(reading->items[0]));
	give(reading, reading->block.data, reading->block.length);
}

/* What messages refer to is there before them. */
static void give_all(struct reading *reading)
{
	enum fleet_table table;

	for (table = FLEET_messages + 1; table < FLEET_TABLES; table++)
		give_table(reading, table);
	give_table(reading, FLEET_messages);
	reading->count = 0;
}

/* A clock that runs ahead says things later than they arrive: who looks for
 * them by their time has to know. */
static void note_time(struct reading *reading, const struct message *message)
{
	if (message->wall <= reading->settings->ahead)
		return;
	if (reading->ahead++ == 0)
		reading->ahead_from = reading->number;
	if (message->wall > reading->ahead_time)
		reading->ahead_time = message->wall;
}

static void tell_ahead(struct reading *reading)
{
	char time[32];

	if (reading->ahead == 0)
		return;
	snprintf(time, sizeof(time), "%" PRIu64, reading->ahead_time);
	fleet_rows_loss(reading->rows, "ahead", reading->ahead_from,
		reading->ahead, time);
	reading->ahead = reading->ahead_time = 0;
}

/* What of the log is in the block, up to the next message. */
static void note_item(struct reading *reading, uint64_t until, bool ended)
{
	if (!array_reserve(reading->items, reading->room, reading->count + 1))
		_exit(EXIT_NOTHING);
	tell_ahead(reading);
	reading->items[reading->count++] = (struct rows_reader_item){
		.log = reading->log,
		.from = reading->from,
		.until = until > reading->from ? until : reading->from,
		.ended = ended,
		.damaged = ended && error_count(reading->errors,
					    ERROR_SEVERITY_DAMAGE) > 0,
	};
	if (until > reading->from)
		reading->from = until;
}

/* Where a block ends. */
static bool is_full(const struct reading *reading)
{
	if (fleet_rows_open(reading->rows))
		return false;
	return fleet_rows_count(reading->rows) >= BLOCK_MESSAGES ||
	       fleet_rows_bytes(reading->rows) >= BLOCK_BYTES;
}

static void give_if_full(struct reading *reading)
{
	if (!is_full(reading))
		return;
	note_item(reading, reading->number, false);
	give_all(reading);
}

static bool wants(void *closure, struct packed_batch *batch)
{
	struct reading *reading = closure;

	if (reading->number + batch->count > reading->sent)
		return true;
	reading->number += batch->count;
	return false;
}

/* What was sent before is left out, and what is left of a call that was. */
static bool is_old(const struct reading *reading, const struct message *message)
{
	const uint64_t from = reading->sent;

	return reading->number < from ||
	       (message->continues && from > 0 && reading->from == from &&
		       !fleet_rows_open(reading->rows) && !reading->begun);
}

/* The number of the first message that is not in a row which is whole. */
static uint64_t read_messages(struct reading *reading, struct source *source,
	struct statements *statements)
{
	const struct message *message;
	uint64_t begun = 0;

	while ((message = source_next(source))) {
		if (is_old(reading, message)) {
			reading->number++;
			continue;
		}
		/* What is open ends before a message of another call. */
		if (!message->continues)
			give_if_full(reading);
		message_report(message);
		if (statements)
			message = statements_apply(statements, message);
		if (!fleet_rows_open(reading->rows))
			begun = reading->number;
		reading->begun = true;
		note_time(reading, message);
		fleet_rows_message(reading->rows, message, reading->number);
		reading->number++;
		give_if_full(reading);
		if (fleet_rows_lack(reading->rows))
			break;
	}
	return fleet_rows_open(reading->rows) ? begun : reading->number;
}

static void tell_losses(struct reading *reading,
	struct recording *const *captures, size_t count,
	const struct error_list *errors)
{
	uint64_t passed = 0, dropped = 0;
	char words[1024];
	size_t i;

	for (i = 0; i < count; i++) {
		passed += captures[i]->passed;
		dropped += captures[i]->dropped;
	}
	if (passed > 0)
		fleet_rows_loss(reading->rows, "passed", 0, passed, "");
	if (dropped > 0)
		fleet_rows_loss(reading->rows, "dropped", 0, dropped, "");
	for (i = 0; i < errors->count && i < ERROR_KEPT_MAX; i++) {
		error_sentence(&errors->kept[i], words, sizeof(words));
		fleet_rows_loss(reading->rows, "damage", i,
			errors->kept[i].number, words);
	}
}

/* Random numbers are in every log and capture; else its beginning is hashed. */
static uint64_t source_of(const struct capture_list *list, const char *path)
{
	uint64_t id = 0;
	char bytes[4096];
	ssize_t n = 0;
	int fd;

	if (list->count > 0)
		id = binlog_hash_word(1, list->captures[0]->header.nonce);
	else if (list->packed_count > 0)
		id = packed_reader_log(list->packed[0]);
	if (id == 0) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes));
		id = binlog_hash(bytes, n < 0 ? 0 : (size_t)n);
		if (fd >= 0)
			close(fd);
	}
	return id | (id == 0);
}

/* Null, or why it must not go on. */
static const char *confine(const struct rows_reader_settings *settings)
{
	char *cache = symbolizer_usual_cache();
	struct symbolizer_options symbols = {.cache = cache};
	struct sandbox_needs needs = {0};
	const char *wrong;

	if (settings->places || settings->statements)
		symbolizer_add_needs(&symbols, &needs);
	wrong = sandbox_enter(&needs);
	free(cache);
	return wrong;
}

/* With what all logs have in common. */
struct tools {
	struct restore *restore;
	bool statements;
};

/* From its answer to its end. */
static void read_log(struct reading *reading, struct capture_list *list,
	const struct tools *tools)
{
	const bool growing = reading->settings->logs[reading->log].growing;
	struct statements *statements =
		tools->statements ? statements_new(tools->restore, false)
				  : NULL;
	struct source *source =
		source_new(list, tools->restore, reading->errors);
	struct recording *const *packed;
	uint64_t until;
	size_t count;

	if (!source)
		_exit(EXIT_NOTHING);
	source_filter(source, wants, reading);
	until = read_messages(reading, source, statements);
	if (growing) {
		fleet_rows_forget(reading->rows);
	} else {
		fleet_rows_close(reading->rows);
		until = reading->number;
		tell_losses(
			reading, list->captures, list->count, reading->errors);
		packed = source_packed(source, &count);
		if (list->count == 0)
			tell_losses(reading, packed, count, reading->errors);
	}
	note_item(reading, until, true);
	if (is_full(reading) || reading->count >= ITEMS_MAX / 2)
		give_all(reading);
	statements_free(statements);
	source_free(source);
}

static void take_log(struct reading *reading, const struct tools *tools)
{
	const char *path = reading->settings->logs[reading->log].path;
	struct rows_reader_frame opened = {
		.kind = ROWS_LOG, .log = reading->log};
	struct rows_reader_frame head = {
		.kind = ROWS_SOURCE, .log = reading->log};
	struct capture_list list = {0};
	struct error_list errors = {0};
	size_t i;

	reading->errors = &errors;
	reading->number = 0;
	reading->begun = false;
	give(reading, &opened, sizeof(opened));
	capture_list_add(&list, path, &errors);
	capture_list_unpack(&list, &errors);
	for (i = 0; i < list.count; i++)
		list.captures[i]->restore = tools->restore;
	head.source = source_of(&list, path);
	fleet_rows_source(reading->rows, head.source);
	give(reading, &head, sizeof(head));
	if (!take(reading->fd, &reading->sent, sizeof(reading->sent)))
		_exit(EXIT_NOTHING);
	reading->from = reading->sent;
	if (reading->sent != ROWS_SKIP)
		read_log(reading, &list, tools);
	say_errors(&errors);
	capture_list_free(&list);
}

/* Does not come back. */
static void read_and_end(const struct rows_reader_settings *settings, int fd)
{
	struct symbolizer_options symbols = {.hash = NULL};
	struct fleet_rows_settings rows = {.text = settings->text};
	struct reading reading = {.settings = settings, .fd = fd};
	struct rows_reader_frame end = {.kind = ROWS_END};
	const struct tools tools = {
		.restore = restore_new(&symbols, NULL),
		.statements = settings->statements,
	};

	capture_list_prepare();
	if (settings->places)
		rows.locations = locations_new(&symbols);
	reading.rows = fleet_rows_new(&rows);
	if (!reading.rows || !tools.restore || confine(settings))
		_exit(EXIT_NOTHING);
	for (; reading.log < settings->count; reading.log++) {
		if (!settings->logs[reading.log].skipped)
			take_log(&reading, &tools);
		if (fleet_rows_lack(reading.rows))
			_exit(EXIT_NOTHING);
	}
	give_all(&reading);
	give(&reading, &end, sizeof(end));
	_exit(EXIT_ALL_READ);
}

/*
 * In the process that sends.
 */

bool rows_reader_begin(
	struct rows_reader *reader, const struct rows_reader_settings *settings)
{
	pid_t parent = getpid();
	int bytes = 1 << 20;
	int fds[2];

	*reader = (struct rows_reader){
		.pid = -1, .fd = -1, .stopped = settings->stopped};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		return false;
	setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	fflush(NULL);
	reader->pid = fork();
	if (reader->pid == 0) {
		close(fds[0]);
		/* a shipper that was killed holds them no longer */
		for (size_t i = 0; i < settings->count; i++)
			close(settings->logs[i].lock);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_NOTHING);
		signal(SIGINT, SIG_IGN); /* who sends ends this one */
		signal(SIGTERM, SIG_IGN);
		explicit_bzero(settings->secret, settings->secret_bytes);
		read_and_end(settings, fds[1]);
	}
	close(fds[1]);
	reader->fd = fds[0];
	if (reader->pid > 0)
		return true;
	close(fds[0]);
	reader->fd = -1;
	return false;
}

bool rows_reader_answer(struct rows_reader *reader, uint64_t from)
{
	return put(reader->fd, &from, sizeof(from));
}

/* It has read what strangers wrote, and may not be believed. */
static bool is_sane(const struct rows_reader_frame *frame)
{
	return frame->kind <= ROWS_END && frame->table < FLEET_TABLES &&
	       frame->bytes <= FRAME_BYTES_MAX && frame->items <= ITEMS_MAX;
}

/* Whoever is stopped does not wait for one that takes its time. */
static bool wait_for(const struct rows_reader *reader)
{
	struct pollfd fd = {.fd = reader->fd, .events = POLLIN};

	while (!*reader->stopped)
		if (poll(&fd, 1, 200) > 0)
			return true;
	return false;
}

bool rows_reader_next(
	struct rows_reader *reader, struct rows_reader_frame *frame)
{
	if (!wait_for(reader) || !take(reader->fd, frame, sizeof(*frame)) ||
		!is_sane(frame) ||
		!array_reserve(reader->bytes, reader->room, frame->bytes) ||
		!array_reserve(reader->items, reader->item_room, frame->items))
		return false;
	return take(reader->fd, reader->items,
		       frame->items * sizeof(reader->items[0])) &&
	       take(reader->fd, reader->bytes, frame->bytes);
}

void rows_reader_end(struct rows_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	if (reader->pid > 0) {
		kill(reader->pid, SIGKILL);
		while (waitpid(reader->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(reader->bytes);
	free(reader->items);
	*reader = (struct rows_reader){.pid = -1, .fd = -1};
}
