#include <stdlib.h>
#include <string.h>

#include "symbolizer/answers/programtext.h"
#include "symbolizer/worker/askedmodule.h"
#include "symbolizer/worker/cachefile.h"
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
	struct worker *worker;	  /* in another; null: not needed yet, or */
	bool failed;		  /* it is not to be had */
	struct symbolizer_options options; /* for that */
	/* What its calls hand on, by where they return to: see handed_frame. */
	struct askedmodule *module;
	char *why; /* there may be other calls */
	struct held *held[CHAINS];
};

static bool open_in_worker(struct symbolizer_program *program, char **complaint)
{
	struct askedmodule *module = program->module;
	const char *why = "no process can be started to read it";

	program->worker = worker_new(&program->options);
	if (program->worker && !workerquestion_program(program->worker,
				       &module->wanted, &module->opened, &why))
		why = worker_epitaph(program->worker);
	if (why && *why)
		*complaint = strdup(why);
	program->failed = why;
	return !why;
}

/* Null: the program cannot be read any more. */
static struct worker *worker_of(struct symbolizer_program *program)
{
	struct openedlist noted = program->module->opened;
	char *complaint = NULL;

	if (program->worker || program->failed)
		return program->worker;
	/* what is in the cache has come from these files, which are as then */
	program->module->opened = (struct openedlist){0};
	open_in_worker(program, &complaint);
	openedlist_free(&program->module->opened);
	program->module->opened = noted;
	free(complaint);
	return program->failed ? NULL : program->worker;
}

/* What former runs have found needs no process. */
static bool is_cached(struct symbolizer_program *program)
{
	struct askedmodule *module = program->module;

	if (!cachefile_load(&program->options, module))
		return false;
	module->cached = module->answers.answer_count;
	return true;
}

struct symbolizer_program *symbolizer_program_open(
	const struct symbolizer_options *options,
	const struct symbolizer_module *wanted, char **complaint)
{
	struct symbolizer_program *program = calloc(1, sizeof(*program));

	*complaint = NULL;
	if (!program)
		return NULL;
	program->options = *options;
	program->module = askedmodule_new(wanted);
	if (program->module && options->in_process) {
		program->here = programtext_open(options, wanted, complaint);
	} else if (program->module) {
		program->module->calls = true;
		if (is_cached(program) || open_in_worker(program, complaint))
			return program;
	}
	if (program->here)
		return program;
	symbolizer_program_close(program);
	return NULL;
}

static void keep_answers(const struct symbolizer_program *program)
{
	const struct askedmodule *module = program->module;

	if (module && module->calls &&
		module->answers.answer_count > module->cached)
		cachefile_save(&program->options, module);
}

void symbolizer_program_close(struct symbolizer_program *program)
{
	size_t i;

	if (!program)
		return;
	keep_answers(program);
	for (i = 0; i < CHAINS; i++)
		while (program->held[i]) {
			struct held *next = program->held[i]->next;

			free(program->held[i]);
			program->held[i] = next;
		}
	programtext_close(program->here);
	worker_free(program->worker);
	askedmodule_free(program->module);
	free(program->why);
	free(program);
}

void symbolizer_program_rest(struct symbolizer_program *program)
{
	if (!program->worker || *worker_epitaph(program->worker))
		return; /* or it would be asked again what has ended it */
	worker_free(program->worker);
	program->worker = NULL;
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

	if (!worker_of(program) ||
		!workerquestion_text(program->worker, address,
			wanted == IS_STRING, &bytes, &count))
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
	if (!worker_of(program))
		why = "it cannot be read any more";
	else if (!workerquestion_calls(
			 program->worker, NULL, take, closure, &why))
		why = worker_epitaph(program->worker);
	free(program->why);
	program->why = why ? strdup(why) : NULL;
	return why ? program->why : NULL;
}

