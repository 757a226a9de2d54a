/*
 * For tests of calls that are met for the first time: the library around
 * shim/record/capture_slow.c, with definitions, constants and memory that the test has
 * in its hands.  It defines functions of the library: not for more than one
 * file of a program.
 */
#ifndef TESTS_FIRST_CALL_WORLD_H
#define TESTS_FIRST_CALL_WORLD_H

#include "tests/unit/world/writer_world.h"

#include "record/libc.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/module.h"
#include "shim/host/sys.h"
#include "shim/record/capture_slow.h"
#include "shim/record/redact.h"
#include "shim/record/terminal.h"
#include "shim/writer/define.h"
#include "shim/writer/ownership.h"
#include "shim/writer/plan.h"

bool ownership_follows(struct writer *w)
{
	(void)w;
	return false;
}

#define STREAM 7u
#define LAST 11u /* contexts: of a text, or of the end of it, */
#define PART 12u /* and of what goes before */
#define FORMAT_ID 100u
#define TAG memo_tag(&call, STREAM, BINLOG_TEXT_BYTES)

/* ---- what the library would be ---- */

bool redact_copies;
uint32_t streams_flushes;
uint32_t host_libc_version = LIBC_VERSION(__GLIBC__, __GLIBC_MINOR__);
__attribute__((const)) int *(*host_errno)(void) = __errno_location;
static const struct call call = {.pc = 5000, .sp = 1000};
static struct memo memos[2 * MEMO_WAYS];
static struct unwind_trace trace;
static _Alignas(64) char arena[1 << 16];
static size_t arena_left;
static struct intern_entry entries[10];
static const char *strings[10]; /* that entries are of: copies */
static char copies[100000];
static size_t copied;
static unsigned defined, strings_most;
static uint32_t undefined; /* this context cannot be had */
static const char *constants, *constants_end;
static unsigned passed, dropped, grown;
static char shown[100000];
static size_t shown_bytes;

void *arena_take(size_t size)
{
	if (size > arena_left)
		return NULL;
	arena_left -= (size + 63) & ~(size_t)63;
	return memset(arena + arena_left, 0, size);
}

bool module_is_constant(const void *address, size_t size)
{
	const char *at = address;

	return at >= constants && at < constants_end &&
	       size <= (size_t)(constants_end - at);
}

struct intern_entry *define_string(
	struct writer *w, const char *text, uint32_t length)
{
	assert_ptr_equal(w, &writer);
	assert_int_equal(length, strlen(text));
	for (unsigned i = 0; i < defined; i++)
		if (strcmp(strings[i], text) == 0)
			return &entries[i];
	if (defined >= strings_most)
		return NULL;
	strings[defined] = memcpy(copies + copied, text, length + 1);
	copied += length + 1;
	assert_true(copied <= sizeof(copies));
	entries[defined].id = FORMAT_ID + defined;
	return &entries[defined++];
}

void define_walk(struct writer *w, const struct call *at, unsigned depth)
{
	assert_ptr_equal(w, &writer);
	assert_ptr_equal(at, &call);
	walked = depth;
}

uint32_t define_context(struct writer *w, const struct call *at,
	const struct define_context *context)
{
	bool partial = context->flags & BINLOG_CONTEXT_PARTIAL;
	uint32_t id = partial ? PART : LAST;

	assert_ptr_equal(w, &writer);
	assert_ptr_equal(at, &call);
	assert_int_equal(context->stream, STREAM);
	if (partial)
		assert_int_equal(context->text, BINLOG_TEXT_BYTES);
	return id == undefined ? 0 : id;
}

uint32_t define_strings(const struct define_tables *tables)
{
	(void)tables;
	return defined;
}

unsigned define_depth(struct writer *w, unsigned depth)
{
	(void)w;
	return depth;
}

static bool may_make = true;

bool define_may_make(struct writer *w, uint64_t hash)
{
	(void)w, (void)hash;
	return may_make;
}

/* Whether each context is one that was not defined before. */
static bool contexts_are_new;

uint32_t define_contexts(const struct define_tables *tables)
{
	static uint32_t contexts;

	(void)tables;
	return contexts_are_new ? ++contexts : contexts;
}

void writer_count_passed(void)
{
	passed++;
}

void writer_count_dropped(void)
{
	dropped++;
}

void writer_grow_memo(struct writer *w)
{
	assert_ptr_equal(w, &writer);
	w->memo_sets = 2;
	w->memo_losses = 0;
	grown++;
}

bool writer_said_slow(struct writer *w, unsigned stream)
{
	assert_ptr_equal(w, &writer);
	assert_int_equal(stream, STREAM);
	w->said_key = streams_key(stream);
	return false;
}

void terminal_bytes(unsigned stream, const void *bytes, size_t size, bool ends)
{
	assert_int_equal(stream, STREAM);
	memcpy(shown, bytes, size);
	shown_bytes = size;
	if (ends)
		shown[shown_bytes++] = '\n';
}

static void begin_with(size_t bytes)
{
	writer_begin_with(bytes);
	memset(memos, 0, sizeof(memos));
	memset(entries, 0, sizeof(entries));
	memset(&trace, 0, sizeof(trace));
	memset(&streams[STREAM], 0, sizeof(streams[STREAM]));
	trace.repeatable = true;
	writer.trace = &trace;
	writer.memo = memos;
	writer.memo_sets = 1;
	arena_left = sizeof(arena);
	strings_most = 10;
	constants = constants_end = NULL;
	contexts_are_new = false;
	copied = 0;
	defined = undefined = passed = dropped = grown = shown_bytes = 0;
	streams[STREAM].fd = -1;
}

static int begin(void **state)
{
	(void)state;
	begin_with(sizeof(memory) - 4);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

#endif
