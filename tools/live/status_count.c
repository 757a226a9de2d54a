#include "tools/live/status_count.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/seeded_hash.h"
#include "decoder/capture/merge.h"
#include "decoder/capture/message.h"
#include "decoder/capture/recording_ring.h"
#include "decoder/capture/writer_window.h"
#include "decoder/message/message_level.h"

/*
 * The places and threads that status_count.c counts for.  Called by it alone;
 * there is a limit to both, see status_count.h, and one more of each that
 * stands for all others.
 */

static size_t hash_of(const struct program *program, uint64_t pc)
{
	return (size_t)seeded_hash_word(
		seeded_hash_start ^ (uintptr_t)program, pc);
}

/* Where it is, or where there is room for it. */
static struct status_site *place_of(struct status_site *sites, size_t room,
	const struct program *program, uint64_t pc)
{
	size_t i = hash_of(program, pc) & (room - 1);

	while (sites[i].program &&
		(sites[i].program != program || sites[i].pc != pc))
		i = (i + 1) & (room - 1);
	return &sites[i];
}

static bool grow(struct status_count *count)
{
	size_t room = count->site_room ? count->site_room * 2 : 256;
	struct status_site *sites = calloc(room, sizeof(*sites));
	size_t i;

	if (!sites)
		return false;
	for (i = 0; i < count->site_room; i++)
		if (count->sites[i].program)
			*place_of(sites, room, count->sites[i].program,
				count->sites[i].pc) = count->sites[i];
	free(count->sites);
	count->sites = sites;
	count->site_room = room;
	return true;
}

/* Null: there is none, or no memory for it: then it is not shown. */
static char *copy_string(const struct definition_string *string)
{
	char *copy = NULL;

	if (string && string->bytes)
		copy = malloc(string->length + 1);
	if (copy)
		memcpy(copy, string->bytes, string->length + 1);
	return copy;
}

static void name_module(
	struct status_site *site, const struct program_module *module)
{
	site->offset = site->pc - 1 - module->bias;
	site->module = strdup(module->path);
	site->build_id = malloc(module->build_id_bytes + 1);
	if (!site->build_id || module->build_id_bytes == 0)
		return;
	memcpy(site->build_id, module->build_id, module->build_id_bytes);
	site->build_id_bytes = module->build_id_bytes;
}

/* Its context is gone when the next piece of a ring is read. */
static void name_site(struct status_site *site, const struct message *message)
{
	const struct definition_context *context = message->context;
	const struct program_module *module = program_module_at(
		site->program, site->pc - 1, context->modules);

	site->offset = site->pc - 1;
	if (module)
		name_module(site, module);
	site->level = message_level(message);
	site->called = copy_string(context->function);
	site->format = copy_string(context->format);
	if (site->format)
		site->format_bytes = context->format->length;
}

/* The place that the message is from; it may move with the next question.
 * Null: out of memory. */
static struct status_site *status_sites_obtain(
	struct status_count *count, const struct message *message)
{
	const struct definition_context *context = message->context;
	uint64_t pc = context->depth > 0 ? context->frames[0] : 0;
	struct status_site *site = NULL;

	if (count->site_count == STATUS_COUNT_SITES)
		site = place_of(
			count->sites, count->site_room, message->program, pc);
	if (count->site_count == STATUS_COUNT_SITES && !site->program)
		return &count->other_sites;
	if (2 * count->site_count >= count->site_room && !grow(count))
		return NULL;
	site = place_of(count->sites, count->site_room, message->program, pc);
	if (!site->program) {
		site->program = message->program;
		site->pc = pc;
		name_site(site, message);
		count->site_count++;
	}
	return site;
}

/* ---- threads ---- */

/*
 * Likewise its thread.  A writer serves one after another, or many are served
 * by several at several levels of nesting.
 */
static struct status_thread *status_sites_thread(
	struct status_count *count, const struct message *message)
{
	struct status_thread *threads;
	size_t i;

