#include "decoder/names/locations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/id_map.h"
#include "decoder/names/jit_map.h"
#include "record/hash.h"

struct locations {
	struct symbolizer *symbolizer;
	char *cache;		/* its directory, or null */
	struct id_map jit_maps; /* by the number of the process */
	char *complaints[LOCATIONS_COMPLAINTS_MAX];
	size_t complaint_count;
	char *path; /* made for the last module with a relative one */
	const struct locations_witness *witness; /* or null */

	/* of the question that is being answered */
	struct location location;
	void (*take)(void *closure, const struct location *location);
	void *closure;
};

static uint64_t hash(const void *data, size_t size)
{
	return binlog_hash(data, size);
}

struct locations *locations_new(const struct symbolizer_options *options)
{
	struct symbolizer_options with_hash = *options;
	struct locations *locations = calloc(1, sizeof(*locations));

	if (!locations)
		return NULL;
	with_hash.hash = hash;
	locations->cache = symbolizer_usual_cache();
	with_hash.cache = locations->cache;
	locations->symbolizer = symbolizer_new(&with_hash);
	if (locations->symbolizer)
		return locations;
	free(locations->cache);
	free(locations);
	return NULL;
}

static void free_maps(struct id_map *maps)
{
	size_t i;

	for (i = 0; maps->slots && i <= maps->mask; i++)
		jit_map_free(maps->slots[i].value);
	id_map_free(maps);
}

void locations_free(struct locations *locations)
{
	size_t i;

	if (!locations)
		return;
	for (i = 0; i < locations->complaint_count; i++)
		free(locations->complaints[i]);
	free_maps(&locations->jit_maps);
	symbolizer_free(locations->symbolizer);
	free(locations->cache);
	free(locations->path);
	free(locations);
}

const char *locations_complaint(const struct locations *locations, size_t index)
{
	return index < locations->complaint_count ? locations->complaints[index]
						  : NULL;
}

/* What there is to say of a file is said once, not for every address in it. */
static void complain(
	struct locations *locations, const char *sentence, const char *path)
{
	struct render_buffer text = {0};
	size_t length = strlen(path);
	size_t i;

