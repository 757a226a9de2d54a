#include "decoder/runs/run_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/calendar.h"
#include "base/digits.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/seeded_hash.h"
#include "decoder/message/category.h"
#include "decoder/message/fields.h"
#include "decoder/names/frames.h"
#include "decoder/query/filter.h"
#include "decoder/source/source.h"

/*
 * The places that messages of two runs come from, told apart by what stays the
 * same when a program is built or started anew: the format, the function that
 * was called, the name of the program or library, and, where both runs have
 * names, the function that calls.  Filled and read by run_diff.c.  Bounded:
 * what is too much is counted as one site without a format.
 */

static struct run_site site_of(const struct message *message)
{
	const struct definition_string *format = message_statement(message);
	const struct definition_string *function = message->context->function;
	const char *module = category_module(message);
	struct run_site site = {
		.function = function && function->bytes ? function->bytes : "?",
		.module = module ? module : "?",
	};

	if (format && format->bytes) {
		site.format = format->bytes;
		site.format_bytes = format->length;
	}
	return site;
}

static bool sites_is_same(const struct run_site *a, const struct run_site *b)
{
	return strcmp(a->module, b->module) == 0 &&
	       strcmp(a->function, b->function) == 0 &&
	       !a->format == !b->format && a->format_bytes == b->format_bytes &&
	       (a->format_bytes == 0 ||
		       memcmp(a->format, b->format, a->format_bytes) == 0);
}

static uint32_t sites_hash_of(const struct run_site *site)
{
	uint64_t hash = seeded_hash_start;

	hash = seeded_hash(hash, site->module, strlen(site->module));
	hash = seeded_hash(hash, site->function, strlen(site->function));
	hash = seeded_hash(hash, site->format, site->format_bytes);
	return (uint32_t)(hash ^ hash >> 32);
}

static void name_arguments(struct run_sites *sites, struct run_site *site,
	const struct fields *fields)
{
	size_t i;

	site->argument_count = fields->count;
	for (i = 0; i < fields->count; i++) {
		const char *name = fields->all[i].name;

		site->arguments[i] = (struct run_argument){
			.name = pool_copy(&sites->pool, name, strlen(name))};
		sites->failed |= !site->arguments[i].name;
	}
}

/* Null: out of memory. */
static struct run_site *sites_add(struct run_sites *sites,
	const struct run_site *like, const struct fields *fields)
{
	struct run_site *site = pool_take(&sites->pool,
		sizeof(*site) + fields->count * sizeof(site->arguments[0]));

	if (!site || !array_reserve(sites->all, sites->room, sites->count + 1))
		return NULL;
	*site = (struct run_site){
		.number = (uint32_t)sites->count,
		.format_bytes = like->format_bytes,
		.function = pool_copy(
			&sites->pool, like->function, strlen(like->function)),
		.module = pool_copy(
			&sites->pool, like->module, strlen(like->module)),
	};
	if (like->format)
		site->format = pool_copy(
			&sites->pool, like->format, like->format_bytes);
	if (!site->function || !site->module || !site->format != !like->format)
		return NULL;
	name_arguments(sites, site, fields);
	sites->all[sites->count++] = site;
	return site;
}

static struct run_site *find_rest(struct run_sites *sites)
{
	static const struct run_site nothing = {.function = "?", .module = "?"};
	static const struct fields none;

	if (!sites->rest)
		sites->rest = sites_add(sites, &nothing, &none);
	return sites->rest;
}

static struct run_site *find_site(
	struct run_sites *sites, const struct message *message)
{
	struct run_site like = site_of(message);
	uint32_t hash = sites_hash_of(&like);
	struct run_site *first = id_map_find(&sites->map, hash);
	struct run_site *site = first;

