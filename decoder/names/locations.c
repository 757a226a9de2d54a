#include "decoder/names/locations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/id_map.h"
#include "decoder/names/jit_map.h"
#include "record/hash.h"

struct locations {
	struct symbolizer_options options;
	struct symbolizer *symbolizer;
	char *cache; /* its directory, or null */
	/* of locations_use(), and where each module is: by what it is one of
	 * these, or HERE */
	char **executables;	      /* with a null, or null */
	struct symbolizer *elsewhere; /* reads these */
	struct id_map places;
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
	struct locations *locations = calloc(1, sizeof(*locations));

	if (!locations)
		return NULL;
	locations->options = *options;
	locations->options.hash = hash;
	locations->cache = symbolizer_usual_cache();
	locations->options.cache = locations->cache;
	locations->symbolizer = symbolizer_new(&locations->options);
	if (locations->symbolizer)
		return locations;
	free(locations->cache);
	free(locations);
	return NULL;
}

static char **copy_paths(const char *const *paths)
{
	size_t count = 0;
	char **copies;
	size_t i;

	while (paths[count])
		count++;
	copies = calloc(count + 1, sizeof(*copies));
	for (i = 0; copies && i < count; i++)
		copies[i] = strdup(paths[i]); /* null: the last one */
	return copies;
}

/* No map is for paths that are not the recorded ones. */
void locations_use(struct locations *locations, const char *const *executables)
{
	struct symbolizer_options options = locations->options;

	if (!*executables || locations->elsewhere)
		return;
	options.path_maps = NULL;
	options.sysroot = NULL;
	options.force = false;
	locations->elsewhere = symbolizer_new(&options);
	if (locations->elsewhere)
		locations->executables = copy_paths(executables);
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
	id_map_free(&locations->places);
	for (i = 0; locations->executables && locations->executables[i]; i++)
		free(locations->executables[i]);
	free(locations->executables);
	symbolizer_free(locations->elsewhere);
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

/* In `places`: at the recorded path, or nowhere. */
static char here[1];

static void look(void *closure, const struct symbolizer_frame *frame)
{
	bool *named = closure;

	*named |= frame->function != NULL;
}

/* It is there, as far as this address tells. */
static bool has_names(struct symbolizer *symbolizer,
	const struct symbolizer_module *asked, uint64_t address)
{
	bool named = false;
	const char *sentence =
		symbolizer_resolve(symbolizer, asked, address, look, &named);

	return named || !sentence;
}

/* Where a module is that the recorded path does not lead to. */
static char *find_elsewhere(struct locations *locations,
	struct symbolizer_module asked, uint64_t address)
{
	char **path = locations->executables;

	/* One that is not known could be any. */
	if ((asked.build_id_bytes == 0 && asked.content_hash == 0) ||
		has_names(locations->symbolizer, &asked, address))
		return here;
	for (; *path; path++) {
		asked.path = *path;
		if (has_names(locations->elsewhere, &asked, address))
			return *path;
	}
	return here;
}

static uint64_t identity_of(const struct symbolizer_module *asked)
{
	uint64_t all[] = {
		asked->file_bytes,
		asked->content_hash,
		asked->build_id
			? binlog_hash(asked->build_id, asked->build_id_bytes)
			: 0,
		binlog_hash(asked->path, strlen(asked->path)),
	};

	return binlog_hash(all, sizeof(all));
}

/* Who is to be asked, for an address in the module; its path may change. */
static struct symbolizer *who_knows(struct locations *locations,
	struct symbolizer_module *asked, uint64_t address)
{
	uint64_t identity;
	char *place;

	if (!locations->executables)
		return locations->symbolizer;
	identity = identity_of(asked);
	place = id_map_find(&locations->places, identity);
	if (!place) {
		place = find_elsewhere(locations, *asked, address);
		id_map_set(&locations->places, identity, place);
	}
	if (place == here)
		return locations->symbolizer;
	asked->path = place;
	return locations->elsewhere;
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
	struct symbolizer_module asked =
		file_of(locations, message->program, module);
	const struct symbol_question question = {
		.module = module, .address = address - module->bias};
	struct symbolizer *symbolizer;
	const char *sentence;

	locations->location = (struct location){
		.module = name_of_module(module->path),
		.address = question.address,
	};
	if (ask_log(locations, message, &question, take_frame))
		return;
	symbolizer = who_knows(locations, &asked, question.address);
	sentence = symbolizer_resolve(
		symbolizer, &asked, question.address, take_frame, locations);
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
	struct symbolizer *symbolizer;

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
	if (ask_log(locations, message, &question, take_missing))
		return;
	symbolizer = who_knows(locations, &asked, in_file.next - 1);
	symbolizer_between(
		symbolizer, &asked, &in_file, take_missing, locations);
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