	if (strncmp(sentence, path, length) != 0 || sentence[length] != ':' ||
		locations->complaint_count == LOCATIONS_COMPLAINTS_MAX)
		return;
	escape_put(&text, sentence, strlen(sentence), ESCAPE_NEWLINE);
	render_buffer_put_byte(&text, '\0');
	for (i = 0; !text.failed && i < locations->complaint_count; i++)
		if (strcmp(locations->complaints[i], text.data) == 0)
			break;
	if (text.failed || i < locations->complaint_count)
		render_buffer_free(&text);
	else
		locations->complaints[locations->complaint_count++] = text.data;
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
static const char *path_of_module(struct locations *locations,
	const struct program *program, const struct program_module *module)
{
	if (module->path[0] == '/' || is_vdso(module->path) ||
		!program->directory || program->directory[0] != '/')
		return module->path;
	free(locations->path);
	if (asprintf(&locations->path, "%s/%s", program->directory,
		    module->path) < 0)
		locations->path = NULL;
	return locations->path ? locations->path : module->path;
}

static bool is_signal_trampoline(const char *function)
{
	return strcmp(function, "__restore_rt") == 0 ||
	       strcmp(function, "__kernel_rt_sigreturn") == 0;
}

void locations_tell(
	struct locations *locations, const struct locations_witness *witness)
{
	locations->witness = witness;
}

static void take_frame(void *closure, const struct symbolizer_frame *frame)
{
	struct locations *locations = closure;
	struct location *location = &locations->location;

	if (locations->witness)
		locations->witness->frame(locations->witness->closure, frame);
	location->function = frame->function;
	location->file = frame->file;
	location->line = frame->line;
	location->offset = frame->offset;
	location->inlined = frame->inlined;
	location->wrapper = frame->wrapper;
	if (frame->function && is_signal_trampoline(frame->function)) {
		location->function = LOCATIONS_SIGNAL;
		location->file = NULL;
	}
	locations->take(locations->closure, location);
}

static struct symbolizer_module file_of(struct locations *locations,
	const struct program *program, const struct program_module *module)
{
	return (struct symbolizer_module){
		.path = path_of_module(locations, program, module),
		.build_id =
			module->build_id_bytes > 0 ? module->build_id : NULL,
		.build_id_bytes = module->build_id_bytes,
		.file_bytes = module->file_bytes,
		.content_hash = module->content_hash,
	};
}

typedef void take_symbol(void *closure, const struct symbolizer_frame *frame);

/* True: the log that the message is from has brought the answer along. */
static bool ask_log(struct locations *locations, const struct message *message,
	const struct symbol_question *question, take_symbol *take)
{
	const struct symbol_answers *names = message->capture->names;
	const struct symbolizer_frame *frames = NULL;
	size_t count = 0;
	size_t i;

	if (locations->witness)
		locations->witness->question(
			locations->witness->closure, question);
	if (names)
		frames = symbol_answers_find(names, question, &count);
	for (i = 0; i < count; i++)
		take(locations, &frames[i]);
	return frames;
}

static void find_in_module(struct locations *locations,
	const struct message *message, const struct program_module *module,
	uint64_t address)
{
	const struct symbolizer_module asked =
		file_of(locations, message->program, module);
	const struct symbol_question question = {
		.module = module, .address = address - module->bias};
	const char *sentence;

	locations->location = (struct location){
		.module = name_of_module(module->path),
		.address = question.address,
	};
	if (ask_log(locations, message, &question, take_frame))
		return;
	sentence = symbolizer_resolve(locations->symbolizer, &asked,
		locations->location.address, take_frame, locations);
	if (sentence)
		complain(locations, sentence, asked.path);
}

static void take_missing(void *closure, const struct symbolizer_frame *frame)
{
	struct locations *locations = closure;

	locations->location.jumped = !frame->inlined;
	if (frame->function)
		take_frame(locations, frame);
	else if (locations->witness)
		locations->witness->frame(locations->witness->closure, frame);
}

void locations_between(struct locations *locations,
	const struct message *message, const struct locations_gap *gap,
	void (*take)(void *closure, const struct location *location),
	void *closure)
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
	asked = file_of(locations, message->program, module);
	in_file.next = gap->next - module->bias;
	if (gap->inside)
		in_file.inside = gap->inside - module->bias;
	if (argument == module)
		in_file.argument = gap->argument - module->bias;
	locations->take = take;
	locations->closure = closure;
	locations->location = (struct location){
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
	if (!ask_log(locations, message, &question, take_missing))
		symbolizer_between(locations->symbolizer, &asked, &in_file,
			take_missing, locations);
}

/* Of a process that has run code outside of all files. */
static const struct jit_map *map_of(struct locations *locations, uint32_t pid)
{
	struct jit_map *map = id_map_find(&locations->jit_maps, pid);

	if (map)
		return map;
	map = jit_map_read(pid);
	if (!map || id_map_set(&locations->jit_maps, pid, map))
		return map;
	jit_map_free(map);
	return NULL;
}

void locations_find(struct locations *locations, const struct message *message,
	uint64_t address,
	void (*take)(void *closure, const struct location *location),
	void *closure)
{
	const struct program_module *module = program_module_at(
		message->program, address, message->context->modules);
	const struct jit_map *map;

	locations->take = take;
	locations->closure = closure;
	if (module) {
		find_in_module(locations, message, module, address);
		return;
	}
	locations->location = (struct location){.address = address};
	map = map_of(locations, message->pid);
	if (map)
		locations->location.function =
			jit_map_find(map, address, &locations->location.offset);
	take(closure, &locations->location);
}
