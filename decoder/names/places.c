#include "decoder/names/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/id_map.h"
#include "decoder/names/jit_map.h"
#include "record/hash.h"

struct places {
	struct symbolizer *symbolizer;
	char *cache;		/* its directory, or null */
	struct id_map jit_maps; /* by the number of the process */
	char *complaints[PLACES_COMPLAINTS_MAX];
	size_t complaint_count;
	char *path; /* made for the last module with a relative one */
	const struct places_witness *witness; /* or null */

	/* of the question that is being answered */
	struct place place;
	void (*take)(void *closure, const struct place *place);
	void *closure;
};

static uint64_t hash(const void *data, size_t size)
{
	return binlog_hash(data, size);
}

struct places *places_new(const struct symbolizer_options *options)
{
	struct symbolizer_options with_hash = *options;
	struct places *places = calloc(1, sizeof(*places));

	if (!places)
		return NULL;
	with_hash.hash = hash;
	places->cache = symbolizer_usual_cache();
	with_hash.cache = places->cache;
	places->symbolizer = symbolizer_new(&with_hash);
	if (places->symbolizer)
		return places;
	free(places->cache);
	free(places);
	return NULL;
}

static void free_maps(struct id_map *maps)
{
	size_t i;

	for (i = 0; maps->slots && i <= maps->mask; i++)
		jit_map_free(maps->slots[i].value);
	id_map_free(maps);
}

void places_free(struct places *places)
{
	size_t i;

	if (!places)
		return;
	for (i = 0; i < places->complaint_count; i++)
		free(places->complaints[i]);
	free_maps(&places->jit_maps);
	symbolizer_free(places->symbolizer);
	free(places->cache);
	free(places->path);
	free(places);
}

const char *places_complaint(const struct places *places, size_t index)
{
	return index < places->complaint_count ? places->complaints[index]
					       : NULL;
}

/* What there is to say of a file is said once, not for every address in it. */
static void complain(
	struct places *places, const char *sentence, const char *path)
{
	struct render_buffer text = {0};
	size_t length = strlen(path);
	size_t i;

	if (strncmp(sentence, path, length) != 0 || sentence[length] != ':' ||
		places->complaint_count == PLACES_COMPLAINTS_MAX)
		return;
	escape_put(&text, sentence, strlen(sentence), ESCAPE_NEWLINE);
	render_buffer_put_byte(&text, '\0');
	for (i = 0; !text.failed && i < places->complaint_count; i++)
		if (strcmp(places->complaints[i], text.data) == 0)
			break;
	if (text.failed || i < places->complaint_count)
		render_buffer_free(&text);
	else
		places->complaints[places->complaint_count++] = text.data;
}

/* The loader's name for what the kernel provides. */
static bool is_vdso(const char *path)
{
	return strncmp(path, "linux-vdso.so.", 14) == 0;
}

static const char *name_of_module(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (is_vdso(path))
		return "[vdso]";
	return slash ? slash + 1 : path;
}

/* Of a library that was opened as ./library.so. */
static const char *path_of_module(struct places *places,
	const struct program *program, const struct program_module *module)
{
	if (module->path[0] == '/' || is_vdso(module->path) ||
		!program->directory || program->directory[0] != '/')
		return module->path;
	free(places->path);
	if (asprintf(&places->path, "%s/%s", program->directory, module->path) <
		0)
		places->path = NULL;
	return places->path ? places->path : module->path;
}

static bool is_signal_trampoline(const char *function)
{
	return strcmp(function, "__restore_rt") == 0 ||
	       strcmp(function, "__kernel_rt_sigreturn") == 0;
}

void places_tell(struct places *places, const struct places_witness *witness)
{
	places->witness = witness;
}

static void take_frame(void *closure, const struct symbolizer_frame *frame)
{
	struct places *places = closure;
	struct place *place = &places->place;

	if (places->witness)
		places->witness->frame(places->witness->closure, frame);
	place->function = frame->function;
	place->file = frame->file;
	place->line = frame->line;
	place->offset = frame->offset;
	place->inlined = frame->inlined;
	place->wrapper = frame->wrapper;
	if (frame->function && is_signal_trampoline(frame->function)) {
		place->function = PLACES_SIGNAL;
		place->file = NULL;
	}
	places->take(places->closure, place);
}

