/*
 * Lets the k-th of some system calls of a process fail, and all that follow if
 * wanted, whoever makes them and however; or another answer be given.  For a
 * child of a unit test: what was begun stays until the process ends.  Only the
 * thread that has begun it is concerned.
 */
#ifndef TESTS_INJECT_CALLS_H
#define TESTS_INJECT_CALLS_H

#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct inject_call {
	int number;
	int error; /* what it fails with */
};

#define INJECT_NONE LONG_MAX

static struct {
	const struct inject_call *calls;
	size_t count;
	unsigned long made;  /* while it is on */
	unsigned long which; /* from 1; 0: none fails */
	bool for_ever;
	bool on;
	/* The answer to a call, or INJECT_NONE; may be null. */
	long (*instead)(const struct seccomp_data *call);
	int failed; /* the number of the first that has failed, or -1 */
	int listener[2];
} inject_calls = {.failed = -1};

static inline int inject_error_of(int number)
{
	size_t i = 0;

	while (inject_calls.calls[i].number != number)
		i++;
	inject_calls.made++;
	if (inject_calls.which == 0 || inject_calls.made < inject_calls.which ||
		(!inject_calls.for_ever &&
			inject_calls.made > inject_calls.which))
		return 0;
	if (inject_calls.failed < 0)
		inject_calls.failed = number;
	return inject_calls.calls[i].error;
}

static inline long inject_answer_to(const struct seccomp_data *call)
{
	int error = inject_error_of(call->nr);

	if (error)
		return -error;
	return inject_calls.instead ? inject_calls.instead(call) : INJECT_NONE;
}

static inline void inject_answer(int listener, uint64_t id, long result)
{
	struct seccomp_notif_resp answer = {.id = id};

	if (result == INJECT_NONE)
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else if (result < 0)
		answer.error = (int)result;
	else
		answer.val = result;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

/* Who makes the call waits for the answer: there is nothing to be locked. */
static void *inject_attend(void *unused)
{
	int listener;

	if (read(inject_calls.listener[0], &listener, sizeof(listener)) !=
		sizeof(listener))
		return unused;
	for (;;) {
		struct seccomp_notif asked = {0};
		long result = INJECT_NONE;

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
			continue;
		if (__atomic_load_n(&inject_calls.on, __ATOMIC_ACQUIRE))
			result = inject_answer_to(&asked.data);
		inject_answer(listener, asked.id, result);
	}
}

static inline int inject_listen(void)
{
	struct sock_filter code[64] = {BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	struct sock_fprog program = {.filter = code};
	size_t i, n = 1;

	for (i = 0; i < inject_calls.count; i++) {
		code[n++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
				(uint32_t)inject_calls.calls[i].number, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	code[n++] = (struct sock_filter)BPF_STMT(
		BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = (unsigned short)n;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* At most 31 `calls`, which stay the caller's.  False: it is not possible here.
 */
static inline bool inject_calls_prepare(
	const struct inject_call *calls, size_t count)
{
	pthread_t thread;
	int listener;

	inject_calls.calls = calls;
	inject_calls.count = count;
	if (pipe(inject_calls.listener) != 0 ||
		pthread_create(&thread, NULL, inject_attend, NULL) != 0)
		return false;
	listener = inject_listen();
	return listener >= 0 && write(inject_calls.listener[1], &listener,
					sizeof(listener)) == sizeof(listener);
}

static inline void inject_calls_begin(unsigned long which, bool for_ever)
{
	inject_calls.which = which;
	inject_calls.for_ever = for_ever;
	inject_calls.made = 0;
	__atomic_store_n(&inject_calls.on, true, __ATOMIC_RELEASE);
}

static inline void inject_calls_end(void)
{
	__atomic_store_n(&inject_calls.on, false, __ATOMIC_RELEASE);
}

#endif
