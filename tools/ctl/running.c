#include "tools/ctl/running.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "decoder/capture/recording.h"
#include "decoder/capture/recording_ring.h"
#include "decoder/output/output.h"
#include "decoder/show/descriptors.h"
#include "decoder/show/recover.h"
#include "decoder/source/capture_list.h"
#include "record/layout.h"
#include "record/packed.h"
#include "rules/config.h"
#include "sandbox/sandbox.h"
#include "tools/ctl/status.h"
#include "tools/live/changes.h"
#include "tools/live/follower.h"
#include "tools/live/switching.h"
#include "tools/live/targets.h"
#include "tools/live/words.h"
#include "tools/program/resolve.h"

/*
 * Changes in all captures that binlog-ctl was asked about, and in what starts
 * later; says of each capture what came of it.  Called by running.c.  Promises
 * that a program which starts meanwhile obeys, too.
 */

struct switch_all {
	struct targets *targets;
	bool waits;	  /* as it was asked for */
	uint64_t wait_ns; /* for the changes to be in force */
	bool left;	  /* something could not be done, or is not in force */
};

static void switch_all(struct switch_all *all, struct changes *changes);

/*
 * The configuration that a program was started with, read again: what
 * BINLOG_CONFIG names in its environment, and the control.conf beside its
 * capture.
 */

/* Settings that can be switched, and the words for that. */
static const struct {
	enum config_key key;
	const char *variable;
	enum word word;
} settings[] = {
	{CONFIG_level, "BINLOG_LEVEL", WORD_LEVEL},
	{CONFIG_depth, "BINLOG_DEPTH", WORD_DEPTH},
	{CONFIG_streams, "BINLOG_STREAMS", WORD_STREAMS},
};

enum { SETTINGS = sizeof(settings) / sizeof(*settings) };

struct reload {
	char *environment; /* NAME=VALUE, a NUL behind each */
	size_t bytes;
	struct changes *changes;
	const char *path; /* of the file that is being read */
};

static bool all_fail(struct changes *changes, const char *what, const char *why)
{
	snprintf(changes->sentence, sizeof(changes->sentence), "%s: %s", what,
		why);
	return false;
}

/* Null: it is not there. */
static const char *variable(const struct reload *reload, const char *name)
{
	size_t length = strlen(name);
	const char *at = reload->environment;
	const char *end = at + reload->bytes;

	for (; at < end; at += strlen(at) + 1)
		if (strncmp(at, name, length) == 0 && at[length] == '=')
			return at + length + 1;
	return NULL;
}

static bool fail_at(
	struct reload *reload, const struct config_text *place, const char *why)
{
	struct changes *changes = reload->changes;

	snprintf(changes->sentence, sizeof(changes->sentence),
		"%s:%u:%u: %.*s: %s", reload->path, place->line, place->column,
		(int)(place->bytes < 64 ? place->bytes : 64), place->text, why);
	return false;
}

static bool take_text(
	struct reload *reload, enum word word, const struct config_text *value)
{
	char *text = strndup(value->text, value->bytes);
	const struct word_said said = {
		.word = word, .text = reload->path, .value = text};
	char why[sizeof(reload->changes->sentence)];
	bool good = text && changes_take(reload->changes, &said);

	if (!text)
		all_fail(reload->changes, reload->path, "out of memory");
	free(text);
	if (good || !text)
		return good;
	snprintf(why, sizeof(why), "%s", reload->changes->sentence);
	snprintf(reload->changes->sentence, sizeof(why), "%s:%u: %.400s",
		reload->path, value->line, why);
	return false;
}

/* What the environment says goes before what the file of the user says. */
static bool take_setting(
	struct reload *reload, const struct config_entry *entry, bool is_users)
{
	int i;

	for (i = 0; i < SETTINGS; i++)
		if (settings[i].key == entry->setting &&
			(!is_users || !variable(reload, settings[i].variable)))
			return take_text(
				reload, settings[i].word, &entry->value);
	return true;
}

static bool take_entries(
	struct reload *reload, const char *text, size_t bytes, bool is_users)
{
	struct config_entry entry;
	struct config config;
	bool good = true;

	config_begin(&config, text, bytes);
	while (good && config_next(&config, &entry)) {
		if (entry.kind == CONFIG_WRONG)
			good = fail_at(reload, &entry.key, entry.wrong);
		else if (entry.kind == CONFIG_SETTING)
			good = take_setting(reload, &entry, is_users);
		else if (entry.kind == CONFIG_RULES)
			good = take_text(reload, WORD_RULE, &entry.value);
	}
	return good;
}

