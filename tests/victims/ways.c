/*
 * ways WAY: says something by stdio, then by one way past it, then by stdio
 * again.  What the calls return is in the file "results".
 */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/victims/kernel.h"

static int results;

/* At the beginning of each way this was said, and stands in the output. */
static off_t start;

static void tell(long result)
{
	dprintf(results, "%ld %s\n", result,
		result < 0 ? strerrorname_np(errno) : "");
}
#define TELL(...)                                                              \
	do {                                                                   \
		errno = 0;                                                     \
		tell((long)(__VA_ARGS__));                                     \
	} while (0)

static int source(void)
{
	int fd = open("source", O_RDWR | O_CREAT | O_TRUNC, 0600);

	write(fd, "0123456789\n", 11);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static int full_pipe(void)
{
	int ends[2];

	pipe(ends);
	write(ends[1], "out of a pipe\n", 14);
	return ends[0];
}

static struct iovec vector[3] = {{"one ", 4}, {"", 0}, {"vector\n", 7}};

/* ---- by number ---- */

static void sys_write(void)
{
	TELL(syscall(SYS_write, 1, "by number\n", 10));
	TELL(syscall(SYS_write, 1, "", 0));
	TELL(syscall(SYS_write, 1, 8, 5));
	TELL(syscall(SYS_write, 99, "none\n", 5));
	TELL(syscall(SYS_write, 2, "error\n", 6));
}
static void sys_writev(void)
{
	TELL(syscall(SYS_writev, 1, vector, 3));
	TELL(syscall(SYS_writev, 1, vector, -1));
	TELL(syscall(SYS_pwritev, 1, vector, 3, start, 0));
	TELL(syscall(SYS_pwritev2, 1, vector, 3, -1l, 0, 0));
	TELL(syscall(SYS_pwritev2, 1, vector, 3, start + 2, 0, RWF_APPEND));
	TELL(syscall(SYS_pwritev2, 1, vector, 3, 0, 0, 1 << 20));
	TELL(syscall(SYS_pwrite64, 1, "there", 5, start + 3));
	TELL(syscall(SYS_pwrite64, 1, "there", 5, -3l));
}
static void sys_transfers(void)
{
	int fd = source(), in = full_pipe();
	off64_t at = 3, to = start + 1;

	TELL(syscall(SYS_sendfile, 1, fd, &at, 4));
	TELL(at);
	TELL(syscall(SYS_splice, in, NULL, 1, NULL, 7, 0));
	TELL(syscall(SYS_copy_file_range, fd, NULL, 1, NULL, 5, 0));
	TELL(syscall(SYS_copy_file_range, fd, NULL, 1, &to, 2, 0));
	TELL(to - start);
	TELL(syscall(SYS_vmsplice, 1, vector, 3, 0));
	TELL(syscall(SYS_tee, in, 1, 4, 0));
	TELL(syscall(SYS_splice, in, NULL, 1, NULL, 99, 0));
}
static void sys_descriptors(void)
{
	int other = syscall(SYS_openat, AT_FDCWD, "other", O_WRONLY | O_CREAT, 0600);
	int saved = syscall(SYS_dup, 1);
	int high = syscall(SYS_fcntl, 1, F_DUPFD, 200);

	syscall(SYS_write, high, "by a high one\n", 14);
	TELL(syscall(SYS_dup3, other, 1, 0));
	syscall(SYS_write, 1, "elsewhere\n", 10);
	printf("there, too\n");
	fflush(stdout);
	TELL(syscall(SYS_close, 1));
	TELL(syscall(SYS_write, 1, "nowhere\n", 8));
	TELL(syscall(SYS_fcntl, saved, F_DUPFD, 1));
	syscall(SYS_write, 1, "back\n", 5);
	TELL(syscall(SYS_close_range, high, high, 0));
	TELL(write(high, "gone\n", 5));
	TELL(high == fcntl(other, F_DUPFD, high));
	TELL(write(high, "in the file\n", 12));
}
static void sys_file(void)
{
	TELL(syscall(SYS_lseek, 1, 2, SEEK_SET) < 0);
	TELL(syscall(SYS_write, 1, "at 2\n", 5));
	TELL(syscall(SYS_ftruncate, 1, start + 9));
	TELL(syscall(SYS_lseek, 1, 0, SEEK_END) - start);
	TELL(syscall(SYS_fallocate, 1, 0, 0, start + 14));
	TELL(syscall(SYS_lseek, 1, 0, SEEK_END) - start);
}
static void sys_open(void)
{
	uint64_t how[3] = {O_WRONLY};
	int fd = syscall(437 /* openat2 */, AT_FDCWD, "/proc/self/fd/1", how, sizeof(how));

	TELL(fd > 2);
	lseek(fd, start, SEEK_SET); /* what was there before is nobody's text */
	TELL(write(fd, "two\n", 4));
	printf("three\n");
	fflush(stdout);
	TELL(write(fd, "four\n", 5));
	fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/fd/1", O_WRONLY | O_APPEND);
	TELL(write(fd, "five\n", 5));
}
static void sys_leave(void)
{
	printf("held back, and lost");
	syscall(SYS_exit_group, 7);
}
static void sys_execute(void)
{
	char *argv[] = {"echo", "executed", NULL};
	extern char **environ;

	TELL(syscall(SYS_execve, "/no/where", argv, environ));
	syscall(SYS_execve, "/bin/echo", argv, environ);
}
static ssize_t own(int fd, const void *p, size_t size)
{
	return syscall(SYS_write, fd, p, size);
}

/* ---- functions ---- */

static void asynchronous(void)
{
	struct aiocb a = {.aio_fildes = 1, .aio_buf = "AIO\n", .aio_nbytes = 4, .aio_offset = start};
	const struct aiocb *all[] = {&a};

	TELL(aio_write(&a));
	aio_suspend(all, 1, NULL);
	TELL(aio_error(&a));
	TELL(aio_return(&a));
	a.aio_offset = -4;
	TELL(aio_write(&a));
	aio_suspend(all, 1, NULL);
	TELL(aio_error(&a));
}
static volatile sig_atomic_t told, values;
static void on_signal(int number, siginfo_t *info, void *unused)
{
	told++;
	values += info->si_value.sival_int + info->si_code;
}
static volatile int from_thread;
static void in_thread(union sigval value)
{
	__atomic_store_n(&from_thread, value.sival_int, __ATOMIC_RELEASE);
}
static void list(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	struct aiocb a = {.aio_fildes = 1, .aio_buf = "first\n", .aio_nbytes = 6, .aio_offset = start,
		.aio_lio_opcode = LIO_WRITE};
	struct aiocb b = a, c = a;
	struct aiocb *all[] = {&a, NULL, &b, &c};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value = {5}};
	sigset_t mask, before;

	sigaction(SIGUSR1, &action, NULL);
	a.aio_sigevent = event;
	b.aio_buf = "second\n", b.aio_nbytes = 7, b.aio_offset += 6;
	b.aio_sigevent = (struct sigevent){.sigev_notify = SIGEV_THREAD,
		.sigev_notify_function = in_thread, .sigev_value = {99}};
	c.aio_fildes = source();
	c.aio_sigevent.sigev_notify = SIGEV_NONE;
	/* Else it interrupts who waits for the others. */
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigprocmask(SIG_BLOCK, &mask, &before);
	TELL(lio_listio(LIO_WAIT, all, 4, NULL));
	sigprocmask(SIG_SETMASK, &before, NULL);
	TELL(aio_return(&a));
	TELL(aio_return(&b));
	TELL(aio_return(&c));
	for (int i = 0; i < 2000 && (!told || !__atomic_load_n(&from_thread, __ATOMIC_ACQUIRE)); i++)
		usleep(1000);
	TELL(told);
	TELL(values);
	TELL(from_thread);
}
static void at_offsets(void)
{
	int fd = source(), in = full_pipe();
	off64_t from = 2, to = start + 1;

	TELL(copy_file_range(fd, &from, 1, &to, 3, 0));
	TELL(from);
	TELL(to - start);
	to = start + 9;
	TELL(splice(in, NULL, 1, &to, 4, 0));
	TELL(to - start);
	TELL(splice(in, NULL, 1, NULL, 4, 0));
	fd = open("/dev/zero", O_RDONLY);
	TELL(sendfile(1, fd, NULL, 10));
	TELL(sendfile(1, fd, NULL, 0));
}
static void pipes(void)
{
	int in = full_pipe(), fd = source();
	off64_t at = 1;

	TELL(tee(in, 1, 6, 0));
	TELL(splice(in, NULL, 1, NULL, 9, 0));
	TELL(splice(fd, NULL, 1, NULL, 4, 0));
	TELL(splice(fd, &at, 1, NULL, 4, 0));
	TELL(at);
	TELL(vmsplice(1, vector, 3, 0));
	TELL(splice(in, NULL, 1, NULL, 99, SPLICE_F_NONBLOCK));
	TELL(splice(in, NULL, 1, NULL, 99, SPLICE_F_NONBLOCK));
}
static void allocate(void)
{
	TELL(posix_fallocate(1, 0, start + 20));
	printf("two\n");
	fflush(stdout);
	if (!(fcntl(1, F_GETFL) & O_APPEND))
		TELL(fallocate(1, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start, 2));
	TELL(fallocate(1, FALLOC_FL_KEEP_SIZE, start, 99));
	TELL(fallocate(1, 0, start, 30));
	TELL(fallocate(1, 0, -1, 30));
	TELL(fallocate(1, 0x4000, 0, 30));
	TELL(posix_fallocate(1, 0, -1));
	TELL(lseek(1, 0, SEEK_END) - start);
}
static void flags(void)
{
	int now = fcntl(1, F_GETFL);

	TELL(fcntl(1, F_SETFL, now | O_APPEND));
	printf("b\n");
	fflush(stdout);
	lseek(1, 0, SEEK_SET);
	printf("c\n");
	fflush(stdout);
	TELL(fcntl(dup(1), F_SETFL, now & ~O_APPEND));
	lseek(1, start + 1, SEEK_SET);
	printf("d\n");
	fflush(stdout);
	fcntl(1, F_SETFL, now | O_NONBLOCK);
	printf("e\n");
}
static void files(void)
{
	FILE *file;

	lseek(1, start + 1, SEEK_SET);
	file = fdopen(dup(1), "a");
	printf("by one\n");
	fflush(stdout);
	fprintf(file, "by another\n");
	fclose(file);
	lseek(1, start + 1, SEEK_SET);
	printf("to the end\n");
	fflush(stdout);
}
static void vectors(void)
{
	TELL(pwritev2(1, vector, 3, -1, 0));
	TELL(pwritev2(1, vector, 3, -1, RWF_APPEND));
	TELL(pwritev2(1, vector, 3, start, RWF_APPEND));
	TELL(pwritev2(1, vector, 3, start + 100, 0x8000));
	TELL(pwritev2(1, vector, 3, start + 50, RWF_NOWAIT) > 0);
	TELL(pwritev2(1, vector, 3, start + 1, RWF_DSYNC));
	TELL(pwritev2(1, vector, 3, -2, 0));
}
static char stack[65536];
static int child(void *unused)
{
	dup2(open("other", O_RDWR | O_CREAT | O_TRUNC, 0600), 1);
	return 0;
}
static void shared(void)
{
	int saved = dup(1);
	pid_t pid;

	write(1, "w\n", 2);
	pid = clone(child, stack + sizeof(stack), CLONE_FILES | SIGCHLD, NULL);
	waitpid(pid, NULL, 0);
	printf("to the file\n");
	fflush(stdout);
	write(1, "raw\n", 4);
	dup2(saved, 1);
	printf("back\n");
	fflush(stdout);
}
static void *divided(void *unused)
{
	unshare(CLONE_FILES);
	dup2(open("other", O_RDWR | O_CREAT | O_TRUNC, 0600), 1);
	write(1, "in the file\n", 12);
	return NULL;
}
static void apart(void)
{
	pthread_t thread;

	write(1, "w\n", 2);
	pthread_create(&thread, NULL, divided, NULL);
	pthread_join(thread, NULL);
	write(1, "still here\n", 11);
	printf("and here\n");
}
static void sockets(void)
{
	struct msghdr message = {.msg_iov = vector, .msg_iovlen = 3};
	struct mmsghdr two[2] = {{.msg_hdr = message}, {.msg_hdr = message}};

	TELL(send(1, "sent\n", 5, 0));
	TELL(send(1, "", 0, 0));
	TELL(sendto(1, "sent to\n", 8, MSG_NOSIGNAL, NULL, 0));
	TELL(sendmsg(1, &message, 0));
	TELL(sendmmsg(1, two, 2, 0));
	TELL(two[1].msg_len);
	TELL(syscall(SYS_sendto, 1, "by number\n", 10, 0, NULL, 0));
	TELL(syscall(SYS_sendmsg, 1, &message, 0));
	TELL(send(1, "", 0, 1 << 30));
}
/* Needs an output that can be read, too. */
static void mapped(void)
{
	char *p = MAP_FAILED;

	printf("in memory\n");
	fflush(stdout);
	ftruncate(1, 5000);
	TELL((p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 1, 0)) != MAP_FAILED);
	memcpy(p + 100, "stored", 6);
	memcpy(p + 4000, "and stored", 10);
	TELL(msync(p, 4096, MS_SYNC));
	ftruncate(1, 9000);
	TELL(munmap(p, 4096));
	TELL((p = mmap(NULL, 9000, PROT_READ | PROT_WRITE, MAP_SHARED, 1, 0)) != MAP_FAILED);
	memcpy(p + 8500, "at the end", 10);
}
static void words(void)
{
	for (const char *s = "letter by letter\n"; *s; s++)
		putc(*s, stdout);
	fflush(stdout);
	TELL(execl("/no/where", "a", NULL));
	execl("/bin/echo", "echo", "a", "b c", "", "d", NULL);
}

