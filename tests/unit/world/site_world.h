/*
 * For tests of calls that rules decide: the library around shim/record/site.c,
 * with memory, clocks, modules and captures that the test has in its hands. The
 * rules are read and applied by the real code.  It defines functions of the
 * library: not for more than one file of a program.
 */
#ifndef TESTS_SITE_WORLD_H
#define TESTS_SITE_WORLD_H

#include "shim/host/inside.h"

#include <syslog.h>

#include <setjmp.h>
#include <cmocka.h>

#include "record/libc.h"
#include "rules/rules.h"
#include "shim/control/settings.h"
#include "shim/file/capture_file.h"
#include "shim/host/arena.h"
#include "shim/host/clock.h"
#include "shim/host/host.h"
#include "shim/host/module.h"
#include "shim/record/arguments.h"
#include "shim/record/mark.h"
#include "shim/record/redact.h"
#include "shim/record/result_use.h"
#include "shim/record/site.h"
#include "shim/streams/drops.h"
#include "shim/streams/streams.h"
#include "shim/writer/define.h"
#include "shim/writer/pace.h"
#include "shim/writer/ring_trigger.h"

/* ---- what the library would be ---- */

#define ARENA_BYTES ((size_t)16 << 20)
#define FILE_STREAM 7u
#define FOR_EVER UINT_MAX

bool sys_forbidden;
uint32_t host_libc_version = LIBC_VERSION(__GLIBC__, __GLIBC_MINOR__);
bool clock_is_tsc;
uint32_t process_reloads;
bool control_asks_threads;
bool writer_has_passed;
uint32_t drops_generation;
struct stream streams[STREAMS_MAX + 1];
uint32_t streams_version[ENTRY_COUNT];
bool streams_are_wanted;
static struct binlog_switches switches;
struct binlog_switches *control_switches = &switches;

static _Alignas(64) char arena[ARENA_BYTES];

static struct {
	size_t used;	      /* of it */
	unsigned allocations; /* before the one that fails; FOR_EVER: none */
	bool all_fail;	      /* and those that follow, too */
	struct process_self self;
	struct writer writer;
	const struct rules *rules;
	uint64_t rules_at;
	uintptr_t stack[UNWIND_FRAMES_MAX]; /* return addresses */
	unsigned stack_depth;
	uint64_t stack_exact;
	unsigned walks;
	struct unwind_trace trace;
	uintptr_t bias; /* of the module; 0: any that has all calls in one */
			/* place */
	uint64_t now;
	uint64_t period; /* of what is no time at all, 0 */
	bool no_module, no_constants, result_is_used;
	bool capture_fails, is_at_once, no_writer;
	unsigned records, triggers, drops, events;
	int64_t event;
	uintptr_t event_pc;
	struct drop drop;
	char said[4096];
	unsigned depth;
	bool special;
} world;

void *arena_take(size_t size)
{
	void *taken = arena + world.used;

	if (world.allocations != FOR_EVER &&
		(world.allocations == 0 ? true : world.allocations-- == 0)) {
		if (!world.all_fail)
			world.allocations = FOR_EVER;
		return NULL;
	}
	world.used += (size + 63) & ~(size_t)63;
	assert_true(world.used <= ARENA_BYTES);
	return taken;
}

uint64_t clock_ticks_slow(void)
{
	return world.now;
}

uint64_t pace_ticks(uint64_t nanoseconds)
{
	return nanoseconds == world.period ? 0 : nanoseconds;
}

uint64_t pace_passed(void)
{
	return world.now;
}

void control_get_force(struct control_force *force)
{
	force->rules = world.rules;
	force->rules_at = world.rules ? world.rules_at : 0;
	force->level = switches.level;
}

struct process_self *process_self(void)
{
	return &world.self;
}

struct process process = {.name = "program", .strings = "/usr/bin/program"};

bool module_find(uintptr_t address, struct module *module)
{
	*module = (struct module){
		.bias = world.bias ? world.bias : address - 16, .path = ""};
	return !world.no_module;
}

void unwind_walk(const struct unwind_start *start, unsigned max_depth,
	struct unwind_cache *cache, struct unwind_trace *trace)
{
	(void)start;
	(void)cache;
	world.walks++;
	trace->depth = 0;
	trace->exact = world.stack_exact;
	while (trace->depth < max_depth && trace->depth < world.stack_depth) {
		trace->pc[trace->depth] = world.stack[trace->depth];
		trace->depth++;
	}
}

bool module_is_constant(const void *address, size_t size)
{
	(void)address;
	(void)size;
	return !world.no_constants;
}

bool result_use_is_possible(uintptr_t pc)
{
	(void)pc;
	return world.result_is_used;
}

const char *settings_get(enum config_key key)
{
	(void)key;
	return NULL;
}

void drops_add(unsigned entry, const struct drop *drop, uint32_t generation,
	uint32_t version)
{
	(void)entry;
	(void)generation;
	(void)version;
	world.drop = *drop;
	world.drops++;
}

/* The thread has one writer, which is free. */
static struct writer nobody;
__thread struct writer *writer_self = &nobody;
#if defined(__x86_64__)
intptr_t writer_place;
#else
struct writer *const writer_nobody = &nobody;
#endif

bool writer_take_turn(struct writer *w, uintptr_t sp)
{
	(void)w, (void)sp;
	return false;
}

