/*
 * without WHAT COMMAND...: runs it where the kernel refuses something, with
 * EINVAL as one that does not know it, or EPERM as a sandbox.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ANY = -1 };

/* The call is refused if the bits of its argument in `mask` are `value`. */
static const struct refused {
	const char *what;
	int number;
	int argument; /* ANY: whatever they are */
	unsigned mask;
	unsigned value;
	int error;
} all[] = {
	{"populate", SYS_madvise, 2, ~0u, 23, EINVAL},
	{"mremap", SYS_mremap, 1, ~0u, 0, EINVAL},
	{"truncate", SYS_truncate, ANY, 0, 0, EPERM},
	{"rename", SYS_renameat, ANY, 0, 0, EPERM},
	{"create", SYS_openat, 2, O_CREAT, O_CREAT, EPERM},
	{"shared", SYS_mmap, 3, 0xf, 1 /* MAP_SHARED */, EPERM},
	{"ftruncate", SYS_ftruncate, ANY, 0, 0, EPERM},
	{"madvise", SYS_madvise, ANY, 0, 0, EPERM},
	{"mprotect", SYS_mprotect, 2, ~0u, 3, EPERM},
	{"fstat", SYS_fstat, ANY, 0, 0, EPERM},
	{"fcntl", SYS_fcntl, ANY, 0, 0, EPERM},
	{"getrandom", SYS_getrandom, ANY, 0, 0, EPERM},
	{"pwrite64", SYS_pwrite64, ANY, 0, 0, EPERM},
	{"readlinkat", SYS_readlinkat, ANY, 0, 0, EPERM},
};

static int refuse(const struct refused *r)
{
	struct sock_filter any[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r->number, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, args[r->argument < 0
							? 0
							: r->argument])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, r->mask),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r->value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | r->error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {7, any};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	int done = 0;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(argv[1], all[i].what) == 0)
			done = refuse(&all[i]) == 0;
	if (argc > 2 && done)
		execvp(argv[2], argv + 2);
	perror("without");
	return 99;
}