	while (site && !sites_is_same(site, &like))
		site = site->collides;
	if (site)
		return site;
	if (limits_reached(LIMIT_SITES, sites->count))
		return find_rest(sites);
	site = sites_add(sites, &like, fields_of(message));
	if (!site || !id_map_set(&sites->map, hash, site))
		return NULL;
	site->collides = first;
	return site;
}

/* Of a frame that is asked about; the names are copied. */
struct asked {
	struct run_sites *sites;
	struct run_caller caller;
};

/* Without what compilers append to the names of copies: `.part.0`. */
static size_t length_of(const char *function)
{
	size_t length = strcspn(function, ".");

	return length > 0 ? length : strlen(function);
}

static void take_author(void *closure, const struct location *location)
{
	struct asked *asked = closure;
	struct pool *pool = &asked->sites->pool;

	if (location->function)
		asked->caller.function = pool_copy(pool, location->function,
			length_of(location->function));
	if (location->file)
		asked->caller.file =
			pool_copy(pool, location->file, strlen(location->file));
	asked->caller.line = location->line;
}

static bool has_name(const struct run_caller *caller, const char *function)
{
	return !caller->function == !function &&
	       (!function || strcmp(caller->function, function) == 0);
}

static struct run_caller *caller_with(
	const struct run_site *site, const char *function)
{
	struct run_caller *caller = site->callers;

	while (caller && !has_name(caller, function))
		caller = caller->next;
	return caller;
}

static struct run_caller *find_caller(struct run_sites *sites,
	struct run_site *site, const struct message *message)
{
	struct asked asked = {.sites = sites};
	struct run_caller *caller;

	if (sites->locations)
		frames_author(sites->locations, message, take_author, &asked);
	caller = caller_with(site, asked.caller.function);
	if (!caller && limits_reached(LIMIT_CALLERS, site->caller_count)) {
		asked.caller.function = NULL;
		caller = caller_with(site, NULL);
	}
	if (!caller) {
		caller = pool_take(&sites->pool, sizeof(*caller));
		if (!caller)
			return NULL;
		*caller = asked.caller;
		caller->next = site->callers;
		site->callers = caller;
		site->caller_count++;
	} else if (asked.caller.file) {
		caller->file = asked.caller.file;
		caller->line = asked.caller.line;
	}
	return caller;
}

/* Null: out of memory. */
static const struct run_context *context_of(
	struct run_sites *sites, const struct message *message)
{
	struct run_context *context = message->context->run;

	if (context)
		return context;
	context = pool_take(message->pool, sizeof(*context));
	if (!context)
		return NULL;
	context->site = find_site(sites, message);
	context->caller = context->site
				  ? find_caller(sites, context->site, message)
				  : NULL;
	if (!context->caller)
		return NULL;
	message->context->run = context;
	return context;
}

static void widen(struct run_range *range, double value)
{
	double before = value - range->mean;

	if (range->count == 0 || value < range->least)
		range->least = value;
	if (range->count == 0 || value > range->most)
		range->most = value;
	range->count++;
	range->mean += before / (double)range->count;
	range->squares += before * (value - range->mean);
}

/* Not of what is another number in each run: processes, threads, addresses. */
static bool sites_number_of(const struct field *field,
	const struct message *message, struct render_buffer *scratch,
	double *number)
{
	struct field_value value = field_value(field, message, scratch);

	switch (field->type) {
	case FIELD_INTEGER:
		*number = (double)value.i64;
		break;
	case FIELD_UNSIGNED:
		*number = (double)value.u64;
		break;
	case FIELD_FLOAT:
		*number = value.f64;
		break;
	default:
		return false;
	}
	return value.known && *number - *number == 0 &&
	       *number != message->pid && *number != message->tid;
}

static void add_arguments(struct run_sites *sites, struct run_site *site,
	const struct message *message, int run)
{
	const struct fields *fields = fields_of(message);
	double number;
	size_t i;

	for (i = 0; i < fields->count && i < site->argument_count; i++)
		if (sites_number_of(
			    &fields->all[i], message, &sites->scratch, &number))
			widen(&site->arguments[i].runs[run], number);
}

