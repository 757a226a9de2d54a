/*
 * What has to come of calls that rules decide is what binlog-rules(7) says;
 * where something is missing, nothing is recorded that rules would leave out.
 */
#include "tests/unit/world/site_world.h"

/* Nothing that has to be left out is ever recorded, nor what is dropped. */
static void obeys(char got)
{
	assert_true(got == ' ' || got == 'p');
	assert_null(strstr(world.said, "secret"));
	assert_int_not_equal(says("noise"), ' ');
}

static void without_memory_nothing_hidden_is_shown(void **state)
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
static void two_threads_decide_a_place_each(void **state)
{
	struct site *site;

	(void)state;
	begin_again("format noise drop");
	site = finds("noise");
	assert_false(site->is_spare);
	assert_ptr_equal(finds("noise"), site);
	site->deciding = 1;
	rules_change();
	assert_true(finds("noise")->is_spare);
	assert_int_equal(says("noise"), '-');
	assert_int_equal(says("other"), ' ');
	site->deciding = 0;
	assert_ptr_equal(finds("noise"), site);
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
	struct site_decision decision;
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
				site = site_find(&world.writer, &asked,
					&decision, &generation);
				if (turn == 0)
					first[i][k] = site;
				assert_ptr_equal(first[i][k], site);
				assert_int_equal(site->stream, i);
				assert_int_equal(site->thread, k);
			}
}

static void too_many_places_are_decided_each_time(void **state)
{
	size_t used;

	(void)state;
	begin_again("format noise drop");
	for (unsigned i = 0; i < 17000; i++, call.pc++)
		assert_non_null(finds("%d"));
	assert_true(finds("%d")->is_spare);
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

static void the_next_one_tells_what_was_suppressed(void **state)
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

static void the_end_tells_what_was_suppressed(void **state)
{
	const struct call end = {.pc = 0x9000, .function = "exit"};

	(void)state;
	site_tell_suppressed(&end); /* nobody has asked for anything */
	begin_again("rate 2/10ns");
	world.now = 100;
	for (unsigned i = 0; i < 5; i++)
		says("often");
	world.no_writer = true;
	site_tell_suppressed(&end);
	assert_int_equal(world.events, 0);
	world.no_writer = false;
	site_tell_suppressed(&end);
	assert_int_equal(world.events, 1);
	assert_int_equal(world.event, 3);
	assert_int_equal(world.event_pc, call.pc);
	assert_int_equal(world.depth, 1);
	assert_int_equal(world.writer.depth, 0);
	site_tell_suppressed(&end);
	assert_int_equal(world.events, 1);
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
static void only_what_is_always_the_same_is_off(void **state)
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
	call.entry = ENTRY_NONE;
	says("four");
	call.entry = ENTRY_PRINTF;
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
		uint8_t entry;
		bool constant, used;
		int drops, result;
	} cases[] = {{ENTRY_FPUTS, true, true, 1, 1},
		{ENTRY_FPUTS_UNLOCKED, true, true, 1, 1},
		{ENTRY_PUTS, true, true, 1, 5},
		{ENTRY_FWRITE, true, false, 1, 0},
		{ENTRY_FWRITE, true, true, 0, 0},
		{ENTRY_PUTS, false, true, 0, 0},
		{ENTRY_PUTS, false, false, 0, 0}};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		begin_again("drop");
		call.entry = cases[i].entry;
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

static void bytes_at_a_place_are_asked_for(void **state)
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

static void what_is_no_format_is_hidden_whole(void **state)
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

static void formats_that_are_made_are_hidden(void **state)
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

static void copies_are_without_secrets(void **state)
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

/* Calls at these offsets, innermost first, until a 0. */
static void stack_is(const uintptr_t offsets[])
{
	world.bias = 0x7000;
	world.stack_exact = 0;
	world.stack_depth = 1;
	world.stack[0] = call.pc;
	for (; *offsets; offsets++)
		world.stack[world.stack_depth++] = world.bias + *offsets + 1;
}

static const uintptr_t one[] = {0x10, 0x12f, 0x20, 0};
static const uintptr_t two[] = {0x10, 0x22f, 0x20, 0};

static char says_from(const uintptr_t stack[])
{
	stack_is(stack);
	return says("%d", 1);
}

static void calls_of_one_place_are_told_apart_by_what_led_to_them(void **state)
{
	(void)state;
	begin_again("through program+0x12f,0x20f drop");
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(says_from(one), '-');
		assert_int_equal(says_from(two), ' ');
		assert_false(world.special);
	}
	assert_int_equal(world.drops, 0); /* which are of all stacks */
	/* The beginning of a page is not all. */
	assert_int_equal(says_from((uintptr_t[]){0x112f, 0}), ' ');
	assert_int_equal(says_from((uintptr_t[]){0x12f, 0}), '-');
	/* What a signal has interrupted is no call. */
	stack_is(one);
	world.stack_exact = 1 << 2;
	assert_int_equal(says("%d", 1), ' ');
	world.no_module = true;
	assert_int_equal(says_from(one), ' ');
	begin_again("not through program+0x12f drop");
	assert_int_equal(says_from(one), ' ');
	assert_int_equal(says_from(two), '-');
}

