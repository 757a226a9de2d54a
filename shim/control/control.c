#include "shim/control/control.h"

#include "rules/rules.h"
#include "shim/control/process.h"
#include "shim/file/capture_file.h"
#include "shim/file/growth.h"
#include "shim/file/segment.h"
#include "shim/host/above.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/clock.h"

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

void control_join(struct binlog_header *header)
{
	struct binlog_switches *switches = switches_of(header);

	__atomic_store_n(&control_switches, switches, __ATOMIC_RELEASE);
	if (__atomic_load_n(&switches->version, __ATOMIC_ACQUIRE) != 0)
		control_follow();
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

static void copy_rules(struct binlog_switches *to, const char *rules);

void control_go_on(struct binlog_header *header, const char *rules)
{
	struct binlog_switches *switches = switches_of(header);
	struct binlog_switches copy = *control_switches;

	/* None that anybody can have seen on the old page. */
	copy.generation = (copy.generation + 0x10000) | 1;
	copy.speaker = SPEAKER_MANY;
	copy.suppressed = copy.redacted = 0;
	*switches = copy;
	copy_rules(switches, rules);
	__atomic_store_n(&control_switches, switches, __ATOMIC_SEQ_CST);
}

/*
 * What is in force is one word, so that nobody meets the rules of one moment
 * with the level of another: the text, whose lowest bits are free, and the
 * level.  0: nothing was followed yet.
 */
#define LEVEL_BITS ((uintptr_t)63)
#define LEVEL_BIAS 2 /* "none" is -1 */
_Static_assert(LEVEL_LAST + LEVEL_BIAS <= LEVEL_BITS, "");

static uintptr_t in_force(void)
{
	struct process_self *self = process_self();

	return self ? __atomic_load_n(&self->in_force, __ATOMIC_ACQUIRE) : 0;
}

static struct control_text *text_of(uintptr_t force)
{
	return (struct control_text *)(force & ~LEVEL_BITS);
}

/* Anything may stand among the switches. */
static uintptr_t bits_of(int level)
{
	if (level < -1)
		level = -1;
	if (level > LEVEL_LAST)
		level = LEVEL_LAST;
	return (unsigned)(level + LEVEL_BIAS);
}

/* What was followed is known by its place in the capture, which is another now;
 * all others are of the old one. */
static void copy_rules(struct binlog_switches *to, const char *rules)
{
	struct process_self *self = process_self();
	struct control_text *text = text_of(in_force());
	char *place;
	uint64_t at = 0;

	if (text && rules) {
		place = capture_file_note(BINLOG_RULES, text->bytes, &at);
		if (place)
			bytes_copy(place, rules, text->bytes);
		else
			at = 0;
	}
	to->rules_at = at;
	to->rules_bytes = at ? text->bytes : 0;
	if (at) {
		text->at = at;
		text->next = NULL;
	}
	__atomic_store_n(&self->texts, at ? text : NULL, __ATOMIC_RELEASE);
}

const char *control_rules_place(void)
{
	struct control_text *text = text_of(in_force());

	return text ? segment_place(text->at, text->bytes) : NULL;
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
	uint32_t number =
		__atomic_load_n(&capture_file_number, __ATOMIC_SEQ_CST);
	const char *place = place_of(at, bytes);
	struct control_text *text = place ? arena_take(sizeof(*text)) : NULL;
	char *copy = text ? arena_take(bytes) : NULL;
	struct rules_error error = {.line = 1};
	void *memory;
	size_t room;

	if (!copy)
		return NULL;
	bytes_copy(copy, place, bytes);
	/* It is the place of something else. */
	if (number !=
		__atomic_load_n(&capture_file_number, __ATOMIC_SEQ_CST))
		return NULL;
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

/* The text that has come into force, or null; `now` if it is wrong: whoever
 * hands a text over has found it to be right, those before it stay. */
static struct control_text *next_text(struct process_self *self,
	struct control_text *now, uint64_t at, uint32_t bytes)
{
	struct control_text *text;

	if ((now ? now->at : 0) == at)
		return now;
	if (at == 0)
		return NULL;
	text = find_text(self, at, bytes);
	return text && text->rules ? text : now;
}

/*
 * What calls have decided by older rules meanwhile, if this took its time, is
 * forgotten afterwards; who is late here finds that there is a newer version,
 * and puts it right in the same way.
 */
static void follow_rules(uint32_t version)
{
	struct process_self *self = process_self();
	uint32_t bytes = __atomic_load_n(
		&control_switches->rules_bytes, __ATOMIC_ACQUIRE);
	uint64_t at = bytes ? __atomic_load_n(&control_switches->rules_at,
				      __ATOMIC_ACQUIRE)
			    : 0;
	int level = __atomic_load_n(&control_switches->level, __ATOMIC_ACQUIRE);
	uintptr_t before = in_force(), now;

	/* Else they need not belong together. */
	if (!self || __atomic_load_n(&control_switches->version,
			     __ATOMIC_ACQUIRE) != version)
		return;
	now = (uintptr_t)next_text(self, text_of(before), at, bytes) |
	      bits_of(level);
	if (now == before)
		return;
	__atomic_store_n(&self->in_force, now, __ATOMIC_RELEASE);
	/* Without rules calls have gone by the level before, too: each child of
	 * fork comes here, whose parent would forget as well. */
	if (before || text_of(now))
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
	above.streams_switched(modes, off != 0);
}

static void follow_triggers(void)
{
	static uint32_t seen;
	uint32_t now =
		__atomic_load_n(&control_switches->triggers, __ATOMIC_ACQUIRE);
	const struct rules *rules = control_rules();

	if (rules && rules_ask(rules) & RULES_ASK_TRIGGER)
		above.triggers_may_come();
	if (__atomic_exchange_n(&seen, now, __ATOMIC_ACQ_REL) != now)
		above.trigger();
}

/* By what is in force alone: the level among the switches may be of rules that
 * nobody has followed yet. */
static void decide_whether_to(void)
{
	struct control_force force;
	uintptr_t now;
	bool threads;

	do {
		now = in_force();
		control_get_force(&force);
		threads = force.rules &&
			  rules_ask(force.rules) & RULES_ASK_THREAD;
		__atomic_store_n(
			&control_asks_threads, threads, __ATOMIC_RELAXED);
		__atomic_store_n(&control_deciding,
			force.rules || force.level < LEVEL_LAST,
			__ATOMIC_SEQ_CST);
	} while (in_force() != now);
}

COLD void control_follow(void)
{
	uint32_t version;

	do {
		version = __atomic_load_n(
			&control_switches->version, __ATOMIC_ACQUIRE);
		follow_rules(version);
		follow_streams();
		follow_triggers();
		decide_whether_to();
		__atomic_store_n(&control_seen, version, __ATOMIC_RELEASE);
		/* Before the look at the version: who is late here, and takes
		 * back what another thread has told, tells it again. */
		__atomic_store_n(
			&control_switches->applied, version, __ATOMIC_RELEASE);
	} while (version !=
		 __atomic_load_n(&control_switches->version, __ATOMIC_ACQUIRE));
}

void control_follow_fork(void)
{
	uint32_t version;

	do {
		version = __atomic_load_n(
			&control_switches->version, __ATOMIC_ACQUIRE);
		follow_rules(version);
	} while (version !=
		 __atomic_load_n(&control_switches->version, __ATOMIC_ACQUIRE));
}

void control_get_force(struct control_force *force)
{
	uintptr_t now = in_force();
	const struct control_text *text = text_of(now);

	force->rules = text ? text->rules : NULL;
	force->rules_at = text ? text->at : 0;
	force->level =
		now ? (int)(now & LEVEL_BITS) - LEVEL_BIAS : control_level();
}

const struct rules *control_rules(void)
{
	struct control_text *text = text_of(in_force());

	return text ? text->rules : NULL;
}
