#include "decoder/runs/run_roles.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/seeded_hash.h"

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

void run_roles_begin(struct run_roles *roles, int run)
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

struct run_role *run_roles_find(
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

void run_roles_add(
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

void run_roles_finish(struct run_roles *roles)
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

const struct run_role *run_roles_first_difference(const struct run_roles *roles)
{
	const struct run_role *first = NULL;
	const struct run_role *role;

	for (role = roles->first; role; role = role->next)
		if (role->differs && (!first || role->order < first->order))
			first = role;
	return first;
}

void run_roles_free(struct run_roles *roles)
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
