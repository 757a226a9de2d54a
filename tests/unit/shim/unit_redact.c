/*
 * What stands in the places of arguments that are left out, as binlog-rules(7)
 * has it; where a format cannot be rewritten, the whole text is left out.
 */
#include "shim/host/inside.h"

#include <sys/wait.h>

#include <setjmp.h>
#include <cmocka.h>

#include "record/libc.h"
#include "shim/control/settings.h"
#include "shim/host/arena.h"
#include "shim/host/host.h"
#include "shim/host/module.h"
#include "shim/record/redact.h"
#include "shim/writer/define.h"
#include "shim/writer/plan.h"
#include "tests/unit/world/inject_calls.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* ---- what the library would be ---- */

bool sys_forbidden;
uint32_t host_libc_version = LIBC_VERSION(__GLIBC__, __GLIBC_MINOR__);

static unsigned failing; /* allocation, from 1; 0: none */
static char arena[1 << 20];
static size_t arena_used;

void *arena_take(size_t size)
{
	void *taken = arena + arena_used;

	if (failing > 0 && --failing == 0)
		return NULL;
	arena_used += (size + 63) & ~(size_t)63;
	assert_true(arena_used <= sizeof(arena));
	return memset(taken, 0, size);
}

bool module_is_constant(const void *address, size_t size)
{
	(void)address;
	(void)size;
	return true;
}

const char *settings_get(enum config_key key)
{
	(void)key;
	return NULL;
}

/* Of an int; there are no others here that are kept. */
char *arguments_store_general(struct writer *w, char *to,
	const struct plan_argument *argument, struct arguments_list *list,
	size_t rest, struct arguments_sum *sum)
{
	int value = va_arg(list->ap, int);

	(void)w;
	(void)rest;
	(void)sum;
	assert_int_equal(argument->kind, BINLOG_ARG_I32);
	memcpy(to, &value, sizeof(value));
	return to + sizeof(value);
}

/* ---- the format ---- */

static union {
	struct site site;
	char bytes[sizeof(struct site) + sizeof(struct rule_decision)];
} memory;
static struct site *const site = &memory.site;

static int begin(void **state)
{
	(void)state;
	arena_used = 0;
	failing = 0;
	memset(&memory, 0, sizeof(memory));
	site->decisions = 1;
	return 0;
}

static const struct redaction *prepare(
	const char *format, size_t length, uint64_t mask, bool hash)
{
	const struct site_call call = {
		.text = BINLOG_TEXT_FORMAT, .format = format, .length = length};

	site->decided[0].redacted = mask;
	site->decided[0].redaction = hash ? REDACT_HASH : REDACT_LENGTH;
	redact_prepare(site, &call);
	assert_int_equal(site->redacts, mask != 0);
	return site->redaction;
}

static void becomes(const char *format, uint64_t mask, const char *wanted)
{
	const struct redaction *redaction =
		prepare(format, strlen(format), mask, false);

	site->redaction = NULL;
	assert_non_null(redaction);
	if (!wanted) {
		assert_null(redaction->format);
		return;
	}
	assert_non_null(redaction->format);
	assert_int_equal(redaction->length, strlen(wanted));
	assert_memory_equal(redaction->format, wanted, strlen(wanted));
}

static void a_format_has_a_string_in_its_place(void **state)
{
	(void)state;
	becomes("key %s, %d\n", 1, "key %s, %d\n");
	becomes("%d %5.1f 100%%", 2, "%d %s 100%%");
	becomes("%*.*d %m", 4, "%s %m");
	becomes("%1$d %2$ld", 1, "%s %ld");
	becomes("%1$d %2$08.3f", 1, "%s %08.3f");
	becomes("%2$d %1$d", 1, NULL);
	becomes("%1$d %3$*1$d %2$d", 1, NULL);
	becomes("%1$d %3$.*1$d %2$d", 1, NULL);
	becomes("%1$d %*1$m", 1, NULL);
	becomes("%1$d %.*1$m", 1, NULL);
	becomes("%d%n", 1, NULL);
	becomes("%s %", ~(uint64_t)0, NULL);
}

static void so_has_one_of_many_arguments(void **state)
{
	char format[2 * (FORMAT_ARGUMENTS_MAX + 1) + 1] = "", wanted[200] = "";

	(void)state;
	for (int i = 0; i < FORMAT_ARGUMENTS_MAX; i++) {
		strcat(format, "%d");
		strcat(wanted, i == 63 ? "%s" : "%d");
	}
	becomes(format, (uint64_t)1 << 63, wanted);
	strcat(format, "%d"); /* too many */
	becomes(format, 1, NULL);
	becomes(format, ~(uint64_t)0, NULL);
}

