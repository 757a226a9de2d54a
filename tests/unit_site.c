/*
 * Calls that rules decide, with memory, clocks, modules and captures that the
 * test has in its hands; the rules are read and applied by the real code, and
 * what has to come of them is what binlog-rules(7) says.
 */
#include "shim/inside.h"

#include <syslog.h>

#include <setjmp.h>
#include <cmocka.h>

#include "record/rules.h"
#include "shim/arena.h"
#include "shim/arguments.h"
#include "shim/capture_file.h"
#include "shim/clock.h"
#include "shim/define.h"
#include "shim/drops.h"
#include "shim/mark.h"
#include "shim/module.h"
#include "shim/pace.h"
#include "shim/redact.h"
#include "shim/result_use.h"
#include "shim/ring_trigger.h"
#include "shim/settings.h"
#include "shim/site.h"
#include "shim/streams.h"

/* ---- what the library would be ---- */

#define ARENA_BYTES ((size_t)16 << 20)
#define FILE_STREAM 7u
#define FOR_EVER UINT_MAX

bool sys_forbidden;
bool clock_is_tsc;
uint32_t process_reloads;
bool control_asks_threads;
uint32_t drops_generation;
struct stream streams[STREAMS_MAX + 1];
uint32_t streams_version[HOW_COUNT];
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
	uint64_t now;
	uint64_t period; /* of what is no time at all, 0 */
	bool no_module, no_constants, result_is_used;
	bool capture_fails, is_at_once;
	unsigned records, triggers, drops, events;
	int64_t event;
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

const struct rules *control_rules(void)
{
	return world.rules;
}

uint64_t control_rules_at(const struct rules *rules)
{
	return rules == world.rules ? 4096 : 0;
}

struct process_self *process_self(void)
{
	return &world.self;
}

const char *process_executable(void)
{
	return "/usr/bin/program";
}

