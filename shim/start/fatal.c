#include "shim/start/fatal.h"

#include <ucontext.h>

#include "record/libc.h"
#include "shim/control/process.h"
#include "shim/control/settings.h"
#include "shim/file/capture_file.h"
#include "shim/host/environment.h"
#include "shim/host/module.h"
#include "shim/host/sys.h"
#include "shim/record/capture.h"
#include "shim/record/site.h"
#include "shim/record/unseen.h"
#include "shim/start/abort_message.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/writer/life.h"
#include "shim/writer/position.h"

/* What recording takes of the stack at most. */
#define ROOM ((uintptr_t)4096)
#define PAGE ((uintptr_t)4096)
/* Between the call of abort() and its signal. */
#define ABORT_STACK ((uintptr_t)4096)

#define FAULTS                                                                 \
	(BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) |              \
		BIT(SIGABRT) | BIT(SIGTRAP) | BIT(SIGSYS))
#define OTHERS                                                                 \
	(BIT(SIGTERM) | BIT(SIGINT) | BIT(SIGHUP) | BIT(SIGQUIT) |             \
		BIT(SIGPIPE) | BIT(SIGALRM) | BIT(SIGUSR1) | BIT(SIGUSR2) |    \
		BIT(SIGXCPU) | BIT(SIGXFSZ) | BIT(SIGVTALRM) | BIT(SIGPROF))
#define BIT(number) ((uint32_t)1 << (number))
#define SIGNALS 32

/* Those for which the default action is ours. */
static uint32_t watched;
/* What the kernel would say of them beside SIG_DFL, were it not for us. */
static struct {
	uint64_t mask;
	void (*restorer)(void);
	int flags;
} shown[SIGNALS];

static inline bool is_watched(int number)
{
	return number > 0 && number < SIGNALS && watched & BIT(number);
}

/*
 * The call by which this thread aborts, where what follows in libc is of no
 * interest; a handler may have jumped out of it long ago.
 */
static __thread struct call aborting;

#if defined(__x86_64__)
static void find_registers(const ucontext_t *context, struct call *call)
{
	const greg_t *registers = context->uc_mcontext.gregs;

	call->pc = (uintptr_t)registers[REG_RIP];
	call->sp = (uintptr_t)registers[REG_RSP];
	call->fp = (uintptr_t)registers[REG_RBP];
}

/* The return address is still where the call put it. */
static void go_back(const ucontext_t *context, struct call *call)
{
	(void)context;
	call->pc = *(const uintptr_t *)call->sp;
	call->sp += sizeof(uintptr_t);
}

/* As if it were a return address; a breakpoint is behind. */
static void pass_instruction(
	int number, const ucontext_t *context, struct call *call)
{
	(void)context;
	if (number != SIGTRAP)
		call->pc++;
}

static void note_return(const struct call *call)
{
	(void)call;
}

/* Where `aborting` has its return address. */
static const uintptr_t *return_slot(void)
{
	return (const uintptr_t *)aborting.sp - 1;
}
#elif defined(__aarch64__)
static __thread const uintptr_t *aborting_slot;

static void find_registers(const ucontext_t *context, struct call *call)
{
	call->pc = context->uc_mcontext.pc;
	call->sp = context->uc_mcontext.sp;
	call->fp = context->uc_mcontext.regs[29];
}

static void go_back(const ucontext_t *context, struct call *call)
{
	call->pc = context->uc_mcontext.regs[30];
}

static void pass_instruction(
	int number, const ucontext_t *context, struct call *call)
{
	(void)number;
	call->pc++;
	unwind_interrupted = (struct unwind_interrupted){
		call->pc, call->sp, context->uc_mcontext.regs[30]};
}

/* In the frame of our own function, which has saved both next to each other. */
static void note_return(const struct call *call)
{
	const uintptr_t *end = (const uintptr_t *)call->sp - 1;

	aborting_slot = __builtin_frame_address(0);
	while (aborting_slot < end &&
		(aborting_slot[0] != call->fp || aborting_slot[1] != call->pc))
		aborting_slot++;
	aborting_slot++;
}

static const uintptr_t *return_slot(void)
{
	return aborting_slot;
}
#endif

