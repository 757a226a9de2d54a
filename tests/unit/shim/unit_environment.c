/*
 * The oracles: getauxval(), the kernel's own environment, and getenv() where
 * we have changed the one of libc.  Each check has a process of its own, since
 * what is known is kept.
 */
#include "shim/host/inside.h"

#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/host/environment.h"
#include "shim/host/sys.h"

bool sys_forbidden;

static char **real_argv;
static char *empty_list[] = {NULL};

static bool holds(bool (*check)(void))
{
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		_exit(check() ? 0 : 1);
	waitpid(child, &status, 0);
	return status == 0;
}

static bool is(const char *value, const char *wanted)
{
	return value && wanted ? strcmp(value, wanted) == 0 : value == wanted;
}

static bool no_descriptors(void)
{
	return setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0}) == 0;
}

/* ---- the auxiliary vector ---- */

static bool is_as_libc_says(void)
{
	bool same = true;
	uint64_t value;

	for (uint64_t type = 1; type < 64; type++) {
		if (type == AT_HWCAP || type == AT_HWCAP2)
			continue; /* glibc's are its own */
		value = 0;
		environment_auxiliary(type, &value);
		same = same && value == getauxval(type);
	}
	return same;
}

static bool from_the_stack(void)
{
	environment_arguments(1, real_argv, real_argv + 2);
	sys_forbidden = true;
	return is_as_libc_says();
}

static char *endless[3 + 2 * 64 + 2];

static bool from_the_kernel_behind_an_endless_one(void)
{
	for (size_t i = 3; i < sizeof(endless) / sizeof(*endless); i++)
		endless[i] = real_argv[0];
	environment_arguments(1, endless, endless + 2);
	return is_as_libc_says();
}

/* A constructor that comes before ours has called us. */
static bool from_the_environment(void)
{
	sys_forbidden = true;
	return is_as_libc_says() && environment_argv() == real_argv &&
	       real_argv[environment_argc()] == NULL;
}

/* As musl's loader calls: with whatever is in the registers. */
static bool not_from_what_is_no_vector(void)
{
	environment_arguments(3, (char **)8, (char **)16);
	return is_as_libc_says() && environment_argv() == real_argv;
}

/* What is there is not what the kernel has put there. */
static void move_environment(void)
{
	static char one[] = "A=B";
	static char *few[3], *word = one;

	few[0] = (char *)&word; /* no null in front of it */
	few[1] = one;
	__environ = few + 1;
}

static bool not_from_an_environment_that_was_moved(void)
{
	move_environment();
	return is_as_libc_says() && !environment_argv() &&
	       environment_argc() == 0;
}

static bool from_nowhere(void)
{
	uint64_t value;

	move_environment();
	sys_forbidden = true;
	return !environment_auxiliary(AT_PAGESZ, &value);
}

static void the_vector_is_found_where_it_is(void **state)
{
	(void)state;
	assert_true(holds(is_as_libc_says));
	assert_true(holds(from_the_stack));
	assert_true(holds(from_the_kernel_behind_an_endless_one));
	assert_true(holds(from_the_environment));
	assert_true(holds(not_from_what_is_no_vector));
	assert_true(holds(not_from_an_environment_that_was_moved));
	assert_true(holds(from_nowhere));
}

static bool an_unknown_process_is_secure(void)
{
	move_environment();
	sys_forbidden = true;
	return environment_is_secure();
}

static bool no_vector(void)
{
	move_environment();
	return no_descriptors();
}

static bool an_ordinary_one_is_not(void)
{
	return !environment_is_secure() && no_vector() &&
	       !environment_is_secure();
}

static bool one_that_cannot_be_dumped_is(void)
{
	return no_vector() && prctl(PR_SET_DUMPABLE, 0) == 0 &&
	       environment_is_secure();
}

static bool one_of_another_user_is(void)
{
	return no_vector() &&
	       setresuid((uid_t)-1, 65534, (uid_t)-1) == 0 &&
	       prctl(PR_SET_DUMPABLE, 1) == 0 && environment_is_secure();
}

static bool one_of_another_group_is(void)
{
	return no_vector() &&
	       setresgid((gid_t)-1, 65534, (gid_t)-1) == 0 &&
	       prctl(PR_SET_DUMPABLE, 1) == 0 && environment_is_secure();
}

static void more_rights_are_seen_without_the_vector(void **state)
{
	(void)state;
	assert_true(holds(an_unknown_process_is_secure));
	assert_true(holds(an_ordinary_one_is_not));
	assert_true(holds(one_that_cannot_be_dumped_is));
	if (geteuid() != 0)
		skip();
	assert_true(holds(one_of_another_user_is));
	assert_true(holds(one_of_another_group_is));
}

/* ---- before libc has the environment ---- */

static char seen[256];

static void note(const char *rest)
{
	strcat(strcat(seen, rest), ";");
}

static bool finds_what_the_kernel_gave(void)
{
	__environ = NULL;
	environment_each("A", note);
	return is(environment_get("A"), "1") &&
	       is(environment_get("AB"), "2") && !environment_get("B") &&
	       is(seen, "B=2;=1;");
}

static bool finds_it_once_there_is_memory(void)
{
	__environ = NULL;
	sys_forbidden = true;
	environment_each("A", note);
	if (environment_get("A") || *seen)
		return false;
	sys_forbidden = false;
	return is(environment_get("A"), "1");
}

static bool finds_nothing_without_a_file(void)
{
	__environ = NULL;
	return no_descriptors() && !environment_get("A") &&
	       !environment_get("AB");
}

