#include "shim/control/process.h"

#include "shim/file/capture_file.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/sys.h"

struct process process = {
	.depth = 16,
	.max_bytes = (uint64_t)1 << 30,
	.name = "",
	.strings = "",
};
uint32_t process_reloads;

enum { NEW, ARMING, RECORDING, INERT };

static int state = NEW;

bool process_begins(void)
{
	int expected = NEW;

	return __atomic_compare_exchange_n(&state, &expected, ARMING, false,
		__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void process_has_begun(bool recording)
{
	__atomic_store_n(
		&state, recording ? RECORDING : INERT, __ATOMIC_RELEASE);
}

bool process_is_armed(void)
{
	return __atomic_load_n(&state, __ATOMIC_ACQUIRE) >= RECORDING;
}

bool process_is_recording(void)
{
	return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == RECORDING;
}

bool process_is_borrowed(void)
{
	return process_is_recording() && arena_is_marked() && !sys_forbidden &&
	       process.pid != (uint32_t)SYS0(getpid);
}

_Static_assert(sizeof(struct process_self) <= ARENA_ROOT_BYTES, "");

struct process_self *process_self(void)
{
	return arena_root();
}

bool process_is_founder(void)
{
	return arena_is_marked() && !process.forked;
}

bool process_owns_capture(void)
{
	return arena_is_marked() &&
	       ((!process.forked && !process.joined) || process.spilled);
}

/*
 * Whose memory this is.  In a child of vfork libc has the number of the thread
 * that waits for it, which is also that of the thread's clock.  In one that was
 * cloned by its number, too: process_is_child().
 */
static uint32_t owner_of_memory(void)
{
	clockid_t clock;

	if (host_pthread_getcpuclockid(host_pthread_self(), &clock) != 0 ||
		~(clock >> 3) == (clockid_t)SYS0(gettid))
		return (uint32_t)SYS0(getpid);
	return (uint32_t)SYS0(getppid);
}

static void follow(uint32_t pid)
{
	process.pid = pid;
	process.forked = true;
	process.spilled = false;
	capture_file_is_child();
	arena_mark();
	control_follow_fork();
}

void process_follow_fork(void)
{
	if (!arena_is_marked())
		follow(sys_forbidden ? process.pid : owner_of_memory());
}

void process_is_child(void)
{
	if (process_is_recording() && !arena_is_marked())
		follow(sys_forbidden ? process.pid : (uint32_t)SYS0(getpid));
}

/* Of this process; before it has one, of that it was forked from. */
static uint32_t latest;

void process_spills(bool spoke)
{
	struct process_self *self = process_self();

	process.spilled = true;
	__atomic_store_n(&latest, 0, __ATOMIC_RELAXED);
	self->parent = 0;
	if (spoke)
		self->fork = 0; /* what was inherited is there */
	__atomic_store_n(&self->described, false, __ATOMIC_RELAXED);
	__atomic_store_n(&self->number, 0, __ATOMIC_RELEASE);
}

void process_enumerate(uint32_t writer)
{
	struct process_self *self = process_self();
	uint32_t none = 0;
	uint32_t parent = __atomic_load_n(&latest, __ATOMIC_RELAXED);

	if ((!process.forked && !process.joined) || process.spilled ||
		__atomic_load_n(&self->number, __ATOMIC_RELAXED) ||
		!__atomic_compare_exchange_n(&self->number, &none, writer + 1,
			false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	/* A program that was executed is nobody's child but its own. */
	self->parent = process.joined && !parent ? writer + 1 : parent;
	__atomic_store_n(&latest, writer + 1, __ATOMIC_RELAXED);
}

uint32_t process_describe(struct binlog_process_record *record)
{
	/* A forked child has the rest from its parent. */
	uint32_t bytes =
		process.forked ? process.argument_bytes : process.strings_bytes;
	uint32_t size = (uint32_t)sizeof(*record) + ((bytes + 3) & ~3u);

	if (record) {
		record->pid = process.pid;
		record->ppid = (uint32_t)SYS0(getppid);
		record->uid = (uint32_t)SYS0(getuid);
		record->argc = process.arguments;
		record->bytes = bytes;
		record->parent = process_self()->parent;
		record->fork = process_self()->fork;
		bytes_copy(record + 1, process.strings, bytes);
	}
	return size;
}
