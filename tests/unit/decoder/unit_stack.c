#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decoder/names/stack.h"
#include "tests/unit/world/inject_faults.h"

#define ADDRESS 0x401000u

/* A call out of a program that nothing is known of. */
struct call {
	uint64_t frames[2];
	struct definition_context context;
	struct program program;
	struct recording capture;
	struct pool pool;
	struct message message;
	struct symbolizer_options options;
	struct locations *locations;
};

static void begin(struct call *call)
{
	*call = (struct call){.frames = {ADDRESS + 1, ADDRESS + 2}};
	call->context.frames = call->frames;
	call->context.depth = 2;
	call->program.name = "?";
	call->message = (struct message){
		.context = &call->context,
		.program = &call->program,
		.capture = &call->capture,
		.pool = &call->pool,
	};
	call->locations = locations_new(&call->options);
	assert_non_null(call->locations);
}

static void end(struct call *call)
{
	locations_free(call->locations);
	pool_free(&call->pool);
}

/* Twice: what is kept says the same. */
static void expect(struct call *call, size_t depth, const char *text)
{
	struct stack *stack = stack_new(call->locations, depth);
	struct render_buffer out = {0};
	size_t length = strlen(text);

	stack_put(stack, &call->message, &out);
	stack_put(stack, &call->message, &out);
	assert_int_equal(out.length, 2 * length);
	assert_memory_equal(out.data, text, length);
	assert_memory_equal(out.data + length, text, length);
	render_buffer_free(&out);
	stack_free(stack);
}

static void frames_that_nothing_is_known_of_are_addresses(void **state)
{
	struct call call;

	(void)state;
	begin(&call);
	expect(&call, 9, "    #0 0x401001\n    #1 0x401002\n");
	assert_non_null(call.context.stack);
	end(&call);
}

static void no_more_frames_are_shown_than_wanted(void **state)
{
	struct call call;

	(void)state;
	begin(&call);
	expect(&call, 1, "    #0 0x401001\n");
	end(&call);
}

static void in_a_pool_that_is_large_no_stacks_are_kept(void **state)
{
	struct call call;

	(void)state;
	begin(&call);
	call.pool.bytes = (size_t)64 << 20;
	expect(&call, 9, "    #0 0x401001\n    #1 0x401002\n");
	assert_null(call.context.stack);
	end(&call);
}

/* In no file, but in the list of whoever made it while it ran. */
static void code_that_was_made_is_named_without_a_file(void **state)
{
	struct call call;
	char path[64];
	FILE *list;

	(void)state;
	begin(&call);
	call.message.pid = (uint32_t)getpid();
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	list = fopen(path, "we");
	assert_non_null(list);
	fprintf(list, "%x 2 made\n", ADDRESS);
	fclose(list);
	expect(&call, 9, "    #0 made+0x0\n    #1 made+0x1\n");
	unlink(path);
	end(&call);
}

static void without_memory_there_are_no_stacks(void **state)
{
	(void)state;
	inject_begin(INJECT_MEMORY, 0, true);
	assert_null(stack_new(NULL, 1));
	inject_end();
	stack_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_that_nothing_is_known_of_are_addresses),
		cmocka_unit_test(no_more_frames_are_shown_than_wanted),
		cmocka_unit_test(in_a_pool_that_is_large_no_stacks_are_kept),
		cmocka_unit_test(code_that_was_made_is_named_without_a_file),
		cmocka_unit_test(without_memory_there_are_no_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