	for (i = 0; i < count->thread_count; i++)
		if (count->threads[i].tid == message->tid &&
			count->threads[i].pid == message->pid)
			return &count->threads[i];
	if (i == STATUS_COUNT_THREADS)
		return &count->other_threads;
	threads = realloc(count->threads, (i + 1) * sizeof(*threads));
	if (!threads)
		return NULL;
	count->threads = threads;
	threads[i] = (struct status_thread){
		.pid = message->pid, .tid = message->tid};
	memcpy(threads[i].name, message->thread, sizeof(threads[i].name) - 1);
	count->thread_count++;
	return &threads[i];
}

/* All of them, and what was counted. */
static void status_sites_forget(struct status_count *count)
{
	size_t i;

	for (i = 0; i < count->site_room; i++) {
		free(count->sites[i].module);
		free(count->sites[i].build_id);
		free(count->sites[i].called);
		free(count->sites[i].format);
	}
	free(count->threads);
	free(count->sites);
	count->threads = NULL;
	count->sites = NULL;
	count->thread_count = count->site_count = count->site_room = 0;
	count->other_threads = (struct status_thread){0};
	count->other_sites = (struct status_site){0};
	count->calls = 0;
	count->oldest = count->newest = 0;
}

/*
 * Calls that were passed on or dropped, as all blocks of a capture say it.
 * Called by status_count.c after each pass.  Promises to look once at blocks
 * that are done with, and to forget those that were freed.
 */

static void add_losses(
	struct status_count *count, struct live_writer *writer, size_t i)
{
	struct live_capture *capture = count->capture;
	struct binlog_block head;

	if (recording_read(capture->recording, writer->blocks[i].offset, &head,
		    sizeof(head)) < sizeof(head))
		return;
	count->passed += head.passed;
	count->dropped += head.dropped;
}

static bool make_room(struct status_count *count)
{
	size_t writers = count->capture->count;
	uint32_t *summed;

	if (writers <= count->summed_room)
		return true;
	summed = realloc(count->summed, 2 * writers * sizeof(*summed));
	if (!summed)
		return false;
	memset(summed + count->summed_room, 0,
		(2 * writers - count->summed_room) * sizeof(*summed));
	count->summed = summed;
	count->summed_room = 2 * writers;
	return true;
}

/* Nothing more is counted there; those that were freed have new places. */
static void leave_blocks(struct status_count *count, size_t index)
{
	struct live_writer *writer = count->capture->writers[index];
	size_t done = live_capture_done(writer);
	size_t freed = 0;
	size_t i;

	for (i = 0; i < done; i++) {
		if (writer->blocks[i].sequence < count->summed[index])
			continue;
		add_losses(count, writer, i);
		count->summed[index] = writer->blocks[i].sequence + 1;
	}
	while (freed < done && writer->places[freed] == 0)
		freed++;
	live_capture_forget(writer, freed);
}

/* What is in the header was counted by threads without a block. */
static void status_losses_sum(struct status_count *count)
{
	struct live_capture *capture = count->capture;
	size_t i, k;

	count->passed = count->left_passed;
	count->dropped = count->left_dropped;
	if (!make_room(count)) {
		count->failed = true;
		return;
	}
	for (i = 0; i < capture->count; i++)
		leave_blocks(count, i);
	count->left_passed = count->passed;
	count->left_dropped = count->dropped;
	count->passed += capture->recording->header.passed;
	count->dropped += capture->recording->header.dropped;
	for (i = 0; i < capture->count; i++)
		for (k = live_capture_done(capture->writers[i]);
			k < capture->writers[i]->count; k++)
			add_losses(count, capture->writers[i], k);
}

/*
 * Of a capture that binlog-pack frees while it is counted: its places are used
 * again, and what was freed before it was read is gone.  Called by
 * status_count.c before each look at it.  Promises that what is there is
 * found, and that nothing is read as something that it is not any more.
 */

/* All blocks that are there now. */
struct present {
	struct recording_block *blocks; /* by writer, then by sequence */
	size_t count;
	size_t room;
	bool failed;
};

