/*
 * What the rows of functions.def do.  Each handler asks the policy where the
 * text would go, and either records it and computes what the function would
 * have returned, or makes the call natively; with `tee`, both.  They hold to
 * the contract of the function that they stand for, errno included.
 */
#ifndef WRAPPERS_HANDLERS_H
#define WRAPPERS_HANDLERS_H

#include <getopt.h>
#include <locale.h>
#include <printf.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <syslog.h>
#include <termios.h>
#include <threads.h>
#include <wchar.h>

#include "shim/record/capture.h"

/* print.c: `chk` is the flag of a _chk function, 0 for the others. */
int print_file(const struct call *call, FILE *file, int chk, const char *format,
	va_list ap);
int print_descriptor(const struct call *call, int fd, int chk,
	const char *format, va_list ap);

/* put.c: the last parameter is what a call is passed on to. */
int put_line(const struct call *call, const char *s);
int put_string(const struct call *call, const char *s, FILE *file,
	int (*next)(const char *, FILE *));
size_t put_block(const struct call *call, const void *p, size_t size,
	size_t count, FILE *file,
	size_t (*next)(const void *, size_t, size_t, FILE *));
int put_character(
	const struct call *call, int c, FILE *file, int (*next)(int, FILE *));
int put_word(const struct call *call, int word, FILE *file);
int put_overflow(const struct call *call, FILE *file, int c);

/* wide.c: wide text is recorded with types where a narrow printf would make
 * the same of it, otherwise as the bytes that it makes. */
int wide_print(const struct call *call, FILE *file, int chk,
	const wchar_t *format, va_list arguments);
wint_t wide_character(const struct call *call, wchar_t c, FILE *file,
	wint_t (*next)(wchar_t, FILE *));
int wide_string(const struct call *call, const wchar_t *s, FILE *file,
	int (*next)(const wchar_t *, FILE *));

/* write.c */
ssize_t write_bytes(
	const struct call *call, int fd, const void *p, size_t size);
ssize_t write_vector(
	const struct call *call, int fd, const struct iovec *v, int count);

/* transfer.c: what the kernel would copy to an output by itself */
ssize_t transfer_sendfile(
	const struct call *call, int out, int in, off64_t *offset, size_t size);
ssize_t transfer_copy_file_range(const struct call *call, int in,
	off64_t *in_offset, int out, off64_t *out_offset, size_t size,
	unsigned flags);
ssize_t transfer_splice(const struct call *call, int in, off64_t *in_offset,
	int out, off64_t *out_offset, size_t size, unsigned flags);
ssize_t transfer_tee(
	const struct call *call, int in, int out, size_t size, unsigned flags);
ssize_t transfer_vmsplice(const struct call *call, int out,
	const struct iovec *v, size_t count, unsigned flags);

/* socket.c */
struct mmsghdr;

ssize_t socket_send(const struct call *call, int fd, const void *p, size_t size,
	int flags, const struct sockaddr *to, socklen_t to_size);
ssize_t socket_message(const struct call *call, int fd,
	const struct msghdr *message, int flags);
int socket_messages(const struct call *call, int fd, struct mmsghdr *messages,
	unsigned count, int flags);

/* asynchronous.c */
struct aiocb;
struct open_how;

int asynchronous_write(const struct call *call, struct aiocb *request);
int asynchronous_list(const struct call *call, int mode,
	struct aiocb *const *list, int count, struct sigevent *event);

/* descriptor.c: `fd` is new, or -1, and given back. */
int descriptor_new(int fd);
int descriptor_control(const struct call *call, int fd, int command,
	void *argument, int (*next)(int, int, ...));

/* report.c: those with a status do not return when it is not 0. */
void report_errno(const struct call *call, const char *s);
void report_warn(const struct call *call, const char *format, va_list ap);
void report_warnx(const struct call *call, const char *format, va_list ap);
_Noreturn void report_err(
	const struct call *call, int status, const char *format, va_list ap);
_Noreturn void report_errx(
	const struct call *call, int status, const char *format, va_list ap);
/* complaint.c: likewise */
void complaint_error(const struct call *call, int status, int number,
	const char *format, va_list ap);
void complaint_error_at_line(const struct call *call, int status, int number,
	const char *name, unsigned line, const char *format, va_list ap);

/* internal.c: what glibc prints to a FILE by itself */
int internal_getopt(const struct call *call, int argc, char *const *argv,
	const char *options, int (*next)(int, char *const *, const char *));
