/*
 * Definitions stand in front of what needs them, once, wherever the room or the
 * memory for them has come to its end before; and again where what an address
 * means may have changed.
 */
#include "shim/host/inside.h"

#include <setjmp.h>
#include <cmocka.h>

#include "record/hash.h"
#include "shim/control/process.h"
#include "shim/host/arena.h"
#include "shim/host/module.h"
#include "shim/streams/streams.h"
#include "shim/unwind/unwind.h"
#include "shim/writer/define.h"
#include "shim/writer/pace.h"
#include "shim/writer/plan.h"

#define STREAM 7u
#define FOR_EVER UINT_MAX
#define MODULE_BYTES ((uintptr_t)1 << 16)
#define MODULES_MOST 300u /* more than are looked up once */
#define NOWHERE ((uintptr_t)MODULES_MOST * MODULE_BYTES)
#define RECORDS_MOST 1000u

/* ---- what the library would be ---- */

bool sys_forbidden;
bool plan_always_at_once;
struct stream streams[STREAMS_MAX + 1];
struct binlog_ring_slot *ring_slots;
bool clock_is_tsc;
static bool room_in_ring;
static uint64_t ticks;

static _Alignas(64) char arena[8 << 20];
static size_t taken, memory;

static uint32_t room[1 << 16]; /* what is recorded */
static size_t used;
static unsigned records_left;
static const struct binlog_control_head *records[RECORDS_MOST];
static unsigned count;
static uint64_t content; /* of all modules; 0: they have a build-id */
static const char *path; /* of all modules */
static unsigned looked_up;

static struct unwind_trace trace;
static struct writer writer;
static struct call call;
static struct define_context context;

void *arena_take(size_t size)
{
	if (size > memory - taken)
		return NULL;
	taken += (size + 63) & ~(size_t)63;
	return memset(arena + taken - ((size + 63) & ~(size_t)63), 0, size);
}

void *writer_control(struct writer *w, uint32_t bytes)
{
	struct binlog_control_head *head = (void *)(room + used / 4);

	assert_ptr_equal(w, &writer);
	assert_int_equal(bytes % 4, 0);
	if (records_left == 0)
		return NULL;
	if (records_left != FOR_EVER)
		records_left--;
	assert_true(used + bytes <= sizeof(room));
	head->size = bytes;
	return head;
}

void writer_commit_control(struct writer *w, uint32_t kind)
{
	struct binlog_control_head *head = (void *)(room + used / 4);

	assert_ptr_equal(w, &writer);
	assert_true(count < RECORDS_MOST);
	head->kind = kind;
	used += head->size;
	records[count++] = head;
}

/* Each 64 KiB of addresses are a module, up to NOWHERE. */
bool module_find(uintptr_t address, struct module *module)
{
	looked_up++;
	if (address >= NOWHERE)
		return false;
	*module = (struct module){.start = address & ~(MODULE_BYTES - 1),
		.end = (address | (MODULE_BYTES - 1)) + 1,
		.bias = address & ~(MODULE_BYTES - 1),
		.path = path,
		.build_id = (const uint8_t *)"abcde",
		.build_id_bytes = content ? 0 : 5,
		.content_hash = content};
	return true;
}

struct process process = {.strings = "/proc/self/exe"};

bool ring_may_define(void)
{
	return room_in_ring;
}

uint64_t clock_ticks_slow(void)
{
	return ticks;
}

/* A tick is a nanosecond. */
uint64_t pace_ticks(uint64_t nanoseconds)
{
	return nanoseconds;
}

/* ---- whose stack it is ---- */

uint32_t coroutine_stacks;
static struct coroutine whose;
static bool may_be_gone, asked_whole;
static unsigned frames, asked_words;

void unwind_walk(const struct unwind_start *start, unsigned max_depth,
	struct unwind_cache *cache, struct unwind_trace *to)
{
	(void)start;
	(void)cache;
	assert_ptr_equal(to, &trace);
	trace.depth = (uint16_t)(frames < max_depth ? frames : max_depth);
	trace.words = trace.depth;
}

