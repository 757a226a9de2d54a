#include "decoder/source/source.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/capture/merge.h"
#include "decoder/heph/heph_reader.h"
#include "decoder/packed/packed_reader.h"
#include "decoder/text/text_reader.h"

/* With more logs than this at once, little of each is kept in memory. */
#define LOGS_FEW 16u

/* One of several; a heap of these has the one that comes next at its top. */
struct input {
	uint64_t key;	  /* wall time of its next message, or of its first */
	size_t order;	  /* decides between equal keys */
	const char *path; /* null: the captures */
	const struct packed_tail *tail; /* of a packed log; null: all of it */
	struct packed_reader *reader; /* null: not open yet, or: */
	struct heph_reader *heph;     /* likewise */
	struct text_reader *text;     /* likewise */
	bool is_text;
	const struct message *message; /* null: not read yet */
};

struct source {
	struct merge *merge; /* null: no captures */
	struct packed_readers readers;
	struct text_settings text;
	struct input *heap;
	size_t count;
	const struct capture_list *list;
	bool delivered; /* the message of the top */
};

static bool is_before(const struct input *a, const struct input *b)
{
	return a->key != b->key ? a->key < b->key : a->order < b->order;
}

static void sift_down(struct source *source, size_t i)
{
	struct input moving = source->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= source->count)
			break;
		if (child + 1 < source->count &&
			is_before(
				&source->heap[child + 1], &source->heap[child]))
			child++;
		if (!is_before(&source->heap[child], &moving))
			break;
		source->heap[i] = source->heap[child];
		i = child;
	}
	source->heap[i] = moving;
}

/* Standard input cannot be read twice: it is opened first. */
static uint64_t begin_of(const char *path)
{
	return strcmp(path, PACKED_FILE_STDIN) == 0 ? 0
						    : packed_reader_begin(path);
}

static bool begin_heap(struct source *source)
{
	const struct capture_list *list = source->list;
	size_t logs = list->packed_count + list->text_count;
	bool several = logs > (list->count > 0 ? 0 : 1);
	size_t i;

	source->heap = calloc(logs + 1, sizeof(*source->heap));
	if (!source->heap)
		return false;
	if (list->count > 0)
		source->count = 1;
	for (i = 0; i < list->packed_count; i++) {
		const struct packed_tail *tail =
			list->tails ? list->tails[i] : NULL;

		if (tail && tail->wanted == 0)
			continue;
		source->heap[source->count++] = (struct input){
			.order = i + 1,
			.path = list->packed[i],
			.tail = tail,
			.key = tail ? tail->runs[tail->wanted - 1].first
			       : several ? begin_of(list->packed[i])
					 : 0,
		};
	}
	/* these are opened first: when they begin is in their lines */
	for (i = 0; i < list->text_count; i++)
		source->heap[source->count++] = (struct input){
			.order = list->packed_count + i + 1,
			.path = list->texts[i],
			.is_text = true,
		};
	for (i = source->count / 2; i > 0; i--)
		sift_down(source, i - 1);
	return true;
}

struct source *source_new(const struct capture_list *list,
	struct restore *restore, struct error_list *errors)
{
	struct source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->list = list;
	source->readers.captures.errors = errors;
	source->readers.captures.restore = restore;
	source->readers.sparing = list->packed_count > LOGS_FEW;
	source->text = list->text;
	source->text.read = &source->readers.read;
	source->merge = merge_new(list->captures, list->count);
	if (source->merge && begin_heap(source))
		return source;
	source_free(source);
	return NULL;
}

void source_follow(struct source *source, packed_more *more, void *closure)
{
	source->readers.more = more;
	source->readers.more_closure = closure;
}

void source_filter(struct source *source, packed_wants *wants, void *closure)
{
	source->readers.wants = wants;
	source->readers.closure = closure;
}

void source_fold(struct source *source, packed_fold *fold, bool ordered)
{
	if (!ordered || source->count == 1)
		source->readers.fold = fold;
}

uint64_t source_hide(struct source *source, uint64_t bytes)
{
	return merge_hide(source->merge, bytes);
}