bool module_find(uintptr_t address, struct module *module)
{
	*module = (struct module){.bias = address - 16, .path = ""};
	return !world.no_module;
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

void drops_add(unsigned how, const struct drop *drop, uint32_t generation,
	uint32_t version)
{
	(void)how;
	(void)generation;
	(void)version;
	world.drop = *drop;
	world.drops++;
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
	(void)w;
	(void)call;
	(void)stream;
	assert_int_equal(text, BINLOG_TEXT_SUPPRESSED);
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

static void begin_again(const char *rules)
{
	struct rules_error error;

	memset(arena, 0, world.used);
	memset(&world, 0, sizeof(world));
	memset(&switches, 0, sizeof(switches));
	memset(streams, 0, sizeof(streams));
	sys_forbidden = control_asks_threads = redact_copies = false;
	world.allocations = FOR_EVER;
	world.period = UINT64_MAX;
	world.writer.tid = 77;
	switches.level = LEVEL_LAST;
	switches.generation = 1;
	streams[FILE_STREAM].flags = BINLOG_STREAM_STDOUT;
	streams[FILE_STREAM].file = stdout;
	streams[FILE_STREAM].fd = 1;
	call = (struct call){
		.pc = 0x1000, .function = "printf", .how = HOW_PRINTF};
	if (!rules)
		return;
	strcpy(rules_text, rules);
	world.rules = rules_parse(rules_text, strlen(rules_text), rules_memory,
		sizeof(rules_memory), &error);
	assert_non_null(world.rules);
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

static char puts_bytes(const char *bytes)
{
	unsigned before = world.records;
	bool done = site_bytes(&world.writer, &call, FILE_STREAM,
		BINLOG_TEXT_BYTES, bytes, strlen(bytes));

	return outcome(before, !done);
}

/* ---- the tests ---- */

/* Nothing that has to be left out is ever recorded, nor what is dropped. */
static void obeys(char got)
{
	assert_true(got == ' ' || got == 'p');
	assert_null(strstr(world.said, "secret"));
	assert_int_not_equal(says("noise"), ' ');
}

static void without_memory_nothing_is_recorded_that_should_not_be(void **state)
{
	unsigned failed = 0;

	(void)state;
	for (unsigned all = 0; all < 2; all++)
		for (unsigned k = 0; k < 12; k++) {
			begin_again("format noise drop\n"
				    "format \"key %s*\" redact arg 1 mark m\n"
				    "format end* trigger since m over 1ns");
			world.allocations = k;
			world.all_fail = all;
			obeys(says("key %s\n", "secret"));
			obeys(puts_bytes("end\n"));
			failed += world.used == 0;
			world.allocations = FOR_EVER;
			assert_int_equal(says("key %s\n", "secret"), ' ');
			obeys(' ');
		}
	assert_int_equal(failed, 1);
}

static void a_mark_needs_memory(void **state)
{
	(void)state;
	for (unsigned fails = 0; fails < 3; fails++) {
		begin_again("format begin mark m\n"
			    "format end trigger since m over 1ns");
		says("other");
		world.now = 1000;
		world.allocations = fails == 1 ? 1 : FOR_EVER;
		if (fails != 2)
			says("begin");
		world.now = 2000;
		world.allocations = fails == 2 ? 1 : FOR_EVER;
		says("end");
		assert_int_equal(world.triggers, fails == 0);
		assert_int_equal(world.records, fails == 2 ? 2 : 3);
	}
}

static void marks_are_of_threads_or_arguments(void **state)
{
	(void)state;
	begin_again("format \"begin %d\" mark m arg 1\n"
		    "format \"end %d\" trigger since m arg 1 over 10ns");
	world.now = 1;
	says("begin %d", 1);
	says("begin %d", 2);
	world.now = 8;
	says("end %d", 1); /* not late */
	assert_int_equal(world.triggers, 0);
	world.now = 30;
	says("end %d", 1); /* was taken */
	says("end %d", 3);
	assert_int_equal(world.triggers, 0);
	says("end %d", 2);
	assert_int_equal(world.triggers, 1);
	begin_again("format \"text\" mark m arg 1\n"
		    "format \"end %s\" trigger since m arg 1 over 10ns");
	world.now = 1;
	puts_bytes("text"); /* has no arguments */
	world.now = 100;
	says("end %s", "text");
	assert_int_equal(world.triggers, 0);
	/* In a clock that goes back. */
	begin_again("format b mark m\nformat e trigger since m over 10ns");
	world.now = 100;
	says("b");
	world.now = 50;
	says("e");
	assert_int_equal(world.triggers, 0);
}

static void a_trigger_needs_nothing_else(void **state)
{
	(void)state;
	begin_again("format now trigger");
	says("now");
	says("then");
	assert_int_equal(world.triggers, 1);
}

static void the_level_is_that_of_the_function(void **state)
{
	static const struct {
		const char *function, *level;
	} cases[] = {{"err", "err"}, {"verrx", "err"}, {"error", "err"},
		{"perror", "err"}, {"psignal", "err"}, {"psiginfo", "err"},
		{"__assert_fail", "err"}, {"warn", "warning"},
		{"vwarnx", "warning"}, {"printf", "info"}, {"e", "info"},
		{"v", "info"}};
	char rules[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strcat(strcat(strcat(strcpy(rules, "level "), cases[i].level),
			       "-"),
			cases[i].level);
		begin_again(strcat(rules, " drop"));
		call.function = cases[i].function;
		assert_int_equal(says("of no level"), '-');
		assert_int_equal(says("<0>of another one"), ' ');
		call.function = i < 9 ? "printf" : "err";
		call.pc++;
		assert_int_equal(says("of no level"), ' ');
	}
}

static void the_level_is_that_of_standard_error(void **state)
{
	(void)state;
	begin_again("level warning-warning drop");
	streams[FILE_STREAM].flags = BINLOG_STREAM_STDERR;
	assert_int_equal(says("1"), '-');
	streams[FILE_STREAM].flags |= BINLOG_STREAM_STDOUT; /* a terminal */
	assert_int_equal(says("2"), ' ');
	streams[FILE_STREAM].fd = 2;
	assert_int_equal(says("3"), '-');
}

static void each_priority_of_syslog_has_its_own_verdict(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		unsigned text =
			i ? BINLOG_TEXT_SYSLOG_PERROR : BINLOG_TEXT_SYSLOG;

		begin_again("level info-debug drop\nlevel crit depth 3");
		assert_int_equal(logs(text, LOG_DEBUG, "text"), '-');
		assert_int_equal(logs(text, LOG_ERR, "text"), ' ');
		assert_int_equal(world.depth, 0);
		assert_true(world.special);
		assert_int_equal(logs(text, LOG_CRIT, "text"), ' ');
		assert_int_equal(world.depth, 3);
		begin_again(NULL);
		assert_int_equal(logs(text, LOG_CRIT, "text"), ' ');
		assert_false(world.special);
	}
}

static void what_belongs_to_no_module_has_rules_too(void **state)
{
	(void)state;
	begin_again("module program drop\ncalled puts drop");
	assert_int_equal(says("1"), '-');
	world.no_module = true;
	assert_int_equal(says("2"), ' ');
	call.function = "puts";
	assert_int_equal(says("3"), '-');
}

/* What is between two threads, from the point of view of one of them. */
static void while_another_thread_decides_a_place_it_is_decided_twice(
	void **state)
{
	const struct site_call asked = {.call = &call,
		.stream = FILE_STREAM,
		.text = BINLOG_TEXT_FORMAT,
		.format = "noise",
		.length = 5};
	uint32_t generation;
	struct site *site;

	(void)state;
	begin_again("format noise drop");
	site = site_find(&world.writer, &asked, &generation);
	assert_false(site->is_spare);
	assert_ptr_equal(site_find(&world.writer, &asked, &generation), site);
	site->deciding = 1;
	rules_change();
	assert_true(site_find(&world.writer, &asked, &generation)->is_spare);
	assert_int_equal(says("noise"), '-');
	assert_int_equal(says("other"), ' ');
	site->deciding = 0;
	assert_ptr_equal(site_find(&world.writer, &asked, &generation), site);
	assert_int_equal(site->generation, switches.generation);
}

/* Many times more of them than there are buckets. */
static void places_are_told_apart(void **state)
{
	static struct site *first[40][40];
	struct site_call asked = {.call = &call,
		.text = BINLOG_TEXT_FORMAT,
		.format = "%d",
		.length = 2};
	uint32_t generation;

	(void)state;
	begin_again(NULL);
	control_asks_threads = true;
	for (unsigned turn = 0; turn < 2; turn++)
		for (unsigned i = 0; i < 40; i++)
			for (unsigned k = 0; k < 40; k++) {
				struct site *site;

				asked.stream = i;
				world.writer.tid = k;
				site = site_find(
					&world.writer, &asked, &generation);
				if (turn == 0)
					first[i][k] = site;
				assert_ptr_equal(first[i][k], site);
				assert_int_equal(site->stream, i);
				assert_int_equal(site->thread, k);
			}
}

static void so_many_places_are_remembered_and_others_decided_each_time(
	void **state)
{
	const struct site_call asked = {.call = &call,
		.stream = FILE_STREAM,
		.text = BINLOG_TEXT_FORMAT,
		.format = "%d",
		.length = 2};
	uint32_t generation;
	size_t used;

	(void)state;
	begin_again("format noise drop");
	for (unsigned i = 0; i < 17000; i++, call.pc++)
		assert_non_null(site_find(&world.writer, &asked, &generation));
	assert_true(site_find(&world.writer, &asked, &generation)->is_spare);
	used = world.used;
	assert_int_equal(says("noise"), '-');
	assert_int_equal(says("other"), ' ');
	assert_int_equal(used, world.used);
	/* Nor is there memory for a mark's argument. */
	begin_again("format noise mark m arg 1");
	world.all_fail = true;
	world.allocations = 1;
	says("noise");
	assert_null(world.writer.site_spare);
}

static void what_was_not_recorded_is_told_by_the_next_that_is(void **state)
{
	(void)state;
	begin_again("rate 2/10ns");
	world.now = 100;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(says("often"), i < 2 ? ' ' : '-');
	assert_int_equal(world.events, 0);
	world.now = 111;
	assert_int_equal(says("often"), ' ');
	assert_int_equal(world.events, 1);
	assert_int_equal(world.event, 3);
	assert_int_equal(switches.suppressed, 3);
}

static void a_window_is_a_part_of_a_period(void **state)
{
	(void)state;
	begin_again("sample 3ns/10ns");
	for (unsigned now = 100; now < 130; now++) {
		world.now = now;
		assert_int_equal(says("x"), now % 10 < 3 ? ' ' : '-');
	}
	world.period = 10; /* less than a tick */
	assert_int_equal(says("x"), ' ');
	begin_again("sample 1/4");
	for (unsigned i = 0; i < 12; i++)
		assert_int_equal(says("x"), i % 4 ? '-' : ' ');
}

static void levels_let_rules_overrule_them(void **state)
{
	(void)state;
	begin_again("format wanted capture");
	switches.level = LEVEL_err;
	assert_int_equal(says("wanted"), ' ');
	assert_int_equal(says("other"), '-');
	assert_int_equal(says("<2>other"), ' ');
}

/* What it takes for the short way to know that a call is dropped. */
static void only_what_is_the_same_each_time_is_switched_off(void **state)
{
	static char large[DEFINE_STRING_MAX + 2];

	(void)state;
	begin_again("drop");
	says("four");
	assert_int_equal(world.drops, 1);
	assert_int_equal(world.drop.result, 4);
	assert_ptr_equal(world.drop.file, stdout);
	says("%d", 1);
	assert_int_equal(world.drops, 2);
	memset(large, 'x', sizeof(large) - 1);
	says(large);
	assert_int_equal(world.drops, 3);
	world.result_is_used = true;
	call.pc++;
	says("%d", 1); /* its result has to be told */
	says(large);
	assert_int_equal(result_of_says, strlen(large));
	says("four");
	assert_int_equal(world.drops, 4);
	call.how = HOW_NONE;
	says("four");
	call.how = HOW_PRINTF;
	streams[FILE_STREAM].terminal = true;
	says("four");
	streams[FILE_STREAM].terminal = false;
	streams[FILE_STREAM].file = NULL;
	says("four");
	streams[FILE_STREAM].file = stdout;
	world.no_constants = true;
	says("four");
	control_asks_threads = true;
	world.no_constants = false;
	says("four");
	assert_int_equal(world.drops, 4);
	assert_int_equal(world.records, 0);
	begin_again("sample 1/1000"); /* not always off */
	says("four");
	says("four");
	assert_int_equal(world.drops, 0);
}

static void so_with_bytes(void **state)
{
	static const struct {
		uint8_t how;
		bool constant, used;
		int drops, result;
	} cases[] = {{HOW_FPUTS, true, true, 1, 1},
		{HOW_FPUTS_UNLOCKED, true, true, 1, 1},
		{HOW_PUTS, true, true, 1, 5}, {HOW_FWRITE, true, false, 1, 0},
		{HOW_FWRITE, true, true, 0, 0}, {HOW_PUTS, false, true, 0, 0},
		{HOW_PUTS, false, false, 0, 0}};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		begin_again("drop");
		call.how = cases[i].how;
		world.result_is_used = cases[i].used;
		world.no_constants = !cases[i].constant;
		assert_int_equal(puts_bytes("four"), '-');
		assert_int_equal(puts_bytes(""), '-');
		assert_int_equal(world.drops, cases[i].drops);
		assert_int_equal(world.drop.result, cases[i].result);
	}
}

static void rules_can_have_both_or_neither(void **state)
{
	(void)state;
	begin_again("format both tee\nformat passed pass\nformat no drop");
	assert_int_equal(says("both"), '+');
	assert_true(world.writer.excused);
	assert_int_equal(puts_bytes("both"), '+');
	assert_int_equal(says("passed"), 'p');
	assert_int_equal(puts_bytes("passed"), 'p');
	assert_true(world.writer.excused);
	assert_int_equal(puts_bytes("no"), '-');
	/* Then it is made anyway. */
	streams[FILE_STREAM].tee = true;
	assert_int_equal(says("both"), ' ');
	assert_false(world.writer.excused);
	world.capture_fails = true;
	assert_int_equal(says("other"), 'p');
	assert_int_equal(puts_bytes("other"), 'p');
	assert_false(world.writer.decided);
}

static enum site_answer asks(void)
{
	return site_ask(&world.writer, &call, FILE_STREAM);
}

static void bytes_at_a_place_in_a_file_are_asked_for(void **state)
{
	(void)state;
	begin_again(NULL);
	assert_int_equal(asks(), SITE_RECORD);
	begin_again("called printf drop");
	assert_int_equal(asks(), SITE_DROP);
	begin_again("called printf pass");
	assert_int_equal(asks(), SITE_PASS);
	assert_true(world.writer.excused);
	begin_again("redact *");
	assert_int_equal(asks(), SITE_HIDE);
	assert_int_equal(switches.redacted, 1);
	begin_again(NULL);
	world.allocations = 0;
	world.all_fail = true;
	assert_int_equal(asks(), SITE_PASS);
	assert_false(world.writer.excused);
}

static void said_is(const char *wanted)
{
	assert_string_equal(world.said, wanted);
}

static void what_cannot_be_taken_apart_is_hidden_as_a_whole(void **state)
{
	(void)state;
	begin_again("redact *");
	assert_int_equal(says("key %s\n", "secret"), ' ');
	said_is("key %s\n");
	world.is_at_once = true;
	assert_int_equal(says("key %s\n", "secret"), ' ');
	said_is("[11 bytes]\n");
	assert_int_equal(result_of_says, 11);
	assert_int_equal(says("key %s", "secret"), ' ');
	said_is("[10 bytes]");
	assert_int_equal(says(""), ' ');
	said_is("[0 bytes]");
	world.capture_fails = true;
	assert_int_equal(says("key %s\n", "secret"), 'p');
	world.capture_fails = false;
	assert_int_equal(says("%ls", L"\x20ac"), 'p'); /* EILSEQ */
	world.is_at_once = false;
	assert_int_equal(says("%2$s %1$s", "secret", "x"), ' ');
	said_is("[8 bytes]");
	assert_int_equal(says("%1$*2$s", "secret", 9), ' ');
	said_is("[9 bytes]");
	assert_int_equal(says("%-3", 1), 'p'); /* no directive */
	assert_null(strstr(world.said, "secret"));
	assert_int_equal(puts_bytes("secret\n"), ' ');
	said_is("[7 bytes]\n");
	assert_int_equal(puts_bytes("secret"), ' ');
	said_is("[6 bytes]");
	assert_int_equal(puts_bytes(""), ' ');
	said_is("[0 bytes]");
}

static void formats_that_are_made_are_hidden_with_everything(void **state)
{
	(void)state;
	begin_again("redact *");
	world.no_constants = true;
	assert_int_equal(says("secret %d", 1), ' ');
	said_is("[8 bytes]");
	begin_again("redact arg 1");
	world.no_constants = true;
	assert_int_equal(says("shown %1$d\n", 1), ' ');
	said_is("shown %s\n");
}

static void copies_are_without_secrets_unless_a_rule_says_so(void **state)
{
	(void)state;
	begin_again(NULL);
	redact_begin();
	assert_int_equal(says("password=%s\n", "secret"), ' ');
	said_is("password=secret\n");
	rules_change();
	streams[FILE_STREAM].tee = true;
	assert_int_equal(says("password=%s\n", "secret"), ' ');
	said_is("password=%s\n");
	world.no_constants = true;
	assert_int_equal(puts_bytes("text"), ' ');
	said_is("text");
	begin_again("format *tee* tee");
	redact_begin();
	assert_int_equal(says("tee password=%s\n", "secret"), '+');
	said_is("tee password=%s\n");
	assert_int_equal(says("password=%s\n", "secret"), ' ');
	said_is("password=secret\n");
	begin_again("tee\nuntee");
	redact_begin();
	assert_int_equal(says("password=%s\n", "secret"), ' ');
	said_is("password=secret\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			without_memory_nothing_is_recorded_that_should_not_be),
		cmocka_unit_test(a_mark_needs_memory),
		cmocka_unit_test(marks_are_of_threads_or_arguments),
		cmocka_unit_test(a_trigger_needs_nothing_else),
		cmocka_unit_test(the_level_is_that_of_the_function),
		cmocka_unit_test(the_level_is_that_of_standard_error),
		cmocka_unit_test(each_priority_of_syslog_has_its_own_verdict),
		cmocka_unit_test(what_belongs_to_no_module_has_rules_too),
		cmocka_unit_test(
			while_another_thread_decides_a_place_it_is_decided_twice),
		cmocka_unit_test(places_are_told_apart),
		cmocka_unit_test(
			so_many_places_are_remembered_and_others_decided_each_time),
		cmocka_unit_test(
			what_was_not_recorded_is_told_by_the_next_that_is),
		cmocka_unit_test(a_window_is_a_part_of_a_period),
		cmocka_unit_test(levels_let_rules_overrule_them),
		cmocka_unit_test(
			only_what_is_the_same_each_time_is_switched_off),
		cmocka_unit_test(so_with_bytes),
		cmocka_unit_test(rules_can_have_both_or_neither),
		cmocka_unit_test(bytes_at_a_place_in_a_file_are_asked_for),
		cmocka_unit_test(
			what_cannot_be_taken_apart_is_hidden_as_a_whole),
		cmocka_unit_test(
			formats_that_are_made_are_hidden_with_everything),
		cmocka_unit_test(
			copies_are_without_secrets_unless_a_rule_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