/*
 * Counts a message of run 0 or 1; the site that it is from, or null: out of
 * memory.
 */
static struct run_site *run_sites_add(
	struct run_sites *sites, const struct message *message, int run)
{
	const struct run_context *context = context_of(sites, message);

	if (!context) {
		sites->failed = true;
		return NULL;
	}
	context->site->calls[run]++;
	context->caller->calls[run]++;
	if (context->site->argument_count > 0)
		add_arguments(sites, context->site, message, run);
	return context->site;
}

bool run_sites_knows_callers(const struct run_site *site)
{
	const struct run_caller *caller;

	for (caller = site->callers; caller; caller = caller->next)
		if (!caller->function)
			return false;
	return true;
}

/* Frees all but the places. */
static void run_sites_free(struct run_sites *sites)
{
	id_map_free(&sites->map);
	pool_free(&sites->pool);
	free(sites->all);
	render_buffer_free(&sites->scratch);
	*sites = (struct run_sites){0};
}

/*
 * The threads of two runs, paired by what they are rather than by their
 * numbers: the how-manieth process with this name, and the how-manieth thread
 * in it with this name, in the order of their first messages.  Keeps for each
 * which sites the first run's messages came from, and where the second run's
 * are others.  Used by run_diff.c.  Bounded: what is too much is not compared.
 */

/* A thread of the run that is being read. */
struct run_thread {
	struct run_thread *collides;
	const struct program *program;
	uint32_t tid;
	struct run_role *role; /* null: it is not compared */
};

/* A process of it. */
struct run_process {
	struct run_process *collides;
	const struct program *program;
	uint32_t number;
};

/* How many there are with a name so far, and who is counted. */
struct run_counter {
	struct run_counter *collides;
	const char *name;
	const struct program *of; /* null: processes */
	uint32_t count;
};

static uint32_t hash_of(const char *name, uint64_t with)
{
	uint64_t hash = seeded_hash(seeded_hash_start, name, strlen(name));

	hash = seeded_hash_word(hash, with);
	return (uint32_t)(hash ^ hash >> 32);
}

/* Before the first message of run 0 or 1; to be called once for each reading.
 */
static void run_roles_begin(struct run_roles *roles, int run)
{
	id_map_free(&roles->threads);
	id_map_free(&roles->processes);
	id_map_free(&roles->counters);
	pool_free(&roles->run_pool);
	roles->order = 0;
	roles->run = run;
}

/* One more with this name; 0: out of memory. */
static uint32_t count(
	struct run_roles *roles, const char *name, const struct program *of)
{
	uint32_t hash = hash_of(name, (uintptr_t)of);
	struct run_counter *first = id_map_find(&roles->counters, hash);
	struct run_counter *counter = first;

	while (counter &&
		(counter->of != of || strcmp(counter->name, name) != 0))
		counter = counter->collides;
	if (counter)
		return ++counter->count;
	counter = pool_take(&roles->run_pool, sizeof(*counter));
	if (!counter)
		return 0;
	*counter = (struct run_counter){
		.collides = first,
		.name = pool_copy(&roles->run_pool, name, strlen(name)),
		.of = of,
		.count = 1,
	};
	if (!counter->name || !id_map_set(&roles->counters, hash, counter))
		return 0;
	return 1;
}

static bool is_same(const struct run_role *a, const struct run_role *b)
{
	return a->process == b->process && a->number == b->number &&
	       strcmp(a->program, b->program) == 0 &&
	       strcmp(a->thread, b->thread) == 0;
}

/* Null: there are too many, or there is no memory. */
static struct run_role *find_role(
	struct run_roles *roles, const struct run_role *like)
{
	uint32_t hash = hash_of(like->program,
		hash_of(like->thread,
			(uint64_t)like->process << 32 | like->number));
	struct run_role *first = id_map_find(&roles->roles, hash);
	struct run_role *role = first;

