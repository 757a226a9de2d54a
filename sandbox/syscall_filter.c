#include "sandbox/syscall_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <sys/prctl.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "say here what the kernel calls this processor"
#endif

/* From here on they are those of the x32 ABI, whose architecture is the same.
 */
#define NUMBERS_END 0x40000000u

#define FIELD(field) ((uint32_t)offsetof(struct seccomp_data, field))

static void add(struct syscall_filter *filter, struct sock_filter instruction)
{
	if (filter->length == SYSCALL_FILTER_ROOM)
		filter->full = true;
	else
		filter->code[filter->length++] = instruction;
}

static void load(struct syscall_filter *filter, uint32_t field)
{
	add(filter,
		(struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, field));
}

/* Jumps count the instructions that they skip. */
static void jump(struct syscall_filter *filter, unsigned short how,
	uint32_t value, uint8_t skipped_if, uint8_t skipped_else)
{
	add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | how | BPF_K, value,
			    skipped_if, skipped_else));
}

static void decide(struct syscall_filter *filter, uint32_t decided)
{
	add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, decided));
}

void syscall_filter_begin(struct syscall_filter *filter)
{
	filter->length = 0;
	filter->full = false;
	load(filter, FIELD(arch));
	jump(filter, BPF_JEQ, ARCHITECTURE, 1, 0);
	decide(filter, SYSCALL_KILLS);
	load(filter, FIELD(nr));
	jump(filter, BPF_JGE, NUMBERS_END, 0, 1);
	decide(filter, SYSCALL_KILLS);
}

/* Goes on if it holds, else skips so many instructions behind it. */
static void test(struct syscall_filter *filter,
	const struct syscall_condition *condition, uint8_t skipped)
{
	load(filter,
		FIELD(args) + condition->argument * (uint32_t)sizeof(uint64_t));
	if (condition->test == SYSCALL_IS)
		jump(filter, BPF_JEQ, condition->value, 0, skipped);
	else if (condition->test == SYSCALL_IS_NOT)
		jump(filter, BPF_JEQ, condition->value, skipped, 0);
	else
		jump(filter, BPF_JSET, condition->value, skipped, 0);
}

static uint8_t count_conditions(const struct syscall_rule *rule)
{
	uint8_t count = 0;

	while (count < SYSCALL_FILTER_CONDITIONS_MAX &&
		rule->conditions[count].test != SYSCALL_ANY)
		count++;
	return count;
}

/* Each condition takes two instructions; the number is loaded again. */
static void add_rule(
	struct syscall_filter *filter, const struct syscall_rule *rule)
{
	uint8_t count = count_conditions(rule);
	uint8_t i;

	if (count == 0) {
		jump(filter, BPF_JEQ, rule->call, 0, 1);
		decide(filter, rule->decided);
		return;
	}
	jump(filter, BPF_JEQ, rule->call, 0, (uint8_t)(2 * count + 2));
	for (i = 0; i < count; i++)
		test(filter, &rule->conditions[i],
			(uint8_t)(2 * (count - i - 1) + 1));
	decide(filter, rule->decided);
	load(filter, FIELD(nr));
}

void syscall_filter_add(struct syscall_filter *filter,
	const struct syscall_rule *rules, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		add_rule(filter, &rules[i]);
}

bool syscall_filter_set(struct syscall_filter *filter, uint32_t otherwise)
{
	struct sock_fprog program = {.filter = filter->code};

	decide(filter, otherwise);
	program.len = filter->length;
	if (filter->full) {
		errno = E2BIG;
		return false;
	}
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
