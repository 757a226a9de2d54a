#include <sched.h>
#include <sys/syscall.h>

#include "record/hash.h"
#include "shim/host/arena.h"
#include "shim/host/clock.h"
#include "shim/host/sys.h"
#include "shim/start/startup.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/writer/origin.h"
#include "shim/writer/ownership.h"
#include "shim/writer/position.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * The ways to make a child.  It finds its own memory empty (shim/host/arena.h),
 * by whatever call it was made; here is only what it inherits of the text that
 * FILEs hold back, for the replay.
 */

/* What is known before, and has to be known after. */
struct birth {
	uint64_t number; /* of the FORK event; 0: nothing is held back */
	bool inside;	 /* a handler forks that has interrupted a call */
};

/* Any two differ, of all threads of all processes that share a capture. */
static uint64_t new_number(const struct call *call)
{
	uint64_t number = binlog_hash_word(clock_ticks(), process.pid);

	return binlog_hash_word(number, call->sp) | 1;
}

/*
 * What macros have put into buffers has been said once, not by both; what is
 * held back is inherited.  So is what another thread is just putting into one:
 * natively a fork touches no buffer, and waits for nobody.
 */
static struct birth before(const struct call *call)
{
	struct birth birth = {0, writer_before_fork()};

	origin_before_fork(call);
	streams_share();
	state_follow(call);
	stdio_buffer_drain_own(call);
	position_settle();
	if (!streams_hold_back() && !state_buffers_changed)
		return birth;
	birth.number = new_number(call);
	if (!capture_event(call, 0, BINLOG_TEXT_FORK, (int64_t)birth.number))
		birth.number = 0;
	return birth;
}

static void after(const struct birth *birth, bool child)
{
	if (!child)
		origin_after_fork();
	if (birth->inside)
		writer_after_fork(child);
	if (!child || !birth->number)
		return;
	/* Now, while it is sure who we are: the first to record something may
	 * be a child of vfork, which is another process in our memory. */
	process_is_child();
	process_self()->fork = birth->number;
}

/* ---- what pthread_atfork(3) has registered ---- */

/*
 * Natively a child inherits what the handlers before a fork have printed, and
 * those after it find in their buffers what was there.  So what is known before
 * has to be known between the two kinds: by handlers of ours, which were there
 * before those of all others and are therefore the last before a fork and the
 * first after it.
 */
struct making {
	const struct call *call;
	struct birth birth;
	bool begun;
	bool ended;
	struct making *outer; /* one of whose handlers makes this one */
};

static __thread struct making *making;
static bool has_handlers;

static void handle_before(void)
{
	struct making *m = making;

	if (!m || m->begun)
		return;
	m->birth = before(m->call);
	m->begun = true;
}

static void handle_after(bool child)
{
	struct making *m = making;

	if (!m || !m->begun || m->ended)
		return;
	after(&m->birth, child);
	m->ended = true;
}

static void handle_parent(void)
{
	handle_after(false);
}

static void handle_child(void)
{
	handle_after(true);
}

int fork_register(void (*prepare)(void), void (*parent)(void),
	void (*child)(void), void *library)
{
	static bool begun;
	/* Ours stay when the library of others is unloaded. */
	static char ours;

	if (!__atomic_exchange_n(&begun, true, __ATOMIC_RELAXED) &&
		next___register_atfork(
			handle_before, handle_parent, handle_child, &ours) == 0)
		__atomic_store_n(&has_handlers, true, __ATOMIC_RELAXED);
	return next___register_atfork(prepare, parent, child, library);
}

/* `handled`: by a function that calls handlers. */
static void begin(struct making *m, const struct call *call, bool handled)
{
	*m = (struct making){.call = call, .outer = making};
	if (!handled || !__atomic_load_n(&has_handlers, __ATOMIC_RELAXED)) {
		m->birth = before(call);
		m->begun = true;
	}
	making = m;
}

static void end(const struct making *m, bool child)
{
	making = m->outer;
	if (!m->ended)
		after(&m->birth, child);
}

/* Such a child has nothing to do, and a silent one never gets here: each page
 * of ours that it looks at costs it as much as a small system call. */
bool fork_is_plain(void)
{
	streams_share();
	if (!startup_begun || writer_is_inside() || arena_is_kept() ||
		state_buffers_changed || stdio_buffer_is_used() ||
		__atomic_load_n(&has_handlers, __ATOMIC_RELAXED) ||
		streams_hold_back())
		return false;
	position_settle();
	return true;
}

pid_t fork_plainly(uintptr_t pc, uintptr_t sp, uintptr_t fp,
	const char *function, pid_t (*next)(void))
{
	const struct call call = {
		.pc = pc, .sp = sp, .fp = fp, .function = function};
	pid_t pid;

	origin_before_fork(&call);
	pid = next();
	if (pid != 0)
		origin_after_fork();
	return pid;
}

pid_t fork_make(const struct call *call, pid_t (*next)(void))
{
	struct making m;
	pid_t pid;

	begin(&m, call, next != next__Fork);
	pid = next();
	end(&m, pid == 0);
	return pid;
}

static int failed(long result)
{
	errno = (int)-result;
	return -1;
}