static struct symbolizer_module file_of(struct places *places,
	const struct program *program, const struct program_module *module)
{
	return (struct symbolizer_module){
		.path = path_of_module(places, program, module),
		.build_id =
			module->build_id_bytes > 0 ? module->build_id : NULL,
		.build_id_bytes = module->build_id_bytes,
		.file_bytes = module->file_bytes,
		.content_hash = module->content_hash,
	};
}

typedef void take_symbol(void *closure, const struct symbolizer_frame *frame);

/* True: the log that the message is from has brought the answer along. */
static bool ask_log(struct places *places, const struct message *message,
	const struct symbol_question *question, take_symbol *take)
{
	const struct symbol_answers *names = message->capture->names;
	const struct symbolizer_frame *frames = NULL;
	size_t count = 0;
	size_t i;

	if (places->witness)
		places->witness->question(places->witness->closure, question);
	if (names)
		frames = symbol_answers_find(names, question, &count);
	for (i = 0; i < count; i++)
		take(places, &frames[i]);
	return frames;
}

static void find_in_module(struct places *places, const struct message *message,
	const struct program_module *module, uint64_t address)
{
	const struct symbolizer_module asked =
		file_of(places, message->program, module);
	const struct symbol_question question = {
		.module = module, .address = address - module->bias};
	const char *sentence;

	places->place = (struct place){
		.module = name_of_module(module->path),
		.address = question.address,
	};
	if (ask_log(places, message, &question, take_frame))
		return;
	sentence = symbolizer_resolve(places->symbolizer, &asked,
		places->place.address, take_frame, places);
	if (sentence)
		complain(places, sentence, asked.path);
}

static void take_missing(void *closure, const struct symbolizer_frame *frame)
{
	struct places *places = closure;

	places->place.jumped = !frame->inlined;
	if (frame->function)
		take_frame(places, frame);
	else if (places->witness)
		places->witness->frame(places->witness->closure, frame);
}

void places_between(struct places *places, const struct message *message,
	const struct places_gap *gap,
	void (*take)(void *closure, const struct place *place), void *closure)
{
	const size_t known = message->context->modules;
	const struct program_module *module =
		program_module_at(message->program, gap->next - 1, known);
	const struct program_module *argument =
		program_module_at(message->program, gap->argument, known);
	struct symbolizer_gap in_file = {.name = gap->name};
	struct symbolizer_module asked;
	struct symbol_question question;

	if (!module || (gap->inside && program_module_at(message->program,
					       gap->inside, known) != module))
		return;
	asked = file_of(places, message->program, module);
	in_file.next = gap->next - module->bias;
	if (gap->inside)
		in_file.inside = gap->inside - module->bias;
	if (argument == module)
		in_file.argument = gap->argument - module->bias;
	places->take = take;
	places->closure = closure;
	places->place = (struct place){
		.module = name_of_module(module->path),
		.address = in_file.next,
	};
	question = (struct symbol_question){
		.module = module,
		.address = in_file.next,
		.between = true,
		.inside = in_file.inside,
		.argument = in_file.argument,
		.name = in_file.name,
	};
	if (!ask_log(places, message, &question, take_missing))
		symbolizer_between(places->symbolizer, &asked, &in_file,
			take_missing, places);
}

/* Of a process that has run code outside of all files. */
static const struct jit_map *map_of(struct places *places, uint32_t pid)
{
	struct jit_map *map = id_map_find(&places->jit_maps, pid);

	if (map)
		return map;
	map = jit_map_read(pid);
	if (!map || id_map_set(&places->jit_maps, pid, map))
		return map;
	jit_map_free(map);
	return NULL;
}

void places_find(struct places *places, const struct message *message,
	uint64_t address,
	void (*take)(void *closure, const struct place *place), void *closure)
{
	const struct program_module *module = program_module_at(
		message->program, address, message->context->modules);
	const struct jit_map *map;

	places->take = take;
	places->closure = closure;
	if (module) {
		find_in_module(places, message, module, address);
		return;
	}
	places->place = (struct place){.address = address};
	map = map_of(places, message->pid);
	if (map)
		places->place.function =
			jit_map_find(map, address, &places->place.offset);
	take(closure, &places->place);
}
