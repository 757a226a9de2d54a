/*
 * What the kernel does for the symbolizer and its worker, done in memory: a
 * worker that is forked is not there, and sends what the input says, whatever
 * it is asked.  For the target of what is believed of it.  Definitions here
 * come before those of libc; outside of hostile_worker_begin() and _end()
 * processes are the kernel's.
 */
#ifndef TESTS_FUZZ_HOSTILE_WORKER_H
#define TESTS_FUZZ_HOSTILE_WORKER_H

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <sanitizer/asan_interface.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "symbolizer/worker/wire.h"
#include "tests/fuzz/pieces.h"

#define HOSTILE_WORKER_PID 0x7ffffffe
#define HOSTILE_WORKER_SOCKET 0x40000000 /* no descriptor is so large */

static struct {
	bool begun;
	bool running;
	const struct piece_format *format;
	const uint8_t *data; /* the packets that it will send yet */
	size_t size;
	int status;	/* with which it ends */
	size_t packets; /* sent */
} hostile_worker;

/* Its packets are these, as pieces of that format. */
static inline void hostile_worker_begin(const struct piece_format *format,
	const uint8_t *data, size_t size, int status)
{
	hostile_worker.begun = true;
	hostile_worker.running = false;
	hostile_worker.format = format;
	hostile_worker.data = data;
	hostile_worker.size = size;
	hostile_worker.status = status;
	hostile_worker.packets = 0;
}

/* No process is left over. */
static inline void hostile_worker_end(void)
{
	FUZZ_CHECK(!hostile_worker.running);
	hostile_worker.begun = false;
}

pid_t fork(void)
{
	pid_t (*real)(void);

	if (!hostile_worker.begun) {
		*(void **)&real = dlsym(RTLD_NEXT, "fork");
		return real();
	}
	FUZZ_CHECK(!hostile_worker.running);
	hostile_worker.running = true;
	return HOSTILE_WORKER_PID;
}

int kill(pid_t pid, int number)
{
	int (*real)(pid_t, int);

	if (!hostile_worker.begun) {
		*(void **)&real = dlsym(RTLD_NEXT, "kill");
		return real(pid, number);
	}
	FUZZ_CHECK(pid == HOSTILE_WORKER_PID && hostile_worker.running);
	return 0;
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	pid_t (*real)(pid_t, int *, int);

	if (!hostile_worker.begun) {
		*(void **)&real = dlsym(RTLD_NEXT, "waitpid");
		return real(pid, status, options);
	}
	FUZZ_CHECK(pid == HOSTILE_WORKER_PID && hostile_worker.running);
	hostile_worker.running = false;
	*status = hostile_worker.status;
	return pid;
}

int socketpair(int domain, int type, int protocol, int sockets[2])
{
	(void)domain;
	(void)type;
	(void)protocol;
	sockets[0] = HOSTILE_WORKER_SOCKET;
	sockets[1] = HOSTILE_WORKER_SOCKET + 1;
	return 0;
}

int poll(struct pollfd *sockets, nfds_t count, int milliseconds)
{
	(void)sockets;
	FUZZ_CHECK(count == 1 && milliseconds > 0);
	return 1;
}

/*
 * The next packet; without one the other end is closed.  Where a sanitizer
 * watches, what is behind a packet cannot be read until the next one comes.
 */
ssize_t recvmsg(int socket, struct msghdr *message, int flags)
{
	struct iovec *into = message->msg_iov;
	struct piece piece;
	size_t size;

	(void)flags;
	FUZZ_CHECK(socket == HOSTILE_WORKER_SOCKET && hostile_worker.running);
	message->msg_flags = 0;
	ASAN_UNPOISON_MEMORY_REGION(into->iov_base, into->iov_len);
	if (hostile_worker.size == 0)
		return 0;
	piece = hostile_worker.format->find(
		hostile_worker.data, hostile_worker.size);
	size = piece.size - piece.head;
	if (size > into->iov_len) {
		message->msg_flags = MSG_TRUNC;
		size = into->iov_len;
	}
	memcpy(into->iov_base, hostile_worker.data + piece.head, size);
	ASAN_POISON_MEMORY_REGION(
		(uint8_t *)into->iov_base + size, into->iov_len - size);
	hostile_worker.data += piece.size;
	hostile_worker.size -= piece.size;
	hostile_worker.packets++;
	return (ssize_t)size;
}

/* What it is asked is a packet. */
ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
	size_t size = message->msg_iov->iov_len;

	(void)flags;
	FUZZ_CHECK(socket == HOSTILE_WORKER_SOCKET && hostile_worker.running);
	FUZZ_CHECK(size >= sizeof(uint32_t) && size <= WIRE_BYTES_MAX);
	return (ssize_t)size;
}

int prlimit(pid_t pid, enum __rlimit_resource resource,
	const struct rlimit *limit, struct rlimit *old)
{
	(void)resource;
	(void)limit;
	(void)old;
	FUZZ_CHECK(pid == HOSTILE_WORKER_PID);
	errno = ESRCH;
	return -1;
}

#endif