/* A jump into the blue: there is still a way back. */
static bool has_jumped(
	int number, const siginfo_t *info, const struct call *call)
{
	struct module module;

	return number == SIGSEGV && info->si_code > 0 &&
	       (uintptr_t)info->si_addr == call->pc &&
	       !module_find(call->pc, &module) &&
	       sys_is_readable((const void *)call->sp);
}

static bool is_aborting(const struct call *call)
{
	const uintptr_t *slot = return_slot();

	return call->sp < aborting.sp && aborting.sp - call->sp < ABORT_STACK &&
	       sys_is_readable(slot) && *slot == aborting.pc;
}

static void find_call(int number, const siginfo_t *info,
	const ucontext_t *context, struct call *call)
{
	find_registers(context, call);
	if (number == SIGABRT && is_aborting(call)) {
		*call = aborting;
		return;
	}
	if (has_jumped(number, info, call))
		go_back(context, call);
	else
		pass_instruction(number, context, call);
}

/*
 * See text.def: the signal, its code in eight bits (only SI_KERNEL, 0x80,
 * makes use of the highest one as a positive number) and, of 48 bits, the
 * address of the fault, the number of the system call, or who sent it.
 */
static int64_t describe(int number, const siginfo_t *info)
{
	uint64_t detail = (uint32_t)info->si_pid;

	if (info->si_code > 0)
		detail = number == SIGSYS ? (uint32_t)info->si_syscall
					  : (uintptr_t)info->si_addr;
	return (int64_t)((uint64_t)number |
			 (uint64_t)(info->si_code & 0xff) << 8 | detail << 16);
}

/*
 * Natively no handler would need any stack: a small one must not overflow
 * into what is next to it, nor make an abort() a fault.
 */
static bool has_room(const ucontext_t *context)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	uintptr_t bottom = (uintptr_t)context->uc_stack.ss_sp;

	if (!(context->uc_stack.ss_flags & SS_DISABLE) &&
		sp - bottom < context->uc_stack.ss_size)
		return sp - bottom >= ROOM;
	for (uintptr_t at = sp - ROOM; at < sp; at += PAGE)
		if (!sys_is_readable((const void *)at))
			return false;
	return true;
}

static void __attribute__((noinline))
record(int number, const siginfo_t *info, const ucontext_t *context)
{
	struct call call = {.function = "signal"};

	find_call(number, info, context, &call);
	if (number == SIGABRT)
		abort_message_record(&call);
	life_note(BINLOG_TEXT_SIGNAL, describe(number, info));
	capture_event(&call, 0, BINLOG_TEXT_SIGNAL, describe(number, info));
	/* Last: should the FILE be damaged, too, the signal is on record.
	 * Others may ask where the output stands. */
	stdio_buffer_catch_up(&call);
	if (streams_have_offsets)
		position_settle();
	if (!process_is_borrowed())
		unseen_tell(&call);
	site_tell_suppressed(&call);
}

/*
 * The interrupted instruction will do the same again.  Not where it is over
 * (a breakpoint, a system call), where the kernel does not say what was wrong,
 * and where the fault has nothing to do with it.
 */
static bool recurs(int number, const siginfo_t *info)
{
	if (info->si_code <= 0 || info->si_code == SI_KERNEL)
		return false;
	return number == SIGSEGV || number == SIGFPE || number == SIGILL ||
	       (number == SIGBUS && info->si_code != BUS_MCEERR_AO);
}

/*
 * The same signal once more, with the default action: it comes when the
 * handler returns, to the interrupted instruction.
 */
static void let_die(int number, const siginfo_t *info)
{
	static const struct {
		void *handler;
		uint64_t flags, restorer, mask;
	} by_default;

	SYS4(rt_sigaction, number, &by_default, NULL, sizeof(uint64_t));
	if (!recurs(number, info) &&
		sys_failed(SYS4(rt_tgsigqueueinfo, SYS0(getpid), SYS0(gettid),
			number, info)))
		SYS3(tgkill, SYS0(getpid), SYS0(gettid), number);
}

static void handle(int number, siginfo_t *info, void *context)
{
	int kept = errno;

	/* Our store, not one of the program's. */
	if (number == SIGBUS && info->si_code == BUS_ADRERR &&
		(capture_file_mend(info->si_addr) ||
			position_mend(info->si_addr))) {
		writer_abandon();
		errno = kept;
		return;
	}
	/* A child of vfork that dies is not the process we write for. */
	if (has_room(context) && !process_is_borrowed())
		record(number, info, context);
	let_die(number, info);
	errno = kept;
}