/* `shown` is what it is called. */
static bool take_config(struct reload *reload, const char *path,
	const char *shown, bool is_users)
{
	size_t bytes;
	char *text = control_file_read(path, &bytes);
	bool good;

	if (!text && errno == ENOENT && !is_users)
		return true;
	if (!text)
		return all_fail(reload->changes, shown, strerror(errno));
	reload->path = shown;
	good = take_entries(reload, text, bytes, is_users);
	reload->path = NULL;
	free(text);
	return good;
}

/* As the process would find it. */
static bool take_users(struct reload *reload, pid_t process)
{
	const char *name = variable(reload, "BINLOG_CONFIG");
	char path[PATH_MAX];

	if (!name || !*name)
		return true;
	if (snprintf(path, sizeof(path), "/proc/%d/%s/%s", (int)process,
		    *name == '/' ? "root" : "cwd", name) >= (int)sizeof(path))
		return all_fail(reload->changes, name, strerror(ENAMETOOLONG));
	return take_config(reload, path, name, true);
}

static bool take_directorys(struct reload *reload, const char *capture)
{
	const char *slash = strrchr(capture, '/');
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s%s",
		slash ? (int)(slash + 1 - capture) : 0, capture,
		CONTROL_FILE_NAME);
	return take_config(reload, path, path, false);
}

/*
 * What would be in force if it were started now, as far as that can be
 * switched.  `capture` is the path of its capture.  False: the sentence in
 * *changes says why not.
 */
static bool reload_read(
	pid_t process, const char *capture, struct changes *changes)
{
	struct reload reload = {.changes = changes};
	char path[40];
	bool good;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)process);
	reload.environment = control_file_read(path, &reload.bytes);
	if (!reload.environment)
		return all_fail(changes, path, strerror(errno));
	changes->any = true;
	changes->rules_replaced = true;
	good = take_users(&reload, process) &&
	       take_directorys(&reload, capture);
	free(reload.environment);
	return good;
}

/* How often it is looked, and how often whether anybody is there still. */
#define LOOK_US 100
#define LOOKS_BETWEEN 1000

static void complain_of(
	struct switch_all *all, const struct target *target, const char *why)
{
	all->left = true;
	ctl_say_complaint(target->label, why);
}

/* By its number; of a capture, that of who has made it. */
static pid_t process_of(const struct targets *targets, size_t i)
{
	return targets->directory ? (pid_t)targets->all[i].header.pid
				  : targets->process;
}

/* ---- waiting ---- */

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Until `begun` plus what was asked for, or all of its programs have ended. */
static bool await(const struct switch_all *all, struct target *target,
	const struct switching *switching, uint64_t begun)
{
	unsigned looks = 0;

	while (!switching_is_applied(switching)) {
		if (target->executed || now() - begun >= all->wait_ns ||
			(++looks % LOOKS_BETWEEN == 0 &&
				!targets_ask_use(target)))
			return false;
		usleep(LOOK_US);
	}
	return true;
}

static void all_tell(struct switch_all *all, struct target *target,
	const struct switching *switching, uint64_t begun)
{
	bool applied = await(all, target, switching, begun);
	uint32_t line = applied ? switching_wrong_line(switching) : 0;

	/* Nobody may be left who could obey, and that is no failure. */
	if (target->executed && !applied)
		return;
	ctl_say_put(stdout, target->label);
	if (line > 0)
		printf(": rules refused at line %u: see binlog-rules(7)\n",
			(unsigned)line);
	else if (applied)
		puts(": in force");
	else
		puts(target->in_use ? ": in force at its next call"
				    : ": has ended");
	all->left |= line > 0 || (all->waits && !applied);
}

/* ---- switching ---- */

static void begin(struct switch_all *all, struct switching *switching,
	const struct target *target, const struct changes *changes)
{
	enum switching_outcome outcome =
		switching_begin(switching, target, changes);

	if (outcome == SWITCHING_DONE)
		return;
	complain_of(all, target,
		switching_why(outcome) ? switching_why(outcome)
				       : strerror(errno));
	switching_end(switching);
}

/* So many from that one on. */
static void switch_each(struct switch_all *all, size_t from, size_t count,
	const struct changes *changes)
{
	struct target *targets = all->targets->all + from;
	struct switching *switchings = calloc(count + 1, sizeof(*switchings));
	uint64_t begun = now();
	size_t i;

	if (!switchings) {
		all->left |= ctl_say_complaint("out of memory", NULL);
		return;
	}
	for (i = 0; i < count; i++)
		if (targets[i].in_use || !all->targets->directory)
			begin(all, &switchings[i], &targets[i], changes);
	for (i = 0; i < count; i++) {
		if (!switchings[i].page)
			continue;
		all_tell(all, &targets[i], &switchings[i], begun);
		switching_end(&switchings[i]);
	}
	free(switchings);
}

