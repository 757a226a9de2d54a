/*
 * bad_pointers CASE: a call that libc dies of, and what was said before.
 * bad_pointers: all that can be survived by jumping out of the handler; the
 * page that could not be read is in the file "results".
 */
#include <err.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <syslog.h>
#include <wchar.h>

#define PAGE 65536u /* of the largest kind */
#define BAD ((void *)0x10000008ul)

static char *tail;	   /* 24 bytes, then a page that cannot be read */
static wchar_t *wide_tail; /* 6 characters, likewise */
static const int constant;
static FILE *wide;

#define CASE(name, ...)                                                        \
	static int run_##name(void)                                            \
	{                                                                      \
		return (int)(intptr_t)(__VA_ARGS__);                           \
	}
#define CASES(X)                                                               \
	X(string, printf("%s\n", (char *)BAD))                                 \
	X(second, fprintf(stderr, "%d %s %d\n", 1, (char *)BAD, 2))            \
	X(wide_string, printf("%ls\n", (wchar_t *)BAD))                        \
	X(no_end, printf("%s\n", tail))                                        \
	X(no_end_wide, printf("%ls\n", wide_tail))                             \
	X(precision, printf("%.25s\n", tail))                                  \
	X(star, printf("%.*s\n", 1000, tail))                                  \
	X(star_bad, printf("%.*s\n", 1, (char *)BAD))                          \
	X(numbered, fprintf(stderr, "%2$d %1$s\n", (char *)BAD, 1))            \
	X(grouped, fprintf(stderr, "%'d %s\n", 1, (char *)BAD))                \
	X(number, printf("%n\n", (int *)BAD))                                  \
	X(constant, printf("%n\n", (int *)&constant))                          \
	X(format, printf((char *)BAD))                                         \
	X(format_no_end, fprintf(stderr, tail))                                \
	X(line, puts((char *)BAD))                                             \
	X(text, fputs(tail, stderr))                                           \
	X(block, fwrite(BAD, 1, 10, stdout))                                   \
	X(descriptor, dprintf(1, "%s\n", (char *)BAD))                         \
	X(message, (syslog(LOG_INFO, "%s", (char *)BAD), 0))                   \
	X(warning, (warnx("%s", (char *)BAD), 0))                              \
	X(wide_format, fwprintf(wide, (wchar_t *)BAD))                         \
	X(of_wide, fwprintf(wide, L"%s\n", (char *)BAD))                       \
	X(wide_of_wide, fwprintf(wide, L"%ls\n", (wchar_t *)BAD))              \
	X(no_end_of_wide, fwprintf(wide, L"%s\n", tail))                       \
	X(no_end_wide_of_wide, fwprintf(wide, L"%.7ls\n", wide_tail))          \
	X(grouped_of_wide, fwprintf(wide, L"%'d%ls\n", 1, wide_tail))          \
	X(wide_text, fputws((wchar_t *)BAD, wide))

CASES(CASE)

static const struct {
	const char *name;
	int (*run)(void);
} cases[] = {
#define ROW(name, ...) {#name, run_##name},
	CASES(ROW)};
#define CASES_COUNT (sizeof(cases) / sizeof(*cases))

static void make_tails(void)
{
	char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(page + PAGE, PAGE, PROT_NONE);
	tail = page + PAGE - 24;
	memset(tail, 'x', 24);
	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(page + PAGE, PAGE, PROT_NONE);
	wide_tail = (wchar_t *)(page + PAGE) - 6;
	wmemset(wide_tail, L'w', 6);
}

static sigjmp_buf back;
static volatile uintptr_t where;

static void jump(int number, siginfo_t *info, void *context)
{
	(void)context;
	where = (uintptr_t)info->si_addr;
	siglongjmp(back, number);
}

/* Where the pages are differs from run to run. */
static const char *name_of(uintptr_t address)
{
	if ((address ^ (uintptr_t)BAD) < 4096)
		return "BAD";
	if ((address ^ (uintptr_t)&constant) < 4096)
		return "constant";
	if (address - (uintptr_t)tail < PAGE)
		return "tail";
	return address - (uintptr_t)wide_tail < PAGE ? "wide_tail" : "nowhere";
}

static void survive(unsigned k, FILE *results)
{
	int number = sigsetjmp(back, 1);

	if (number == 0) {
		where = 0;
		cases[k].run();
	}
	fprintf(results, "%s: signal %d at %s\n", cases[k].name, number,
		name_of(where));
	fflush(results);
	printf("%s\n", cases[k].name);
	fprintf(stderr, "and after %s\n", cases[k].name);
}

static void die(const char *name)
{
	for (unsigned k = 0; k < CASES_COUNT; k++) {
		if (strcmp(name, "list") == 0)
			puts(cases[k].name);
		if (strcmp(name, cases[k].name) != 0)
			continue;
		printf("before %d\n", 1);
		cases[k].run();
		puts("survived");
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = {
		.sa_sigaction = jump, .sa_flags = SA_SIGINFO};
	FILE *results = fopen("results", "w");

	make_tails();
	/* Also an output of the run, but a stream of its own. */
	wide = fdopen(1, "w");
	fwide(wide, 1);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1) {
		die(argv[1]);
		return 0;
	}
	sigaction(SIGSEGV, &action, NULL);
	/*
	 * Not out of dprintf(): glibc's has a FILE on its stack, in the list of
	 * all (libio/iovdprintf.c), and leaves it there.
	 */
	for (unsigned k = 0; k < CASES_COUNT; k++)
		if (cases[k].run != run_descriptor)
			survive(k, results);
	return 0;
}