struct writer *writer_enter_slow(uintptr_t sp)
{
	(void)sp;
	return world.no_writer ? NULL : &world.writer;
}

void ring_trigger(const struct ring_event *event)
{
	(void)event;
	world.triggers++;
}

static bool take_record(const struct writer *w)
{
	if (world.capture_fails)
		return false;
	world.records++;
	world.depth = w->depth;
	world.special = w->special;
	return true;
}

int capture_inside(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments)
{
	(void)call;
	(void)how;
	if (!take_record(w))
		return CAPTURE_PASS;
	return vsnprintf(world.said, sizeof(world.said), format, arguments);
}

/* As the program would see it: the format alone. */
int capture_redacted(struct writer *w, const struct call *call,
	const struct capture_text *how, const struct redaction *redaction,
	const char *format, va_list arguments)
{
	(void)call;
	(void)how;
	(void)format;
	(void)arguments;
	if (world.is_at_once)
		return CAPTURE_AT_ONCE;
	if (!take_record(w))
		return CAPTURE_PASS;
	memcpy(world.said, redaction->format, redaction->length);
	world.said[redaction->length] = '\0';
	return (int)redaction->length;
}

bool capture_bytes_inside(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, const void *bytes, size_t size)
{
	(void)call;
	(void)stream;
	(void)text;
	if (!take_record(w))
		return false;
	memcpy(world.said, bytes, size);
	world.said[size] = '\0';
	return true;
}

bool capture_event_inside(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, int64_t value)
{
	(void)stream;
	assert_true(
		text == BINLOG_TEXT_SUPPRESSED || text == BINLOG_TEXT_WINDOW);
	world.depth = w->depth;
	world.event_pc = call->pc;
	world.events++;
	world.event = value;
	return true;
}

int capture_measure(const char *format, va_list arguments)
{
	return vsnprintf(NULL, 0, format, arguments);
}

char *arguments_store_general(struct writer *w, char *to,
	const struct plan_argument *argument, struct arguments_list *list,
	size_t rest, struct arguments_sum *sum)
{
	(void)w;
	(void)argument;
	(void)list;
	(void)rest;
	(void)sum;
	return to;
}

/* ---- a world, and calls in it ---- */

static struct call call;
static char rules_text[4096], rules_memory[65536];

static void have_rules(const char *rules)
{
	struct rules_error error;

	strcpy(rules_text, rules);
	world.rules = rules_parse(rules_text, strlen(rules_text), rules_memory,
		sizeof(rules_memory), &error);
	world.rules_at += 4096;
	assert_non_null(world.rules);
}

static void begin_again(const char *rules)
{
	memset(arena, 0, world.used);
	memset(&world, 0, sizeof(world));
	memset(&switches, 0, sizeof(switches));
	memset(streams, 0, sizeof(streams));
	sys_forbidden = control_asks_threads = redact_copies = false;
	world.allocations = FOR_EVER;
	world.period = UINT64_MAX;
	world.writer.tid = 77;
	world.writer.trace = &world.trace;
	process.depth = 16;
	switches.level = LEVEL_LAST;
	switches.generation = 1;
	streams[FILE_STREAM].flags = BINLOG_STREAM_STDOUT;
	streams[FILE_STREAM].file = stdout;
	streams[FILE_STREAM].fd = 1;
	call = (struct call){
		.pc = 0x1000, .function = "printf", .entry = ENTRY_PRINTF};
	if (rules)
		have_rules(rules);
}

static void rules_change(void)
{
	switches.generation += 2;
}

/* ' ': it was recorded, 'p': it is to be made, '+': both, '-': neither. */
static char outcome(unsigned before, bool passed)
{
	return world.records > before ? passed ? '+' : ' ' : passed ? 'p' : '-';
}

static int result_of_says;

static char says(const char *format, ...)
{
	const struct capture_text how = {
		.stream = FILE_STREAM, .text = BINLOG_TEXT_FORMAT};
	unsigned before = world.records;
	va_list ap;

	va_start(ap, format);
	result_of_says = site_format(&world.writer, &call, &how, format, ap);
	va_end(ap);
	return outcome(before, result_of_says == CAPTURE_PASS);
}

static char logs(unsigned text, int priority, const char *format, ...)
{
	const struct capture_prefix prefix = {
		.kind = BINLOG_ARG_I32, .number = priority};
	const struct capture_text how = {.stream = STREAM_SYSLOG,
		.text = text,
		.prefixes = 1,
		.prefix = &prefix};
	unsigned before = world.records;
	va_list ap;
	int result;

	va_start(ap, format);
	result = site_format(&world.writer, &call, &how, format, ap);
	va_end(ap);
	return outcome(before, result == CAPTURE_PASS);
}

/* Of a call with this format. */
static struct site *finds(const char *format)
{
	const struct site_call asked = {.call = &call,
		.stream = FILE_STREAM,
		.text = BINLOG_TEXT_FORMAT,
		.format = format,
		.length = strlen(format)};
	struct site_decision decision;
	uint32_t generation;

	return site_find(&world.writer, &asked, &decision, &generation);
}

static char puts_bytes(const char *bytes)
{
	unsigned before = world.records;
	bool done = site_bytes(&world.writer, &call, FILE_STREAM,
		BINLOG_TEXT_BYTES, bytes, strlen(bytes));

	return outcome(before, !done);
}

#endif
