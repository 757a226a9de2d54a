#include <sys/mman.h>

#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/record/site.h"
#include "shim/record/unseen.h"
#include "shim/writer/life.h"
#include "shim/writer/ownership.h"
#include "shim/writer/position.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * The ways out of a program that exit() does not take.  Nothing of a record is
 * left to be done; but that the process has taken one, and how much was said,
 * has to be known to others.
 */

void leave_descriptor(const struct call *call, int fd)
{
	int kept = errno;

	if (fd >= 0 && streams_have_offsets && !process_is_borrowed())
		unseen_tell_descriptor(call, fd);
	errno = kept;
}

/* A child of vfork that goes is not the process that we write for. */
static void note(const struct call *call, unsigned text, int64_t value)
{
	if (streams_have_offsets)
		position_settle();
	streams_share(); /* for whom it has borrowed the memory of */
	if (process_is_borrowed())
		return;
	ownership_wait();
	map_settle(call);
	life_note(text, value);
	/* What is executed looks at the same files. */
	if (text != BINLOG_TEXT_EXECUTE || writer_has_spoken())
		unseen_tell(call);
	site_tell_suppressed(call);
	if (writer_has_spoken())
		capture_event(call, 0, text, value);
}

/* There is a way back only from a program that could not be executed. */
static int come_back(int result)
{
	int kept = errno;

	if (!process_is_borrowed()) {
		ownership_go_on();
		life_note(0, 0);
	}
	errno = kept;
	return result;
}

_Noreturn void leave_exit(
	const struct call *call, int status, void (*next)(int))
{
	/* A silent child has nothing to note, and should not have to look at
	 * any more of our memory to find that out. */
	if (process_is_itself()) {
		note(call, BINLOG_TEXT_LEFT, status);
		life_let_tell();
	}
	next(status);
	__builtin_unreachable();
}

/* What the calling thread takes with it is the process. */
static bool is_last_thread(void)
{
	struct stat tasks;

	/* "." and ".." are links, too. */
	return host_is_single_threaded() ||
	       (!sys_failed(SYS4(
			newfstatat, AT_FDCWD, "/proc/self/task", &tasks, 0)) &&
		       tasks.st_nlink == 3);
}

void leave_thread(const struct call *call, int status)
{
	if (process_is_itself() && is_last_thread())
		note(call, BINLOG_TEXT_LEFT, status);
}

int leave_execute(const struct call *call, const char *path, char *const *argv,
	char *const *environment,
	int (*next)(const char *, char *const *, char *const *))
{
	note(call, BINLOG_TEXT_EXECUTE, 0);
	return come_back(next(path, argv, environment));
}

int leave_execute_here(const struct call *call, const char *path,
	char *const *argv, int (*next)(const char *, char *const *))
{
	note(call, BINLOG_TEXT_EXECUTE, 0);
	return come_back(next(path, argv));
}

int leave_execute_at(const struct call *call, int directory, const char *path,
	char *const *argv, char *const *environment, int flags)
{
	note(call, BINLOG_TEXT_EXECUTE, 0);
	return come_back((int)next_syscall(
		SYS_execveat, directory, path, argv, environment, flags));
}

int leave_execute_open(const struct call *call, int fd, char *const *argv,
	char *const *environment)
{
	note(call, BINLOG_TEXT_EXECUTE, 0);
	return come_back(next_fexecve(fd, argv, environment));
}

/* ---- arguments one by one: libc makes the call out of itself ---- */

#define WORDS_FEW 256u

/* The null pointer at their end is one of them. */
static size_t count_words(const char *first, va_list ap)
{
	size_t count = 1;

	if (!first)
		return count;
	while (va_arg(ap, const char *))
		count++;
	return count + 1;
}

int leave_execute_words(const struct call *call, enum leave_words kind,
	const char *path, const char *first, va_list ap)
{
	char *few[WORDS_FEW];
	char **words = few;
	size_t count;
	va_list look;
	long large = 0;
	int result, kept;

	va_copy(look, ap);
	count = count_words(first, look);
	va_end(look);
	if (count > WORDS_FEW) {
		large = SYS6(mmap, 0, count * sizeof(*words),
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
		if (sys_failed(large)) {
			errno = ENOMEM;
			return -1;
		}
		words = (char **)large;
	}
	/* As libc does it: what is executed gets them as they are. */
	words[0] = (char *)(uintptr_t)first;
	for (size_t i = 1; i < count; i++)
		words[i] = va_arg(ap, char *);
	if (kind == LEAVE_WORDS_ENVIRONMENT)
		result = leave_execute(call, path, words,
			va_arg(ap, char *const *), next_execve);
	else
		result = leave_execute_here(call, path, words,
			kind == LEAVE_WORDS_PATH ? next_execvp : next_execv);
	kept = errno;
	if (large)
		SYS2(munmap, large, count * sizeof(*words));
	errno = kept;
	return result;
}
