#include "decoder/message/facts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/capture/recording.h"
#include "decoder/message/category.h"
#include "decoder/message/message_level.h"
#include "decoder/names/frames.h"
#include "rules/levels.h"

/*
 * The memory nodes of this machine.  Asked for the cores that messages were
 * made on; one thread.
 */

#define NODES "/sys/devices/system/node"
#define CORES_MAX 65536u

/* One more than the node of each core; 0: it is in none. */
static struct {
	bool read;
	uint16_t nodes[CORES_MAX];
} known;

/* `0-3,8`, as the kernel writes it. */
static void take_list(const char *list, unsigned long node)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long core = strtoul(list, &end, 10);
		unsigned long last =
			*end == '-' ? strtoul(end + 1, &end, 10) : core;

		for (; core <= last && core < CORES_MAX; core++)
			known.nodes[core] = (uint16_t)(node + 1);
		list = *end == ',' ? end + 1 : end;
	}
}

static void read_node(const char *name, unsigned long node)
{
	char path[sizeof(NODES) + 288];
	char list[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), NODES "/%s/cpulist", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, list, sizeof(list) - 1);
	close(fd);
	list[n < 0 ? 0 : n] = '\0';
	take_list(list, node);
}

static void read_nodes(void)
{
	DIR *directory = opendir(NODES);
	struct dirent *entry;

	known.read = true;
	while (directory && (entry = readdir(directory))) {
		char *end;
		unsigned long node;

		if (strncmp(entry->d_name, "node", 4) != 0)
			continue;
		node = strtoul(entry->d_name + 4, &end, 10);
		if (end > entry->d_name + 4 && !*end && node < UINT16_MAX)
			read_node(entry->d_name, node);
	}
	if (directory)
		closedir(directory);
}

/* The node that a core belongs to; -1: the kernel does not say. */
static int numa_node(uint32_t core)
{
	if (!known.read)
		read_nodes();
	return core < CORES_MAX ? known.nodes[core] - 1 : -1;
}

/* What is asked, and where the answers come from. */
struct asked {
	const struct message *message;
	struct render_buffer *scratch;
	struct locations *locations;
	bool placed; /* `place` has been looked for */
	struct location location;
};

const struct fact_kinds facts_all[FACT_NAMES] = {
#define FACT(name, kind, what) {FACT_##kind, what},
#include "decoder/message/facts.def"
#undef FACT
};

const struct fact_wanted facts_of_origin[7] = {FACT_WANTED(time_ns),
	FACT_WANTED(ticks), FACT_WANTED(program), FACT_WANTED(pid),
	FACT_WANTED(tid), FACT_WANTED(thread), FACT_WANTED(coroutine)};
const struct fact_wanted facts_of_call[7] = {FACT_WANTED(stream),
	FACT_WANTED(level), FACT_WANTED(priority), FACT_WANTED(ident),
	FACT_WANTED(module), FACT_WANTED(function), FACT_WANTED(statement)};
const struct fact_wanted facts_of_location[3] = {
	FACT_WANTED(caller), FACT_WANTED(file), FACT_WANTED(line)};

static bool number(struct fact *fact, uint64_t value)
{
	fact->number = value;
	return true;
}

static bool word(struct fact *fact, const char *text)
{
	fact->text = text;
	fact->bytes = text ? strlen(text) : 0;
	return text != NULL;
}

static bool string(struct fact *fact, const struct definition_string *text)
{
	if (!text || !text->bytes)
		return false;
	fact->text = text->bytes;
	fact->bytes = text->length;
	return true;
}

/* What has been appended to the scratch. */
static bool scratched(struct fact *fact, const struct render_buffer *scratch)
{
	fact->text = scratch->data;
	fact->bytes = scratch->length;
	return true;
}

static void take_location(void *closure, const struct location *location)
{
	((struct asked *)closure)->location = *location;
}

static const struct location *location_of(struct asked *asked)
{
	if (!asked->placed) {
		asked->location = (struct location){0};
		if (asked->locations)
			frames_author(asked->locations, asked->message,
				take_location, asked);
		asked->placed = true;
	}
	return &asked->location;
}