static bool finds_what_comes_first_of_too_much(void)
{
	__environ = NULL;
	return is(environment_get("A"), "1") && !environment_get("Z");
}

static int as_executed(const char *what)
{
	if (strcmp(what, "huge") == 0)
		return !holds(finds_what_comes_first_of_too_much);
	return !(holds(finds_what_the_kernel_gave) &&
		 holds(finds_it_once_there_is_memory) &&
		 holds(finds_nothing_without_a_file));
}

static bool runs_again(const char *what, const char *const *environment)
{
	const char *const arguments[] = {real_argv[0], what, NULL};
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		/* execve() changes none of it. */
		execve("/proc/self/exe", (char **)(uintptr_t)arguments,
			(char **)(uintptr_t)environment);
		_exit(2);
	}
	waitpid(child, &status, 0);
	return status == 0;
}

#define FILLERS 10
#define FILLER_BYTES 120000

static void the_kernel_is_asked_before_libc_knows(void **state)
{
	static char filler[FILLER_BYTES] = "F=";
	const char *list[FILLERS + 4] = {"C=0", "AB=2", "A=1", "D=", NULL};

	(void)state;
	assert_true(runs_again("early", list));
	memset(filler + 2, 'x', sizeof(filler) - 3);
	list[0] = "A=1";
	for (int i = 1; i <= FILLERS; i++)
		list[i] = filler;
	list[FILLERS + 1] = "Z=2";
	list[FILLERS + 2] = NULL;
	assert_true(runs_again("huge", list));
}

static bool sets_what_was_put_off(void)
{
	const char *again = "A=";

	__environ = NULL;
	environment_set(again, "1");
	environment_set("B=", "2");
	environment_set(again, "3");
	environment_overwrite("C=", "4");
	environment_set("D=", "5");
	__environ = empty_list;
	environment_arguments(1, real_argv, real_argv + 2);
	return is(secure_getenv("A"), "3") && is(secure_getenv("B"), "2") &&
	       is(secure_getenv("C"), "4") && !secure_getenv("D");
}

static void three_variables_can_wait_for_it(void **state)
{
	(void)state;
	assert_true(holds(sets_what_was_put_off));
}

/* ---- changing it ---- */

static char own_text[] = "OWN=own", one_more[] = "X=1", another[] = "Y=2";

#define NAMES 150
#define LONGEST 3000

static char wanted[NAMES][LONGEST + 1];

/* The same character so many times, which differ from turn to turn. */
static const char *value_of(unsigned turn)
{
	static char value[LONGEST + 1];
	size_t length = turn % 7 == 0 ? turn * 31 % LONGEST : turn % 20;

	memset(value, 'a' + (int)(turn % 26), length);
	value[length] = '\0';
	return value;
}

static const char *name_of(unsigned i, bool with_equals)
{
	static char name[16];

	memcpy(name, "N000=", 6);
	name[1] = (char)('0' + i / 100);
	name[2] = (char)('0' + i / 10 % 10);
	name[3] = (char)('0' + i % 10);
	name[4] = with_equals ? '=' : '\0';
	return name;
}

static bool all_are_there(void)
{
	bool right = is(secure_getenv("OWN"), "own");

	for (unsigned i = 0; i < NAMES; i++) {
		const char *value = secure_getenv(name_of(i, false));

		right = right && is(value ? value : "", wanted[i]) &&
			is(environment_get(name_of(i, false)), value);
	}
	return right;
}

static bool libc_finds_what_was_set(void)
{
	static char *own[4] = {own_text, one_more, NULL};
	bool right = true;

	__environ = own;
	for (unsigned turn = 1; turn < 1500 && right; turn++) {
		unsigned i = turn * 7919 % NAMES * (turn % 1500) / 1500;
		const char *value = value_of(turn);

		if (turn == 400 || turn == 900) { /* the program has its own */
			own[1] = another;
			__environ = own;
			memset(wanted, 0, sizeof(wanted));
		}
		(turn % 3 ? environment_set : environment_overwrite)(
			name_of(i, true), value);
		memcpy(wanted[i], value, strlen(value) + 1);
		right = all_are_there();
	}
	return right && own[2] == NULL;
}

static bool without_memory_it_stays(void)
{
	static char *own[2] = {own_text, NULL};
	static char large[LONGEST];

	memset(large, 'x', sizeof(large) - 1);
	__environ = own;
	sys_forbidden = true;
	environment_set("BIG=", large);
	if (__environ != own || secure_getenv("BIG"))
		return false;
	environment_set("SMALL=", "1"); /* has room of its own */
	return is(secure_getenv("SMALL"), "1");
}

static bool an_equally_long_value_is_overwritten(void)
{
	static char *own[2] = {own_text, NULL};

	__environ = own;
	environment_overwrite("OWN=", "new");
	if (!is(own_text, "OWN=new") || __environ != own)
		return false;
	environment_overwrite("OWN=", "newer");
	return is(own_text, "OWN=new") && is(secure_getenv("OWN"), "newer");
}

static void libc_sees_the_changes(void **state)
{
	(void)state;
	assert_true(holds(libc_finds_what_was_set));
	assert_true(holds(without_memory_it_stays));
	assert_true(holds(an_equally_long_value_is_overwritten));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_vector_is_found_where_it_is),
		cmocka_unit_test(more_rights_are_seen_without_the_vector),
		cmocka_unit_test(the_kernel_is_asked_before_libc_knows),
		cmocka_unit_test(three_variables_can_wait_for_it),
		cmocka_unit_test(libc_sees_the_changes),
	};

	real_argv = argv;
	if (argc > 1)
		return as_executed(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