static void say_no_effect(void *closure, unsigned line, const char *sentence)
{
	struct switch_all *all = closure;
	char text[1024];

	snprintf(text, sizeof(text), "rules, line %u: %s", line, sentence);
	ctl_say_complaint(line ? text : sentence, NULL);
	all->left = true;
}

/* All programs get rules about places in any of them. */
static void resolve(struct switch_all *all, struct changes *changes)
{
	const struct resolve_report report = {say_no_effect, all};
	const struct symbolizer_options options = {0};
	struct resolve_modules modules = {0};
	struct rules_error error;
	size_t bytes, i;
	char *text;

	if (changes->rules_bytes == 0)
		return;
	for (i = 0; i < all->targets->count; i++)
		resolve_modules_add(&modules, process_of(all->targets, i));
	text = resolve_rules(changes->rules, changes->rules_bytes,
		modules.modules, modules.count, &options, &report, &bytes,
		&error);
	resolve_modules_free(&modules);
	if (!text)
		return;
	free(changes->rules);
	changes->rules = text;
	changes->rules_bytes = bytes;
}

/* What starts from here on obeys; what has started until now is found. */
static void switch_later(struct switch_all *all, const struct changes *changes)
{
	const char *directory = all->targets->directory;
	const char *why = control_file_merge(directory, changes);
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.4000s/" CONTROL_FILE_NAME, directory);
	if (why) {
		all->left |= ctl_say_complaint(path, why);
	} else {
		ctl_say_put(stdout, path);
		puts(": for what starts later");
	}
	if (!targets_renew(all->targets))
		all->left |= ctl_say_complaint(all->targets->sentence, NULL);
}

/* Rules about the source become such about places. */
static void switch_all(struct switch_all *all, struct changes *changes)
{
	resolve(all, changes);
	if (all->targets->directory)
		switch_later(all, changes);
	switch_each(all, 0, all->targets->count, changes);
}

/* What each process would do if it were started now. */
static void switch_all_reload(struct switch_all *all)
{
	const struct targets *targets = all->targets;
	size_t i;

	for (i = 0; i < targets->count; i++) {
		const struct target *target = &targets->all[i];
		struct changes changes = {0};

		if (targets->directory && !target->in_use)
			continue;
		if (reload_read(
			    process_of(targets, i), target->path, &changes)) {
			resolve(all, &changes);
			switch_each(all, i, 1, &changes);
		} else {
			complain_of(all, target, changes.sentence);
		}
		changes_free(&changes);
	}
}

/*
 * A copy of a capture as it is now, while programs go on writing to it.  Called
 * by running.c.  Promises that no program waits for it, that every record in
 * the copy is whole and has its definitions, that no writer has a gap, and that
 * the copy has its name only when it is finished.
 */

struct snapshot {
	const struct targets *targets;
	const char *out; /* a directory, a name in .binlog or in .blog */
	/* For each copy, or with `why` for what could not be copied. */
	void (*tell)(void *closure, const struct target *target,
		const char *path, uint64_t bytes, const char *why);
	void *closure;
};

/*
 * The capture behind a descriptor, as it is now, into an empty file: what
 * readers read, at the same places, with holes between.
 */

/*
 * One block of a capture into a copy of it, while its thread goes on writing.
 * Promises that the copy ends behind a whole record, and
 * that no block is copied that became another one meanwhile.
 */

enum block_copy {
	BLOCK_COPY_DONE,
	BLOCK_COPY_GONE,   /* it was freed, or is another one by now */
	BLOCK_COPY_FAILED, /* errno */
};

struct block_copier {
	int from;
	int to;
	uint8_t *first; /* of BINLOG_BLOCK_MAX bytes each */
	uint8_t *second;
};

static enum block_copy block_copy(struct block_copier *copier,
	const struct recording_block *block, bool open);

/* A record that was taken back and has another one in its place. */
enum { TRIES = 16 };

/* False: out of memory; to be ended all the same. */
static bool block_copy_begin(struct block_copier *copier, int from, int to)
{
	*copier = (struct block_copier){
		.from = from,
		.to = to,
		.first = malloc(BINLOG_BLOCK_MAX),
		.second = malloc(BINLOG_BLOCK_MAX),
	};
	return copier->first && copier->second;
}

static void block_copy_end(struct block_copier *copier)
{
	free(copier->first);
	free(copier->second);
}

