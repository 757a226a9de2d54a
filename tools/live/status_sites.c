#include "tools/live/status_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/seeded_hash.h"
#include "decoder/message/message_level.h"

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

struct status_site *status_sites_obtain(
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

struct status_thread *status_sites_thread(
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

void status_sites_forget(struct status_count *count)
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