bool coroutine_may_be_gone(uintptr_t sp)
{
	assert_int_equal(sp, call.sp);
	return may_be_gone;
}

struct coroutine coroutine_look(
	uintptr_t sp, struct unwind_trace *of, bool whole)
{
	assert_int_equal(sp, call.sp);
	assert_ptr_equal(of, &trace);
	asked_whole = whole;
	asked_words = of->words;
	return whose;
}

/* ---- the tests ---- */

static int begin(void **state)
{
	(void)state;
	memory = 1 << 20;
	ring_slots = NULL;
	room_in_ring = false;
	ticks = 1;
	taken = used = content = count = looked_up = 0;
	memset(room, 0, sizeof(room));
	memset(streams, 0, sizeof(streams));
	streams[STREAM].path = "file";
	records_left = FOR_EVER;
	path = "lib.so";
	trace = (struct unwind_trace){.depth = 2, .pc = {5, MODULE_BYTES + 5}};
	writer = (struct writer){.trace = &trace, .tables = define_new()};
	call.function = "printf";
	coroutine_stacks = 0;
	may_be_gone = false;
	context = (struct define_context){.text = BINLOG_TEXT_BYTES,
		.stream = STREAM,
		.kinds = (const uint8_t *)"k",
		.kinds_count = 1};
	return 0;
}

static uint32_t define(void)
{
	return define_context(&writer, &call, &context);
}

static unsigned kinds_of(uint32_t kind)
{
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++)
		found += records[i]->kind == kind;
	return found;
}

/* A function, a stream, two modules; and then what needs them. */
static void all_is_defined_once(void)
{
	const struct binlog_context_record *last =
		(const void *)records[count - 1];

	assert_int_equal(count, 5);
	assert_int_equal(kinds_of(BINLOG_STRING), 1);
	assert_int_equal(kinds_of(BINLOG_STREAM), 1);
	assert_int_equal(kinds_of(BINLOG_MODULE), 2);
	assert_int_equal(last->head.kind, BINLOG_CONTEXT);
	assert_int_equal(last->id, BINLOG_CONTEXT_FIRST);
	assert_int_equal(last->depth, 2);
}

static void definitions_come_before_what_needs_them(void **state)
{
	(void)state;
	assert_int_equal(define(), BINLOG_CONTEXT_FIRST);
	all_is_defined_once();
	assert_int_equal(define(), BINLOG_CONTEXT_FIRST);
	all_is_defined_once();
	assert_int_equal(define_contexts(writer.tables), 1);
}

static void what_had_no_room_is_defined_the_next_time(void **state)
{
	for (unsigned k = 0; k < 5; k++) {
		begin(state);
		records_left = k;
		assert_int_equal(define(), 0);
		assert_int_equal(count, k);
		assert_int_equal(define(), 0);
		assert_int_equal(count, k);
		assert_int_equal(define_contexts(writer.tables), 0);
		records_left = FOR_EVER;
		assert_int_equal(define(), BINLOG_CONTEXT_FIRST);
		all_is_defined_once();
	}
}

static void without_memory_nothing_is_defined_twice(void **state)
{
	uint32_t ids[100];
	unsigned made = 0, defined;

	(void)state;
	memory = taken;
	for (; made < 100; made++, trace.pc[0]++) {
		ids[made] = define();
		if (!ids[made])
			break;
	}
	assert_in_range(made, 16, 99);
	defined = count;
	assert_int_equal(define(), 0);
	assert_int_equal(count, defined);
	memory = sizeof(arena);
	assert_int_equal(define(), ids[made - 1] + 1);
	assert_int_equal(count, defined + 1);
	for (; made > 0; made--) {
		trace.pc[0]--;
		assert_int_equal(define(), ids[made - 1]);
	}
	memory = taken;
	assert_null(define_new());
}

