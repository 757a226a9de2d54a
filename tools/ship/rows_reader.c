#include "tools/ship/rows_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

/*
 * In the process that reads.
 */

struct reading {
	const struct rows_reader_settings *settings;
	int fd;
	struct fleet_rows *rows;
	struct render_buffer block;
	uint64_t source;
	uint64_t number; /* of the next message */
	uint64_t from;	 /* of the block */
};

static void give(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(EXIT_NOTHING); /* nobody wants it any more */
		at += n;
		size -= (size_t)n;
	}
}

static void give_table(struct reading *reading, enum fleet_table table)
{
	struct native_block *block = fleet_rows_block(reading->rows, table);
	struct rows_reader_frame frame = {
		.kind = ROWS_BLOCK,
		.table = table,
		.source = reading->source,
		.from = reading->from,
		/* there is less in it than there was */
		.until = reading->number < reading->from ? reading->from
							 : reading->number,
		.rows = block->rows,
	};

	if (block->rows == 0)
		return;
	reading->block.length = 0;
	native_block_take(block, &reading->block);
	frame.bytes = reading->block.length;
	give(reading->fd, &frame, sizeof(frame));
	give(reading->fd, reading->block.data, reading->block.length);
}

/* What messages refer to is there before them. */
static void give_all(struct reading *reading)
{
	enum fleet_table table;

	for (table = FLEET_messages + 1; table < FLEET_TABLES; table++)
		give_table(reading, table);
	give_table(reading, FLEET_messages);
	if (reading->number > reading->from)
		reading->from = reading->number;
}

/* Where a block may end that is to be sent again as it was. */
static bool is_full(const struct reading *reading)
{
	const struct rows_reader_settings *settings = reading->settings;

	if (fleet_rows_open(reading->rows))
		return false;
	if (reading->from < settings->until)
		return reading->number == settings->until;
	return fleet_rows_count(reading->rows) >= BLOCK_MESSAGES ||
	       fleet_rows_bytes(reading->rows) >= BLOCK_BYTES;
}

static bool wants(void *closure, struct packed_batch *batch)
{
	struct reading *reading = closure;

	if (reading->number + batch->count > reading->from)
		return true;
	reading->number += batch->count;
	return false;
}

/* What was sent before is left out, and what is left of a call that was. */
static bool is_old(const struct reading *reading, const struct message *message)
{
	return reading->number < reading->settings->from ||
	       (message->continues && reading->settings->from > 0 &&
		       fleet_rows_count(reading->rows) == 0 &&
		       reading->from == reading->settings->from &&
		       !fleet_rows_open(reading->rows));
}

static void read_messages(struct reading *reading, struct source *source,
	struct statements *statements)
{
	const struct message *message;

	while ((message = source_next(source))) {
		if (is_old(reading, message)) {
			reading->number++;
			continue;
		}
		/* What is open ends before a message of another call. */
		if (!message->continues && is_full(reading))
			give_all(reading);
		message_report(message);
		if (statements)
			message = statements_apply(statements, message);
		fleet_rows_message(reading->rows, message, reading->number);
		reading->number++;
		if (is_full(reading))
			give_all(reading);
		if (fleet_rows_lack(reading->rows))
			return;
	}
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

static enum exit_status read_all(struct reading *reading)
{
	const struct rows_reader_settings *settings = reading->settings;
	struct symbolizer_options symbols = {.hash = NULL};
	struct error_list errors = {0};
	struct capture_list list = {0};
	struct rows_reader_frame head = {.kind = ROWS_SOURCE};
	struct restore *restore = restore_new(&symbols, NULL);
	struct fleet_rows_settings rows = {.text = settings->text};
	struct statements *statements = NULL;
	struct source *source;
	size_t count, i;
	struct recording *const *packed;

	capture_list_prepare();
	if (settings->places)
		rows.locations = locations_new(&symbols);
	if (settings->statements && restore)
		statements = statements_new(restore, false);
	if (confine(settings))
		return EXIT_NOTHING;
	capture_list_add(&list, settings->path, &errors);
	capture_list_unpack(&list, &errors);
	for (i = 0; i < list.count; i++)
		list.captures[i]->restore = restore;
	head.source = reading->source = rows.source =
		source_of(&list, settings->path);
	give(reading->fd, &head, sizeof(head));
	reading->rows = fleet_rows_new(&rows);
	source = source_new(&list, restore, &errors);
	if (!reading->rows || !source)
		return EXIT_NOTHING;
	source_filter(source, wants, reading);
	read_messages(reading, source, statements);
	if (!settings->growing)
		fleet_rows_close(reading->rows);
	if (!fleet_rows_open(reading->rows) && !settings->growing) {
		tell_losses(reading, list.captures, list.count, &errors);
		packed = source_packed(source, &count);
		if (list.count == 0)
			tell_losses(reading, packed, count, &errors);
	}
	if (!fleet_rows_open(reading->rows))
		give_all(reading);
	say_errors(&errors);
	if (fleet_rows_lack(reading->rows))
		return EXIT_NOTHING;
	return error_count(&errors, ERROR_SEVERITY_DAMAGE) > 0 ? EXIT_DAMAGE
							       : EXIT_ALL_READ;
}

/* Does not come back. */
static void read_and_end(const struct rows_reader_settings *settings, int fd)
{
	struct reading reading = {
		.settings = settings, .fd = fd, .from = settings->from};
	struct rows_reader_frame end = {.kind = ROWS_END};

	end.status = read_all(&reading);
	end.source = reading.source;
	end.until = reading.from;
	give(fd, &end, sizeof(end));
	_exit((int)end.status);
}

/*
 * In the process that sends.
 */

bool rows_reader_begin(
	struct rows_reader *reader, const struct rows_reader_settings *settings)
{
	pid_t parent = getpid();
	int fds[2];

	*reader = (struct rows_reader){.pid = -1, .fd = -1};
	if (pipe2(fds, O_CLOEXEC) != 0)
		return false;
	fcntl(fds[1], F_SETPIPE_SZ, 1 << 20);
	fflush(NULL);
	reader->pid = fork();
	if (reader->pid == 0) {
		close(fds[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_NOTHING);
		signal(SIGINT, SIG_IGN); /* who sends ends this one */
		signal(SIGTERM, SIG_IGN);
		signal(SIGPIPE, SIG_DFL);
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

/* It has read what strangers wrote, and may not be believed. */
static bool is_sane(const struct rows_reader_frame *frame)
{
	return frame->kind <= ROWS_END && frame->table < FLEET_TABLES &&
	       frame->bytes <= FRAME_BYTES_MAX && frame->from <= frame->until;
}

bool rows_reader_next(
	struct rows_reader *reader, struct rows_reader_frame *frame)
{
	char *larger;

	if (!take(reader->fd, frame, sizeof(*frame)) ||
		(frame->kind == ROWS_BLOCK && !is_sane(frame)))
		return false;
	if (frame->kind != ROWS_BLOCK)
		return frame->kind <= ROWS_END;
	if (frame->bytes > reader->room) {
		larger = realloc(reader->bytes, frame->bytes);
		if (!larger)
			return false;
		reader->bytes = larger;
		reader->room = frame->bytes;
	}
	return take(reader->fd, reader->bytes, frame->bytes);
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
	*reader = (struct rows_reader){.pid = -1, .fd = -1};
}
