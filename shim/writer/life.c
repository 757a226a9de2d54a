#include "shim/writer/life.h"

#include <linux/futex.h>

#include "shim/control/control.h"
#include "shim/control/process.h"
#include "shim/file/capture_file.h"
#include "shim/host/above.h"
#include "shim/host/bytes.h"
#include "shim/host/environment.h"
#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/writer/patience.h"
#include "shim/writer/ring_trigger.h"

#define PARENT "BINLOG_PARENT"
/* So many digits always: a value takes the place of the one before. */
#define DIGITS 8

/* What libc calls when it unwinds the whole stack of this thread. */
static __thread struct _pthread_cleanup_buffer farewell;
static __thread bool is_watched, has_ended;

static const char *first_thread;
static bool is_watched_for; /* its end */

static struct binlog_founder *page_of(struct binlog_header *header)
{
	return (struct binlog_founder *)((char *)header +
					 BINLOG_FOUNDER_OFFSET);
}

static struct binlog_founder *page(void)
{
	return page_of(capture_file_header);
}

/* The link says "pid:[INODE]"; to follow it takes longer. */
uint64_t life_pid_namespace(void)
{
	char link[32] = "";
	const char *number = link + sizeof("pid:[") - 1;
	uint64_t inode;

	SYS4(readlinkat, AT_FDCWD, "/proc/self/ns/pid", link, sizeof(link) - 1);
	return bytes_starts(link, "pid:[") && bytes_number(&number, 10, &inode)
		       ? inode
		       : 0;
}

/*
 * Who has executed this program may be a child that says nothing, and a child
 * of such a child; so everyone who makes a capture leaves its number to its
 * heirs.  And each program leaves its own one, and in which namespace that is:
 * whose parent has this number, or who has it, is in the same; to ask the
 * kernel takes 10 us.
 */
enum { ANCESTOR, SELF, NAMESPACE, NUMBERS };

static uint32_t heritage[NUMBERS];
static uint32_t ppid;

static void read_heritage(void)
{
	const char *value = environment_get(PARENT);
	uint64_t number;

	if (!value || bytes_length(value) != NUMBERS * DIGITS)
		return;
	for (int i = 0; i < NUMBERS; i++, value += DIGITS) {
		char digits[DIGITS + 1] = {0};
		const char *at = digits;

		bytes_copy(digits, value, DIGITS);
		heritage[i] = bytes_number(&at, 16, &number) && !*at
				      ? (uint32_t)number
				      : 0;
	}
}

static void leave_heritage(const uint32_t numbers[NUMBERS])
{
	char text[NUMBERS * DIGITS + 1] = {0};

	for (int i = 0; i < NUMBERS * DIGITS; i++)
		text[i] = "0123456789abcdef"[numbers[i / DIGITS] >>
						     (DIGITS - 1 - i % DIGITS) *
							     4 &
					     0xf];
	environment_overwrite(PARENT "=", text);
}

uint64_t life_inherit(void)
{
	ppid = (uint32_t)SYS0(getppid);
	read_heritage();
	if (heritage[NAMESPACE] == 0 ||
		(heritage[SELF] != ppid && heritage[SELF] != process.pid))
		heritage[NAMESPACE] = (uint32_t)life_pid_namespace();
	return heritage[NAMESPACE];
}

/* By binlog-run, which names the process that it becomes: not its children. */
static bool end_is_watched(void)
{
	const char *value = environment_get("BINLOG_WATCHED");
	uint64_t number;

	return value && bytes_number(&value, 10, &number) && !*value &&
	       number == process.pid;
}

void life_begin(void)
{
	is_watched_for = end_is_watched();
	first_thread = sys_thread_pointer();
	page()->ppid = ppid;
	page()->ancestor = heritage[ANCESTOR];
	page()->pid_namespace = heritage[NAMESPACE];
	page()->libc = host_libc_version;
	leave_heritage((const uint32_t[NUMBERS]){
		process.pid, process.pid, heritage[NAMESPACE]});
}

void life_join(void)
{
	first_thread = sys_thread_pointer();
	leave_heritage((const uint32_t[NUMBERS]){
		heritage[ANCESTOR], process.pid, heritage[NAMESPACE]});
}

/* The latest, of that process. */
static struct {
	uint32_t pid;
	unsigned text;
	int64_t value;
} noted;

bool life_is_over(void)
{
	return noted.text != 0 && noted.pid == process.pid;
}

void life_go_on(struct binlog_header *next)
{
	struct binlog_founder *to = page_of(next);

	/* Who watches looks at the page that is left. */
	is_watched_for = false;
	*to = *page();
	to->end = life_is_over() ? noted.text : 0;
	to->end_value = life_is_over() ? (uint64_t)noted.value : 0;
	if (process_owns_capture())
		return;
	to->ppid = (uint32_t)SYS0(getppid);
	to->ancestor = capture_file_header->pid;
}

void life_note(unsigned text, int64_t value)
{
	if (!capture_file_header)
		return;
	ring_trigger_end(text, value);
	patience_suspend(text != 0);
	noted.text = 0;
	noted.pid = process.pid;
	noted.value = value;
	noted.text = text;
	if (!process_owns_capture())
		return;
	page()->end_value = (uint64_t)value;
	__atomic_store_n(&page()->end, text, __ATOMIC_RELEASE);
}

/*
 * A thread keeps its memory above its stack, so that this one seems to have
 * been pushed before all others: it is called last, and dropped by nobody who
 * jumps.  Once, since libc has a list of them.
 */
void life_watch_thread(void)
{
	if (is_watched || sys_thread_pointer() == first_thread)
		return;
	is_watched = true;
	host__pthread_cleanup_push(&farewell, above.thread_unwinds, NULL);
}

void life_thread_ends(void)
{
	has_ended = true;
}

bool life_thread_has_ended(void)
{
	return has_ended;
}

enum { STEP_NS = 10000000, STEPS_TO_SEE = 20, STEPS_TO_TELL = 200 };

/* While that is its value; a signal counts as a step, so this has an end. */
static void wait_while(uint32_t *telling, uint32_t value, unsigned steps)
{
	static const struct timespec step = {0, STEP_NS};

	while (steps-- > 0 &&
		__atomic_load_n(telling, __ATOMIC_ACQUIRE) == value)
		if (SYS4(futex, telling, FUTEX_WAIT, value, &step) == -EPERM)
			return;
}

void life_let_tell(void)
{
	uint32_t *telling;

	if (!is_watched_for || !capture_file_header ||
		!process_owns_capture())
		return;
	is_watched_for = false;
	telling = &switches_of(capture_file_header)->telling;
	__atomic_store_n(telling, TELLING_ENDS, __ATOMIC_RELEASE);
	SYS3(futex, telling, FUTEX_WAKE, 1);
	wait_while(telling, TELLING_ENDS, STEPS_TO_SEE);
	wait_while(telling, TELLING_SEEN, STEPS_TO_TELL);
}
