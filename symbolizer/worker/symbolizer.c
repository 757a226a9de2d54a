#include "symbolizer/symbolizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "symbolizer/elf/debugfile.h"
#include "symbolizer/files/openfile.h"
#include "symbolizer/worker/askedmodule.h"
#include "symbolizer/worker/cachefile.h"
#include "symbolizer/worker/worker.h"

struct symbolizer {
	struct symbolizer_options options;
	struct askedmodule **modules;
	size_t module_count;
	size_t module_room;
	size_t last;		   /* index of the module asked for last */
	struct resolver *resolver; /* in this process, or */
	struct worker *worker;	   /* in another; null: none now */
	unsigned readers;	   /* resolvers or workers there have been */
	size_t opened;		   /* modules that the present one knows */
	size_t deaths;
};

/*
 * Up to WORKERQUESTION_BATCH addresses, or one gap, or a place in a function,
 * and the key of its answer.
 */
struct question {
	const uint64_t *addresses;
	size_t count;
	const struct symbolizer_gap *gap;
	const char *function; /* null: it is about no name */
	uint64_t offset;
};

char *symbolizer_usual_cache(void)
{
	const char *chosen = secure_getenv("BINLOG_CACHE");
	const char *xdg = secure_getenv("XDG_CACHE_HOME");
	const char *home = secure_getenv("HOME");
	char *path = NULL;
	int made = -1;

	if (chosen)
		return *chosen ? strdup(chosen) : NULL;
	if (xdg && xdg[0] == '/')
		made = asprintf(&path, "%s/binlog", xdg);
	else if (home && home[0] == '/')
		made = asprintf(&path, "%s/.cache/binlog", home);
	return made >= 0 ? path : NULL;
}

struct symbolizer *symbolizer_new(const struct symbolizer_options *options)
{
	struct symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));

	if (!symbolizer)
		return NULL;
	symbolizer->options = *options;
	if (options->debuginfod)
		download_allow();
	return symbolizer;
}

/* What has failed may do better with another program, or less damage. */
static void keep_answers(
	const struct symbolizer *symbolizer, const struct askedmodule *module)
{
	if (!module->failed && module->sources == SYMTAB_ALL &&
		module->answers.answer_count > module->cached)
		cachefile_save(&symbolizer->options, module);
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	size_t i;

	if (!symbolizer)
		return;
	for (i = 0; i < symbolizer->module_count; i++) {
		keep_answers(symbolizer, symbolizer->modules[i]);
		askedmodule_free(symbolizer->modules[i]);
	}
	resolver_free(symbolizer->resolver);
	worker_free(symbolizer->worker);
	free(symbolizer->modules);
	free(symbolizer);
}

static struct askedmodule *add_module(
	struct symbolizer *symbolizer, const struct symbolizer_module *wanted)
{
	struct askedmodule *module;

	if (!array_reserve(symbolizer->modules, symbolizer->module_room,
		    symbolizer->module_count + 1))
		return NULL;
	module = askedmodule_new(wanted);
	if (!module)
		return NULL;
	if (cachefile_load(&symbolizer->options, module))
		module->cached = module->answers.answer_count;
	symbolizer->last = symbolizer->module_count;
	symbolizer->modules[symbolizer->module_count++] = module;
	return module;
}

static struct askedmodule *module_for(
	struct symbolizer *symbolizer, const struct symbolizer_module *wanted)
{
	size_t i;

	if (symbolizer->last < symbolizer->module_count &&
		askedmodule_is(symbolizer->modules[symbolizer->last], wanted))
		return symbolizer->modules[symbolizer->last];
	for (i = 0; i < symbolizer->module_count; i++) {
		if (!askedmodule_is(symbolizer->modules[i], wanted))
			continue;
		symbolizer->last = i;
		return symbolizer->modules[i];
	}
	return add_module(symbolizer, wanted);
}

static void complain(struct askedmodule *module, const char *what,
	const char *why, const char *advice)
{
	free(module->complaint);
	if (asprintf(&module->complaint, "%s: %s: %s: %s", module->name, what,
		    why, advice) < 0)
		module->complaint = NULL;
}

