#include "decoder/runs/coverage.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/id_map.h"
#include "base/pool.h"
#include "decoder/names/frames.h"
#include "decoder/query/filter.h"
#include "decoder/runs/hits.h"
#include "decoder/source/source.h"
#include "record/hash.h"

/*
 * A statement that is a jump, at the end of a function: it leaves no return
 * address, and is known only by its place in the source.
 */
struct coverage_jump {
	struct coverage_jump *next;
	const struct coverage *owner;
	const char *file; /* null: there is no jump */
	unsigned line;
	uint64_t count;
};

struct coverage {
	struct style_settings settings;
	struct locations *locations;
	struct hits hits;
	struct coverage_jump *jumps;
	struct id_map modules; /* those that were looked at, by a hash */
	struct coverage_statement *statements;
	size_t count;
	size_t room;
	struct pool pool;
	const char *module; /* that is being listed */
	size_t number;
	bool failed;
};

struct coverage *coverage_new(const struct style_settings *settings)
{
	struct coverage *coverage = calloc(1, sizeof(*coverage));

	if (!coverage)
		return NULL;
	coverage->settings = *settings;
	coverage->locations = locations_new(&settings->options->symbols);
	if (coverage->locations) {
		locations_use(coverage->locations,
			settings->options->executables);
		return coverage;
	}
	free(coverage);
	return NULL;
}

static const char *copy(struct coverage *coverage, const char *string)
{
	const char *copied = NULL;

	if (string)
		copied = pool_copy(&coverage->pool, string, strlen(string));
	coverage->failed |= string && !copied;
	return copied;
}

struct jump_search {
	struct coverage *coverage;
	struct coverage_jump *found;
};

/* The innermost frame: whether the function that prints was jumped to. */
static bool take_frame(void *closure, const struct location *location)
{
	struct jump_search *search = closure;

	if (location->jumped && location->file) {
		search->found->file = copy(search->coverage, location->file);
		search->found->line = location->line;
	}
	return false;
}

static struct coverage_jump *jump_of(
	struct coverage *coverage, const struct message *message)
{
	struct coverage_jump *jump = message->context->jump;
	struct jump_search search = {.coverage = coverage};

	if (jump && jump->owner == coverage)
		return jump;
	jump = pool_take(&coverage->pool, sizeof(*jump));
	if (!jump)
		return NULL;
	*jump = (struct coverage_jump){
		.next = coverage->jumps,
		.owner = coverage,
	};
	search.found = jump;
	frames_each(coverage->locations, message, take_frame, &search);
	if (jump->file)
		coverage->jumps = jump;
	message->context->jump = jump;
	return jump;
}

void coverage_message(struct coverage *coverage, const struct message *message)
{
	const struct filter_rules *rules = &coverage->settings.options->rules;
	struct coverage_jump *jump;

	if (message_is_event(message) || message->continues ||
		!filter_wants(rules, message) ||
		!filter_selects(rules, message))
		return;
	hits_take(&coverage->hits, message);
	if (message->context->statement)
		return; /* by its address */
	jump = jump_of(coverage, message);
	if (jump)
		jump->count++;
	else
		coverage->failed = true;
}