/*
 * What calls hand on is kept as the names of addresses are: a text is the
 * function of a frame, and what else is told of it is in its numbers.  What
 * only rules ask for is not kept: see whole_handed.
 */
static bool handed_frame(struct answerstore *answers,
	const struct symbolizer_handed *handed, struct answerstore_frame *frame)
{
	const uint64_t before = handed->call - handed->begin;
	const uint64_t after = handed->end - handed->call;

	*frame = (struct answerstore_frame){
		.offset = handed->call,
		.line = handed->how,
		.column = (uint32_t)before,
		.inlined = (uint32_t)after,
		.wrapper = (uint32_t)handed->takes_any,
	};
	return handed->begin <= handed->call && handed->call <= handed->end &&
	       before <= UINT32_MAX && after <= UINT32_MAX &&
	       answerstore_intern(answers, handed->bytes, &frame->function);
}

/* False: it is none, but that a call hands on nothing. */
static bool frame_handed(const struct answerstore *answers,
	const struct answerstore_frame *frame, struct symbolizer_handed *handed)
{
	if (frame->function == 0 || frame->line >= SYMBOLIZER_HANDINGS ||
		frame->column > frame->offset ||
		frame->wrapper >= SYMBOLIZER_ANSWERS)
		return false;
	*handed = (struct symbolizer_handed){
		.bytes = answers->strings + frame->function,
		.count = strlen(answers->strings + frame->function),
		.call = frame->offset,
		.begin = frame->offset - frame->column,
		.end = frame->offset + frame->inlined,
		.how = frame->line,
		.takes_any = frame->wrapper,
	};
	return true;
}

/* An answer that is being heard, and told. */
struct hearing {
	struct answerstore *answers;
	struct answerstore_frame frames[ANSWERSTORE_FRAMES_MAX];
	size_t count;
	bool lost; /* something that there was no room for */
	void (*take)(void *closure, const struct symbolizer_handed *handed);
	void *closure;
};

static void hear(void *closure, const struct symbolizer_handed *handed)
{
	struct hearing *hearing = closure;

	hearing->lost = hearing->lost ||
			hearing->count == ANSWERSTORE_FRAMES_MAX ||
			!handed_frame(hearing->answers, handed,
				&hearing->frames[hearing->count++]);
	hearing->take(hearing->closure, handed);
}

static void ask_handed(struct symbolizer_program *program, uint64_t next,
	void (*take)(void *closure, const struct symbolizer_handed *handed),
	void *closure)
{
	struct hearing hearing = {
		.answers = &program->module->answers,
		.take = take,
		.closure = closure,
	};

	if (!worker_of(program) ||
		!workerquestion_handed(program->worker, next, hear, &hearing))
		return;
	if (hearing.count == 0)
		hearing.count = 1; /* it is nothing */
	if (!program->options.whole_handed && !hearing.lost)
		answerstore_put(hearing.answers, next, hearing.frames,
			hearing.count, 0);
}

void symbolizer_program_handed(struct symbolizer_program *program,
	uint64_t next,
	void (*take)(void *closure, const struct symbolizer_handed *handed),
	void *closure)
{
	const struct answerstore *answers = &program->module->answers;
	const struct answerstore_answer *answer;
	struct symbolizer_handed handed;
	size_t i;

	if (program->here) {
		programtext_handed(program->here, next, take, closure);
		return;
	}
	answer = answerstore_find(answers, next);
	if (!answer)
		ask_handed(program, next, take, closure);
	for (i = 0; answer && i < answer->count; i++)
		if (frame_handed(answers, &answers->frames[answer->first + i],
			    &handed))
			take(closure, &handed);
}

void symbolizer_program_statements(struct symbolizer_program *program,
	void (*take)(void *closure, const struct symbolizer_handed *handed),
	void *closure)
{
	if (program->here)
		programtext_statements(program->here, take, closure);
	else if (worker_of(program))
		workerquestion_statements(program->worker, take, closure);
}