int internal_getopt_long(const struct call *call, int argc, char *const *argv,
	const char *options, const struct option *longs, int *index,
	int (*next)(int, char *const *, const char *, const struct option *,
		int *));
void internal_psignal(const struct call *call, int number, const char *s);
void internal_malloc_stats(const struct call *call);
int internal_malloc_info(const struct call *call, int options, FILE *file);
int internal_number(const struct call *call, FILE *file,
	const struct printf_info *info, const void *const *arguments,
	int (*next)(FILE *, const struct printf_info *, const void *const *));
int internal_entry(const struct call *call, const void *entry, FILE *file,
	int (*next)(const void *, FILE *));
int internal_fmtmsg(const struct call *call, long classification,
	const char *label, int severity, const char *text, const char *action,
	const char *tag);
char *internal_getpass(const struct call *call, const char *prompt);
int internal_wordexp(
	const struct call *call, const char *words, void *expansion, int flags);
int internal_ruserpass(const struct call *call, const char *host,
	const char **name, const char **password);

/* Where rcmd(3) and rexec(3) go to, and as whom. */
struct internal_remote {
	char **host;
	int port;
	unsigned short family;
	const char *local_user; /* of rcmd only */
	const char *user;
	const char *password; /* of rexec only */
};

int internal_rcmd(const struct call *call, const struct internal_remote *r,
	const char *command, int *error_fd);
int internal_rexec(const struct call *call, const struct internal_remote *r,
	const char *command, int *error_fd);

/* direct.c: what glibc writes to a descriptor, or flushes, by itself */
void direct_herror(const struct call *call, const char *s);
void direct_psiginfo(
	const struct call *call, const siginfo_t *info, const char *s);
void direct_backtrace_symbols(
	const struct call *call, void *const *frames, int count, int fd);
int direct_addmntent(const struct call *call, FILE *file, const void *entry);

/* argp_call.c */
struct argp;
struct argp_state;

int argp_call_parse(const struct call *call, const struct argp *argp, int argc,
	char **argv, unsigned flags, int *index, void *input);
void argp_call_help(const struct call *call, const struct argp *argp,
	FILE *file, unsigned flags, char *name);
void argp_call_state_help(const struct call *call,
	const struct argp_state *state, FILE *file, unsigned flags);
void argp_call_usage(const struct call *call, const struct argp_state *state);
void argp_call_error(const struct call *call, const struct argp_state *state,
	const char *format, va_list ap);
void argp_call_failure(const struct call *call, const struct argp_state *state,
	int status, int number, const char *format, va_list ap);

/* syslog.c */
void syslog_message(const struct call *call, int priority, int chk,
	const char *format, va_list ap);
void syslog_open(const char *name, int option, int facility);
void syslog_close(void);
int syslog_mask(int mask);

/* Bit n: messages of priority n are neither recorded nor sent. */
extern HIDDEN uint32_t syslog_off;

static inline bool syslog_is_off(int priority)
{
	return !(priority & ~(LOG_PRIMASK | LOG_FACMASK)) &&
	       __atomic_load_n(&syslog_off, __ATOMIC_RELAXED) >>
			       LOG_PRI(priority) &
		       1;
}

/* seek.c */
off64_t seek_descriptor(
	const struct call *call, int fd, off64_t offset, int whence);
int seek_file(const struct call *call, FILE *file, off64_t offset, int whence);
void seek_rewind(const struct call *call, FILE *file);
off64_t seek_tell(const struct call *call, FILE *file);
int seek_get(const struct call *call, FILE *file, fpos64_t *position);
int seek_set(const struct call *call, FILE *file, const fpos64_t *position);
int seek_truncate(const struct call *call, int fd, off64_t size);
int seek_truncate_path(const struct call *call, const char *path, off64_t size);
/* fallocate(), and posix_fallocate(), which returns what is wrong. */
int seek_allocate(const struct call *call, int fd, int mode, off64_t offset,
	off64_t size);
int seek_allocate_surely(
	const struct call *call, int fd, off64_t offset, off64_t size);

/*
 * map.c: pass() makes the call and nothing else; settle() records what was
 * stored to outputs that are mapped; follow(): such a file became longer.
 */
extern HIDDEN bool map_any; /* some output is */
void *map_pass(void *address, size_t size, int protection, int flags, int fd,
	off64_t offset);