static void nor_are_strings(void **state)
{
	static char text[100][2];
	uint32_t made = 0;

	(void)state;
	memory = taken;
	do
		text[made][0] = (char)(made + 1);
	while (define_string(&writer, text[made], 1) && ++made < 100);
	assert_in_range(made, 16, 99);
	assert_int_equal(count, made);
	memory = sizeof(arena);
	assert_int_equal(define_string(&writer, text[made], 1)->id, made + 1);
	assert_int_equal(define_string(&writer, text[0], 1)->id, 1);
	assert_int_equal(count, made + 1);
}

/* ---- strings ---- */

static void long_strings_are_defined_by_their_beginning(void **state)
{
	static char text[2 * DEFINE_STRING_MAX];
	const struct binlog_string_record *first, *second;
	const struct intern_entry *entry;

	(void)state;
	memset(text, 'a', sizeof(text));
	entry = define_string(&writer, text, DEFINE_STRING_MAX + 1);
	assert_int_equal(entry->id, 1);
	text[DEFINE_STRING_MAX + 1] = 'b';
	entry = define_string(&writer, text, DEFINE_STRING_MAX + 2);
	assert_int_equal(entry->id, 2);
	first = (const void *)records[0];
	second = (const void *)records[1];
	assert_int_equal(first->bytes, DEFINE_STRING_MAX);
	assert_int_equal(second->bytes, DEFINE_STRING_MAX);
	assert_memory_equal(first + 1, second + 1, DEFINE_STRING_MAX);
	assert_ptr_equal(
		define_string(&writer, text, DEFINE_STRING_MAX + 2), entry);
	assert_int_equal(count, 2);
}

/* ---- modules ---- */

static const struct binlog_module_record *module_of(unsigned number)
{
	for (unsigned i = 0; i < count; i++)
		if (records[i]->kind == BINLOG_MODULE && number-- == 0)
			return (const void *)records[i];
	fail();
	return NULL;
}

static void a_module_without_a_build_id_has_the_size_of_its_file(void **state)
{
	struct stat st;

	content = 99;
	path = "";
	define();
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_int_equal(module_of(0)->file_bytes, st.st_size);
	assert_int_equal(module_of(0)->content_hash, 99);
	assert_memory_equal(module_of(0) + 1, "/proc/self/exe", 14);
	begin(state);
	content = 99;
	path = "/nowhere/at/all";
	define();
	assert_int_equal(module_of(0)->file_bytes, 0);
	begin(state);
	path = "";
	define();
	assert_int_equal(module_of(0)->file_bytes, 0);
	assert_memory_equal(module_of(0) + 1, "abcde/proc/self/exe", 19);
}

static void what_belongs_to_no_module_needs_none(void **state)
{
	(void)state;
	trace.pc[1] = NOWHERE + 5;
	assert_int_equal(define(), BINLOG_CONTEXT_FIRST);
	assert_int_equal(kinds_of(BINLOG_MODULE), 1);
}

static void too_many_are_defined_each_time(void **state)
{
	unsigned at_once;

	(void)state;
	trace.depth = 1;
	for (unsigned i = 0; i < MODULES_MOST; i++) {
		trace.pc[0] = i * MODULE_BYTES + 1;
		assert_int_equal(define(), BINLOG_CONTEXT_FIRST + i);
	}
	assert_int_equal(kinds_of(BINLOG_MODULE), MODULES_MOST);
	looked_up = 0;
	trace.pc[0] = 2; /* of the first of them */
	assert_int_not_equal(define(), 0);
	assert_int_equal(looked_up, 0);
	assert_int_equal(kinds_of(BINLOG_MODULE), MODULES_MOST);
	at_once = count;
	trace.pc[0] = NOWHERE - 1;
	records_left = 0;
	assert_int_equal(define(), 0);
	records_left = FOR_EVER;
	assert_int_not_equal(define(), 0);
	assert_int_equal(kinds_of(BINLOG_MODULE), MODULES_MOST + 1);
	assert_int_equal(count, at_once + 2);
}

/* ---- what never repeats ---- */

