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
#include "decoder/query/filter.h"
#include "decoder/source/source.h"

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

/* One that was asked for; null: that was all. */
static const struct message *next(
	const struct run_diff *diff, struct source *source)
{
	const struct message *message;

	while ((message = source_next(source)))
		if (!message_is_event(message) && !message->continues &&
			filter_wants(&diff->options->rules, message) &&
			filter_selects(&diff->options->rules, message))
			break;
	return message;
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

void run_diff_read(struct run_diff *diff, struct source *source, int run)
{
	const struct message *message;

	run_roles_begin(&diff->roles, run);
	while ((message = next(diff, source))) {
		const struct run_site *site =
			run_sites_add(&diff->sites, message, run);

		add(&diff->runs[run], message);
		if (site)
			run_roles_add(&diff->roles,
				run_roles_find(&diff->roles, message),
				site->number);
	}
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

void run_diff_read_lines(struct run_diff *diff, struct source *source, int run)
{
	const struct run_role *role = diff->difference;
	struct run_lines *lines = &diff->lines[run];
	struct calendar calendar = {.utc = diff->options->utc};
	const struct message *message;
	uint64_t at = 0;

	run_roles_begin(&diff->roles, run);
	while (role && at < role->at + RUN_DIFF_AFTER &&
		(message = next(diff, source))) {
		if (run_roles_find(&diff->roles, message) != role)
			continue;
		if (at + RUN_DIFF_BEFORE >= role->at) {
			put_line(diff, &calendar, message, &lines->text);
			lines->same += at < role->at;
			lines->count++;
		}
		at++;
	}
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
 * by run_report.c.
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