int map_pass_close(void *address, size_t size);
void *map_open(const struct call *call, void *address, size_t size,
	int protection, int flags, int fd, off64_t offset);
int map_close(const struct call *call, void *address, size_t size);
int map_sync(const struct call *call, void *address, size_t size, int flags);
void map_settle(const struct call *call);
void map_follow(unsigned stream);

/* Of mmap(): not of a file. */
static inline bool map_is_plain(int flags, int fd)
{
	return fd < 0 || flags & 0x20 /* MAP_ANONYMOUS */;
}

/* pending.c */
size_t pending_bytes(const struct call *call, FILE *file);
void pending_purge(const struct call *call, FILE *file);
size_t pending_buffer(FILE *file);

/* write_at.c: `flags` are those of pwritev2(). */
#define WRITE_AT_NO_FLAGS (-1) /* pwritev() */
ssize_t write_at(const struct call *call, int fd, const void *p, size_t size,
	off64_t offset);
ssize_t write_vector_at(const struct call *call, int fd, const struct iovec *v,
	int count, off64_t offset, int flags);

/* reopen.c: those that take the result of a call give it back. */
int reopen_descriptor(const struct call *call, int fd, int flags);
FILE *reopen_stdio(const struct call *call, FILE *file, const char *mode);
int reopen_open(const struct call *call, const char *path, int flags,
	va_list ap, int (*next)(const char *, int, ...));
int reopen_openat(const struct call *call, int directory, const char *path,
	int flags, va_list ap, int (*next)(int, const char *, int, ...));
int reopen_openat2(const struct call *call, int directory, const char *path,
	const struct open_how *how, size_t size);

/* fdopen(): may have the open file append. */
FILE *descriptor_file(const struct call *call, int fd, const char *mode,
	FILE *(*next)(int, const char *));

/* leave.c */
/* Before a descriptor is closed, or becomes another one: see unseen.h. */
void leave_descriptor(const struct call *call, int fd);
_Noreturn void leave_exit(
	const struct call *call, int status, void (*next)(int));
/* A thread ends by the system call, which is the end of the process if it is
 * the only one. */
void leave_thread(const struct call *call, int status);
int leave_execute(const struct call *call, const char *path, char *const *argv,
	char *const *environment,
	int (*next)(const char *, char *const *, char *const *));
int leave_execute_here(const struct call *call, const char *path,
	char *const *argv, int (*next)(const char *, char *const *));
int leave_execute_at(const struct call *call, int directory, const char *path,
	char *const *argv, char *const *environment, int flags);
int leave_execute_open(const struct call *call, int fd, char *const *argv,
	char *const *environment);

/* What the arguments one by one belong to: execl(), execlp(), execle(). */
enum leave_words {
	LEAVE_WORDS,
	LEAVE_WORDS_PATH,
	LEAVE_WORDS_ENVIRONMENT,
};

int leave_execute_words(const struct call *call, enum leave_words kind,
	const char *path, const char *first, va_list ap);

/* state.c: what is in the buffer is recorded; and that it is written.  False:
 * the descriptor is closed. */
void state_drain(const struct call *call, FILE *file);
bool state_settle(const struct call *call, FILE *file);
/*
 * Before all FILEs are flushed: descriptors of some are other outputs now, and
 * before a fork; some are outputs no more.  False: one of them is closed.
 */
void state_follow(const struct call *call);
bool state_drop_strays(const struct call *call);
int state_fflush(const struct call *call, FILE *file, int (*next)(FILE *));
void state_flush_lines(const struct call *call, void (*next)(void));
int state_setvbuf(const struct call *call, FILE *file, char *buffer, int mode,
	size_t size, int (*next)(FILE *, char *, int, size_t));
void state_setbuffer(const struct call *call, FILE *file, char *buffer,
	size_t size, void (*next)(FILE *, char *, size_t));
void state_setbuf(const struct call *call, FILE *file, char *buffer);
void state_setlinebuf(const struct call *call, FILE *file);
int state_fclose(const struct call *call, FILE *file, int (*next)(FILE *));
int state_fcloseall(const struct call *call);
FILE *state_freopen(const struct call *call, const char *path, const char *mode,
	FILE *file, FILE *(*next)(const char *, const char *, FILE *));
