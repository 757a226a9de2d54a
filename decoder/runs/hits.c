#include "decoder/runs/hits.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decoder/capture/program_file.h"
#include "record/hash.h"

static void take_frame(
	struct hits *hits, const struct message *message, uint64_t frame)
{
	const uint64_t key[] = {(uintptr_t)message->program, frame};
	const struct pack_entry *entry =
		pack_table_intern(&hits->known, key, sizeof(key));
	const struct program_module *module;
	struct hits_place *place;

	if (!entry || !array_reserve(hits->places, hits->room, entry->id)) {
		hits->failed = true;
		return;
	}
	place = &hits->places[entry->id - 1];
	if (entry->id <= hits->used) {
		place->count++;
		return;
	}
	hits->used++;
	*place = (struct hits_place){.frame = frame, .count = 1};
	module = program_module_at(
		message->program, frame - 1, message->context->modules);
	if (module)
		place->module = *module;
}

void hits_take(struct hits *hits, const struct message *message)
{
	const struct definition_context *context = message->context;
	const struct definition_statement *statement = context->statement;
	size_t i;

	/* what is before its frames is behind their pointer, too */
	for (i = 0; statement && i < statement->skipped; i++)
		take_frame(hits, message,
			context->frames[(ptrdiff_t)i -
					(ptrdiff_t)statement->skipped]);
	for (i = 0; i < context->depth && !(statement && i > 0); i++)
		take_frame(hits, message, context->frames[i]);
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
	for (i = 0; calls && real && i < hits->used; i++) {
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
	for (i = 0; calls && i < hits->used; i++) {
		const struct hits_place *place = &hits->places[i];

		if (is_of(&place->module, module))
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
	pack_table_free(&hits->known);
	*hits = (struct hits){0};
}
