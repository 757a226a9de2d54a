/*
 * A list of rules about system calls, as the program that the kernel runs for
 * each of them (seccomp).  Used by whoever confines this process; promises that
 * calls of another architecture end the process, and that the first rule which
 * fits decides.
 */
#ifndef SANDBOX_SYSCALL_FILTER_H
#define SANDBOX_SYSCALL_FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/linux.h"

#define SYSCALL_FILTER_CONDITIONS_MAX 2
#define SYSCALL_FILTER_ROOM 640

/* What becomes of a call. */
#define SYSCALL_ALLOWED SECCOMP_RET_ALLOW
#define SYSCALL_KILLS SECCOMP_RET_KILL_PROCESS
#define SYSCALL_FAILS(number) (SECCOMP_RET_ERRNO | (uint32_t)(number))

enum syscall_test {
	SYSCALL_ANY, /* no condition */
	SYSCALL_IS,
	SYSCALL_IS_NOT,
	SYSCALL_LACKS, /* all of these bits */
};

/* Of the low half of an argument: none that is tested here has more. */
struct syscall_condition {
	enum syscall_test test;
	uint32_t argument; /* its number, from 0 */
	uint32_t value;
};

/* Fits if all conditions hold. */
struct syscall_rule {
	uint32_t call;
	uint32_t decided;
	struct syscall_condition conditions[SYSCALL_FILTER_CONDITIONS_MAX];
};

/* Initializers, for lists. */
#define SYSCALL_MAY(name)                                                      \
	{                                                                      \
		.call = SYS_##name, .decided = SYSCALL_ALLOWED                 \
	}
#define SYSCALL_MAY_IF(name, ...)                                              \
	{                                                                      \
		.call = SYS_##name, .decided = SYSCALL_ALLOWED,                \
		.conditions = {                                                \
			__VA_ARGS__                                            \
		}                                                              \
	}
#define SYSCALL_REFUSES(name, how)                                             \
	{                                                                      \
		.call = SYS_##name, .decided = (how)                           \
	}
#define SYSCALL_IF(what, number, bits)                                         \
	{                                                                      \
		.test = SYSCALL_##what, .argument = (number), .value = (bits)  \
	}

struct syscall_filter {
	struct sock_filter code[SYSCALL_FILTER_ROOM];
	unsigned short length;
	bool full; /* then it cannot be set */
};

/* Empties it. */
void syscall_filter_begin(struct syscall_filter *filter);

void syscall_filter_add(struct syscall_filter *filter,
	const struct syscall_rule *rules, size_t count);

/*
 * From here on the calling thread and all that it starts are bound by it;
 * `otherwise` is for calls that no rule fits.  PR_SET_NO_NEW_PRIVS has to be
 * set.  False with errno: EINVAL, ENOSYS or whatever a container says are a
 * kernel that gives none.
 */
bool syscall_filter_set(struct syscall_filter *filter, uint32_t otherwise);

#endif
