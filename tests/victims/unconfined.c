/* unconfined EINVAL|EPERM COMMAND...: where asking for a filter of system calls fails like this, and there is no Landlock;
 * unconfined landlock COMMAND...: where there is a filter. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IS(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped)

int main(int argc, char **argv)
{
	unsigned error = argc > 2 && strcmp(argv[1], "EPERM") == 0 ? EPERM : EINVAL;
	struct sock_filter code[] = {
		LOAD(nr),
		IS(SYS_landlock_create_ruleset, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		IS(SYS_prctl, 3),
		LOAD(args[0]),
		IS(PR_SET_SECCOMP, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (argc > 2 && strcmp(argv[1], "landlock") == 0)
		code[6].k = SECCOMP_RET_ALLOW;
	if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("unconfined");
		return 2;
	}
	execv(argv[2], argv + 2);
	perror(argv[2]);
	return 2;
}