static void report(struct symbolizer *symbolizer, struct askedmodule *module)
{
	if (!module->complaint || module->reported)
		return;
	module->reported = true;
	if (symbolizer->options.report)
		symbolizer->options.report(
			symbolizer->options.report_closure, module->complaint);
}

/*
 * The file asked about may not be the cause, but nothing else is known.  The
 * next process reads less of it.
 */
static void bury(struct symbolizer *symbolizer, struct askedmodule *module)
{
	module->failed = module->sources == SYMTAB_TABLES;
	complain(module,
		module->failed ? "no names"
			       : "no lines, and no names but those of symbols",
		worker_epitaph(symbolizer->worker),
		worker_advice(symbolizer->worker));
	if (!module->failed) {
		module->sources = SYMTAB_TABLES;
		module->whole = module->answers.answer_count;
		symbolizer->deaths++;
	}
	worker_free(symbolizer->worker);
	symbolizer->worker = NULL;
}

/* Null, or why there is none. */
static const char *start_worker(
	struct symbolizer *symbolizer, const struct askedmodule *module)
{
	if (symbolizer->worker)
		return NULL;
	if (symbolizer->deaths >= readlimits_of(READLIMIT_DEATHS) &&
		module->sources == SYMTAB_ALL) {
		readlimits_note(READLIMIT_DEATHS, module->name);
		return "too many other files are damaged";
	}
	symbolizer->worker = worker_new(&symbolizer->options);
	if (!symbolizer->worker)
		return "no process can be started to read it";
	symbolizer->readers++;
	symbolizer->opened = 0;
	return NULL;
}

static bool put_question(struct symbolizer *symbolizer,
	struct askedmodule *module, const struct question *question)
{
	const struct workerquestion_file file = {
		.number = module->number,
		.opened = &module->opened,
		.heard = &module->heard,
		.answers = &module->answers,
	};

	if (question->gap)
		return workerquestion_between(symbolizer->worker, &file,
			question->gap, question->addresses[0]);
	if (question->function)
		return workerquestion_named(symbolizer->worker, &file,
			question->function, question->offset,
			question->addresses[0]);
	return workerquestion_ask(symbolizer->worker, &file,
		question->addresses, question->count);
}

/* False when that has ended a worker. */
static bool try_worker(struct symbolizer *symbolizer,
	struct askedmodule *module, const struct question *question)
{
	const char *why = start_worker(symbolizer, module);
	bool fine = true;

	if (why) {
		module->failed = true;
		complain(module, "no names", why,
			"ask about it alone, or free memory");
		return true;
	}
	if (module->reader != symbolizer->readers) {
		module->reader = symbolizer->readers;
		module->number = symbolizer->opened++;
		wirenames_forget(&module->heard);
		fine = workerquestion_open(symbolizer->worker, &module->wanted,
			module->sources, &module->opened);
	}
	if (fine && put_question(symbolizer, module, question))
		return true;
	bury(symbolizer, module);
	return false;
}

static void ask_worker(struct symbolizer *symbolizer,
	struct askedmodule *module, const struct question *question)
{
	uint64_t addresses[WORKERQUESTION_BATCH];
	struct question rest = {.addresses = addresses,
		.gap = question->gap,
		.function = question->function,
		.offset = question->offset};
	size_t i;

	if (!try_worker(symbolizer, module, question) && !module->failed) {
		for (i = 0; i < question->count; i++)
			if (!answerstore_find(
				    &module->answers, question->addresses[i]))
				addresses[rest.count++] =
					question->addresses[i];
		if (rest.count > 0)
			try_worker(symbolizer, module, &rest);
	}
	report(symbolizer, module);
}

/* False when out of memory. */
static bool have_resolver(
	struct symbolizer *symbolizer, struct askedmodule *module)
{
	if (!symbolizer->resolver) {
		symbolizer->resolver = resolver_new(&symbolizer->options);
		symbolizer->readers = 1;
	}
	if (!symbolizer->resolver)
		return false;
	if (module->reader == symbolizer->readers)
		return true;
	if (!resolver_open(symbolizer->resolver, &module->wanted, SYMTAB_ALL))
		return false;
	module->reader = symbolizer->readers;
	module->number = symbolizer->opened++;
	return true;
}