/* ---- what nobody sees ---- */

static void instruction(void)
{
	kernel(SYS_write, 1, (long)"unseen\n", 7);
}
static void quick(void)
{
	kernel(SYS_write, 1, (long)"unseen\n", 7);
	_exit(0);
}
static void executes(void)
{
	kernel(SYS_write, 2, (long)"unseen\n", 7);
	execlp("echo", "echo", "executed", NULL);
}
static void in_child(void)
{
	if (fork() == 0) {
		printf("child\n");
		fflush(stdout);
		kernel(SYS_write, 1, (long)"unseen\n", 7);
		exit(0);
	}
	wait(NULL);
	kernel(SYS_write, 1, (long)"once more\n", 10);
}
static void cuts(void)
{
	kernel(SYS_write, 1, (long)"a long text that is cut off\n", 28);
	ftruncate(1, start);
	kernel(SYS_lseek, 1, start, SEEK_SET);
	kernel(SYS_write, 1, (long)"unseen\n", 7);
}
static void closes(void)
{
	kernel(SYS_write, 1, (long)"unseen\n", 7);
	fclose(stdout);
}
static void replaces(void)
{
	kernel(SYS_write, 1, (long)"unseen\n", 7);
	dup2(open("/dev/null", O_WRONLY), 1);
}
static void closes_number(void)
{
	kernel(SYS_write, 1, (long)"unseen\n", 7);
	syscall(SYS_close, 1);
}
static void nothing(void)
{
	printf("nothing else\n");
}

#define WAY(name) {#name, name}
static const struct {
	const char *name;
	void (*go)(void);
} ways[] = {WAY(sys_write), WAY(sys_writev), WAY(sys_transfers), WAY(sys_descriptors), WAY(sys_file), WAY(sys_open),
	WAY(sys_leave), WAY(sys_execute), WAY(asynchronous), WAY(list), WAY(at_offsets), WAY(pipes), WAY(allocate),
	WAY(flags), WAY(files), WAY(vectors), WAY(shared), WAY(apart), WAY(words), WAY(mapped), WAY(sockets), WAY(instruction), WAY(quick), WAY(executes),
	WAY(in_child), WAY(cuts), WAY(closes), WAY(closes_number), WAY(replaces), WAY(nothing)};

int main(int argc, char **argv)
{
	results = open("results", O_WRONLY | O_CREAT | O_APPEND, 0600);
	dup2(results, 150);
	close(results);
	results = 150;
	start = lseek(1, 0, SEEK_END);
	printf("said before\n");
	fflush(stdout);
	if (start < 0)
		start = 0;
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
			ways[i].go();
	printf("said after\n");
	return 0;
}