static void made_formats_are_defined_if_they_are_few_or_repeat(void **state)
{
	uint64_t hash = 1;

	(void)state;
	while (define_may_make(&writer, hash << 32 | hash))
		hash++;
	assert_true(hash > 100 && hash < 10000);
	/* Not so soon. */
	for (uint64_t i = 1; i < 100000; i++)
		assert_false(define_may_make(
			&writer, (hash + i) << 32 | (hash + i)));
	assert_false(define_may_make(&writer, 5));
	assert_true(define_may_make(&writer, 5));
	/* What was defined as a format is known whatever else there is. */
	define_string(&writer, "%d", 2)->plan = (void *)arena;
	assert_true(define_may_make(&writer, binlog_hash("%d", 2)));
	/* Where definitions have too much of a ring there are no more. */
	ring_slots = (void *)arena;
	assert_false(define_may_make(&writer, 6));
	assert_false(define_may_make(&writer, 6));
	room_in_ring = true;
	assert_true(define_may_make(&writer, 6));
}

static void without_room_in_a_ring_stacks_are_cut(void **state)
{
	uint32_t id = define();

	(void)state;
	ring_slots = (void *)arena;
	assert_int_equal(define(), id);
	trace.pc[1]++;
	assert_int_equal(define(), id + 1);
	assert_int_equal(trace.depth, 1);
	trace.depth = 2;
	trace.pc[1]++;
	assert_int_equal(define(), id + 1);
	trace.depth = 2;
	trace.pc[1] = MODULE_BYTES + 5;
	assert_int_equal(define(), id);
	assert_int_equal(trace.depth, 2);
}

/* As many records as there is room for, again and again. */
static void new_stack(uintptr_t pc)
{
	trace.depth = 2;
	trace.pc[1] = pc;
	if (count > RECORDS_MOST - 20)
		used = count = 0;
	assert_int_not_equal(define(), 0);
}

static void stacks_that_never_repeat_need_bounded_memory(void **state)
{
	size_t before = 0;
	uintptr_t pc = 1;

	(void)state;
	memory = sizeof(arena);
	for (; pc < 400000; pc++) {
		if (pc == 100000)
			before = taken;
		new_stack(MODULE_BYTES + pc % 60000);
	}
	assert_int_equal(taken, before);
}

static void stacks_that_come_too_fast_are_cut(void **state)
{
	uintptr_t pc = 1;

	(void)state;
	memory = sizeof(arena);
	for (; define_depth(&writer, 9) == 9; pc++)
		new_stack(MODULE_BYTES + pc);
	assert_true(pc > 10000 && pc < 1000000);
	assert_int_equal(define_depth(&writer, 9), 1);
	ticks += 1000000000;
	assert_int_equal(define_depth(&writer, 9), 9);
}

/* ---- libraries come and go ---- */

static void another_library_at_an_address_is_another_place(void **state)
{
	uint32_t id, again;

	(void)state;
	trace.pc[1] = NOWHERE + 5; /* code that a program has made */
	define();
	define_forget(writer.tables);
	id = define();
	assert_int_equal(kinds_of(BINLOG_MODULE), 2);
	assert_int_equal(kinds_of(BINLOG_STREAM), 2);
	assert_int_equal(kinds_of(BINLOG_STRING), 1);
	define_forget(writer.tables);
	path = "other.so";
	again = define();
	assert_int_not_equal(again, id);
	define_forget(writer.tables);
	path = "lib.so";
	assert_int_equal(define(), id); /* it is back */
}

static void constants_of_formats_are_forgotten(void **state)
{
	static _Alignas(struct plan) char
		made[sizeof(struct plan) + 2 * sizeof(struct plan_argument)];
	struct plan *plan = (void *)made;

	(void)state;
	plan->count = 2;
	plan->argument[0].constant = plan->argument[1].constant = "text";
	define_string(&writer, "of no format", 12);
	define_string(&writer, "%s%s", 4)->plan = plan;
	define_forget(writer.tables);
	assert_null(plan->argument[0].constant);
	assert_null(plan->argument[1].constant);
}