static bool resolve(struct symbolizer *symbolizer,
	const struct askedmodule *module, const struct question *question,
	size_t index, struct resolver_answer *answer)
{
	if (question->gap)
		return resolver_between(symbolizer->resolver, module->number,
			question->gap, answer);
	if (question->function)
		return resolver_named(symbolizer->resolver, module->number,
			question->function, question->offset, answer);
	return resolver_find(symbolizer->resolver, module->number,
		question->addresses[index], answer);
}

static void ask_resolver(struct symbolizer *symbolizer,
	struct askedmodule *module, const struct question *question)
{
	struct resolver_answer answer;
	size_t i;

	for (i = 0; i < question->count; i++)
		if (have_resolver(symbolizer, module) &&
			resolve(symbolizer, module, question, i, &answer))
			answerstore_add(&module->answers,
				question->addresses[i], &answer);
}

static void ask(struct symbolizer *symbolizer, struct askedmodule *module,
	const struct question *question)
{
	/* what has been said may be asked again */
	if (answerstore_is_full(&module->answers)) {
		answerstore_free(&module->answers);
		wirenames_forget(&module->heard);
		module->cached = 0;
		module->whole = 0;
	}
	if (symbolizer->options.in_process)
		ask_resolver(symbolizer, module, question);
	else if (!module->failed)
		ask_worker(symbolizer, module, question);
}

static bool is_among(const uint64_t *addresses, size_t count, uint64_t address)
{
	while (count > 0)
		if (addresses[--count] == address)
			return true;
	return false;
}

void symbolizer_expect(struct symbolizer *symbolizer,
	const struct symbolizer_module *wanted, const uint64_t *addresses,
	size_t count)
{
	struct askedmodule *module = module_for(symbolizer, wanted);
	uint64_t batch[WORKERQUESTION_BATCH];
	size_t taken = 0;
	size_t i;

	for (i = 0; module && i < count; i++) {
		if (answerstore_find(&module->answers, addresses[i]) ||
			is_among(batch, taken, addresses[i]))
			continue;
		batch[taken++] = addresses[i];
		if (taken < WORKERQUESTION_BATCH)
			continue;
		ask(symbolizer, module,
			&(struct question){.addresses = batch, .count = taken});
		taken = 0;
	}
	if (taken > 0)
		ask(symbolizer, module,
			&(struct question){.addresses = batch, .count = taken});
}

/* The question is one. */
static const struct answerstore_answer *answer_for(
	struct symbolizer *symbolizer, struct askedmodule *module,
	const struct question *question)
{
	const struct answerstore_answer *answer =
		answerstore_find(&module->answers, question->addresses[0]);

	if (answer)
		return answer;
	ask(symbolizer, module, question);
	return answerstore_find(&module->answers, question->addresses[0]);
}

static const char *sentence_of(const struct askedmodule *module,
	const struct answerstore_answer *answer)
{
	const struct answerstore *answers = &module->answers;

	if (module->sources == SYMTAB_TABLES &&
		(size_t)(answer - answers->answers) >= module->whole)
		return module->complaint;
	return answerstore_sentence(answers, answer);
}

static const char *tell(struct symbolizer *symbolizer,
	const struct symbolizer_module *wanted, const struct question *question,
	void (*frame)(void *closure, const struct symbolizer_frame *frame),
	void *closure)
{
	struct askedmodule *module = module_for(symbolizer, wanted);
	const struct answerstore_answer *answer =
		module ? answer_for(symbolizer, module, question) : NULL;
	struct symbolizer_frame now = {0};
	size_t i;

	if (!answer) {
		frame(closure, &now);
		return module && module->complaint ? module->complaint
						   : "out of memory";
	}
	for (i = 0; i < answer->count; i++) {
		now = answerstore_frame(&module->answers, answer, i);
		frame(closure, &now);
	}
	return sentence_of(module, answer);
}

