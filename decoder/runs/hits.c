#include "decoder/runs/hits.h"

#include <stdlib.h>
#include <string.h>

#include "base/seeded_hash.h"
#include "decoder/capture/program_file.h"
#include "record/hash.h"

static struct hits_place *place_of(
	const struct hits *hits, const struct program *program, uint64_t frame)
{
	uint64_t hash =
		seeded_hash_word(seeded_hash_start ^ (uintptr_t)program, frame);
	size_t i = (size_t)hash & (hits->room - 1);

	while (hits->places[i].program &&
		(hits->places[i].program != program ||
			hits->places[i].frame != frame))
		i = (i + 1) & (hits->room - 1);
	return &hits->places[i];
}

/* At most half of the table is used. */
static bool make_room(struct hits *hits)
{
	struct hits larger = {
		.room = hits->room ? hits->room * 2 : 1024, .used = hits->used};
	size_t i;

	if (hits->used < hits->room / 2)
		return true;
	larger.places = calloc(larger.room, sizeof(*larger.places));
	if (!larger.places)
		return false;
	for (i = 0; i < hits->room; i++)
		if (hits->places[i].program)
			*place_of(&larger, hits->places[i].program,
				hits->places[i].frame) = hits->places[i];
	free(hits->places);
	*hits = larger;
	return true;
}

static void take_frame(
	struct hits *hits, const struct message *message, uint64_t frame)
{
	struct hits_place *place;
	const struct program_module *module;

	if (!make_room(hits)) {
		hits->failed = true;
		return;
	}
	place = place_of(hits, message->program, frame);
	place->count++;
	if (place->program)
		return;
	hits->used++;
	place->program = message->program;
	place->frame = frame;
	module = program_module_at(
		message->program, frame - 1, message->context->modules);
	if (module)
		place->module = *module;
}

void hits_take(struct hits *hits, const struct message *message)
{
	size_t i;

	for (i = 0; i < message->context->depth; i++)
		take_frame(hits, message, message->context->frames[i]);
}

/* Whether the file is the one that was recorded; asked once for each module. */
static bool is_recorded(struct program_file **file, bool *fine,
	const struct program_module *module,
	const struct symbolizer_options *options, char **complaint)
{
	char *sentence;

	if (*file && program_file_is(*file, module))
		return *fine;
	if (*file)
		program_file_close(*file);
	*file = program_file_open(module, options, NULL, &sentence);
	*fine = *file && (*file)->program;
	if (*complaint)
		free(sentence);
	else
		*complaint = sentence;
	return *fine;
}

static uint64_t hash_of(const void *data, size_t size)
{
	return binlog_hash(data, size);
}

static int compare(const void *left, const void *right)
{
	const struct hits_call *a = left;
	const struct hits_call *b = right;

	return a->next < b->next ? -1 : a->next > b->next;
}

struct hits_call *hits_calls(const struct hits *hits, const char *path,
	const struct symbolizer_options *options, size_t *count,
	char **complaint)
{
	struct symbolizer_options with_hash = *options;
	struct hits_call *calls =
		reallocarray(NULL, hits->used + 1, sizeof(*calls));
	char *real = realpath(path, NULL);
	struct program_file *file = NULL;
	bool fine = false;
	size_t i;

	*count = 0;
	*complaint = NULL;
	with_hash.hash = hash_of;
	for (i = 0; calls && real && i < hits->room; i++) {
		const struct hits_place *place = &hits->places[i];

		if (place->module.path &&
			strcmp(place->module.path, real) == 0 &&
			is_recorded(&file, &fine, &place->module, &with_hash,
				complaint))
			calls[(*count)++] = (struct hits_call){
				place->frame - place->module.bias,
				place->count};
	}
	if (calls && *count > 0)
		qsort(calls, *count, sizeof(*calls), compare);
	if (file)
		program_file_close(file);
	free(real);
	return calls;
}

static bool is_of(
	const struct program_module *a, const struct program_module *b)
{
	return a->path && strcmp(a->path, b->path) == 0 &&
	       a->build_id_bytes == b->build_id_bytes &&
	       (a->build_id_bytes == 0 || memcmp(a->build_id, b->build_id,
						  a->build_id_bytes) == 0) &&
	       a->content_hash == b->content_hash;
}

struct hits_call *hits_calls_in(const struct hits *hits,
	const struct program_module *module, size_t *count)
{
	struct hits_call *calls =
		reallocarray(NULL, hits->used + 1, sizeof(*calls));
	size_t i;

	*count = 0;
	for (i = 0; calls && i < hits->room; i++) {
		const struct hits_place *place = &hits->places[i];

		if (place->program && is_of(&place->module, module))
			calls[(*count)++] = (struct hits_call){
				place->frame - place->module.bias,
				place->count};
	}
	if (*count > 0)
		qsort(calls, *count, sizeof(*calls), compare);
	return calls;
}

void hits_free(struct hits *hits)
{
	free(hits->places);
	*hits = (struct hits){0};
}