/* ---- streams ---- */

static const struct binlog_stream_record *last_stream(void)
{
	for (unsigned i = count; i-- > 0;)
		if (records[i]->kind == BINLOG_STREAM)
			return (const void *)records[i];
	fail();
	return NULL;
}

static void plans_from_before_own_directives_are_made_anew(void **state)
{
	static struct plan typed, text = {.at_once = true};

	(void)state;
	define_string(&writer, "%x", 2)->plan = &typed;
	define_string(&writer, "%y", 2)->plan = &text;
	define_forget(writer.tables);
	assert_ptr_equal(define_string(&writer, "%x", 2)->plan, &typed);
	plan_always_at_once = true;
	define_forget(writer.tables);
	plan_always_at_once = false;
	assert_null(define_string(&writer, "%x", 2)->plan);
	assert_ptr_equal(define_string(&writer, "%y", 2)->plan, &text);
}

static void a_stream_is_defined_as_it_is(void **state)
{
	(void)state;
	streams[STREAM].flags = BINLOG_STREAM_STDERR;
	define();
	assert_int_equal(last_stream()->id, STREAM);
	assert_int_equal(last_stream()->flags, BINLOG_STREAM_STDERR);
	assert_int_equal(last_stream()->path_bytes, 4);
	assert_memory_equal(last_stream() + 1, "file", 4);
	context.stream = STREAM + 1;
	streams[STREAM + 1].said = 1;
	define();
	assert_int_equal(last_stream()->flags, BINLOG_STREAM_USED);
	assert_int_equal(last_stream()->path_bytes, 0);
	streams[STREAM].serial++; /* the number is used again */
	context.stream = STREAM;
	assert_int_equal(define(), BINLOG_CONTEXT_FIRST + 2);
}

static void of_no_number_there_is_none(void **state)
{
	(void)state;
	context.stream = STREAM_FULL;
	assert_int_equal(define(), 0);
	assert_int_equal(kinds_of(BINLOG_CONTEXT), 0);
	context.stream = 0; /* all of them */
	assert_int_equal(define(), BINLOG_CONTEXT_FIRST);
	assert_int_equal(kinds_of(BINLOG_STREAM), 0);
}

/* ---- coroutines ---- */

/* The last word on whose a context is. */
static uint64_t owner_of(uint32_t id)
{
	for (unsigned i = count; i-- > 0;) {
		const struct binlog_coroutine_record *said =
			(const void *)records[i];

		if (said->head.kind == BINLOG_COROUTINE && said->context == id)
			return said->number;
	}
	return 0;
}

static uint32_t define_of(uint64_t number, uint32_t stack)
{
	writer.coroutine = (struct coroutine){number, stack};
	return define();
}

static void who_has_no_coroutine_defines_as_ever(void **state)
{
	(void)state;
	assert_int_equal(define_of(0, 0), BINLOG_CONTEXT_FIRST);
	all_is_defined_once();
}

static void coroutines_on_one_stack_share_a_context_in_turns(void **state)
{
	uint32_t nobodys = define_of(0, 0), first = define_of(1, 5);
	uint32_t second = define_of(2, 6);

	(void)state;
	assert_int_equal(kinds_of(BINLOG_CONTEXT), 3);
	assert_int_equal(owner_of(nobodys), 0);
	assert_int_equal(owner_of(first), 1);
	assert_int_equal(owner_of(second), 2);
	assert_int_equal(define_of(3, 5), first);
	assert_int_equal(owner_of(first), 3);
	assert_int_equal(define_of(3, 5), first);
	assert_int_equal(define_of(2, 6), second);
	assert_int_equal(define_of(0, 0), nobodys);
	assert_int_equal(kinds_of(BINLOG_CONTEXT), 3);
	assert_int_equal(kinds_of(BINLOG_COROUTINE), 3);
}