static bool numa(struct fact *fact, const struct message *message)
{
	int node = message->core > 0 && liveness_is_here(message->capture)
			   ? numa_node(message->core - 1)
			   : -1;

	return node >= 0 && number(fact, (uint64_t)node);
}

static bool of_syslog(
	struct asked *asked, enum fact_name name, struct fact *fact)
{
	struct message_syslog syslog;

	if (!message_is_syslog(asked->message, &syslog))
		return false;
	switch (name) {
	case FACT_priority:
		asked->scratch->length = 0;
		message_words_priority(syslog.priority,
			message_level(asked->message), asked->scratch);
		return scratched(fact, asked->scratch);
	case FACT_priority_number:
		return number(fact, syslog.priority);
	case FACT_facility:
		return number(fact, syslog.priority >> 3);
	default:
		fact->text = syslog.ident;
		fact->bytes = syslog.ident_bytes;
		return syslog.ident != NULL;
	}
}

/* How it is known. */
static const char *statement_word(const struct definition_statement *statement)
{
	if (statement->sure)
		return "sure";
	return statement->several ? "one of several" : "likely";
}

static inline bool find(
	struct asked *asked, enum fact_name name, struct fact *fact)
{
	const struct message *message = asked->message;
	const char *slash;
	int level;

	switch (name) {
	case FACT_time_ns:
		return number(fact, message->wall);
	case FACT_ticks:
		return number(fact, message->ticks);
	case FACT_program:
		return word(fact, message->program->name);
	case FACT_pid:
		return number(fact, message->pid);
	case FACT_tid:
		return number(fact, message->tid);
	case FACT_thread:
		return word(fact, message->thread);
	case FACT_coroutine:
		return message->coroutine > 0 &&
		       number(fact, message->coroutine);
	case FACT_core:
		return message->core > 0 && number(fact, message->core - 1);
	case FACT_numa:
		return numa(fact, message);
	case FACT_capture:
		slash = strrchr(message->capture->path, '/');
		return word(fact, slash ? slash + 1 : message->capture->path);
	case FACT_stream:
		asked->scratch->length = 0;
		message_words_stream(message, asked->scratch);
		return scratched(fact, asked->scratch);
	case FACT_level:
		return word(fact, level_name(message_level(message)));
	case FACT_severity:
		level = message_level(message);
		return number(fact,
			(uint64_t)(level > LEVEL_debug ? LEVEL_debug : level));
	case FACT_priority:
	case FACT_priority_number:
	case FACT_facility:
	case FACT_ident:
		return of_syslog(asked, name, fact);
	case FACT_module:
		return word(fact, category_module(message));
	case FACT_function:
		return string(fact, message->context->function);
	case FACT_format:
		return !message_is_event(message) &&
		       string(fact, message_statement(message));
	case FACT_statement:
		return message->context->statement &&
		       word(fact, statement_word(message->context->statement));
	case FACT_caller:
		return word(fact, location_of(asked)->function);
	case FACT_file:
		return word(fact, location_of(asked)->file);
	case FACT_line:
		return location_of(asked)->file &&
		       number(fact, location_of(asked)->line);
	case FACT_NAMES:
		break;
	}
	return false;
}

static inline void begin(struct asked *asked, struct locations *locations,
	const struct message *message, struct render_buffer *scratch)
{
	asked->message = message;
	asked->scratch = scratch;
	asked->locations = locations;
	asked->placed = false;
}

void facts_each(const struct fact_wanted *wanted, size_t count,
	struct locations *locations, const struct message *message,
	struct render_buffer *scratch, facts_take *take, void *closure)
{
	struct asked asked;
	struct fact fact;
	size_t i;

	begin(&asked, locations, message, scratch);
	for (i = 0; i < count; i++) {
		fact.kind = facts_all[wanted[i].name].kind;
		if (find(&asked, wanted[i].name, &fact))
			take(closure, wanted[i].key, &fact);
	}
}

bool facts_find(enum fact_name name, struct locations *locations,
	const struct message *message, struct render_buffer *scratch,
	struct fact *fact)
{
	struct asked asked;

	begin(&asked, locations, message, scratch);
	fact->kind = facts_all[name].kind;
	return find(&asked, name, fact);
}