	while (role && !is_same(role, like))
		role = role->collides;
	if (role || limits_reached(LIMIT_ROLES, roles->count))
		return role;
	role = pool_take(&roles->pool, sizeof(*role));
	if (!role)
		return NULL;
	*role = (struct run_role){
		.collides = first,
		.program = pool_copy(
			&roles->pool, like->program, strlen(like->program)),
		.process = like->process,
		.thread = pool_copy(
			&roles->pool, like->thread, strlen(like->thread)),
		.number = like->number,
	};
	if (!role->program || !role->thread ||
		!id_map_set(&roles->roles, hash, role))
		return NULL;
	if (roles->last)
		roles->last->next = role;
	else
		roles->first = role;
	roles->last = role;
	roles->count++;
	return role;
}

/* Its number among those with its name; 0: out of memory. */
static uint32_t number_of(
	struct run_roles *roles, const struct program *program)
{
	uint32_t hash = hash_of("", (uintptr_t)program);
	struct run_process *first = id_map_find(&roles->processes, hash);
	struct run_process *process = first;

	while (process && process->program != program)
		process = process->collides;
	if (process)
		return process->number;
	process = pool_take(&roles->run_pool, sizeof(*process));
	if (!process)
		return 0;
	*process = (struct run_process){
		.collides = first,
		.program = program,
		.number = count(roles, program->name, NULL),
	};
	return id_map_set(&roles->processes, hash, process) ? process->number
							    : 0;
}

static struct run_thread *add_thread(struct run_roles *roles,
	const struct message *message, struct run_thread *collides)
{
	struct run_thread *thread =
		pool_take(&roles->run_pool, sizeof(*thread));
	struct run_role like = {
		.program = message->program->name,
		.thread = message->thread,
	};

	if (!thread)
		return NULL;
	like.process = number_of(roles, message->program);
	like.number = count(roles, message->thread, message->program);
	*thread = (struct run_thread){
		.collides = collides,
		.program = message->program,
		.tid = message->tid,
		.role = find_role(roles, &like),
	};
	return thread;
}

/* Who says it.  Null: it is not compared. */
static struct run_role *run_roles_find(
	struct run_roles *roles, const struct message *message)
{
	uint32_t hash = hash_of("",
		seeded_hash_word((uintptr_t)message->program, message->tid));
	struct run_thread *first = id_map_find(&roles->threads, hash);
	struct run_thread *thread = first;

	while (thread && (thread->program != message->program ||
				 thread->tid != message->tid))
		thread = thread->collides;
	if (thread)
		return thread->role;
	thread = add_thread(roles, message, first);
	if (!thread || !id_map_set(&roles->threads, hash, thread)) {
		roles->failed = true;
		return NULL;
	}
	return thread->role;
}

/* False: as many are kept as may be. */
static bool make_room(struct run_roles *roles, struct run_role *role)
{
	if (role->cut || limits_reached(LIMIT_ROLE_MESSAGES, roles->kept))
		return false;
	return array_reserve(role->sites, role->room, role->counts[0] + 1);
}

static void keep(struct run_roles *roles, struct run_role *role, uint32_t site)
{
	if (!make_room(roles, role)) {
		role->cut = true;
		roles->missed++;
		return;
	}
	role->sites[role->counts[0]++] = site;
	roles->kept++;
}

static void compare(
	struct run_roles *roles, struct run_role *role, uint32_t site)
{
	uint64_t at = role->counts[1]++;
	bool known = at < role->counts[0];

	if (!known && role->cut)
		roles->missed++;
	if (role->differs || role->counts[0] == 0 || (!known && role->cut) ||
		(known && role->sites[at] == site))
		return;
	role->differs = true;
	role->at = at;
	role->order = roles->order;
}