const char *symbolizer_resolve(struct symbolizer *symbolizer,
	const struct symbolizer_module *wanted, uint64_t address,
	void (*frame)(void *closure, const struct symbolizer_frame *frame),
	void *closure)
{
	const struct question question = {.addresses = &address, .count = 1};

	return tell(symbolizer, wanted, &question, frame, closure);
}

/* What no address is: those of files are below. */
static uint64_t key_of(
	uint64_t first, uint64_t second, uint64_t third, const char *name)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;
	uint64_t key = first;
	const char *c;

	key = (key ^ key >> 29 ^ second) * odd;
	key = (key ^ key >> 29 ^ third) * odd;
	for (c = name; c && *c; c++)
		key = (key ^ key >> 29 ^ (unsigned char)*c) * odd;
	return (key ^ key >> 29) | (uint64_t)1 << 63;
}

/* Of functions, which no gap has. */
#define KEY_NAMED UINT64_MAX

const char *symbolizer_resolve_named(struct symbolizer *symbolizer,
	const struct symbolizer_module *wanted, const char *function,
	uint64_t offset,
	void (*frame)(void *closure, const struct symbolizer_frame *frame),
	void *closure)
{
	const uint64_t key = key_of(offset, KEY_NAMED, KEY_NAMED, function);
	const struct question question = {.addresses = &key,
		.count = 1,
		.function = function,
		.offset = offset};

	return tell(symbolizer, wanted, &question, frame, closure);
}

/* Also of one that an earlier run was given. */
static void tell_limits(const struct askedmodule *module,
	const struct answerstore_answer *answer)
{
	enum readlimit i;

	for (i = 0; i < READLIMIT_ROWS; i++)
		if (answer->limits & 1u << i)
			readlimits_note(i, module->name);
}

void symbolizer_between(struct symbolizer *symbolizer,
	const struct symbolizer_module *wanted,
	const struct symbolizer_gap *gap,
	void (*frame)(void *closure, const struct symbolizer_frame *frame),
	void *closure)
{
	const uint64_t key =
		key_of(gap->next, gap->inside, gap->argument, gap->name);
	const struct question question = {
		.addresses = &key, .count = 1, .gap = gap};
	struct askedmodule *module = module_for(symbolizer, wanted);
	const struct answerstore_answer *answer =
		module ? answer_for(symbolizer, module, &question) : NULL;
	struct symbolizer_frame now = {0};
	size_t i;

	if (answer)
		tell_limits(module, answer);
	else
		frame(closure, &now);
	for (i = 0; answer && i < answer->count; i++) {
		now = answerstore_frame(&module->answers, answer, i);
		frame(closure, &now);
	}
}

bool symbolizer_has_file(
	const struct symbolizer_options *options, const char *path)
{
	struct openfile file;
	struct searchpath place;
	bool found =
		searchpath_find(&place, options, path) &&
		openfile_open(&file, place.root, place.path) == OPENFILE_FINE;

	free(place.path);
	if (found)
		close(file.descriptor);
	return found;
}

int symbolizer_open_source(
	const struct symbolizer_options *options, const char *path)
{
	struct searchpath place;
	int descriptor = -1;

	if (searchpath_find(&place, options, path))
		descriptor = openfile_plain(place.root, place.path);
	free(place.path);
	return descriptor;
}

const char *symbolizer_calls(const char *path,
	void (*take)(void *closure, const struct symbolizer_call *call),
	void *closure)
{
	static char sentence[256]; /* what says it is gone with the worker */
	const struct symbolizer_options options = {0};
	struct worker *worker = worker_new(&options);
	const char *why = NULL;

	if (!worker)
		return "no process can be started to read it";
	if (!workerquestion_calls(worker, path, take, closure, &why))
		why = worker_epitaph(worker);
	if (why)
		snprintf(sentence, sizeof(sentence), "%s", why);
	worker_free(worker);
	return why ? sentence : NULL;
}
