#include "shim/control.h"

#include "record/rules.h"
#include "shim/arena.h"
#include "shim/bytes.h"
#include "shim/clock.h"
#include "shim/growth.h"
#include "shim/process.h"
#include "shim/ring_trigger.h"
#include "shim/segment.h"
#include "shim/streams.h"

/* Until there is a capture. */
static struct binlog_switches own = {
	.generation = 1,
	.level = LEVEL_LAST,
};
struct binlog_switches *control_switches = &own;
uint32_t control_seen;
bool control_deciding;
bool control_asks_threads;

/* A text of rules that was met; never freed, since others may still look, but
 * used again. */
struct control_text {
	struct control_text *next;
	uint64_t at; /* where it is in the capture */
	uint32_t bytes;
	struct rules *rules; /* null: it was refused */
};

void control_set_level(int level)
{
	own.level = level;
	own.syslog_off = switches_syslog_off(level);
	control_deciding = level < LEVEL_LAST;
}

void control_set_off(void)
{
	own.off = 1;
	own.version = 1;
}

void control_set_rules(uint64_t at, size_t bytes)
{
	control_switches->rules_at = at;
	control_switches->rules_bytes = (uint32_t)bytes;
	control_switches->version++;
}

void control_begin(struct binlog_header *header)
{
	struct binlog_switches *switches = switches_of(header);

	*switches = own;
	__atomic_store_n(&control_switches, switches, __ATOMIC_RELEASE);
}

/* Another generation than before, so that writers look for what has changed;
 * never 0, which a writer in a child of fork would take for its own. */
void control_end(struct binlog_header *header)
{
	struct binlog_switches *switches = switches_of(header);

	*switches = own;
	switches->generation = (uint32_t)clock_ticks() | 1;
	switches->version = control_seen;
}

static struct control_text *current_text(void)
{
	struct process_self *self = process_self();

	return self ? __atomic_load_n(&self->rules, __ATOMIC_ACQUIRE) : NULL;
}

static bool is_before(uint64_t end, uint64_t at, uint32_t bytes)
{
	return at <= end && bytes <= end - at;
}

/* Behind the end of the file, nothing that is mapped can be read. */
static const char *place_of(uint64_t at, uint32_t bytes)
{
	return bytes <= RULES_TEXT_MAX &&
			       is_before(segment_limit(), at, bytes) &&
			       (is_before(growth_size(), at, bytes) ||
				       is_before(growth_bytes(), at, bytes))
		       ? segment_place(at, bytes)
		       : NULL;
}

/* Null: it is not there, or there is no memory. */
static struct control_text *read_text(uint64_t at, uint32_t bytes)
{
	const char *place = place_of(at, bytes);
	struct control_text *text = place ? arena_take(sizeof(*text)) : NULL;
	char *copy = text ? arena_take(bytes) : NULL;
	struct rules_error error = {.line = 1};
	void *memory;
	size_t room;

	if (!copy)
		return NULL;
	bytes_copy(copy, place, bytes);
	room = rules_room(copy, bytes);
	memory = arena_take(room);
	if (!memory)
		return NULL;
	text->at = at;
	text->bytes = bytes;
	text->rules = rules_parse(copy, bytes, memory, room, &error);
	if (!text->rules)
		__atomic_store_n(&control_switches->rules_wrong, error.line,
			__ATOMIC_RELAXED);
	return text;
}

static struct control_text *find_text(
	struct process_self *self, uint64_t at, uint32_t bytes)
{
	struct control_text *text =
		__atomic_load_n(&self->texts, __ATOMIC_ACQUIRE);

	while (text && (text->at != at || text->bytes != bytes))
		text = text->next;
	if (text)
		return text;
	text = read_text(at, bytes);
	if (!text)
		return NULL;
	text->next = __atomic_load_n(&self->texts, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&self->texts, &text->next, text,
		false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return text;
}

/*
 * What calls have decided by older rules meanwhile, if this took its time, is
 * forgotten afterwards; who is late here finds that there is a newer version,
 * and puts it right in the same way.
 */
static void follow_rules(void)
{
	struct process_self *self = process_self();
	uint32_t bytes = __atomic_load_n(
		&control_switches->rules_bytes, __ATOMIC_ACQUIRE);
	uint64_t at = bytes ? control_switches->rules_at : 0;
	struct control_text *now = current_text();
	struct control_text *text = NULL;

	if (!self || (now ? now->at : 0) == at)
		return;
	if (at)
		text = find_text(self, at, bytes);
	/* Whoever hands a text over has found it to be right; after one that is
	 * wrong, those before it stay. */
	if (at && (!text || !text->rules))
		return;
	__atomic_store_n(&self->rules, text, __ATOMIC_RELEASE);
	control_forget();
}

static void follow_streams(void)
{
	static uint8_t modes[SWITCH_STREAMS];
	static uint8_t off;
	const struct binlog_switches *switches = control_switches;

	if (off == switches->off &&
		memcmp(modes, switches->modes, sizeof(modes)) == 0)
		return;
	off = switches->off;
	memcpy(modes, switches->modes, sizeof(modes));
	streams_switch(modes, off != 0);
}

static void follow_triggers(void)
{
	static const struct ring_event by_control = {
		.cause = BINLOG_CAUSE_CONTROL};
	static uint32_t seen;
	uint32_t now =
		__atomic_load_n(&control_switches->triggers, __ATOMIC_ACQUIRE);
	const struct rules *rules = control_rules();

	if (rules && rules_ask(rules) & RULES_ASK_TRIGGER)
		ring_trigger_wait();
	if (__atomic_exchange_n(&seen, now, __ATOMIC_ACQ_REL) != now)
		ring_trigger(&by_control);
}

static void decide_whether_to(void)
{
	const struct rules *rules = control_rules();
	bool threads = rules && rules_ask(rules) & RULES_ASK_THREAD;
	bool deciding = rules || control_level() < LEVEL_LAST;

	__atomic_store_n(&control_asks_threads, threads, __ATOMIC_RELAXED);
	__atomic_store_n(&control_deciding, deciding, __ATOMIC_RELAXED);
}

COLD void control_follow(void)
{
	uint32_t version;

	do {
		version = __atomic_load_n(
			&control_switches->version, __ATOMIC_ACQUIRE);
		follow_rules();
		follow_streams();
		follow_triggers();
		decide_whether_to();
		__atomic_store_n(&control_seen, version, __ATOMIC_RELEASE);
	} while (version !=
		 __atomic_load_n(&control_switches->version, __ATOMIC_ACQUIRE));
	__atomic_store_n(&control_switches->applied, version, __ATOMIC_RELEASE);
}

void control_follow_fork(void)
{
	follow_rules();
}

const struct rules *control_rules(void)
{
	struct control_text *text = current_text();

	return text ? text->rules : NULL;
}

uint64_t control_rules_at(const struct rules *rules)
{
	struct process_self *self = process_self();
	const struct control_text *text =
		self ? __atomic_load_n(&self->texts, __ATOMIC_ACQUIRE) : NULL;

	while (text && text->rules != rules)
		text = text->next;
	return text ? text->at : 0;
}