/* Takes its next message, from this site. */
static void run_roles_add(
	struct run_roles *roles, struct run_role *role, uint32_t site)
{
	roles->order++;
	if (!role)
		roles->missed++;
	else if (roles->run == 0)
		keep(roles, role, site);
	else
		compare(roles, role, site);
}

/* After the last message of run 1: what has stopped earlier differs, too. */
static void run_roles_finish(struct run_roles *roles)
{
	struct run_role *role;

	for (role = roles->first; role; role = role->next) {
		if (role->differs || role->counts[1] == 0 ||
			role->counts[1] >= role->counts[0])
			continue;
		role->differs = true;
		role->at = role->counts[1];
		role->order = roles->order;
	}
}

/* The one that differs first; null: none does. */
static const struct run_role *run_roles_first_difference(
	const struct run_roles *roles)
{
	const struct run_role *first = NULL;
	const struct run_role *role;

	for (role = roles->first; role; role = role->next)
		if (role->differs && (!first || role->order < first->order))
			first = role;
	return first;
}

static void run_roles_free(struct run_roles *roles)
{
	struct run_role *role;

	for (role = roles->first; role; role = role->next)
		free(role->sites);
	id_map_free(&roles->roles);
	id_map_free(&roles->threads);
	id_map_free(&roles->processes);
	id_map_free(&roles->counters);
	pool_free(&roles->pool);
	pool_free(&roles->run_pool);
	*roles = (struct run_roles){0};
}

/* The next one as it is compared; null: that was all. */
static const struct message *next(
	const struct run_diff *diff, struct source *source)
{
	const struct message *message = source_next(source);

	return message && diff->as ? diff->as(diff->closure, message) : message;
}

static bool is_asked_for(
	const struct run_diff *diff, const struct message *message)
{
	return !message_is_event(message) && !message->continues &&
	       filter_wants(&diff->options->rules, message) &&
	       filter_selects(&diff->options->rules, message);
}

/* Clocks may be set back. */
static void add(struct run_total *run, const struct message *message)
{
	run->messages++;
	if (run->first == 0 || message->wall < run->first)
		run->first = message->wall;
	if (message->wall > run->last)
		run->last = message->wall;
}

void run_diff_begin(struct run_diff *diff, int run)
{
	run_roles_begin(&diff->roles, run);
}

void run_diff_message(
	struct run_diff *diff, const struct message *message, int run)
{
	const struct run_site *site;

	if (!is_asked_for(diff, message))
		return;
	site = run_sites_add(&diff->sites, message, run);
	add(&diff->runs[run], message);
	if (site)
		run_roles_add(&diff->roles,
			run_roles_find(&diff->roles, message), site->number);
}

void run_diff_read(struct run_diff *diff, struct source *source, int run)
{
	const struct message *message;

	run_diff_begin(diff, run);
	while ((message = next(diff, source)))
		run_diff_message(diff, message, run);
}

void run_diff_compare(struct run_diff *diff)
{
	run_roles_finish(&diff->roles);
	diff->difference = run_roles_first_difference(&diff->roles);
}

static void put_number(struct render_buffer *out, char before, uint32_t number)
{
	char text[DIGITS_U64_MAX];

	render_buffer_put_byte(out, before);
	render_buffer_put(
		out, text, (size_t)(digits_write(text, number) - text));
}

static void put_line(struct run_diff *diff, struct calendar *calendar,
	const struct message *message, struct render_buffer *out)
{
	struct render_buffer text = {0};
	const char *name = message->program->name;

	message_text(message, &text);
	if (text.length > 0 && text.data[text.length - 1] == '\n')
		text.length--;
	calendar_append(calendar, message->wall, out);
	render_buffer_put_byte(out, ' ');
	escape_put(out, name, strlen(name), ESCAPE_NEWLINE);
	put_number(out, '[', message->pid);
	put_number(out, ':', message->tid);
	render_buffer_put(out, "]: ", 3);
	escape_put(out, text.data, text.length, ESCAPE_NEWLINE);
	render_buffer_put_byte(out, '\n');
	diff->sites.failed |= text.failed || out->failed;
	render_buffer_free(&text);
}

