/*
 * For tests of signals that end a program: what is recorded of them, in a child
 * of the test that dies as it would without us.  It defines functions of the
 * library: not for more than one file of a program.
 */
#ifndef TESTS_FATAL_WORLD_H
#define TESTS_FATAL_WORLD_H

#include "shim/host/inside.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/control/process.h"
#include "shim/control/settings.h"
#include "shim/file/capture_file.h"
#include "shim/host/module.h"
#include "shim/record/site.h"
#include "shim/record/unseen.h"
#include "shim/start/abort_message.h"
#include "shim/start/fatal.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/writer/life.h"
#include "shim/writer/position.h"

/* ---- what the library would be ---- */

struct process process;
FILE *stdio_buffer_collects;
bool streams_have_offsets;
int (*next_sigaction)(
	int, const struct sigaction *, struct sigaction *) = sigaction;
uint32_t host_libc_version = 2036;
__attribute__((const)) int *(*host_errno)(void) = __errno_location;

static bool borrowed, passes;
static const char *signals; /* BINLOG_SIGNALS */
static bool (*mend_capture)(const void *address);
static bool (*mend_position)(const void *address);

/* Of a child, for its parent. */
static struct seen {
	unsigned events, notes, abandoned, messages, drained;
	int64_t value;
	pid_t pid;
	uintptr_t pc, sp;
	siginfo_t info;
	uintptr_t word; /* where the stack pointer is */
} * seen;

bool capture_event(
	const struct call *call, unsigned stream, unsigned text, int64_t value)
{
	if (stream != 0 || text != BINLOG_TEXT_SIGNAL)
		abort();
	seen->events++;
	seen->value = value;
	seen->pid = getpid();
	seen->pc = call->pc;
	seen->sp = call->sp;
	return true;
}

void life_note(unsigned text, int64_t value)
{
	(void)value;
	seen->notes += text == BINLOG_TEXT_SIGNAL;
}

void abort_message_record(const struct call *call)
{
	(void)call;
	seen->messages++;
}

bool capture_file_mend(const void *address)
{
	return mend_capture && mend_capture(address);
}

bool position_mend(const void *address)
{
	return mend_position && mend_position(address);
}

/* The program itself is one. */
bool module_find(uintptr_t address, struct module *module)
{
	extern const char __executable_start[], end[];

	(void)module;
	return address - (uintptr_t)__executable_start <
	       (uintptr_t)(end - __executable_start);
}

bool process_is_borrowed(void)
{
	return borrowed;
}

bool process_is_recording(void)
{
	return !passes;
}

const char *settings_get(enum config_key key)
{
	return key == CONFIG_signals ? signals : NULL;
}

void unseen_tell(const struct call *call)
{
	(void)call;
}

void site_tell_suppressed(const struct call *call)
{
	(void)call;
}

void position_settle(void)
{
}

void stdio_buffer_drain_all(const struct call *call)
{
	(void)call;
	seen->drained++;
}

void stdio_buffer_catch_up_slow(const struct call *call)
{
	(void)call;
	seen->drained++;
}

void writer_abandon(void)
{
	seen->abandoned++;
}

/* ---- children ---- */

enum as { NATIVE, OBSERVED, WATCHED };

/* What the kernel says of the signal, to a program of its own. */
static void observe(int number, siginfo_t *info, void *context)
{
	const greg_t *registers =
		((const ucontext_t *)context)->uc_mcontext.gregs;

	seen->events++;
	seen->value = number;
	seen->info = *info;
	seen->pc = (uintptr_t)registers[REG_RIP];
	seen->sp = (uintptr_t)registers[REG_RSP];
	if (sys_is_readable((const void *)seen->sp))
		seen->word = *(const uintptr_t *)seen->sp;
	_exit(0);
}

static inline void prepare_child(enum as as)
{
	const struct sigaction action = {
		.sa_sigaction = observe, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	for (int number = 1; number < 32; number++) {
		signal(number, SIG_DFL);
		if (as == OBSERVED)
			sigaction(number, &action, NULL);
	}
	process.pid = (uint32_t)getpid();
	if (as == WATCHED)
		fatal_watch();
}

/* How a process that does this ends, as waitpid(2) has it. */
static inline int ending(enum as as, void (*what)(void))
{
	int status;
	pid_t pid;

	if (!seen)
		seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(seen, MAP_FAILED);
	memset(seen, 0, sizeof(*seen));
	pid = fork();
	if (pid == 0) {
		prepare_child(as);
		what();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* The same end with us and without; and whether anything is on record. */
static inline void ends_as_natively(void (*what)(void), bool is_recorded)
{
	int natively = ending(NATIVE, what);

	assert_true(WIFSIGNALED(natively));
	assert_int_equal(ending(WATCHED, what), natively);
	assert_int_equal(seen->events, is_recorded);
	assert_int_equal(seen->notes, is_recorded);
}

#endif