static void take_statement(
	void *closure, const struct index_statement *statement)
{
	struct coverage *coverage = closure;
	struct coverage_statement *to;

	if (!array_reserve(coverage->statements, coverage->room,
		    coverage->count + 1)) {
		coverage->failed = true;
		return;
	}
	to = &coverage->statements[coverage->count++];
	*to = (struct coverage_statement){
		.of = *statement,
		.module = coverage->module,
		.number = coverage->number,
	};
	to->of.file = copy(coverage, statement->file);
	to->of.function = copy(coverage, statement->function);
	to->of.call = copy(coverage, statement->call);
	to->of.texts = copy(coverage, statement->texts);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_asked_for(const struct filter_rules *rules, const char *name)
{
	const struct filter_texts *globs = &rules->modules;
	size_t i;

	for (i = 0; i < globs->count; i++)
		if (fnmatch(globs->texts[i], name, 0) == 0)
			return true;
	return globs->count == 0;
}

/* What processes share is looked at once. */
static bool is_new(
	struct coverage *coverage, const struct program_module *module)
{
	uint64_t hash = binlog_hash(module->path, module->path_bytes);
	uint32_t id;

	hash = binlog_hash_word(hash, module->content_hash);
	if (module->build_id_bytes > 0)
		hash = binlog_hash_word(hash,
			binlog_hash(module->build_id, module->build_id_bytes));
	id = (uint32_t)(hash ^ hash >> 32);
	return !id_map_find(&coverage->modules, id) &&
	       id_map_set(&coverage->modules, id, coverage);
}

static void complain(struct recording *capture, const char *path)
{
	error_add(capture->errors, &(struct error){
					   .code = ERROR_NO_STATEMENTS,
					   .file = path,
				   });
}

static void list_module(struct coverage *coverage, struct recording *capture,
	const struct program *program, const struct program_module *module)
{
	bool relative = module->path[0] != '/';
	char *path = NULL;
	char *why;

	if (relative && (!program->directory || program->directory[0] != '/' ||
				asprintf(&path, "%s/%s", program->directory,
					module->path) < 0))
		return;
	coverage->module = last_part(module->path);
	coverage->number++;
	why = index_each(module, relative ? path : module->path,
		&coverage->settings.options->symbols, &coverage->hits,
		take_statement, coverage);
	if (why)
		complain(capture, module->path);
	free(why);
	free(path);
}

/* Not what the kernel provides, which is in no file. */
static bool is_file(const struct program_module *module)
{
	return module->path_bytes > 0 &&
	       strncmp(module->path, "linux-vdso.so.", 14) != 0;
}

static void list_programs(struct coverage *coverage, struct recording *capture)
{
	const struct filter_rules *rules = &coverage->settings.options->rules;
	const struct program *program = capture->programs.newest;
	size_t i;

	for (; program; program = program->older)
		for (i = 0; i < program->module_count; i++) {
			const struct program_module *module =
				&program->modules[i];

			if (is_file(module) &&
				is_asked_for(rules, last_part(module->path)) &&
				is_new(coverage, module))
				list_module(coverage, capture, program, module);
		}
}

static int compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

/* What is known of the source, the same for the same statement. */
static int compare_sources(
	const struct coverage_statement *a, const struct coverage_statement *b)
{
	int order = compare_texts(a->of.file, b->of.file);

	if (order == 0 && a->of.line != b->of.line)
		order = a->of.line < b->of.line ? -1 : 1;
	if (order == 0)
		order = compare_texts(a->of.function, b->of.function);
	return order == 0 ? compare_texts(a->of.texts, b->of.texts) : order;
}

static int compare(const void *left, const void *right)
{
	const struct coverage_statement *a = left;
	const struct coverage_statement *b = right;
	int order = a->of.file ? 0 : strcmp(a->module, b->module);

	if (order == 0 || !b->of.file != !a->of.file)
		order = compare_sources(a, b);
	if (order == 0 && a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (order == 0)
		return a->of.address < b->of.address
			       ? -1
			       : a->of.address > b->of.address;
	return order;
}

/* A header, or a file that is linked into several: */
static bool is_again(
	const struct coverage_statement *a, const struct coverage_statement *b)
{
	return a->of.file && a->number != b->number &&
	       compare_sources(a, b) == 0;
}

static void merge_same(struct coverage *coverage)
{
	struct coverage_statement *all = coverage->statements;
	size_t to = 0;
	size_t i;

	for (i = 0; i < coverage->count; i++) {
		if (to > 0 && is_again(&all[to - 1], &all[i])) {
			all[to - 1].of.count += all[i].of.count;
			all[to - 1].of.known &= all[i].of.known;
		} else {
			all[to++] = all[i];
		}
	}
	coverage->count = to;
}

/* Statements by place: the first at or after this line of the file. */
static size_t find_line(
	const struct coverage *coverage, const char *file, unsigned line)
{
	size_t low = 0;
	size_t high = coverage->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct index_statement *of =
			&coverage->statements[middle].of;
		int order = compare_texts(of->file, file);

		if (order < 0 || (order == 0 && of->line < line))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first one on its line that is a jump has it. */
static void add_jump(
	struct coverage *coverage, const struct coverage_jump *jump)
{
	size_t i = find_line(coverage, jump->file, jump->line);

	for (; i < coverage->count; i++) {
		struct index_statement *of = &coverage->statements[i].of;

		if (!of->file || strcmp(of->file, jump->file) != 0 ||
			of->line != jump->line)
			return;
		if (of->known)
			continue;
		of->count += jump->count;
		return;
	}
}

const struct coverage_statement *coverage_list(
	struct coverage *coverage, size_t *count)
{
	const struct style_settings *settings = &coverage->settings;
	const struct coverage_jump *jump;
	struct recording *const *packed;
	size_t packed_count;
	size_t i;

	for (i = 0; i < settings->capture_count; i++)
		list_programs(coverage, settings->captures[i]);
	packed = source_packed(settings->messages, &packed_count);
	for (i = 0; i < packed_count; i++)
		list_programs(coverage, packed[i]);
	if (coverage->count > 0)
		qsort(coverage->statements, coverage->count,
			sizeof(*coverage->statements), compare);
	merge_same(coverage);
	for (jump = coverage->jumps; jump; jump = jump->next)
		add_jump(coverage, jump);
	*count = coverage->count;
	return coverage->statements;
}

bool coverage_is_whole(const struct coverage *coverage)
{
	return !coverage->failed && !coverage->hits.failed;
}

void coverage_free(struct coverage *coverage)
{
	if (!coverage)
		return;
	locations_free(coverage->locations);
	hits_free(&coverage->hits);
	id_map_free(&coverage->modules);
	pool_free(&coverage->pool);
	free(coverage->statements);
	free(coverage);
}