static bool is_ours(const struct sigaction *action)
{
	return action->sa_sigaction == handle;
}

static bool is_default(const struct sigaction *action)
{
	return action->sa_handler == SIG_DFL;
}

static void keep(int number, const struct sigaction *action)
{
	memcpy(&shown[number].mask, &action->sa_mask, sizeof(uint64_t));
	shown[number].restorer = action->sa_restorer;
	shown[number].flags = action->sa_flags;
}

/* As libc does it: the rest of the mask stays as it is. */
static void show(int number, struct sigaction *action)
{
	action->sa_handler = SIG_DFL;
	memcpy(&action->sa_mask, &shown[number].mask, sizeof(uint64_t));
	action->sa_restorer = shown[number].restorer;
	action->sa_flags = shown[number].flags;
}

static void stand_in(int number)
{
	struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
	struct sigaction found;

	if (next_sigaction(number, NULL, &found) != 0 || !is_default(&found))
		return;
	keep(number, &found);
	ours.sa_sigaction = handle;
	memset(&ours.sa_mask, 0xff, sizeof(ours.sa_mask));
	/* Another thread may have been faster: its choice counts. */
	if (next_sigaction(number, &ours, &found) == 0 && !is_default(&found) &&
		!is_ours(&found))
		next_sigaction(number, &found, NULL);
}

static void put_back(int number)
{
	struct sigaction found;

	if (next_sigaction(number, NULL, &found) != 0 || !is_ours(&found))
		return;
	show(number, &found);
	next_sigaction(number, &found, NULL);
}

static uint32_t wanted(void)
{
	const char *value = settings_get(CONFIG_signals);

	if (value && *value == '0')
		return 0;
	return value && *value == 'a' ? FAULTS | OTHERS : FAULTS;
}

void fatal_watch(void)
{
	int kept = errno;

	if (!process_is_recording() || process.pid == 1)
		return;
	watched = wanted();
	for (int number = 1; number < SIGNALS; number++)
		if (is_watched(number))
			stand_in(number);
	errno = kept;
}

void fatal_unwatch(void)
{
	int kept = errno;

	for (int number = 1; number < SIGNALS; number++)
		if (is_watched(number))
			put_back(number);
	watched = 0;
	errno = kept;
}

void fatal_adopt(int number)
{
	int kept = errno;

	/* The actions of a child of vfork are its own, what we know is not. */
	if (is_watched(number) && !process_is_borrowed())
		stand_in(number);
	errno = kept;
}

void fatal_yield(int number)
{
	int kept = errno;

	if (is_watched(number))
		put_back(number);
	errno = kept;
}

void fatal_hide(int number, struct sigaction *action)
{
	if (number > 0 && number < SIGNALS && is_ours(action))
		show(number, action);
}

sighandler_t fatal_hide_handler(sighandler_t handler)
{
	return (void (*)(void))handler == (void (*)(void))handle ? SIG_DFL
								 : handler;
}

/* abort() will not call the program's handler: see LIBC_ABORT_BLOCKED. */
static bool is_blocked_for_good(void)
{
	uint64_t mask = 0;

	return libc_has(host_libc_version, LIBC_ABORT_BLOCKED) &&
	       SYS4(rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask)) ==
		       0 &&
	       mask >> (SIGABRT - 1) & 1;
}

void fatal_abort(const struct call *call)
{
	struct sigaction found;
	int64_t value;

	stdio_buffer_drain_all(call);
	if (streams_have_offsets)
		position_settle();
	aborting = *call;
	aborting.turn = NULL;
	note_return(call);
	abort_message_record(call);
	/* A signal that is ignored comes again with the default action. */
	if (sys_forbidden || process_is_borrowed() ||
		next_sigaction(SIGABRT, NULL, &found) != 0 ||
		(!is_default(&found) && found.sa_handler != SIG_IGN &&
			!is_blocked_for_good()))
		return;
	value = (int64_t)SIGABRT | (int64_t)(SI_TKILL & 0xff) << 8 |
		(int64_t)process.pid << 16;
	life_note(BINLOG_TEXT_SIGNAL, value);
	unseen_tell(call);
	capture_event(call, 0, BINLOG_TEXT_SIGNAL, value);
	site_tell_suppressed(call);
}
