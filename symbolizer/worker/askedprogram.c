#include <stdlib.h>
#include <string.h>

#include "symbolizer/answers/programtext.h"
#include "symbolizer/worker/worker.h"

#define CHAINS 1024

/* A text that has been asked for, since the worker's packets do not stay. */
struct held {
	struct held *next;
	uint64_t address;
	size_t wanted; /* bytes; IS_STRING: as many as there are */
	size_t count;
	bool is_there;
	char text[]; /* with its NUL */
};

#define IS_STRING SIZE_MAX

struct symbolizer_program {
	struct programtext *here; /* in this process, or */
	struct worker *worker;	  /* in another */
	char *why;		  /* there may be other calls */
	struct held *held[CHAINS];
};

static bool open_in_worker(struct symbolizer_program *program,
	const struct symbolizer_options *options,
	const struct symbolizer_module *wanted, char **complaint)
{
	const char *why = "no process can be started to read it";

	program->worker = worker_new(options);
	if (program->worker &&
		!workerquestion_program(program->worker, wanted, &why))
		why = worker_epitaph(program->worker);
	if (why && *why)
		*complaint = strdup(why);
	return !why;
}

struct symbolizer_program *symbolizer_program_open(
	const struct symbolizer_options *options,
	const struct symbolizer_module *wanted, char **complaint)
{
	struct symbolizer_program *program = calloc(1, sizeof(*program));

	*complaint = NULL;
	if (!program)
		return NULL;
	if (options->in_process)
		program->here = programtext_open(options, wanted, complaint);
	else if (open_in_worker(program, options, wanted, complaint))
		return program;
	if (program->here)
		return program;
	symbolizer_program_close(program);
	return NULL;
}

void symbolizer_program_close(struct symbolizer_program *program)
{
	size_t i;

	if (!program)
		return;
	for (i = 0; i < CHAINS; i++)
		while (program->held[i]) {
			struct held *next = program->held[i]->next;

			free(program->held[i]);
			program->held[i] = next;
		}
	programtext_close(program->here);
	worker_free(program->worker);
	free(program->why);
	free(program);
}

/* The place of what is held, or the one for what will be. */
static struct held **place_of(
	struct symbolizer_program *program, uint64_t address, size_t wanted)
{
	uint64_t hash = (address + wanted) * 0x9e3779b97f4a7c15u >> 32;
	struct held **place = &program->held[hash % CHAINS];

	while (*place &&
		((*place)->address != address || (*place)->wanted != wanted))
		place = &(*place)->next;
	return place;
}

/* Null when out of memory, or when the worker has ended. */
static struct held *ask(
	struct symbolizer_program *program, uint64_t address, size_t wanted)
{
	const uint8_t *bytes = NULL;
	size_t count = wanted;
	struct held *held;

	if (!workerquestion_text(program->worker, address, wanted == IS_STRING,
		    &bytes, &count))
		return NULL;
	if (!bytes)
		count = 0;
	held = malloc(sizeof(*held) + count + 1);
	if (!held)
		return NULL;
	*held = (struct held){.address = address,
		.wanted = wanted,
		.count = count,
		.is_there = bytes != NULL};
	if (bytes)
		memcpy(held->text, bytes, count);
	held->text[count] = '\0';
	return held;
}

static const char *text_at(struct symbolizer_program *program, uint64_t address,
	size_t wanted, size_t *count)
{
	struct held **place = place_of(program, address, wanted);

	if (!*place)
		*place = ask(program, address, wanted);
	if (!*place || !(*place)->is_there)
		return NULL;
	*count = (*place)->count;
	return (*place)->text;
}

const char *symbolizer_program_string(
	struct symbolizer_program *program, uint64_t address, size_t *count)
{
	if (program->here)
		return (const char *)programtext_string(
			program->here, address, count);
	return text_at(program, address, IS_STRING, count);
}

const char *symbolizer_program_bytes(
	struct symbolizer_program *program, uint64_t address, size_t count)
{
	if (program->here)
		return (const char *)programtext_bytes(
			program->here, address, count);
	return text_at(program, address, count, &count);
}

const char *symbolizer_program_calls(struct symbolizer_program *program,
	void (*take)(void *closure, const struct symbolizer_call *call),
	void *closure)
{
	const char *why = NULL;

	if (program->here)
		return programtext_calls(program->here, take, closure);
	if (!workerquestion_calls(program->worker, NULL, take, closure, &why))
		why = worker_epitaph(program->worker);
	free(program->why);
	program->why = why ? strdup(why) : NULL;
	return why ? program->why : NULL;
}

void symbolizer_program_handed(struct symbolizer_program *program,
	uint64_t next,
	void (*take)(void *closure, const struct symbolizer_handed *handed),
	void *closure)
{
	if (program->here)
		programtext_handed(program->here, next, take, closure);
	else
		workerquestion_handed(program->worker, next, take, closure);
}

void symbolizer_program_statements(struct symbolizer_program *program,
	void (*take)(void *closure, const struct symbolizer_handed *handed),
	void *closure)
{
	if (program->here)
		programtext_statements(program->here, take, closure);
	else
		workerquestion_statements(program->worker, take, closure);
}