/* Returns how many bytes there are; -1: errno. */
static ssize_t read_at(int fd, uint8_t *bytes, size_t size, uint64_t at)
{
	size_t done = 0;
	ssize_t n = 1;

	while (done < size && n != 0) {
		n = pread(fd, bytes + done, size - done, (off_t)(at + done));
		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0)
			done += (size_t)n;
	}
	return (ssize_t)done;
}

static bool write_at(int fd, const uint8_t *bytes, size_t size, uint64_t at)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(
			fd, bytes + done, size - done, (off_t)(at + done));

		if (n == 0)
			errno = ENOSPC;
		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		if (n > 0)
			done += (size_t)n;
	}
	return true;
}

static bool is_block(
	const uint8_t *bytes, size_t size, const struct recording_block *block)
{
	struct binlog_block head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	return head.magic == BINLOG_BLOCK_MAGIC && head.size == block->size &&
	       head.writer == block->writer &&
	       head.sequence == block->sequence &&
	       head.anchor.ticks == block->anchor.ticks;
}

/* Behind its header, whose counters change all along. */
static size_t count_same(
	const uint8_t *first, const uint8_t *second, size_t size)
{
	size_t same = sizeof(struct binlog_block);
	uint64_t a, b;

	for (; size - same >= sizeof(a); same += sizeof(a)) {
		memcpy(&a, first + same, sizeof(a));
		memcpy(&b, second + same, sizeof(b));
		if (a != b)
			break;
	}
	while (same < size && first[same] == second[same])
		same++;
	return same & ~(size_t)3;
}

/*
 * How many bytes of it are whole records.  What had its first word when it was
 * read once was whole when it was read again: so both agree up to there, and
 * differ first at a word that was zero.  Otherwise a record was taken back.
 */
static enum block_copy read_open(struct block_copier *copier,
	const struct recording_block *block, size_t *bytes)
{
	ssize_t n = read_at(
		copier->from, copier->first, block->size, block->offset);
	size_t size = n > 0 ? (size_t)n : 0;
	int i;

	for (i = 0; i < TRIES && n >= 0; i++) {
		uint8_t *first = copier->first;
		uint32_t word = 0;

		n = read_at(copier->from, copier->second, size, block->offset);
		if (n < 0)
			break;
		size = (size_t)n;
		if (!is_block(copier->second, size, block))
			return BLOCK_COPY_GONE;
		*bytes = count_same(first, copier->second, size);
		if (size - *bytes >= sizeof(word))
			memcpy(&word, first + *bytes, sizeof(word));
		if (word == 0)
			return BLOCK_COPY_DONE;
		copier->first = copier->second;
		copier->second = first;
	}
	return n < 0 ? BLOCK_COPY_FAILED : BLOCK_COPY_DONE;
}

static enum block_copy copy_open(
	struct block_copier *copier, const struct recording_block *block)
{
	size_t bytes = 0;
	enum block_copy done = read_open(copier, block, &bytes);

	if (done == BLOCK_COPY_DONE &&
		!write_at(copier->to, copier->first, bytes, block->offset))
		return BLOCK_COPY_FAILED;
	return done;
}

/* Whether the kernel can do it alone. */
static bool copy_inside(
	struct block_copier *copier, const struct recording_block *block)
{
	off_t from = (off_t)block->offset;
	off_t to = from;
	size_t left = block->size;

	while (left > 0) {
		ssize_t n = copy_file_range(
			copier->from, &from, copier->to, &to, left, 0);

		if (n <= 0)
			return false;
		left -= (size_t)n;
	}
	return true;
}

static bool copy_outside(
	struct block_copier *copier, const struct recording_block *block)
{
	ssize_t n = read_at(
		copier->from, copier->first, block->size, block->offset);

	return n >= 0 &&
	       write_at(copier->to, copier->first, (size_t)n, block->offset);
}

/* It may have been freed while it was copied. */
static enum block_copy copy_full(
	struct block_copier *copier, const struct recording_block *block)
{
	uint8_t head[sizeof(struct binlog_block)];
	ssize_t n;

	if (!copy_inside(copier, block) && !copy_outside(copier, block))
		return BLOCK_COPY_FAILED;
	n = read_at(copier->from, head, sizeof(head), block->offset);
	if (n < 0)
		return BLOCK_COPY_FAILED;
	if (is_block(head, (size_t)n, block))
		return BLOCK_COPY_DONE;
	memset(head, 0, sizeof(head));
	return write_at(copier->to, head, sizeof(head), block->offset) &&
			       fallocate(copier->to,
				       FALLOC_FL_PUNCH_HOLE |
					       FALLOC_FL_KEEP_SIZE,
				       (off_t)block->offset, block->size) == 0
		       ? BLOCK_COPY_GONE
		       : BLOCK_COPY_FAILED;
}