/* Of /dev/null: major 1, minor 3, as the kernel puts them together. */
#define NULL_DEVICE 0x103

/* 0, 1 and 2 become the null device, if that is one. */
static int discard_outputs(void)
{
	long fd = SYS4(openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
	long result = fd;
	struct stat st;

	/* Every glibc closes what it could not open, and that is what it says. */
	if (sys_failed(fd))
		return failed(-EBADF);
	result = SYS2(fstat, fd, &st);
	if (!sys_failed(result) &&
		(!S_ISCHR(st.st_mode) || st.st_rdev != NULL_DEVICE))
		result = -ENODEV;
	streams_forget_range(0, 2);
	for (int to = 0; !sys_failed(result) && to <= 2; to++)
		if (fd != to)
			SYS3(dup3, fd, to, 0);
	streams_forget_range(0, 2);
	if (fd > 2 || sys_failed(result))
		SYS1(close, fd);
	return sys_failed(result) ? failed(result) : 0;
}

/*
 * As in glibc (misc/daemon.c), whose parent would end where nobody sees it: it
 * would be taken for one that was cut off.
 */
int fork_daemon(const struct call *call, int stay, int keep)
{
	pid_t pid = fork_is_plain() ? fork_plainly(call->pc, call->sp, call->fp,
					      call->function, next_fork)
				    : fork_make(call, next_fork);
	long result;

	if (pid < 0)
		return -1;
	if (pid > 0)
		leave_exit(call, 0, next__exit);
	result = SYS0(setsid);
	if (sys_failed(result))
		return failed(result);
	if (!stay)
		SYS1(chdir, "/");
	return keep ? 0 : discard_outputs();
}

/* This opens a terminal as 0, 1 and 2 inside libc. */
pid_t fork_terminal(const struct call *call, int *master, char *name,
	const struct termios *settings, const struct winsize *size)
{
	struct making m;
	pid_t pid;

	begin(&m, call, true);
	pid = next_forkpty(master, name, settings, size);
	end(&m, pid == 0);
	if (pid == 0)
		streams_forget_range(0, 2);
	return pid;
}

/*
 * A child in the same memory.  Of vfork nothing need be known: its thread
 * waits for it.  But two at a time must not take each other for themselves.
 */
static void share(uint64_t flags)
{
	streams_share();
	if (!(flags & (CLONE_VFORK | CLONE_SETTLS)))
		ownership_share();
}

/* What either of them does to its descriptors is done to the other's, who does
 * not hear of it. */
static void share_descriptors(uint64_t flags)
{
	if (flags & CLONE_FILES && !(flags & CLONE_VM))
		streams_forget_always();
}

struct clone_start {
	int (*function)(void *);
	void *argument;
	struct birth birth;
};

static int start_clone(void *start)
{
	const struct call call = CAPTURE_CALL("clone", NULL);
	const struct clone_start *its = start;
	int status;

	after(&its->birth, true);
	process_is_child();
	status = its->function(its->argument);
	/* libc takes this for its status. */
	stdio_buffer_catch_up(&call);
	leave_thread(&call, status);
	return status;
}

int fork_clone(const struct call *call, int (*function)(void *), void *stack,
	int flags, void *argument, va_list ap)
{
	/* Whatever they are where the flags do not ask for them. */
	pid_t *parent = va_arg(ap, pid_t *);
	void *tls = va_arg(ap, void *);
	pid_t *child = va_arg(ap, pid_t *);
	struct clone_start start = {function, argument, {0, false}};
	int result;

	share_descriptors((uint64_t)flags);
	if (flags & CLONE_VM)
		share((uint64_t)flags);
	if (flags & CLONE_VM || !function || !stack)
		return next_clone(
			function, stack, flags, argument, parent, tls, child);
	start.birth = before(call);
	result = next_clone(
		start_clone, stack, flags, &start, parent, tls, child);
	after(&start.birth, false);
	return result;
}

/* The flags of what makes a process, as clone(2) has them; else 0. */
static uint64_t clone_flags(long number, long first)
{
	switch (number) {
#ifdef SYS_fork
	case SYS_fork:
		return SIGCHLD;
#endif
	case SYS_clone:
		return (uint64_t)first;
	case SYS_clone3: /* struct clone_args begins with them */
		return sys_is_readable((const void *)first)
			       ? *(const uint64_t *)first | SIGCHLD
			       : 0;
	default:
		return 0;
	}
}

long fork_syscall(const struct call *call, long number, va_list ap)
{
	struct birth birth;
	uint64_t flags;
	va_list look;
	long result;

	va_copy(look, ap);
	flags = clone_flags(number, va_arg(look, long));
	va_end(look);
	share_descriptors(flags);
	if (flags & CLONE_VM)
		share(flags);
	if (flags == 0 || flags & CLONE_VM)
		return lockdown_syscall(number, ap);
	birth = before(call);
	result = lockdown_syscall(number, ap);
	after(&birth, result == 0);
	if (result == 0)
		process_is_child();
	return result;
}

/* What has been said so far comes before what it says, what is said from now
 * on comes after that. */
void fork_program(const struct call *call)
{
	stdio_buffer_catch_up(call);
	streams_share();
	/* It may ask where the output stands. */
	if (streams_have_offsets)
		position_settle();
}