static void without_such_rules_no_stack_is_looked_at(void **state)
{
	(void)state;
	begin_again("at program+0x12f drop");
	assert_int_equal(says_from(one), ' ');
	assert_int_equal(world.walks, 0);
	begin_again("stream syslog through program+0x12f drop\ndrop");
	assert_int_equal(says_from(two), '-');
	assert_int_equal(world.drops, 1); /* nobody asked for its stack */
}

static void the_stack_is_as_deep_as_it_is_recorded(void **state)
{
	uintptr_t deep[41];

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		deep[i] = i + 1;
	deep[40] = 0;
	begin_again("through program+0x5 drop");
	assert_int_equal(says_from(deep), '-');
	switches.depth = 5; /* with the call itself */
	assert_int_equal(says_from(deep), ' ');
	switches.depth = 6;
	assert_int_equal(says_from(deep), '-');
	switches.depth = 64;
	begin_again("through program+0x18 drop");
	switches.depth = 64;
	assert_int_equal(says_from(deep), ' ');
	begin_again("through program+0x17 drop");
	switches.depth = 64;
	assert_int_equal(says_from(deep), '-');
}

/* It would be found again with another stack. */
static void what_has_less_stack_than_was_asked_for_is_not_remembered(
	void **state)
{
	(void)state;
	begin_again("through program+0x12f depth 2");
	says_from(one);
	assert_int_equal(world.depth, 2);
	assert_true(world.special);
	says_from(two);
	assert_false(world.special);
	begin_again("through program+0x12f depth 16");
	says_from(one);
	assert_false(world.special);
}

static void each_of_them_has_its_own_rate(void **state)
{
	(void)state;
	begin_again("through program+0x12f,0x22f rate 1/1s");
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(says_from(one), i ? '-' : ' ');
		assert_int_equal(says_from(two), i ? '-' : ' ');
	}
	/* From wherever it is come to. */
	assert_int_equal(says_from((uintptr_t[]){0x11, 0x12f, 0}), '-');
	assert_int_equal(says_from((uintptr_t[]){0x11, 0x12f, 0x22f, 0}), ' ');
}

/* Rules are followed before the generation says so. */
static void what_other_rules_have_decided_is_not_taken(void **state)
{
	(void)state;
	begin_again("through program+0x12f drop");
	assert_int_equal(says_from(two), ' ');
	have_rules("through program+0x12f,0x22f drop; drop");
	assert_int_equal(says_from((uintptr_t[]){0x10, 0}), '-');
	have_rules("stream syslog drop");
	assert_int_equal(says_from(one), ' ');
	have_rules("through program+0x12f drop");
	rules_change();
	assert_int_equal(says_from(one), '-');
	assert_int_equal(says_from(two), ' ');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_memory_nothing_hidden_is_shown),
		cmocka_unit_test(a_mark_needs_memory),
		cmocka_unit_test(marks_are_of_threads_or_arguments),
		cmocka_unit_test(a_trigger_needs_nothing_else),
		cmocka_unit_test(the_level_is_that_of_the_function),
		cmocka_unit_test(the_level_is_that_of_standard_error),
		cmocka_unit_test(each_priority_of_syslog_has_its_own_verdict),
		cmocka_unit_test(what_belongs_to_no_module_has_rules_too),
		cmocka_unit_test(two_threads_decide_a_place_each),
		cmocka_unit_test(places_are_told_apart),
		cmocka_unit_test(too_many_places_are_decided_each_time),
		cmocka_unit_test(the_next_one_tells_what_was_suppressed),
		cmocka_unit_test(the_end_tells_what_was_suppressed),
		cmocka_unit_test(a_window_is_a_part_of_a_period),
		cmocka_unit_test(levels_let_rules_overrule_them),
		cmocka_unit_test(only_what_is_always_the_same_is_off),
		cmocka_unit_test(so_with_bytes),
		cmocka_unit_test(rules_can_have_both_or_neither),
		cmocka_unit_test(bytes_at_a_place_are_asked_for),
		cmocka_unit_test(what_is_no_format_is_hidden_whole),
		cmocka_unit_test(formats_that_are_made_are_hidden),
		cmocka_unit_test(copies_are_without_secrets),
		cmocka_unit_test(
			calls_of_one_place_are_told_apart_by_what_led_to_them),
		cmocka_unit_test(without_such_rules_no_stack_is_looked_at),
		cmocka_unit_test(the_stack_is_as_deep_as_it_is_recorded),
		cmocka_unit_test(
			what_has_less_stack_than_was_asked_for_is_not_remembered),
		cmocka_unit_test(each_of_them_has_its_own_rate),
		cmocka_unit_test(what_other_rules_have_decided_is_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