/* To the same place.  `open`: its thread may be writing to it. */
static enum block_copy block_copy(struct block_copier *copier,
	const struct recording_block *block, bool open)
{
	return open ? copy_open(copier, block) : copy_full(copier, block);
}

/* One of a ring: as it was when the capture was opened. */
static enum block_copy block_copy_ring(struct block_copier *copier,
	struct recording *recording, const struct recording_block *block)
{
	size_t n = recording_read(
		recording, block->offset, copier->first, block->size);

	return write_at(copier->to, copier->first, n, block->offset)
		       ? BLOCK_COPY_DONE
		       : BLOCK_COPY_FAILED;
}

static bool is_of_ring(const struct recording_block *block)
{
	return block->sequence & BINLOG_RING_DATA;
}

/* Its writer may still write to it: no other one of its kind follows. */
static bool is_open(const struct recording *recording, size_t i)
{
	const struct recording_block *block = &recording->blocks[i];

	return i + 1 == recording->block_count ||
	       block[1].writer != block->writer ||
	       is_of_ring(&block[1]) != is_of_ring(block);
}

/* It is not written from its beginning to its end, but all over. */
static bool has_table(
	const struct recording *recording, const struct recording_block *block)
{
	uint64_t table = recording->ring ? recording->ring->head.table : 0;

	return table >= block->offset && table - block->offset < block->size;
}

static enum block_copy copy_block(
	struct recording *recording, struct block_copier *copier, size_t i)
{
	const struct recording_block *block = &recording->blocks[i];

	if (is_of_ring(block))
		return block_copy_ring(copier, recording, block);
	return block_copy(copier, block,
		is_open(recording, i) && !has_table(recording, block));
}

static uint64_t end_of(const struct recording_block *block)
{
	return (block->offset + block->size + BINLOG_PAGE - 1) &
	       ~(uint64_t)(BINLOG_PAGE - 1);
}

static bool copy_blocks(struct recording *recording,
	struct block_copier *copier, struct binlog_header *header)
{
	size_t i;

	header->next = BINLOG_PAGE;
	header->published = 0;
	for (i = 0; i < recording->block_count; i++) {
		const struct recording_block *block = &recording->blocks[i];

		switch (copy_block(recording, copier, i)) {
		case BLOCK_COPY_DONE:
			header->published += block->size;
			break;
		case BLOCK_COPY_GONE:
			continue;
		case BLOCK_COPY_FAILED:
			return false;
		}
		if (end_of(block) > header->next)
			header->next = end_of(block);
	}
	return true;
}

/* Last of all: what was counted is at least what was copied.  How blocks are
 * handed over is no business of a file that does not grow. */
static bool copy_page(int from, int to, const struct binlog_header *header,
	const struct recording *recording)
{
	char page[BINLOG_PAGE];
	struct binlog_header *copy = (void *)page;

	if (pread(from, page, sizeof(page), 0) != (ssize_t)sizeof(page)) {
		errno = ENODATA;
		return false;
	}
	copy->next = header->next;
	copy->published = header->published;
	if (recording->ring)
		*ring_of(copy) = recording->ring->head;
	memset(page + BINLOG_PREPARED_OFFSET, 0,
		BINLOG_PACKED_OFFSET - BINLOG_PREPARED_OFFSET);
	memset(page + BINLOG_POSITIONS_OFFSET, 0,
		sizeof(page) - BINLOG_POSITIONS_OFFSET);
	return ftruncate(to, (off_t)header->next) == 0 &&
	       pwrite(to, page, sizeof(page), 0) == (ssize_t)sizeof(page);
}

/* False: errno says why not; *bytes are those of its blocks. */
static bool capture_copy(int from, int to, uint64_t *bytes)
{
	struct binlog_header header = {.next = 0};
	struct error_list errors = {0};
	struct block_copier copier = {.from = from};
	struct recording *recording;
	char path[40];
	bool copied;
	int reason;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", from);
	errno = 0;
	recording = recording_open(path, true, &errors);
	copied = recording && block_copy_begin(&copier, from, to) &&
		 copy_blocks(recording, &copier, &header) &&
		 copy_page(from, to, &header, recording);
	reason = errno != 0 ? errno : EINVAL;
	block_copy_end(&copier);
	recording_close(recording);
	*bytes = header.published;
	errno = reason;
	return copied;
}

/* As that of captures and of their directories. */
#define MODE 0600
#define MODE_DIRECTORY 0700
/* Behind the name of what is not finished. */
#define FRESH_SUFFIX ".new"