/* A FILE holds back by another buffer than at first. */
extern HIDDEN bool state_buffers_changed;
int state_close(int fd);
void state_closefrom(int first);
int state_close_range(unsigned first, unsigned last, int flags);
int state_dup2(const struct call *call, int from, int to);
int state_dup3(const struct call *call, int from, int to, int flags);
int state_login_tty(int fd);
int state_register(int result);
int state_cancel(pthread_t thread);
_Noreturn void state_exit_thread(void *value);
_Noreturn void state_exit_thrd(int value);
void state_flockfile(FILE *file);
int state_ftrylockfile(FILE *file);
int state_dlclose(void *handle);
char *state_setlocale(int category, const char *name);
locale_t state_uselocale(locale_t locale);

/* memory.c: `key` is that of pkey_mprotect(). */
#define MEMORY_NO_KEY INT_MIN /* mprotect() */
int memory_protect(void *address, size_t size, int protection, int key);
void *memory_attach(int id, const void *address, int flags);
sem_t *memory_semaphore(const char *name, int flags, va_list ap);

/*
 * input.c: before a call that reads, which is made natively after it.  Nothing
 * is done unless the call has to wait for new bytes: shows what waits for them
 * on a terminal, and records that libc flushes stdout, where it does.  Keeps
 * errno.  `end` ends a line, `size` is the most bytes of it.
 */
void input_byte(const struct call *call, const FILE *file);
void input_line(
	const struct call *call, const FILE *file, int end, size_t size);
void input_block(
	const struct call *call, const FILE *file, size_t size, size_t count);
void input_scan(const struct call *call, const FILE *file);
/* Up to `end`, or WEOF for one character. */
void input_wide(const struct call *call, const FILE *file, wint_t end);
void input_wide_scan(const struct call *call, const FILE *file);
void input_descriptor(int fd);
void input_password(const struct call *call);
/* After tcsetattr(): returns its result. */
int input_settings(int result);

/* last.c: `next` writes `text` to descriptor 2 and aborts. */
_Noreturn void last_abort(const struct call *call);
_Noreturn void last_assert(const struct call *call, const char *what,
	const char *file, unsigned line, const char *function);
_Noreturn void last_old_assert(
	const struct call *call, const char *what, const char *file, int line);
_Noreturn void last_assert_perror(const struct call *call, int number,
	const char *file, unsigned line, const char *function);
/*
 * A call of a _chk function that is not recorded: ends here if libc's would.
 * True: libc's will.
 */
bool last_refuse(const struct call *call, const char *format);
_Noreturn void last_fortify(
	const struct call *call, const char *text, void (*next)(void));

/* disposition.c */
int disposition_sigaction(
	int number, const struct sigaction *action, struct sigaction *old);
sighandler_t disposition_signal(int number, sighandler_t handler,
	sighandler_t (*next)(int, sighandler_t));
int disposition_siginterrupt(int number, int interrupt);

/* lockdown.c */
/* Before a call after which the path of the capture may lead nowhere. */
void lockdown_privileges(void);
int lockdown_unshare(int flags);
int lockdown_prctl(int option, va_list ap);
long lockdown_syscall(long number, va_list ap);

/* fork.c */
/* A fork needs nothing of us but to be made. */
bool fork_is_plain(void);
pid_t fork_plainly(uintptr_t pc, uintptr_t sp, uintptr_t fp,
	const char *function, pid_t (*next)(void));
pid_t fork_make(const struct call *call, pid_t (*next)(void));
/* `library`: with which the handlers go. */
int fork_register(void (*prepare)(void), void (*parent)(void),
	void (*child)(void), void *library);
int fork_daemon(const struct call *call, int stay, int keep);
pid_t fork_terminal(const struct call *call, int *master, char *name,
	const struct termios *settings, const struct winsize *size);
int fork_clone(const struct call *call, int (*function)(void *), void *stack,
	int flags, void *argument, va_list ap);
long fork_syscall(const struct call *call, long number, va_list ap);

/* create.c: the new thread does what was asked for, and with nothing of ours
 * on its stack. */
int create_thread(const struct call *call, pthread_t *thread,
	const pthread_attr_t *attributes, void *(*function)(void *),
	void *argument);
int create_thrd(const struct call *call, thrd_t *thread, thrd_start_t function,
	void *argument);
void create_coroutine(const ucontext_t *context);

/* system_call.c */
long system_call(const struct call *call, long number, va_list ap);
/* libc is about to run another program, which may print at once. */
void fork_program(const struct call *call);

/* What pidfd_spawn() returns: libc may have none, and then it is -1. */
static inline int fork_spawned(int result)
{
	return result < 0 ? ENOSYS : result;
}

#endif