bool run_diff_line(
	struct run_diff *diff, const struct message *message, int run)
{
	const struct run_role *role = diff->difference;
	struct run_lines *lines = &diff->lines[run];
	struct calendar calendar = {.utc = diff->options->utc};

	if (!role || lines->passed >= role->at + RUN_DIFF_AFTER)
		return false;
	if (!is_asked_for(diff, message) ||
		run_roles_find(&diff->roles, message) != role)
		return true;
	if (lines->passed + RUN_DIFF_BEFORE >= role->at) {
		put_line(diff, &calendar, message, &lines->text);
		lines->same += lines->passed < role->at;
		lines->count++;
	}
	return ++lines->passed < role->at + RUN_DIFF_AFTER;
}

void run_diff_read_lines(struct run_diff *diff, struct source *source, int run)
{
	const struct message *message;

	run_diff_begin(diff, run);
	while (diff->difference && (message = next(diff, source)) &&
		run_diff_line(diff, message, run))
		;
}

bool run_diff_is_whole(const struct run_diff *diff)
{
	return !diff->sites.failed && !diff->roles.failed;
}

void run_diff_free(struct run_diff *diff)
{
	run_sites_free(&diff->sites);
	run_roles_free(&diff->roles);
	render_buffer_free(&diff->lines[0].text);
	render_buffer_free(&diff->lines[1].text);
}

/*
 * When two numbers of two runs differ so much that it should be said.  Asked
 * by show_diff.c.
 */

/* By so much it is more, or less. */
#define FACTOR 1.5

/* Fewer values say nothing of how far they reach. */
#define VALUES_MIN 10

/* So many times wider than before is far beyond it. */
#define FAR 10

/* Of two, the one that says less; 0 if they do not agree. */
static double lesser(double a, double b)
{
	if ((a > 0) != (b > 0))
		return 0;
	return fabs(a) < fabs(b) ? a : b;
}

static double greater(double a, double b)
{
	return fabs(a) > fabs(b) ? a : b;
}

/* What comes and goes by chance differs by about its root. */
static bool is_chance(double calls, double expected)
{
	return fabs(calls - expected) <= 2 * sqrt(fmax(calls, expected));
}

double run_change_of_calls(const struct run_change_calls *of)
{
	double a = (double)of->calls[0];
	double b = (double)of->calls[1];
	double others_a = (double)(of->all[0] - of->calls[0]);
	double others_b = (double)(of->all[1] - of->calls[1]);
	double number = log(b / a);
	double rate = log(b / of->seconds[1] / (a / of->seconds[0]));
	double change = lesser(number, rate);
	double expected = a;

	if (others_a > 0 && others_b > 0) {
		double share = log(b / others_b / (a / others_a));

		change = greater(lesser(share, number), lesser(share, rate));
		expected = a * others_b / others_a;
	}
	return fabs(change) < log(FACTOR) || is_chance(b, expected) ? 0
								    : change;
}

static double deviation(const struct run_range *range)
{
	return sqrt(range->squares / (double)range->count);
}

static bool is_wider(const struct run_range *a, const struct run_range *b)
{
	double before = a->most - a->least;

	return before > 0 && b->most - b->least > FAR * before;
}

bool run_change_of_values(const struct run_range *a, const struct run_range *b)
{
	double spread;

	if (a->count == 0 || b->count == 0)
		return false;
	if (a->most < b->least || b->most < a->least)
		return true;
	spread = fmax(deviation(a), deviation(b));
	if (fabs(a->mean - b->mean) > 2 * spread)
		return true;
	return a->count >= VALUES_MIN && b->count >= VALUES_MIN &&
	       (is_wider(a, b) || is_wider(b, a));
}