static bool ends_in(const char *name, const char *suffix)
{
	size_t length = strlen(name);
	size_t wanted = strlen(suffix);

	return length > wanted && strcmp(name + length - wanted, suffix) == 0;
}

static void tell(const struct snapshot *snapshot, const struct target *target,
	const char *path, uint64_t bytes, const char *why)
{
	snapshot->tell(snapshot->closure, target, path, bytes, why);
}

static bool fail(const struct snapshot *snapshot, const char *path, int reason)
{
	tell(snapshot, NULL, path, 0,
		reason == EEXIST ? "it is there already: choose another name"
				 : strerror(reason));
	return false;
}

/* ---- one capture ---- */

/* The file gets its name if there is none of that name. */
static bool give_name(const char *fresh, const char *path)
{
	bool named = link(fresh, path) == 0;
	int reason = errno;

	unlink(fresh);
	errno = reason;
	return named;
}

static bool copy_capture(const struct snapshot *snapshot,
	const struct target *target, const char *path)
{
	char fresh[PATH_MAX];
	uint64_t bytes = 0;
	bool copied;
	int fd;

	if (snprintf(fresh, sizeof(fresh), "%s" FRESH_SUFFIX, path) >=
		(int)sizeof(fresh))
		return fail(snapshot, path, ENAMETOOLONG);
	fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		MODE);
	if (fd < 0)
		return fail(snapshot, fresh, errno);
	copied = capture_copy(target->fd, fd, &bytes);
	if (close(fd) != 0)
		copied = false;
	if (!copied)
		unlink(fresh);
	if (!copied || !give_name(fresh, path))
		return fail(snapshot, path, errno);
	tell(snapshot, target, path, bytes, NULL);
	return true;
}

/* ---- all of them ---- */

/* The name that it has, or, if it has none any more, one like that. */
static void name_copy(
	const struct target *target, const char *directory, char path[PATH_MAX])
{
	const char *slash = strrchr(target->path, '/');
	const struct binlog_header *header = &target->header;

	if (ends_in(target->path, BINLOG_SUFFIX))
		snprintf(path, PATH_MAX, "%.3800s/%.256s", directory,
			slash ? slash + 1 : target->path);
	else
		snprintf(path, PATH_MAX,
			"%.3800s/deleted-%" PRIu32 "-%" PRIu64 "-%" PRIx64 "%s",
			directory, header->pid,
			header->start.realtime / 1000000000, header->nonce,
			BINLOG_SUFFIX);
}

static bool copy_all(const struct snapshot *snapshot, const char *directory)
{
	const struct targets *targets = snapshot->targets;
	char path[PATH_MAX];
	bool any = false;
	size_t i;

	for (i = 0; i < targets->count; i++) {
		name_copy(&targets->all[i], directory, path);
		any |= copy_capture(snapshot, &targets->all[i], path);
	}
	return any;
}

static bool into_directory(const struct snapshot *snapshot)
{
	struct stat st;

	if (mkdir(snapshot->out, MODE_DIRECTORY) != 0 &&
		(errno != EEXIST || stat(snapshot->out, &st) != 0 ||
			!S_ISDIR(st.st_mode)))
		return fail(snapshot, snapshot->out, errno);
	return copy_all(snapshot, snapshot->out);
}

static bool into_file(const struct snapshot *snapshot)
{
	const struct targets *targets = snapshot->targets;

	if (targets->count == 1)
		return copy_capture(snapshot, &targets->all[0], snapshot->out);
	tell(snapshot, NULL, snapshot->out, 0,
		"there are several captures: give a directory, or a name in "
		".blog");
	return false;
}

/* ---- one packed log ---- */

static void remove_copies(
	const struct snapshot *snapshot, const char *directory)
{
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < snapshot->targets->count; i++) {
		name_copy(&snapshot->targets->all[i], directory, path);
		unlink(path);
	}
	rmdir(directory);
}

static bool pack(const struct snapshot *snapshot, const char *directory,
	struct output *output)
{
	struct error_list errors = {0};
	struct capture_list list = {0};
	struct recover_sum sum = {0};

	capture_list_add(&list, directory, &errors);
	if (list.count > 0)
		recover_captures(&list, output, &errors, &sum);
	output_flush(output);
	capture_list_free(&list);
	if (output->failed != 0)
		return fail(snapshot, snapshot->out, output->failed);
	tell(snapshot, NULL, snapshot->out,
		(uint64_t)lseek(output->fd, 0, SEEK_CUR), NULL);
	return true;
}