bool source_was_by_wall(const struct source *source)
{
	return merge_was_by_wall(source->merge);
}

static bool open_input(struct source *source, struct input *input)
{
	if (!input->path || input->reader || input->heph || input->text)
		return true;
	if (input->is_text)
		input->text = text_reader_new(
			input->path, &source->text, &source->readers.captures);
	else if (heph_reader_is(input->path))
		input->heph =
			heph_reader_new(input->path, &source->readers.captures);
	else
		input->reader =
			packed_reader_new(input->path, &source->readers);
	if (input->reader && input->tail &&
		!packed_reader_begin_late(input->reader, input->tail)) {
		packed_reader_free(input->reader);
		input->reader = NULL;
	}
	if (!input->reader && !input->heph && !input->text)
		error_add(source->readers.captures.errors,
			&(struct error){
				.code = ERROR_MEMORY, .file = input->path});
	return input->reader || input->heph || input->text;
}

static void close_input(struct input *input)
{
	packed_reader_free(input->reader);
	heph_reader_free(input->heph);
	text_reader_free(input->text);
	input->reader = NULL;
	input->heph = NULL;
	input->text = NULL;
}

static void step(struct source *source, struct input *input)
{
	if (!input->path)
		input->message = merge_next(source->merge);
	else if (!open_input(source, input))
		input->message = NULL;
	else if (input->heph)
		input->message = heph_reader_next(input->heph);
	else if (input->text)
		input->message = text_reader_next(input->text);
	else
		input->message = packed_reader_next(input->reader);
}

/* Puts the top where it belongs now, or takes it out at its end. */
static void settle_top(struct source *source)
{
	struct input *top = &source->heap[0];

	if (top->message) {
		/* the lines of a text stay in their order */
		if (!top->text || top->key < top->message->wall)
			top->key = top->message->wall;
	} else {
		close_input(top);
		*top = source->heap[--source->count];
	}
	if (source->count > 1)
		sift_down(source, 0);
}

/* Steps beyond what was delivered; the next piece of the same call, if any. */
static const struct message *finish_delivered(struct source *source)
{
	struct input *top = &source->heap[0];
	bool partial = top->message->partial;

	step(source, top);
	if (partial && top->message && top->message->continues)
		return top->message;
	source->delivered = false;
	settle_top(source);
	return NULL;
}

static const struct message *next_of_several(struct source *source)
{
	const struct message *piece =
		source->delivered ? finish_delivered(source) : NULL;

	if (piece)
		return piece;
	while (source->count > 0) {
		struct input *top = &source->heap[0];

		if (top->message) {
			source->delivered = true;
			return top->message;
		}
		step(source, top);
		settle_top(source);
	}
	return NULL;
}

/* Of the only input that is left: there is nothing to compare. */
static const struct message *next_of_one(struct source *source)
{
	struct input *input = &source->heap[0];

	step(source, input);
	source->delivered = input->message;
	if (!source->delivered)
		settle_top(source);
	return source->delivered ? input->message : NULL;
}

const struct message *source_next(struct source *source)
{
	if (source->count == 1 &&
		(source->delivered || !source->heap[0].message))
		return next_of_one(source);
	return next_of_several(source);
}

void source_skim(struct source *source)
{
	size_t i;

	for (i = 0; i < source->count; i++) {
		struct input *input = &source->heap[i];

		if (!input->path || !open_input(source, input))
			continue;
		if (input->reader)
			packed_reader_skim(input->reader);
		close_input(input);
	}
	source->count = 0;
}

struct recording *const *source_packed(
	const struct source *source, size_t *count)
{
	*count = source->readers.captures.count;
	return source->readers.captures.all;
}

const uint64_t *source_read(const struct source *source)
{
	return &source->readers.read;
}

void source_free(struct source *source)
{
	size_t i;

	if (!source)
		return;
	for (i = 0; i < source->count; i++)
		close_input(&source->heap[i]);
	free(source->heap);
	merge_free(source->merge);
	packed_inflate_free(&source->readers.inflate);
	packed_captures_free(&source->readers.captures);
	free(source);
}