static void without_memory_all_is_left_out(void **state)
{
	static char large[DEFINE_STRING_MAX + 2];

	(void)state;
	failing = 1;
	assert_null(prepare("key %s", 6, 1, false));
	for (unsigned n = 2; n < 4; n++) {
		failing = n;
		becomes("key %s", 1, NULL);
		assert_int_equal(failing, 0);
	}
	memset(large, ' ', DEFINE_STRING_MAX + 1);
	site->redaction = NULL;
	arena_used = 0;
	becomes(large, 1, NULL);
}

static void what_is_the_same_is_not_made_anew(void **state)
{
	const struct redaction *first = prepare("key %s", 6, 1, false);

	(void)state;
	assert_ptr_equal(prepare("key %s", 6, 1, false), first);
	assert_ptr_not_equal(prepare("key %s", 6, 1, true), first);
	first = site->redaction;
	assert_ptr_not_equal(prepare("key %s", 6, 3, true), first);
	prepare("key %s", 6, 0, true);
}

/* ---- the arguments ---- */

static char stored[4096];

static void store(bool hash, uint64_t mask, const char *format, ...)
{
	struct writer w = {.cursor = stored, .end = stored + sizeof(stored)};
	struct arguments_list list;
	struct arguments_sum sum;
	const struct redaction *redaction =
		prepare(format, strlen(format), mask, hash);

	assert_non_null(redaction->format);
	va_start(list.ap, format);
	assert_non_null(redact_store(&w, stored, redaction, &list, &sum));
	va_end(list.ap);
	assert_true(sum.length > INT_MAX); /* is not known */
	site->redaction = NULL;
}

static const char *text_at(size_t at)
{
	static char text[REDACT_TEXT];
	uint32_t length;

	memcpy(&length, stored + at, sizeof(length));
	assert_in_range(length, 1, sizeof(text) - 1);
	memcpy(text, stored + at + sizeof(length), length);
	text[length] = '\0';
	return text;
}

static void values_are_told_by_their_length_at_most(void **state)
{
	(void)state;
	store(false, 2, "%d %s", 4711, "secret");
	assert_memory_equal(stored, &(int){4711}, sizeof(int));
	assert_string_equal(text_at(sizeof(int)), "[6 bytes]");
	store(false, 2, "%.*s", 3, "secret");
	assert_string_equal(text_at(0), "[3 bytes]");
	store(false, 1, "%.4s", "secret");
	assert_string_equal(text_at(0), "[4 bytes]");
	store(false, 2, "%*s", 30, "secret");
	assert_string_equal(text_at(0), "[6 bytes]");
	store(false, 1, "%s", NULL);
	assert_string_equal(text_at(0), "[0 bytes]");
	store(false, 1, "%ls", L"wide");
	assert_string_equal(text_at(0), "[16 bytes]");
	store(false, 1, "%d", 4711);
	assert_string_equal(text_at(0), "[hidden]");
}

static void equal_values_have_equal_hashes(void **state)
{
	char first[REDACT_TEXT];

	(void)state;
	store(true, 1, "%s", "secret");
	strcpy(first, text_at(0));
	assert_memory_equal(first, "[#", 2);
	store(true, 1, "%ld", 4711L);
	assert_string_not_equal(text_at(0), first);
	store(true, 2, "%.*s", 6, "secrets");
	assert_string_equal(text_at(0), first);
	store(true, 1, "%f", 1.5);
	strcpy(first, text_at(0));
	store(true, 1, "%Lf", 1.5L);
	assert_string_not_equal(text_at(0), first);
	store(true, 1, "%5.1f", 1.5);
	assert_string_equal(text_at(0), first);
	store(true, 1, "%Lf", 1.5L);
	strcpy(first, text_at(0));
	store(true, 1, "%Lf", 3.0L);
	assert_string_not_equal(text_at(0), first);
	store(true, 1, "%Lg", 1.5L);
	assert_string_equal(text_at(0), first);
}

/* Of a child: 0, or what went wrong. */
static int hash_without_key(void)
{
	static const struct inject_call fails[] = {{SYS_getrandom, EAGAIN}};

	if (!inject_calls_prepare(fails, LENGTH(fails)))
		return 77;
	inject_calls_begin(1, true);
	store(true, 1, "%s", "secret");
	if (strcmp(text_at(0), "[6 bytes]") != 0)
		return 1;
	store(true, 1, "%d", 4711);
	if (strcmp(text_at(0), "[hidden]") != 0)
		return 2;
	inject_calls_end();
	store(true, 1, "%s", "secret");
	return strncmp(text_at(0), "[#", 2) == 0 ? 0 : 3;
}

/* It is to come before the first hash. */
static void without_a_key_there_is_no_hash(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(hash_without_key());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_format_has_a_string_in_its_place),
		TEST(so_has_one_of_many_arguments),
		TEST(without_memory_all_is_left_out),
		TEST(what_is_the_same_is_not_made_anew),
		TEST(without_a_key_there_is_no_hash),
		TEST(values_are_told_by_their_length_at_most),
		TEST(equal_values_have_equal_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