static bool pack_copies(const struct snapshot *snapshot, const char *directory)
{
	struct output output = {.where = snapshot->out};
	bool packed;

	output.fd = open(snapshot->out,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
	if (output.fd < 0)
		return fail(snapshot, snapshot->out, errno);
	packed = pack(snapshot, directory, &output);
	render_buffer_free(&output.text);
	close(output.fd);
	if (!packed)
		unlink(snapshot->out);
	return packed;
}

/* Not told of each copy, which is gone again. */
static void tell_failure(void *closure, const struct target *target,
	const char *path, uint64_t bytes, const char *why)
{
	if (why)
		tell(closure, target, path, bytes, why);
}

static bool into_log(const struct snapshot *snapshot)
{
	struct snapshot copies = *snapshot;
	char directory[PATH_MAX];
	bool packed;

	copies.tell = tell_failure;
	copies.closure = (void *)(uintptr_t)snapshot;
	if (snprintf(directory, sizeof(directory), "%s" FRESH_SUFFIX,
		    snapshot->out) >= (int)sizeof(directory))
		return fail(snapshot, snapshot->out, ENAMETOOLONG);
	if (mkdir(directory, MODE_DIRECTORY) != 0)
		return fail(snapshot, directory, errno);
	packed = copy_all(&copies, directory) &&
		 pack_copies(snapshot, directory);
	remove_copies(snapshot, directory);
	return packed;
}

/* Of all captures.  False: there is none, and `why` was told. */
static bool snapshot_take(const struct snapshot *snapshot)
{
	if (snapshot->targets->count == 0) {
		tell(snapshot, NULL, snapshot->out, 0,
			"there is no capture to be copied");
		return false;
	}
	if (ends_in(snapshot->out, PACKED_SUFFIX))
		return into_log(snapshot);
	if (ends_in(snapshot->out, BINLOG_SUFFIX))
		return into_file(snapshot);
	return into_directory(snapshot);
}

/* A program that logs makes its next call soon; one that sleeps does not. */
#define WAIT_NS 100000000u

/* Something to do: changes that come together, or another word. */
struct stage {
	struct changes changes;
	struct word_said said;
};

struct running {
	const char *place;
	struct targets targets;
	struct stage *stages;
	size_t stage_count;
	struct switch_all switches;
	bool json;
	bool left; /* something could not be done */
};

/* ---- the words ---- */

static bool is_change(const struct word_said *said)
{
	return said->word <= WORD_TRIGGER &&
	       (said->word != WORD_RULES || said->value);
}

static bool read_seconds(const char *text, uint64_t *ns)
{
	double seconds;
	char *end;

	seconds = strtod(text, &end);
	*ns = UINT64_MAX;
	if (*text < '0' || *text > '9' || *end != '\0' || !isfinite(seconds))
		return false;
	if (seconds < 1e9)
		*ns = (uint64_t)(seconds * 1e9);
	return true;
}

static bool take_wait(struct running *running, const struct word_said *said)
{
	running->switches.waits = true;
	running->switches.wait_ns = UINT64_MAX;
	if (!said->value ||
		read_seconds(said->value, &running->switches.wait_ns))
		return true;
	ctl_say_complaint(said->text, "no time: give a number of seconds");
	return false;
}

static bool take_word(struct running *running, const struct word_said *said)
{
	struct stage *last =
		running->stage_count > 0
			? &running->stages[running->stage_count - 1]
			: NULL;

	if (said->word == WORD_WAIT)
		return take_wait(running, said);
	if (!is_change(said) || !last || !last->changes.any)
		last = &running->stages[running->stage_count++];
	last->said = *said;
	if (!is_change(said) || changes_take(&last->changes, said))
		return true;
	ctl_say_complaint(last->changes.sentence, NULL);
	return false;
}

static bool take_words(
	struct running *running, char *const *arguments, size_t count)
{
	struct word_said said = {.word = WORD_STATUS, .text = "status"};
	const char *wrong;

	running->stages = calloc(count + 1, sizeof(*running->stages));
	if (!running->stages) {
		ctl_say_complaint("out of memory", NULL);
		return false;
	}
	if (count == 0)
		return take_word(running, &said);
	while (count > 0) {
		wrong = words_next(&arguments, &count, &said);
		if (wrong)
			ctl_say_complaint(said.text, wrong);
		if (wrong || !take_word(running, &said))
			return false;
	}
	return true;
}

/* ---- logs ---- */

/* Of a process: what follows the directory of its capture. */
static void rotate(struct running *running)
{
	const struct targets *targets = &running->targets;
	const char *directory = targets->directory;
	char path[PATH_MAX];
	const char *why;
	char *slash;

	if (!directory) {
		snprintf(path, sizeof(path), "%s", targets->all[0].path);
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
		directory = slash ? path : ".";
	}
	why = follower_rotate(directory);
	if (why)
		running->left |= ctl_say_complaint(directory, why);
}

/* ---- showing ---- */

static void show_rules(struct running *running, const struct target *target)
{
	struct binlog_switches switches;
	size_t bytes = 0;
	char *text = NULL;

	if (pread(target->fd, &switches, sizeof(switches),
		    BINLOG_SWITCHES_OFFSET) == (ssize_t)sizeof(switches))
		text = rules_text_read(target->fd, &switches, &bytes);
	if (!text && errno != 0) {
		running->left |=
			ctl_say_complaint(target->label, strerror(errno));
		return;
	}
	if (running->targets.count > 1) {
		fputs("# ", stdout);
		ctl_say_put(stdout, target->label);
		putchar('\n');
	}
	ctl_say_lines(text, bytes);
	free(text);
}

/* That nobody runs is no failure of a directory. */
static void show_status(struct running *running)
{
	if (running->targets.count > 0)
		status_show(&running->targets, running->json);
	else if (!running->json)
		puts("nobody writes to a capture there: binlog-ctl list shows "
		     "what there is");
}

static void tell_copy(void *closure, const struct target *target,
	const char *path, uint64_t bytes, const char *why)
{
	struct running *running = closure;

	if (why) {
		running->left = true;
		ctl_say_complaint(path, why);
		return;
	}
	if (target) {
		ctl_say_put(stdout, target->label);
		fputs(": ", stdout);
	}
	printf("%" PRIu64 " bytes in ", bytes);
	ctl_say_put(stdout, path);
	putchar('\n');
}

static void obey(struct running *running, struct stage *stage)
{
	const struct targets *targets = &running->targets;
	size_t i;

	if (stage->changes.any) {
		switch_all(&running->switches, &stage->changes);
		return;
	}
	switch (stage->said.word) {
	case WORD_RELOAD:
		switch_all_reload(&running->switches);
		break;
	case WORD_ROTATE:
		rotate(running);
		break;
	case WORD_STATUS:
		show_status(running);
		break;
	case WORD_SNAPSHOT:
		snapshot_take(&(struct snapshot){
			.targets = targets,
			.out = stage->said.value,
			.tell = tell_copy,
			.closure = running,
		});
		break;
	case WORD_RULES:
		for (i = 0; i < targets->count; i++)
			show_rules(running, &targets->all[i]);
		break;
	default:
		break;
	}
}

/* ---- all together ---- */

/* Those that have ended can be copied. */
static bool wants_ended(const struct running *running)
{
	size_t i;

	for (i = 0; i < running->stage_count; i++)
		if (running->stages[i].said.word == WORD_SNAPSHOT)
			return true;
	return false;
}

/* Who only looks gives up the rest.  Null, or why he must not look. */
static const char *confine(const struct running *running)
{
	const struct sandbox_needs needs = {
		.needs = SANDBOX_PROCESSES | SANDBOX_SHARES};
	size_t i;

	for (i = 0; i < running->stage_count; i++) {
		const struct stage *stage = &running->stages[i];

		if (stage->changes.any ||
			(stage->said.word != WORD_STATUS &&
				stage->said.word != WORD_RULES))
			return NULL;
	}
	return sandbox_enter(&needs);
}

static enum exit_status obey_all(struct running *running)
{
	struct targets *targets = &running->targets;
	const char *wrong = confine(running);
	size_t i;

	if (wrong)
		return ctl_say_complaint(wrong, NULL);
	descriptors_raise_limit();
	running->switches.targets = targets;
	if (!targets_open(targets, running->place, wants_ended(running)))
		return ctl_say_complaint(targets->sentence, NULL);
	for (i = 0; i < running->stage_count; i++)
		obey(running, &running->stages[i]);
	running->left |= running->switches.left;
	return ctl_say_finish(running->left ? EXIT_LEFT : EXIT_DONE);
}

enum exit_status running_obey(
	const char *place, char *const *arguments, size_t count, bool json)
{
	struct running running = {
		.place = place,
		.switches = {.wait_ns = WAIT_NS},
		.json = json,
	};
	enum exit_status status = EXIT_NOTHING;
	size_t i;

	if (take_words(&running, arguments, count))
		status = obey_all(&running);
	targets_close(&running.targets);
	for (i = 0; i < running.stage_count; i++)
		changes_free(&running.stages[i].changes);
	free(running.stages);
	return status;
}