static void it_is_said_before_the_context_is_used(void **state)
{
	(void)state;
	records_left = 5; /* as many as without it */
	assert_int_equal(define_of(1, 5), 0);
	assert_int_equal(kinds_of(BINLOG_CONTEXT), 1);
	assert_int_equal(kinds_of(BINLOG_COROUTINE), 0);
	records_left = FOR_EVER;
	assert_int_equal(define_of(1, 5), BINLOG_CONTEXT_FIRST);
	assert_int_equal(kinds_of(BINLOG_CONTEXT), 1);
	assert_int_equal(owner_of(BINLOG_CONTEXT_FIRST), 1);
	records_left = 0;
	assert_int_equal(define_of(2, 5), 0);
	assert_int_equal(define_of(1, 5), BINLOG_CONTEXT_FIRST);
}

/* There a definition may be read before what was said until then. */
static void in_a_ring_each_has_its_own_as_long_as_there_is_room(void **state)
{
	uint32_t nobodys = define_of(0, 0), first, second;

	(void)state;
	ring_slots = (void *)arena;
	room_in_ring = true;
	first = define_of(1, 5);
	second = define_of(2, 5);
	assert_int_not_equal(first, second);
	assert_int_equal(owner_of(first), 1);
	assert_int_equal(owner_of(second), 2);
	room_in_ring = false;
	assert_int_equal(define_of(1, 5), first);
	assert_int_equal(define_of(3, 5), nobodys);
	assert_int_equal(trace.depth, 2);
	assert_int_equal(kinds_of(BINLOG_COROUTINE), 2);
}

static void whose_it_is_is_asked_of_the_stack(void **state)
{
	(void)state;
	whose = (struct coroutine){7, 3};
	frames = 20;
	define_walk(&writer, &call, 16); /* nobody has made any */
	assert_int_equal(writer.coroutine.number, 0);
	coroutine_stacks = 1;
	define_walk(&writer, &call, 16);
	assert_int_equal(writer.coroutine.number, 7);
	assert_int_equal(asked_words, 16);
	assert_true(asked_whole);
}

static void of_one_that_may_be_gone_all_frames_are_looked_at(void **state)
{
	(void)state;
	coroutine_stacks = 1;
	may_be_gone = true;
	frames = 20;
	define_walk(&writer, &call, 16);
	assert_int_equal(asked_words, 20);
	assert_true(asked_whole);
	assert_int_equal(trace.depth, 16); /* what is recorded is as ever */
	frames = 10;
	define_walk(&writer, &call, 16);
	assert_int_equal(asked_words, 10);
	assert_true(asked_whole);
	frames = 1000;
	define_walk(&writer, &call, 16);
	assert_false(asked_whole);
	assert_int_equal(trace.depth, 16);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(definitions_come_before_what_needs_them),
		TEST(what_had_no_room_is_defined_the_next_time),
		TEST(without_memory_nothing_is_defined_twice),
		TEST(nor_are_strings),
		TEST(long_strings_are_defined_by_their_beginning),
		TEST(a_module_without_a_build_id_has_the_size_of_its_file),
		TEST(what_belongs_to_no_module_needs_none),
		TEST(too_many_are_defined_each_time),
		TEST(made_formats_are_defined_if_they_are_few_or_repeat),
		TEST(without_room_in_a_ring_stacks_are_cut),
		TEST(who_has_no_coroutine_defines_as_ever),
		TEST(coroutines_on_one_stack_share_a_context_in_turns),
		TEST(it_is_said_before_the_context_is_used),
		TEST(in_a_ring_each_has_its_own_as_long_as_there_is_room),
		TEST(whose_it_is_is_asked_of_the_stack),
		TEST(of_one_that_may_be_gone_all_frames_are_looked_at),
		TEST(stacks_that_never_repeat_need_bounded_memory),
		TEST(stacks_that_come_too_fast_are_cut),
		TEST(another_library_at_an_address_is_another_place),
		TEST(constants_of_formats_are_forgotten),
		TEST(plans_from_before_own_directives_are_made_anew),
		TEST(a_stream_is_defined_as_it_is),
		TEST(of_no_number_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