static void add(
	void *closure, const struct recording_block *block, uint64_t place)
{
	struct present *present = closure;

	(void)place;
	if (!array_reserve(
		    present->blocks, present->room, present->count + 1)) {
		present->failed = true;
		return;
	}
	present->blocks[present->count++] = *block;
}

static int gaps_compare(const void *left, const void *right)
{
	const struct recording_block *a = left;
	const struct recording_block *b = right;

	if (a->writer != b->writer)
		return a->writer < b->writer ? -1 : 1;
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static bool find_present(struct present *present, struct recording *recording)
{
	struct live_blocks everywhere = {0};

	if (!live_blocks_look(&everywhere, recording, true, add, present))
		present->failed = true;
	live_blocks_free(&everywhere);
	if (present->count > 0)
		qsort(present->blocks, present->count, sizeof(*present->blocks),
			gaps_compare);
	return !present->failed;
}

/* The first block of the writer that is not before this one.  Null: none. */
static const struct recording_block *first_from(
	const struct present *present, uint32_t writer, uint32_t sequence)
{
	const struct recording_block wanted = {
		.writer = writer, .sequence = sequence};
	size_t low = 0;
	size_t high = present->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (gaps_compare(&present->blocks[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < present->count && present->blocks[low].writer == writer
		       ? &present->blocks[low]
		       : NULL;
}

/* What is still to be read of these blocks cannot be, if one is gone. */
static void abandon_freed(struct status_count *count,
	struct live_writer *writer, const struct present *present)
{
	struct writer_stream *stream = &writer->stream;
	const struct recording_block *block;
	bool all = true;

	for (block = stream->block; all && block != stream->blocks_end;
		block++) {
		const struct recording_block *found =
			first_from(present, writer->number, block->sequence);

		all = found && found->sequence == block->sequence &&
		      found->offset == block->offset;
	}
	if (all)
		return;
	if (stream->window_end < stream->block->size)
		count->missed += stream->block->size - stream->window_end;
	for (block = stream->block + 1; block != stream->blocks_end; block++)
		count->missed += block->size;
	writer_window_drop(stream);
	stream->window_end = 0;
	stream->last_bytes = 0;
	stream->block = stream->blocks_end;
	stream->state = WRITER_WAITS;
}

/* Goes on with the first block that is there. */
static void skip_freed(struct status_count *count, struct live_writer *writer,
	const struct present *present)
{
	const struct recording_block *next =
		first_from(present, writer->number, writer->next_sequence);

	if (!next || next->sequence == writer->next_sequence)
		return;
	count->missed +=
		(uint64_t)(next->sequence - writer->next_sequence) * next->size;
	writer->next_sequence = next->sequence;
}

/* Looks for what is new, as live_capture_look(); count->missed is how many
 * bytes were freed unread. */
static void status_gaps_look(struct status_count *count)
{
	struct live_capture *capture = count->capture;
	struct error_list errors = count->errors;
	struct present present = {0};
	size_t i;

	count->missed = 0;
	live_capture_notice_freed(capture);
	if (capture->recording->freed.bytes == 0) {
		live_capture_look(capture, false);
		return;
	}
	if (find_present(&present, capture->recording)) {
		for (i = 0; i < capture->count; i++) {
			abandon_freed(count, capture->writers[i], &present);
			skip_freed(count, capture->writers[i], &present);
		}
		/* Any place may have another block now. */
		live_blocks_free(&capture->places);
		capture->early.count = 0;
	}
	free(present.blocks);
	live_capture_look(capture, false);
	/* Those that are known were found twice. */
	count->errors = errors;
	count->failed |= present.failed;
}

/* So many messages between two looks at the clock. */
#define LOOK_MESSAGES 65536u

/* Of one writer, in one pass. */
struct reading {
	struct status_count *count;
	struct status_thread *thread;
	struct status_site *site; /* of the message before */
	const struct definition_context *context;
	uint32_t pid; /* likewise */
	uint32_t tid;
	uint64_t block; /* where it is in the file */
	uint64_t end;	/* of what was counted in it */
};

static uint64_t now_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t now(void)
{
	return now_of(CLOCK_MONOTONIC);
}

/* ---- the capture ---- */

static bool has_ring(const struct target *target, uint64_t *bytes)
{
	struct binlog_ring ring;

	*bytes = 0;
	if (pread(target->fd, &ring, sizeof(ring), BINLOG_RING_OFFSET) ==
		(ssize_t)sizeof(ring))
		*bytes = ring.bytes;
	return *bytes > 0;
}

void status_count_begin(struct status_count *count, const struct target *target,
	const struct live_past *past)
{
	struct recording *recording;
	char *path;

	*count = (struct status_count){.path = target->path};
	count->has_ring = has_ring(target, &count->ring_bytes);
	if (count->has_ring)
		return;
	path = strdup(target->path);
	recording = path ? recording_open_live(path, &count->errors) : NULL;
	if (recording)
		count->capture = live_capture_new(path, recording, past);
	else
		free(path);
	count->failed = !count->capture;
}

/* ---- messages ---- */

static void note_time(struct status_count *count, const struct message *message)
{
	if (count->oldest == 0 || message->wall < count->oldest)
		count->oldest = message->wall;
	if (message->wall > count->newest)
		count->newest = message->wall;
}

/* False: out of memory. */
static bool find(struct reading *reading, const struct message *message)
{
	struct status_count *count = reading->count;

	if (!reading->thread || reading->tid != message->tid ||
		reading->pid != message->pid)
		reading->thread = status_sites_thread(count, message);
	reading->tid = message->tid;
	reading->pid = message->pid;
	reading->site = status_sites_obtain(count, message);
	reading->context = message->context;
	return reading->thread && reading->site;
}

/* What a message takes is known when the next one begins. */
static void add_bytes(struct reading *reading, uint64_t block, uint64_t at)
{
	if (reading->site && reading->block == block && at > reading->end) {
		reading->site->bytes += at - reading->end;
		reading->site->recent_bytes += at - reading->end;
		reading->count->bytes += at - reading->end;
		reading->count->recent_bytes += at - reading->end;
	}
	reading->block = block;
	reading->end = at;
}

/* False: out of memory. */
static bool take(
	struct reading *reading, const struct message *message, bool recent)
{
	struct status_count *count = reading->count;

	if (message_is_event(message))
		return true;
	if (reading->context != message->context || !reading->thread ||
		reading->tid != message->tid)
		if (!find(reading, message))
			return false;
	note_time(count, message);
	if (message->partial)
		return true;
	count->calls++;
	reading->thread->calls++;
	reading->site->calls++;
	count->recent += recent;
	reading->thread->recent += recent;
	reading->site->recent += recent;
	return true;
}

/* False: there is more. */
static bool read_some(struct status_count *count, struct live_writer *writer)
{
	struct reading reading = {.count = count};
	const struct writer_stream *stream = &writer->stream;
	uint64_t messages = 0;

	while (messages < LOOK_MESSAGES && !count->failed) {
		live_capture_step(writer);
		if (stream->state == WRITER_WAITS ||
			stream->state == WRITER_END)
			return true;
		if (stream->state != WRITER_MESSAGE)
			continue;
		add_bytes(&reading, stream->block->offset,
			stream->message.offset);
		messages++;
		count->failed |=
			!take(&reading, &stream->message, count->passes > 0);
	}
	return false;
}

/* Writers take turns, so that none has to wait for one that says much. */
static void read_all(struct status_count *count, uint64_t until)
{
	struct live_capture *capture = count->capture;
	bool more = true;
	bool first = true;
	size_t i;

	status_gaps_look(count);
	for (; more && !count->unfinished && !count->failed; first = false)
		for (i = 0, more = false; i < capture->count; i++) {
			if (!first && capture->writers[i]->stream.state !=
					      WRITER_MESSAGE)
				continue;
			more |= !read_some(count, capture->writers[i]);
			count->unfinished |= more && now() > until;
		}
	status_losses_sum(count);
	count->failed |= capture->failed;
}

/* ---- a ring ---- */

static void read_merged(struct status_count *count, struct merge *merge,
	uint64_t since, uint64_t until)
{
	struct reading reading = {.count = count};
	const struct message *message;
	uint64_t messages = 0;

	while ((message = merge_next(merge))) {
		if (!take(&reading, message, message->wall > since)) {
			count->failed = true;
			return;
		}
		if (++messages % LOOK_MESSAGES == 0 && now() > until) {
			count->unfinished = true;
			return;
		}
	}
}

/* What came since then may have been overwritten in part. */
static void set_span(struct status_count *count, uint64_t since)
{
	count->begun = count->oldest > since ? count->oldest : since;
	count->ended = since == 0 ? count->newest : count->looked;
}

/* What is in it now; what was in it before may be gone. */
static void read_ring(struct status_count *count, uint64_t until)
{
	uint64_t since = count->looked;
	struct recording *recording =
		recording_open(count->path, true, &count->errors);
	struct merge *merge = recording ? merge_new(&recording, 1) : NULL;

	count->looked = now_of(CLOCK_REALTIME);
	status_sites_forget(count);
	count->failed = !merge;
	if (recording) {
		count->passed = recording->passed;
		count->dropped = recording->dropped;
	}
	if (recording && merge && recording->ring) {
		recording->ring->all = true;
		read_merged(count, merge, since, until);
		count->ring_span = ring_time_span(recording);
	}
	set_span(count, since);
	merge_free(merge);
	recording_close(recording);
}

/* As if what was freed unread were more of the same. */
static void leave_out_missed(struct status_count *count)
{
	double span = (double)(count->ended - count->begun);
	double read = (double)count->recent_bytes;

	if (count->missed > 0 && count->ended > count->begun)
		count->begun = count->ended -
			       (uint64_t)(span * read /
					  (read + (double)count->missed));
}

/* Of what is behind the times tell how fast it came. */
static void read_grown(struct status_count *count, uint64_t until)
{
	uint64_t newest = count->newest;
	uint64_t looked = count->looked;

	/* Blocks that are begun while others are read come next time. */
	count->looked = now();
	read_all(count, until);
	if ((count->unfinished || count->was_unfinished) &&
		count->missed == 0) {
		count->begun = newest;
		count->ended = count->newest;
	} else {
		count->begun = looked;
		count->ended = count->looked;
	}
	leave_out_missed(count);
}

static void begin_pass(struct status_count *count)
{
	size_t i;

	for (i = 0; i < count->site_room; i++)
		count->sites[i].recent = count->sites[i].recent_bytes = 0;
	for (i = 0; i < count->thread_count; i++)
		count->threads[i].recent = 0;
	count->other_sites.recent = count->other_sites.recent_bytes = 0;
	count->other_threads.recent = 0;
	count->recent = count->recent_bytes = 0;
	count->was_unfinished = count->unfinished;
	count->unfinished = false;
}

void status_count_pass(struct status_count *count, uint64_t most_ns)
{
	uint64_t until = now() + most_ns;

	if (count->failed)
		return;
	begin_pass(count);
	(count->has_ring ? read_ring : read_grown)(count, until);
	count->passes++;
}

static int compare(const void *left, const void *right)
{
	const struct status_site *a = left;
	const struct status_site *b = right;

	return a->calls < b->calls ? 1 : -(a->calls > b->calls);
}

void status_count_sort(struct status_count *count)
{
	if (count->site_room > 0)
		qsort(count->sites, count->site_room, sizeof(*count->sites),
			compare);
}

void status_count_free(struct status_count *count)
{
	if (count->capture)
		live_capture_free(count->capture);
	status_sites_forget(count);
	free(count->summed);
	*count = (struct status_count){.failed = true};
}
